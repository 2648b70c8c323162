"""Edits and what waits: which runs take the new version, where they stand then, and what a fixed delay waits for."""

from typing import Any

import pytest

from foliot.domain.instants import HOUR, MINUTE, SECOND
from foliot.domain.verdict import Cause
from foliot.ports.store.runs import BadTrigger
from tests.conformance.building import PERSON, cursor_of, every, fire, make_due, runs_of, save, skips_of
from tests.conformance.editing import EXCLUSIVE, delayed, drain, started, unpark
from tests.conformance.working import run_of, trigger, worker
from tests.conformance.world import World


async def test_a_trigger_for_later_is_cut_into_the_shards_of_the_new_version(world: World) -> None:
    await save(world, overlap="queue_all")
    (later,) = await trigger(world, delay_us=HOUR)
    await save(world, overlap="queue_all", shards=2)
    await world.elapse(HOUR)
    await world.store.firing.admit(limit=10)
    anne = await worker(world)
    leased = await anne.lease(8)
    assert [(run.version, run.shard, run.shards) for run in leased] == [(2, 0, 2), (2, 1, 2)]
    await anne.complete(*leased)
    assert (await run_of(world, later)).state == "SUCCEEDED"


async def test_a_sharded_trigger_for_later_is_cut_when_it_is_due_and_waits_in_nobodys_way(world: World) -> None:
    await save(world, overlap="allow", shards=2)
    (later,) = await trigger(world, delay_us=HOUR)
    assert [(run.place, run.state) for run in await runs_of(world)] == [(None, "PENDING")]
    await save(world, overlap="queue_all", shards=2)
    await trigger(world)
    anne = await worker(world)
    assert [len(lease) for lease in await drain(anne)] == [2]
    await world.elapse(HOUR)
    await world.store.firing.admit(limit=10)
    assert [len(lease) for lease in await drain(await worker(world))] == [2]
    assert (await run_of(world, later)).state == "SUCCEEDED"


async def test_a_sharded_run_that_has_not_begun_lines_up_with_all_its_shards(world: World) -> None:
    await save(world, overlap="allow", shards=2)
    (waiting,) = await trigger(world)
    (running,) = await trigger(world, priority=9)
    ended = [run.run_id for run in await runs_of(world) if run.parent_id == waiting and run.shard == 1]
    await world.store.runs.cancel(ended, by=PERSON)
    before = await run_of(world, ended[0])
    anne, ben = await worker(world), await worker(world)
    first = await anne.lease(2)
    assert {(await run_of(world, run.run_id)).parent_id for run in first} == {running}
    await save(world, **EXCLUSIVE, shards=2)
    await unpark(world)
    assert await ben.lease(8) == ()
    assert await run_of(world, ended[0]) == before  # what has ended does not change (S6)
    await anne.complete(*first)
    await unpark(world)
    (second,) = await ben.lease(8)
    assert (second.version, second.shard, second.exclusive) == (2, 0, True)


async def test_shards_in_line_keep_their_version_when_the_job_becomes_exclusive(world: World) -> None:
    await save(world, overlap="allow", shards=2)
    await trigger(world)
    anne, ben = await worker(world), await worker(world)
    await anne.lease(1)
    await save(world, **EXCLUSIVE, shards=2)
    (second,) = await ben.lease(8)
    assert (second.version, second.exclusive) == (1, False)


# ---------------------------------------------------------------------------------------------------------- the line


@pytest.mark.parametrize("overlap", ["skip", "queue", "queue_all", "replace"])
async def test_a_trigger_for_later_leaves_the_line_when_the_job_becomes_serial(world: World, overlap: str) -> None:
    job = await every(world, interval="10m", overlap="allow")
    (later,) = await trigger(world, delay_us=5 * HOUR)
    job = await every(world, interval="10m", overlap=overlap)
    for _ in range(3):
        await make_due(world, job)
        await fire(world)
        await unpark(world)
        anne = await worker(world)
        run = await anne.lease_one()
        assert run.run_id != later
        await anne.complete(run)
        job = await world.store.lookups.job("default", "tick")
    assert await skips_of(world, job) == []
    row = await run_of(world, later)
    assert (row.state, row.place, row.version) == ("PENDING", None, 2)


async def test_a_trigger_for_later_that_left_the_line_runs_when_it_is_due(world: World) -> None:
    await save(world, overlap="allow")
    (later,) = await trigger(world, delay_us=HOUR)
    await save(world, overlap="queue_all")
    assert await (await worker(world)).lease(8) == ()
    await world.elapse(HOUR)
    await world.store.firing.admit(limit=10)
    assert await drain(await worker(world)) == [[(later, 2)]]


@pytest.mark.parametrize("before", [{"overlap": "allow"}, {"overlap": "queue_all"}])
async def test_no_waiting_run_is_leased_beside_a_running_one_once_its_job_is_exclusive(
    world: World, before: dict[str, Any]
) -> None:
    await save(world, **before)
    (waiting,) = await trigger(world)
    (running,) = await trigger(world, allow_overlap=True, priority=9)
    anne, ben = await worker(world), await worker(world)
    first = await anne.lease_one()
    assert first.run_id == running
    await save(world, **EXCLUSIVE)
    await unpark(world)
    assert await ben.lease(8) == ()
    await anne.complete(first)
    await unpark(world)
    (second,) = await ben.lease(8)
    assert (second.run_id, second.exclusive) == (waiting, True)
    assert second.fence > first.fence


async def test_waiting_runs_keep_their_order_when_they_go_to_the_end_of_the_line(world: World) -> None:
    await save(world, overlap="allow")
    waiting = await trigger(world, n=5)
    await save(world, overlap="queue_all")
    assert await drain(await worker(world)) == [[(run_id, 2)] for run_id in waiting]


async def test_a_run_that_is_tried_again_keeps_its_place_and_the_new_version_waits_for_it(world: World) -> None:
    await save(world, overlap="allow", retries={"max": 1, "backoff": "10m", "jitter": False})
    (tried,) = await trigger(world)
    anne = await worker(world)
    await anne.complete(await anne.lease_one(), cause=Cause.ERROR, error="again")
    (waiting,) = await trigger(world)
    await save(world, **EXCLUSIVE)
    await unpark(world)
    assert await anne.lease(8) == ()
    await world.elapse(10 * MINUTE)
    assert await drain(await worker(world)) == [[(tried, 1)], [(waiting, 2)]]


# ------------------------------------------------------------------------------------------------- a version asked for


async def test_a_run_that_was_asked_for_with_a_version_keeps_it(world: World) -> None:
    await save(world, overlap="queue_all", params={"n": 1})
    await save(world, overlap="queue_all", params={"n": 2})
    await trigger(world)
    (asked,) = await trigger(world, version=1)
    await save(world, overlap="queue_all", params={"n": 3})
    assert [version for ((_, version),) in await drain(await worker(world))] == [3, 1]
    assert (await run_of(world, asked)).version == 1


async def test_shards_of_a_run_that_was_asked_for_with_a_version_keep_it(world: World) -> None:
    await save(world, overlap="queue_all", shards=2, merge="python:jobs:join")
    await save(world, overlap="queue_all", shards=2, merge="python:jobs:join", timeout="1m")
    await trigger(world, version=1)
    await save(world, overlap="queue_all", shards=2, merge="python:jobs:join", timeout="2m")
    assert [{version for _, version in lease} for lease in await drain(await worker(world))] == [{1}, {1}]


async def test_an_older_version_waits_its_turn_in_a_job_that_is_serial_by_now(world: World) -> None:
    await save(world, overlap="allow")
    await save(world, overlap="queue_all")
    (first,) = await trigger(world)
    (asked,) = await trigger(world, version=1)
    (last,) = await trigger(world)
    assert await drain(await worker(world)) == [[(first, 2)], [(asked, 1)], [(last, 2)]]


async def test_an_older_version_for_later_stands_in_nobodys_way(world: World) -> None:
    await save(world, overlap="allow")
    await save(world, overlap="queue_all")
    (later,) = await trigger(world, version=1, delay_us=HOUR)
    (now,) = await trigger(world)
    anne = await worker(world)
    assert await drain(anne) == [[(now, 2)]]
    await trigger(world)
    running = await anne.lease_one()
    await world.elapse(HOUR)
    await world.store.firing.admit(limit=10)
    ben = await worker(world)
    assert await ben.lease(8) == ()
    await anne.complete(running)
    assert await drain(ben) == [[(later, 1)]]


async def test_a_version_asked_for_gives_way_when_the_job_becomes_exclusive(world: World) -> None:
    await save(world, overlap="queue_all")
    (asked,) = await trigger(world, version=1)
    await save(world, **EXCLUSIVE)
    assert await drain(await worker(world)) == [[(asked, 2)]]


async def test_no_overlap_is_taken_for_an_older_version_that_was_exclusive(world: World) -> None:
    await save(world, **EXCLUSIVE)
    await save(world, overlap="queue_all")
    with pytest.raises(BadTrigger, match="Version 1 of tick is exclusive"):
        await trigger(world, version=1, allow_overlap=True)


async def test_a_run_that_an_edit_leaves_where_it_is_keeps_its_turn(world: World) -> None:
    await save(world, overlap="allow")
    (waiting,) = await trigger(world)
    before = await run_of(world, waiting)
    await world.elapse(MINUTE)
    await save(world, overlap="allow", params={"n": 1})
    after = await run_of(world, waiting)
    assert (after.version, after.not_before) == (2, before.not_before)


# --------------------------------------------------------------------------------------------------------- fixed delay


@pytest.mark.parametrize("cause", [Cause.SUCCEEDED, Cause.ERROR])
async def test_the_end_of_a_run_counts_the_delay_of_the_version_that_was_saved_meanwhile(
    world: World, cause: Cause
) -> None:
    anne, run = await started(world, await delayed(world))
    job = await delayed(world, 30)
    assert (await cursor_of(world, job)).next_at is None
    await anne.complete(run, cause=cause)
    next_at = (await cursor_of(world, job)).next_at
    assert next_at is not None
    assert 0 <= next_at - (await world.now() + 29 * SECOND) <= 2 * SECOND


async def test_a_sharded_run_counts_the_delay_of_the_version_that_was_saved_meanwhile(world: World) -> None:
    job = await delayed(world, shards=2)
    await make_due(world, job)
    await fire(world)
    anne = await worker(world)
    leased = await anne.lease(8)
    job = await delayed(world, 30, shards=3)
    await anne.complete(*leased)
    assert (await cursor_of(world, job)).next_at is not None


async def test_a_waiting_fire_counts_the_delay_of_the_version_it_took(world: World) -> None:
    job = await every(world, interval="1h", overlap="queue_all")
    await make_due(world, job)
    await fire(world)
    job = await delayed(world, overlap="queue_all")
    anne = await worker(world)
    await anne.complete(await anne.lease_one())
    assert (await cursor_of(world, job)).next_at is not None


async def test_the_end_of_a_run_sets_nothing_in_a_job_that_has_no_delay_any_more(world: World) -> None:
    anne, run = await started(world, await delayed(world))
    job = await save(world)
    await anne.complete(run)
    cursor = await cursor_of(world, job)
    assert (cursor.next_at, cursor.next_due_at) == (None, None)
