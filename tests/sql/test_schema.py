"""A store's schema: made by migrations, equal to the tables the code knows, refused when it does not fit."""

import asyncio
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import sqlalchemy as sa
from pymysql.constants import CLIENT

from foliot.domain.instants import HOUR, MINUTE, to_instant
from foliot.store.sql.kernel import schema, tables_for_people
from foliot.store.sql.kernel.database import Database, Tx
from foliot.store.sql.kernel.schema import SchemaNotReady, SchemaState
from foliot.store.sql.kernel.statement import Statement
from foliot.store.sql.kernel.tables import metadata
from foliot.store.sql.store import SqlStore, UnsafeStore
from tests.servers.fixtures import MakeDatabase
from tests.servers.mariadb import MariaDB, connected
from tests.sql.world import CHANCE, CLOCK, World, migrate

PEOPLE = tables_for_people.tokens.name  # its tables are in the metadata too


@pytest.fixture
def empty_url(request: pytest.FixtureRequest, store_url: str, tmp_path: Path) -> str:
    """An empty database of the same kind."""
    if store_url.startswith("sqlite"):
        return f"sqlite:///{tmp_path / 'empty.db'}"
    make: MakeDatabase = request.getfixturevalue(
        "mariadb_database" if store_url.startswith("mysql") else "postgres_database"
    )
    return make()


def opened(url: str) -> Database:
    from foliot.store.sql.kernel.connect import PATIENT, open_database

    return open_database(url, clock=CLOCK, chance=CHANCE, limits=PATIENT)


async def test_a_migrated_store_is_current(world: World) -> None:
    found = await schema.check(world.database)
    assert found.state is SchemaState.CURRENT
    assert (found.revision, found.pending) == (found.head, ())
    assert await schema.plan(world.database) == ""
    assert await schema.upgrade(world.database) == ()


async def test_store_time_passes_when_a_test_says_so(world: World) -> None:
    before = await world.now()
    await world.elapse(HOUR)
    assert HOUR <= await world.now() - before < HOUR + MINUTE


async def test_migrated_is_the_same_as_fresh(world: World, empty_url: str) -> None:
    fresh = opened(empty_url)
    try:
        await fresh.transact(lambda tx: metadata.create_all(tx.connection))
        want = await fresh.transact(described)
    finally:
        await fresh.close()
    have = await world.database.transact(described)
    for extra in ("foliot_version", "test_clock"):
        have.pop(extra, None)
    assert have.keys() == want.keys() > {PEOPLE}
    for table, parts in want.items():
        assert have[table] == parts, table


def described(tx: Tx) -> dict[str, dict[str, Any]]:
    """Everything the database says about each table, in words that do not depend on the order of creation."""
    look = sa.inspect(tx.connection)
    tables: dict[str, dict[str, Any]] = {}
    for table in look.get_table_names():
        if table == "sqlite_sequence":
            continue
        tables[table] = {
            "columns": [
                (column["name"], str(column["type"]), column["nullable"], column["default"])
                for column in look.get_columns(table)
            ],
            "key": look.get_pk_constraint(table)["constrained_columns"],
            "unique": sorted((str(key["name"]), key["column_names"]) for key in look.get_unique_constraints(table)),
            "indexes": sorted_by_name(
                (
                    str(index["name"]),
                    index["column_names"],
                    bool(index["unique"]),
                    {option: str(value) for option, value in index.get("dialect_options", {}).items()},
                )
                for index in look.get_indexes(table)
            ),
        }
        if tx.dialect.name == "sqlite":
            text = tx.rows(Statement("SELECT sql FROM sqlite_master WHERE name = :name"), {"name": table})[0][0]
            tables[table]["autoincrement"] = "AUTOINCREMENT" in text
    return tables


def sorted_by_name(parts: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted(parts, key=lambda part: part[0])


async def test_the_first_rows_are_there(world: World) -> None:
    (meta,) = await world.rows("SELECT * FROM store_meta")
    assert abs(meta["epoch"] * 1_000_000 - to_instant(CLOCK.now())) < HOUR  # of the migration, by the true clock
    assert (meta["id"], meta["last_tick_at"], meta["reap_after"], meta["readable_from"]) == (1, 0, 0, 1)
    assert [dict(row) for row in await world.rows("SELECT * FROM leases")] == [
        {"name": "leader", "holder_session": None, "term": 0, "until": 0}
    ]


async def test_who_upgrades_at_once_upgrades_once(empty_url: str) -> None:
    databases = [opened(empty_url) for _ in range(4)]
    try:
        steps = await asyncio.gather(*(schema.upgrade(database) for database in databases))
        assert sorted(len(taken) for taken in steps)[:3] == [0, 0, 0]
        assert (await schema.status(databases[0])).state is SchemaState.CURRENT
        assert await databases[0].transact(lambda tx: len(tx.rows(Statement("SELECT id FROM store_meta")))) == 1
    finally:
        for database in databases:
            await database.close()


async def test_the_plan_is_what_the_upgrade_does(empty_url: str) -> None:
    database = opened(empty_url)
    try:
        sql = await schema.plan(database)
        assert (await schema.status(database)).state is SchemaState.EMPTY  # nothing ran
        if empty_url.startswith("sqlite"):
            with sqlite3.connect(empty_url.removeprefix("sqlite:///")) as connection:
                connection.executescript(sql)
        elif empty_url.startswith("mysql"):
            assert sql.startswith("-- Each change commits by itself")
            await asyncio.to_thread(run_on_mariadb, empty_url, sql)
        else:
            remote = await asyncpg.connect(empty_url)
            await remote.execute(sql)
            await remote.close()
        assert (await schema.check(database)).state is SchemaState.CURRENT
    finally:
        await database.close()


def run_on_mariadb(url: str, sql: str) -> None:
    connection = connected(url, client_flag=CLIENT.MULTI_STATEMENTS)
    with connection, connection.cursor() as cursor:
        cursor.execute(sql)
        while cursor.nextset():
            pass
        connection.commit()


@pytest.mark.services
@pytest.mark.parametrize("made", [1, 4, 9, 14])
async def test_an_upgrade_cut_off_on_mariadb_goes_on_when_run_again(mariadb_database: MakeDatabase, made: int) -> None:
    url = mariadb_database()
    database = opened(url)
    try:
        sql = await schema.plan(database)
        bare = "\n".join(line for line in sql.splitlines() if not line.startswith("--"))
        changes = [part for part in bare.split(";\n") if part.strip().startswith(("CREATE", "ALTER"))]
        await asyncio.to_thread(run_on_mariadb, url, ";\n".join(changes[: made + 1]) + ";")
        assert (await schema.status(database)).state is SchemaState.EMPTY
        assert (await schema.upgrade(database))[0].revision == "0001"
        have = await database.transact(described)
        have.pop("foliot_version")
    finally:
        await database.close()
    fresh = opened(mariadb_database())
    try:
        await schema.upgrade(fresh)
        want = await fresh.transact(described)
        want.pop("foliot_version")
    finally:
        await fresh.close()
    assert have == want


# ------------------------------------------------------------------------------------------------------------- refusing


async def test_an_empty_store_is_refused_with_the_next_step(empty_url: str) -> None:
    with pytest.raises(SchemaNotReady, match="foliot db upgrade") as refused:
        await SqlStore.open(empty_url, clock=CLOCK, chance=CHANCE)
    assert (refused.value.code, refused.value.data["state"]) == ("FOL-7001", "empty")


async def test_an_older_store_is_refused_and_nothing_changes(world: World) -> None:
    await world.change("UPDATE foliot_version SET version_num = '0001'")
    found = await schema.status(world.database)
    assert found.state is SchemaState.BEHIND
    assert found.pending[0].revision == "0002"
    with pytest.raises(SchemaNotReady, match="foliot db upgrade --plan"):
        await schema.check(world.database)


@pytest.mark.parametrize(("readable_from", "state"), [(1, SchemaState.AHEAD), (9998, SchemaState.TOO_NEW)])
async def test_a_newer_store_is_used_while_it_only_expanded(
    world: World, readable_from: int, state: SchemaState
) -> None:
    await world.change("UPDATE foliot_version SET version_num = '9999'")
    await world.change("UPDATE store_meta SET readable_from = :n", n=readable_from)
    assert (await schema.status(world.database)).state is state
    if state is SchemaState.AHEAD:
        await schema.check(world.database)
    else:
        with pytest.raises(SchemaNotReady, match="too old"):
            await schema.check(world.database)
        with pytest.raises(SchemaNotReady, match="too old"):
            await schema.upgrade(world.database)


async def test_somebody_elses_schema_is_refused(world: World) -> None:
    await world.change("UPDATE foliot_version SET version_num = 'ae1027a6acf'")
    with pytest.raises(SchemaNotReady, match="not one of Foliot's"):
        await schema.check(world.database)
    with pytest.raises(SchemaNotReady):
        await schema.upgrade(world.database)


@pytest.mark.services
async def test_a_store_that_loses_commits_is_refused(postgres_world: World) -> None:
    name = postgres_world.url.rpartition("/")[2]
    await postgres_world.change(f"ALTER DATABASE {name} SET synchronous_commit = off")
    with pytest.raises(UnsafeStore, match="synchronous_commit = off"):
        await SqlStore.open(postgres_world.url, clock=CLOCK, chance=CHANCE)


@pytest.mark.services
async def test_so_is_a_mariadb_that_loses_commits(mariadb_server: MariaDB, mariadb_database: MakeDatabase) -> None:
    url = mariadb_database(migrate)
    try:
        with mariadb_server._admin() as cursor:
            cursor.execute("SET GLOBAL innodb_flush_log_at_trx_commit = 0")
        with pytest.raises(UnsafeStore, match="innodb_flush_log_at_trx_commit = 0"):
            await SqlStore.open(url, clock=CLOCK, chance=CHANCE)
    finally:
        with mariadb_server._admin() as cursor:
            cursor.execute("SET GLOBAL innodb_flush_log_at_trx_commit = 1")
    await (await SqlStore.open(url, clock=CLOCK, chance=CHANCE)).close()
