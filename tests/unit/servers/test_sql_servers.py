"""The SQL test servers keep what they acknowledged, whatever is done to them, and leave nothing behind."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.fixtures import MakeDatabase
from tests.servers.mariadb import MariaDB
from tests.servers.ports import HOST, free_ports
from tests.servers.postgres import Postgres
from tests.servers.process import ServerFailed
from tests.servers.sql import SqlServer
from tests.unit.servers.clients import LOST, client_for

pytestmark = pytest.mark.services

Kind = type[Postgres] | type[MariaDB]
KINDS = [Postgres, MariaDB]


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind.__name__.lower())
def server(request: pytest.FixtureRequest) -> Iterator[SqlServer]:
    kind: Kind = request.param
    with kind() as server:
        yield server


async def test_what_was_committed_survives_kill_9(server: SqlServer) -> None:
    url = server.database(notes)
    for number in range(20):
        await write(url, str(number))
    server.kill()
    with pytest.raises(LOST):
        await texts(url)
    server.restart()
    assert await texts(url) == 20


async def test_fast_ones_survive_kill_9_too(postgres_server: Postgres, mariadb_server: MariaDB) -> None:
    for fast in (postgres_server, mariadb_server):
        url = fast.database(notes)
        await write(url, "kept")
        fast.kill()
        fast.restart()
        assert await texts(url) == 1


async def test_a_restart_keeps_port_and_data_and_changes_the_process(server: SqlServer) -> None:
    url = server.database(notes)
    await write(url, "kept")
    pid = server.pid
    server.restart()
    assert server.pid != pid
    assert await texts(url) == 1


@pytest.mark.parametrize("mode", ["fast", "smart", "immediate"])
async def test_every_way_of_stopping_ends_every_process(server: SqlServer, mode: str) -> None:
    if mode not in server.stop_signals:
        with pytest.raises(ValueError, match="MariaDB stops by fast, not"):
            server.stop(mode)
        return
    pid = server.pid
    server.stop(mode)
    assert not Path(f"/proc/{pid}").exists()
    with pytest.raises(ServerFailed, match="not running"):
        server.pause()
    server.restart()


async def test_paused_it_keeps_its_connections_and_says_nothing(server: SqlServer) -> None:
    async with client_for(server.database(notes)) as client:
        server.pause()
        answer = asyncio.create_task(client.value("SELECT 7"))
        done, _ = await asyncio.wait([answer], timeout=0.3)
        server.resume()
        assert not done
        assert await answer == 7


async def test_a_database_is_a_copy_of_its_template(server: SqlServer) -> None:
    made = []

    async def template(url: str) -> None:
        made.append(url)
        await notes(url)
        await write(url, "from the template")

    first, second = server.database(template), server.database(template)
    await write(first, "only here")
    assert len(made) == 1
    assert await texts(first) == 2
    assert await texts(second) == 1


def test_a_template_may_be_a_plain_function_with_a_loop_of_its_own(server: SqlServer) -> None:
    def template(url: str) -> None:
        asyncio.run(notes(url))

    assert asyncio.run(texts(server.database(template))) == 0


async def test_mariadb_copies_rows_keys_views_and_triggers(mariadb_database: MakeDatabase) -> None:
    async def template(url: str) -> None:
        async with client_for(url) as client:
            for statement in (
                "CREATE TABLE parents (id BIGINT AUTO_INCREMENT PRIMARY KEY)",
                "CREATE TABLE children (parent BIGINT, FOREIGN KEY (parent) REFERENCES parents (id))",
                "INSERT INTO parents VALUES (41)",
                "INSERT INTO children VALUES (41)",
                "CREATE VIEW family AS SELECT parent FROM children",
                "CREATE TRIGGER more AFTER INSERT ON children FOR EACH ROW INSERT INTO parents VALUES (NULL)",
            ):
                await client.run(statement)

    async with client_for(mariadb_database(template)) as client:
        assert await client.value("SELECT parent FROM family") == 41
        await client.run("INSERT INTO children VALUES (41)")
        assert await client.value("SELECT max(id) FROM parents") == 42
        with pytest.raises(Exception, match="foreign key constraint fails"):
            await client.run("INSERT INTO children VALUES (7)")


async def test_mariadb_servers_do_not_share_the_folder_they_clear_of_temporary_tables(mariadb_server: MariaDB) -> None:
    url = mariadb_server.database()
    async with client_for(url) as client:
        assert await client.value("SELECT @@tmpdir") == str(mariadb_server.directory.path)
    mariadb_server.drop(url)


async def test_the_owner_of_the_databases_is_an_ordinary_user(server: SqlServer) -> None:
    async with client_for(server.database()) as client:
        with pytest.raises(Exception, match=r"(?i)permission denied|access denied"):
            await client.run("CREATE DATABASE more")


async def test_a_database_in_use_can_be_dropped(server: SqlServer) -> None:
    url = server.database()
    async with client_for(url) as client:
        await client.run("SELECT 1")
        server.drop(url)
        with pytest.raises(LOST):
            await client.run("SELECT 1")


@pytest.mark.parametrize("kind", KINDS)
def test_closed_it_leaves_neither_process_nor_directory(kind: Kind) -> None:
    with kind(fast=True) as server:
        pid, directory = server.pid, server.directory.path
        assert directory.stat().st_mode & 0o077 == 0
        assert Path(f"/proc/{pid}").exists()
    assert not Path(f"/proc/{pid}").exists()
    assert not directory.exists()


@pytest.mark.parametrize("kind", KINDS)
async def test_a_port_taken_meanwhile_is_exchanged_for_another(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = await asyncio.start_server(lambda reader, writer: writer.close(), HOST, free_ports(1)[0])
    port = taken.sockets[0].getsockname()[1]
    offer(monkeypatch, port)
    async with taken:
        server = await asyncio.to_thread(kind(fast=True).start)
    assert server.port != port
    server.close()


def test_a_server_of_the_same_kind_on_its_port_is_not_taken_for_its_own(
    server: SqlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(monkeypatch, server.port)
    with type(server)(fast=True) as other:
        assert other.port != server.port
        assert other.pid != server.pid


def offer(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    """Let the next server choose this port first, then ports that are really free."""
    offered = iter([port])
    monkeypatch.setattr("tests.servers.sql.free_ports", lambda count: [next(offered, 0) or free_ports(count)[0]])


def test_a_server_that_is_not_installed_says_what_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Postgres, "program", Path("/nowhere/postgres"))
    with pytest.raises(ServerFailed, match="Postgres is not installed: run make services"):
        Postgres()


async def test_a_failed_start_quotes_the_log_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Postgres(fast=True)
    monkeypatch.setattr(server, "_command", lambda: [str(server.program), "-D", "nowhere"])
    with pytest.raises(ServerFailed, match=r"(?s)ended while starting.*nowhere"):
        server.start()
    assert not server.directory.path.exists()


async def notes(url: str) -> None:
    async with client_for(url) as client:
        await client.run("CREATE TABLE notes (text VARCHAR(40))")


async def write(url: str, text: str) -> None:
    async with client_for(url) as client:
        await client.run(f"INSERT INTO notes VALUES ('{text}')")


async def texts(url: str) -> int:
    async with client_for(url) as client:
        return int(await client.value("SELECT count(*) FROM notes"))
