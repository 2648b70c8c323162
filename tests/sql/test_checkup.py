"""What real databases say of themselves: a long transaction, dead rows, unsafe settings, rights that are missing."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import asyncpg
import pytest

from foliot.domain.checkup import Finding, Grade, examine
from foliot.domain.checkup.database import DEAD_ROWS_MIN
from foliot.domain.checkup.facts import Facts
from foliot.store.sql.kernel.dialects.mariadb import MariaDB as MariaDBSql
from foliot.store.sql.kernel.dialects.sqlite import SQLite
from foliot.store.sql.store import SqlStore
from foliot.words.checkup import finding_hint
from tests.eventually import soon
from tests.servers.fixtures import MakeDatabase
from tests.servers.mariadb import MariaDB
from tests.servers.postgres import Postgres
from tests.sql.hot_checkup import CHECKUP
from tests.sql.interleavings.naive_mariadb import NaiveMariaDB
from tests.sql.statements import statements
from tests.sql.world import World, migrate, opened


async def findings(store: SqlStore) -> dict[str, Finding]:
    found = examine(Facts(readings=await store.checkup.readings()))
    return {finding.check: finding for finding in found}


@asynccontextmanager
async def transaction(url: str) -> AsyncIterator[asyncpg.Connection]:
    """Somebody's transaction that stays open."""
    connection = await asyncpg.connect(url, ssl=False)
    try:
        async with connection.transaction():
            await connection.fetchval("SELECT 1")
            yield connection
    finally:
        await connection.close()


@pytest.mark.services
async def test_postgresql_names_the_oldest_transaction_and_hides_those_of_other_users(
    postgres_server: Postgres, postgres_world: World
) -> None:
    store = postgres_world.store
    admin = postgres_server.admin_url.rpartition("/")[0] + urlsplit(postgres_world.url).path
    assert (await findings(store))["database.transactions"].case == "none"
    async with transaction(postgres_world.url) as own:
        pid = own.get_server_pid()
        seen = (await findings(store))["database.transactions"]
        assert seen.subject == str(pid)
        assert seen.said["stop"] == f"SELECT pg_terminate_backend({pid})"
    async with transaction(admin) as others:
        hidden = (await findings(store))["database.transactions"]
        assert (hidden.grade, finding_hint(hidden)) == (
            Grade.UNKNOWN,
            "as an administrator of the database: GRANT pg_read_all_stats TO CURRENT_USER",
        )
        outside = await asyncpg.connect(admin, ssl=False)
        await outside.execute("GRANT pg_read_all_stats TO foliot")
        try:
            seen = (await findings(store))["database.transactions"]
            assert seen.subject == str(others.get_server_pid())
        finally:
            await outside.execute("REVOKE pg_read_all_stats FROM foliot")
            await outside.close()


@pytest.mark.services
async def test_postgresql_counts_dead_rows_and_tells_that_it_may_lose_what_it_confirmed(postgres_world: World) -> None:
    dead = DEAD_ROWS_MIN + 1
    writer = await asyncpg.connect(postgres_world.url, ssl=False)
    await writer.execute(
        "INSERT INTO events (event_key, at, topic, kind, subject, made_by, data) "
        f"SELECT 'k' || n, 1, 'jobs', 'x', 's', 'b', '-' FROM generate_series(1, {dead}) n"
    )
    reader = await asyncpg.connect(postgres_world.url, ssl=False)
    looking = reader.transaction(isolation="repeatable_read")
    await looking.start()
    await reader.fetchval("SELECT count(*) FROM events")  # it may look again: no vacuum takes the rows away meanwhile
    await writer.execute("DELETE FROM events")
    await writer.close()  # tells the database's statistics what it did

    async def counted() -> Finding | None:
        found = (await findings(postgres_world.store))["database.dead_rows"]
        return found if found.subject == "events" and found.said["dead"] >= dead else None

    found = await soon(counted, what="the database's statistics have the dead rows")
    assert found is not None
    assert (found.grade, finding_hint(found)) == (
        Grade.CRITICAL,
        "end long transactions first, then: VACUUM (ANALYZE) events",
    )
    await looking.rollback()
    await reader.close()
    settings = (await findings(postgres_world.store))["database.settings"]
    assert (settings.grade, settings.others) == (Grade.CRITICAL, 1)  # tests run without fsync and full_page_writes


@pytest.mark.services
async def test_mariadb_names_the_oldest_transaction_and_the_right_that_is_missing(
    mariadb_server: MariaDB, mariadb_database: MakeDatabase
) -> None:
    async with opened(mariadb_database(migrate)) as world:
        settings = (await findings(world.store))["database.settings"]
        assert (settings.grade, settings.subject) == (Grade.WARNING, "innodb_doublewrite")  # tests run without it
        other = await NaiveMariaDB.connect(world.url)
        await other.transaction().start()
        await other.execute("UPDATE store_meta SET epoch = epoch + 1 WHERE id = 1")
        ((session,),) = await other.fetch("SELECT CONNECTION_ID()")

        async def found() -> Finding | None:
            """InnoDB looks at its transactions anew when nobody has asked for a tenth of a second."""
            seen = (await findings(world.store))["database.transactions"]
            return seen if seen.subject == str(session) else None

        seen = await soon(found, step_s=0.5, what="the open transaction is the oldest")
        assert seen is not None
        assert seen.said["stop"] == f"KILL {session}"
        assert seen.value is not None and 0 <= seen.value < 3600  # noqa: PT018  not off by a time zone
        await other.transaction().rollback()
        await other.close()
        with mariadb_server._admin() as cursor:
            cursor.execute("REVOKE PROCESS ON *.* FROM foliot@127.0.0.1")
        try:
            refused = await findings(await world.open())
            for check in ("database.transactions", "database.history"):
                assert refused[check].grade is Grade.UNKNOWN
                hint = finding_hint(refused[check]) or ""
                assert hint.endswith("GRANT PROCESS ON *.* TO CURRENT_USER")
            assert refused["database.connections"].grade is Grade.OK
        finally:
            with mariadb_server._admin() as cursor:
                cursor.execute("GRANT PROCESS ON *.* TO foliot@127.0.0.1")


async def test_a_schema_that_changed_under_a_running_server_is_found(world: World) -> None:
    """In a rolling upgrade a newer Foliot brings the schema up while older servers go on."""
    for revision, readable_from, grade, case in (
        ("9999", 1, Grade.WARNING, "ahead"),
        ("9999", 9000, Grade.CRITICAL, "too_new"),
        ("0001", 1, Grade.CRITICAL, "behind"),
    ):
        await world.change(f"UPDATE foliot_version SET version_num = '{revision}'")
        await world.change(f"UPDATE store_meta SET readable_from = {readable_from}")
        found = (await findings(world.store))["database.schema"]
        assert (found.grade, found.case) == (grade, case)
        assert finding_hint(found)


def test_every_statement_of_the_doctor_that_reads_runs_or_jobs_is_explained() -> None:
    explained = {hot.statement for hot in CHECKUP}
    large = re.compile(r"\b(?:FROM|JOIN) (?:runs|cursors|jobs|job_versions)\b")
    own = [one for one in statements() if one.folder == "checkup"]
    reading = [
        one for one in own if any(large.search(one.text_in(dialect) or "") for dialect in (SQLite(), MariaDBSql()))
    ]
    assert len(reading) > 3
    assert [one.constant for one in reading if one.statement not in explained] == []
