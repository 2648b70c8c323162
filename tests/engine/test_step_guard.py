"""A store clock that jumps ahead fires nothing early, and one that jumps back loses nothing (R7, C1, S3)."""

from datetime import datetime, timedelta

import pytest

from foliot.app.server import Server
from foliot.domain.instants import DAY, HOUR, SECOND
from foliot.domain.verdict import judge
from foliot.engine.step_guard import LOOK_EVERY_S, REST_S
from foliot.ports.store.errors import StoreUnavailable
from foliot.ports.worker_link import Leaving
from foliot.store.sql.cluster.clock import trust
from tests.clocks import DrivenClock
from tests.conformance.building import PERSON, ask, every
from tests.engine.conftest import MakeServer
from tests.sql.rows import runs_of
from tests.sql.world import World

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


async def test_a_leader_looks_at_the_clocks_less_often_than_who_has_something_to_say(
    world: World, clock: DrivenClock, make_server: MakeServer
) -> None:
    leader, follower = make_server("s1"), make_server("s2")
    await present(follower)
    await present(leader)
    await leader.leading.step()
    await beat_on(world, clock, leader, follower)
    assert await leader.step_guard.step() == LOOK_EVERY_S
    assert await follower.step_guard.step() == REST_S
    await world.elapse(STEP)
    await leader.pulsing.step()
    assert await leader.step_guard.step() <= REST_S


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
    await clock.advance(60)
    clock.wall_off_s = HOUR / SECOND - 60  # the machine was paused: of its clocks only this one was put right since
    await server.pulsing.step()
    assert server.step_guard.steps == 0


async def test_a_step_over_an_outage_is_believed_when_the_wall_clock_saw_it_too(
    world: World, clock: DrivenClock, make_server: MakeServer
) -> None:
    await every(world, interval="10s")
    servers = [make_server(name) for name in ("s1", "s2", "s3")]
    for server in servers:
        await present(server)
    await clock.advance(5)
    await world.elapse(5 * SECOND + STEP)  # the store failed over to a host whose clock is ahead
    await beat_on(world, clock, *servers)
    assert [server.step_guard.steps for server in servers] == [1, 1, 1]
    assert await suspect(world)
    await beat_on(world, clock, *servers, seconds=15)
    believed = await world.now() - STEP
    dues = [run["due_at"] for run in await runs_of(world)]
    assert dues, "it goes on firing"
    assert max(dues) <= believed + SECOND, "and nothing early"

    await world.elapse(-STEP)
    await beat_on(world, clock, *servers, seconds=3)
    assert not await suspect(world)


async def test_a_machine_that_was_paused_sees_its_error_when_its_wall_clock_is_put_right(
    world: World, clock: DrivenClock, make_server: MakeServer
) -> None:
    await every(world, interval="10s")
    servers = [make_server(name) for name in ("s1", "s2", "s3")]
    for server in servers:
        await present(server)
    await clock.advance(5)
    await world.elapse(HOUR)  # all of them were paused, and both their clocks stood still
    await beat_on(world, clock, *servers, seconds=2)
    assert await suspect(world)
    clock.wall_off_s = HOUR / SECOND - 5
    await beat_on(world, clock, *servers, seconds=12)
    assert not await suspect(world)
    assert len(await runs_of(world)) >= 1


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
    assert all(server.step_guard.due_until(0) is None for server in servers)


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


async def test_a_newcomer_goes_by_what_the_others_saw(
    world: World, clock: DrivenClock, make_server: MakeServer
) -> None:
    job = await every(world, interval="10s")
    servers = [make_server(name) for name in ("s1", "s2", "s3")]
    for server in servers:
        await present(server)
    await world.elapse(STEP)
    await beat_on(world, clock, *servers)
    assert await suspect(world)
    for server in servers:  # a restart of every server: nobody is left who saw it
        await server.presence.leave()
    newcomers = [make_server(name) for name in ("n1", "n2", "n3")]
    for newcomer in newcomers:
        await present(newcomer)
    await beat_on(world, clock, *newcomers, seconds=30)
    assert await suspect(world)
    dues = [run["due_at"] for run in await runs_of(world)]
    assert job.next_at in dues, "they go on firing"
    assert max(dues) <= await world.now() - STEP + SECOND, "and nothing early"


async def test_what_a_person_trusts_is_not_doubted_again(
    world: World, clock: DrivenClock, make_server: MakeServer
) -> None:
    servers = [make_server(name) for name in ("s1", "s2", "s3")]
    for server in servers:
        await present(server)
    await world.elapse(STEP)
    await beat_on(world, clock, *servers, seconds=2)
    assert await suspect(world)
    assert await world.database.transact(trust) is True
    await servers[0].step_guard.step()  # it has not heard of it yet, and says again what it saw
    await servers[1].step_guard.step()
    assert not await suspect(world)
    await beat_on(world, clock, *servers, seconds=20)
    assert not await suspect(world), "though every wall clock is two minutes behind the store's"


async def test_wall_clocks_that_are_all_wrong_raise_an_alarm_and_delay_nothing(
    world: World, clock: DrivenClock, make_server: MakeServer
) -> None:
    await every(world, interval="5s", misfire="all", overlap="allow")
    servers = [make_server(name) for name in ("s1", "s2", "s3")]
    for server in servers:
        await present(server)
    clock.wall_off_s = -HOUR / SECOND
    await beat_on(world, clock, *servers, seconds=6)
    for server in servers:
        await server.presence.step()
    await beat_on(world, clock, *servers, seconds=14)
    assert await suspect(world)
    assert [server.step_guard.offset.is_off for server in servers] == [True, True, True]
    late = await world.now() - max(run["due_at"] for run in await runs_of(world))
    assert late < 8 * SECOND
    nodes = await world.rows("SELECT wall_offset_us FROM nodes")
    assert all(abs(node["wall_offset_us"] + HOUR) < 30 * SECOND for node in nodes)

    clock.wall_off_s = 0
    await beat_on(world, clock, *servers, seconds=10)
    assert not await suspect(world)


async def test_a_step_seen_with_the_end_of_a_doubt_is_a_new_one(
    world: World, clock: DrivenClock, make_server: MakeServer
) -> None:
    await every(world, interval="10s")
    servers = [make_server(name) for name in ("s1", "s2", "s3")]
    for server in servers:
        await present(server)
    await world.elapse(STEP)
    await beat_on(world, clock, *servers, seconds=3)
    assert await suspect(world)
    await world.elapse(-STEP)
    await beat_on(world, clock, *servers[:2], seconds=1)
    assert not await suspect(world)
    await world.elapse(STEP)  # before the third has heard of the end of the first doubt
    await beat_on(world, clock, *servers, seconds=20)
    assert await suspect(world)
    believed = await world.now() - STEP
    assert max(run["due_at"] for run in await runs_of(world)) <= believed + SECOND


async def test_a_clock_put_right_after_a_step_back_is_not_suspect(
    world: World, clock: DrivenClock, make_server: MakeServer
) -> None:
    await every(world, interval="10s")
    servers = [make_server(name) for name in ("s1", "s2", "s3")]
    for server in servers:
        await present(server)
    await world.elapse(-STEP)
    await beat_on(world, clock, *servers, seconds=20)
    await world.elapse(STEP)
    await beat_on(world, clock, *servers, seconds=3)
    assert [server.step_guard.steps for server in servers] == [0, 0, 0]
    assert len(await runs_of(world)) >= 1, "held by nothing"


async def test_a_clock_that_jumped_deletes_no_history(
    world: World, clock: DrivenClock, make_server: MakeServer
) -> None:
    await every(world, interval="1m")
    servers = [make_server(name) for name in ("s1", "s2", "s3")]
    for server in servers:
        await present(server)
    duty = next(duty for duty in servers[0].duties._duties if duty.name == "forgetting")
    run = await world.store.runs.trigger(ask())
    await world.store.runs.cancel([run.run_id], by=PERSON)
    await world.elapse(400 * DAY)
    await beat_on(world, clock, *servers, seconds=2)
    assert await suspect(world)
    await servers[0].leading.step()
    assert servers[0].leadership.term is not None
    await duty.step()
    assert run.run_id in [row["id"] for row in await runs_of(world)]
    await world.database.transact(trust)
    await beat_on(world, clock, *servers, seconds=2)
    await servers[0].leading.step()
    await duty.step()
    assert run.run_id not in [row["id"] for row in await runs_of(world)], "by the trusted clock it is old"


async def test_a_step_between_two_pulses_fires_nothing_early(world: World, clock: DrivenClock, server: Server) -> None:
    await every(world, interval="1m")
    soon = await every(world, "soon", interval="2s", overlap="allow", misfire="all")
    assert soon.next_at is not None
    await present(server)
    await beat_on(world, clock, server)
    await world.elapse(STEP)
    until_s = (soon.next_at - server.tide.store_now()) / SECOND
    await clock.advance(max(0.0, until_s) + 0.05)  # due in truth: it decides, unaware
    await server.firing.step()
    dues = [run["due_at"] for run in await runs_of(world, "soon")]
    assert soon.next_at in dues
    assert max(dues) <= server.tide.store_now() + SECOND
    assert all(run["due_at"] <= server.tide.store_now() + SECOND for run in await runs_of(world))


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
    from tests.sql.world import CHANCE

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


async def test_a_step_is_not_accepted_before_the_others_were_told(
    world: World, clock: DrivenClock, make_server: MakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clocks step when machines move: just then the store may stutter."""
    await every(world, interval="1m")
    servers = [make_server(name) for name in ("s1", "s2", "s3")]
    for server in servers:
        await present(server)
    await world.elapse(STEP)

    async def away(*_: object, **__: object) -> bool:
        raise StoreUnavailable("the store is away")

    with monkeypatch.context() as patch:
        patch.setattr(world.store.nodes, "report_clock", away)
        for _ in range(20):
            await world.elapse(SECOND)
            await clock.advance(1)
            for server in servers:
                await server.pulsing.step()
                with pytest.raises(StoreUnavailable):
                    await server.step_guard.step()
                await server.firing.step()
    assert await runs_of(world) == []
    await beat_on(world, clock, *servers, seconds=8)
    assert await suspect(world)
    believed = await world.now() - STEP
    assert all(run["due_at"] <= believed + SECOND for run in await runs_of(world)), "nothing early"


async def test_a_clock_put_right_while_no_server_ran_is_trusted_by_those_who_come(
    world: World, clock: DrivenClock, make_server: MakeServer
) -> None:
    await every(world, interval="10s", overlap="allow")
    servers = [make_server(name) for name in ("s1", "s2", "s3")]
    for server in servers:
        await present(server)
    await world.elapse(STEP)
    await beat_on(world, clock, *servers, seconds=8)
    assert await suspect(world)
    for server in servers:
        await world.store.nodes.leave(Leaving(session=server.session.id), judge)
    await world.elapse(-STEP)
    fresh = [make_server(name) for name in ("s4", "s5", "s6")]
    for server in fresh:
        await present(server)
    for _ in range(6):
        for server in fresh:
            await server.presence.step()
        await beat_on(world, clock, *fresh, seconds=5)
    assert not await suspect(world)
    assert len(await runs_of(world)) >= 2
