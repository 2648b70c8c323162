"""Failures that the store sees itself become failovers: dead sessions, sessions that come back, overruns, the clock."""

from foliot.domain.failover import FailoverOutcome, FailoverType
from foliot.domain.instants import HOUR, SECOND
from foliot.domain.verdict import judge
from foliot.ports.store.failovers import Failover, FailoverFilter
from foliot.ports.store.nodes import GRACE_US, SESSION_TTL_US
from foliot.ports.worker_link import Beat, Leaving
from tests.conformance.building import save
from tests.conformance.serving import CLOCK_STEP, servers
from tests.conformance.working import Worker, lead, register, running_with_limit, trigger, worker
from tests.conformance.world import World

SILENCE = SESSION_TTL_US + GRACE_US + SECOND


async def noted(world: World) -> list[Failover]:
    """Every failover, oldest first."""
    return list(reversed((await world.store.failovers.list(FailoverFilter(), limit=100)).items))


async def with_runs(world: World, n: int, **document: str) -> Worker:
    """A worker that began n runs of a job."""
    await save(world, "tick", **document)
    await trigger(world, n=n)
    anne = await worker(world)
    await anne.beat(*await anne.lease(n))
    return anne


async def reap(world: World) -> int:
    """Let the leader look for dead sessions."""
    await world.elapse(SILENCE)
    term = await lead(world)
    return await world.store.runs.reap(judge, limit=100, term=term)


async def test_a_worker_that_dies_with_its_runs_is_one_crash_that_ends_when_they_are_back(world: World) -> None:
    anne = await with_runs(world, 3, overlap="allow")
    assert await reap(world) == 3
    (found,) = await noted(world)
    assert (found.type, found.subject) == (FailoverType.WORKER_CRASH, anne.name)
    assert (found.affected.runs, list(found.affected.jobs), len(found.affected.run_ids)) == (3, ["tick"], 3)
    assert (found.outcome, found.done) == (FailoverOutcome.RECOVERED, {"returned": 3, "lost": 0})
    assert found.evidence["silent_us"] >= SILENCE
    assert found.ended_at is not None
    assert found.began_at < found.detected_at <= found.ended_at
    assert await world.store.failovers.deaths(term=await lead(world)) == 0, "it was noted once for all"


async def test_runs_that_are_lost_with_their_worker_are_losses(world: World) -> None:
    await with_runs(world, 2, overlap="allow", on_lost="fail")
    await reap(world)
    (found,) = await noted(world)
    assert (found.outcome, found.done) == (FailoverOutcome.LOSSES, {"returned": 0, "lost": 2})


async def test_a_crash_stays_open_while_a_run_of_the_dead_worker_is_undecided(world: World) -> None:
    await with_runs(world, 3, overlap="allow")
    await world.elapse(SILENCE)
    term = await lead(world)
    assert await world.store.runs.reap(judge, limit=2, term=term) == 2
    (found,) = await noted(world)
    assert (found.is_open, found.affected.runs) == (True, 3)
    assert await world.store.runs.reap(judge, limit=2, term=term) == 1
    (found,) = await noted(world)
    assert found.done == {"returned": 3, "lost": 0}


async def test_a_server_that_falls_silent_is_a_crash_of_its_own_and_one_that_leaves_is_none(world: World) -> None:
    _, gone = await servers(world, 2)
    await world.store.nodes.leave(Leaving(session=gone), judge)
    await reap(world)
    (found,) = await noted(world)
    assert (found.type, found.outcome) == (FailoverType.SERVER_CRASH, FailoverOutcome.RECOVERED)
    assert found.affected.runs == 0


async def test_what_a_leader_left_unwritten_when_it_died_is_noted_by_the_next(world: World) -> None:
    await with_runs(world, 1)
    await reap(world)
    (found,) = await noted(world)
    await world.elapse(SECOND)
    now = await world.now()
    assert await world.store.failovers.forget(before=now, limit=10) == 1
    assert await world.store.failovers.deaths(term=await lead(world)) == 2, "opened, and closed at once"
    (again,) = await noted(world)
    assert (again.key, again.detected_at) == (found.key, found.detected_at)


async def test_a_session_that_is_heard_of_again_was_cut_off_and_did_not_crash(world: World) -> None:
    anne = await with_runs(world, 1)
    (server,) = await servers(world, 1)
    await reap(world)
    assert {one.type for one in await noted(world)} == {FailoverType.WORKER_CRASH, FailoverType.SERVER_CRASH}
    for _ in range(2):
        assert not (await anne.beat()).alive
    late = Beat(session=server, beat_no=1, settled=0, held=())
    assert not (await world.store.nodes.beat(late, ttl_us=SESSION_TTL_US, judge=judge)).alive
    found = await noted(world)
    assert [one.type for one in found] == [FailoverType.NETWORK_PARTITION] * 2
    assert all(one.evidence["came_back_at"] > one.detected_at for one in found)
    assert all(one.outcome is FailoverOutcome.RECOVERED for one in found)


async def test_only_the_owner_of_a_session_can_say_that_it_came_back(world: World) -> None:
    anne = await register(world, "anne")
    await reap(world)
    assert not await world.store.failovers.came_back(anne.session, owner="bert")
    assert not await world.store.failovers.came_back("unknown", owner="anne")
    assert await world.store.failovers.came_back(anne.session, owner="anne")
    assert not await world.store.failovers.came_back(anne.session, owner="anne")
    (found,) = await noted(world)
    assert found.type is FailoverType.NETWORK_PARTITION


async def test_overruns_of_a_job_are_one_open_occurrence(world: World) -> None:
    anne, run, term = await running_with_limit(world)
    await anne.beat(run)
    await world.elapse(20 * SECOND)
    assert await world.store.runs.time_out(judge, limit=10, term=term) == 1
    ids = await trigger(world, "tick", n=2)
    assert await world.store.failovers.timed_out(ids, session="s1") == 0, "it is the same occurrence"
    (found,) = await noted(world)
    assert (found.type, found.subject, found.namespace) == (FailoverType.RUN_TIMEOUT, "tick", "default")
    assert (found.is_open, found.affected.runs, found.attempts) == (True, 3, 3)
    assert sorted(found.affected.run_ids) == sorted([run.run_id, *ids])
    assert await world.store.failovers.timed_out([10_000_000], session="s1") == 0, "a run that was forgotten"


async def test_a_clock_in_doubt_is_open_until_it_is_right_again(world: World) -> None:
    sessions = await servers(world, 3)
    before = await world.now()
    for ahead_us in (CLOCK_STEP, 0):
        for session in sessions:
            await world.store.nodes.report_clock(session, ahead_us=ahead_us)
    (found,) = await noted(world)
    assert (found.type, found.subject, found.evidence) == (FailoverType.CLOCK_STEP, "store", {"ahead_us": CLOCK_STEP})
    assert abs(found.began_at + CLOCK_STEP - before) < HOUR, "by the time that most servers believe in"
    assert (found.outcome, found.done) == (FailoverOutcome.RECOVERED, {"trusted": False})
    for session in sessions:
        await world.store.nodes.report_clock(session, ahead_us=CLOCK_STEP)
    assert [one.is_open for one in await noted(world)] == [False, True], "another step is another occurrence"
