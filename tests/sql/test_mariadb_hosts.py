"""Several MariaDB hosts: dead ones and replicas are passed by; sessions have the settings promises need (R3, R11)."""

import asyncio

import pytest

from foliot.ports.store.errors import StoreUnavailable
from foliot.store.sql.kernel.connect import DEFAULT_LIMITS, PATIENT, open_database
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.kernel.statement import Statement
from tests.conformance.building import every, fire, make_due
from tests.servers.fixtures import MakeDatabase
from tests.servers.mariadb import MariaDB
from tests.servers.ports import HOST, hold_port
from tests.sql.world import CHANCE, CLOCK, World, migrate, opened

pytestmark = pytest.mark.services

SETTINGS = Statement(
    "SELECT @@time_zone, @@tx_isolation, @@innodb_lock_wait_timeout, @@max_statement_time, @@idle_transaction_timeout, "
    "@@sql_mode LIKE '%STRICT_ALL_TABLES%SIMULTANEOUS%', @@character_set_client"
)


def with_hosts(url: str, *hosts: str) -> str:
    head, _, rest = url.rpartition("@")
    return f"{head}@{','.join(hosts)}/{rest.partition('/')[2]}"


def host_of(url: str) -> str:
    return url.rpartition("@")[2].partition("/")[0]


def database_of(url: str) -> Database:
    return open_database(url, clock=CLOCK, chance=CHANCE)


@pytest.mark.parametrize(("pool", "idle_s"), [(Pool.CONTROL, 1), (Pool.ENDING, 1), (Pool.RENEW, 10), (Pool.API, 10)])
async def test_each_session_is_set_up(mariadb_database: MakeDatabase, pool: Pool, idle_s: int) -> None:
    database = database_of(mariadb_database())
    try:
        found = await database.transact(lambda tx: tuple(tx.rows(SETTINGS)[0]), pool=pool)
    finally:
        await database.close()
    zone, isolation, lock_s, statement_s, idle, is_strict, charset = found
    assert (zone, isolation, lock_s, charset) == ("+00:00", "READ-COMMITTED", round(DEFAULT_LIMITS.lock_s), "utf8mb4")
    assert (float(statement_s), idle, bool(is_strict)) == (5.0, idle_s, True)


async def test_a_dead_host_is_passed_by(mariadb_database: MakeDatabase) -> None:
    url = mariadb_database(migrate)
    with hold_port() as dead:
        hosts = f"{HOST}:{dead.getsockname()[1]}", host_of(url)
        async with opened(with_hosts(url, *hosts)) as world:
            job = await every(world)
            await make_due(world, job)
            assert (await fire(world)).created == 1


async def test_what_takes_no_writes_is_no_store(mariadb_server: MariaDB, mariadb_database: MakeDatabase) -> None:
    url = mariadb_database(migrate)
    with mariadb_server._admin() as cursor:
        cursor.execute("SET GLOBAL read_only = 1")
    database = database_of(url)
    try:
        with pytest.raises(StoreUnavailable) as away:
            await database.transact(lambda tx: tx.now())
        assert "read-only" in str(away.value.data)
    finally:
        with mariadb_server._admin() as cursor:
            cursor.execute("SET GLOBAL read_only = 0")
        await database.close()


async def test_a_wrong_password_is_told_at_once(mariadb_database: MakeDatabase) -> None:
    url = mariadb_database().replace(":not-a-secret@", ":wrong@")
    database = database_of(with_hosts(url, host_of(url), host_of(url)))
    try:
        with pytest.raises(StoreUnavailable) as refused:
            await database.transact(lambda tx: tx.now())
        assert "Access denied" in str(refused.value.data)
    finally:
        await database.close()


async def test_a_deadlock_is_undone_and_done_again(mariadb_database: MakeDatabase) -> None:
    """1213 takes the whole transaction along, 1205 only a statement: either way all of it is done again (R3)."""
    async with opened(mariadb_database(migrate)) as world:
        await _two_in_a_circle(world)
        rows = await world.rows("SELECT name, max FROM limits ORDER BY name")
        assert [(row["name"], row["max"]) for row in rows] == [("a", 2), ("b", 2)]


async def _two_in_a_circle(world: World) -> None:
    await world.change("INSERT INTO limits (name, max, used, ver) VALUES ('a', 0, 0, 1), ('b', 0, 0, 1)")
    raise_one = Statement("UPDATE limits SET max = max + 1, ver = ver + 1 WHERE name = :name")
    tries: list[str] = []
    held: set[str] = set()

    def crossing(first: str, second: str, tx: Tx) -> None:
        tries.append(first)
        tx.change(raise_one, {"name": first})
        held.add(first)
        while len(held) < 2:  # each has its first before it goes for the other's
            tx.rows(Statement("SELECT sleep(0.01)"))
        tx.change(raise_one, {"name": second})

    others = open_database(world.url, clock=CLOCK, chance=CHANCE, limits=PATIENT)
    try:
        await asyncio.gather(
            world.database.transact(lambda tx: crossing("a", "b", tx)),
            others.transact(lambda tx: crossing("b", "a", tx)),
        )
    finally:
        await others.close()
    assert len(tries) > 2, "one of them had to begin again"


async def test_two_starts_within_one_second_are_two_databases() -> None:
    """Whole seconds of uptime would miss the second of them, and the epoch would stay (R6)."""
    with MariaDB(fast=True) as server:
        url = server.database(migrate)
        epochs = []
        for _ in range(4):
            async with opened(url) as world:
                epochs.append((await world.rows("SELECT epoch FROM store_meta"))[0]["epoch"])
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.restart)
        assert epochs == sorted(set(epochs)), "each start raised it"
