"""Firing alone: 10 000 jobs due at one instant become runs, beside the raw twin; then two server processes beside one.

    python -m bench firing [--on postgresql|mariadb|sqlite] [--jobs 10000] [--overlap skip|allow] [--pairs 5] [--json]

The duty is the engine's own, with its adaptive batches and the real planner; row counts are verified after each round.
"""

import argparse
import asyncio
import gc
import sys
import time
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from bench.harness import opened, parser_of, run
from foliot.app.run_loop import run as run_loop
from foliot.domain.instants import Instant
from foliot.domain.plans import CatchUpPacer, decide_batch
from foliot.engine.firing import Firing
from foliot.engine.pulse import Tide
from foliot.ports.store.firing import Decided
from foliot.store.sql.kernel.statement import Statement
from foliot.store.sql.store import SqlStore
from foliot_bench.benchmark import bar
from foliot_bench.cost import median
from foliot_bench.ground import Ground
from foliot_bench.moments import CHANCE, CLOCK, this_second
from foliot_bench.race import PAIRS
from foliot_bench.twins.raw import BATCH, RawTwin

BARS: Final = {"postgresql": 0.6, "mariadb": 0.5}
FAR_OFF_S: Final = 0.5
"""A duty that rests so long knows of nothing due."""
BEHIND: Final = Statement("SELECT count(*) FROM cursors WHERE next_at <= :at")


async def measured(options: argparse.Namespace) -> Mapping[str, Any]:
    async with opened(options.on) as (url, place, twin_of_it):
        await place.load_jobs(options.jobs, {"every": "1h"}, overlap=options.overlap)
        async with twin_of_it() as twin:
            figures = await beside_the_twin(place, twin, options.jobs, options.pairs)
        if not place.is_sqlite:
            figures |= await two_beside_one(url, place, options.jobs, options.pairs)
        figures["settings"] = await place.settings()
        ratio = figures["ratio"]
        return {
            "jobs": options.jobs,
            "overlap": options.overlap,
            "verified": f"{options.jobs:,} runs of {options.jobs:,} jobs, as many cursors moved, each round",
            **figures,
            "bars": [bar("ratio", ratio, at_least=BARS[options.on])] if options.on in BARS else [],
        }


# ------------------------------------------------------------------------------------------------------ beside the twin


async def beside_the_twin(place: Ground, twin: RawTwin, jobs: int, pairs: int) -> dict[str, Any]:
    """The duty and the twin in turns, the first pair to warm up both."""
    ours, raw, batches = [], [], []
    for round_ in range(-1, pairs):
        at = await made_due(place)
        took_s, batch = await fire_all(place.store)
        await verify(place, jobs, at)
        at = await made_due(place)
        raw_s = await twin.fire(at)
        await verify(place, jobs, at)
        if round_ >= 0:
            ours.append(jobs / took_s)
            raw.append(jobs / raw_s)
            batches.append(batch)
        else:
            gc.freeze()  # as a server does once it has started: what is loaded stays
    return {
        "batch": f"foliot {min(batches)}-{max(batches)} (adaptive), twin {BATCH}",
        "foliot_per_s": [round(rate) for rate in ours],
        "twin_per_s": [round(rate) for rate in raw],
        "ratio": median([a / b for a, b in zip(ours, raw, strict=True)]),
    }


async def fire_all(store: SqlStore) -> tuple[float, int]:
    """The engine's firing duty until nothing is due: (seconds, largest batch)."""
    tide = Tide(CLOCK)
    again = asyncio.Event()
    last: list[Decided] = []
    decide = partial(decide_batch, pacer=CatchUpPacer())
    duty = Firing(store.firing, decide, tide, clock=CLOCK, again=again, on_decided=last.append)
    tide.learn(await store.firing.pulse(), seen_at=CLOCK.monotonic())
    began_at = time.perf_counter()
    rest_s = 0.0
    while rest_s < FAR_OFF_S and (not last or last[-1].taken):
        rest_s = await duty.step()
    return time.perf_counter() - began_at, duty.batch


async def made_due(place: Ground) -> Instant:
    """Nothing open, everything due this very second; the tables as tidy as they were."""
    at = this_second()
    await place.clear_runs()
    await place.make_due(at)
    await place.tidy()
    return at


async def verify(place: Ground, jobs: int, at: Instant) -> None:
    """As many runs as jobs, each of another job, and every cursor moved on."""
    counts, behind = await place.counts(), await place.value(BEHIND, {"at": at})
    assert (counts.runs, counts.jobs, behind) == (jobs, jobs, 0), (counts, behind)


# ------------------------------------------------------------------------------------------------------- two beside one


async def two_beside_one(url: str, place: Ground, jobs: int, pairs: int) -> dict[str, Any]:
    """The same storm fired by one server process and by two, in turns."""
    servers = [await Child.start(url) for _ in range(2)]
    try:
        alone: list[float] = []
        together: list[float] = []
        for round_ in range(-1, pairs):
            for crew, rates in ((servers[:1], alone), (servers, together)):
                at = await made_due(place)
                began_at = time.perf_counter()
                created = await asyncio.gather(*(child.fire() for child in crew))
                took_s = time.perf_counter() - began_at
                assert sum(created) == jobs, created
                await verify(place, jobs, at)
                if round_ >= 0:
                    rates.append(jobs / took_s)
            if round_ < 0:
                await made_due(place)
                await servers[1].fire()  # it too has seen every job
    finally:
        for child in servers:
            await child.stop()
    return {
        "one_process_per_s": [round(rate) for rate in alone],
        "two_processes_per_s": [round(rate) for rate in together],
        "two_over_one": median([b / a for a, b in zip(alone, together, strict=True)]),
    }


class Child:
    """A server process that fires when told."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, url: str) -> "Child":
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.firing", "--child", url, stdin=pipe, stdout=pipe
        )
        return cls(process)

    async def fire(self) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(b"fire\n")
        return int(await self._process.stdout.readline())

    async def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()


async def child(url: str) -> None:
    """Read a line, fire until nothing is due, write how many were created; until the input ends."""
    store = await SqlStore.open(url, clock=CLOCK, chance=CHANCE)
    decide = partial(decide_batch, pacer=CatchUpPacer())
    loop = asyncio.get_running_loop()
    try:
        while await loop.run_in_executor(None, sys.stdin.readline):
            created = 0
            while (decided := await store.firing.decide_due(decide, limit=BATCH)).taken:
                created += decided.created
            print(created, flush=True)
            gc.freeze()
    finally:
        await store.close()


def parser() -> argparse.ArgumentParser:
    made = parser_of(__doc__)
    made.add_argument("--jobs", type=int, default=10_000)
    made.add_argument("--overlap", default="skip", choices=["skip", "allow"])
    made.add_argument("--pairs", type=int, default=PAIRS)
    made.add_argument("--child", metavar="URL", help=argparse.SUPPRESS)
    return made


if __name__ == "__main__":
    given = parser().parse_args()
    if given.child:
        run_loop(child(given.child))
    else:
        run(measured, parser())
