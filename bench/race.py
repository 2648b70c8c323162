"""A race: one server and one worker process against the raw twin, in alternating pairs on alike databases."""

import argparse
import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Final

from bench.ground import Ground, ground
from bench.harness import Cluster, Cost, Database, Progress, cluster, database, median, statements
from bench.twin import BATCH
from bench.twins import RawTwin, twin_of
from foliot.domain.instants import SECOND, Instant

UP_WITHIN_S: Final = 60.0
LOOK_EVERY_S: Final = 0.01

Round = dict[str, Any]


@dataclass
class Race:
    """Both sides, loaded and ready."""

    options: argparse.Namespace
    place: Database
    ours: Ground
    theirs: Ground
    twin: RawTwin
    processes: Cluster
    progress: Progress

    @property
    def pids(self) -> dict[str, int]:
        return {**self.processes.pids(), **self._server()}

    def _server(self) -> dict[str, int]:
        return {"database": self.place.pid} if self.place.pid else {}

    async def run(
        self, foliot: Callable[["Race", Cost, str], Awaitable[Round]], raw: Callable[["Race", Cost], Awaitable[float]]
    ) -> list[Round]:
        """So many pairs; the first, which warms caches on both sides, does not count."""
        rounds: list[Round] = []
        for number in range(self.options.pairs + 1):
            is_watched = number == 1
            async with (
                self.processes.profiled(self.options.profile if is_watched else None),
                statements(self.place, self.options.statements if is_watched else None),
            ):
                figures = await foliot(self, Cost(self.pids), f"round {number} of {self.options.pairs}")
            cost = Cost(self._server())
            with self.processes.halted() if self.ours is self.theirs else nullcontext():
                figures["twin_s"] = await raw(self, cost)
            figures["twin_cpu_s"] = cost.spent()
            rounds.append(figures)
        self.progress.end()
        return rounds[1:]

    async def over(self, at: Instant, *, runs: int, within_s: float, what: str) -> float:
        """Wait until nothing due by `at` is undecided and nothing is live; the time by the clock then, in seconds."""
        told = 0
        while await self.ours.is_live(at):
            self.processes.check()
            gone_s = time.time() - at / SECOND
            if gone_s > within_s:
                raise TimeoutError(f"{what} is not over after {within_s:g} s: {await self.ours.counts()}")
            if gone_s > told:
                told += 1
                self.progress.tell(what, done=await self.ours.ended(), of=runs)
            await asyncio.sleep(LOOK_EVERY_S)
        return time.time()


@asynccontextmanager
async def race(
    options: argparse.Namespace, *, jobs: int, schedule: dict[str, Any] | None, overlap: str | None
) -> AsyncIterator[Race]:
    """Two databases with the same jobs, a server and a worker on one of them, the twin on the other."""
    progress = Progress()
    async with AsyncExitStack() as stack:
        place = await stack.enter_async_context(database(options.db))
        ours = theirs = await stack.enter_async_context(ground(place.foliot))
        if place.twin != place.foliot:
            theirs = await stack.enter_async_context(ground(place.twin))
        progress.tell(f"loading {jobs:,} jobs")
        for side in {ours, theirs}:
            await side.load_jobs(jobs, schedule, overlap=overlap)
        twin = await stack.enter_async_context(twin_of(place.twin, theirs))
        processes = stack.enter_context(cluster(place.foliot))
        await processes.start_server()
        await processes.start_worker(slots=options.slots)
        await registered(ours, processes)
        yield Race(options, place, ours, theirs, twin, processes, progress)


async def registered(ours: Ground, processes: Cluster) -> None:
    """Until a worker is there."""
    deadline = time.monotonic() + UP_WITHIN_S
    while not await ours.workers():
        processes.check()
        if time.monotonic() > deadline:
            raise TimeoutError("the worker did not register")
        await asyncio.sleep(0.05)


async def common(held: Race, rounds: list[Round], runs: int) -> dict[str, Any]:
    """What every race reports."""

    def cpu(key: str) -> dict[str, float]:
        return {name: median([one[key][name] for one in rounds]) for name in rounds[0][key]}

    return {
        "transport": "HTTP, 1 server process, 1 worker process",
        "slots": held.options.slots,
        "pids": held.pids,
        "settings": await held.ours.settings(),
        "foliot_per_s": [round(runs / one["foliot_s"]) for one in rounds],
        "twin_per_s": [round(runs / one["twin_s"]) for one in rounds],
        "twin_batch": BATCH,
        "cpu_s": cpu("cpu_s"),
        "twin_cpu_s": cpu("twin_cpu_s"),
        "per_s": median([runs / one["foliot_s"] for one in rounds], 0),
        "ratio": median([one["twin_s"] / one["foliot_s"] for one in rounds]),
    }
