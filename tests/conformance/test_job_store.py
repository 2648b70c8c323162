"""Jobs: versions, edits that decide the past first, pauses, deletion, names."""

import asyncio

import pytest

from foliot.domain.errors import JobNotFound, VersionConflict
from foliot.domain.instants import DAY, HOUR, MINUTE
from foliot.domain.planner import Planner
from foliot.ports.store.errors import StoreUnavailable
from foliot.ports.store.jobs import SaveOutcome
from tests.conformance.building import (
    NS,
    PERSON,
    ask,
    definition,
    every,
    fire,
    job_of,
    make_due,
    runs_of,
    save,
    skips_of,
)
from tests.conformance.editing import put
from tests.conformance.working import states_of, worker
from tests.conformance.world import World


async def test_a_change_is_a_new_version_and_the_old_one_stays(world: World) -> None:
    await put(world, schedule={"every": "10m"})
    changed = await put(world, schedule={"every": "20m"}, expected=1)
    assert (changed.outcome, changed.job.version) == (SaveOutcome.CHANGED, 2)
    versions = await world.store.lookups.versions(changed.job.job_id, limit=10)
    assert [version.version for version in versions] == [2, 1]
    assert versions[0].document != versions[1].document


@pytest.mark.parametrize("expected", [0, 1, 3])
async def test_an_edit_against_another_version_changes_nothing(world: World, expected: int) -> None:
    await put(world, timeout="1m")
    await put(world, timeout="2m")
    with pytest.raises(VersionConflict) as refused:
        await put(world, timeout="3m", expected=expected)
    assert (refused.value.expected, refused.value.found) == (expected, 2)
    assert (await world.store.lookups.job(NS, "tick")).version == 2


async def test_a_repeated_edit_whose_answer_was_lost_is_fine(world: World) -> None:
    await put(world, timeout="1m")
    await put(world, timeout="2m", expected=1)
    assert (await put(world, timeout="2m", expected=1)).outcome is SaveOutcome.SAME


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


# ---------------------------------------------------------------------------------------------------- deciding the past


async def test_an_edit_decides_what_was_due_under_the_old_version(world: World) -> None:
    job = await every(world, interval="1h", overlap="allow", misfire={"all": "1d"})
    assert job.next_due_at is not None
    await make_due(world, job, late_us=2 * HOUR + MINUTE)
    changed = await put(world, schedule={"every": "1d"}, overlap="allow")
    runs = await runs_of(world)
    assert [run.due_at for run in runs] == [job.next_due_at + n * HOUR for n in range(3)]
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
    assert [(skip.reason, skip.count) for skip in await skips_of(world, job)] == [("paused", 3)]


async def test_runs_of_a_job_that_may_now_overlap_are_un_parked(world: World) -> None:
    await put(world, overlap="queue_all")
    for key in "abc":
        await world.store.runs.trigger(ask(key=key))
    await put(world, overlap="allow")
    assert {(run.serial, run.parked) for run in await runs_of(world)} == {(0, 0)}


# ----------------------------------------------------------------------------------------------------- pause and resume


async def test_paused_time_is_one_skip(world: World) -> None:
    job = await every(world, interval="1h")
    await world.store.jobs.pause(NS, "tick", by=PERSON, plans=Planner())
    paused = await job_of(world)
    assert (paused.state, paused.pause_reason, paused.next_at) == ("paused", "a test", None)
    await make_due(world, job, late_us=3 * HOUR + MINUTE)
    assert (await fire(world)).taken == 0
    await world.store.jobs.resume(NS, "tick", plans=Planner())
    resumed = await job_of(world)
    assert (resumed.state, resumed.pause_reason) == ("active", "")
    assert resumed.next_at is not None
    assert resumed.next_at > await world.now()
    (skip,) = await skips_of(world, job)
    assert (skip.reason, skip.count, skip.from_at) == ("paused", 4, job.next_due_at)
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
    assert [run.due_at for run in await runs_of(world)] == [job.next_due_at]


async def test_pausing_twice_and_resuming_twice_is_fine(world: World) -> None:
    await every(world)
    for _ in range(2):
        await world.store.jobs.pause(NS, "tick", by=PERSON, plans=Planner())
        assert (await job_of(world)).state == "paused"
    for _ in range(2):
        await world.store.jobs.resume(NS, "tick", plans=Planner())
        assert (await job_of(world)).state == "active"


async def test_a_name_that_is_not_there_comes_with_the_nearest(world: World) -> None:
    for name in ("settle-accounts", "send-mail", "backup"):
        await save(world, name)
    with pytest.raises(JobNotFound) as missing:
        await world.store.jobs.delete(NS, "setle-acounts", plans=Planner())
    assert missing.value.nearest == "settle-accounts"
    with pytest.raises(JobNotFound) as missing:
        await world.store.jobs.delete("elsewhere", "backup", plans=Planner())
    assert missing.value.nearest is None


async def test_names_differ_by_case_and_by_every_letter(world: World) -> None:
    for name in ("tick", "Tick", "tíck", "结算"):
        await save(world, name)
    assert {(await job_of(world, name)).job_id for name in ("tick", "Tick", "tíck", "结算")} == {
        1,
        2,
        3,
        4,
    }


async def test_shards_of_a_deleted_job_end_unless_one_was_begun(world: World) -> None:
    await put(world, overlap="allow", shards=2)
    await world.store.runs.trigger(ask(key="begun"))
    anne = await worker(world)
    first = await anne.lease_one()
    await world.store.runs.trigger(ask(key="waits"))
    await world.store.jobs.delete(NS, "tick", plans=Planner())
    states = {(run.fire_key, run.shard): run.state for run in await runs_of(world)}
    assert states == {
        ("m:begun", -1): "RUNNING", ("m:begun", 0): "RUNNING", ("m:begun", 1): "PENDING",
        ("m:waits", -1): "CANCELLED", ("m:waits", 0): "CANCELLED", ("m:waits", 1): "CANCELLED",
    }  # fmt: skip
    await anne.complete(first, *await anne.lease())
    assert [run.state for run in await runs_of(world) if run.fire_key == "m:begun"] == ["SUCCEEDED"] * 3


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


async def test_names_without_a_job_and_how_many_code_declared(world: World) -> None:
    for name, source in (("a", "code"), ("b", "code"), ("c", "api")):
        await world.store.jobs.save(NS, name, definition(), by=PERSON, plans=Planner(), source=source)
    await world.store.jobs.delete(NS, "b", plans=Planner())
    unknown_of = world.store.jobs.unknown_of
    assert await unknown_of(NS, {"a", "c"}, count_max=9) == (frozenset(), 0), "nothing is new: nobody counts"
    assert await unknown_of(NS, {"a", "A", "b", "结算"}, count_max=9) == (frozenset({"A", "b", "结算"}), 1)
    assert await unknown_of(NS, {"d"}, count_max=0) == (frozenset({"d"}), 0)
    assert await unknown_of("elsewhere", {"a"}, count_max=9) == (frozenset({"a"}), 0)
