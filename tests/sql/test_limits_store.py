"""Limits in the tables: rows that count, set wrong and counted anew."""

import pytest

from foliot.domain.verdict import judge
from foliot.ports.store.nodes import GRACE_US, SESSION_TTL_US
from foliot.ports.worker_link import Leaving
from foliot.store.sql.kernel.statement import TEXT, RowSet
from tests.conformance.building import PERSON, save
from tests.conformance.working import lead, trigger, worker
from tests.sql.world import World


async def _used(world: World) -> dict[str, int]:
    return {row["name"]: row["used"] for row in await world.rows("SELECT name, used FROM limits")}


async def test_a_limit_takes_the_newest_maximum(world: World) -> None:
    job = await save(world, "tick", place={"max_running": 3})
    await trigger(world, n=5)
    anne = await worker(world)
    runs = await anne.lease(2)
    await save(world, "tick", place={"max_running": 1})
    assert await world.value("SELECT max FROM limits") == 1
    assert await anne.lease(8) == ()
    await anne.complete(*runs)
    assert len(await anne.lease(8)) == 1
    assert await _used(world) == {f"job:{job.job_id}": 1}


async def test_cancel_adopt_leave_and_reaping_give_back(world: World) -> None:
    job = await save(world, "tick", place={"max_running": 9}, retries=3)
    await trigger(world, n=6)
    anne, ben = await worker(world), await worker(world)
    name = f"job:{job.job_id}"
    await anne.lease(3)
    held = await ben.lease(2)
    assert await _used(world) == {name: 5}
    await anne.beat(settled=1)  # adopt: it knows nothing of its three
    assert await _used(world) == {name: 2}
    await world.store.nodes.leave(Leaving(session=ben.session), judge)
    assert await _used(world) == {name: 0}
    carl = await worker(world)
    (run, *_) = await carl.lease(4)
    await world.store.runs.cancel([run.run_id], by=PERSON)
    assert await _used(world) == {name: 4}  # asked, not stopped yet
    term = await lead(world)
    await world.elapse(SESSION_TTL_US + 2 * GRACE_US)
    await world.change("UPDATE store_meta SET last_tick_at = :now", now=await world.now())
    await world.store.runs.reap(judge, limit=100, term=term)
    assert await _used(world) == {name: 0}
    assert len(held) == 2


async def test_cancelling_what_waits_gives_nothing_back(world: World) -> None:
    await save(world, "tick", place={"max_running": 1})
    ids = await trigger(world, n=3)
    anne = await worker(world)
    await anne.lease(8)
    await world.store.runs.cancel(ids[1:], by=PERSON)
    assert list((await _used(world)).values()) == [1]


async def test_shards_and_merge_take_limits_their_parent_does_not(world: World) -> None:
    await save(world, "tick", shards=3, merge="python:jobs:join", place={"max_running": 2})
    await trigger(world)
    anne = await worker(world)
    shards = await anne.lease(8)
    assert len(shards) == 2
    await anne.complete(*shards)
    await anne.complete(*await anne.lease(8))
    merge = await anne.lease_one()
    assert list((await _used(world)).values()) == [1]
    await anne.complete(merge)
    assert list((await _used(world)).values()) == [0]


async def test_the_watchdog_recounts(world: World) -> None:
    await save(world, "one", run="python:jobs:one", place={"max_running": 5, "concurrency": {"db": 9}})
    await save(world, "two", run="python:jobs:two", place={"concurrency": {"db": 9}})
    await trigger(world, "one", 2)
    await trigger(world, "two", 2)
    anne = await worker(world)
    await anne.lease(8)
    right = await _used(world)
    assert sorted(right.values()) == [2, 4]
    assert await world.store.runs.recount_limits() == 0
    await world.change("UPDATE limits SET used = 7")
    assert await world.store.runs.recount_limits() == 2
    assert await _used(world) == right
    await world.change("UPDATE limits SET used = 0")
    assert await world.store.runs.recount_limits() == 2
    assert await _used(world) == right


async def test_recounting_many_limits_goes_in_steps(world: World) -> None:
    await world.change(
        "INSERT INTO limits (name, max, used, ver) SELECT d.name, 5, 1, 1 FROM {d}",
        RowSet("d", name=TEXT),
        rows={"d": [(f"res:{number}",) for number in range(450)]},
    )
    assert await world.store.runs.recount_limits() == 450
    assert await world.store.runs.recount_limits() == 0


# ------------------------------------------------------------------------------------------------------------- leasing


@pytest.mark.parametrize("place", [{"max_running": 2}, {"concurrency": {"db": 2}}])
async def test_a_limit_lets_only_so_many_run(world: World, place: dict[str, object]) -> None:
    await save(world, "tick", place=place)
    await trigger(world, n=5)
    anne = await worker(world)
    first = await anne.lease(8)
    assert len(first) == 2
    assert await anne.lease(8) == ()
    assert await world.value("SELECT used FROM limits") == 2
    await anne.complete(first[0])
    assert len(await anne.lease(8)) == 1
    assert await world.value("SELECT used FROM limits") == 2


async def test_a_resource_is_shared_by_jobs(world: World) -> None:
    await save(world, "one", run="python:jobs:one", place={"concurrency": {"db": 3}})
    await save(world, "two", run="python:jobs:two", place={"concurrency": {"db": 3}, "max_running": 1})
    await trigger(world, "one", 4)
    await trigger(world, "two", 4)
    anne = await worker(world)
    leased = await anne.lease(8)
    assert len(leased) == 3
    assert sum(run.job == "two" for run in leased) <= 1
    used = {row["name"]: row["used"] for row in await world.rows("SELECT name, used FROM limits")}
    assert used["res:default/db"] == 3
    await anne.complete(*leased)
    assert await world.value("SELECT sum(used) FROM limits") == 0


async def test_a_limit_with_no_row_yet_gets_one(world: World) -> None:
    await save(world, "tick", place={"max_running": 1})
    await trigger(world, n=2)
    await world.change("DELETE FROM limits")
    assert len(await (await worker(world)).lease(8)) == 1
    assert [dict(row) for row in await world.rows("SELECT max, used FROM limits")] == [{"max": 1, "used": 1}]
