"""Merge runs: what their shards returned comes with the lease, in order and bounded."""

import json

from foliot.domain.verdict import Cause
from tests.conformance.building import save
from tests.conformance.working import JOIN, end_shards, trigger, worker
from tests.conformance.world import World


async def test_a_merge_run_gets_the_results_of_its_shards_in_their_order(world: World) -> None:
    await save(world, "tick", shards=4, merge=JOIN, params={"day": 3})
    await trigger(world)
    anne = await worker(world)
    await end_shards(anne, ['{"orders":2}', None, '"zwei – 二"', "[1,2]"])
    merge = await anne.lease_one()
    assert json.loads(merge.params or "") == {"parts": [{"orders": 2}, None, "zwei – 二", [1, 2]], "day": 3}


async def test_a_lost_answer_brings_the_same_parts_again(world: World) -> None:
    """R5: the repeated request is served from the rows, as the first was."""
    await save(world, "tick", shards=2, merge=JOIN)
    await trigger(world)
    anne = await worker(world)
    await end_shards(anne, ["1", "2"])
    (lost,) = await anne.lease(1)
    (again,) = await anne.lease(1, repeat=True)
    assert (again.lease_id, again.params) == (lost.lease_id, lost.params) == (lost.lease_id, '{"parts":[1,2]}')


async def test_a_merge_run_that_goes_again_gets_them_again(world: World) -> None:
    await save(world, "tick", shards=2, merge=JOIN, retries={"max": 1, "backoff": "1s", "jitter": False})
    await trigger(world)
    anne = await worker(world)
    await end_shards(anne, ["1", "2"])
    first = await anne.lease_one()
    await anne.complete(first, cause=Cause.ERROR, error="x")
    await world.elapse(2_000_000)
    second = await anne.lease_one()
    assert (second.attempt, second.params) == (2, first.params)


async def test_a_parameter_called_parts_gives_way_and_shards_see_it(world: World) -> None:
    await save(world, "tick", shards=1, merge=JOIN)
    await trigger(world, params='{"parts":7,"big":9007199254740993}')
    anne = await worker(world)
    (shard,) = await anne.lease(8)
    assert json.loads(shard.params or "")["parts"] == 7
    await anne.complete(shard, result="1.50")
    assert (await anne.lease_one()).params == '{"parts":[1.50],"big":9007199254740993}'
