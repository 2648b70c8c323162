"""SEC-32 on the wire: headers that trickle, headers without end, answers nobody takes, too many connections."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import pytest

from foliot.app.connections import HttpConnection, ProxiedConnection
from foliot.app.listener import HttpServer
from foliot.app.system import SystemClock
from tests.eventually import soon

REQUEST = b"GET / HTTP/1.1\r\nhost: foliot\r\n\r\n"
ONLY_REQUEST = b"GET / HTTP/1.1\r\nhost: foliot\r\nconnection: close\r\n\r\n"
WITHIN_S = 30


class Impatient(HttpConnection):
    """The same with a time that a test can wait for; whoever must ask in time asks of another."""

    head_within_s = 0.3


class ImpatientLater(HttpConnection):
    """Likewise, and with room for a first request on a machine that stalls."""

    head_within_s = 4


class Untaken(HttpConnection):
    """Soon tired of an answer that nobody takes."""

    taken_within_s = 0.5


class Few(ProxiedConnection):
    """Room for four, whoever they are."""

    at_once_max = 4


class FewShared(HttpConnection):
    """Room for four, of which one address may have half."""

    at_once_max = 4


class Dropping(HttpConnection):
    """Soon tired of a body that was answered already."""

    dropped_within_s = 0.5


class Noted(HttpConnection):
    """Notes how its sockets send."""

    sends_at_once: ClassVar[list[bool]] = []

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        listener = transport.get_extra_info("socket")
        self.sends_at_once.append(bool(listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))


class App:
    """Answers at once; with a path of /held, when told to; with a path of /flood, more than anybody takes."""

    def __init__(self) -> None:
        self.flooding = asyncio.Event()
        self.flood_over = asyncio.Event()
        self.held = 0
        self.release = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
        if scope["path"] == "/flood":
            await self._flood(send)
        if scope["path"] == "/held":
            self.held += 1
            await self.release.wait()
        await send({"type": "http.response.body", "body": b"fine"})

    async def _flood(self, send: Any) -> None:
        self.flooding.set()
        for _ in range(1000):  # 64 MB: more than any buffer between here and there
            await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})
        self.flood_over.set()  # sending to nobody ends at once


@asynccontextmanager
async def listening(app: Any, connection: type[HttpConnection] = HttpConnection) -> AsyncIterator[int]:
    http, stop = HttpServer("127.0.0.1", 0), asyncio.Event()
    task = asyncio.create_task(http.serve(app, stop, clock=SystemClock(), connection=connection))
    try:
        await soon(lambda: http.is_listening, within_s=WITHIN_S, what="it listens")
        yield http.port
    finally:
        stop.set()
        await asyncio.wait_for(task, WITHIN_S)


async def answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """One whole answer of a connection that is closed behind it, or (0, b"") for none."""
    said = b""
    with contextlib.suppress(ConnectionResetError):  # closed with something of ours unread, which is how TCP says it
        while more := await asyncio.wait_for(reader.read(65536), WITHIN_S):
            said += more
    if not said:
        return 0, b""
    head, _, body = said.partition(b"\r\n\r\n")
    return int(head.split(b" ")[1]), body


async def test_headers_that_trickle_are_not_waited_for() -> None:
    async with listening(App(), Impatient) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        trickling = asyncio.create_task(trickle(writer, REQUEST[:-2] + b"x-slow: " + b"y" * 100_000))
        status, body = await answer(reader)
        trickling.cancel()
        assert status == 408
        assert json.loads(body)["code"] == "FOL-1080"
        writer.close()


async def trickle(writer: asyncio.StreamWriter, data: bytes) -> None:
    """A byte now and then, which is how a connection is kept busy for nothing."""
    pause = asyncio.Event()
    for byte in data:
        writer.write(bytes([byte]))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(pause.wait(), 0.01)


@pytest.mark.parametrize("said", [b"", b"\r\n"], ids=["nothing", "empty lines"])
async def test_a_connection_that_asks_nothing_is_closed(said: bytes) -> None:
    async with listening(App(), ImpatientLater if said else Impatient) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(said)
        status, _ = await answer(reader)
        assert status == (408 if said else 0)
        writer.close()


async def test_empty_lines_between_requests_keep_nothing_open() -> None:
    async with listening(App(), ImpatientLater) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(REQUEST)
        await asyncio.wait_for(reader.readuntil(b"fine"), WITHIN_S)
        writer.write(b"\r\n\r\n")
        rest = await asyncio.wait_for(reader.read(), WITHIN_S)
        assert b" 408 " in rest
        writer.close()


async def test_headers_without_end_are_not_kept() -> None:
    async with listening(App()) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\n" + b"".join(b"x-%d: %s\r\n" % (i, b"y" * 1000) for i in range(100)))
        status, body = await answer(reader)
        assert (status, json.loads(body)["code"]) == (431, "FOL-1081")
        writer.close()


async def test_large_bodies_behind_a_whole_head_are_none_of_its_business() -> None:
    async with listening(App()) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        body = b"z" * (3 * HttpConnection.head_bytes_max)
        writer.write(b"POST / HTTP/1.1\r\nhost: foliot\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(body))
        writer.write(body)
        status, _ = await answer(reader)
        assert status == 200
        writer.close()


CHUNKED = b"POST %s HTTP/1.1\r\nhost: foliot\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n"
ENDLESS: dict[str, bytes] = {
    "many lines": CHUNKED % b"/" + b"a:b\r\n" * 50_000,
    "one long line": CHUNKED % b"/" + b"a: " + b"b" * 600_000,
    "one long name": CHUNKED % b"/" + b"a" * 600_000,
    "behind the size of a chunk": CHUNKED[:-3] % b"/" + b"1;" + b"a" * 600_000,
}


class Keeping(App):
    """Notes what it was told in headers once the whole body was there."""

    def __init__(self) -> None:
        super().__init__()
        self.headers: list[tuple[bytes, bytes]] = []
        self.all_names: set[bytes] = set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await super().__call__(scope, receive, send)
        self.headers = list(scope["headers"])
        self.all_names |= {name for name, _ in self.headers}


@pytest.mark.parametrize("name", ENDLESS)
async def test_header_lines_behind_a_body_have_an_end(name: str) -> None:
    app = Keeping()
    async with listening(app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(ENDLESS[name])
        status, body = await answer(reader)
        assert (status, json.loads(body)["code"]) == (431, "FOL-1081")
        writer.close()
    assert len(app.headers) <= 2


async def test_header_lines_behind_a_body_are_not_headers() -> None:
    app = Keeping()
    async with listening(app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(CHUNKED % b"/" + b"authorization: Bearer fol_x\r\nx-forwarded-proto: https\r\n\r\n" + ONLY_REQUEST)
        await asyncio.wait_for(reader.readuntil(b"fine\r\n0\r\n\r\n"), WITHIN_S)
        assert (await answer(reader))[0] == 200, "the next request is a request, with its headers"
        writer.close()
    assert app.headers == [(b"host", b"foliot"), (b"connection", b"close")]
    assert app.all_names == {b"host", b"transfer-encoding", b"connection"}


async def test_header_lines_behind_a_body_break_into_no_answer() -> None:
    """An answer that began, or is over, is not followed by a refusal, which would be taken for a part of it."""
    async with listening(Refusing()) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(CHUNKED % b"/")
        await asyncio.wait_for(reader.readuntil(b"no"), WITHIN_S)
        writer.write(b"a:b\r\n" * 50_000)
        assert (await answer(reader))[0] == 0
        writer.close()


async def test_an_answer_that_nobody_takes_ends_the_connection() -> None:
    app = App()
    async with listening(app, Untaken) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
        writer.write(b"GET /flood HTTP/1.1\r\nhost: foliot\r\n\r\n")
        await asyncio.wait_for(app.flooding.wait(), WITHIN_S)
        await asyncio.wait_for(app.flood_over.wait(), WITHIN_S)  # nothing was read here, and still it is over
        writer.close()


async def test_one_connection_too_many_is_told_so_and_the_others_go_on() -> None:
    app = App()
    async with listening(app, Few) as port:
        held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(Few.at_once_max)]
        for _, writer in held:
            writer.write(ONLY_REQUEST.replace(b"GET /", b"GET /held"))
        await soon(lambda: app.held == len(held), within_s=WITHIN_S, what="four are being answered")
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        status, body = await answer(reader)
        assert (status, json.loads(body)["code"]) == (503, "FOL-4006")
        writer.close()
        app.release.set()
        for reader, writer in held:
            assert (await answer(reader))[0] == 200
            writer.close()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)  # and then there is room again
        writer.write(ONLY_REQUEST)
        assert (await answer(reader))[0] == 200
        writer.close()


async def test_one_address_leaves_connections_for_others() -> None:
    app = App()
    async with listening(app, FewShared) as port:
        held = [await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.2", 0)) for _ in range(2)]
        for _, writer in held:
            writer.write(ONLY_REQUEST.replace(b"GET /", b"GET /held"))
        await soon(lambda: app.held == 2, within_s=WITHIN_S, what="two are being answered")
        reader, third = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.2", 0))
        assert (await answer(reader))[0] == 503
        reader, other = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.3", 0))
        other.write(ONLY_REQUEST)
        assert (await answer(reader))[0] == 200
        app.release.set()
        for reader, _ in held:
            assert (await answer(reader))[0] == 200
        reader, again = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.2", 0))
        again.write(ONLY_REQUEST)
        assert (await answer(reader))[0] == 200
        for writer in (*(writer for _, writer in held), third, other, again):
            writer.close()


class Refusing:
    """Answers before anything of a body was read; notes who asked."""

    def __init__(self) -> None:
        self.clients: list[Any] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.clients.append((scope["type"], scope["client"][0], scope["scheme"]))
        await send({"type": "http.response.start", "status": 401, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"no"})


POST = b"POST / HTTP/1.1\r\nhost: foliot\r\ncontent-length: 1000000\r\n\r\n"


async def test_a_refusal_before_the_end_of_a_body_is_heard_and_the_rest_is_not_waited_for() -> None:
    async with listening(Refusing(), Dropping) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(POST)
        trickling = asyncio.create_task(trickle(writer, b"x" * 100_000))
        assert b" 401 " in await asyncio.wait_for(reader.readuntil(b"no"), WITHIN_S)
        assert (await answer(reader))[0] == 0, "the connection ends, and nothing more is said"
        trickling.cancel()
        writer.close()


async def test_who_ends_the_body_after_a_refusal_may_ask_again() -> None:
    async with listening(Refusing()) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(2):
            writer.write(POST)
            await asyncio.wait_for(reader.readuntil(b"no"), WITHIN_S)
            writer.write(b"x" * 1_000_000)
        writer.close()


async def test_what_a_header_says_of_the_address_is_not_believed() -> None:
    app = Refusing()
    forged = b"GET / HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 9.9.9.9\r\nx-forwarded-proto: https\r\n\r\n"
    async with listening(app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(forged)
        await asyncio.wait_for(reader.readuntil(b"no"), WITHIN_S)
        writer.close()
    assert app.clients == [("http", "127.0.0.1", "http")]


async def test_a_connection_becomes_nothing_that_has_no_limits() -> None:
    app = Refusing()
    upgrade = (
        b"GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
        b"sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    async with listening(app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(upgrade)
        await asyncio.wait_for(reader.readuntil(b"no"), WITHIN_S)
        writer.close()
    assert [kind for kind, _, _ in app.clients] == ["http"]


async def test_an_answer_does_not_wait_for_the_one_before_it_to_be_acknowledged() -> None:
    """Otherwise each one takes the 40 ms that the other side delays its acknowledgement by."""
    Noted.sends_at_once.clear()
    async with listening(App(), Noted) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        await soon(lambda: Noted.sends_at_once, within_s=WITHIN_S)
        writer.close()
    assert all(Noted.sends_at_once)


async def test_nonsense_is_a_problem_document() -> None:
    async with listening(App()) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"\x16\x03\x01 hello\r\n\r\n")
        status, body = await answer(reader)
        assert (status, json.loads(body)["code"]) == (400, "FOL-1080")
        writer.close()


def test_the_usual_times_leave_room_for_slow_lines_and_few_for_attackers() -> None:
    assert HttpConnection.head_within_s == 10
    assert HttpConnection.taken_within_s == 30
    assert HttpConnection.at_once_max >= 64
