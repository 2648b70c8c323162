"""Jobs in the tables: cursors, marks for the watchdog, definitions of other versions."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from foliot.domain.definition import from_document
from foliot.domain.errors import BadName, InvalidInput, JobNotFound, VersionConflict
from foliot.domain.handler import python_function
from foliot.domain.instants import HOUR, MINUTE, SECOND
from foliot.domain.job import Lane
from foliot.domain.planner import Planner
from foliot.domain.run import Landing
from foliot.ports.store.jobs import SaveOutcome
from foliot.store.sql.ending.ends import Ending
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.jobs.removal import end_waiting
from tests.conformance.building import NS, PERSON, ask, definition, every, fire, make_due, save
from tests.conformance.editing import put
from tests.conformance.working import worker
from tests.sql.rows import cursor_of, runs_of, skips_of, states_of
from tests.sql.world import World

# -------------------------------------------------------------------------------------------------------------- saving


async def test_a_new_job_has_a_version_a_lane_and_a_cursor(world: World) -> None:
    saved = await put(world, schedule={"every": "10m"}, place={"require": {"zone": "a"}, "max_running": 3})
    job = saved.job
    assert (saved.outcome, job.version, job.state, job.source) == (SaveOutcome.CREATED, 1, "active", "api")
    assert job.next_at == job.next_due_at
    wanted = definition(job="tick", schedule={"every": "10m"}, place={"require": {"zone": "a"}, "max_running": 3})
    assert from_document(job.document, job="tick") == wanted
    assert await world.store.lookups.job(NS, "tick") == job
    (lane,) = (await world.store.jobs.lanes()).values()
    assert lane == Lane(
        group="default",
        offer="python:jobs:tick",
        require=(("zone", "a"),),
        limits=(f"job:{job.job_id}",),
        namespace=NS,
    )
    assert await world.value("SELECT max FROM limits WHERE name = :name", name=f"job:{job.job_id}") == 3


async def test_the_same_definition_changes_nothing(world: World) -> None:
    first = await put(world, schedule={"every": "10m"})
    again = await put(world, schedule={"every": "600s"})
    assert again.outcome is SaveOutcome.SAME
    assert again.job == first.job
    assert await world.value("SELECT count(*) FROM job_versions") == 1


async def test_a_job_that_must_exist_is_not_made(world: World) -> None:
    with pytest.raises(JobNotFound):
        await put(world, "tock", create=False)
    with pytest.raises(VersionConflict):
        await put(world, "tock", expected=4)
    assert await world.value("SELECT count(*) FROM jobs") == 0


async def test_who_makes_the_same_job_at_once_makes_it_once(world: World) -> None:
    other = await world.open()
    wanted = definition(schedule={"every": "1h"})

    async def make(n: int) -> SaveOutcome:
        store = (world.store, other)[n % 2]
        return (await store.jobs.save(NS, "tick", wanted, by=PERSON, plans=Planner())).outcome

    outcomes = await asyncio.gather(*(make(n) for n in range(6)))
    assert sorted(outcomes) == [SaveOutcome.CREATED] + [SaveOutcome.SAME] * 5
    assert await world.value("SELECT count(*) FROM cursors") == 1


@pytest.mark.parametrize("name", ["", "a b", "x" * 201, "a\0b", "a\ud800b", "-x"])
async def test_a_name_that_cannot_be_one_is_refused(world: World, name: str) -> None:
    with pytest.raises(BadName):
        await put(world, name)
    assert await world.value("SELECT count(*) FROM jobs") == 0


@pytest.mark.parametrize(
    "change",
    [
        {"params": {"a": float("nan")}},
        {"params": {"a": 2**70}},
        {"params": {"a": "x" * 70_000}},
        {"params": {"a": "\ud800"}},
        {"params": {"a": "\0"}},
        {"params": {"a": json.loads("[" * 40 + "]" * 40)}},
        {"handler": python_function("x" * 600)},
        {"description": "a\0b"},
        {"owner": "\ud800"},
        {"priority": 99},
        {"shards": 10**9},
        {"group": "x" * 300},
    ],
    ids=lambda change: str(change)[:40],
)
async def test_a_definition_that_cannot_be_stored_is_refused_before_anything_is(
    world: World, change: dict[str, Any]
) -> None:
    bad = replace(definition(), **change)
    with pytest.raises(InvalidInput):
        await world.store.jobs.save(NS, "tick", bad, by=PERSON, plans=Planner())
    assert await world.value("SELECT count(*) FROM jobs") == 0
    assert await world.value("SELECT count(*) FROM lanes") == 0


async def test_an_edit_mends_a_job_whose_old_version_cannot_be_read(world: World) -> None:
    job = await every(world, interval="1h")
    await world.change("UPDATE job_versions SET definition = :text", text='{"run":{"python":"x"},"nonsense":1}')
    await make_due(world, job)
    fresh = await world.open()
    await fire(world, fresh)
    wanted = definition(schedule={"every": "2h"})
    saved = await fresh.jobs.save(NS, "tick", wanted, by=PERSON, plans=Planner())
    assert (saved.outcome, saved.job.version, saved.job.trouble) == (SaveOutcome.CHANGED, 2, None)
    (skip,) = await skips_of(world, job)
    assert (skip["reason"], skip["from_at"]) == ("edited", job.next_due_at)


async def test_waiting_runs_take_the_new_version_and_lane_and_leased_ones_do_not(world: World) -> None:
    await put(world, "tick", overlap="queue_all")
    for key in "abc":
        await world.store.runs.trigger(ask(key=key))
    await world.store.runs.trigger(ask(key="urgent", priority=9))
    await world.store.runs.trigger(ask(key="later", delay_us=HOUR))
    anne = await worker(world)
    await anne.lease_one()
    changed = await put(world, overlap="queue_all", run="python:jobs:newer", place={"priority": 3, "max_running": 2})
    lanes = {lane.offer: lane_id for lane_id, lane in (await world.store.jobs.lanes()).items()}
    runs = {run["fire_key"]: run for run in await runs_of(world)}
    assert (runs["m:a"]["version"], runs["m:a"]["lane"]) == (1, lanes["python:jobs:tick"])
    for key in ("m:b", "m:c", "m:urgent", "m:later"):
        assert (runs[key]["version"], runs[key]["lane"]) == (changed.job.version, lanes["python:jobs:newer"]), key
        assert runs[key]["follow"] & 2, "its lease will take limits, so its end must give them back"
    assert (runs["m:b"]["priority"], runs["m:urgent"]["priority"]) == (3, 9)
    assert await world.value("SELECT count(*) FROM jobs WHERE moving IS NOT NULL") == 0


async def test_shards_keep_their_number_when_it_changes(world: World) -> None:
    await put(world, shards=2)
    await world.store.runs.trigger(ask(key="a"))
    await put(world, shards=2, timeout="1m")
    assert {run["version"] for run in await runs_of(world) if run["shard"] >= 0} == {2}
    await put(world, shards=3)
    assert {run["version"] for run in await runs_of(world) if run["shard"] >= 0} == {2}
    assert await world.value("SELECT count(*) FROM jobs WHERE moving IS NOT NULL") == 0  # nothing is left to be moved


async def test_the_watchdog_finishes_a_move_that_a_dead_server_began(world: World) -> None:
    job = (await put(world, overlap="queue_all")).job
    for key in "abc":
        await world.store.runs.trigger(ask(key=key))
    await put(world, overlap="queue_all", timeout="1m")
    await world.change("UPDATE runs SET version = 1 WHERE fire_key <> 'm:a'")
    await world.change("UPDATE jobs SET moving = 2 WHERE id = :id", id=job.job_id)
    assert await world.store.jobs.repair(limit=10) == 2
    assert {run["version"] for run in await runs_of(world)} == {2}
    assert await world.store.jobs.repair(limit=10) == 0


async def test_jobs_whose_runs_cannot_move_here_keep_no_others_from_it(world: World) -> None:
    jobs = [(await put(world, name, overlap="queue_all")).job for name in ("odd", "other", "tick")]
    for job in jobs:
        await world.store.runs.trigger(ask(job.name))
    await world.change("UPDATE job_versions SET version = 2")
    await world.change("UPDATE jobs SET version = 2, moving = 2")
    nonsense = '{"run":{"python":"x"},"nonsense":1}'
    await world.change(
        "UPDATE job_versions SET definition = :text WHERE job_id = :id", text=nonsense, id=jobs[0].job_id
    )
    fresh = await world.open()
    assert [await fresh.jobs.repair(limit=1) for _ in range(5)] == [0, 1, 1, 0, 0]


async def test_a_job_that_cannot_be_read_can_still_be_paused_and_deleted(world: World) -> None:
    await every(world)
    await world.change("UPDATE job_versions SET definition = :text", text="{}")
    fresh = await world.open()
    await fresh.jobs.pause(NS, "tick", by=PERSON, plans=Planner())
    assert await world.value("SELECT state FROM cursors") == "paused"
    await fresh.jobs.delete(NS, "tick", plans=Planner())
    with pytest.raises(JobNotFound):
        await fresh.lookups.job(NS, "tick")


# ---------------------------------------------------------------------------------------------------- deleting, finding


async def test_a_deleted_job_frees_its_name_and_keeps_its_history(world: World) -> None:
    job = await every(world, interval="1h")
    await make_due(world, job)
    await fire(world)
    await world.elapse(HOUR + MINUTE)
    await world.store.jobs.delete(NS, "tick", plans=Planner())
    assert (await cursor_of(world, job))["state"] == "done"
    assert [skip["reason"] for skip in await skips_of(world, job)] == ["edited"]
    with pytest.raises(JobNotFound):
        await world.store.lookups.job(NS, "tick")
    with pytest.raises(JobNotFound):
        await world.store.jobs.delete(NS, "tick", plans=Planner())
    again = await put(world, schedule={"every": "1h"})
    assert again.outcome is SaveOutcome.CREATED
    assert again.job.job_id != job.job_id
    assert await world.value("SELECT count(*) FROM runs WHERE job_id = :id", id=job.job_id) == 1


# ------------------------------------------------------------------------------------------------------------- watchdog


async def test_the_watchdog_mends_a_fixed_delay_that_waits_for_nothing(world: World) -> None:
    job = await save(world, schedule={"every": "1m", "from_end": True})
    await save(world, "plain")
    await make_due(world, job)
    await fire(world)
    assert await world.store.jobs.repair(limit=1) == 0  # its run is live
    await world.change("UPDATE runs SET state = 'FAILED', ver = ver + 1")
    repaired = [await world.store.jobs.repair(limit=1) for _ in range(3)]
    assert sum(repaired) == 1
    cursor = await cursor_of(world, job)
    assert await world.now() < cursor["next_at"] <= await world.now() + MINUTE + SECOND


async def test_the_watchdog_finds_out_what_an_older_server_did_not_write(world: World) -> None:
    """During a rolling upgrade a server saves jobs and does not say which of them have a fixed delay."""
    delayed = await save(world, "delayed", schedule={"every": "1m", "from_end": True})
    for name in ("a", "b", "c"):
        await save(world, name, params={"from_start": True})
    await world.change("UPDATE jobs SET from_end = NULL")
    await world.change(f"UPDATE cursors SET next_at = NULL, next_due_at = NULL WHERE job_id = {delayed.job_id}")
    assert sum([await world.store.jobs.repair(limit=3) for _ in range(4)]) == 1
    assert (await cursor_of(world, delayed))["next_at"] is not None
    assert await world.value("SELECT count(*) FROM jobs WHERE from_end IS NULL") == 0
    assert await world.value("SELECT count(*) FROM jobs WHERE from_end = 1") == 1


async def test_what_waits_of_a_deleted_job_ends_and_what_is_in_progress_finishes(world: World) -> None:
    await put(world, overlap="queue_all")
    for key in ("head", "behind"):
        await world.store.runs.trigger(ask(key=key))
    await world.store.runs.trigger(ask(key="later", delay_us=MINUTE))
    anne = await worker(world)
    head = await anne.lease_one()
    await world.store.jobs.delete(NS, "tick", plans=Planner())
    told = {run["fire_key"]: (run["state"], run["error"]) for run in await runs_of(world)}
    ended = ("CANCELLED", "The job was deleted.")
    assert told == {"m:head": ("RUNNING", None), "m:behind": ended, "m:later": ended}
    assert await anne.complete(head) == [Landing.RECORDED]
    await world.elapse(HOUR)
    assert await world.store.firing.admit(limit=10) == 0
    assert await anne.lease() == ()
    assert await world.value("SELECT count(*) FROM jobs WHERE moving IS NOT NULL") == 0


async def test_many_waiting_runs_of_a_deleted_job_end_in_steps(world: World) -> None:
    job = (await put(world, overlap="queue_all")).job
    for key in "abcdefg":
        await world.store.runs.trigger(ask(key=key, delay_us=HOUR if key > "d" else None))
    await world.change("UPDATE jobs SET deleted_at = 1, moving = version WHERE id = :id", id=job.job_id)
    database, definitions = world.database, world.store.definitions
    assert await end_waiting(database, Ending(definitions, Lanes()), job.job_id, step_max=2) == 7
    assert await states_of(world) == ["CANCELLED"] * 7
