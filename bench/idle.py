"""Idle: 100 000 jobs of which none is due. What a leader and a follower cost then.

    python -m bench.idle [--db URL|sqlite] [--jobs 100000] [--few 1000] [--seconds 30] [--json]

Two server processes on PostgreSQL, each with a database user of its own, so that pg_stat_statements tells them apart;
one on SQLite, whose statements are not counted. Memory is looked at with `--few` jobs first, then with all.
"""

import argparse
import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

import asyncpg
import psutil

from bench.ground import Ground, ground, next_second
from bench.harness import Cluster, Cost, Database, Progress, cluster, database, parser_of, run, statements
from foliot.store.sql.statement import Statement

USERS: Final = ("leader", "follower")
BARS: Final = {"leader": 7.0, "follower": 2.0}
CPU_PERCENT: Final = 1.0
GROWTH_MB: Final = 10.0

LEADS: Final = Statement("SELECT n.name FROM leases l JOIN nodes n ON n.id = l.holder_session WHERE l.name = 'leader'")
CALLS: Final = """
    SELECT r.rolname, s.query ~* '^(begin|commit|rollback|set|show|listen|discard)', sum(s.calls)
    FROM pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid WHERE r.rolname = ANY($1) GROUP BY 1, 2
"""


async def measured(options: argparse.Namespace) -> Mapping[str, Any]:
    progress = Progress()
    async with database(options.db) as place, ground(place.foliot) as ours:
        progress.tell(f"loading {options.few:,} jobs")
        await ours.load_jobs(options.few, {"every": "1d"})
        await ours.make_due(next_second(ahead_s=36_000))
        async with users(place) as urls:
            with cluster(place.foliot) as processes:
                await processes.start_server("leader", url=urls["leader"])
                await leads(ours, "leader")
                if "follower" in urls:
                    await processes.start_server("follower", url=urls["follower"])
                await asyncio.sleep(options.settle)
                few = memory_mb(processes)
                progress.tell(f"loading {options.jobs:,} jobs")
                await ours.load_jobs(options.jobs, {"every": "1d"}, known=options.few)
                await ours.make_due(next_second(ahead_s=36_000))
                await ours.tidy()
                await asyncio.sleep(options.settle)
                figures = await idle(options, place, processes, progress)
                many = memory_mb(processes)
                pids = processes.pids()
        settings = await ours.settings()
    progress.end()
    growth = {name: round(many[name] - few[name], 1) for name in many}
    reached = (
        all(figures["statements_per_s"].get(name, 0) < bar for name, bar in BARS.items())
        and all(percent < CPU_PERCENT for percent in figures["cpu_percent"].values())
        and all(grown < GROWTH_MB for grown in growth.values())
    )
    return {
        "jobs": options.jobs,
        "seconds": options.seconds,
        "pids": pids,
        "settings": settings,
        **figures,
        f"memory_mb with {options.few:,} jobs": few,
        f"memory_mb with {options.jobs:,} jobs": many,
        "memory_growth_mb": growth,
        "bar": {**{f"{name} per s": bar for name, bar in BARS.items()}, "cpu_percent": CPU_PERCENT, "reached": reached},
    }


async def idle(options: argparse.Namespace, place: Database, processes: Cluster, progress: Progress) -> dict[str, Any]:
    """Watch for so many seconds."""
    async with counted(place) as calls, statements(place, options.statements):
        cost = Cost(processes.pids())
        for second in range(options.seconds):
            progress.tell("idle", done=second, of=options.seconds)
            processes.check()
            await asyncio.sleep(1)
        spent = cost.spent()
    return {
        "statements_per_s": {name: round(told[0] / options.seconds, 2) for name, told in calls.items()},
        "of_them_transaction_control": {name: round(told[1] / options.seconds, 2) for name, told in calls.items()},
        "cpu_percent": {name: round(100 * cpu / options.seconds, 2) for name, cpu in spent.items()},
    }


@asynccontextmanager
async def users(place: Database) -> AsyncIterator[Mapping[str, str]]:
    """A database user per server, each with the rights of Foliot's own; elsewhere one server will do."""
    if place.admin is None:
        yield {"leader": place.foliot}
        return
    connection = await asyncpg.connect(place.admin)
    try:
        await connection.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
        for user in USERS:
            await connection.execute(f"CREATE ROLE {user} LOGIN IN ROLE foliot")
    finally:
        await connection.close()
    yield {user: place.foliot.replace("://foliot@", f"://{user}@") for user in USERS}


@asynccontextmanager
async def counted(place: Database) -> AsyncIterator[dict[str, tuple[int, int]]]:
    """Statements of each user while this block runs, filled in at its end: all, and those that only begin or end."""
    calls: dict[str, tuple[int, int]] = {}
    if place.admin is None:
        yield calls
        return
    connection = await asyncpg.connect(place.admin)
    try:
        await connection.execute("SELECT pg_stat_statements_reset()")
        yield calls
        for user, is_control, count in await connection.fetch(CALLS, list(USERS)):
            every, control = calls.get(user, (0, 0))
            calls[user] = (every + int(count), control + (int(count) if is_control else 0))
    finally:
        await connection.close()


async def leads(ours: Ground, name: str) -> None:
    """Until this server is the leader."""
    for _ in range(600):
        rows = await ours.rows(LEADS)
        if rows and rows[0][0] == name:
            return
        await asyncio.sleep(0.1)
    raise TimeoutError(f"{name} did not become leader")


def memory_mb(processes: Cluster) -> dict[str, float]:
    return {name: round(psutil.Process(pid).memory_info().rss / 2**20, 1) for name, pid in processes.pids().items()}


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--few", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--settle", type=int, default=10, help="seconds after each start and load that do not count")
    run(measured, parser)
