"""Leasing and ending through the port: 10 000 ready runs, batches of 500, beside the raw twin.

    python -m bench leasing [--on postgresql|mariadb|sqlite] [--runs 10000] [--overlap skip|allow] [--pairs 5] [--json]

Every run is leased in a worker's name and reported SUCCEEDED; row counts are verified after each round.
"""

import argparse
import time
from collections.abc import Mapping
from typing import Any

from bench.firing import BARS, made_due
from bench.harness import opened, parser_of, run
from foliot.domain.instants import HOUR
from foliot_bench.benchmark import bar
from foliot_bench.bigdata import a_worker, lease_and_end
from foliot_bench.cost import median
from foliot_bench.ground import Ground
from foliot_bench.race import PAIRS
from foliot_bench.twins.raw import BATCH, RawTwin


async def measured(options: argparse.Namespace) -> Mapping[str, Any]:
    runs: int = options.runs
    async with opened(options.on) as (_, place, twin_of_it):
        await place.load_jobs(runs, {"every": "1h"}, overlap=options.overlap)
        await place.store.nodes.register(a_worker(), kind="worker", ttl_us=HOUR)
        ours, raw = [], []
        async with twin_of_it() as twin:
            for number in range(options.pairs + 1):
                await made_ready(place, twin)
                began_at = time.perf_counter()
                await lease_and_end(place, number)
                took_s = time.perf_counter() - began_at
                await place.verify(runs=runs, jobs=runs)
                await made_ready(place, twin)
                raw_s = await twin.lease_and_end()
                await place.verify(runs=runs, jobs=runs)
                if number:  # the first pair warms caches on both sides
                    ours.append(runs / took_s)
                    raw.append(runs / raw_s)
        settings = await place.settings()
    ratio = median([a / b for a, b in zip(ours, raw, strict=True)])
    return {
        "runs": runs,
        "overlap": options.overlap,
        "batch": BATCH,
        "settings": settings,
        "verified": f"{runs:,} runs, each SUCCEEDED at its first attempt, each round",
        "foliot_per_s": [round(rate) for rate in ours],
        "twin_per_s": [round(rate) for rate in raw],
        "ratio": ratio,
        "bars": [bar("ratio", ratio, at_least=BARS[options.on])] if options.on in BARS else [],
    }


async def made_ready(place: Ground, twin: RawTwin) -> None:
    """One due run of each job, nothing else."""
    await twin.fire(await made_due(place))
    await place.tidy()


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--overlap", default="skip", choices=["skip", "allow"])
    parser.add_argument("--pairs", type=int, default=PAIRS)
    run(measured, parser)
