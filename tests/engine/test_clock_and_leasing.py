"""A store clock that jumps ahead brings no run forward that waits for a later start (R7)."""

import asyncio
from typing import Any

import pytest

from foliot.app.server import Server
from foliot.domain.access import INTERNAL
from foliot.domain.clocks import STEP_US
from foliot.domain.instants import MINUTE, SECOND, Micros
from foliot.ports.worker_link import Leased
from foliot.store.sql.kernel.database import Mode, Pool
from tests.clocks import DrivenClock
from tests.conformance.building import ask, save
from tests.engine.conftest import MakeServer
from tests.engine.test_duties import hello, parked, poll
from tests.engine.test_step_guard import beat_on, present, suspect
from tests.sql.world import World

JUMP = 10 * MINUTE


class Scene:
    """Three servers, so that most of them can doubt the clock, and a worker that polls the first of them."""

    def __init__(self, world: World, clock: DrivenClock, make_server: MakeServer) -> None:
        self.world = world
        self.clock = clock
        self.servers = [make_server(f"s{n}") for n in range(3)]
        self._polls = 0

    @property
    def server(self) -> Server:
        return self.servers[0]

    async def begin(self) -> None:
        for name in ("plain", "serial"):
            await save(self.world, name, overlap="allow" if name == "plain" else "queue_all")
        for server in self.servers:
            await present(server)
        await self.server.workers.register(hello(), by=INTERNAL)

    async def trigger(self, delay_us: Micros | None = None, *, key: str) -> None:
        for name in ("plain", "serial"):
            await self.world.store.runs.trigger(ask(name, key=f"{name}-{key}", delay_us=delay_us))

    async def leased(self) -> list[str]:
        """The jobs whose runs a worker gets now."""
        self._polls += 1
        await self.server.sweeping.step()
        waiting = await parked(self.server, poll(self._polls, wait_s=0))
        self.server.leasing.hint()
        await self.server.leasing.step()
        leased: Leased = await asyncio.wait_for(waiting, 30)
        return sorted(run.job for run in leased.runs)

    async def pass_by(self, seconds: int) -> None:
        """Time passes; the worker lives on."""
        for _ in range(seconds):
            await beat_on(self.world, self.clock, *self.servers)
            await self.server.workers.register(hello(), by=INTERNAL)


async def test_what_waits_for_a_later_start_waits_for_it_in_true_time(
    world: World, clock: DrivenClock, make_server: MakeServer
) -> None:
    scene = Scene(world, clock, make_server)
    await scene.begin()
    await scene.trigger(20 * SECOND, key="soon")
    await scene.trigger(JUMP + 20 * SECOND, key="late")
    await world.elapse(JUMP)
    await scene.server.workers.register(hello(), by=INTERNAL)  # else the worker is dead by that clock
    assert await scene.leased() == [], "this server has not even heard of the new time"
    await scene.pass_by(2)
    assert await suspect(world)
    assert await scene.leased() == []
    await scene.trigger(key="now")
    await scene.pass_by(1)
    assert await scene.leased() == ["plain", "serial"], "what is triggered now starts now"
    await scene.pass_by(20)
    assert await scene.leased() == ["plain"], "the serial job has a run that is not over"
    await scene.pass_by(5)
    assert await scene.leased() == [], "what waits for longer than the clock jumped waits as well"


async def test_a_lease_that_waited_long_for_its_turn_at_the_store_takes_no_wait_for_a_jump(
    world: World, clock: DrivenClock, make_server: MakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Store and server are as slow as that for good: each wait is longer than the jump that is minded (R11)."""
    scene = Scene(world, clock, make_server)
    await scene.begin()
    await scene.pass_by(1)
    await scene.trigger(key="now")
    once = world.database.runner.once
    waits: list[Pool] = []

    async def late(work: Any, pool: Pool, mode: Mode) -> Any:
        if getattr(work, "__qualname__", "").startswith("SqlRunStore.lease"):
            waits.append(pool)
            await world.elapse(2 * STEP_US)
            await clock.advance(2 * STEP_US / SECOND)
            await scene.server.workers.register(hello(), by=INTERNAL)  # the worker lives on
        return await once(work, pool, mode)

    monkeypatch.setattr(world.database.runner, "once", late)
    assert await scene.leased() == ["plain", "serial"]
    assert waits, "the lease waited"
