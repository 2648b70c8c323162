"""Limits by worker and by key of a parameter: exact in the lease, given back by every way out, waited for beside it."""

import asyncio
from collections import Counter

import pytest

from foliot.domain.instants import HOUR, SECOND
from foliot.domain.verdict import Cause
from foliot.ports.store.limits import KeyBounds
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import LeasedRun
from tests.conformance.broadcasting import pass_time
from tests.conformance.building import PERSON, save
from tests.conformance.working import JOIN, TICK, Worker, run_of, trigger, worker
from tests.conformance.world import World


async def give(world: World, customer: str, n: int = 1) -> list[int]:
    """Ask for runs of a customer."""
    return await trigger(world, n=n, params=f'{{"customer": "{customer}"}}')


def customers(runs: tuple[LeasedRun, ...]) -> list[str]:
    return sorted((run.params or "").split('"')[3] for run in runs)


async def lease_all(anne: Worker) -> tuple[LeasedRun, ...]:
    """What a worker gets, as often as the store says that there is more."""
    found: list[LeasedRun] = []
    for _ in range(10):
        granted = await anne.store.runs.lease([await anne.poll(8)], limit=1000)
        found += granted.grants[0].runs
        if not granted.more:
            break
    return tuple(found)


async def test_a_worker_has_at_most_so_many_runs_of_a_job(world: World) -> None:
    await save(world, place={"max_per_worker": 2})
    await save(world, "other", run="python:jobs:other")
    await trigger(world, n=8)
    await trigger(world, "other", 2)
    anne, ben = await worker(world), await worker(world)
    first = await anne.lease(8)
    assert [run.job for run in first].count("tick") == 2
    assert [run.job for run in first].count("other") == 2
    assert await anne.lease(8) == ()
    assert len(await ben.lease(8)) == 2
    mine = [run for run in first if run.job == "tick"]
    await anne.complete(mine[0])
    assert len(await anne.lease(8)) == 1
    assert await world.store.runs.recount_limits() == 0


async def test_workers_that_each_serve_one_lane_of_a_bounded_job_keep_to_it(world: World) -> None:
    await save(world, place={"max_per_worker": 2}, shards=2, merge=JOIN)
    lanes = await world.store.jobs.lanes()
    (cutting,) = [lane_id for lane_id, lane in lanes.items() if lane.offer == TICK]
    (joining,) = [lane_id for lane_id, lane in lanes.items() if lane.offer == JOIN]
    anne, ben = await worker(world), await worker(world)
    await trigger(world)
    await anne.complete(*await anne.lease(8, lanes=[cutting]))
    await trigger(world, n=2)
    assert len(await anne.lease(8, lanes=[cutting])) == 2
    polls = [await anne.poll(8, lanes=[cutting]), await ben.poll(8, lanes=[joining])]
    granted = await world.store.runs.lease(polls, limit=1000)
    assert [[run.handler for run in one.runs] for one in granted.grants] == [[], [JOIN]]
    assert await world.store.runs.recount_limits() == 0


async def test_polls_of_one_lease_share_the_runs_of_a_bounded_job(world: World) -> None:
    await save(world, place={"max_per_worker": 1})
    await trigger(world, n=5)
    anne, ben = await worker(world), await worker(world)
    granted = await world.store.runs.lease([await anne.poll(8), await ben.poll(8)], limit=1000)
    assert [len(one.runs) for one in granted.grants] == [1, 1]


async def test_a_key_has_at_most_so_many_runs_and_others_pass_it(world: World) -> None:
    await save(world, place={"max_per_key": 2, "concurrency_by": "customer"})
    await give(world, "acme", 5)
    await give(world, "bolt", 1)
    anne = await worker(world)
    first = await lease_all(anne)
    assert customers(first) == ["acme", "acme", "bolt"]
    assert await lease_all(anne) == ()
    await anne.complete(next(run for run in first if "acme" in (run.params or "")))
    assert customers(await lease_all(anne)) == ["acme"]
    assert await world.store.runs.recount_limits() == 0


@pytest.mark.parametrize("way", ["error", "retry", "release", "death"])
async def test_every_way_out_gives_a_key_and_a_worker_back(world: World, way: str) -> None:
    place = {"max_per_key": 1, "concurrency_by": "customer", "max_per_worker": 1}
    await save(world, place=place, retries=3 if way == "retry" else 0)
    await give(world, "acme", 2)
    anne = await worker(world)
    (run,) = await lease_all(anne)
    if way == "death":
        await pass_time(world, 3 * SESSION_TTL_US)
        anne = await worker(world)
    else:
        await anne.complete(run, cause=Cause.RELEASED if way == "release" else Cause.ERROR)
    await world.elapse(HOUR)
    await anne.beat()
    anne = await worker(world)
    assert len(await lease_all(anne)) == 1
    assert await world.store.runs.recount_limits() == 0


async def test_runs_that_wait_for_their_key_start_in_their_order(world: World) -> None:
    await save(world, place={"max_per_key": 1, "concurrency_by": "customer"})
    ids = await give(world, "acme", 4)
    anne = await worker(world)
    order: list[int] = []
    for _ in ids:
        (run,) = await lease_all(anne)
        order.append(run.run_id)
        await anne.complete(run)
    assert order == ids


async def test_three_servers_that_lease_at_once_start_no_more_of_a_key_and_on_a_worker(world: World) -> None:
    await save(world, place={"concurrency_by": "customer", "max_per_key": 2, "max_per_worker": 3})
    for customer in ("acme", "bolt", "cole"):
        await give(world, customer, 6)
    stores = [world.store, await world.open(), await world.open()]
    workers = [await worker(world, store) for store in stores]
    over = 0
    for _ in range(40):
        await asyncio.gather(*(store.firing.unpark_keyed() for store in stores))
        leased = await asyncio.gather(*(one.lease(8) for one in workers))
        assert max(map(len, leased)) <= 3
        running = Counter(customers(tuple(run for some in leased for run in some)))
        assert max(running.values(), default=0) <= 2, running
        await asyncio.gather(*(one.complete(*some) for one, some in zip(workers, leased, strict=True)))
        over += running.total()
        if over == 18:
            break
    assert over == 18
    assert await world.store.runs.recount_limits() == 0


async def test_two_servers_that_lease_at_once_share_the_rate_of_a_key(world: World) -> None:
    await save(world, place={"rate": "1/h", "rate_burst": 3, "rate_by": "customer"})
    for customer in ("acme", "bolt"):
        await give(world, customer, 6)
    stores = [world.store, await world.open()]
    workers = [await worker(world, store) for store in stores]
    started: Counter[str] = Counter()
    for _ in range(6):
        await asyncio.gather(*(store.firing.unpark_keyed() for store in stores))
        for runs in await asyncio.gather(*(one.lease(8) for one in workers)):
            started.update(customers(runs))
    assert started == {"acme": 3, "bolt": 3}, "its burst, and no more within the hour"


async def test_a_cancelled_run_holds_up_nobody_behind_it(world: World) -> None:
    await save(world, place={"max_per_key": 1, "concurrency_by": "customer"})
    ids = await give(world, "acme", 3)
    anne = await worker(world)
    (run,) = await lease_all(anne)
    assert (await run_of(world, ids[1])).state == "PENDING"
    await world.store.runs.cancel([ids[1]], by=PERSON)
    await anne.complete(run)
    (after,) = await lease_all(anne)
    assert after.run_id == ids[2]


async def test_a_rate_by_key_lets_each_value_start_and_wakes_the_next(world: World) -> None:
    await save(world, place={"rate": "10/h", "rate_burst": 2, "rate_by": "customer"})
    await give(world, "acme", 4)
    await give(world, "bolt", 1)
    anne = await worker(world)
    first = await lease_all(anne)
    assert customers(first) == ["acme", "acme", "bolt"]
    await anne.complete(*first)
    assert await lease_all(anne) == ()
    pulse = await world.store.firing.pulse()
    assert pulse.keys_at is not None
    assert 0 < pulse.keys_at - pulse.now <= HOUR // 10
    assert not pulse.ready
    assert await world.store.firing.unpark_keyed() == (0, False)
    await world.elapse(pulse.keys_at - pulse.now + SECOND)
    assert (await world.store.firing.unpark_keyed())[0] == 1
    await anne.beat()
    anne = await worker(world)
    assert customers(await lease_all(anne)) == ["acme"]


async def test_a_rate_of_a_job_holds_up_no_other_job(world: World) -> None:
    await save(world, place={"rate": "10/h", "rate_burst": 2})
    await save(world, "other", run="python:jobs:other")
    await trigger(world, n=5)
    await trigger(world, "other", 2)
    anne = await worker(world)
    poll = await anne.poll(8)
    granted = await world.store.runs.lease([poll], limit=1000)
    assert sorted(run.job for run in granted.grants[0].runs) == ["other", "other", "tick", "tick"]
    assert granted.again_at is not None
    await save(world, place={"rate": "10/h", "rate_burst": 3})
    assert len(await lease_all(anne)) == 1


async def test_an_edit_lets_runs_that_wait_for_a_key_go(world: World) -> None:
    await save(world, place={"max_per_key": 1, "concurrency_by": "customer"})
    await give(world, "acme", 3)
    anne = await worker(world)
    assert len(await lease_all(anne)) == 1
    await save(world, place={"max_per_key": 3, "concurrency_by": "customer"})
    assert len(await lease_all(anne)) == 2


async def test_an_edit_to_fewer_runs_on_a_worker_stops_no_lease_while_runs_of_the_old_version_wait(
    world: World,
) -> None:
    await save(world, place={"max_per_worker": 5})
    await trigger(world, n=4)
    anne = await worker(world)
    kept, *others = await anne.lease(8)
    await save(world, place={"max_per_worker": 2})
    await anne.complete(*others, cause=Cause.RELEASED)
    await trigger(world)
    again = await anne.lease(8)
    assert {run.run_id for run in again} == {run.run_id for run in others}
    assert await world.store.runs.recount_limits() == 0
    await anne.complete(kept, *again)
    assert len(await anne.lease(8)) == 1


async def test_of_a_key_the_newest_version_says_how_many_while_runs_of_an_older_one_wait(world: World) -> None:
    await save(world, place={"max_per_key": 3, "concurrency_by": "customer"})
    await give(world, "acme", 2)
    anne = await worker(world)
    kept, other = await lease_all(anne)
    await save(world, place={"max_per_key": 1, "concurrency_by": "customer"})
    await give(world, "acme", 1)
    await anne.complete(other, cause=Cause.RELEASED)
    assert await lease_all(anne) == ()
    await anne.complete(kept)
    assert len(await lease_all(anne)) == 1


async def test_keys_that_nobody_needs_are_forgotten(world: World) -> None:
    await save(world, place={"max_per_key": 1, "concurrency_by": "customer"})
    await give(world, "acme", 1)
    anne = await worker(world)
    await anne.complete(*await lease_all(anne))
    assert await world.store.runs.recount_limits() == 0
    await give(world, "acme", 1)
    assert len(await lease_all(anne)) == 1


async def test_it_says_which_keys_are_full_who_holds_them_and_how_many_wait(world: World) -> None:
    job = await save(world, place={"max_per_key": 1, "concurrency_by": "customer", "max_per_worker": 2})
    anne = await worker(world)
    bounds = KeyBounds(per_key=1, per_worker=2)
    assert await world.store.limits.full_keys(job.job_id, bounds) == []
    (first,) = await give(world, "acme")
    await give(world, "acme", 2)
    await give(world, "bolt")
    leased = await lease_all(anne)
    full = await world.store.limits.full_keys(job.job_id, bounds)
    by_value = {one.value: one for one in full}
    assert by_value.keys() == {'"acme"', '"bolt"', anne.name}
    acme = by_value['"acme"']
    assert (acme.used, acme.max, acme.waiting, list(acme.holders)) == (1, 1, 2, [first])
    assert (by_value[anne.name].used, by_value[anne.name].max) == (2, 2)
    await anne.complete(*leased)
    assert await world.store.limits.full_keys(job.job_id, bounds) == []


async def test_it_says_which_rates_of_keys_are_used_up_and_until_when(world: World) -> None:
    job = await save(world, place={"rate": "1/h", "rate_by": "customer"})
    await give(world, "acme", 3)
    await lease_all(await worker(world))
    (acme,) = await world.store.limits.full_keys(job.job_id, KeyBounds(has_rate=True))
    assert (acme.value, acme.max, acme.waiting) == ('"acme"', None, 2)
    assert acme.next_at is not None
    assert 0 < acme.next_at - await world.now() <= HOUR
