"""A commit that waits for its standby is given up, never cancelled: cancelled it would count here and nowhere else."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import asyncpg
import pytest

from foliot.ports.store.errors import OutcomeUnknown
from foliot.store.sql.kernel.connect import open_database
from foliot.store.sql.kernel.database import Pool
from foliot.store.sql.kernel.statement import Statement
from tests.eventually import soon
from tests.servers.postgres import Postgres
from tests.sql.world import CHANCE, CLOCK, UNHURRIED, migrate

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
    database = open_database(url, clock=CLOCK, chance=CHANCE, limits=replace(UNHURRIED, transaction_s=4))
    try:
        await database.read(lambda tx: tx.now(), pool=Pool.CONTROL)  # the time is for the commit, not for connecting
        with pytest.raises(OutcomeUnknown):
            await database.transact(lambda tx: tx.change(INSERT))
    finally:
        await database.close()
    seen = await asyncpg.connect(url, ssl=False)
    try:

        async def waits() -> bool:
            return bool(await seen.fetchval("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"))

        await soon(waits, within_s=60, what="the commit still waits for its standby")
        assert await seen.fetchval("SELECT count(*) FROM limits") == 0
    finally:
        await seen.close()


async def without_its_standby(connection: asyncpg.Connection) -> None:
    """From here on commits wait; the server takes a moment to know of it."""
    await connection.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    await connection.execute("SELECT pg_reload_conf()")

    async def waits() -> bool:
        try:
            await connection.execute("SELECT pg_logical_emit_message(true, 'is it', 'known?')", timeout=1)
        except TimeoutError:
            return True
        return False

    await soon(waits, within_s=60, what="a commit waits for the standby")
