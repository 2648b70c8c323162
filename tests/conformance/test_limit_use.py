"""What a limit is used for: who holds it, who waits for it, which jobs count in it."""

from dataclasses import replace

import pytest

from foliot.domain.instants import HOUR
from foliot.domain.limits import limit_key
from foliot.ports.store.limits import LimitUse
from tests.conformance.building import definition
from tests.conformance.limiting import ask_in, naming, save
from tests.conformance.working import worker
from tests.conformance.world import World

OURS = limit_key("db", "ours")


async def use(world: World, *keys: str) -> LimitUse:
    found = await world.store.limits.use(keys)
    assert found is not None
    return found


async def test_it_says_which_runs_hold_a_limit_and_where_since_when(world: World) -> None:
    await save(world, naming("db", 2), namespace="ours")
    for key in ("a", "b", "c"):
        await world.store.runs.trigger(ask_in("ours", key))
    anne = await worker(world)
    leased = await anne.lease(8)
    found = await use(world, OURS)
    assert (found.limit.max, found.limit.used) == (2, 2)
    assert {holder.run_id for holder in found.holders} == {run.run_id for run in leased}
    assert {(holder.namespace, holder.job, holder.worker) for holder in found.holders} == {("ours", "tick", anne.name)}
    assert all(holder.since > 0 for holder in found.holders)


async def test_it_counts_who_waits_and_names_the_oldest(world: World) -> None:
    await save(world, naming("db", 1), namespace="ours")
    made = [await world.store.runs.trigger(ask_in("ours", key)) for key in ("a", "b", "c")]
    await world.store.runs.trigger(replace(ask_in("ours", "later"), delay_us=HOUR))
    found = await use(world, OURS)
    assert found.oldest is not None
    assert (found.oldest.run_id, found.oldest.job) == (made[0].run_id, "tick")
    await (await worker(world)).lease(8)
    found = await use(world, OURS)
    assert found.oldest is not None
    assert (found.waiting, found.oldest.run_id) == (2, made[1].run_id)


async def test_it_names_the_jobs_that_count_in_it(world: World) -> None:
    await save(world, naming("db", 1), namespace="ours", job="first")
    await save(world, naming("db", 1), namespace="ours", job="second")
    await save(world, naming("db", 1), namespace="theirs", job="other")
    await save(world, naming("db", 1), namespace="ours", job="left")
    await save(world, definition(), namespace="ours", job="left")
    found = await use(world, OURS)
    assert [user.job for user in found.users] == ["first", "second"]
    assert (found.waiting, found.oldest, list(found.holders)) == (0, None, [])


async def test_the_first_that_there_is_is_meant(world: World) -> None:
    await world.store.limits.set_shared("db", 7)
    assert (await use(world, OURS, limit_key("db", None))).limit.max == 7
    assert await world.store.limits.use([OURS]) is None


@pytest.mark.parametrize("overlap", ["allow", "queue_all"])
async def test_the_waiting_runs_of_a_job_are_told_as_its_limit_counts_them(world: World, overlap: str) -> None:
    saved = await save(world, definition(overlap=overlap, place={"max_waiting": 5}))
    for key in ("a", "b", "c"):
        await world.store.runs.trigger(ask_in("default", key))
    job_id = saved.job.job_id
    assert await world.store.limits.waiting(job_id) == 3
    await (await worker(world)).lease(1)
    assert await world.store.limits.waiting(job_id) == 2
