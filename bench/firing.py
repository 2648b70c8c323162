"""Firing alone: 10 000 jobs due at one instant become runs, beside the raw twin; then two server processes beside one.

    python -m bench.firing [--db postgresql://…] [--jobs 10000] [--overlap skip|allow] [--json]

Without --db a private, durable PostgreSQL is started and removed; a database given must be empty or a benchmark's.
The duty is the engine's own, with its adaptive batches and the real planner; row counts are verified after each round.
"""

import argparse
import asyncio
import gc
import json
import statistics
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import asyncpg

from foliot.app.run_loop import run
from foliot.app.system import SystemChance, SystemClock
from foliot.bench.benchmark import bar
from foliot.bench.twins.postgresql import FiringTwin
from foliot.bench.twins.raw import BATCH
from foliot.domain.definition import from_document
from foliot.domain.instants import HOUR, SECOND
from foliot.domain.job import LoadedJob
from foliot.domain.planning import CatchUpPacer, decide_batch
from foliot.engine.firing import Firing
from foliot.engine.pulse import Tide
from foliot.ports.store import Actor, Decided
from foliot.store.sql import schema
from foliot.store.sql.connect import PATIENT, open_database
from foliot.store.sql.follow import follow_of, serial_of
from foliot.store.sql.store import SqlStore
from tests.servers.postgres import Postgres

PAIRS = 5
CLOCK, CHANCE = SystemClock(), SystemChance()
BAR = 0.6
SETTINGS = "SELECT current_setting('fsync'), current_setting('synchronous_commit'), version()"


async def main(options: argparse.Namespace) -> None:
    async with server(options.db) as url:
        await migrate(url)
        figures = await beside_the_twin(url, options.jobs, options.overlap)
        figures |= await two_beside_one(url, options.jobs)
    print(json.dumps(figures) if options.json else told(figures))


# ------------------------------------------------------------------------------------------------------ beside the twin


async def beside_the_twin(url: str, jobs: int, overlap: str) -> dict[str, Any]:
    """The duty and the twin in turns, the first pair to warm up both."""
    connection = await asyncpg.connect(url)
    store = await SqlStore.open(url, clock=CLOCK, chance=CHANCE)
    try:
        job = await load_jobs(connection, store, jobs, overlap)
        twin = FiringTwin(connection, lane=job.lane_id, serial=serial_of(job), follow=follow_of(job, scheduled=True))
        ours, raw, batches = [], [], []
        for round_ in range(-1, PAIRS):
            await make_due(connection)
            took_s, batch = await fire_all(store)
            await verify(connection, jobs)
            now = await make_due(connection)
            raw_s = await twin.fire_all(now, HOUR)
            await verify(connection, jobs)
            if round_ >= 0:
                ours.append(jobs / took_s)
                raw.append(jobs / raw_s)
                batches.append(batch)
            else:
                gc.freeze()  # as a server does once it has started: what is loaded stays
        fsync, synchronous_commit, version = await connection.fetchrow(SETTINGS)
    finally:
        await connection.close()
        await store.close()
    ratio = statistics.median(a / b for a, b in zip(ours, raw, strict=True))
    return {
        "jobs": jobs,
        "overlap": overlap,
        "verified_rows": f"{jobs} runs of {jobs} jobs, {jobs} cursors moved, each round",
        "fsync": fsync,
        "synchronous_commit": synchronous_commit,
        "server": version.split(" on ")[0],
        "batch": f"foliot {min(batches)}-{max(batches)} (adaptive), twin {BATCH}",
        "foliot_per_s": [round(rate) for rate in ours],
        "twin_per_s": [round(rate) for rate in raw],
        "ratio": round(ratio, 3),
        "bars": [bar("ratio", round(ratio, 3), at_least=BAR)],
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
    while not last or last[-1].taken:
        await duty.step()
    return time.perf_counter() - began_at, duty.batch


# ------------------------------------------------------------------------------------------------------- two beside one


async def two_beside_one(url: str, jobs: int) -> dict[str, Any]:
    """The same storm fired by one server process and by two, in turns."""
    connection = await asyncpg.connect(url)
    servers = [await Child.start(url) for _ in range(2)]
    try:
        alone: list[float] = []
        together: list[float] = []
        for round_ in range(-1, PAIRS):
            for crew, rates in ((servers[:1], alone), (servers, together)):
                await make_due(connection)
                began_at = time.perf_counter()
                created = await asyncio.gather(*(child.fire() for child in crew))
                took_s = time.perf_counter() - began_at
                assert sum(created) == jobs, created
                await verify(connection, jobs)
                if round_ >= 0:
                    rates.append(jobs / took_s)
            if round_ < 0:
                await make_due(connection)
                await servers[1].fire()  # it too has seen every job
    finally:
        for child in servers:
            await child.stop()
        await connection.close()
    ratio = statistics.median(b / a for a, b in zip(alone, together, strict=True))
    return {
        "one_process_per_s": [round(rate) for rate in alone],
        "two_processes_per_s": [round(rate) for rate in together],
        "two_over_one": round(ratio, 3),
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
            created, batch = 0, BATCH
            while True:
                decided = await store.firing.decide_due(decide, limit=batch)
                created += decided.created
                if not decided.taken:
                    break
            print(created, flush=True)
            gc.freeze()
    finally:
        await store.close()


# ------------------------------------------------------------------------------------------------------------ the store


async def load_jobs(connection: Any, store: SqlStore, jobs: int, overlap: str) -> LoadedJob:
    """So many jobs of one definition: the first is saved through the store, the others are copied from it."""
    definition = from_document({"run": {"python": "jobs:tick"}, "schedule": {"every": "1h"}, "overlap": overlap})
    saved = await store.jobs.save("bench", "job-1", definition, by=Actor(name="bench"), decide=lambda _now, _due: [])
    first = saved.job.job_id
    columns = "version, hash, definition, lane_id, merge_lane_id, created_at, created_by, reason"
    for statement in (
        """
        INSERT INTO jobs (id, namespace, name, version, source, created_at, updated_at)
        SELECT id + n, namespace, 'job-' || n + 1, version, source, created_at, updated_at
        FROM jobs, generate_series(1, $2::int - 1) n WHERE id = $1
        """,
        f"""
        INSERT INTO job_versions (job_id, {columns}) SELECT job_id + n, {columns}
        FROM job_versions, generate_series(1, $2::int - 1) n WHERE job_id = $1
        """,
        """
        INSERT INTO cursors (job_id, version, state, next_at, next_due_at, cursor_ver)
        SELECT job_id + n, version, state, next_at, next_due_at, 1
        FROM cursors, generate_series(1, $2::int - 1) n WHERE job_id = $1
        """,
    ):
        await connection.execute(statement, first, jobs)
    return (await store.jobs.load([(first, 1)]))[0]


async def make_due(connection: Any) -> int:
    """Nothing open, everything due this very second; the tables as tidy as they were."""
    await connection.execute("TRUNCATE runs")
    due = int(time.time()) * SECOND
    await connection.execute("UPDATE cursors SET next_at = $1, next_due_at = $1, skip_from = NULL", due)
    for table in ("cursors", "runs"):
        await connection.execute(f"VACUUM ANALYZE {table}")
    return due


async def verify(connection: Any, jobs: int) -> None:
    """As many runs as jobs, each of another job, and every cursor moved on."""
    runs, of_jobs = await connection.fetchrow("SELECT count(*), count(DISTINCT job_id) FROM runs")
    behind = await connection.fetchval("SELECT count(*) FROM cursors WHERE next_at <= extract(epoch FROM now()) * 1e6")
    assert (runs, of_jobs, behind) == (jobs, jobs, 0), (runs, of_jobs, behind)


async def migrate(url: str) -> None:
    database = open_database(url, clock=CLOCK, chance=CHANCE, limits=PATIENT)
    try:
        await schema.upgrade(database)
    finally:
        await database.close()


@asynccontextmanager
async def server(url: str | None) -> AsyncIterator[str]:
    """The URL given, or that of a private server."""
    if url:
        yield url
        return
    with Postgres() as private:
        yield private.database()


def told(figures: dict[str, Any]) -> str:
    return "\n".join(f"{name:>20}: {value}" for name, value in figures.items())


def options_of(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--db")
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--overlap", default="skip", choices=["skip", "allow"])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", metavar="URL", help=argparse.SUPPRESS)
    return parser.parse_args(words)


if __name__ == "__main__":
    given = options_of()
    run(child(given.child) if given.child else main(given))
