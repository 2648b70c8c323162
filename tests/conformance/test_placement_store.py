"""Placement: preferred, avoided and spread labels say for which worker a ready run is meant."""

from collections import Counter
from typing import Any

from foliot.domain.instants import SECOND
from foliot.ports.store.nodes import SESSION_TTL_US
from tests.conformance.building import PERSON, PLANS, definition, runs_of, save
from tests.conformance.routing import assign, lease, routed_poll
from tests.conformance.working import BEAT_EVERY_US, Worker, lead, run_of, trigger, worker
from tests.conformance.world import World

SSD = {"disk": "ssd"}


async def zones(world: World, *names: str, slots: int = 4) -> list[Worker]:
    """A worker in each of these zones."""
    return [await worker(world, labels={"zone": name}, slots=slots) for name in names]


async def meant_for(world: World, workers: dict[str, Worker], job: str = "tick") -> Counter[str]:
    """How many waiting runs of a job are meant for each of these workers."""
    names: dict[str | None, str] = {one.session: name for name, one in workers.items()}
    waiting = [run for run in await runs_of(world, job) if run.state == "PENDING"]
    return Counter(names.get(run.assigned_to, "anyone" if run.assigned_to == "*" else "nobody") for run in waiting)


async def test_a_preferred_worker_gets_runs_while_it_has_a_free_slot_and_then_the_others(world: World) -> None:
    await save(world, "tick", place={"prefer": SSD})
    fast = await worker(world, labels=SSD, slots=2)
    slow = await worker(world, labels={}, slots=3)
    await trigger(world, n=6)
    assigned = await assign(world)
    assert assigned.runs == 6
    assert assigned.sessions == {fast.session, slow.session, "*"}
    assert await meant_for(world, {"fast": fast, "slow": slow}) == {"fast": 2, "slow": 3, "anyone": 1}
    assert len(await lease(slow, 3)) == 3
    assert len(await lease(fast, 2)) == 2


async def test_a_worker_to_be_avoided_gets_a_run_only_when_no_other_is_left(world: World) -> None:
    await save(world, "tick", place={"avoid": {"spot": "yes"}})
    spot = await worker(world, labels={"spot": "yes"})
    (first,) = await trigger(world)
    assert (await assign(world)).sessions == {spot.session}, "it is the only one"
    assert await lease(spot) == [first]
    steady = await worker(world, labels={}, slots=1)
    await trigger(world, n=3)
    assert (await assign(world)).sessions == {steady.session}, "the others wait rather than go there"
    assert await lease(spot) == []
    await world.store.nodes.drain(steady.session, by=PERSON)
    assert (await assign(world, again=True)).sessions == {spot.session}
    assert len(await lease(spot)) == 3


async def test_runs_are_spread_over_the_values_of_a_label_by_what_is_running_there(world: World) -> None:
    await save(world, "tick", place={"spread": "zone"})
    await save(world, "other")
    east, west = await zones(world, "e", "w")
    await trigger(world, n=4)
    await assign(world)
    assert await meant_for(world, {"east": east, "west": west}) == {"east": 2, "west": 2}
    polls = [await routed_poll(east), await routed_poll(west)]
    granted = await world.store.runs.lease(polls, limit=10)
    await west.complete(*granted.grants[1].runs)
    await trigger(world, "other", n=2)
    assert len(await lease(west, 2)) == 2, "runs of other jobs do not count"
    await trigger(world, n=2)
    assert (await assign(world)).sessions == {west.session}, "two are running in the east and none in the west"


async def test_what_waits_for_a_worker_counts_and_turns_are_kept_between_servers(world: World) -> None:
    await save(world, "tick", place={"spread": "zone"})
    three = await zones(world, "a", "b", "c")
    stores = [world.store, await world.open(), await world.open()]
    named: list[str] = []
    for at in range(6):
        await trigger(world)
        named += (await assign(world, stores[at % 3])).sessions
    assert named == [one.session for one in three] * 2


async def test_a_route_chooses_among_those_that_the_wishes_leave(world: World) -> None:
    await save(world, "tick", place={"route": "round", "prefer": SSD})
    slow = await worker(world, labels={})
    fast = [await worker(world, labels=SSD) for _ in range(2)]
    await trigger(world, n=4)
    await assign(world)
    found = await meant_for(world, {"slow": slow, "one": fast[0], "two": fast[1]})
    assert found == {"one": 2, "two": 2}


async def test_a_preference_keeps_no_run_waiting_for_a_worker_that_does_not_take_it(world: World) -> None:
    await save(world, "tick", place={"prefer": SSD})
    fast, slow = await worker(world, labels=SSD), await worker(world, labels={})
    (run_id,) = await trigger(world)
    await assign(world)
    for _ in range(8):
        await world.elapse(4 * SECOND)
        for one in (fast, slow):
            await one.beat()
    assert (await assign(world, again=True)).sessions == {slow.session}
    assert await lease(slow) == [run_id]


async def test_shards_are_spread(world: World) -> None:
    await save(world, "tick", shards=6, place={"spread": "zone"})
    three = await zones(world, "a", "b", "c")
    await trigger(world)
    await assign(world)
    assert [len(await lease(one)) for one in three] == [2, 2, 2]


async def test_an_edit_of_the_wishes_decides_again(world: World) -> None:
    await save(world, "tick", place={"prefer": SSD})
    fast, slow = await worker(world, labels=SSD), await worker(world, labels={})
    (run_id,) = await trigger(world)
    await assign(world)

    async def edit(**place: Any) -> None:
        await world.store.jobs.save("default", "tick", definition(place=place), by=PERSON, plans=PLANS)

    await edit(avoid=SSD)
    assert (await assign(world)).sessions == {slow.session}
    await edit()
    assert (await assign(world)).runs == 0, "nobody decides: it is for whoever asks first"
    assert (await run_of(world, run_id)).assigned_to is None
    assert await lease(fast) == [run_id]


async def test_what_waits_tells_the_runs_of_its_job_by_session(world: World) -> None:
    await save(world, "tick", place={"spread": "zone"})
    east, west = await zones(world, "e", "w")
    await trigger(world, n=3)
    await assign(world)
    assert len(await lease(east)) == 2
    waiting = next(run for run in await runs_of(world) if run.state == "PENDING")
    assert (await world.store.lookups.waits([waiting]))[waiting.run_id].own == {east.session: 2, west.session: 1}


async def test_a_preferred_worker_in_warning_gets_no_more_runs_than_its_slots_are_given(world: World) -> None:
    await save(world, "tick", place={"prefer": SSD})
    fast, slow = await worker(world, labels=SSD), await worker(world, labels={})
    await lead(world)
    for _ in range(3):
        await world.elapse(BEAT_EVERY_US)
        await world.store.nodes.campaign("leader", ttl_us=SESSION_TTL_US)
        await fast.beat(load={"cpu": 1.0, "memory": 0.95, "connections": 990.0, "running": 8.0})
        await slow.beat()
    await trigger(world, n=6)
    await assign(world)
    found = await meant_for(world, {"fast": fast, "slow": slow})
    assert found == {"fast": 4, "slow": 2}, "half of its eight slots"
