"""A store clock that jumps ahead fires nothing early, and one that jumps back loses nothing (R7, C1, S3)."""

from datetime import datetime, timedelta

import pytest

from foliot.app.server import Server
from foliot.domain.instants import HOUR, SECOND
from foliot.store.sql.clock import trust
from tests.clocks import DrivenClock
from tests.conformance.building import every, runs_of
from tests.conformance.world import World
from tests.engine.conftest import MakeServer

STEP = 120 * SECOND


async def present(server: Server) -> None:
    """A server that is registered, has heard a pulse and has reported its clock."""
    await server.presence.step()
    await server.pulsing.step()
    await server.step_guard.step()


async def beat_on(world: World, clock: DrivenClock, *servers: Server, seconds: int = 1) -> None:
    """Time passes evenly, for the store and for the servers, with a pulse each second."""
    for _ in range(seconds):
        await world.elapse(SECOND)
        await clock.advance(1)
        for server in servers:
            await server.pulsing.step()
            await server.step_guard.step()
            await server.firing.step()


async def suspect(world: World) -> bool:
    return bool(await world.value("SELECT clock_suspect FROM store_meta"))


async def test_even_time_is_never_held(world: World, clock: DrivenClock, server: Server) -> None:
    await every(world, interval="2s")
    await present(server)
    await beat_on(world, clock, server, seconds=20)
    assert server.step_guard.steps == 0
    assert len(await runs_of(world)) >= 1


async def test_a_step_forward_holds_firing_for_a_beat_and_is_accepted_when_nobody_else_can_judge(
    world: World, clock: DrivenClock, server: Server
) -> None:
    await every(world, interval="1m")
    await present(server)
    await world.elapse(STEP)
    await beat_on(world, clock, server)
    assert server.step_guard.steps == 1
    assert await runs_of(world) == []  # held
    assert not await suspect(world)  # fewer than three: an alarm only
    await beat_on(world, clock, server, seconds=5)
    assert len(await runs_of(world)) >= 1


async def test_a_gap_in_the_pulses_says_nothing_about_the_clock(
    world: World, clock: DrivenClock, server: Server
) -> None:
    await present(server)
    await world.elapse(HOUR)
    await clock.advance(60)  # an outage, in which the machine slept or the store was away
    await server.pulsing.step()
    assert server.step_guard.steps == 0


async def test_a_step_seen_by_most_is_suspect_and_due_follows_the_time_they_believe(
    world: World, clock: DrivenClock, make_server: MakeServer
) -> None:
    job = await every(world, interval="10s")
    assert job.next_at is not None
    servers = [make_server(name) for name in ("s1", "s2", "s3")]
    for server in servers:
        await present(server)
    before = await world.now()
    await world.elapse(STEP)
    await beat_on(world, clock, *servers)
    assert await suspect(world)
    good = await world.value("SELECT last_good_time FROM store_meta")
    assert abs(good - before) < 5 * SECOND

    await beat_on(world, clock, *servers, seconds=30)
    believed = await world.now() - STEP
    dues = [run["due_at"] for run in await runs_of(world)]
    assert dues, "it goes on firing"
    assert max(dues) <= believed + SECOND, "and nothing early"

    # The clock is put right again: most agree, and the flag goes by itself.
    await world.elapse(-STEP)
    await beat_on(world, clock, *servers, seconds=3)
    assert not await suspect(world)
    assert all(server.firing.due_until(0) is None for server in servers)


async def test_a_server_that_did_not_see_the_step_waits_while_the_clock_is_suspect(
    world: World, clock: DrivenClock, make_server: MakeServer
) -> None:
    await every(world, interval="10s")
    await world.change("UPDATE store_meta SET clock_suspect = 1")
    newcomer = make_server("late")
    await present(newcomer)
    await beat_on(world, clock, newcomer, seconds=15)
    assert await suspect(world), "a newcomer is no witness"
    assert await runs_of(world) == []
    await world.database.transact(trust)  # a person says that the clock is right
    await beat_on(world, clock, newcomer, seconds=3)
    assert len(await runs_of(world)) == 1


async def test_a_step_back_only_delays(world: World, clock: DrivenClock, server: Server) -> None:
    job = await every(world, interval="10s")
    assert job.next_at is not None
    await present(server)
    await world.elapse(-STEP)
    await beat_on(world, clock, server, seconds=5)
    assert await runs_of(world) == []
    assert server.step_guard.steps == 0
    await world.elapse(STEP + 10 * SECOND)
    await clock.advance(STEP / SECOND + 10)
    await beat_on(world, clock, server, seconds=2)
    assert (await runs_of(world))[0]["due_at"] >= job.next_at


class WildClock(DrivenClock):
    """A machine whose wall clock is wrong, and is put wrong again and again."""

    def __init__(self, offsets_s: list[int]) -> None:
        super().__init__()
        self._offsets = offsets_s
        self._asked = 0

    def now(self) -> datetime:
        self._asked += 1
        return super().now() + timedelta(seconds=self._offsets[self._asked % len(self._offsets)])


@pytest.mark.parametrize("offsets_s", [[3600], [-3600], [0, 7200, -7200, 30, 86_400]])
async def test_the_wall_clock_of_a_server_decides_nothing(world: World, offsets_s: list[int]) -> None:
    """The same store times give the same runs, whatever the machine believes the hour to be (C2, F07)."""
    from foliot.app.settings import TEST_TIMING, ServerSettings
    from tests.conformance.world import CHANCE

    job = await every(world, interval="3s")
    assert job.next_due_at is not None
    clock = WildClock(offsets_s)
    settings = ServerSettings(store_url=world.url, node_name="wild", timing=TEST_TIMING)
    server = Server(settings, world.store, clock=clock, chance=CHANCE)
    await present(server)
    await beat_on(world, clock, server, seconds=12)
    now = await world.now()
    skips = await world.rows("SELECT from_at, to_at FROM skips")
    fired = {run["due_at"] for run in await runs_of(world)}
    for due in range(job.next_due_at, now - SECOND, 3 * SECOND):
        assert (due in fired) != any(skip["from_at"] <= due <= skip["to_at"] for skip in skips), due
    assert max(fired) <= now
