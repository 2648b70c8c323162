"""Edits and what waits, in the tables: columns, marks for the watchdog, lines made by hand."""

from typing import Any

import pytest

from foliot.domain.instants import HOUR, MINUTE, SECOND
from foliot.store.sql.firing.follow import FIXED_DELAY
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet
from tests.conformance.building import every, fire, make_due, save
from tests.conformance.editing import EXCLUSIVE, delayed, drain, started, unpark
from tests.conformance.working import Worker, trigger, worker
from tests.sql.rows import cursor_of, run_of, runs_of
from tests.sql.world import World

TRIGGERS_AHEAD = """
    INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                      parked, follow, state, ver, created_at)
    SELECT d.job_id, 1, d.fire_key, -1, 1, 1, 1, 0, 5, 0, 0, 0, 0, 'PENDING', 1, 1 FROM {d}
"""


# -------------------------------------------------------------------------------------------------------------- shards


async def test_a_waiting_run_keeps_its_version_when_the_new_one_has_shards(world: World) -> None:
    await save(world, overlap="queue_all")
    (waiting,) = await trigger(world)
    await save(world, overlap="queue_all", shards=4, merge="python:jobs:join")
    anne = await worker(world)
    run = await anne.lease_one()
    assert (run.run_id, run.version, run.shard, run.shards) == (waiting, 1, -1, 0)
    await anne.complete(run)
    assert (await run_of(world, waiting))["state"] == "SUCCEEDED"
    assert await world.value("SELECT count(*) FROM jobs WHERE moving IS NOT NULL") == 0  # nothing is left to be moved


@pytest.mark.parametrize("overlap", ["allow", "queue_all"])
async def test_a_sharded_run_that_has_not_begun_takes_the_merge_that_an_edit_adds(world: World, overlap: str) -> None:
    await save(world, overlap=overlap, shards=2)
    first, second = await trigger(world, n=2)
    await save(world, overlap=overlap, shards=2, merge="python:jobs:join")
    for waiting in (first, second):
        assert (await run_of(world, waiting))["version"] == 2
    done = await drain(await worker(world))
    merged = await world.rows("SELECT version, state FROM runs WHERE parent_id IS NOT NULL AND shard = -1 ORDER BY id")
    assert [tuple(row.values()) for row in merged] == [(2, "SUCCEEDED"), (2, "SUCCEEDED")]
    assert {version for lease in done for _, version in lease} == {2}
    assert (await run_of(world, second))["state"] == "SUCCEEDED"


async def test_a_sharded_run_that_has_not_begun_leaves_out_the_merge_that_an_edit_takes_away(world: World) -> None:
    await save(world, shards=2, merge="python:jobs:join")
    (waiting,) = await trigger(world)
    await save(world, shards=2)
    anne = await worker(world)
    await anne.complete(*await anne.lease(8))
    row = await run_of(world, waiting)
    assert (row["version"], row["state"]) == (2, "SUCCEEDED")
    assert await world.value("SELECT count(*) FROM runs WHERE parent_id IS NOT NULL AND shard = -1") == 0


async def test_a_sharded_run_that_has_begun_merges_as_it_began(world: World) -> None:
    await save(world, shards=2)
    (begun,) = await trigger(world)
    anne = await worker(world)
    first = await anne.lease_one()
    await save(world, shards=2, merge="python:jobs:join")
    second = await anne.lease_one()
    assert (first.version, second.version) == (1, 2)
    await anne.complete(first, second)
    row = await run_of(world, begun)
    assert (row["version"], row["state"]) == (1, "SUCCEEDED")
    assert await world.value("SELECT count(*) FROM jobs WHERE moving IS NOT NULL") == 0


async def test_a_trigger_that_becomes_due_while_the_edit_is_unfinished_takes_the_new_version(world: World) -> None:
    job = await save(world, overlap="allow")
    (later,) = await trigger(world, delay_us=HOUR)
    await save(world, **EXCLUSIVE)
    lane = await world.value("SELECT lane_id FROM job_versions WHERE version = 1")
    await world.change("UPDATE runs SET version = 1, serial = 0, lane = :lane", lane=lane)  # as a dead server left it
    await world.change("UPDATE jobs SET moving = 2 WHERE id = :id", id=job.job_id)
    await trigger(world)
    anne = await worker(world)
    first = await anne.lease_one()
    await world.elapse(HOUR)
    await world.store.firing.admit(limit=10)
    ben = await worker(world)
    assert await ben.lease(8) == ()  # beside a run of an exclusive job
    await anne.complete(first)
    assert await drain(ben) == [[(later, 2)]]


async def test_a_backfill_run_that_waits_goes_to_the_end_of_the_line_too(world: World) -> None:
    await save(world, overlap="allow")
    (waiting,) = await trigger(world)
    await world.change("UPDATE runs SET fire_key = 'b:1:1', class = 1, triggered_by = 'backfill 1'")
    (running,) = await trigger(world, priority=9)
    anne, ben = await worker(world), await worker(world)
    first = await anne.lease_one()
    assert first.run_id == running
    await save(world, overlap="queue_all")
    await unpark(world)
    assert await ben.lease(8) == ()
    await anne.complete(first)
    await unpark(world)
    assert await drain(ben) == [[(waiting, 2)]]


@pytest.mark.parametrize("asked", [1, 2], ids=["that was exclusive", "that was not"])
async def test_an_overlap_for_later_of_an_older_version_is_none_in_a_job_that_is_exclusive_by_now(
    world: World, asked: int
) -> None:
    await save(world, **EXCLUSIVE)
    await save(world, overlap="queue_all")
    (later,) = await trigger(world, version=2, allow_overlap=True, delay_us=MINUTE)
    await world.change("UPDATE runs SET version = :asked WHERE id = :id", asked=asked, id=later)  # by an older server
    await save(world, **EXCLUSIVE, params={"n": 1})
    await trigger(world)
    anne = await worker(world)
    running = await anne.lease_one()
    await world.elapse(MINUTE)
    await world.store.firing.admit(limit=10)
    await unpark(world)
    ben = await worker(world)
    assert await ben.lease(8) == ()
    await anne.complete(running)
    assert [[run_id for run_id, _ in lease] for lease in await drain(await worker(world))] == [[later]]


# ---------------------------------------------------------------------------------------------- found by the next lease


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"run": "python:jobs:unserved"}, {}),
        ({"place": {"priority": 4}}, {}),
        ({"run": "python:jobs:unserved", "shards": 2}, {"shards": 2}),
    ],
    ids=["another lane", "another priority", "shards in another lane"],
)
async def test_a_run_that_an_edit_brings_among_others_is_seen_by_the_next_lease(
    world: World, before: dict[str, Any], after: dict[str, Any]
) -> None:
    """It is older than anything the busy server saw of late in that lane; coming there, it is due now (R9)."""
    await save(world, "busy", overlap="allow")
    await save(world, "moved", overlap="allow", **before)
    (waiting,) = await trigger(world, "moved")
    due_at = (await run_of(world, waiting))["due_at"]
    anne = await lease_what_is_recent(world)
    await save(world, "moved", overlap="allow", **after)
    leased = {run.job for run in await anne.lease(8)}
    assert leased == {"busy", "moved"}
    assert (await run_of(world, waiting))["due_at"] == due_at  # lateness counts from there, as before


async def test_a_parked_run_that_waits_for_nobody_any_more_is_seen_by_the_next_lease(world: World) -> None:
    await save(world, "busy", overlap="allow")
    await save(world, "moved", overlap="queue_all")
    first, waiting = await trigger(world, "moved", 2)
    ben = await worker(world)
    assert (await ben.lease_one()).run_id == first
    anne = await lease_what_is_recent(world)
    await save(world, "moved", overlap="allow")
    assert waiting in {run.run_id for run in await anne.lease(8)}


async def lease_what_is_recent(world: World) -> Worker:
    """A worker whose server was busy of late: its scans begin at what is recent, in the lane of `busy`."""
    served = await world.store.lookups.job("default", "busy")
    lane = await world.value("SELECT lane_id FROM job_versions WHERE job_id = :id", id=served.job_id)
    await world.elapse(30 * SECOND)
    anne = await worker(world)
    await trigger(world, "busy", 4)
    assert {run.job for run in await anne.lease(2, lanes=[lane])} == {"busy"}
    return anne


async def test_a_job_that_gets_a_fixed_delay_during_its_run_waits_for_its_end(world: World) -> None:
    anne, run = await started(world, await every(world, interval="1h", overlap="allow"))
    job = await delayed(world, overlap="allow")
    assert (await cursor_of(world, job))["next_at"] is None
    assert (await run_of(world, run.run_id))["follow"] & FIXED_DELAY
    await anne.complete(run)
    assert (await cursor_of(world, job))["next_at"] is not None


async def test_a_fixed_delay_with_a_long_line_of_triggers_ahead_waits_for_its_run(world: World) -> None:
    job = await delayed(world, overlap="allow")
    rows = [(job.job_id, f"m:{n}") for n in range(1100)]
    await world.change(TRIGGERS_AHEAD, RowSet("d", job_id=BIGINT, fire_key=TEXT), rows={"d": rows})
    await make_due(world, job)
    assert (await fire(world)).created == 1
    assert await world.store.jobs.repair(limit=100) == 0
    assert (await cursor_of(world, job))["next_at"] is None


async def test_unscheduled_jobs_do_not_fill_the_rounds_of_the_watchdog(world: World) -> None:
    for n in range(5):
        await save(world, f"aside-{n}")
    job = await delayed(world)
    await make_due(world, job)
    await fire(world)
    await world.change("UPDATE runs SET state = 'FAILED', ver = ver + 1, ended_at = 1")
    assert await world.store.jobs.repair(limit=2) == 1
    assert (await cursor_of(world, job))["next_at"] is not None
    assert [run["state"] for run in await runs_of(world)] == ["FAILED"]
