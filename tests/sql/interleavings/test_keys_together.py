"""Runs that wait for a key while somebody holds their rows: none of them is forgotten."""

import pytest

from foliot.domain.instants import HOUR, SECOND
from tests.conformance.building import save
from tests.conformance.working import trigger, worker
from tests.sql.interleavings.halting import naive
from tests.sql.world import World

pytestmark = pytest.mark.services


@pytest.mark.parametrize("waiting", [1, 2])
async def test_a_run_that_somebody_holds_when_its_rate_has_a_token_is_looked_for_again(
    postgres_world: World, waiting: int
) -> None:
    world = postgres_world
    await save(world, place={"rate": "10/h", "rate_burst": 2, "rate_by": "customer"})
    first = await trigger(world, n=2 + waiting, params='{"customer": "acme"}')
    anne = await worker(world)
    granted = await world.store.runs.lease([await anne.poll(8)], limit=1000)
    started = [run.run_id for run in granted.grants[0].runs]
    assert started == first[:2]
    await world.elapse(HOUR)
    async with naive(world) as other:
        transaction = other.transaction()
        await transaction.start()
        await other.execute("SELECT id FROM runs WHERE id = $1 FOR UPDATE", first[2])
        assert (await world.store.firing.unpark_keyed())[0] == waiting - 1
        await transaction.rollback()
    pulse = await world.store.firing.pulse()
    assert pulse.keys_at is not None, "the run still waits"
    await world.elapse(2 * SECOND)
    assert (await world.store.firing.unpark_keyed())[0] == 1


async def test_a_run_that_somebody_holds_when_the_run_before_it_ends_is_looked_for_again(
    postgres_world: World,
) -> None:
    world = postgres_world
    await save(world, place={"max_per_key": 1, "concurrency_by": "customer"})
    first, second = await trigger(world, n=2, params='{"customer": "acme"}')
    anne = await worker(world)
    granted = await world.store.runs.lease([await anne.poll(8)], limit=1000)
    (run,) = granted.grants[0].runs
    assert run.run_id == first
    async with naive(world) as other:
        transaction = other.transaction()
        await transaction.start()
        await other.execute("SELECT id FROM runs WHERE id = $1 FOR UPDATE", second)
        await anne.complete(run)
        await transaction.rollback()
    assert not await anne.lease()
    await world.elapse(2 * SECOND)
    assert (await world.store.firing.unpark_keyed())[0] == 1
    assert [run.run_id for run in await anne.lease()] == [second]
