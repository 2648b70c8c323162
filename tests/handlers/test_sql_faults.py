"""SQL jobs when things go wrong: what runs on the database is ended there, and what is not known is said so."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import asyncmy
import asyncpg
import pytest

from foliot.domain.verdict import Cause
from tests.eventually import soon
from tests.handlers.sql_jobs import sql_worker
from tests.servers.fixtures import MakeProxy

SLOW = {
    "sqlite": (
        "CREATE TABLE busy (id INTEGER)",  # so that others see it
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c",
    ),
    "postgresql": ("SELECT pg_sleep(600)",),
    "mysql": ("SELECT sleep(600)",),
}
BUSY = {
    "postgresql": "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'foliot sql' AND state = 'active'"
    " AND query LIKE '%pg_sleep(600)%' AND datname = current_database()",
    "mysql": "SELECT count(*) FROM information_schema.processlist WHERE info LIKE '%sleep(600)%' AND db = database()"
    " AND id <> connection_id()",
}
OPEN = {
    "postgresql": "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'foliot sql'"
    " AND datname = current_database()",
    "mysql": "SELECT count(*) FROM information_schema.processlist WHERE db = database() AND id <> connection_id()",
}
Ask = Callable[[str], Any]


def scheme_of(url: str) -> str:
    return url.partition("://")[0]


def port_of(url: str) -> int:
    port = urlsplit(url).port
    assert port
    return port


@asynccontextmanager
async def watcher(url: str) -> AsyncIterator[Ask]:
    """Asks the database from the side, and gets one number or text."""
    if url.startswith("sqlite"):
        with sqlite3.connect(url.partition(":///")[2], timeout=0) as file:
            file.isolation_level = None

            async def ask_file(text: str) -> Any:
                return (file.execute(text).fetchone() or [None])[0]

            yield ask_file
        file.close()
    elif url.startswith("postgresql"):
        connection = await asyncpg.connect(url)
        try:
            yield connection.fetchval
        finally:
            await connection.close()
    else:
        parts = urlsplit(url)
        other = await asyncmy.connect(
            host=parts.hostname, port=parts.port, user=parts.username, password=parts.password, db=parts.path[1:],
            autocommit=True,
        )  # fmt: skip

        async def ask_server(text: str) -> Any:
            async with other.cursor() as cursor:
                await cursor.execute(text)
                return (await cursor.fetchone() or [None])[0]

        try:
            yield ask_server
        finally:
            other.close()


async def is_quiet(ask: Ask, scheme: str) -> bool:
    """Whether no statement of a job runs. SQLite: whether nobody keeps the file from being written."""
    if scheme != "sqlite":
        return bool(await ask(BUSY[scheme]) == 0)
    try:
        await ask("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        return False
    await ask("ROLLBACK")
    return True


async def test_a_statement_is_ended_on_the_database_when_its_time_is_over_and_when_its_run_is_stopped(
    database_url: str,
) -> None:
    scheme = scheme_of(database_url)
    slow = SLOW[scheme]
    async with watcher(database_url) as ask, sql_worker(database_url, timeout_max="20s") as worker:
        late = await worker.run(*slow, timeout="300ms")
        assert [late.cause, late.error_type] == [Cause.ERROR, "StatementTimedOut"]
        assert "took longer than 0.3 s" in late.error
        await soon(lambda: is_quiet(ask, scheme), within_s=5)

        row = worker.start(*slow)
        await soon(lambda: _negated(is_quiet(ask, scheme)))
        worker.bench.server.cancel(row)
        cancelled = await worker.end_of(row)
        assert cancelled.cause is Cause.CANCELLED
        await soon(lambda: is_quiet(ask, scheme), within_s=5)
        assert "ended on the database" in row.log

        assert (await worker.run(*slow, timeout_us=300_000)).cause is Cause.TIMEOUT
        await soon(lambda: is_quiet(ask, scheme), within_s=5)

        left = worker.start(*slow)
        await soon(lambda: _negated(is_quiet(ask, scheme)))
    async with watcher(database_url) as ask:
        await soon(lambda: is_quiet(ask, scheme), within_s=5)
    assert left.cause is not Cause.SUCCEEDED


async def _negated(answer: Any) -> bool:
    return not await answer


@pytest.fixture(params=["postgres", "mariadb"])
def server_url(request: pytest.FixtureRequest) -> str:
    """An empty database of a server."""
    return str(request.getfixturevalue(f"{request.param}_database")())


@pytest.mark.services
async def test_a_lost_commit_is_an_unknown_outcome_and_what_is_lost_before_has_changed_nothing(
    server_url: str, fault_proxy: MakeProxy
) -> None:
    proxy = fault_proxy(port_of(server_url))
    async with watcher(server_url) as ask, sql_worker(proxy.url(server_url)) as worker:
        await worker.run("CREATE TABLE notes (id INTEGER)", mode="autocommit")
        proxy.ambush(b"COMMIT")
        unknown = await worker.run("INSERT INTO notes VALUES (1)")
        assert [unknown.cause, unknown.error_type] == [Cause.ERROR, "SqlOutcomeUnknown"]
        assert "during COMMIT" in unknown.error
        assert await ask("SELECT count(*) FROM notes") == 1  # once: nobody has tried again

        proxy.ambush(b"INTO notes VALUES (2)")
        lost = await worker.run("INSERT INTO notes VALUES (2)")
        assert [lost.cause, lost.error_type] == [Cause.ERROR, "DatabaseAway"]
        proxy.ambush(b"INTO notes VALUES (3)", nth=2 if "postgresql" in server_url else 1)
        alone = await worker.run("INSERT INTO notes VALUES (3)", mode="autocommit")
        assert alone.error_type == "SqlOutcomeUnknown", alone.error
        assert await ask("SELECT count(*) FROM notes WHERE id = 2") == 0


@pytest.mark.services
async def test_a_database_that_is_away_fails_the_run_and_not_the_worker_and_says_no_password(
    server_url: str, fault_proxy: MakeProxy, capfd: pytest.CaptureFixture[str]
) -> None:
    proxy = fault_proxy(port_of(server_url))
    parts = urlsplit(proxy.url(server_url))
    canary = "c4nary/pässword"
    wrong = f"{parts.scheme}://nobody:c4nary%2Fp%C3%A4ssword@127.0.0.1:{proxy.port}{parts.path}"
    proxy.refuse()
    async with sql_worker(wrong, connect_timeout="2s") as worker:
        refused = await worker.run("SELECT 1")
        assert [refused.cause, refused.error_type] == [Cause.ERROR, "DatabaseAway"]
        assert "ConnectionError" in str(refused.row.reports[-1].error_type)  # `retries: {on: ConnectionError}` has it
        proxy.heal()
        stranger = await worker.run("SELECT 1")
        assert stranger.error_type == "DatabaseAway"
    told = [done.error + done.row.log + str(done.row.reports) for done in (refused, stranger)]
    out, err = capfd.readouterr()
    for text in (*told, out, err, repr(worker.kind.settings)):
        assert canary not in text
        assert "c4nary" not in text


@pytest.mark.services
async def test_a_connection_is_used_again_as_good_as_new_and_closed_when_idle(
    server_url: str, fault_proxy: MakeProxy
) -> None:
    scheme = scheme_of(server_url)
    proxy = fault_proxy(port_of(server_url))
    spoil = {
        "postgresql": ("CREATE TEMP TABLE mine (id int)", "SET search_path = nowhere", "SELECT pg_backend_pid()"),
        "mysql": (
            "CREATE TEMPORARY TABLE mine (id int)",
            "SET @mine = 7, time_zone = '+07:00'",
            "SELECT connection_id()",
        ),
    }[scheme]
    look = {
        "postgresql": "SELECT pg_backend_pid(), to_regclass('mine')::text, current_setting('search_path') = 'nowhere'"
        " OR current_setting('client_connection_check_interval') = '0'",  # it ends when its worker is killed
        "mysql": "SELECT connection_id(), @mine, @@session.time_zone = '+07:00'",
    }[scheme]
    async with watcher(server_url) as ask:
        async with sql_worker(proxy.url(server_url), pool_size=1) as worker:
            spoilt = await worker.run(*spoil)
            (seen,) = (await worker.run(look)).rows
            assert seen[0] == spoilt.rows[0][0]
            assert [seen[1], bool(seen[2])] == [None, False]
            if scheme == "mysql":
                assert (await worker.run("SELECT * FROM mine")).error_type == "StatementFailed"
                await worker.run("SELECT 1")
            proxy.reset()  # while it is idle: the next run gets another, and does not notice
            assert (await worker.run("SELECT 7")).rows == [[7]]
            several = [worker.start("SELECT 7") for _ in range(4)]
            for row in several:
                assert (await worker.end_of(row)).rows == [[7]]
            await soon(lambda: _is(1, ask(OPEN[scheme])), within_s=10)  # those of before may still be going
        await soon(lambda: _is(0, ask(OPEN[scheme])), within_s=10)
        async with sql_worker(server_url, idle="1s") as worker:
            assert (await worker.run("SELECT 7")).rows == [[7]]
            await soon(lambda: _is(0, ask(OPEN[scheme])), within_s=20)


async def _is(wanted: int, count: Any) -> bool:
    return bool(await count == wanted)


async def test_the_loop_goes_on_while_a_database_works(database_url: str) -> None:
    async with sql_worker(database_url) as worker:
        row = worker.start(SLOW[scheme_of(database_url)][-1])
        await soon(lambda: row.lease_id is not None)
        quick = await asyncio.wait_for(worker.run("SELECT 7"), 20)
        assert quick.rows == [[7]]
        worker.bench.server.cancel(row)
        assert (await worker.end_of(row)).cause is Cause.CANCELLED
