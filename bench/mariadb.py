"""Firing, and leasing with ending, on MariaDB beside the raw twin there.

    python -m bench.mariadb [--db mariadb://…] [--jobs 10000] [--overlap skip|allow] [--pairs 5] [--json]

Without --db a private, durable MariaDB is started and removed. The twin is bare set-based SQL on one connection:
same tables, same indexes, same columns filled, batches of 500, the same durability; it decides and checks nothing.
"""

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from foliot.app.system import SystemChance, SystemClock
from foliot.bench.twins.mariadb import MariaDbTwin
from foliot.bench.twins.raw import BATCH, SESSION
from foliot.domain.definition import from_document
from foliot.domain.fire import Decide
from foliot.domain.instants import HOUR, SECOND
from foliot.domain.job import LoadedJob
from foliot.domain.planning import CatchUpPacer, decide_batch
from foliot.domain.run import Landing
from foliot.domain.verdict import Cause, judge
from foliot.ports.store import Actor, Poll
from foliot.ports.worker_link import HandlerOffer, Hello, Report
from foliot.store.sql import schema
from foliot.store.sql.connect import PATIENT, mariadb_target, open_database
from foliot.store.sql.dialects.mariadb_connect import SessionLimits, connect
from foliot.store.sql.follow import follow_of, serial_of
from foliot.store.sql.store import SqlStore
from tests.servers.mariadb import MariaDB

CLOCK, CHANCE = SystemClock(), SystemChance()
PAIRS = 5


async def fire_all(store: SqlStore, decide: Decide) -> float:
    """The firing duty's own loop: full batches follow each other at once."""
    began_at = time.perf_counter()
    while (await store.firing.decide_due(decide, limit=BATCH)).taken:
        pass
    return time.perf_counter() - began_at


async def lease_and_end(store: SqlStore, lane: int) -> float:
    """As the leasing and reporting of one server would go on under load."""
    began_at = time.perf_counter()
    request_no = 0
    while True:
        request_no += 1
        poll = Poll(session=SESSION, request_no=request_no, free=BATCH, lanes=[lane])
        runs = (await store.runs.lease([poll], limit=BATCH)).grants[0].runs
        if not runs:
            return time.perf_counter() - began_at
        reports = [
            Report(run_id=run.run_id, lease_id=run.lease_id, cause=Cause.SUCCEEDED, result="null", started_us_ago=1000)
            for run in runs
        ]
        landings = await store.runs.complete(SESSION, reports, judge)
        assert all(landing is Landing.RECORDED for landing in landings), landings


async def measured(url: str, jobs: int, overlap: str, pairs: int) -> dict[str, Any]:
    await migrate(url)
    store = await SqlStore.open(url, clock=CLOCK, chance=CHANCE)
    connection = await connect(mariadb_target(url, connect_s=3), SessionLimits(statement_s=0, lock_s=60, idle_s=0))
    decide: Decide = partial(decide_batch, pacer=CatchUpPacer())
    firing: list[tuple[float, float]] = []
    leasing: list[tuple[float, float]] = []
    try:
        job = await load_jobs(connection, store, jobs, overlap)
        await store.nodes.register(hello(), kind="worker", ttl_us=HOUR)
        twin = MariaDbTwin(connection, lane=job.lane_id, serial=serial_of(job), follow=follow_of(job, scheduled=True))
        for round_ in range(-1, pairs):
            await make_due(connection)
            ours = await fire_all(store, decide)
            await verify_fired(connection, jobs)
            our_leases = await lease_and_end(store, job.lane_id)
            await verify_ended(connection, jobs)
            now = await make_due(connection)
            raw = await twin.fire(now)
            await verify_fired(connection, jobs)
            raw_leases = await twin.lease_and_end()
            await verify_ended(connection, jobs)
            if round_ >= 0:  # the first pair warms caches on both sides
                firing.append((ours, raw))
                leasing.append((our_leases, raw_leases))
        durable = (await ask(connection, "SELECT @@innodb_flush_log_at_trx_commit, @@version"))[0]
    finally:
        connection.close()
        await store.close()
    return {
        "jobs": jobs,
        "overlap": overlap,
        "batch": BATCH,
        "flush_log_at_trx_commit": durable[0],
        "server": durable[1],
        **_figures("firing", firing, jobs),
        **_figures("leasing", leasing, jobs),
    }


def _figures(what: str, rounds: list[tuple[float, float]], jobs: int) -> dict[str, Any]:
    return {
        f"{what}_foliot_per_s": [round(jobs / ours) for ours, _ in rounds],
        f"{what}_twin_per_s": [round(jobs / raw) for _, raw in rounds],
        f"{what}_ratio": round(statistics.median(raw / ours for ours, raw in rounds), 3),
    }


def hello() -> Hello:
    offers = (HandlerOffer(name="python:jobs:tick"),)
    return Hello(session=SESSION, name="bench", group="default", slots=BATCH, handlers=offers)


async def migrate(url: str) -> None:
    database = open_database(url, clock=CLOCK, chance=CHANCE, limits=PATIENT)
    try:
        await schema.upgrade(database)
    finally:
        await database.close()


async def ask(connection: Any, sql: str, *values: Any) -> Any:
    async with connection.cursor() as cursor:
        await cursor.execute(sql, values or None)
        rows = await cursor.fetchall()
    await connection.commit()
    return rows


async def load_jobs(connection: Any, store: SqlStore, jobs: int, overlap: str) -> LoadedJob:
    """So many jobs of one definition, written set-based; the first is saved through the store."""
    definition = from_document({"run": {"python": "jobs:tick"}, "schedule": {"every": "1h"}, "overlap": overlap})
    saved = await store.jobs.save("bench", "job-1", definition, by=Actor(name="bench"), decide=lambda _now, _due: [])
    first = saved.job.job_id
    numbers = f"seq_1_to_{jobs - 1} n"
    for sql in (
        (
            "INSERT INTO jobs (id, namespace, name, version, source, created_at, updated_at) "
            "SELECT id + n.seq, namespace, CONCAT('job-', n.seq + 1), version, source, created_at, updated_at "
            f"FROM jobs, {numbers} WHERE id = %s"
        ),
        (
            "INSERT INTO job_versions SELECT job_id + n.seq, version, hash, definition, lane_id, merge_lane_id, "
            f"created_at, created_by, reason FROM job_versions, {numbers} WHERE job_id = %s"
        ),
        (
            "INSERT INTO cursors (job_id, version, state, next_at, next_due_at, cursor_ver) "
            f"SELECT job_id + n.seq, version, state, next_at, next_due_at, 1 FROM cursors, {numbers} WHERE job_id = %s"
        ),
    ):
        await ask(connection, sql, first)
    return (await store.jobs.load([(first, 1)]))[0]


async def make_due(connection: Any) -> int:
    """Nothing open, everything due this very second."""
    await ask(connection, "TRUNCATE runs")
    due = int(time.time()) * SECOND
    await ask(connection, "UPDATE cursors SET next_at = %s, next_due_at = %s, skip_from = NULL", due, due)
    await ask(connection, "ANALYZE TABLE cursors, runs")
    return due


async def verify_fired(connection: Any, jobs: int) -> None:
    """As many runs as jobs, each of another job, and every cursor moved on."""
    counts = (await ask(connection, "SELECT count(*), count(DISTINCT job_id), count(ready_lane) FROM runs"))[0]
    now = int(time.time() * 1_000_000)
    behind = (await ask(connection, "SELECT count(*) FROM cursors WHERE next_at <= %s", now))[0][0]
    assert (*counts, behind) == (jobs, jobs, jobs, 0), (counts, behind)


async def verify_ended(connection: Any, jobs: int) -> None:
    """Every run was leased once and succeeded."""
    rows = await ask(
        connection,
        "SELECT count(*) FROM runs WHERE state = 'SUCCEEDED' AND attempt = 1 AND ver = 3 AND lease_id IS NULL "
        "AND last_lease_id IS NOT NULL AND fence > 0 AND ended_at > 0 AND result = 'null'",
    )
    assert rows[0][0] == jobs, rows


@asynccontextmanager
async def server(url: str | None) -> AsyncIterator[str]:
    if url:
        yield url
        return
    with MariaDB() as private:
        yield private.database()


async def main(options: argparse.Namespace) -> None:
    async with server(options.db) as url:
        figures = await measured(url, options.jobs, options.overlap, options.pairs)
    print(json.dumps(figures) if options.json else "\n".join(f"{name:>24}: {value}" for name, value in figures.items()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--db")
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--overlap", default="skip")
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--json", action="store_true")
    asyncio.run(main(parser.parse_args()))
