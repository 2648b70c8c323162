"""Firing against everything else that happens to the same job at the same moment (R1, R23)."""

import asyncio
from dataclasses import replace

import pytest

from foliot.domain.errors import JobNotFound
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, Instant
from foliot.domain.planner import Planner
from foliot.domain.plans import plan
from foliot.domain.schedule import Schedule
from foliot.domain.verdict import Cause
from foliot.ports.store.backfills import BackfillState, NewBackfill, Selection
from foliot.ports.store.jobs import SaveOutcome
from tests.conformance.building import NS, PERSON, ask, definition, every, fire, make_due, save
from tests.conformance.working import worker
from tests.sql.interleavings.halting import halting, naive, patient, until_blocked
from tests.sql.rows import cursor_of, runs_of, skips_of
from tests.sql.world import World

pytestmark = pytest.mark.services

LIVE_COLUMNS = {"ready_lane", "line_job", "held_by", "parked_job", "waits"}  # computed, on MariaDB

TAKE_AND_COUNT = """
    SELECT c.job_id, c.cursor_ver, (SELECT count(*) FROM runs r WHERE r.job_id = c.job_id
                                    AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1) AS open
    FROM cursors c WHERE c.job_id = $1 FOR UPDATE
"""


async def test_open_runs_are_read_after_the_lock_and_not_with_it(postgres_world: World) -> None:
    world = postgres_world
    job = await every(world, interval="1h")

    # One server has fired but not committed when the next instant comes and somebody else wants the cursor.
    first = await halting(world, "firing.recorded")
    await make_due(world, job)
    await first.start(fire(world, first.store))
    await world.elapse(HOUR)

    async with naive(world) as connection:
        transaction = connection.transaction()
        await transaction.start()
        counting = asyncio.create_task(connection.fetchrow(TAKE_AND_COUNT, job.job_id))
        await until_blocked(world, counting)
        firing = asyncio.create_task(fire(world, await patient(world), waiting=True))
        await until_blocked(world, firing, blocked=2)
        await first.finish()
        _, cursor_ver, open_ = await counting
        await transaction.rollback()

    # Naive: it has the newest cursor and a count from before it waited, so it would start a second run.
    # (MariaDB takes its view only after the wait; it is no promise of the other's.)
    assert (cursor_ver, open_) == (2, 0 if world.engine == "postgresql" else 1)
    decided = await firing
    assert (decided.taken, decided.created, decided.skipped) == (1, 0, 1)
    assert len(await runs_of(world)) == 1
    assert [skip["reason"] for skip in await skips_of(world, job)] == ["overlap"]


async def test_a_run_parked_behind_one_that_just_ended_is_found_by_the_sweep(postgres_world: World) -> None:
    world = postgres_world
    await save(world, overlap="queue_all")
    await world.store.runs.trigger(ask(key="first"))
    anne = await worker(world)
    running = await anne.lease_one()

    ending = await halting(world, "ending.runs_written")
    anne.store = ending.store
    await ending.start(anne.complete(running, cause=Cause.ERROR))  # it has looked: nobody waits behind it
    await world.store.runs.trigger(ask(key="second"))  # it has looked: the first still runs
    await ending.finish()

    # Naive, without the sweep: both acted on what they saw, and nobody ever makes the second one leasable.
    first, second = await runs_of(world)
    assert (first["state"], second["state"], second["parked"]) == ("FAILED", "PENDING", 1)
    assert await anne.lease() == ()
    assert (await world.store.firing.pulse()).parked is True

    assert await world.store.firing.unpark(limit=10) == (1, 0)
    assert [run.run_id for run in await anne.lease()] == [second["id"]]


async def test_the_same_fire_twice_at_once_is_one_row(postgres_world: World) -> None:
    world = postgres_world
    job = await every(world, overlap="allow")
    await make_due(world, job)
    await fire(world)
    is_mariadb = world.engine == "mysql"
    columns = [name for name in (await runs_of(world))[0] if name not in {"id", *LIVE_COLUMNS}]
    # Naive: the run itself has no shard, so its shard is NULL, and NULL differs from NULL.
    if is_mariadb:
        await world.change("CREATE TABLE naive_runs AS SELECT * FROM runs LIMIT 0")
        await world.change("ALTER TABLE naive_runs MODIFY shard INTEGER NULL, ADD UNIQUE (job_id, fire_key, shard)")
    else:
        await world.change("CREATE TABLE naive_runs (LIKE runs INCLUDING DEFAULTS)")
        shard_may_be_null = "ALTER COLUMN shard DROP NOT NULL"
        await world.change(f"ALTER TABLE naive_runs {shard_may_be_null}, ADD UNIQUE (job_id, fire_key, shard)")

    async def inserted_by_two(table: str, shard: str) -> int:
        names = ", ".join(columns)
        values = ", ".join(shard if name == "shard" else name for name in columns)
        unless = f"ON DUPLICATE KEY UPDATE {table}.ver = {table}.ver" if is_mariadb else "ON CONFLICT DO NOTHING"
        text = f"INSERT INTO {table} ({names}) SELECT {values} FROM source {unless}"
        async with naive(world) as one, naive(world) as two:
            transaction = one.transaction()
            await transaction.start()
            await one.execute(text)
            second = asyncio.create_task(two.execute(text))
            if shard == "NULL":
                await second
            else:
                await until_blocked(world, second)
            await transaction.commit()
            await second
            return int(await one.fetchval(f"SELECT count(*) FROM {table}"))

    await world.change("CREATE TABLE source AS SELECT * FROM runs")
    await world.change("TRUNCATE runs")
    assert await inserted_by_two("naive_runs", "NULL") == 2
    assert await inserted_by_two("runs", "-1") == 1
    assert (
        await world.value(
            "SELECT is_nullable FROM information_schema.columns WHERE table_name = 'runs' AND column_name = 'shard' "
            f"AND table_schema = {'database()' if is_mariadb else 'current_schema()'}"
        )
        == "NO"
    )


# ------------------------------------------------------------------------------------------------------- edits


async def test_an_edit_waits_for_a_fire_and_decides_what_is_left(postgres_world: World) -> None:
    world = postgres_world
    job = await every(world, interval="1h", overlap="allow")
    assert job.next_due_at is not None
    await make_due(world, job)
    firing = await halting(world, "firing.taken")
    await firing.start(fire(world, firing.store))
    editor = await patient(world)
    wanted = definition(schedule={"every": "1d"}, overlap="allow")
    edit = asyncio.create_task(editor.jobs.save(NS, "tick", wanted, by=PERSON, plans=Planner()))
    await until_blocked(world, edit)
    await world.elapse(HOUR)  # one more instant comes due under the old version while the edit waits
    assert (await firing.finish()).created == 1
    saved = await edit
    assert saved.outcome is SaveOutcome.CHANGED
    assert [run["due_at"] for run in await runs_of(world)] == [job.next_due_at, job.next_due_at + HOUR]
    assert (await cursor_of(world, job))["version"] == 2


async def test_an_edit_that_moves_the_cursor_without_deciding_the_past_loses_an_instant(postgres_world: World) -> None:
    world = postgres_world
    naively, properly = await every(world, "naively", "1h"), await every(world, "properly", "1h")
    await make_due(world, naively, properly)
    tomorrow = await world.now() + DAY
    # Naive: a new schedule begins with its own next instant.
    await world.change(
        "UPDATE cursors SET next_at = :at, next_due_at = :at, cursor_ver = cursor_ver + 1 WHERE job_id = :id",
        at=tomorrow,
        id=naively.job_id,
    )
    await world.store.jobs.save(NS, "properly", definition(schedule={"every": "1d"}), by=PERSON, plans=Planner())
    await fire(world)
    ledger = {
        job.name: [run["due_at"] for run in await runs_of(world, job.name)]
        + [skip["from_at"] for skip in await skips_of(world, job)]
        for job in (naively, properly)
    }
    assert ledger == {"naively": [], "properly": [properly.next_due_at]}


async def test_a_fire_that_waited_for_an_edit_finds_nothing_left(postgres_world: World) -> None:
    world = postgres_world
    job = await every(world, interval="1h", overlap="allow")
    await make_due(world, job, late_us=SECOND)
    editing = await halting(world, "changing.recorded")
    wanted = definition(schedule={"every": "1d"}, overlap="allow")
    await editing.start(editing.store.jobs.save(NS, "tick", wanted, by=PERSON, plans=Planner()))
    assert (await fire(world)).taken == 0  # another's lock: passed over
    overdue = asyncio.create_task(fire(world, await patient(world), waiting=True))
    await until_blocked(world, overdue)
    await editing.finish()
    assert (await overdue).taken == 0
    assert [run["due_at"] for run in await runs_of(world)] == [job.next_due_at]


# ---------------------------------------------------------------------------------------------------- triggers


async def test_a_run_that_is_locked_during_an_edit_takes_the_new_version_later(postgres_world: World) -> None:
    world = postgres_world
    await save(world, "tick", overlap="queue_all")
    free, held = [(await world.store.runs.trigger(ask(key=key))).run_id for key in "ab"]
    async with naive(world) as connection:
        transaction = connection.transaction()
        await transaction.start()
        await connection.fetch("SELECT 1 FROM runs WHERE id = $1 FOR UPDATE", held)
        await save(world, "tick", overlap="queue_all", timeout="1m")  # does not wait for it
        assert await world.store.jobs.repair(limit=10) == 0
        await transaction.rollback()
    assert {run["id"]: run["version"] for run in await runs_of(world)} == {free: 2, held: 1}
    assert await world.store.jobs.repair(limit=10) == 1
    assert {run["version"] for run in await runs_of(world)} == {2}
    assert await world.value("SELECT count(*) FROM jobs WHERE moving IS NOT NULL") == 0


async def test_a_trigger_waits_for_a_fire_and_stands_behind_it(postgres_world: World) -> None:
    world = postgres_world
    job = await every(world)
    await make_due(world, job)
    firing = await halting(world, "firing.recorded")
    await firing.start(fire(world, firing.store))
    async with naive(world) as connection:
        # Naive: look at the line, then insert at its end. The fire is not there yet for anyone to see.
        last = await connection.fetchval("SELECT cursor_ver FROM cursors WHERE job_id = $1", job.job_id)
        open_ = await connection.fetchval("SELECT count(*) FROM runs WHERE job_id = $1", job.job_id)
    asking = await patient(world)
    trigger = asyncio.create_task(asking.runs.trigger(ask()))
    await until_blocked(world, trigger)
    await firing.finish()
    await trigger
    fired, triggered = await runs_of(world)
    assert (last + 1, open_) == (fired["place"], 0)  # the naive one would stand beside the fire, not behind it
    assert (triggered["place"], triggered["parked"]) == (fired["place"] + 1, 1)
    anne = await worker(world)
    assert [run.run_id for run in await anne.lease()] == [fired["id"]]


async def test_a_trigger_that_meets_a_delete_makes_no_run_that_nobody_would_end(postgres_world: World) -> None:
    world = postgres_world
    await save(world)
    triggering = await halting(world, "trigger.found")
    await triggering.start(triggering.store.runs.trigger(ask()))
    await world.store.jobs.delete(NS, "tick", plans=Planner())
    async with naive(world) as connection:
        # Naive: the cursor is there and can be bumped, deleted or not.
        assert await connection.execute("UPDATE cursors SET cursor_ver = cursor_ver + 1") == "UPDATE 1"
    with pytest.raises(JobNotFound):
        await triggering.finish()
    assert await runs_of(world) == []


async def test_a_backfill_that_meets_a_delete_makes_no_run_that_nobody_would_end(postgres_world: World) -> None:
    world = postgres_world
    job = await every(world)
    assert job.next_at is not None
    missed = job.next_at - HOUR
    filling = await halting(world, "backfill.chosen")
    backfills = filling.store.backfills
    asked = NewBackfill(
        job_id=job.job_id,
        version=1,
        from_at=missed,
        to_at=missed + 1,
        selection=Selection.ALL,
        parallel=1,
        newest_first=False,
        instants=[missed],
        created_by="someone",
        reason="",
        params=None,
    )
    backfill = await backfills.add(asked)
    await filling.start(backfills.advance(limit=20))
    await world.store.jobs.delete(NS, "tick", plans=Planner())
    assert await filling.finish() == 0
    assert await runs_of(world) == []
    assert (await backfills.get(backfill.id)).state == BackfillState.DONE


async def test_a_fire_that_waited_for_a_trigger_sees_its_run(postgres_world: World) -> None:
    world = postgres_world
    job = await every(world)
    await make_due(world, job, late_us=SECOND)
    asking = await halting(world, "trigger.bumped")
    await asking.start(asking.store.runs.trigger(ask()))
    overdue = asyncio.create_task(fire(world, await patient(world), waiting=True))
    await until_blocked(world, overdue)
    await asking.finish()
    decided = await overdue
    assert (decided.created, decided.skipped) == (0, 1)


async def test_a_trigger_for_tomorrow_does_not_keep_todays_fire_from_running(postgres_world: World) -> None:
    world = postgres_world
    jobs = [await every(world, name, "10m") for name in ("naively", "properly")]
    for job in jobs:
        await world.store.runs.trigger(ask(job.name, "tomorrow", delay_us=DAY))
    # Naive: a place in line from the start.
    await world.change("UPDATE runs SET place = 2 WHERE job_id = :id", id=jobs[0].job_id)
    await make_due(world, *jobs)
    decided = await fire(world)
    assert (decided.created, decided.skipped) == (1, 1)
    assert [skip["reason"] for skip in await skips_of(world, jobs[0])] == ["overlap"]
    fired, tomorrow = await runs_of(world, "properly")
    assert (fired["fire_key"][:2], tomorrow["place"]) == ("s:", None)


async def test_a_trigger_that_becomes_due_beside_a_fire_stands_before_or_behind_it(postgres_world: World) -> None:
    world = postgres_world
    job = await every(world, interval="10m")
    await world.store.runs.trigger(ask(key="later", at=job.next_due_at))
    await make_due(world, job, late_us=SECOND)

    firing = await halting(world, "firing.taken")
    await firing.start(fire(world, firing.store))
    assert await world.store.firing.admit(limit=10) == 0  # the cursor is another's: next pulse
    assert (await firing.finish()).created == 1
    admitting = await halting(world, "sweep.bumped")
    await admitting.start(admitting.store.firing.admit(limit=10))
    await world.elapse(10 * MINUTE)
    overdue = asyncio.create_task(fire(world, await patient(world), waiting=True))
    await until_blocked(world, overdue)
    assert await admitting.finish() == 1
    assert (await overdue).skipped == 1  # it sees both: the fire of before and the trigger
    fired, later = await runs_of(world)
    assert (fired["place"] < later["place"], later["parked"]) == (True, 1)


async def test_a_trigger_that_is_put_off_while_it_becomes_due_stays_outside_the_line(postgres_world: World) -> None:
    """As a debounce puts it off."""
    world = postgres_world
    await every(world, interval="10m")
    later = await world.store.runs.trigger(ask(key="later", delay_us=SECOND))
    await world.elapse(2 * SECOND)
    admitting = await halting(world, "sweep.seen")
    await admitting.start(admitting.store.firing.admit(limit=10))
    await world.change("UPDATE runs SET not_before = not_before + :more, ver = ver + 1", more=10 * MINUTE)
    assert await admitting.finish() == 0
    (run,) = await runs_of(world)
    assert (run["place"], run["not_before"] > later.not_before) == (None, True)


# ----------------------------------------------------------------------------------------------- plans and shards


class ZoneGone(Exception):
    """What a schedule might raise on a machine that lacks its zone."""


class Broken(Schedule):
    def next_after(self, instant: Instant) -> Instant | None:
        raise ZoneGone


async def test_a_plan_that_raises_stops_a_naive_batch_and_not_ours(postgres_world: World) -> None:
    world = postgres_world
    good, bad = await every(world, "good"), await every(world, "bad")
    (loaded,) = await world.store.jobs.load([(bad.job_id, 1)])
    assert loaded.definition.schedule is not None
    broken = replace(loaded.definition, schedule=Broken(triggers=loaded.definition.schedule.triggers))
    world.store.definitions.keep(replace(loaded, definition=broken))
    await make_due(world, good, bad)

    with pytest.raises(ZoneGone):  # naive: a batch is as good as its worst job
        await world.store.firing.decide_due(lambda now, batch: [plan(due, now) for due in batch], limit=10)
    assert await runs_of(world, "good") == []

    decided = await fire(world)
    assert (decided.created, decided.troubled) == (1, (bad.job_id,))
    assert len(await runs_of(world, "good")) == 1
    cursor = await cursor_of(world, bad)
    assert (cursor["next_due_at"], cursor["trouble"]) == (bad.next_due_at, "ZoneGone: ")
    assert cursor["next_at"] == decided.now + MINUTE


async def test_a_sharded_run_that_waits_is_seen_to_wait(postgres_world: World) -> None:
    world = postgres_world
    job = await every(world, interval="1h", overlap="queue", shards=2, merge="python:jobs:merge")
    await make_due(world, job)
    await fire(world)
    anne = await worker(world)
    shards = await anne.lease()
    await world.elapse(HOUR)
    assert (await fire(world)).created == 1  # one may wait
    # Naive: waiting = PENDING and never leased. Parents are RUNNING from the start, so none would ever wait.
    assert (
        await world.value(
            "SELECT count(*) FROM runs WHERE shard = -1 AND state = 'PENDING' AND attempt = 0 AND parent_id IS NULL"
        )
        == 0
    )
    await world.elapse(HOUR)
    decided = await fire(world)
    assert (decided.created, decided.skipped) == (0, 1)

    # The merge run is a run of the job with shard -1 beside its parent: it is not one more that is open.
    await anne.complete(*shards)
    runs = await runs_of(world)
    assert sum(run["shard"] == -1 and run["parent_id"] is not None for run in runs) == 1
    await world.elapse(HOUR)
    assert (await fire(world)).skipped == 1
    assert {run["parked"] for run in await runs_of(world) if run["place"] == 3 and run["shard"] >= 0} == {1}
