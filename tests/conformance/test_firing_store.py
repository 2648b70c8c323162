"""Firing: due instants become runs or skips, exactly once, with the cursor that follows."""

import asyncio

import pytest

from foliot.domain.fire import Plan
from foliot.domain.instants import HOUR, MINUTE, SECOND
from foliot.domain.planner import Planner
from foliot.store.sql.firing.follow import CHILD, FIXED_DELAY, LIMITS, SERIAL
from tests.conformance.building import PERSON, ask, cursor_of, decider, every, fire, make_due, runs_of, save, skips_of
from tests.conformance.working import worker
from tests.sql.world import World


async def test_a_due_job_gets_its_run_and_its_next_instant(world: World) -> None:
    job = await every(world, place={"priority": 7})
    assert job.next_at is not None
    now = await make_due(world, job)
    decided = await fire(world)
    assert (decided.taken, decided.created, decided.skipped, decided.duplicates) == (1, 1, 0, 0)
    assert decided.lateness_us == (decided.now - job.next_at,)
    (run,) = await runs_of(world)
    assert (run["due_at"], run["state"], run["shard"], run["ver"]) == (job.next_due_at, "PENDING", -1, 1)
    assert (run["priority"], run["serial"], run["class"], run["parked"]) == (7, 1, 0, 0)
    assert run["fire_key"] == f"s:{job.next_due_at}"
    cursor = await cursor_of(world, job)
    assert run["place"] == cursor["cursor_ver"] == 2
    assert cursor["next_at"] == cursor["next_due_at"] == job.next_at + HOUR
    assert now <= decided.now
    assert (await fire(world)).taken == 0


async def test_nothing_is_created_before_its_instant(world: World) -> None:
    job = await every(world, interval="1d")
    assert job.next_at is not None
    await world.elapse(max(0, job.next_at - await world.now() - 10 * MINUTE))
    assert (await fire(world)).taken == 0
    assert (await world.store.firing.pulse()).next_at == job.next_at
    assert await runs_of(world) == []


async def test_due_jobs_are_taken_oldest_first_in_batches(world: World) -> None:
    jobs = [await every(world, f"job-{n}", "1h") for n in range(5)]
    await make_due(world, *jobs)
    await world.change("UPDATE cursors SET next_at = next_at - 1000000 WHERE job_id = :id", id=jobs[3].job_id)
    first = await fire(world, limit=2)
    assert (first.taken, first.created) == (2, 2)
    assert len(await runs_of(world, "job-3")) == 1
    assert [(await fire(world, limit=2)).taken for _ in range(3)] == [2, 1, 0]


async def test_two_servers_never_fire_the_same_job(world: World) -> None:
    other = await world.open()
    jobs = [await every(world, f"job-{n}") for n in range(40)]
    await make_due(world, *jobs)

    async def server(store: object) -> int:
        created = 0
        while (decided := await fire(world, store, limit=5)).taken:  # type: ignore[arg-type]
            created += decided.created
        return created

    created = await asyncio.gather(server(world.store), server(other))
    assert sum(created) == 40
    assert await world.value("SELECT count(DISTINCT job_id) FROM runs") == 40


async def test_a_run_that_is_there_already_is_kept_and_counted(world: World) -> None:
    job = await every(world, overlap="allow")
    await make_due(world, job)
    await fire(world)
    await world.change(
        "UPDATE cursors SET next_at = :at, next_due_at = :at WHERE job_id = :id", at=job.next_at, id=job.job_id
    )
    decided = await fire(world)
    assert (decided.created, decided.duplicates) == (0, 1)
    (run,) = await runs_of(world)
    assert run["place"] == 2
    assert (await cursor_of(world, job))["next_at"] > job.next_at


# ------------------------------------------------------------------------------------------------- skips and overlap


async def test_a_fire_over_an_open_run_is_skipped_and_the_row_grows(world: World) -> None:
    job = await every(world, interval="1h")
    await make_due(world, job)
    await fire(world)
    for _ in range(3):
        await world.elapse(HOUR)
        decided = await fire(world)
        assert (decided.created, decided.skipped) == (0, 1)
    (skip,) = await skips_of(world, job)
    assert job.next_due_at is not None
    assert (skip["from_at"], skip["to_at"]) == (job.next_due_at + HOUR, job.next_due_at + 3 * HOUR)
    assert (skip["count"], skip["reason"], skip["version"]) == (3, "overlap", 1)
    cursor = await cursor_of(world, job)
    assert (cursor["skip_from"], cursor["skip_reason"]) == (skip["from_at"], "overlap")

    anne = await worker(world)
    await anne.complete(await anne.lease_one())
    await world.elapse(HOUR)
    assert (await fire(world)).created == 1
    cursor = await cursor_of(world, job)
    assert (cursor["skip_from"], cursor["skip_reason"]) == (None, None)


async def test_an_open_skip_that_was_forgotten_begins_anew(world: World) -> None:
    job = await every(world, interval="1h")
    await make_due(world, job)
    await fire(world)
    await world.elapse(HOUR)
    await fire(world)
    await world.change("DELETE FROM skips")
    await world.elapse(HOUR)
    assert (await fire(world)).skipped == 1
    (skip,) = await skips_of(world, job)
    assert (skip["count"], skip["from_at"]) == (1, skip["to_at"])


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
    assert (first["state"], first["parked"]) == ("RUNNING", 0)
    assert (second["state"], second["parked"]) == ("PENDING", 1)
    assert [skip["count"] for skip in await skips_of(world, job)] == [2]
    assert second["place"] > first["place"]


async def test_missed_instants_become_one_run_and_one_skip(world: World) -> None:
    job = await every(world, interval="10m")
    await make_due(world, job, late_us=5 * HOUR + 5 * MINUTE)
    decided = await fire(world)
    assert decided.created == 1
    (skip,) = await skips_of(world, job)
    assert skip["reason"] == "misfire"
    assert skip["count"] == decided.skipped == 30
    (run,) = await runs_of(world)
    assert run["due_at"] == skip["to_at"] + 10 * MINUTE
    assert run["class"] == 1


async def test_catching_up_all_gives_each_run_its_own_place_in_order(world: World) -> None:
    job = await every(world, interval="10m", misfire={"all": "1d"}, overlap="queue_all")
    await make_due(world, job, late_us=HOUR + 5 * MINUTE)
    assert (await fire(world)).created == 7
    runs = await runs_of(world)
    assert [run["place"] for run in runs] == [2, 3, 4, 5, 6, 7, 8]
    assert [run["due_at"] for run in runs] == sorted(run["due_at"] for run in runs)
    assert [run["parked"] for run in runs] == [0, 1, 1, 1, 1, 1, 1]
    assert (await cursor_of(world, job))["cursor_ver"] == 8


async def test_an_on_time_fire_pulls_waiting_catch_up_runs_forward(world: World) -> None:
    job = await every(world, interval="10m", misfire={"all": "1d"}, overlap="queue_all")
    await make_due(world, job, late_us=HOUR + 5 * MINUTE)
    await fire(world)
    await world.change("UPDATE runs SET not_before = not_before + 3600000000 WHERE class = 1")
    assert await world.value("SELECT count(*) FROM runs WHERE class = 1") == 7
    await world.elapse(5 * MINUTE)
    decided = await fire(world)
    assert decided.created == 1
    assert {(run["class"], run["not_before"] <= decided.now) for run in await runs_of(world)} == {(0, True)}


async def test_a_fixed_delay_waits_for_the_end_of_its_run(world: World) -> None:
    job = await save(world, schedule={"every": "1m", "from_end": True})
    await make_due(world, job)
    assert (await fire(world)).created == 1
    cursor = await cursor_of(world, job)
    assert (cursor["state"], cursor["next_at"], cursor["next_due_at"]) == ("active", None, None)
    (run,) = await runs_of(world)
    assert run["follow"] == FIXED_DELAY | SERIAL


async def test_a_schedule_with_a_count_is_done_after_its_last_run(world: World) -> None:
    job = await save(world, schedule={"every": "1h", "count": 2}, overlap="allow")
    await make_due(world, job)
    await fire(world)
    assert (await cursor_of(world, job))["remaining"] == 1
    await world.elapse(HOUR)
    await fire(world)
    cursor = await cursor_of(world, job)
    assert (cursor["state"], cursor["next_at"], cursor["remaining"]) == ("done", None, 0)


@pytest.mark.parametrize("key", ["b:1:1000", "s:1000"])
async def test_a_backfill_does_not_keep_a_fire_from_running(world: World, key: str) -> None:
    job = await every(world, interval="1h")
    await world.store.runs.trigger(ask())
    await world.change("UPDATE runs SET fire_key = :key, class = 1", key=key)  # as a backfill has it
    await make_due(world, job)
    decided = await fire(world)
    assert (decided.created, decided.skipped) == (1, 0)
    backfilled, fired = await runs_of(world)
    assert fired["place"] > backfilled["place"]  # but the job is serial: it waits for its turn
    assert backfilled["class"] == 0  # and what stands in front of on-time work is on-time work (R10)
    anne = await worker(world)
    assert [run.run_id for run in await anne.lease()] == [backfilled["id"]]
    await world.elapse(HOUR)
    assert (await fire(world)).skipped == 1  # the fire itself is open, as ever


# -------------------------------------------------------------------------------------------------------------- shards


async def test_a_sharded_fire_is_a_running_parent_with_a_child_per_shard(world: World) -> None:
    job = await every(world, shards=3, merge="python:jobs:merge", place={"max_running": 2})
    await make_due(world, job)
    decided = await fire(world)
    assert (decided.created, decided.duplicates) == (1, 0)
    parent, *children = await runs_of(world)
    assert (parent["state"], parent["shard"], parent["open_children"]) == ("RUNNING", -1, 3)
    assert (parent["lease_id"], parent["session_id"], parent["follow"]) == (None, None, SERIAL)
    assert [child["shard"] for child in children] == [0, 1, 2]
    for child in children:
        assert (child["state"], child["parent_id"], child["place"]) == ("PENDING", parent["id"], parent["place"])
        assert (child["fire_key"], child["parked"], child["follow"]) == (parent["fire_key"], 0, CHILD | LIMITS)


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
    assert [run["parked"] for run in runs if run["place"] == 3 and run["shard"] >= 0] == [1, 1]
    bert = await worker(world)
    assert await bert.lease() == ()


async def test_one_transaction_writes_a_bounded_number_of_rows(world: World) -> None:
    jobs = [await every(world, f"job-{n}", shards=700) for n in range(4)]
    await make_due(world, *jobs)
    first = await fire(world)
    assert (first.taken, first.created) == (4, 2)
    second = await fire(world)
    assert second.created == 2
    assert await world.value("SELECT count(*) FROM runs") == 4 * 701


async def test_catching_up_a_sharded_job_is_bounded_too(world: World) -> None:
    job = await every(world, interval="10m", shards=900, overlap="queue_all", misfire={"all": "1d"})
    await make_due(world, job, late_us=HOUR + 5 * MINUTE)
    created = []
    while (decided := await fire(world)).taken:
        created.append(decided.created)
    assert (sum(created), max(created)) == (7, 2)
    assert await world.value("SELECT count(*) FROM runs") == 7 * 901


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
    assert (cursor["next_due_at"], cursor["state"], cursor["trouble"]) == (
        bad.next_due_at,
        "active",
        "ValueError: no such thing",
    )
    assert cursor["next_at"] == decided.now + MINUTE

    await world.elapse(MINUTE)  # looked at again, and whatever was wrong is mended
    assert (await fire(world)).created == 1
    assert (await cursor_of(world, bad))["trouble"] is None
    assert [run["due_at"] for run in await runs_of(world, "bad")] == [bad.next_due_at]


async def test_a_definition_that_does_not_compile_stops_no_other(world: World) -> None:
    good, bad = await every(world, "good"), await every(world, "bad")
    await world.change(
        "UPDATE job_versions SET definition = :text WHERE job_id = :id",
        text='{"run":{"python":"jobs:tick"},"schedule":{"cron":"0 2 * * *","tz":"Mars/Olympus"}}',
        id=bad.job_id,
    )
    await make_due(world, good, bad)
    fresh = await world.open()  # a server that has not compiled it before
    decided = await fire(world, fresh)
    assert (decided.taken, decided.created, decided.troubled) == (2, 1, (bad.job_id,))
    cursor = await cursor_of(world, bad)
    assert cursor["next_due_at"] == bad.next_due_at
    assert "Mars/Olympus" in cursor["trouble"]


async def test_a_run_the_database_refuses_is_recorded_as_rejected(world: World) -> None:
    jobs = [await every(world, f"job-{n}") for n in range(8)]
    await refuse_rows(world, "runs", f"job_id = {jobs[5].job_id} AND state <> 'FAILED'")
    await make_due(world, *jobs)
    decided = await fire(world)
    assert (decided.taken, decided.created) == (8, 8)
    states = {run["job_id"]: (run["state"], run["kind"]) for n in range(8) for run in await runs_of(world, f"job-{n}")}
    assert states.pop(jobs[5].job_id) == ("FAILED", "rejected")
    assert set(states.values()) == {("PENDING", None)}
    (bad,) = await runs_of(world, "job-5")
    assert bad["error"].startswith("refused by the store")
    assert bad["ended_at"] == decided.now
    assert (await fire(world)).taken == 0


async def test_a_cursor_the_database_refuses_is_left_undecided_and_flagged(world: World) -> None:
    jobs = [await every(world, f"job-{n}") for n in range(4)]
    await refuse_rows(world, "cursors", f"job_id = {jobs[2].job_id} AND next_due_at > {jobs[2].next_due_at}")
    await make_due(world, *jobs)
    decided = await fire(world)
    assert (decided.created, decided.troubled) == (3, (jobs[2].job_id,))
    assert await runs_of(world, "job-2") == []
    assert (await cursor_of(world, jobs[2]))["next_due_at"] == jobs[2].next_due_at


async def refuse_rows(world: World, table: str, bad: str) -> None:
    """Let the database refuse such rows, as it would refuse data it cannot hold."""
    if world.engine != "sqlite":
        await world.change(f"ALTER TABLE {table} ADD CONSTRAINT refused CHECK (NOT ({bad}))")
        return
    columns = bad
    for column in ("job_id", "state", "next_due_at"):
        columns = columns.replace(column, f"NEW.{column}")
    for moment in ("INSERT", "UPDATE"):
        await world.change(
            f"CREATE TRIGGER refused_{moment} BEFORE {moment} ON {table} WHEN {columns} "
            "BEGIN SELECT RAISE(ABORT, 'refused'); END"
        )


# --------------------------------------------------------------------------------------------------------------- pauses


async def test_a_pause_that_ends_by_itself_leaves_one_skip(world: World) -> None:
    job = await every(world, interval="1h")
    assert job.next_due_at is not None
    until = job.next_due_at + 2 * HOUR + MINUTE
    paused = await world.store.jobs.pause("default", "tick", by=PERSON, plans=Planner(), until=until)
    assert (paused.state, paused.paused_until, paused.next_at) == ("paused", until, None)
    assert (await world.store.firing.pulse()).next_at == until
    await world.elapse(until + SECOND - await world.now())
    decided = await fire(world)
    assert (decided.taken, decided.skipped) == (1, 3)
    (skip,) = await skips_of(world, job)
    assert (skip["reason"], skip["count"], skip["from_at"]) == ("paused", 3, job.next_due_at)
    found = await world.store.jobs.find("default", "tick")
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
