"""One connection through the fault proxy: two sockets, and what passes between them."""

import asyncio
import contextlib
import socket
import struct
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from tests.servers.ambush import Ambush

CONNECT_WITHIN_S = 30.0
CHUNK = 65_536
CHUNKS_QUEUED_MAX = 64
REQUEST_KEPT_MAX = 1_048_576
THROTTLE_STEPS_PER_S = 20

Fate = Literal["close", "reset", "silence"]
"""What becomes of one end: it sees a FIN, a RST, or nothing ever again."""


class Fates(NamedTuple):
    """What becomes of the two ends."""

    client: Fate
    server: Fate


class Packet(NamedTuple):
    """Bytes on their way (none: a FIN; None: a RST) and when they may arrive, by the loop's clock."""

    due: float
    data: bytes | None


@dataclass
class Line:
    """The state of one direction, for all connections."""

    delay_s: float = 0.0
    bytes_per_s: float | None = None
    passable: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Make it sound."""
        self.delay_s = 0.0
        self.bytes_per_s = None
        self.passable.set()


class Link:
    """Passes bytes both ways as the lines allow, until one end resets, both have closed, or a fault ends it."""

    def __init__(
        self, client: socket.socket, server: socket.socket, *, up: Line, down: Line, ambushes: list[Ambush]
    ) -> None:
        self.ended = asyncio.Event()
        """Set once nothing passes any more."""
        self._client = client
        self._server = server
        self._up = up
        self._down = down
        self._ambushes = ambushes
        self._loop = asyncio.get_running_loop()
        self._fates: asyncio.Future[Fates] = self._loop.create_future()
        self._request = b""
        self._counted: set[Ambush] = set()
        self._server_spoke = False
        self._losing_answer_to: Ambush | None = None

    async def run(self, target: tuple[str, int]) -> None:
        """Connect to the server and live until both sockets are closed."""
        fates = await self._pass_between(target)
        while kept := self._close_ends(fates):
            fates = await self._until_decided(*(self._discard(end) for end in kept))

    def end(self, fates: Fates) -> None:
        """Decide what becomes of the two ends; the first word counts."""
        if not self._fates.done():
            self._fates.set_result(fates)

    async def _pass_between(self, target: tuple[str, int]) -> Fates:
        try:
            await asyncio.wait_for(self._loop.sock_connect(self._server, target), CONNECT_WITHIN_S)
        except OSError:
            return Fates("reset", "close")
        up: asyncio.Queue[Packet] = asyncio.Queue(CHUNKS_QUEUED_MAX)
        down: asyncio.Queue[Packet] = asyncio.Queue(CHUNKS_QUEUED_MAX)
        return await self._until_decided(
            self._receive(self._client, up, self._up),
            self._send(self._server, up, self._up),
            self._receive(self._server, down, self._down),
            self._send(self._client, down, self._down),
        )

    async def _until_decided(self, *work: Coroutine[Any, Any, None]) -> Fates:
        tasks = [self._loop.create_task(one) for one in work]
        everything: asyncio.Future[Any] = asyncio.gather(*tasks)
        try:
            await asyncio.wait([everything, self._fates], return_when=asyncio.FIRST_COMPLETED)
        finally:
            everything.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            with contextlib.suppress(asyncio.CancelledError):
                await everything
        return self._fates.result() if self._fates.done() else Fates("close", "close")

    def _close_ends(self, fates: Fates) -> list[socket.socket]:
        """Do to each end what was decided; return those kept in silence."""
        kept = []
        for end, fate in ((self._client, fates.client), (self._server, fates.server)):
            if end.fileno() < 0:
                continue
            if fate == "silence":
                kept.append(end)
                continue
            if fate == "reset":
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            end.close()
        self._fates = self._loop.create_future()
        self.ended.set()
        return kept

    async def _receive(self, source: socket.socket, queue: asyncio.Queue[Packet], line: Line) -> None:
        data: bytes | None = b"-"
        while data:
            try:
                data = await self._loop.sock_recv(source, CHUNK)
            except OSError:
                data = None
            if data and line is self._down and self._swallows_answer():
                return
            await queue.put(Packet(self._loop.time() + line.delay_s, data))

    async def _send(self, sink: socket.socket, queue: asyncio.Queue[Packet], line: Line) -> None:
        while True:
            packet = await queue.get()
            await asyncio.sleep(packet.due - self._loop.time())
            await line.passable.wait()
            if packet.data is None:
                return self.end(Fates("reset", "reset"))
            if line is self._up and self._swallows_request(packet.data):
                return None
            try:
                await self._pass_on(packet.data, sink, line)
            except OSError:
                return self.end(Fates("reset", "reset"))
            if not packet.data:
                return None

    async def _pass_on(self, data: bytes, sink: socket.socket, line: Line) -> None:
        if not data:
            return sink.shutdown(socket.SHUT_WR)
        while data:
            await line.passable.wait()
            thin = line.bytes_per_s
            size = max(1, int(thin / THROTTLE_STEPS_PER_S)) if thin else CHUNK
            await self._loop.sock_sendall(sink, data[:size])
            data = data[size:]
            if thin:
                await asyncio.sleep(size / thin)
        return None

    async def _discard(self, end: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while await self._loop.sock_recv(end, CHUNK):
                pass

    def _swallows_request(self, data: bytes) -> bool:
        """Look at what the client sends; True if it must not reach the server."""
        if self._server_spoke:
            self._request, self._server_spoke = b"", False
            self._counted.clear()
        self._request = (self._request + data)[-REQUEST_KEPT_MAX:]
        for ambush in self._ambushes:
            if ambush in self._counted or not data or not ambush.matches(self._request):
                continue
            self._counted.add(ambush)
            if ambush.takes_next():
                if ambush.lose == "request":
                    self._spring(ambush)
                    return True
                self._losing_answer_to = ambush
        return False

    def _swallows_answer(self) -> bool:
        """Note that the server has answered; True if the client must not hear of it."""
        self._server_spoke = True
        if self._losing_answer_to is None:
            return False
        self._spring(self._losing_answer_to)
        return True

    def _spring(self, ambush: Ambush) -> None:
        self.end(Fates(ambush.then, "silence" if ambush.then == "silence" else "close"))
        ambush.spring()
