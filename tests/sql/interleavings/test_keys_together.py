"""Runs that wait for a key while somebody holds their rows: none of them is forgotten."""

import pytest

from foliot.domain.instants import HOUR, SECOND
from foliot.store.sql.leasing import key_waiters
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


async def waiting_for_a_rate(world: World, n: int) -> list[int]:
    """So many runs wait for a key that has two tokens again."""
    await save(world, place={"rate": "10/h", "rate_burst": 2, "rate_by": "customer"})
    ids = await trigger(world, n=2 + n, params='{"customer": "acme"}')
    anne = await worker(world)
    assert len(await anne.lease(8)) == 2
    while await world.value("SELECT count(*) FROM limit_runs WHERE waits = 1") < n:
        assert await anne.lease(8) == ()
    await world.elapse(HOUR)
    return ids[2:]


async def test_a_sweep_does_not_turn_in_circles_while_somebody_holds_all_it_looks_at(
    postgres_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = postgres_world
    monkeypatch.setattr(key_waiters, "ROWS_MAX", 2 * key_waiters.PAGE_COST)
    ids = await waiting_for_a_rate(world, 12)
    async with naive(world) as other:
        transaction = other.transaction()
        await transaction.start()
        for run_id in ids:
            await other.execute("SELECT id FROM runs WHERE id = $1 FOR UPDATE", run_id)
        assert await world.store.firing.unpark_keyed() == (0, False), "not again at once"
        await transaction.rollback()
    await world.elapse(2 * SECOND)
    assert (await world.store.firing.unpark_keyed())[0] == 2


async def test_a_run_behind_a_hundred_that_a_bulk_act_holds_is_found_and_no_other_goes(postgres_world: World) -> None:
    world = postgres_world
    *held, one, two, _ = await waiting_for_a_rate(world, 103)
    async with naive(world) as other:
        transaction = other.transaction()
        await transaction.start()
        for run_id in held:
            await other.execute("SELECT id FROM runs WHERE id = $1 FOR UPDATE", run_id)
        assert (await world.store.firing.unpark_keyed())[0] == 2
        await transaction.rollback()
    ready = await world.rows("SELECT id FROM runs WHERE state = 'PENDING' AND parked = 0 ORDER BY id")
    assert [row["id"] for row in ready] == [one, two]
