"""Jobs: versions, edits that decide the past first, pauses, deletion, names."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from foliot.domain.errors import BadName, InvalidInput, JobNotFound, VersionConflict
from foliot.domain.handler import python_function
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND
from foliot.domain.job import Lane
from foliot.domain.planner import Planner
from foliot.domain.run import Landing
from foliot.ports.store.errors import StoreUnavailable
from foliot.ports.store.jobs import Saved, SaveOutcome
from foliot.store.sql.ending.ends import Ending
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.jobs.removal import end_waiting
from tests.conformance.building import (
    NS,
    PERSON,
    ask,
    cursor_of,
    definition,
    every,
    fire,
    make_due,
    runs_of,
    save,
    skips_of,
)
from tests.conformance.working import states_of, worker
from tests.sql.world import World


async def put(
    world: World, name: str = "tick", *, expected: int | None = None, create: bool = True, **document: Any
) -> Saved:
    wanted = definition(job=name, **document)
    return await world.store.jobs.save(
        NS, name, wanted, by=PERSON, plans=Planner(), expected_version=expected, create=create
    )


# -------------------------------------------------------------------------------------------------------------- saving


async def test_a_new_job_has_a_version_a_lane_and_a_cursor(world: World) -> None:
    saved = await put(world, schedule={"every": "10m"}, place={"require": {"zone": "a"}, "max_running": 3})
    job = saved.job
    assert (saved.outcome, job.version, job.state, job.source) == (SaveOutcome.CREATED, 1, "active", "api")
    assert job.next_at == job.next_due_at
    assert job.definition == definition(
        job="tick", schedule={"every": "10m"}, place={"require": {"zone": "a"}, "max_running": 3}
    )
    assert await world.store.jobs.find(NS, "tick") == job
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


async def test_a_change_is_a_new_version_and_the_old_one_stays(world: World) -> None:
    await put(world, schedule={"every": "10m"})
    changed = await put(world, schedule={"every": "20m"}, expected=1)
    assert (changed.outcome, changed.job.version) == (SaveOutcome.CHANGED, 2)
    loaded = await world.store.jobs.load([(changed.job.job_id, 1), (changed.job.job_id, 2)])
    assert [job.version for job in loaded] == [1, 2]
    assert loaded[0].definition != loaded[1].definition


@pytest.mark.parametrize("expected", [0, 1, 3])
async def test_an_edit_against_another_version_changes_nothing(world: World, expected: int) -> None:
    await put(world, timeout="1m")
    await put(world, timeout="2m")
    with pytest.raises(VersionConflict) as refused:
        await put(world, timeout="3m", expected=expected)
    assert (refused.value.expected, refused.value.found) == (expected, 2)
    assert (await world.store.jobs.find(NS, "tick")).version == 2


async def test_a_repeated_edit_whose_answer_was_lost_is_fine(world: World) -> None:
    await put(world, timeout="1m")
    await put(world, timeout="2m", expected=1)
    assert (await put(world, timeout="2m", expected=1)).outcome is SaveOutcome.SAME


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


async def test_who_edits_at_once_makes_one_version_each(world: World) -> None:
    other = await world.open()
    await put(world, timeout="1m")

    async def edit(n: int) -> int:
        store = (world.store, other)[n % 2]
        wanted = definition(timeout=f"{n + 2}m")
        return (await store.jobs.save(NS, "tick", wanted, by=PERSON, plans=Planner())).job.version

    assert sorted(await asyncio.gather(*(edit(n) for n in range(6)))) == [2, 3, 4, 5, 6, 7]


async def test_lanes_are_shared_and_their_ids_rise_without_gaps_to_miss(world: World) -> None:
    await put(world, "a")
    await put(world, "b")
    await put(world, "c", run="python:jobs:other", shards=2, merge="python:jobs:merge")
    lanes = await world.store.jobs.lanes()
    assert [lane.offer for lane in lanes.values()] == ["python:jobs:tick", "python:jobs:other", "python:jobs:merge"]
    assert set(await world.store.jobs.lanes(after=1)) == set(lanes) - {1}
    assert (await world.store.firing.pulse()).lanes == max(lanes)


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


# ---------------------------------------------------------------------------------------------------- deciding the past


async def test_an_edit_decides_what_was_due_under_the_old_version(world: World) -> None:
    job = await every(world, interval="1h", overlap="allow", misfire={"all": "1d"})
    assert job.next_due_at is not None
    await make_due(world, job, late_us=2 * HOUR + MINUTE)
    changed = await put(world, schedule={"every": "1d"}, overlap="allow")
    runs = await runs_of(world)
    assert [run["due_at"] for run in runs] == [job.next_due_at + n * HOUR for n in range(3)]
    assert changed.job.next_at is not None
    assert changed.job.next_at % DAY == 0
    assert changed.job.next_at > await world.now()
    assert (await fire(world)).taken == 0


async def test_an_edit_of_a_paused_job_leaves_it_paused(world: World) -> None:
    job = await every(world, interval="1h")
    await world.store.jobs.pause(NS, "tick", by=PERSON, plans=Planner())
    await make_due(world, job, late_us=2 * HOUR + MINUTE)
    changed = await put(world, schedule={"every": "20s"})
    assert (changed.job.state, changed.job.next_at) == ("paused", None)
    assert await runs_of(world) == []
    assert [(skip["reason"], skip["count"]) for skip in await skips_of(world, job)] == [("paused", 3)]


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


async def test_runs_of_a_job_that_may_now_overlap_are_un_parked(world: World) -> None:
    await put(world, overlap="queue_all")
    for key in "abc":
        await world.store.runs.trigger(ask(key=key))
    await put(world, overlap="allow")
    assert {(run["serial"], run["parked"]) for run in await runs_of(world)} == {(0, 0)}


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


# ----------------------------------------------------------------------------------------------------- pause and resume


async def test_paused_time_is_one_skip(world: World) -> None:
    job = await every(world, interval="1h")
    paused = await world.store.jobs.pause(NS, "tick", by=PERSON, plans=Planner())
    assert (paused.state, paused.pause_reason, paused.next_at) == ("paused", "a test", None)
    await make_due(world, job, late_us=3 * HOUR + MINUTE)
    assert (await fire(world)).taken == 0
    resumed = await world.store.jobs.resume(NS, "tick", plans=Planner())
    assert (resumed.state, resumed.pause_reason) == ("active", "")
    assert resumed.next_at is not None
    assert resumed.next_at > await world.now()
    (skip,) = await skips_of(world, job)
    assert (skip["reason"], skip["count"], skip["from_at"]) == ("paused", 4, job.next_due_at)
    assert await runs_of(world) == []


async def test_paused_time_is_caught_up_when_asked(world: World) -> None:
    job = await every(world, interval="10m", overlap="allow", misfire={"all": "1d"})
    await world.store.jobs.pause(NS, "tick", by=PERSON, plans=Planner())
    await make_due(world, job, late_us=HOUR)
    await world.store.jobs.resume(NS, "tick", plans=Planner(), catch_up=True)
    assert len(await runs_of(world)) == 7
    assert await skips_of(world, job) == []


async def test_a_pause_first_decides_what_was_due(world: World) -> None:
    job = await every(world, interval="1h")
    await make_due(world, job)
    await world.store.jobs.pause(NS, "tick", by=PERSON, plans=Planner())
    assert [run["due_at"] for run in await runs_of(world)] == [job.next_due_at]


async def test_pausing_twice_and_resuming_twice_is_fine(world: World) -> None:
    await every(world)
    for _ in range(2):
        assert (await world.store.jobs.pause(NS, "tick", by=PERSON, plans=Planner())).state == "paused"
    for _ in range(2):
        assert (await world.store.jobs.resume(NS, "tick", plans=Planner())).state == "active"


async def test_a_job_that_cannot_be_read_can_still_be_paused_and_deleted(world: World) -> None:
    await every(world)
    await world.change("UPDATE job_versions SET definition = :text", text="{}")
    fresh = await world.open()
    with pytest.raises(InvalidInput):  # done, but there is no definition to show
        await fresh.jobs.pause(NS, "tick", by=PERSON, plans=Planner())
    assert await world.value("SELECT state FROM cursors") == "paused"
    await fresh.jobs.delete(NS, "tick", plans=Planner())
    with pytest.raises(JobNotFound):
        await fresh.jobs.find(NS, "tick")


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
        await world.store.jobs.find(NS, "tick")
    with pytest.raises(JobNotFound):
        await world.store.jobs.delete(NS, "tick", plans=Planner())
    again = await put(world, schedule={"every": "1h"})
    assert again.outcome is SaveOutcome.CREATED
    assert again.job.job_id != job.job_id
    assert await world.value("SELECT count(*) FROM runs WHERE job_id = :id", id=job.job_id) == 1


async def test_a_name_that_is_not_there_comes_with_the_nearest(world: World) -> None:
    for name in ("settle-accounts", "send-mail", "backup"):
        await save(world, name)
    with pytest.raises(JobNotFound) as missing:
        await world.store.jobs.find(NS, "setle-acounts")
    assert missing.value.nearest == "settle-accounts"
    with pytest.raises(JobNotFound) as missing:
        await world.store.jobs.find("elsewhere", "backup")
    assert missing.value.nearest is None


async def test_names_differ_by_case_and_by_every_letter(world: World) -> None:
    for name in ("tick", "Tick", "tíck", "结算"):
        await save(world, name)
    assert {(await world.store.jobs.find(NS, name)).job_id for name in ("tick", "Tick", "tíck", "结算")} == {1, 2, 3, 4}


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


async def test_shards_of_a_deleted_job_end_unless_one_was_begun(world: World) -> None:
    await put(world, overlap="allow", shards=2)
    await world.store.runs.trigger(ask(key="begun"))
    anne = await worker(world)
    first = await anne.lease_one()
    await world.store.runs.trigger(ask(key="waits"))
    await world.store.jobs.delete(NS, "tick", plans=Planner())
    states = {(run["fire_key"], run["shard"]): run["state"] for run in await runs_of(world)}
    assert states == {
        ("m:begun", -1): "RUNNING", ("m:begun", 0): "RUNNING", ("m:begun", 1): "PENDING",
        ("m:waits", -1): "CANCELLED", ("m:waits", 0): "CANCELLED", ("m:waits", 1): "CANCELLED",
    }  # fmt: skip
    await anne.complete(first, *await anne.lease())
    assert [run["state"] for run in await runs_of(world) if run["fire_key"] == "m:begun"] == ["SUCCEEDED"] * 3


async def test_the_watchdog_ends_what_waits_of_a_job_when_its_deleter_could_not(world: World) -> None:
    await put(world, overlap="queue_all")
    for key in "abc":
        await world.store.runs.trigger(ask(key=key))

    def fail(place: str) -> None:
        if place == "ending.judged":
            raise StoreUnavailable("The store does not answer.")

    failing = await world.open(point=fail)
    await failing.jobs.delete(NS, "tick", plans=Planner())  # it is deleted, whatever comes after
    assert await states_of(world) == ["PENDING"] * 3
    assert await world.store.jobs.repair(limit=10) == 3
    assert await states_of(world) == ["CANCELLED"] * 3
    assert await world.store.jobs.repair(limit=10) == 0


async def test_many_waiting_runs_of_a_deleted_job_end_in_steps(world: World) -> None:
    job = (await put(world, overlap="queue_all")).job
    for key in "abcdefg":
        await world.store.runs.trigger(ask(key=key, delay_us=HOUR if key > "d" else None))
    await world.change("UPDATE jobs SET deleted_at = 1, moving = version WHERE id = :id", id=job.job_id)
    database, definitions = world.database, world.store.definitions
    assert await end_waiting(database, Ending(definitions, Lanes()), job.job_id, step_max=2) == 7
    assert await states_of(world) == ["CANCELLED"] * 7


async def test_names_without_a_job_and_how_many_code_declared(world: World) -> None:
    for name, source in (("a", "code"), ("b", "code"), ("c", "api")):
        await world.store.jobs.save(NS, name, definition(), by=PERSON, plans=Planner(), source=source)
    await world.store.jobs.delete(NS, "b", plans=Planner())
    unknown_of = world.store.jobs.unknown_of
    assert await unknown_of(NS, {"a", "c"}, count_max=9) == (frozenset(), 0), "nothing is new: nobody counts"
    assert await unknown_of(NS, {"a", "A", "b", "结算"}, count_max=9) == (frozenset({"A", "b", "结算"}), 1)
    assert await unknown_of(NS, {"d"}, count_max=0) == (frozenset({"d"}), 0)
    assert await unknown_of("elsewhere", {"a"}, count_max=9) == (frozenset({"a"}), 0)
