"""Ends that meet ends, edits and reaping: each lands once, with all that follows, and nobody deadlocks (R1, R3, S5)."""

import asyncio

import pytest

from foliot.domain.instants import HOUR, MINUTE, SECOND
from foliot.domain.run import Landing
from foliot.domain.verdict import Cause, judge
from foliot.ports.store.nodes import GRACE_US, SESSION_TTL_US
from tests.conformance.building import NS, PERSON, PLANS, ask, definition, fire, make_due, save
from tests.conformance.working import Worker, lead, trigger, worker
from tests.sql.interleavings.halting import halting, is_deadlock, naive, patient, until_blocked
from tests.sql.rows import attempts_of, cursor_of, run_of, runs_of
from tests.sql.world import World

pytestmark = pytest.mark.services

RETRIES = {"max": 3, "backoff": "1s", "jitter": False}


# -------------------------------------------------------------------------------------------------- the last two shards


async def test_the_last_two_shards_ending_together_end_their_parent_once(postgres_world: World) -> None:
    world = postgres_world
    await save(world, "tick", shards=2, merge="python:jobs:join")
    (parent_id,) = await trigger(world)
    anne = await worker(world)
    one, two = await anne.lease(8)
    async with naive(world) as left, naive(world) as right:
        # Naive: end the shard, then count those still open. Neither sees the other's end.
        transactions = [left.transaction(), right.transaction()]
        open_ = []
        for connection, transaction, run in zip((left, right), transactions, (one, two), strict=True):
            await transaction.start()
            await connection.execute("UPDATE runs SET state = 'SUCCEEDED' WHERE id = $1", run.run_id)
            open_.append(
                await connection.fetchval(
                    "SELECT count(*) FROM runs WHERE parent_id = $1 AND state IN ('PENDING', 'RUNNING')", parent_id
                )
            )
        assert open_ == [1, 1]  # so nobody ends the parent, ever
        for transaction in transactions:
            await transaction.rollback()

    first = await halting(world, "ending.runs_written")
    anne.store = first.store
    await first.start(anne.complete(one))
    anne.store = await patient(world)
    second = asyncio.create_task(anne.complete(two))
    await until_blocked(world, second)
    assert await first.finish() == [Landing.RECORDED]
    assert await second == [Landing.RECORDED]
    parent, *_ = await runs_of(world)
    assert (parent["state"], parent["open_children"]) == ("RUNNING", 1)
    merges = [run for run in await runs_of(world) if run["fire_key"] == f"d:{parent_id}:merge"]
    assert [merge["state"] for merge in merges] == ["PENDING"]


# ------------------------------------------------------------------------------------------------------- order of locks


async def test_ending_and_inserting_do_not_deadlock(postgres_world: World) -> None:
    world = postgres_world
    job = await save(world, "tick", schedule={"every": "30s", "from_end": True})
    await make_due(world, job)
    await fire(world)
    anne = await worker(world)
    run = await anne.lease_one()

    async with naive(world) as left, naive(world) as right:
        # Naive: the end takes the run and then the cursor, an insert (or a fire) the cursor and then a run.
        ending, inserting = left.transaction(), right.transaction()
        await ending.start()
        await inserting.start()
        await left.execute("UPDATE runs SET ver = ver + 1 WHERE id = $1", run.run_id)
        await right.execute("UPDATE cursors SET cursor_ver = cursor_ver + 1 WHERE job_id = $1", job.job_id)
        moving = asyncio.create_task(left.execute("UPDATE cursors SET next_at = 1 WHERE job_id = $1", job.job_id))
        await until_blocked(world, moving)
        promoting = asyncio.create_task(right.execute("UPDATE runs SET class = 0 WHERE id = $1", run.run_id))
        done = await asyncio.gather(moving, promoting, return_exceptions=True)
        assert any(map(is_deadlock, done))
        await ending.rollback()
        await inserting.rollback()

    # The end holds its run and has not reached anything else; a trigger of the same job comes.
    ending_store = await halting(world, "ending.runs_written")
    anne.store = ending_store.store
    await ending_store.start(anne.complete(run))
    other = await patient(world)
    triggering = asyncio.create_task(other.runs.trigger(ask(key="beside")))
    await until_blocked(world, triggering)
    assert await ending_store.finish() == [Landing.RECORDED]
    assert (await triggering).created
    assert (await cursor_of(world, job))["next_at"] is not None


async def test_an_end_that_waits_for_a_cursor_holds_no_run_yet(postgres_world: World) -> None:
    """Cursors, parents, runs: who waits holds nothing that comes later in the order."""
    world = postgres_world
    await save(world, "tick", shards=2, overlap="queue_all")
    await trigger(world)
    anne = await worker(world)
    shard, *_ = await anne.lease(8)
    inserting = await halting(world, "trigger.bumped")
    await inserting.start(inserting.store.runs.trigger(ask(key="beside")))
    anne.store = await patient(world)
    ending = asyncio.create_task(anne.complete(shard))
    await until_blocked(world, ending)
    async with naive(world) as connection:
        held = "SELECT id FROM runs WHERE parent_id IS NULL OR id = $1 FOR UPDATE NOWAIT"
        free = await connection.fetch(held, shard.run_id)
        assert len(free) == 2  # naive, run first and cursor then, these would be held, and a deadlock is one step away
    await inserting.finish()
    assert await ending == [Landing.RECORDED]


async def test_an_end_waits_for_a_fire_of_its_job_and_not_the_other_way_round(postgres_world: World) -> None:
    world = postgres_world
    job = await save(world, "tick", schedule={"every": "10s"}, overlap="queue_all", shards=2)
    await make_due(world, job)
    await fire(world)
    anne = await worker(world)
    shards = await anne.lease(8)
    await world.elapse(10 * SECOND)
    firing = await halting(world, "firing.cursors_moved")
    await firing.start(fire(world, firing.store))
    anne.store = await patient(world)
    ending = asyncio.create_task(anne.complete(*shards))
    await until_blocked(world, ending)
    assert (await firing.finish()).created == 1
    assert await ending == [Landing.RECORDED] * 2
    assert [run["state"] for run in await runs_of(world) if run["parent_id"] is None] == ["SUCCEEDED", "RUNNING"]
    await world.store.firing.unpark(limit=10)
    assert len(await anne.lease(8)) == 2


# --------------------------------------------------------------------------------------------- fixed delay, edit, pause


async def _delayed(world: World) -> tuple[Worker, int]:
    job = await save(world, "tick", schedule={"every": "30s", "from_end": True})
    await make_due(world, job)
    await fire(world)
    return await worker(world), job.job_id


SET_NEXT = "UPDATE cursors SET next_at = $2, next_due_at = $2 WHERE job_id = $1 AND next_at IS NULL"


async def test_a_fixed_delay_run_that_ends_while_its_job_is_edited(postgres_world: World) -> None:
    world = postgres_world
    anne, job_id = await _delayed(world)
    run = await anne.lease_one()
    editing = await halting(world, "changing.recorded")
    new = definition(job="tick", schedule={"every": "1h", "from_end": True})
    await editing.start(editing.store.jobs.save(NS, "tick", new, by=PERSON, plans=PLANS))
    async with naive(world) as connection:  # naive: the run's own version, read before the lock, has a delay of 30 s
        assert await connection.fetchval("SELECT version FROM cursors WHERE job_id = $1", job_id) == run.version
    anne.store = await patient(world)
    ending = asyncio.create_task(anne.complete(run))
    await until_blocked(world, ending)
    await editing.finish()
    assert await ending == [Landing.RECORDED]
    cursor = (await world.rows("SELECT * FROM cursors WHERE job_id = :id", id=job_id))[0]
    assert cursor["version"] == 2
    assert cursor["next_at"] > await world.now() + HOUR - MINUTE  # by the delay of the version that was saved meanwhile
    assert await world.store.jobs.repair(limit=10) == 0


async def test_a_fixed_delay_run_that_ends_while_its_job_is_paused(postgres_world: World) -> None:
    world = postgres_world
    anne, job_id = await _delayed(world)
    run = await anne.lease_one()
    pausing = await halting(world, "changing.recorded")
    await pausing.start(pausing.store.jobs.pause(NS, "tick", by=PERSON, plans=PLANS))
    anne.store = await patient(world)
    ending = asyncio.create_task(anne.complete(run))
    await until_blocked(world, ending)
    await pausing.finish()
    assert await ending == [Landing.RECORDED]
    cursor = (await world.rows("SELECT * FROM cursors WHERE job_id = :id", id=job_id))[0]
    assert (cursor["state"], cursor["next_at"]) == ("paused", None)
    async with naive(world) as connection:  # naive: a paused job gets a wake time, and wakes
        assert await connection.execute(SET_NEXT, job_id, 7) == "UPDATE 1"
        await connection.execute("UPDATE cursors SET next_at = NULL, next_due_at = NULL")
    await world.store.jobs.resume(NS, "tick", plans=PLANS)
    assert (await world.value("SELECT next_at FROM cursors")) is not None


# ---------------------------------------------------------------------------------------------------- reap and complete


async def _silent(world: World, **document: object) -> tuple[Worker, int]:
    """A worker that fell silent with a run, and the term of a leader about to reap."""
    await save(world, "tick", retries=RETRIES, **document)
    await trigger(world)
    anne = await worker(world)
    term = await lead(world)
    return anne, term


async def _ticking(world: World) -> None:
    await world.elapse(SESSION_TTL_US + 2 * GRACE_US)
    await world.change("UPDATE store_meta SET last_tick_at = :now", now=await world.now())


@pytest.mark.parametrize("cause", [Cause.SUCCEEDED, Cause.ERROR])
async def test_a_report_before_the_reaper_stands(postgres_world: World, cause: Cause) -> None:
    world = postgres_world
    anne, term = await _silent(world, place={"max_running": 9})
    run = await anne.lease_one()
    await _ticking(world)
    reporting = await halting(world, "ending.runs_written")
    anne.store = reporting.store
    await reporting.start(anne.complete(run, cause=cause, error=None if cause is Cause.SUCCEEDED else "x"))
    reaper = await patient(world)
    reaping = asyncio.create_task(reaper.runs.reap(judge, limit=10, term=term))
    await until_blocked(world, reaping)
    assert await reporting.finish() == [Landing.RECORDED]
    assert await reaping == 0
    row = await run_of(world, run.run_id)
    assert (row["state"], row["deaths"]) == ("SUCCEEDED" if cause is Cause.SUCCEEDED else "PENDING", 0)
    assert await world.value("SELECT used FROM limits") == 0
    assert len(await attempts_of(world, run.run_id)) == (0 if cause is Cause.SUCCEEDED else 1)


async def test_a_report_after_the_reaper_is_fenced(postgres_world: World) -> None:
    world = postgres_world
    anne, term = await _silent(world)
    run = await anne.lease_one()
    await _ticking(world)
    reaping = await halting(world, "ending.runs_written")
    await reaping.start(reaping.store.runs.reap(judge, limit=10, term=term))
    anne.store = await patient(world)
    reporting = asyncio.create_task(anne.complete(run))
    await until_blocked(world, reporting)
    assert await reaping.finish() == 1
    assert await reporting == [Landing.FENCED]
    row = await run_of(world, run.run_id)
    assert (row["state"], row["deaths"], row["result"]) == ("PENDING", 1, None)


async def test_the_reaper_cannot_take_a_run_from_its_next_holder(postgres_world: World) -> None:
    """Between the reaper's look and its write the run went to another."""
    world = postgres_world
    anne, term = await _silent(world)
    run = await anne.lease_one()
    await _ticking(world)
    reaping = await halting(world, "ending.settling")
    await reaping.start(reaping.store.runs.reap(judge, limit=10, term=term))
    anne.store = world.store
    await anne.complete(run, cause=Cause.ERROR, error="x")
    await world.elapse(SECOND)
    ben = await worker(world)
    held = await ben.lease_one()
    async with naive(world) as connection:
        # Naive: guarded by the state alone, it takes the run out of the new holder's hands.
        transaction = connection.transaction()
        await transaction.start()
        taken = await connection.execute(
            "UPDATE runs SET state = 'PENDING', deaths = deaths + 1 WHERE id = $1 AND state = 'RUNNING'", run.run_id
        )
        await transaction.rollback()
        assert taken == "UPDATE 1"
    assert await reaping.finish() == 0
    row = await run_of(world, run.run_id)
    assert (row["state"], row["lease_id"], row["deaths"]) == ("RUNNING", held.lease_id, 0)
    assert await ben.complete(held) == [Landing.RECORDED]


@pytest.mark.parametrize("on_lost", ["rerun", "fail"])
async def test_a_verdict_on_an_attempt_that_is_over_by_now_changes_nothing(postgres_world: World, on_lost: str) -> None:
    """The reaper has looked and judged, and has not written yet; its worker reports and the run goes to another."""
    world = postgres_world
    anne, term = await _silent(world, on_lost=on_lost)
    run = await anne.lease_one()
    await _ticking(world)
    reaping = await halting(world, "ending.judged")
    await reaping.start(reaping.store.runs.reap(judge, limit=10, term=term))
    anne.store = world.store
    assert await anne.complete(run, cause=Cause.ERROR, error="x") == [Landing.RECORDED]
    await world.elapse(SECOND)
    ben = await worker(world)
    held = await ben.lease_one()
    assert await reaping.finish() == 0
    # Naive, guarded by the state alone, it would have taken (or ended) what is in ben's hands.
    row = await run_of(world, run.run_id)
    assert (row["state"], row["lease_id"], row["deaths"]) == ("RUNNING", held.lease_id, 0)
    assert [attempt["cause"] for attempt in await attempts_of(world, run.run_id)] == ["error"]


async def test_two_reports_of_one_run_give_its_limit_back_once(postgres_world: World) -> None:
    world = postgres_world
    anne, _ = await _silent(world, place={"max_running": 9})
    run = await anne.lease_one()
    first = await halting(world, "ending.runs_written")
    anne.store = first.store
    await first.start(anne.complete(run, cause=Cause.ERROR, error="x"))
    anne.store = await patient(world)
    repeated = asyncio.create_task(anne.complete(run, cause=Cause.ERROR, error="x"))
    await until_blocked(world, repeated)
    await first.finish()
    assert await repeated == [Landing.ALREADY]
    assert await world.value("SELECT used FROM limits") == 0
    async with naive(world) as connection:  # naive: give back without having taken the run out of RUNNING
        await connection.execute("UPDATE limits SET used = used - 1")
        assert await connection.fetchval("SELECT used FROM limits") == -1


async def test_a_plain_success_that_somebody_else_was_quicker_with(postgres_world: World) -> None:
    """A look and an update have no transaction around them: what did not land is read back."""
    world = postgres_world
    await save(world, "tick")
    await trigger(world, n=2)
    anne, again = await worker(world), await worker(world)
    lost, fine = await anne.lease(8)
    reporting = await halting(world, "ending.glanced")
    again.store = reporting.store
    await reporting.start(again.complete(lost, fine))  # of its last session: looked at first
    await world.change(
        "UPDATE runs SET lease_id = NULL, state = 'PENDING', ver = ver + 1 WHERE id = :id", id=lost.run_id
    )
    assert await reporting.finish() == [Landing.FENCED, Landing.RECORDED]
    assert (await run_of(world, lost.run_id))["state"] == "PENDING"
    assert (await run_of(world, fine.run_id))["state"] == "SUCCEEDED"


async def test_a_cancel_that_comes_while_a_run_is_being_returned(postgres_world: World) -> None:
    world = postgres_world
    anne, _ = await _silent(world)
    run = await anne.lease_one()
    asking = await patient(world)
    async with naive(world) as connection:
        transaction = connection.transaction()
        await transaction.start()
        await connection.execute("UPDATE runs SET cancel_at = 1, ver = ver + 1 WHERE id = $1", run.run_id)
        anne.store = asking
        returning = asyncio.create_task(anne.complete(run, cause=Cause.ERROR, error="x"))
        await until_blocked(world, returning)
        await transaction.commit()
    assert await returning == [Landing.RECORDED]
    # Naive: what it saw said "not cancelled", so it goes back to PENDING and runs again.
    assert (await run_of(world, run.run_id))["state"] == "CANCELLED"
