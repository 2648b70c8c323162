"""The link inside one process: a server's loop that stops is a server that is away, never a broken worker."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from foliot.app.inprocess import InProcessLink
from foliot.app.system import SystemChance, SystemClock
from foliot.app.worker_thread import WorkerThread
from foliot.client.errors import ServerAway
from foliot.domain.access import Principal
from foliot.operations.worker_service import WorkerService
from foliot.ports.worker_link import Beat, BeatAnswer, Hello, Leased, LeasePoll, Leaving, Welcome
from foliot.worker.crew import Crew
from foliot.worker.settings import WorkerSettings
from tests.eventually import eventually, soon

BEAT = Beat(session="s", beat_no=1, settled=0, held=())


class Service:
    """As much of a server as a worker needs to begin; each beat waits for ever."""

    def __init__(self) -> None:
        self.beats = 0

    async def register(self, hello: Hello, *, by: Principal) -> Welcome:
        return Welcome(session_ttl_us=15_000_000, beat_every_us=5_000_000, margin_us=2_000_000, store_now=0)

    async def lease(self, poll: LeasePoll, *, by: Principal) -> Leased:
        await asyncio.Event().wait()
        raise AssertionError

    async def beat(self, beat: Beat, *, by: Principal) -> BeatAnswer:
        self.beats += 1
        await asyncio.Event().wait()
        raise AssertionError

    async def leave(self, leaving: Leaving, *, by: Principal) -> None: ...


class ServerLoop:
    """A server's loop in a thread, stopped as `asyncio.run` stops: what still runs is cancelled, then it is closed."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._over: asyncio.Event | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(60)

    def _run(self) -> None:
        async def serve() -> None:
            self._over = asyncio.Event()
            self._ready.set()
            await self._over.wait()

        with asyncio.Runner(loop_factory=lambda: self.loop) as runner:
            runner.run(serve())

    def stop(self) -> None:
        assert self._over is not None
        self.loop.call_soon_threadsafe(self._over.set)
        self._thread.join(60)
        assert self.loop.is_closed()


async def away(call: Callable[[], Awaitable[Any]]) -> None:
    with pytest.raises(ServerAway):
        await call()


async def test_a_beat_under_way_when_the_server_stops_finds_it_away() -> None:
    server, service = ServerLoop(), Service()
    link = InProcessLink(cast("WorkerService", service), server.loop)
    beating = asyncio.create_task(asyncio.to_thread(link.beat, BEAT))
    await soon(lambda: service.beats == 1, within_s=60)
    await asyncio.to_thread(server.stop)
    await away(lambda: beating)
    await away(lambda: asyncio.to_thread(link.beat, BEAT))
    await away(lambda: link.leave(Leaving(session="s")))


async def test_a_beat_that_takes_too_long_is_given_up_and_its_call_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foliot.app.inprocess.BEAT_WITHIN_S", 0.05)
    ended = asyncio.Event()

    class Slow(Service):
        async def beat(self, beat: Beat, *, by: Principal) -> BeatAnswer:
            try:
                return await super().beat(beat, by=by)
            finally:
                ended.set()

    link = InProcessLink(cast("WorkerService", Slow()), asyncio.get_running_loop())
    await away(lambda: asyncio.to_thread(link.beat, BEAT))
    await asyncio.wait_for(ended.wait(), 60)


def test_a_worker_stopped_within_a_moment_of_registering_leaves_in_peace() -> None:
    """Its first beat is under way when the server goes: that is no bug of the worker's."""
    server, service = ServerLoop(), Service()
    ends: list[BaseException | None] = []

    def make() -> Crew:
        link = InProcessLink(cast("WorkerService", service), server.loop)
        settings = WorkerSettings(name="w-1", slots=1, processes_warm=2, flush_within_s=0.1, call_within_s=0.5)
        return Crew(lambda: link, SystemClock(), SystemChance(), settings)

    worker = WorkerThread(make, ended=ends.append)
    worker.start()
    eventually(lambda: service.beats >= 1, within_s=60)
    assert worker.turns(), "nothing was asked of its loop before"
    eventually(worker.turns, within_s=60)
    blocked, go_on = threading.Event(), threading.Event()

    def block() -> None:
        """As a user's function may."""
        blocked.set()
        go_on.wait(60)

    worker._call(block)
    assert blocked.wait(60)
    worker.turns()
    assert [worker.turns() for _ in range(3)] == [False] * 3, "its loop stands still"
    go_on.set()
    eventually(worker.turns, within_s=60)
    server.stop()
    worker.stop()
    eventually(lambda: bool(ends), within_s=60)
    assert ends == [None]
    eventually(worker.turns, within_s=60, what="one that is over does not stand still")
