"""Fences: every lease of a run has a higher one, every run of an exclusive job its own (S8, I9)."""

from foliot.domain.instants import SECOND
from foliot.domain.verdict import Cause
from tests.conformance.building import save
from tests.conformance.working import trigger, worker
from tests.conformance.world import World


async def test_every_shard_of_an_exclusive_run_has_a_fence_of_its_own(world: World) -> None:
    await save(world, "tick", overlap="queue_all", exclusive=True, isolation="process", shards=3)
    await trigger(world, n=2)
    anne, ben = await worker(world), await worker(world)
    fences = []
    for _ in range(2):  # of one lease, and of another
        leased = [*await anne.lease(2), *await ben.lease(8)]
        assert [run.shard for run in leased] == [0, 1, 2]
        fences += [run.fence for run in leased]
        await anne.complete(*leased[:2])
        await ben.complete(leased[2])
    assert fences == sorted(set(fences))


async def test_an_overlap_somebody_asked_for_ends_when_the_job_becomes_exclusive(world: World) -> None:
    await save(world, "tick", overlap="queue_all")
    await trigger(world)
    await trigger(world, allow_overlap=True)
    await save(world, "tick", overlap="queue_all", exclusive=True, isolation="process")
    anne = await worker(world)
    (first,) = await anne.lease(8)
    await anne.complete(first)
    (second,) = await anne.lease(8)
    assert second.fence > first.fence


async def test_a_job_that_becomes_exclusive_goes_on_above_the_attempts_it_had(world: World) -> None:
    retries = {"max": 5, "backoff": "1s", "jitter": False}
    await save(world, "tick", overlap="queue_all", retries=retries)
    await trigger(world)
    anne = await worker(world)
    fences = []
    for cause in (Cause.ERROR, Cause.ERROR, Cause.SUCCEEDED):
        run = await anne.lease_one()
        fences.append(run.fence)
        await anne.complete(run, cause=cause)
        await world.elapse(SECOND)
    await save(world, "tick", overlap="queue_all", retries=retries, exclusive=True, isolation="process")
    await trigger(world)
    fences.append((await anne.lease_one()).fence)
    assert fences == sorted(set(fences))
