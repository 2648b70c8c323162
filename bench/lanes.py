"""Leases among many lanes: one run waits in each of 10 000, beside as many runs in a single lane.

    python -m bench lanes [--on postgresql|mariadb|sqlite] [--lanes 10000] [--leases 100] [--json]

Each lease goes through the port, for a worker with 50 free slots that serves every lane.
"""

import argparse
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from bench.firing import made_due
from bench.harness import opened, parser_of, run
from foliot.domain.instants import HOUR
from foliot.ports.store.runs import Poll
from foliot.store.sql.kernel.statement import Statement
from foliot_bench.benchmark import bar
from foliot_bench.bigdata import a_worker
from foliot_bench.cost import median
from foliot_bench.ground import Ground
from foliot_bench.troubles import BenchFailed
from foliot_bench.twins.raw import SESSION

FREE: Final = 50
LEASE_MAX_MS: Final = 20.0

COPY_LANES: Final = Statement(
    """
    INSERT INTO lanes (id, hash, document)
    SELECT l.id + r.job_id, concat('bench-', r.job_id), l.document FROM runs r CROSS JOIN lanes l WHERE l.id = :lane
    """,
    sqlite="""
    INSERT INTO lanes (id, hash, document)
    SELECT l.id + r.job_id, 'bench-' || r.job_id, l.document FROM runs r CROSS JOIN lanes l WHERE l.id = :lane
    """,
)
SPREAD: Final = Statement("UPDATE runs SET lane = lane + job_id")
"""Each job has one run, so each run has a lane of its own."""


async def measured(options: argparse.Namespace) -> Mapping[str, Any]:
    async with opened(options.on) as (_, place, twin_of_it):
        await place.load_jobs(options.lanes, {"every": "1h"}, overlap="allow")
        await place.store.nodes.register(a_worker(), kind="worker", ttl_us=HOUR)
        async with twin_of_it() as twin:
            await twin.fire(await made_due(place))
        await place.tidy()
        together = await leases(place, [place.lane], options.leases, number=1)
        await place.clear_runs()
        async with twin_of_it() as twin:
            await twin.fire(await made_due(place))
        await spread(place)
        lanes = [at for at in await place.store.jobs.lanes() if at != place.lane]
        apart = await leases(place, lanes, options.leases, number=2)
        settings = await place.settings()
    typical = median(apart)
    return {
        "lanes": len(lanes),
        "leases": len(apart),
        "settings": settings,
        "one_lane_ms": told(together),
        "many_lanes_ms": told(apart),
        "bars": [bar("lease_ms", typical, at_most=LEASE_MAX_MS)],
    }


async def spread(place: Ground) -> None:
    """Each run into a lane of its own."""

    async def change(statement: Statement, values: Mapping[str, int]) -> None:
        await place.store.database.transact(lambda tx: tx.change(statement, values))

    await change(COPY_LANES, {"lane": place.lane})
    await change(SPREAD, {})
    await place.tidy()


async def leases(place: Ground, lanes: Sequence[int], count: int, *, number: int) -> list[float]:
    """How many milliseconds each lease took; each gets as many runs as it has slots."""
    took_ms: list[float] = []
    for request_no in range(number * 1_000_000, number * 1_000_000 + count):
        poll = Poll(session=SESSION, request_no=request_no, free=FREE, lanes=lanes)
        began_at = time.perf_counter()
        granted = await place.store.runs.lease([poll], limit=FREE)
        took_ms.append((time.perf_counter() - began_at) * 1000)
        if len(granted.grants[0].runs) != FREE:
            raise BenchFailed(f"A lease got {len(granted.grants[0].runs)} runs, not {FREE}.")
    return took_ms


def told(took_ms: Sequence[float]) -> dict[str, float]:
    in_order = sorted(took_ms)
    return {
        "p50": round(median(in_order), 2),
        "p99": round(in_order[int(len(in_order) * 0.99)], 2),
        "first": round(took_ms[0], 2),
    }


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("--lanes", type=int, default=10_000)
    parser.add_argument("--leases", type=int, default=100)
    run(measured, parser)
