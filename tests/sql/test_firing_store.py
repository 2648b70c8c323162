"""Firing in the tables: cursors and rows made by hand, bits of runs, rows that the database refuses."""

import asyncio

import pytest

from foliot.domain.instants import HOUR, MINUTE
from foliot.domain.late_work import ON_TIME
from foliot.store.sql.firing.follow import CHILD, FIXED_DELAY, LIMITS, SERIAL
from foliot.store.sql.leasing.assigned import LATE, assigned_rank
from tests.conformance.building import ask, every, fire, make_due, save
from tests.conformance.routing import assign
from tests.conformance.working import worker
from tests.sql.rows import cursor_of, runs_of, skips_of
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


async def test_a_catch_up_run_that_is_assigned_gets_the_rank_of_on_time_work(world: World) -> None:
    """Else it would stay behind all that is on time, and the line of its job with it."""
    place = {"route": "first", "priority": 7}
    job = await every(world, interval="10m", misfire={"all": "1d"}, overlap="queue_all", place=place)
    await make_due(world, job, late_us=HOUR + 5 * MINUTE)
    await fire(world)
    await world.elapse(MINUTE)
    await worker(world)
    assert (await assign(world)).runs == 1
    assert await world.value("SELECT min(assigned_rank) FROM runs WHERE parked = 2") > LATE // 2
    await world.elapse(4 * MINUTE)
    assert (await fire(world)).created == 1
    ranks = await world.rows("SELECT not_before, priority, class, assigned_rank FROM runs WHERE parked = 2")
    assert [row["assigned_rank"] for row in ranks] == [
        assigned_rank(row["not_before"], row["priority"], ON_TIME) for row in ranks
    ]
    assert [row["class"] for row in ranks] == [ON_TIME]


async def test_a_fixed_delay_waits_for_the_end_of_its_run(world: World) -> None:
    job = await save(world, schedule={"every": "1m", "from_end": True})
    await make_due(world, job)
    assert (await fire(world)).created == 1
    cursor = await cursor_of(world, job)
    assert (cursor["state"], cursor["next_at"], cursor["next_due_at"]) == ("active", None, None)
    (run,) = await runs_of(world)
    assert run["follow"] == FIXED_DELAY | SERIAL


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
