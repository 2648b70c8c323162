"""Merge runs, with sizes that the store sets."""

import json

from foliot.store.sql.leasing.merge_input import LEASED_MAX, PARTS_MAX
from tests.conformance.building import save
from tests.conformance.working import JOIN, end_shards, trigger, worker
from tests.sql.rows import run_of
from tests.sql.world import World


async def test_more_than_a_merge_run_takes_fails_the_run_in_words(world: World) -> None:
    await save(world, "tick", shards=2, merge=JOIN)
    (parent_id,) = await trigger(world)
    anne = await worker(world)
    half = json.dumps("x" * (PARTS_MAX // 2))
    await end_shards(anne, [half, half])
    row = await run_of(world, parent_id)
    assert (row["state"], row["kind"]) == ("FAILED", "rejected")
    assert row["error"].startswith("The shards returned 4.0 MiB together; a merge run takes 4 MiB.")
    assert await anne.lease(8) == ()


async def test_one_lease_reads_only_so_much(world: World) -> None:
    await save(world, "tick", shards=1, merge=JOIN)
    await trigger(world, n=3)
    anne = await worker(world)
    large = json.dumps("x" * (LEASED_MAX * 2 // 5))
    await end_shards(anne, [large], shards=await anne.lease(8))
    sizes = [[len(run.params or "") > len(large) for run in await anne.lease(8)] for _ in range(3)]
    assert sizes == [[True, True], [True], []]
