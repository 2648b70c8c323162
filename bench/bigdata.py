"""Big data: how much a long history and many jobs slow firing and leasing down, against an empty database.

    python -m bench.bigdata [--db sqlite|mariadb] [--jobs 100000] [--runs 500000] [--due 10000] [--pairs 5] [--json]

The full size is --jobs 1000000 --runs 10000000. Both databases are worked on through the store's own port, in turns:
so many jobs due at one instant are fired; then their runs are leased and ended.
"""

import argparse
import functools
import time
from collections.abc import Mapping
from typing import Any, Final

from bench.ground import Ground, ground
from bench.harness import PAIRS, Progress, database, median, parser_of, run
from foliot.domain.fire import Decide
from foliot.domain.instants import HOUR, SECOND
from foliot.domain.planning import CatchUpPacer, decide_batch
from foliot.domain.run import Landing
from foliot.domain.verdict import Cause, judge
from foliot.ports.store import Poll
from foliot.ports.worker_link import HandlerOffer, Hello, Report

BATCH: Final = 500
SESSION: Final = "b" * 32
RATIO_MIN: Final = 0.8
FAR: Final = 2000  # hours from now: when the jobs that are not part of it are due


async def measured(options: argparse.Namespace) -> Mapping[str, Any]:
    progress = Progress()
    if options.db is not None and "://" in options.db:
        raise SystemExit("bench.bigdata needs two databases: leave --db out, or say sqlite or mariadb")
    async with database(options.db) as place, ground(place.foliot) as big, ground(place.twin) as small:
        progress.tell(f"loading {options.jobs:,} jobs and {options.runs:,} finished runs")
        began_at = time.monotonic()
        await big.load_jobs(options.jobs, {"every": "1h"})
        await big.load_finished(options.runs, jobs=options.jobs)
        await small.load_jobs(options.due, {"every": "1h"})
        loaded_s = time.monotonic() - began_at
        for side in (big, small):
            await side.make_due(int(time.time()) * SECOND + FAR * HOUR)
            await side.tidy()
            await side.store.nodes.register(_hello(), kind="worker", ttl_us=24 * HOUR)
        rounds = []
        for number in range(options.pairs + 1):
            progress.tell("measuring", done=number, of=options.pairs + 1)
            rounds.append((await worked(big, options.due, number), await worked(small, options.due, number)))
        settings, counted = await big.settings(), await big.counts()
    progress.end()
    kept = rounds[1:]  # the first pair warms caches on both sides
    ratios = {
        what: median([empty[what] / full[what] for full, empty in kept]) for what in ("fire_s", "lease_and_end_s")
    }
    return {
        "jobs": options.jobs,
        "finished_runs": options.runs,
        "due": options.due,
        "settings": settings,
        "loaded_s": round(loaded_s, 1),
        "verified": f"{counted.runs:,} runs in the big database, all of them over",
        "big_fires_per_s": [round(options.due / full["fire_s"]) for full, _ in kept],
        "empty_fires_per_s": [round(options.due / empty["fire_s"]) for _, empty in kept],
        "big_leases_per_s": [round(options.due / full["lease_and_end_s"]) for full, _ in kept],
        "empty_leases_per_s": [round(options.due / empty["lease_and_end_s"]) for _, empty in kept],
        "ratio": ratios["fire_s"],
        "lease_and_end_ratio": ratios["lease_and_end_s"],
        "bar": {"ratio": RATIO_MIN, "reached": ratios["fire_s"] >= RATIO_MIN},
    }


async def worked(side: Ground, due: int, number: int) -> dict[str, float]:
    """Fire the first jobs, lease and end their runs, and take them away again; seconds of each."""
    decide: Decide = functools.partial(decide_batch, pacer=CatchUpPacer())
    at = int(time.time()) * SECOND
    await side.make_due(at, jobs=due)
    await side.tidy()
    began_at = time.perf_counter()
    while (await side.store.firing.decide_due(decide, limit=BATCH)).taken:
        pass
    fired_at = time.perf_counter()
    ended = await lease_and_end(side, number)
    over_at = time.perf_counter()
    assert ended == due, f"{ended} of {due} runs"
    await side.forget_runs(at)
    await side.make_due(at + FAR * HOUR, jobs=due)
    return {"fire_s": fired_at - began_at, "lease_and_end_s": over_at - fired_at}


async def lease_and_end(side: Ground, number: int) -> int:
    ended = 0
    request_no = number * 1_000_000
    while True:
        request_no += 1
        poll = Poll(session=SESSION, request_no=request_no, free=BATCH, lanes=[side.lane])
        granted = await side.store.runs.lease([poll], limit=BATCH)
        runs = granted.grants[0].runs
        if not runs:
            return ended
        reports = [Report(run_id=one.run_id, lease_id=one.lease_id, cause=Cause.SUCCEEDED) for one in runs]
        landings = await side.store.runs.complete(SESSION, reports, judge)
        assert all(landing is Landing.RECORDED for landing in landings), landings
        ended += len(runs)


def _hello() -> Hello:
    return Hello(
        session=SESSION,
        name="bench",
        group="default",
        slots=BATCH,
        handlers=(HandlerOffer(name="python:bench.noop:noop"),),
    )


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=500_000)
    parser.add_argument("--due", type=int, default=10_000)
    parser.add_argument("--pairs", type=int, default=PAIRS)
    run(measured, parser)
