"""Failed shards of a broadcast that are executed again: each by the worker of the same name, if it is there."""

import pytest

from foliot.domain.verdict import Cause, judge
from foliot.ports.store.runs import WorkersGone
from foliot.ports.worker_link import LeasedRun, Leaving
from tests.conformance.broadcasting import ALL, UNTIL_DEAD_US, leased, pass_time, reap, shards_of
from tests.conformance.building import PERSON, runs_of, save
from tests.conformance.routing import assign, team
from tests.conformance.working import BEAT_EVERY_US, JOIN, Worker, lead, run_of, trigger, worker
from tests.conformance.world import World


async def succeed_or_fail(one: Worker, run: LeasedRun, *, succeeds: bool) -> None:
    if succeeds:
        await one.complete(run, result='"first"')
    else:
        await one.complete(run, cause=Cause.ERROR, error="no")


async def restarted(one: Worker) -> Worker:
    """The worker leaves, and begins anew under its name."""
    await one.store.nodes.leave(Leaving(session=one.session), judge)
    again = Worker(one.world)
    again.name = one.name
    return await again.register()


async def test_failed_shards_are_executed_again_by_the_workers_of_the_same_names(world: World) -> None:
    await save(world, "tick", **ALL, merge=JOIN)
    anne, bert, cleo, dora = await team(world, 4)
    (run,) = await trigger(world)
    await assign(world)
    for one in (anne, bert, dora):
        (mine,) = await leased(one)
        await succeed_or_fail(one, mine, succeeds=one is anne)
    await world.store.nodes.drain(cleo.session, by=PERSON)
    await reap(world, await lead(world))
    assert (await run_of(world, run)).error == "3 of 4 shards failed."
    dora = await restarted(dora)
    late = await worker(world)
    (again,) = await trigger(world, keeps_shards_of=run, version=1)
    row = await run_of(world, again)
    assert (row.state, row.open_children, row.reason) == ("RUNNING", 2, f"a test; left out: {cleo.name}")
    await assign(world)
    assert [(shard.shard, shard.state, shard.node) for shard in await shards_of(world, again)] == [
        (0, "SUCCEEDED", None),
        (1, "PENDING", bert.name),
        (3, "PENDING", dora.name),
    ]
    assert [await leased(one) for one in (anne, late)] == [(), ()]
    for one, number in ((bert, 1), (dora, 3)):
        (mine,) = await leased(one)
        assert (mine.shard, mine.shards) == (number, 4)
        await one.complete(mine, result=f'"again {number}"')
    (merge,) = await leased(late)
    assert merge.params == '{"parts":["first","again 1","again 3"]}'
    await late.complete(merge)
    assert (await run_of(world, again)).state == "SUCCEEDED"


async def test_failed_shards_without_a_live_worker_are_refused_with_their_names(world: World) -> None:
    await save(world, "tick", **ALL)
    anne, bert, cleo = await team(world, 3)
    (run,) = await trigger(world)
    await assign(world)
    for one in (anne, bert, cleo):
        (mine,) = await leased(one)
        await succeed_or_fail(one, mine, succeeds=one is anne)
    await world.store.nodes.drain(bert.session, by=PERSON)
    await cleo.register(JOIN)
    with pytest.raises(WorkersGone, match=f"is live and fits now: {bert.name}, {cleo.name}") as refusal:
        await trigger(world, keeps_shards_of=run, version=1)
    assert refusal.value.data["workers"] == f"{bert.name}, {cleo.name}"
    assert [one.run_id for one in await runs_of(world) if one.shard < 0] == [run], "nothing was made"


async def test_failed_shards_wait_their_turn_and_keep_their_workers(world: World) -> None:
    await save(world, "tick", **ALL, overlap="queue_all", place={"max_running": 1})
    anne, bert = await team(world, 2)
    first, second = await trigger(world, n=2)
    await assign(world)
    for one in (anne, bert):
        (mine,) = await leased(one)
        await one.complete(mine, cause=Cause.ERROR, error="no")
    await assign(world)
    (again,) = await trigger(world, keeps_shards_of=first, version=1)
    assert (await run_of(world, again)).open_children == 2
    for run in (second, again):
        await assign(world)
        for one in (anne, bert):
            (mine,) = await leased(one)
            assert (mine.shard, mine.shards) == ([anne, bert].index(one), 2)
            await one.complete(mine)
        assert (await run_of(world, run)).state == "SUCCEEDED"


async def test_a_shard_that_waited_in_line_is_lost_with_the_only_worker_that_could_execute_it(world: World) -> None:
    await save(world, "tick", **ALL, overlap="queue_all")
    (anne,) = await team(world, 1)
    first, second = await trigger(world, n=2)
    await assign(world)
    (mine,) = await leased(anne)
    await anne.complete(mine, cause=Cause.ERROR, error="no")
    await assign(world)
    (mine,) = await leased(anne)
    (again,) = await trigger(world, keeps_shards_of=first, version=1)
    assert await leased(anne) == (), "it is not its turn"
    await anne.register(JOIN)
    await anne.complete(mine)
    assert (await run_of(world, second)).state == "SUCCEEDED"
    await assign(world)
    await pass_time(world, UNTIL_DEAD_US + BEAT_EVERY_US, anne)
    row = await run_of(world, again)
    assert (row.state, row.kind, row.error) == ("FAILED", "lost", "1 of 1 shards failed.")


async def test_a_worker_of_a_shard_that_succeeded_gets_none_of_its_namesake(world: World) -> None:
    await save(world, "tick", **ALL)
    anne = await worker(world)
    twin = Worker(world)
    twin.name = anne.name
    await twin.register()
    (run,) = await trigger(world)
    await assign(world)
    for one in (anne, twin):
        (mine,) = await leased(one)
        await succeed_or_fail(one, mine, succeeds=one is anne)
    (again,) = await trigger(world, keeps_shards_of=run, version=1)
    assert await leased(anne) == ()
    (mine,) = await leased(twin)
    await twin.complete(mine)
    assert (await run_of(world, again)).state == "SUCCEEDED"
