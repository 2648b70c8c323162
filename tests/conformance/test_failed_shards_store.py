"""A sharded run is run again without the shards that succeeded: their results count, and only the others execute."""

import asyncio
import json

from foliot.domain.verdict import Cause
from foliot.ports.store.lookups import RunRow
from tests.conformance.building import ask, save
from tests.conformance.working import JOIN, Worker, run_of, trigger, worker
from tests.conformance.world import World


async def half_failed(world: World, anne: Worker, **document: object) -> int:
    """A run of four shards of which two failed."""
    await save(world, "tick", shards=4, **document)
    (run,) = await trigger(world)
    for shard in await anne.lease(8):
        if shard.shard % 2:
            await anne.complete(shard, cause=Cause.ERROR, error="boom")
        else:
            await anne.complete(shard, result=str(shard.shard * 10))
    assert (await run_of(world, run)).state == "FAILED"
    return run


async def shards_of(world: World, run_id: int) -> dict[int, RunRow]:
    children = await world.store.lookups.shards(run_id)
    return {child.shard: child for child in children if child.shard >= 0}


async def test_only_the_failed_shards_execute_and_the_merge_gets_every_result(world: World) -> None:
    anne = await worker(world)
    failed = await half_failed(world, anne, merge=JOIN)
    (again,) = await trigger(world, version=1, keeps_shards_of=failed)
    kept = await shards_of(world, again)
    assert {number: run.state for number, run in kept.items()} == {
        0: "SUCCEEDED",
        1: "PENDING",
        2: "SUCCEEDED",
        3: "PENDING",
    }
    assert (kept[0].attempt, kept[0].started_at, (await run_of(world, kept[2].run_id)).result) == (0, None, "20")
    assert (await run_of(world, again)).open_children == 2
    leased = await anne.lease(8)
    assert [run.shard for run in leased] == [1, 3]
    for shard in leased:
        await anne.complete(shard, result=str(shard.shard))
    merge = await anne.lease_one()
    assert json.loads(merge.params or "") == {"parts": [0, 1, 20, 3]}
    await anne.complete(merge, result="24")
    ended = await run_of(world, again)
    assert (ended.state, ended.result, ended.open_children) == ("SUCCEEDED", "24", 0)
    assert (await run_of(world, failed)).state == "FAILED", "what is over stays as it was"


async def test_a_retry_that_fails_again_keeps_what_succeeded_by_then(world: World) -> None:
    anne = await worker(world)
    failed = await half_failed(world, anne)
    (again,) = await trigger(world, version=1, keeps_shards_of=failed)
    one, three = await anne.lease(8)
    await anne.complete(one)
    await anne.complete(three, cause=Cause.ERROR, error="boom")
    told = await run_of(world, again)
    assert (told.state, told.error) == ("FAILED", "1 of 4 shards failed.")
    (last,) = await trigger(world, version=1, keeps_shards_of=again)
    (left,) = await anne.lease(8)
    assert left.shard == 3
    await anne.complete(left)
    assert (await run_of(world, last)).state == "SUCCEEDED"


async def test_a_run_without_failed_shards_is_executed_whole(world: World) -> None:
    """One shard must be left, or nothing would end the run."""
    anne = await worker(world)
    await save(world, "tick", shards=2)
    (run,) = await trigger(world)
    await anne.complete(*await anne.lease(8))
    (again,) = await trigger(world, version=1, keeps_shards_of=run)
    assert [shard.shard for shard in await anne.lease(8)] == [0, 1]
    assert (await run_of(world, again)).open_children == 2


async def test_one_key_makes_one_retry_with_its_shards_once(world: World) -> None:
    anne = await worker(world)
    failed = await half_failed(world, anne)
    wish = ask("tick", "k" * 20, version=1, keeps_shards_of=failed)
    made = await asyncio.gather(*(world.store.runs.trigger(wish) for _ in range(4)))
    assert len({one.run_id for one in made}) == 1
    assert sum(one.created for one in made) == 1
    assert len(await shards_of(world, made[0].run_id)) == 4
    assert len(await anne.lease(8)) == 2
