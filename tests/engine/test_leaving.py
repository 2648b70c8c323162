"""A worker is told to stop while a run is on its way to it: the run executes once, there or elsewhere, and is not lost.

The worker, the server's part of the protocol and the store are the real ones; the test stops the worker at one exact
moment of a poll, and lets no beat pass between that and its leave.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from foliot.app.inprocess import InProcessLink
from foliot.app.server import Server
from foliot.app.settings import ServerSettings
from foliot.app.system import SystemClock
from foliot.client.errors import ServerAway
from foliot.ports.store.runs import Granted, Poll
from foliot.ports.worker_link import Beat, BeatAnswer, Leased, LeasePoll, Leaving
from foliot.worker.settings import WorkerSettings
from foliot.worker.worker import Worker
from tests.conformance.building import save
from tests.conformance.working import trigger
from tests.eventually import soon
from tests.sql.rows import attempts_of, run_of
from tests.sql.world import CHANCE, World
from tests.unit.worker.house import code, name_of

MOMENTS = (
    "before the poll is sent",
    "while the poll waits at the server",
    "when the server looks for runs",
    "when the lease is committed and not answered",
    "when the answer is lost",
    "when the answer arrives",
)


class Link(InProcessLink):
    """The link inside one process, with a hand on it."""

    def __init__(self, server: Server) -> None:
        super().__init__(server.workers, asyncio.get_running_loop())
        self.is_mute = False  # no beat is answered
        self.leaves_lost = 0  # so many are done, and the answer is lost
        self.leaves = 0
        self.polls = 0
        self.before: Callable[[], None] = lambda: None
        self.after: Callable[[Leased], Leased] = lambda leased: leased

    async def lease(self, poll: LeasePoll) -> Leased:
        self.before()
        self.polls += 1
        leased = await super().lease(poll)
        return self.after(leased)

    async def leave(self, leaving: Leaving) -> None:
        self.leaves += 1
        await super().leave(leaving)
        if self.leaves_lost:
            self.leaves_lost -= 1
            raise ServerAway("this process", "lost")

    def beat(self, beat: Beat) -> BeatAnswer:
        if self.is_mute:
            raise ServerAway("this process", "mute")
        return super().beat(beat)


class Scene:
    """A server whose leasing the test steps, and workers on it."""

    def __init__(self, world: World) -> None:
        self.world = world
        settings = ServerSettings(store_url=world.url, node_name="s1")
        self.server = Server(settings, world.store, clock=SystemClock(), chance=CHANCE)

    @asynccontextmanager
    async def working(self, link: Link) -> AsyncIterator[tuple[Worker, "asyncio.Task[None]"]]:
        settings = WorkerSettings(name="w", slots=2, processes_warm=0)
        worker = Worker(link, SystemClock(), CHANCE, settings, code())
        task = asyncio.create_task(worker.run())
        try:
            await soon(lambda: link.polls > 0, within_s=60)
            yield worker, task
        finally:
            worker.stop()
            await asyncio.wait_for(task, 60)

    async def look(self) -> None:
        """One step of the server's leasing."""
        await self.server.pulsing.step()
        self.server.leasing.hint()
        await self.server.leasing.step()

    async def look_until(self, condition: Callable[[], Any]) -> None:
        async def looked() -> bool:
            await self.look()
            return bool(condition())

        await soon(looked, within_s=60)


@pytest.fixture
def scene(world: World) -> Scene:
    return Scene(world)


async def once(world: World) -> int:
    """A run that must execute at most once."""
    await save(world, "once", run=name_of("noop"), on_lost="fail")
    (run_id,) = await trigger(world, "once")
    return run_id


@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_run_on_its_way_to_a_worker_that_stops_is_not_lost(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    world, link = scene.world, Link(scene.server)
    run_id = await once(world)
    async with scene.working(link) as (worker, task):
        session = worker.session
        assert session is not None

        def stop() -> None:
            link.is_mute = True
            worker.stop()

        await _stop_at(moment, stop, scene, link, task, monkeypatch)
        await asyncio.wait_for(asyncio.shield(task), 60)
        assert worker.figures.started == 0
    monkeypatch.undo()
    row = await run_of(world, run_id)
    assert (row["state"], row["kind"], row["deaths"], row["failures"]) == ("PENDING", None, 0, 0), row["error"]
    node = (await world.rows("SELECT state FROM nodes WHERE id = :id", id=session.id))[0]
    assert node["state"] == "dead", "it left"
    await _executes_elsewhere(scene, run_id)


async def test_a_goodbye_whose_answer_was_lost_is_said_again(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    world, link = scene.world, Link(scene.server)
    run_id = await once(world)
    link.leaves_lost = 1
    async with scene.working(link) as (worker, task):
        link.after = _losing(worker.stop)
        link.is_mute = True
        await scene.look_until(task.done)
    assert (link.leaves, link.leaves_lost) == (2, 0)
    assert [attempt["cause"] for attempt in await attempts_of(world, run_id)] == ["unknown_to_worker"]
    await _executes_elsewhere(scene, run_id)


async def test_a_server_that_stops_with_its_polls_parked_loses_no_run(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lease is committed, and the poll was answered with nothing meanwhile: its worker settles it, and goes."""
    world, link = scene.world, Link(scene.server)
    run_id = await once(world)
    async with scene.working(link) as (worker, task):

        async def told_to_stop() -> None:
            link.is_mute = True
            scene.server.leasing.stop()
            polls = link.polls
            await soon(lambda: link.polls > polls, within_s=60, what="the empty answer was taken")
            worker.stop()
            await asyncio.wait_for(asyncio.shield(task), 60)

        _after_the_commit(scene, monkeypatch, told_to_stop)
        await scene.look()
        assert task.done()
        assert worker.figures.started == 0
    row = await run_of(world, run_id)
    assert (row["state"], row["deaths"]) == ("PENDING", 0)


async def _stop_at(
    moment: str,
    stop: Callable[[], None],
    scene: Scene,
    link: Link,
    task: "asyncio.Task[None]",
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def stopped_for_good() -> None:
        stop()
        await asyncio.wait_for(asyncio.shield(task), 60)

    if moment == MOMENTS[0]:
        link.before = stop
        scene.server.leasing._release(next(iter(scene.server.leasing._parked)))  # the next poll is to come
        await soon(task.done, within_s=60)
    elif moment == MOMENTS[1]:
        stop()
        await scene.look()
    elif moment == MOMENTS[2]:
        _before_the_look(scene, monkeypatch, stopped_for_good)
        await scene.look()
    elif moment == MOMENTS[3]:
        _after_the_commit(scene, monkeypatch, stopped_for_good)
        await scene.look()
    else:
        link.after = _losing(stop) if moment == MOMENTS[4] else _stopping(stop)
        await scene.look_until(task.done)


def _before_the_look(scene: Scene, monkeypatch: pytest.MonkeyPatch, act: Callable[[], Any]) -> None:
    real = scene.world.store.runs.lease

    async def lease(polls: Sequence[Poll], **how: Any) -> Granted:
        await act()
        return await real(polls, **how)

    monkeypatch.setattr(scene.world.store.runs, "lease", lease)


def _after_the_commit(scene: Scene, monkeypatch: pytest.MonkeyPatch, act: Callable[[], Any]) -> None:
    real = scene.world.store.runs.lease

    async def lease(polls: Sequence[Poll], **how: Any) -> Granted:
        granted = await real(polls, **how)
        assert any(grant.runs for grant in granted.grants), "the run is in the worker's hands, and it does not know"
        monkeypatch.undo()
        await act()
        return granted

    monkeypatch.setattr(scene.world.store.runs, "lease", lease)


def _losing(stop: Callable[[], None]) -> Callable[[Leased], Leased]:
    """Every answer with runs is lost. The worker is told to stop at the first: a second word would hurry it."""
    lost = 0

    def after(leased: Leased) -> Leased:
        nonlocal lost
        if not leased.runs:
            return leased
        lost += 1
        if lost == 1:
            stop()
        raise ServerAway("this process", "the answer was lost")

    return after


def _stopping(stop: Callable[[], None]) -> Callable[[Leased], Leased]:
    def after(leased: Leased) -> Leased:
        if leased.runs:
            stop()
        return leased

    return after


async def _executes_elsewhere(scene: Scene, run_id: int) -> None:
    async with scene.working(Link(scene.server)) as (other, _):
        await scene.look_until(lambda: other.figures.acknowledged)
        assert other.figures.started == 1
    assert (await run_of(scene.world, run_id))["state"] == "SUCCEEDED"
