"""A TCP proxy that does to a connection what networks do: silence, delay, half-open, reset, refusal, a lost answer.

It lives on a thread and loop of its own, so sync and async tests drive it alike, and it serves while the test's loop is
busy. Every method returns when the fault is in force. *Up* is client to server, *down* is server to client.
"""

import asyncio
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from types import TracebackType
from typing import Literal, Self, TypeVar, cast
from urllib.parse import urlsplit, urlunsplit

from tests.servers.ambush import Ambush, Lose, Pattern, Then
from tests.servers.link import Fates, Line, Link
from tests.servers.ports import HOST, hold_port

T = TypeVar("T")
Direction = Literal["up", "down", "both"]

BACKLOG = 128


class FaultProxy:
    """Stands between clients and one server: `with FaultProxy(server.port) as proxy: connect(proxy.url(url))`."""

    def __init__(self, target_port: int, *, target_host: str = HOST) -> None:
        self.target = (target_host, target_port)
        self._place = hold_port()
        self.port: int = self._place.getsockname()[1]
        self._up, self._down = Line(), Line()
        self._ambushes: list[Ambush] = []
        self._listener: socket.socket | None = None
        self._links: dict[asyncio.Task[None], Link | None] = {}
        self._bugs: list[BaseException] = []
        self._loop = asyncio.SelectorEventLoop()
        self._thread = threading.Thread(target=self._serve, name="fault-proxy", daemon=True)

    def start(self) -> Self:
        """Listen and pass everything on."""
        self._thread.start()
        self._do(self._listen)
        return self

    def close(self) -> None:
        """Stop listening and reset every connection."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._place.close()
        if self._bugs:
            raise self._bugs[0]

    def url(self, url: str) -> str:
        """The same URL, but through this proxy."""
        parts = urlsplit(url)
        credentials, at, _ = parts.netloc.rpartition("@")
        return urlunsplit(parts._replace(netloc=f"{credentials}{at}{HOST}:{self.port}"))

    @property
    def connections(self) -> int:
        """How many connections it holds now, half-open ones included."""
        return self._do(lambda: len(self._links))

    # -- faults of the line: they hold for open and new connections until `heal` --------------------------------------

    def cut(self, direction: Direction = "both") -> None:
        """Silence: nothing passes, nothing closes. What was sent meanwhile arrives after `heal`, as with TCP."""
        self._spoil(direction, lambda line: line.passable.clear())

    def delay(self, seconds: float, direction: Direction = "both") -> None:
        """Everything arrives this much later; order and throughput stay."""
        self._spoil(direction, lambda line: setattr(line, "delay_s", seconds))

    def slow(self, bytes_per_s: float, direction: Direction = "both") -> None:
        """A line this thin."""
        self._spoil(direction, lambda line: setattr(line, "bytes_per_s", bytes_per_s))

    def refuse(self) -> None:
        """Nobody listens: new connections are refused, open ones go on."""
        self._do(self._stop_listening)

    def heal(self) -> None:
        """A sound line again, and no ambush waiting. What was closed or half-open stays so."""
        self._do(self._heal)

    # -- faults of the connections open now ---------------------------------------------------------------------------

    def reset(self) -> None:
        """Both ends of every open connection get a reset (RST)."""
        self._end_all(Fates("reset", "reset"))

    def hang_up(self) -> None:
        """Both ends of every open connection see the other close it (FIN)."""
        self._end_all(Fates("close", "close"))

    def half_open(self, kept: Literal["client", "server"] = "client") -> None:
        """One end is gone and the `kept` one is not told: it goes on in silence, whatever it sends."""
        self._end_all(Fates("silence", "close") if kept == "client" else Fates("close", "silence"))

    # -- faults of one exchange ---------------------------------------------------------------------------------------

    def ambush(
        self,
        request: Pattern | None = None,
        *,
        nth: int = 1,
        times: int = 1,
        lose: Lose = "answer",
        then: Then = "reset",
    ) -> Ambush:
        """Lose the answer to the n-th (matching) request from now on, and to the `times` - 1 after it.

        A request is what a client sends until the server speaks again. `request` is what it must contain, or a question
        asked of its bytes. With `lose="request"` it never reaches the server; with `"answer"` the server has answered,
        so the work is done. Then the client sees a reset, a close, or nothing any more, and the server a close (or
        nothing).
        """
        waiting = Ambush(request, nth=nth, times=times, lose=lose, then=then)
        self._do(lambda: self._ambushes.append(waiting))
        return waiting

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- how ----------------------------------------------------------------------------------------------------------

    def _serve(self) -> None:
        try:
            self._loop.run_forever()
            self._stop_listening()
            self._loop.run_until_complete(self._end_links(Fates("reset", "reset"), until_gone=True))
        finally:
            self._loop.close()

    def _do(self, act: Callable[[], T]) -> T:
        """Run `act` on the proxy's loop and wait for its result."""
        done: Future[T] = Future()

        def run() -> None:
            try:
                done.set_result(act())
            except BaseException as error:
                done.set_exception(error)

        self._loop.call_soon_threadsafe(run)
        return done.result()

    def _spoil(self, direction: Direction, change: Callable[[Line], None]) -> None:
        lines = {"up": [self._up], "down": [self._down], "both": [self._up, self._down]}[direction]
        for line in lines:
            self._do(partial(change, line))

    def _heal(self) -> None:
        self._up.clear()
        self._down.clear()
        self._ambushes.clear()
        if self._listener is None:
            self._listen()

    def _listen(self) -> None:
        listener = self._listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, self.port))
        listener.listen(BACKLOG)
        listener.setblocking(False)
        self._loop.add_reader(listener, self._accept, listener)

    def _stop_listening(self) -> None:
        if self._listener:
            self._loop.remove_reader(self._listener)
            self._listener.close()
            self._listener = None

    def _accept(self, listener: socket.socket) -> None:
        client, _ = listener.accept()
        task = self._loop.create_task(self._join(client))
        self._links[task] = None
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[None]) -> None:
        del self._links[task]
        if not task.cancelled() and (bug := task.exception()):
            self._bugs.append(bug)

    async def _join(self, client: socket.socket) -> None:
        server = socket.socket()
        for end in (client, server):
            end.setblocking(False)
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link = Link(client, server, up=self._up, down=self._down, ambushes=self._ambushes)
        self._links[cast("asyncio.Task[None]", asyncio.current_task())] = link
        await link.run(self.target)

    def _end_all(self, fates: Fates) -> None:
        asyncio.run_coroutine_threadsafe(self._end_links(fates), self._loop).result()

    async def _end_links(self, fates: Fates, *, until_gone: bool = False) -> None:
        links = [link for link in self._links.values() if link]
        for link in links:
            link.end(fates)
        for link in links:
            await link.ended.wait()
        if until_gone:
            await asyncio.gather(*list(self._links), return_exceptions=True)
