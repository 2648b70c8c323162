"""Each fault of the proxy as a real client of a real server sees it."""

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

import pytest

from tests.eventually import soon
from tests.servers.fixtures import MakeDatabase, MakeProxy
from tests.servers.mariadb import MariaDB
from tests.servers.ports import HOST, free_ports
from tests.servers.postgres import Postgres
from tests.servers.proxy import FaultProxy
from tests.servers.sql import SqlServer
from tests.unit.servers.clients import LOST, Client, client_for

pytestmark = pytest.mark.services

SILENT_S = 0.3


@pytest.fixture(params=["postgres", "mariadb"])
def server(request: pytest.FixtureRequest) -> SqlServer:
    found: Postgres | MariaDB = request.getfixturevalue(f"{request.param}_server")
    return found


@pytest.fixture
def url(request: pytest.FixtureRequest, server: SqlServer) -> str:
    make: MakeDatabase = request.getfixturevalue(f"{type(server).__name__.lower()}_database")
    return make(notes)


@pytest.fixture
def proxy(server: SqlServer, fault_proxy: MakeProxy) -> FaultProxy:
    return fault_proxy(server.port)


async def notes(url: str) -> None:
    async with client_for(url) as client:
        await client.run("CREATE TABLE notes (text VARCHAR(40))")


async def test_a_sound_line_passes_everything(url: str, proxy: FaultProxy) -> None:
    async with client_for(proxy.url(url)) as client:
        assert await client.value("SELECT repeat('x', 3000000)") == "x" * 3_000_000
        assert proxy.connections == 1
    await soon(lambda: proxy.connections == 0)


async def test_a_cut_is_silence_until_it_heals(url: str, proxy: FaultProxy) -> None:
    async with client_for(proxy.url(url)) as client:
        proxy.cut()
        answer = await unanswered(client.value("SELECT 7"))
        proxy.heal()
        assert await answer == 7


async def test_cut_upwards_the_server_hears_nothing(url: str, proxy: FaultProxy) -> None:
    async with client_for(proxy.url(url)) as client, client_for(url) as witness:
        proxy.cut("up")
        answer = await unanswered(write(client))
        assert await count(witness) == 0
        proxy.heal()
        await answer
        assert await count(witness) == 1


async def test_cut_downwards_the_server_acts_and_its_answer_is_held(url: str, proxy: FaultProxy) -> None:
    async with client_for(proxy.url(url)) as client, client_for(url) as witness:
        proxy.cut("down")
        answer = await unanswered(write(client))
        await soon(lambda: count(witness))
        proxy.heal()
        await answer


async def test_a_new_connection_meets_the_same_cut(url: str, proxy: FaultProxy) -> None:
    proxy.cut("down")
    answer = await unanswered(count_through(proxy.url(url)))
    proxy.heal()
    assert await answer == 0


async def test_delay_counts_each_way(url: str, proxy: FaultProxy) -> None:
    async with client_for(proxy.url(url)) as client:
        assert min([await seconds(client.run("SELECT 1")) for _ in range(5)]) < 1.0
        proxy.delay(1.0)
        assert await seconds(client.run("SELECT 2")) >= 2.0
        proxy.heal()
        proxy.delay(1.0, "up")
        assert 1.0 <= min([await seconds(client.run("SELECT 3")) for _ in range(3)]) < 2.0


async def test_a_slow_line_takes_as_long_as_the_bytes_need(url: str, proxy: FaultProxy) -> None:
    async with client_for(proxy.url(url)) as client:
        proxy.slow(200_000, "down")
        assert await seconds(client.value("SELECT repeat('x', 100000)")) >= 0.4


async def test_refused_means_nobody_listens(url: str, proxy: FaultProxy) -> None:
    async with client_for(proxy.url(url)) as early:
        proxy.refuse()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection(HOST, proxy.port)
        assert await early.value("SELECT 1") == 1
        proxy.heal()
        assert await count_through(proxy.url(url)) == 0


async def test_a_reset_reaches_both_ends(server: SqlServer, url: str, proxy: FaultProxy) -> None:
    async with client_for(proxy.url(url)) as client, client_for(url) as witness:
        await soon(lambda: two(server, witness))
        proxy.reset()
        with pytest.raises(LOST):
            await client.value("SELECT 1")
        await soon(lambda: alone(server, witness))
        assert await count_through(proxy.url(url)) == 0


async def test_hanging_up_reaches_both_ends(server: SqlServer, url: str, proxy: FaultProxy) -> None:
    async with client_for(proxy.url(url)) as client, client_for(url) as witness:
        proxy.hang_up()
        with pytest.raises(LOST):
            await client.value("SELECT 1")
        await soon(lambda: alone(server, witness))


async def test_half_open_the_client_waits_for_a_server_that_has_forgotten_it(
    server: SqlServer, url: str, proxy: FaultProxy
) -> None:
    async with client_for(proxy.url(url)) as client, client_for(url) as witness:
        proxy.half_open(kept="client")
        await soon(lambda: alone(server, witness))
        answer = await unanswered(client.value("SELECT 1"))
        assert await count_through(proxy.url(url)) == 0
        answer.cancel()
        await asyncio.gather(answer, return_exceptions=True)


async def test_half_open_the_server_keeps_the_locks_of_a_client_that_is_gone(
    server: SqlServer, url: str, proxy: FaultProxy
) -> None:
    async with client_for(proxy.url(url)) as client, client_for(url) as witness:
        await client.run("BEGIN")
        await write(client)
        proxy.half_open(kept="server")
        with pytest.raises(LOST):
            await client.value("SELECT 1")
        assert await sessions(server, witness) == 2
        assert proxy.connections == 1
        proxy.reset()
        await soon(lambda: alone(server, witness))
        assert await count(witness) == 0


async def test_a_lost_answer_to_commit_leaves_the_client_in_doubt_and_the_work_done(
    url: str, proxy: FaultProxy
) -> None:
    async with client_for(proxy.url(url)) as client, client_for(url) as witness:
        ambush = proxy.ambush(b"COMMIT")
        await client.run("BEGIN")
        await write(client)
        with pytest.raises(LOST):
            await client.run("COMMIT")
        assert (ambush.seen, ambush.sprung) == (1, 1)
        assert await count(witness) == 1


async def test_a_lost_commit_leaves_the_client_in_doubt_and_the_work_undone(
    server: SqlServer, url: str, proxy: FaultProxy
) -> None:
    async with client_for(proxy.url(url)) as client, client_for(url) as witness:
        ambush = proxy.ambush(lambda sent: b"commit" in sent.lower(), lose="request", then="close")
        await client.run("BEGIN")
        await write(client)
        with pytest.raises(LOST):
            await client.run("COMMIT")
        await soon(lambda: alone(server, witness))
        assert ambush.sprung == 1
        assert await count(witness) == 0


async def test_a_lost_answer_can_be_followed_by_silence(url: str, proxy: FaultProxy) -> None:
    async with client_for(proxy.url(url)) as client, client_for(url) as witness:
        ambush = proxy.ambush(b"INSERT", then="silence")
        answer = await unanswered(write(client))
        ambush.wait()
        assert await count(witness) == 1
        assert proxy.connections == 1
        answer.cancel()
        await asyncio.gather(answer, return_exceptions=True)


async def test_the_nth_request_is_the_one(url: str, proxy: FaultProxy) -> None:
    async with client_for(proxy.url(url)) as client:
        third = proxy.ambush(nth=3)
        await client.run("SELECT 1")
        await client.run("SELECT 2")
        with pytest.raises(LOST):
            await client.run("SELECT 3")
    assert (third.seen, third.sprung) == (3, 1)
    assert await count_through(proxy.url(url)) == 0


async def test_an_ambush_springs_as_often_as_asked(url: str, proxy: FaultProxy) -> None:
    ambush = proxy.ambush(b"INSERT", times=3)
    for _ in range(3):
        async with client_for(proxy.url(url)) as client:
            with pytest.raises(LOST):
                await write(client)
    async with client_for(proxy.url(url)) as client:
        await write(client)
        assert await count(client) == 4
    ambush.wait(times=3)
    with pytest.raises(AssertionError, match="sprung 3 times, not 4; 4 matching"):
        ambush.wait(times=4, within_s=0.05)


async def test_with_no_server_behind_it_whoever_comes_is_reset(fault_proxy: MakeProxy) -> None:
    (nobody,) = free_ports(1)
    proxy = fault_proxy(nobody)
    with pytest.raises(ConnectionResetError):  # as early as while connecting, if it is quick
        await read_from(proxy.port)


async def read_from(port: int) -> bytes:
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        return await reader.read()
    finally:
        writer.close()


async def unanswered(question: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Ask, and see that no answer comes for a while; return what waits for it."""
    task = asyncio.create_task(question)
    done, _ = await asyncio.wait([task], timeout=SILENT_S)
    assert not done, task
    return task


async def seconds(work: Coroutine[Any, Any, Any]) -> float:
    began = time.monotonic()
    await work
    return time.monotonic() - began


async def write(client: Client) -> None:
    await client.run("INSERT INTO notes VALUES ('here')")


async def count(client: Client) -> int:
    return int(await client.value("SELECT count(*) FROM notes"))


async def count_through(url: str) -> int:
    async with client_for(url) as client:
        return await count(client)


async def sessions(server: SqlServer, witness: Client) -> int:
    """How many sessions the server holds in the witness's database."""
    query = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        if isinstance(server, Postgres)
        else "SELECT count(*) FROM information_schema.processlist WHERE db = database()"
    )
    return int(await witness.value(query))


async def alone(server: SqlServer, witness: Client) -> bool:
    return await sessions(server, witness) == 1


async def two(server: SqlServer, witness: Client) -> bool:
    return await sessions(server, witness) == 2
