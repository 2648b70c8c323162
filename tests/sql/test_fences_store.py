"""Fences in the tables: numbers of epochs and cursors."""

from foliot.domain.instants import SECOND
from foliot.domain.verdict import Cause
from foliot.store.sql.leasing.leases import ABOVE_ATTEMPTS
from tests.conformance.building import save
from tests.conformance.working import trigger, worker
from tests.sql.world import World


async def test_fences_rise_with_each_attempt(world: World) -> None:
    await save(world, "tick", retries={"max": 3, "backoff": "1s", "jitter": False})
    await trigger(world)
    anne = await worker(world)
    fences = []
    for _ in range(3):
        run = await anne.lease_one()
        fences.append(run.fence)
        await anne.complete(run, cause=Cause.ERROR, error="again")
        await world.elapse(SECOND)
    epoch = await world.value("SELECT epoch FROM store_meta")
    assert fences == [(epoch << 28) + attempt for attempt in (1, 2, 3)]


async def test_fences_of_an_exclusive_job_rise_across_its_runs(world: World) -> None:
    await save(world, "tick", overlap="queue_all", exclusive=True, isolation="process")
    await trigger(world, n=3)
    anne = await worker(world)
    fences = []
    for _ in range(3):
        run = await anne.lease_one()
        assert run.exclusive
        fences.append(run.fence)
        await anne.complete(run)
    epoch = await world.value("SELECT epoch FROM store_meta")
    assert fences == [(epoch << 28) + ABOVE_ATTEMPTS + n for n in (1, 2, 3)]
    assert await world.value("SELECT fence_seq FROM cursors") == ABOVE_ATTEMPTS + 3


async def test_a_new_epoch_lifts_every_fence(world: World) -> None:
    await save(world, "tick", retries={"max": 1, "backoff": "1s", "jitter": False})
    await trigger(world)
    anne = await worker(world)
    before = await anne.lease_one()
    await anne.complete(before, cause=Cause.ERROR, error="again")
    await world.change("UPDATE store_meta SET epoch = epoch + 1")
    await world.elapse(SECOND)
    assert (await anne.lease_one()).fence >= before.fence + 2**28
