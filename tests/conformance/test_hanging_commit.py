"""A commit that waits for its standby is given up, never cancelled: cancelled it would count here and nowhere else."""

import asyncio
from collections.abc import Iterator

import asyncpg
import pytest

from foliot.ports.store import OutcomeUnknown
from foliot.store.sql.connect import TimeLimits, open_database
from foliot.store.sql.statement import Statement
from tests.conformance.world import CHANCE, CLOCK, migrate
from tests.eventually import soon
from tests.servers.postgres import Postgres

pytestmark = pytest.mark.services

INSERT = Statement("INSERT INTO limits (name, max, used, ver) VALUES ('a', 1, 0, 1)")


@pytest.fixture
def server() -> Iterator[Postgres]:
    with Postgres(fast=True) as server:
        yield server


async def test_a_commit_that_hangs_is_left_waiting_and_nobody_sees_it(server: Postgres) -> None:
    """PostgreSQL lets a cancelled commit through without its standby: a failover would forget what was seen of it."""
    url = await asyncio.to_thread(server.database, migrate)
    await asyncio.to_thread(server._admin, without_its_standby)
    limits = TimeLimits(transaction_s=1.0)
    database = open_database(url, clock=CLOCK, chance=CHANCE, limits=limits)
    try:
        with pytest.raises(OutcomeUnknown):
            await database.transact(lambda tx: tx.change(INSERT))
    finally:
        await database.close()
    seen = await asyncpg.connect(url, ssl=False)
    try:

        async def waits() -> bool:
            return bool(await seen.fetchval("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"))

        await soon(waits, what="the commit still waits for its standby")
        assert await seen.fetchval("SELECT count(*) FROM limits") == 0
    finally:
        await seen.close()


async def without_its_standby(connection: asyncpg.Connection) -> None:
    await connection.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    await connection.execute("SELECT pg_reload_conf()")
