"""Storm: 10 000 jobs due at one instant are fired, leased over HTTP, executed and recorded, beside the raw twin.

    python -m bench.storm [--db URL|sqlite|mariadb] [--jobs 10000] [--slots 100] [--overlap skip] [--pairs 5] [--json]

One server process and one worker process; the handler is an `async def` that does nothing, called through the whole
path of a real one. Time runs from the due instant until the last run is recorded, as another connection sees it.
"""

import argparse
import time
from collections.abc import Mapping
from typing import Any

from bench.ground import next_second, until
from bench.harness import PAIRS, Cost, parser_of, run
from bench.race import Race, Round, common, race
from foliot.domain.instants import SECOND

WITHIN_S = 60.0
BARS = {"postgresql": 0.33, "sqlite": 0.25, "mysql": 0.25}


async def measured(options: argparse.Namespace) -> Mapping[str, Any]:
    jobs: int = options.jobs
    async with race(options, jobs=jobs, schedule={"every": "1h"}, overlap=options.overlap) as held:
        rounds = await held.run(storm, twin_storm)
        figures = await common(held, rounds, jobs)
        bar = BARS[held.ours.name]
    return {
        "jobs": jobs,
        "overlap": options.overlap,
        "verified": f"{jobs:,} runs of {jobs:,} jobs, each SUCCEEDED at its first attempt, {len(rounds)} times",
        **figures,
        "fired_after_s": [round(one["fired_s"], 3) for one in rounds],
        "leased_between_s": [[round(at, 3) for at in one["leased_s"]] for one in rounds],
        "over_after_s": [round(one["foliot_s"], 3) for one in rounds],
        "bar": {"ratio": bar, "reached": figures["ratio"] >= bar},
    }


async def storm(held: Race, cost: Cost, what: str) -> Round:
    """One storm through Foliot: seconds, and what they went to."""
    ours, jobs = held.ours, held.options.jobs
    at = next_second(ahead_s=1.5)
    await ours.clear_runs()
    await ours.make_due(at)
    await ours.tidy()
    await until(at - SECOND // 20)
    cost.spent()
    await until(at)
    ended_at = await held.over(at, runs=jobs, within_s=WITHIN_S, what=f"storm, {what}")
    spent = cost.spent()
    counts = await ours.verify(runs=jobs, jobs=jobs)
    assert counts.last_created_at and counts.first_leased_at and counts.last_leased_at
    return {
        "foliot_s": ended_at - at / SECOND,
        "fired_s": (counts.last_created_at - at) / SECOND,
        "leased_s": ((counts.first_leased_at - at) / SECOND, (counts.last_leased_at - at) / SECOND),
        "cpu_s": spent,
    }


async def twin_storm(held: Race, cost: Cost) -> float:
    """The same storm through the twin."""
    theirs, jobs = held.theirs, held.options.jobs
    at = int(time.time()) * SECOND
    await theirs.clear_runs()
    await theirs.make_due(at)
    await theirs.tidy()
    cost.spent()
    took = await held.twin.fire(at) + await held.twin.lease_and_end()
    await theirs.verify(runs=jobs, jobs=jobs)
    return took


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--slots", type=int, default=100)
    parser.add_argument("--overlap", default="skip")
    parser.add_argument("--pairs", type=int, default=PAIRS)
    run(measured, parser)
