"""Leasing and ending through the port: 10 000 ready runs, batches of 500, beside the raw twin.

    python -m bench.leasing [--db postgresql://…] [--runs 10000] [--overlap skip|allow] [--json]

Without --db a private, durable PostgreSQL is started and removed. With --db the database must be empty or a
benchmark's.
Every run is leased in a worker's name and reported SUCCEEDED; row counts are verified after each round.
"""

import argparse
import asyncio
import json
import statistics
import time
from typing import Any

import asyncpg

from bench.firing import CHANCE, CLOCK, PAIRS, load_jobs, migrate, server, told
from foliot.bench.twins.postgresql import LeasingTwin
from foliot.bench.twins.raw import BATCH, SESSION
from foliot.domain.job import LoadedJob
from foliot.domain.run import Landing
from foliot.domain.verdict import Cause, judge
from foliot.ports.store import Poll
from foliot.ports.worker_link import HandlerOffer, Hello, Report
from foliot.store.sql.follow import follow_of, serial_of
from foliot.store.sql.store import SqlStore

HOUR_US = 3_600_000_000


async def main(options: argparse.Namespace) -> None:
    async with server(options.db) as url:
        figures = await measured(url, options.runs, options.overlap, pairs=options.pairs)
    print(json.dumps(figures) if options.json else told(figures))


async def measured(url: str, runs: int, overlap: str, *, pairs: int = PAIRS) -> dict[str, Any]:
    await migrate(url)
    connection = await asyncpg.connect(url)
    store = await SqlStore.open(url, clock=CLOCK, chance=CHANCE)
    try:
        job = await load_jobs(connection, store, runs, overlap)
        await store.nodes.register(_hello(), kind="worker", ttl_us=HOUR_US)
        twin = LeasingTwin(connection, lane=job.lane_id, session=SESSION)
        ours: list[tuple[float, float]] = []
        raw: list[tuple[float, float]] = []
        for round_ in range(-1, pairs):
            await make_ready(connection, job, runs)
            took = await lease_and_end(store, job.lane_id)
            await verify(connection, runs)
            await make_ready(connection, job, runs)
            raw_took = await twin.lease_and_end()
            await verify(connection, runs)
            if round_ >= 0:  # the first pair warms caches on both sides
                ours.append(took)
                raw.append(raw_took)
        settings = await connection.fetchrow(
            "SELECT current_setting('fsync'), current_setting('synchronous_commit'), version()"
        )
    finally:
        await connection.close()
        await store.close()
    ratios = [sum(b) / sum(a) for a, b in zip(ours, raw, strict=True)]
    return {
        "runs": runs,
        "overlap": overlap,
        "batch": BATCH,
        "fsync": settings[0],
        "synchronous_commit": settings[1],
        "server": settings[2].split(" on ")[0],
        "foliot_per_s": [round(runs / sum(took)) for took in ours],
        "twin_per_s": [round(runs / sum(took)) for took in raw],
        "foliot_lease_end_ms": _per_batch(ours, runs),
        "twin_lease_end_ms": _per_batch(raw, runs),
        "ratio": round(statistics.median(ratios), 3),
    }


def _per_batch(rounds: list[tuple[float, float]], runs: int) -> list[float]:
    """Milliseconds for a batch: leasing, ending."""
    return [round(statistics.median(took[n] for took in rounds) * 1000 * BATCH / runs, 1) for n in (0, 1)]


async def lease_and_end(store: SqlStore, lane: int) -> tuple[float, float]:
    """As the leasing and reporting of one server would go on under load: seconds spent leasing, and ending."""
    leasing = ending = 0.0
    request_no = 0
    while True:
        request_no += 1
        poll = Poll(session=SESSION, request_no=request_no, free=BATCH, lanes=[lane])
        began_at = time.perf_counter()
        granted = await store.runs.lease([poll], limit=BATCH)
        leased_at = time.perf_counter()
        leasing += leased_at - began_at
        runs = granted.grants[0].runs
        if not runs:
            return leasing, ending
        reports = [
            Report(run_id=run.run_id, lease_id=run.lease_id, cause=Cause.SUCCEEDED, result="null", started_us_ago=1000)
            for run in runs
        ]
        began_at = time.perf_counter()
        landings = await store.runs.complete(SESSION, reports, judge)
        ending += time.perf_counter() - began_at
        assert all(landing is Landing.RECORDED for landing in landings), landings


async def make_ready(connection: Any, job: LoadedJob, runs: int) -> None:
    """One due run of each job, nothing else."""
    await connection.execute("TRUNCATE runs")
    await connection.execute(
        """
        INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                          parked, follow, state, ver, created_at)
        SELECT job_id, 1, 's:1', -1, $1, $1, $2, 0, 5, $3, 2, 0, $4, 'PENDING', 1, $1
        FROM cursors ORDER BY job_id LIMIT $5
        """,
        int(time.time()) * 1_000_000,
        job.lane_id,
        serial_of(job),
        follow_of(job, scheduled=True),
        runs,
    )
    await connection.execute("VACUUM ANALYZE runs")


async def verify(connection: Any, runs: int) -> None:
    """Every run was leased once and succeeded, and no attempt is told of."""
    row = await connection.fetchrow(
        "SELECT count(*), count(*) FILTER (WHERE state = 'SUCCEEDED' AND attempt = 1 AND ver = 3 AND lease_id IS NULL "
        "AND last_lease_id IS NOT NULL AND fence > 0 AND ended_at > 0 AND result = 'null') FROM runs"
    )
    assert tuple(row) == (runs, runs), row
    assert await connection.fetchval("SELECT count(*) FROM attempts") == 0


def _hello() -> Hello:
    return Hello(
        session=SESSION, name="bench", group="default", slots=BATCH, handlers=(HandlerOffer(name="python:jobs:tick"),)
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--db")
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--overlap", default="skip")
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--json", action="store_true")
    asyncio.run(main(parser.parse_args()))
