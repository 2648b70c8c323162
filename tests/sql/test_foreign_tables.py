"""One database, or one schema of PostgreSQL, for Foliot alone: what another program has is found and left alone."""

import asyncio
from urllib.parse import urlsplit

import asyncpg
import pytest
from click.testing import CliRunner, Result

from foliot.cli import main
from foliot.store.sql.kernel import schema
from foliot.store.sql.kernel.connect import PATIENT, open_database
from foliot.store.sql.kernel.database import Database, Tx
from foliot.store.sql.kernel.schema import ForeignTables, UpgradeRefused
from foliot.store.sql.kernel.statement import Statement
from foliot.store.sql.kernel.wakeups import open_wakeups
from foliot.store.sql.store import SqlStore
from tests.servers.fixtures import MakeDatabase
from tests.servers.postgres import Postgres
from tests.sql.test_schema import empty_url, opened  # noqa: F401  a fixture
from tests.sql.world import CHANCE, CLOCK

JOBS = Statement("SELECT * FROM jobs")


async def run(database: Database, *statements: str) -> None:
    await database.transact(lambda tx: [tx.connection.exec_driver_sql(one) for one in statements] and None)


def names(tx: Tx) -> set[str]:
    return {str(row[0]) for row in tx.rows(Statement("{relations}"))}


async def test_tables_of_another_program_are_found_before_anything_is_made(empty_url: str) -> None:  # noqa: F811
    database = opened(empty_url)
    try:
        await run(database, "CREATE TABLE jobs (title VARCHAR(20))", "CREATE TABLE runs (title VARCHAR(20))",
                  "CREATE TABLE theirs (title VARCHAR(20))", "INSERT INTO jobs VALUES ('mine')")  # fmt: skip
        for refused in (schema.upgrade, schema.plan, schema.check):
            with pytest.raises(ForeignTables) as told:
                await refused(database)
            assert told.value.data["names"] == ["jobs", "runs"]
        assert await database.transact(names) == {"jobs", "runs", "theirs"}, "nothing was made"
        assert [tuple(row) for row in await database.transact(lambda tx: tx.rows(JOBS))] == [("mine",)]
        said = await foliot("upgrade", empty_url)
        assert (said.exit_code, "[FOL-7012]" in said.stderr) == (1, True)
        assert "foreign  jobs, runs" in (await foliot("status", empty_url)).stdout
        await run(database, "DROP TABLE jobs", "DROP TABLE runs")
        assert len(await schema.upgrade(database)) > 1, "another table beside ours does not matter"
    finally:
        await database.close()


async def test_a_name_that_only_a_later_step_needs_is_found_too(store_url: str) -> None:
    database = opened(store_url)
    try:
        await run(database, "UPDATE foliot_version SET version_num = '0001'", "DROP TABLE tokens",
                  "CREATE TABLE tokens (title VARCHAR(20))")  # fmt: skip
        with pytest.raises(ForeignTables) as told:
            await schema.upgrade(database)
        assert "tokens" in told.value.data["names"]
    finally:
        await database.close()


async def foliot(command: str, url: str) -> Result:
    """A command, which runs a loop of its own."""
    words, environment = ["db", command, "--db", url], {"FOLIOT_LANG": "en"}
    return await asyncio.to_thread(lambda: CliRunner().invoke(main, words, env=environment))


# ------------------------------------------------------------------------------------------ a schema of PostgreSQL


@pytest.mark.services
async def test_a_schema_of_its_own_is_made_and_used_by_every_role(postgres_database: MakeDatabase) -> None:
    bare = postgres_database()
    outside = await asyncpg.connect(bare)
    await outside.execute("CREATE TABLE jobs (title text); INSERT INTO jobs VALUES ('mine')")
    url = f"{bare}?schema=Foliot%20jobs"
    try:
        before = await foliot("status", url)
        assert (before.exit_code, "has no tables yet" in before.stdout) == (7, True)
        made = await foliot("upgrade", url)
        assert made.exit_code == 0, made.stderr
        store = await SqlStore.open(url, clock=CLOCK, chance=CHANCE)
        assert await store.database.transact(lambda tx: tx.rows(JOBS)) == []
        await store.close()
        for command in ("status", "restored", "trust-clock"):
            done = await foliot(command, url)
            assert done.exit_code == 0, done.stderr
        assert (await foliot("status", bare)).exit_code == 7, "the rest of the database knows nothing of it"
        assert [row["title"] for row in await outside.fetch("SELECT title FROM public.jobs")] == ["mine"]
        tables = await outside.fetch("SELECT schemaname FROM pg_tables WHERE tablename IN ('runs', 'foliot_version')")
        assert {row["schemaname"] for row in tables} == {"Foliot jobs"}
    finally:
        await outside.close()


@pytest.mark.services
async def test_the_plan_for_a_schema_can_be_run_by_hand(postgres_database: MakeDatabase) -> None:
    bare = postgres_database()
    database = opened(f"{bare}?schema=foliot")
    outside = await asyncpg.connect(bare)
    try:
        await outside.execute(await schema.plan(database))
        assert (await schema.check(database)).is_usable
    finally:
        await outside.close()
        await database.close()


def test_servers_of_two_schemas_do_not_wake_each_other() -> None:
    channels = [
        open_wakeups(f"postgresql://db/x{query}", clock=CLOCK, chance=CHANCE)._channel  # type: ignore[union-attr]
        for query in ("", "?schema=a", "?schema=b")
    ]
    assert channels == ["foliot", "foliot.a", "foliot.b"]


@pytest.mark.services
async def test_a_user_who_may_make_no_tables_is_told(
    postgres_server: Postgres, postgres_database: MakeDatabase
) -> None:
    """PostgreSQL 15 lets nobody but a database's owner make tables in it."""
    url = postgres_database()
    parts = urlsplit(url)
    owner = await asyncpg.connect(postgres_server.admin_url.rpartition("/")[0] + parts.path)
    await owner.execute("CREATE ROLE guest LOGIN")
    theirs = url.replace("foliot@", "guest@")
    try:
        for query in ("", "?schema=foliot"):
            database = open_database(theirs + query, clock=CLOCK, chance=CHANCE, limits=PATIENT)
            with pytest.raises(UpgradeRefused, match="permission denied"):
                await schema.upgrade(database)
            await database.close()
        said = await foliot("upgrade", theirs)
        assert (said.exit_code, "[FOL-7014]" in said.stderr) == (1, True)
    finally:
        await owner.execute("DROP ROLE guest")
        await owner.close()
