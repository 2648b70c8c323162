"""A server that is told to stop says so at once, however long its last steps take (R18)."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from foliot.app.server import Server
from foliot.app.settings import TEST_TIMING, ServerSettings
from foliot.app.system import SystemClock
from foliot.domain.access import INTERNAL
from foliot.engine.leasing import ServerStops
from foliot.ports.store.runs import Granted, Poll
from foliot.ports.worker_link import Leased
from tests.conformance.building import ask, save
from tests.engine.test_duties import hello, poll
from tests.eventually import soon
from tests.sql.world import CHANCE, World


class Scene:
    """A server one of whose last steps takes its time: its store is slow."""

    def __init__(self, world: World) -> None:
        settings = ServerSettings(store_url=world.url, node_name="s1", timing=TEST_TIMING)
        self.server = Server(settings, world.store, clock=SystemClock(), chance=CHANCE)
        self.stop = asyncio.Event()
        self._hangs, self._go_on = asyncio.Event(), asyncio.Event()
        self.server.presence.step = self._slow  # type: ignore[method-assign]

    async def _slow(self) -> float:
        self._hangs.set()
        await self._go_on.wait()
        return 1.0

    @asynccontextmanager
    async def running(self) -> AsyncIterator[asyncio.Task[None]]:
        running = asyncio.create_task(self.server.run(self.stop))
        await asyncio.wait_for(self._hangs.wait(), 60)
        yield running
        self._go_on.set()
        await asyncio.wait_for(running, 60)


async def test_it_is_stopping_from_the_first_moment(world: World) -> None:
    scene = Scene(world)
    async with scene.running() as running:
        assert not scene.server.is_stopping
        scene.stop.set()
        await soon(lambda: scene.server.is_stopping, within_s=60)
        assert not running.done()


async def test_no_poll_waits_for_the_last_steps_of_a_server_that_stops(world: World) -> None:
    """A worker whose poll is parked here would be idle meanwhile, with work waiting on the other servers."""
    scene = Scene(world)
    async with scene.running() as running:
        workers = scene.server.workers
        await workers.register(hello(), by=INTERNAL)
        waiting = asyncio.create_task(workers.lease(poll(1), by=INTERNAL))
        await soon(lambda: scene.server.leasing.parked == 1, within_s=60)
        scene.stop.set()
        assert await asyncio.wait_for(waiting, 10) == Leased(request_no=1)
        with pytest.raises(ServerStops):  # so that the worker asks another server, and not this one again and again
            await asyncio.wait_for(workers.lease(poll(2), by=INTERNAL), 10)
        assert not running.done()


async def test_a_lease_that_is_under_way_reaches_its_worker(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store has given the runs to the worker: an empty answer would leave them in nobody's hands for a while."""
    scene = Scene(world)
    server = scene.server
    await save(world)
    await world.store.runs.trigger(ask())
    await server.workers.register(hello(), by=INTERNAL)
    await server.pulsing.step()
    lease, begun, go_on = world.store.runs.lease, asyncio.Event(), asyncio.Event()

    async def slow_lease(polls: Sequence[Poll], **how: Any) -> Granted:
        granted = await lease(polls, **how)
        begun.set()
        await go_on.wait()
        return granted

    monkeypatch.setattr(world.store.runs, "lease", slow_lease)
    waiting = asyncio.create_task(server.workers.lease(poll(1), by=INTERNAL))
    await soon(lambda: server.leasing.parked == 1, within_s=60)
    step = asyncio.create_task(server.leasing.step())
    await begun.wait()
    server.leasing.stop()
    assert not waiting.done()
    go_on.set()
    await step
    assert len((await asyncio.wait_for(waiting, 10)).runs) == 1
