"""Retention: old history goes in small steps; what is live, young or still needed stays."""

from foliot.domain.instants import DAY, SECOND
from foliot.domain.verdict import Cause
from tests.conformance.building import save
from tests.conformance.working import forget, states_of, trigger, worker
from tests.conformance.world import World


async def test_young_and_live_runs_stay(world: World) -> None:
    await save(world, "tick")
    await trigger(world, n=3)
    anne = await worker(world)
    await world.elapse(2 * DAY)
    await anne.beat()
    done, _ = await anne.lease(2)
    await anne.complete(done)
    assert (await forget(world))[0] == 0
    assert len(await states_of(world)) == 3


async def test_it_walks_upwards_in_steps(world: World) -> None:
    await save(world, "tick")
    ids = await trigger(world, n=5)
    anne = await worker(world)
    await anne.complete(*await anne.lease(8))
    await world.elapse(DAY + SECOND)
    deleted, after = await forget(world, limit=2)
    assert (deleted, after) == (2, ids[1])
    assert await forget(world, limit=2, after_id=after) == (2, ids[3])
    assert await forget(world, limit=2, after_id=ids[3]) == (1, 0)  # the end
    assert await forget(world, limit=2, after_id=ids[4]) == (0, 0)


async def test_shards_stay_as_long_as_their_parent(world: World) -> None:
    await save(world, "tick", shards=2)
    await trigger(world)
    anne = await worker(world)
    one, two = await anne.lease(8)
    await anne.complete(one, cause=Cause.ERROR, error="x")
    await world.elapse(2 * DAY)
    assert (await forget(world))[0] == 0
    await anne.complete(two)
    assert (await states_of(world))[0] == "FAILED"  # the parent still knew of the failed shard
    await world.elapse(2 * DAY)
    assert (await forget(world))[0] == 3
