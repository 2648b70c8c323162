"""What servers say of the store's clock, and when it is suspect (R7)."""

from foliot.domain.instants import HOUR, SECOND
from foliot.domain.verdict import judge
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import Beat, BeatAnswer
from tests.conformance.building import decider, every, make_due, runs_of
from tests.conformance.serving import CLOCK_STEP, servers
from tests.conformance.world import World


async def test_two_servers_are_no_majority(world: World) -> None:
    one, two = await servers(world, 2)
    assert await world.store.nodes.report_clock(one, ahead_us=CLOCK_STEP) is False
    assert await world.store.nodes.report_clock(two, ahead_us=CLOCK_STEP) is False


async def beat(world: World, session: str, beat_no: int, offset_us: int | None) -> BeatAnswer:
    said = Beat(session=session, beat_no=beat_no, settled=0, held=(), clock_offset_us=offset_us)
    return await world.store.nodes.beat(said, ttl_us=SESSION_TTL_US, judge=judge)


async def test_a_beat_tells_how_far_a_clock_is_off_and_is_told_the_time(world: World) -> None:
    (one,) = await servers(world, 1)
    answer = await beat(world, one, 1, None)
    assert abs(answer.store_now - await world.now()) < 60 * SECOND
    (node,) = await world.store.lookups.nodes(include_dead_since=None)
    assert node.clock_offset_us is None
    for number, offset_us in enumerate((HOUR, -HOUR, 250), start=2):
        await beat(world, one, number, offset_us)
        (node,) = await world.store.lookups.nodes(include_dead_since=None)
        assert node.clock_offset_us == offset_us
    await beat(world, one, 9, None)  # an older worker says nothing, and nothing is forgotten
    (node,) = await world.store.lookups.nodes(include_dead_since=None)
    assert node.clock_offset_us == 250


async def test_wall_clocks_of_three_sessions_far_from_the_store_make_it_suspect_without_a_lead(world: World) -> None:
    one, two, three = await servers(world, 3)
    report = world.store.nodes.report_clock
    await beat(world, two, 1, -CLOCK_STEP)
    assert await report(one, ahead_us=0, offset_us=-CLOCK_STEP) is False, "two are no majority"
    await beat(world, three, 1, -CLOCK_STEP)
    assert await report(one, ahead_us=0) is True
    pulse = await world.store.firing.pulse()
    assert (pulse.clock_suspect, pulse.clock_ahead_us) == (True, 0)
    assert (await world.store.lookups.cluster()).clock_ahead_us == 0
    await beat(world, three, 2, 0)
    await beat(world, two, 2, 0)
    assert await report(one, ahead_us=0) is False
    assert (await world.store.lookups.cluster()).clock_ahead_us is None


async def test_the_lead_follows_the_clock_while_it_is_suspect(world: World) -> None:
    sessions = await servers(world, 3)
    for lead in (CLOCK_STEP, 2 * CLOCK_STEP):
        for session in sessions:
            await world.store.nodes.report_clock(session, ahead_us=lead)
        assert (await world.store.firing.pulse()).clock_ahead_us == lead


async def test_nothing_is_decided_beyond_the_time_believed_in(world: World) -> None:
    job = await every(world, interval="1h", overlap="allow", misfire="all")
    assert job.next_at is not None
    await make_due(world, job)
    early = await world.store.firing.decide_due(decider(), limit=10, until=job.next_at - SECOND)
    assert (early.taken, early.created) == (0, 0)
    await world.elapse(3 * HOUR)  # a clock that ran ahead: only what is due by the time believed in is decided
    early = await world.store.firing.decide_due(decider(), limit=10, until=job.next_at - SECOND, waiting=True)
    assert (early.taken, early.created) == (0, 0)
    decided = await world.store.firing.decide_due(decider(), limit=10, until=job.next_at + SECOND)
    assert (decided.taken, decided.created, decided.now) == (1, 1, job.next_at + SECOND)
    assert [run.due_at for run in await runs_of(world)] == [job.next_due_at]
