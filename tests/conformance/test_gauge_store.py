"""What the leader reads of a store for its metrics: queues by group, jobs by state, limits, claims, names."""

from foliot.domain.instants import MINUTE, SECOND
from foliot.ports.store.gauges import ClusterGauges, GroupQueue
from foliot.ports.store.journal import Happening, Topic
from tests.conformance.building import PERSON, PLANS, ask, every, save
from tests.conformance.routing import assign, team
from tests.conformance.working import trigger
from tests.conformance.world import World


async def read(world: World) -> ClusterGauges:
    return await world.store.gauges.read({}, kinds=50, limits=10)


async def queues(world: World) -> dict[str, GroupQueue]:
    return {queue.group: queue for queue in (await read(world)).queues}


async def test_runs_that_are_due_are_counted_by_group_with_the_age_of_the_first(world: World) -> None:
    await save(world, "a", group="billing")
    await save(world, "b", group="billing", run="python:jobs:other")
    await save(world, "c")
    assert await queues(world) == {}

    await world.store.runs.trigger(ask("a", "1", priority=2))
    await world.elapse(MINUTE)
    for key in ("2", "3"):
        await world.store.runs.trigger(ask("b", key))
    await world.store.runs.trigger(ask("c", "4"))
    await world.store.runs.trigger(ask("c", "5", delay_us=MINUTE))

    found = await queues(world)
    assert found.keys() == {"billing", "default"}
    assert found["billing"].ready == 3
    assert abs(found["billing"].oldest_us - MINUTE) < 10 * SECOND
    assert found["default"].ready == 1, "the other one is for later"


async def test_runs_that_a_route_meant_for_a_worker_wait_as_well(world: World) -> None:
    await save(world, "first", place={"route": "first"})
    await team(world, 2)
    await trigger(world, "first", n=3)
    assert (await assign(world)).runs == 3
    assert (await queues(world))["default"].ready == 3


async def test_jobs_are_counted_by_state_without_those_that_are_deleted(world: World) -> None:
    for name in ("one", "two", "three", "gone"):
        await every(world, name)
    await world.store.jobs.pause("default", "two", by=PERSON, plans=PLANS)
    await world.store.jobs.delete("default", "gone", plans=PLANS)
    assert await world.store.gauges.jobs() == {"active": 2, "paused": 1}


async def test_limits_events_and_names_of_jobs_are_read(world: World) -> None:
    job = await save(world, "a")
    await world.store.limits.set_shared("db", 4)
    before = await read(world)
    happening = Happening(key="k", topic=Topic.JOBS, kind="job.test", subject="a")
    await world.store.journal.note([happening])
    after = await read(world)
    assert [(limit.name, limit.used, limit.max) for limit in after.limits] == [("db", 0, 4)]
    assert after.newest_event > before.newest_event
    assert (after.claims_held, after.claims_waiting) == (0, 0)
    assert await world.store.gauges.names([job.job_id, 999_999]) == {job.job_id: ("default", "a")}
    assert await world.store.gauges.names([]) == {}


async def test_calls_are_timed_by_pool(world: World) -> None:
    calls = world.store.calls
    before = calls["api"].count
    await world.store.gauges.jobs()
    assert calls["api"].count == before + 1
