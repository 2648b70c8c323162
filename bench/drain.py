"""Drain: 50 000 triggered runs are leased over HTTP, executed and recorded, beside the raw twin.

    python -m bench.drain [--db URL|sqlite|mariadb] [--runs 50000] [--slots 100] [--pairs 3] [--json]

One server process and one worker process; the handler is an `async def` that does nothing. All runs are there, ready at
one instant; time runs from the first lease until the last run is recorded, as another connection sees it.
"""

import argparse
import time
from collections.abc import Mapping
from typing import Any

from bench.ground import next_second, until
from bench.harness import Cost, parser_of, run
from bench.race import Race, Round, common, race
from foliot.domain.instants import SECOND

WITHIN_S = 120.0
PER_S = 10_000


async def measured(options: argparse.Namespace) -> Mapping[str, Any]:
    runs: int = options.runs
    async with race(options, jobs=1, schedule=None, overlap="allow") as held:
        rounds = await held.run(drain, twin_drain)
        figures = await common(held, rounds, runs)
    return {
        "runs": runs,
        "verified": f"{runs:,} runs, each SUCCEEDED at its first attempt, {len(rounds)} times",
        **figures,
        "bar": {"per_s": PER_S, "reached": figures["per_s"] >= PER_S},
    }


async def drain(held: Race, cost: Cost, what: str) -> Round:
    """One drain through Foliot."""
    ours, runs = held.ours, held.options.runs
    await ours.clear_runs()
    at = next_second(ahead_s=1.0 + runs / 5_000)
    await ours.load_triggered(runs, at)
    await ours.tidy()
    assert time.time() < at / SECOND, "loading took too long: the first runs are being leased already"
    await until(at - SECOND // 20)
    cost.spent()
    await until(at)
    ended_at = await held.over(at, runs=runs, within_s=WITHIN_S, what=f"drain, {what}")
    spent = cost.spent()
    counts = await ours.verify(runs=runs, jobs=1)
    assert counts.first_leased_at
    return {"foliot_s": ended_at - counts.first_leased_at / SECOND, "cpu_s": spent}


async def twin_drain(held: Race, cost: Cost) -> float:
    """The same through the twin."""
    theirs, runs = held.theirs, held.options.runs
    await theirs.clear_runs()
    await theirs.load_triggered(runs, int(time.time()) * SECOND)
    await theirs.tidy()
    cost.spent()
    took = await held.twin.lease_and_end()
    await theirs.verify(runs=runs, jobs=1)
    return took


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=50_000)
    parser.add_argument("--slots", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=3)
    run(measured, parser)
