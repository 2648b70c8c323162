"""Firing: due instants become runs or skips, exactly once, with the cursor that follows."""

from foliot.domain.fire import Plan
from foliot.domain.instants import HOUR, MINUTE, SECOND
from foliot.domain.planner import Planner
from tests.conformance.building import (
    PERSON,
    cursor_of,
    decider,
    every,
    fire,
    job_of,
    make_due,
    runs_of,
    save,
    skips_of,
)
from tests.conformance.working import worker
from tests.conformance.world import World


async def test_nothing_is_created_before_its_instant(world: World) -> None:
    job = await every(world, interval="1d")
    assert job.next_at is not None
    await world.elapse(max(0, job.next_at - await world.now() - 10 * MINUTE))
    assert (await fire(world)).taken == 0
    assert (await world.store.firing.pulse()).next_at == job.next_at
    assert await runs_of(world) == []


async def test_firing_tells_what_comes_next(world: World) -> None:
    soon = await every(world, "soon", interval="1h")
    later = await every(world, "later", interval="1d")
    await make_due(world, soon)
    decided = await fire(world)
    assert decided.next_at == (await cursor_of(world, soon)).next_at
    assert later.next_at is not None
    await world.elapse(max(0, later.next_at - await world.now()))
    decided = await fire(world)
    assert decided.next_at == (await world.store.firing.pulse()).next_at


async def test_a_queueing_job_parks_one_run_and_leaves_out_the_rest(world: World) -> None:
    job = await every(world, interval="1h", overlap="queue")
    await make_due(world, job)
    await fire(world)
    anne = await worker(world)
    await anne.lease_one()
    for _ in range(3):
        await world.elapse(HOUR)
        await fire(world)
    first, second = await runs_of(world)
    assert (first.state, first.parked) == ("RUNNING", 0)
    assert (second.state, second.parked) == ("PENDING", 1)
    assert [skip.count for skip in await skips_of(world, job)] == [2]
    assert first.place is not None
    assert second.place is not None
    assert second.place > first.place


async def test_missed_instants_become_one_run_and_one_skip(world: World) -> None:
    job = await every(world, interval="10m")
    await make_due(world, job, late_us=5 * HOUR + 5 * MINUTE)
    decided = await fire(world)
    assert decided.created == 1
    (skip,) = await skips_of(world, job)
    assert skip.reason == "misfire"
    assert skip.count == decided.skipped == 30
    (run,) = await runs_of(world)
    assert run.due_at == skip.to_at + 10 * MINUTE
    assert run.catch_up == 1


async def test_a_schedule_with_a_count_is_done_after_its_last_run(world: World) -> None:
    job = await save(world, schedule={"every": "1h", "count": 2}, overlap="allow")
    await make_due(world, job)
    await fire(world)
    assert (await cursor_of(world, job)).remaining == 1
    await world.elapse(HOUR)
    await fire(world)
    cursor = await cursor_of(world, job)
    assert (cursor.state, cursor.next_at, cursor.remaining) == ("done", None, 0)


async def test_shards_behind_an_open_run_are_parked(world: World) -> None:
    job = await every(world, interval="1h", shards=2, overlap="queue")
    await make_due(world, job)
    await fire(world)
    anne = await worker(world)
    assert len(await anne.lease()) == 2
    await world.elapse(HOUR)
    decided = await fire(world)
    # A sharded run is open as one, RUNNING and not waiting, so one more may queue.
    assert decided.created == 1
    runs = await runs_of(world)
    assert [run.parked for run in runs if run.place == 3 and run.shard >= 0] == [1, 1]
    bert = await worker(world)
    assert await bert.lease() == ()


# ------------------------------------------------------------------------------------------------------------- trouble


async def test_one_job_whose_plan_raises_stops_no_other(world: World) -> None:
    good, bad = await every(world, "good"), await every(world, "bad")
    await make_due(world, good, bad)
    real = decider()

    def decide(now: int, batch: object) -> list[Plan]:
        plans = list(real(now, batch))  # type: ignore[arg-type]
        troubled = Plan(next_at=now + MINUTE, trouble="ValueError: no such thing")
        return [troubled if due.job.name == "bad" else plan for due, plan in zip(batch, plans, strict=True)]  # type: ignore[call-overload]

    decided = await world.store.firing.decide_due(decide, limit=10)
    assert (decided.created, decided.troubled) == (1, (bad.job_id,))
    assert len(await runs_of(world, "good")) == 1
    cursor = await cursor_of(world, bad)
    assert (cursor.next_due_at, cursor.state, cursor.trouble) == (
        bad.next_due_at,
        "active",
        "ValueError: no such thing",
    )
    assert cursor.next_at == decided.now + MINUTE

    await world.elapse(MINUTE)  # looked at again, and whatever was wrong is mended
    assert (await fire(world)).created == 1
    assert (await cursor_of(world, bad)).trouble is None
    assert [run.due_at for run in await runs_of(world, "bad")] == [bad.next_due_at]


# --------------------------------------------------------------------------------------------------------------- pauses


async def test_a_pause_that_ends_by_itself_leaves_one_skip(world: World) -> None:
    job = await every(world, interval="1h")
    assert job.next_due_at is not None
    until = job.next_due_at + 2 * HOUR + MINUTE
    await world.store.jobs.pause("default", "tick", by=PERSON, plans=Planner(), until=until)
    paused = await job_of(world)
    assert (paused.state, paused.paused_until, paused.next_at) == ("paused", until, None)
    assert (await world.store.firing.pulse()).next_at == until
    await world.elapse(until + SECOND - await world.now())
    decided = await fire(world)
    assert (decided.taken, decided.skipped) == (1, 3)
    (skip,) = await skips_of(world, job)
    assert (skip.reason, skip.count, skip.from_at) == ("paused", 3, job.next_due_at)
    found = await world.store.lookups.job("default", "tick")
    assert (found.state, found.paused_until, found.pause_reason) == ("active", None, "")
    assert found.next_at == job.next_due_at + 3 * HOUR


# ------------------------------------------------------------------------------------------------------------- overdue


async def test_the_waiting_form_takes_only_what_is_overdue(world: World) -> None:
    job = await every(world)
    await make_due(world, job)
    assert (await fire(world, waiting=True)).taken == 0
    await world.elapse(SECOND)
    decided = await fire(world, waiting=True)
    assert (decided.taken, decided.created) == (1, 1)
