"""Cancelling: what waits ends at once, what runs is asked, what is over stays."""

import pytest

from foliot.domain.errors import RunNotFound
from foliot.domain.instants import MINUTE, SECOND
from foliot.domain.run import Landing
from foliot.domain.verdict import Cause, judge
from foliot.ports.store.actor import Actor
from foliot.ports.store.runs import CancelOutcome
from foliot.ports.worker_link import HeldLease
from tests.conformance.building import PERSON, cursor_of, fire, make_due, runs_of, save
from tests.conformance.working import attempts_of, run_of, states_of, trigger, worker
from tests.conformance.world import World


async def test_a_waiting_run_ends_at_once(world: World) -> None:
    await save(world, "tick")
    (run_id,) = await trigger(world)
    assert await world.store.runs.cancel([run_id], by=PERSON) == [CancelOutcome.ENDED]
    row = await run_of(world, run_id)
    assert (row.state, row.error) == ("CANCELLED", "Cancelled by someone: a test.")
    assert await (await worker(world)).lease() == ()


async def test_a_running_run_is_asked_and_says_how_it_ended(world: World) -> None:
    await save(world, "tick")
    (run_id,) = await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    assert await world.store.runs.cancel([run_id], by=Actor(name="me")) == [CancelOutcome.ASKED]
    asked = await run_of(world, run_id)
    assert (asked.state, asked.cancel_at is not None) == ("RUNNING", True)
    assert await world.store.runs.cancel([run_id], by=PERSON) == [CancelOutcome.ASKED]
    assert (await run_of(world, run_id)).cancel_at == asked.cancel_at
    assert await anne.complete(run, cause=Cause.CANCELLED) == [Landing.RECORDED]
    row = await run_of(world, run_id)
    assert (row.state, row.error) == ("CANCELLED", "Cancelled by me.")


async def test_a_run_that_succeeds_all_the_same_succeeded(world: World) -> None:
    await save(world, "tick")
    (run_id,) = await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    await world.store.runs.cancel([run_id], by=PERSON)
    await anne.complete(run, result="1")
    row = await run_of(world, run_id)
    assert (row.state, row.error) == ("SUCCEEDED", None)


async def test_what_is_over_stays_over(world: World) -> None:
    await save(world, "tick")
    (run_id,) = await trigger(world)
    anne = await worker(world)
    await anne.complete(await anne.lease_one())
    before = await run_of(world, run_id)
    assert await world.store.runs.cancel([run_id], by=PERSON) == [CancelOutcome.FINAL]
    assert await run_of(world, run_id) == before


async def test_a_run_nobody_knows_is_an_error_and_nothing_happens(world: World) -> None:
    await save(world, "tick")
    (run_id,) = await trigger(world)
    with pytest.raises(RunNotFound):
        await world.store.runs.cancel([run_id, 999_999], by=PERSON)
    assert (await run_of(world, run_id)).state == "PENDING"


async def test_many_at_once(world: World) -> None:
    await save(world, "tick")
    ids = await trigger(world, n=4)
    anne = await worker(world)
    (running,) = await anne.lease(1)
    (done,) = await anne.lease(1)
    await anne.complete(done)
    outcomes = await world.store.runs.cancel(ids, by=PERSON)
    assert dict(zip(ids, outcomes, strict=True)) == {
        running.run_id: CancelOutcome.ASKED,
        done.run_id: CancelOutcome.FINAL,
        **{run_id: CancelOutcome.ENDED for run_id in ids if run_id not in (running.run_id, done.run_id)},
    }


async def test_the_next_in_line_comes_up(world: World) -> None:
    await save(world, "tick", overlap="queue_all")
    first, second, third = await trigger(world, n=3)
    await world.store.runs.cancel([first, second], by=PERSON)
    assert [run.run_id for run in await (await worker(world)).lease()] == [third]


async def test_cancelling_the_scheduled_run_of_a_fixed_delay_sets_the_next_instant(world: World) -> None:
    job = await save(world, "tick", schedule={"every": "30s", "from_end": True})
    await make_due(world, job)
    await fire(world)
    (run,) = await runs_of(world)
    await world.store.runs.cancel([run.run_id], by=PERSON)
    assert (await cursor_of(world, job)).next_at is not None


async def test_a_sharded_run_that_only_waits_ends_with_its_shards(world: World) -> None:
    await save(world, "tick", shards=3)
    (parent_id,) = await trigger(world)
    assert await world.store.runs.cancel([parent_id], by=PERSON) == [CancelOutcome.ENDED]
    assert await states_of(world) == ["CANCELLED"] * 4
    assert (await run_of(world, parent_id)).open_children == 0


async def test_the_shards_of_a_run_go_with_it(world: World) -> None:
    await save(world, "tick", shards=3, merge="python:jobs:join")
    (parent_id,) = await trigger(world)
    anne = await worker(world)
    one, two = await anne.lease(2)
    await anne.complete(one)
    assert await world.store.runs.cancel([parent_id], by=PERSON) == [CancelOutcome.ASKED]
    assert sorted(await states_of(world)) == ["CANCELLED", "RUNNING", "RUNNING", "SUCCEEDED"]
    assert (await anne.beat(two)).cancel == (two.lease_id,)
    await anne.complete(two, cause=Cause.CANCELLED)
    row = await run_of(world, parent_id)
    assert (row.state, row.error) == ("CANCELLED", "2 of 3 shards were cancelled.")


async def test_a_run_whose_shards_all_succeeded_before_its_merge_is_cancelled(world: World) -> None:
    await save(world, "tick", shards=2, merge="python:jobs:join")
    (parent_id,) = await trigger(world)
    anne = await worker(world)
    await anne.complete(*await anne.lease(8))
    await world.store.runs.cancel([parent_id], by=PERSON)
    assert (await run_of(world, parent_id)).state == "CANCELLED"
    assert await anne.lease() == ()


# --------------------------------------------------------------------------------------------------------------- force


async def test_a_forced_cancel_tells_the_worker_to_end_it_at_once(world: World) -> None:
    await save(world, "tick")
    (run_id,) = await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    held = HeldLease(run_id=run.run_id, lease_id=run.lease_id, started_us_ago=0)
    await world.store.runs.cancel([run_id], by=PERSON)
    asked = await anne.beat(held)
    assert (asked.cancel, asked.kill) == ((run.lease_id,), ())
    assert await world.store.runs.cancel([run_id], by=PERSON, force=True) == [CancelOutcome.ASKED]
    told = await anne.beat(held)
    assert (told.cancel, told.kill) == ((run.lease_id,), (run.lease_id,))
    assert await anne.complete(run, cause=Cause.CANCELLED) == [Landing.RECORDED]
    assert (await run_of(world, run_id)).state == "CANCELLED"


async def test_what_a_worker_cannot_end_is_taken_out_of_its_hands_after_its_grace(world: World) -> None:
    """A thread goes on; the run is over, and what the thread still reports changes nothing (S5)."""
    await save(world, "tick", on_lost="fail")
    (run_id,) = await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    held = HeldLease(run_id=run.run_id, lease_id=run.lease_id, started_us_ago=0)
    await anne.beat(held)
    await world.store.runs.cancel([run_id], by=PERSON, force=True)
    term = await world.store.nodes.campaign("leader", ttl_us=5 * SECOND)
    assert term is not None
    assert await world.store.runs.time_out(judge, limit=10, term=term.number) == 0, "it may still be stopping"
    await world.elapse(MINUTE)
    term = await world.store.nodes.campaign("leader", ttl_us=5 * SECOND)
    assert term is not None
    assert await world.store.runs.time_out(judge, limit=10, term=term.number) == 1
    row = await run_of(world, run_id)
    assert (row.state, row.kind, row.error) == ("CANCELLED", None, "Cancelled by someone: a test.")
    (attempt,) = await attempts_of(world, run_id)
    assert attempt.error == "Its time limit passed and its worker did not report."
    assert await anne.complete(run, result="1") == [Landing.FENCED]


async def test_a_start_that_is_noted_after_a_forced_cancel_gives_no_time_back(world: World) -> None:
    await save(world, "tick", on_lost="fail")
    (run_id,) = await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    held = HeldLease(run_id=run.run_id, lease_id=run.lease_id, started_us_ago=0)
    await world.store.runs.cancel([run_id], by=PERSON, force=True)
    for _ in range(2):  # the first of them notes the start
        assert (await anne.beat(held)).kill == (run.lease_id,)
    await world.elapse(MINUTE)
    term = await world.store.nodes.campaign("leader", ttl_us=5 * SECOND)
    assert term is not None
    assert await world.store.runs.time_out(judge, limit=10, term=term.number) == 1
    assert (await run_of(world, run_id)).state == "CANCELLED"
