"""Limits of whole groups and namespaces: every run there counts, by number and by rate, and no job names them."""

import asyncio

import pytest

from foliot.domain.instants import HOUR, SECOND
from foliot.domain.limits import LimitKind
from foliot.domain.rates import Bucket, Rate
from foliot.domain.verdict import Cause
from foliot.ports.store.limits import NamedLimit, ScopeLimitNotFound
from foliot.ports.store.nodes import SESSION_TTL_US
from tests.conformance.broadcasting import pass_time
from tests.conformance.building import PERSON, PLANS, definition, put_in, save
from tests.conformance.working import trigger, trigger_in, worker
from tests.conformance.world import World

GROUP = LimitKind.GROUP
NAMESPACE = LimitKind.NAMESPACE
TEN_A_HOUR = Bucket(Rate(10, HOUR), 3)


async def limit(world: World, max_: int | None = None, bucket: Bucket | None = None, **of: str) -> NamedLimit:
    """Limit the group "default", or what is said."""
    ((kind, name),) = of.items() or [("group", "default")]
    return await world.store.limits.set_scope(
        LimitKind(kind), name, max_=max_, bucket=bucket, is_rate_kept=bucket is None
    )


async def used(world: World) -> dict[str, int]:
    found = await world.store.limits.list(namespace=None, after="", limit=100)
    return {one.key: one.used for one in found}


async def test_jobs_of_a_group_share_its_limit(world: World) -> None:
    await limit(world, 3)
    await save(world, "one", run="python:jobs:one")
    await save(world, "two", run="python:jobs:two", place={"max_running": 1})
    await trigger(world, "one", 5)
    await trigger(world, "two", 5)
    anne = await worker(world)
    leased = await anne.lease(8)
    assert len(leased) == 3
    assert await anne.lease(8) == ()
    await anne.complete(*leased)
    assert await used(world) == {"grp:default": 0}
    assert len(await anne.lease(8)) == 3


async def test_a_limit_of_another_group_holds_up_nobody(world: World) -> None:
    await limit(world, 1, group="etl")
    await save(world)
    await trigger(world, n=4)
    anne = await worker(world)
    assert len(await anne.lease(8)) == 4
    assert await used(world) == {"grp:etl": 0}


async def test_a_namespace_has_its_limit_beside_that_of_the_group(world: World) -> None:
    await limit(world, 3)
    await limit(world, 2, namespace="ours")
    for namespace in ("ours", "theirs"):
        await world.store.jobs.save(namespace, "tick", definition(), by=PERSON, plans=PLANS)
        await trigger_in(world, namespace, 4)
    anne = await worker(world)
    leased = await anne.lease(8)
    assert len(leased) == 3
    ours = sum(run.namespace == "ours" for run in leased)
    assert ours <= 2
    assert await used(world) == {"grp:default": 3, "ns:ours": ours}


@pytest.mark.parametrize("way", ["success", "error", "retry", "release", "death"])
async def test_every_way_out_gives_it_back(world: World, way: str) -> None:
    await limit(world, 2)
    await save(world, retries=3 if way == "retry" else 0)
    await trigger(world, n=2)
    anne = await worker(world)
    leased = await anne.lease(8)
    assert len(leased) == 2
    assert await used(world) == {"grp:default": 2}
    if way == "death":
        await pass_time(world, 3 * SESSION_TTL_US)
    else:
        cause = {"success": Cause.SUCCEEDED, "release": Cause.RELEASED}.get(way, Cause.ERROR)
        await anne.complete(*leased, cause=cause)
    assert await used(world) == {"grp:default": 0}


async def test_a_limit_counts_what_runs_when_it_is_set(world: World) -> None:
    await save(world)
    await trigger(world, n=6)
    anne = await worker(world)
    leased = await anne.lease(3)
    made = await limit(world, 4)
    assert made.used == 3
    assert len(await anne.lease(8)) == 1
    await anne.complete(*leased)
    assert await used(world) == {"grp:default": 1}


async def test_a_limit_that_went_and_came_again_is_exact(world: World) -> None:
    await limit(world, 2)
    await save(world)
    await trigger(world, n=6)
    anne = await worker(world)
    leased = await anne.lease(8)
    await world.store.limits.remove_scope(GROUP, "default")
    others = await anne.lease(2)
    made = await limit(world, 5)
    assert made.used == 4
    await anne.complete(*leased, *others)
    assert await used(world) == {"grp:default": 0}
    with pytest.raises(ScopeLimitNotFound):
        await world.store.limits.remove_scope(NAMESPACE, "default")


async def test_other_servers_heed_a_limit_at_once(world: World) -> None:
    await save(world)
    await trigger(world, n=6)
    there = await world.open()
    anne, ben = await worker(world), await worker(world, there)
    assert len(await ben.lease(1)) == 1
    await limit(world, 3)
    assert len(await ben.lease(8)) == 2
    assert await anne.lease(8) == ()


async def test_three_servers_that_lease_at_once_start_no_more_than_there_may_run(world: World) -> None:
    await limit(world, 5)
    await limit(world, 3, namespace="ours")
    for namespace in ("ours", "theirs"):
        await put_in(world, namespace)
        await trigger_in(world, namespace, 9)
    stores = [world.store, await world.open(), await world.open()]
    workers = [await worker(world, store) for store in stores]
    over = 0
    for _ in range(40):
        leased = await asyncio.gather(*(one.lease(8) for one in workers))
        runs = [run for some in leased for run in some]
        ours = sum(run.namespace == "ours" for run in runs)
        assert len(runs) <= 5
        assert ours <= 3
        assert await used(world) == {"grp:default": len(runs), "ns:ours": ours}
        await asyncio.gather(*(one.complete(*some) for one, some in zip(workers, leased, strict=True)))
        over += len(runs)
        if over == 18:
            break
    assert over == 18
    assert await world.store.runs.recount_limits() == 0


async def test_a_recount_mends_a_wrong_number(world: World) -> None:
    await limit(world, 3)
    await save(world)
    await trigger(world, n=2)
    anne = await worker(world)
    await anne.lease(8)
    assert await world.store.runs.recount_limits() == 0
    assert await used(world) == {"grp:default": 2}


async def test_a_rate_lets_its_burst_start_and_then_one_by_one(world: World) -> None:
    await limit(world, bucket=TEN_A_HOUR)
    await save(world)
    await trigger(world, n=8)
    anne = await worker(world)
    poll = await anne.poll(8)
    granted = await world.store.runs.lease([poll], limit=1000)
    first = granted.grants[0].runs
    assert len(first) == 3
    assert granted.again_at is not None
    assert 0 < granted.again_at - granted.now <= TEN_A_HOUR.pace_us
    await anne.complete(*first)
    assert await anne.lease(8) == ()  # a token is not given back
    await world.elapse(granted.again_at - granted.now + SECOND)
    await anne.beat()
    assert len(await anne.lease(8)) == 1
    (shown,) = await world.store.limits.list(namespace=None, after="", limit=10)
    assert shown.max is None
    assert shown.bucket == TEN_A_HOUR
    assert shown.next_at is not None


async def test_a_rate_goes_and_the_number_stays(world: World) -> None:
    await limit(world, 2, TEN_A_HOUR)
    changed = await world.store.limits.set_scope(GROUP, "default", max_=None, bucket=None, is_rate_kept=False)
    assert changed.max == 2
    assert changed.bucket is None


async def test_a_number_goes_and_the_rate_stays(world: World) -> None:
    await limit(world, 2, TEN_A_HOUR)
    await save(world)
    await trigger(world, n=4)
    anne = await worker(world)
    assert len(await anne.lease(8)) == 2
    changed = await world.store.limits.set_scope(
        GROUP, "default", max_=None, bucket=None, is_rate_kept=True, is_max_kept=False
    )
    assert (changed.max, changed.bucket, changed.used) == (None, TEN_A_HOUR, 2)
    assert len(await anne.lease(8)) == 1, "its rate lets three start"


async def test_a_bucket_begins_anew_when_the_clock_stepped_back(world: World) -> None:
    await limit(world, bucket=Bucket(Rate(1, HOUR), 1))
    await save(world)
    await trigger(world, n=3)
    await world.elapse(24 * HOUR)
    anne = await worker(world)
    assert len(await anne.lease(8)) == 1
    await world.elapse(-23 * HOUR)
    assert len(await anne.lease(8)) == 1
    assert await anne.lease(8) == ()
