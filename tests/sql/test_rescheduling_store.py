"""Schedules set right, in the tables: cursors that an older clock left ahead."""

from typing import Any

import pytest

from foliot.domain.instants import HOUR, MINUTE, Instant
from tests.conformance.building import NS, PLANS, save
from tests.conformance.rescheduling import HOURLY, YEARS, fire_all, next_instants, reschedule
from tests.sql.rows import cursor_of, runs_of
from tests.sql.world import World


async def test_an_instant_that_got_its_run_early_gets_no_second(world: World) -> None:
    job = await save(world, **HOURLY, misfire={"all": "3660d", "limit": 3})
    await hours_ahead(world, 3, begin=True)
    made = [run["due_at"] for run in await runs_of(world)]
    done = await reschedule(world)
    assert done.after.next_due_at is not None
    assert done.runs == 0, "what was begun stays"
    await next_instants(world, 4)
    times = [run["due_at"] for run in await runs_of(world)]
    assert len(times) == len(set(times)) == len(made) + 1
    assert (await cursor_of(world, job))["state"] == "active"


SOLO: dict[str, Any] = {"schedule": {"every": "1h"}, "overlap": "skip"}
QUEUED: dict[str, Any] = {"schedule": {"every": "1h"}, "overlap": "queue_all", "misfire": {"all": "1d", "limit": 3}}


@pytest.mark.parametrize(
    "document",
    [SOLO, QUEUED, {**SOLO, "shards": 3}, {**QUEUED, "shards": 2}, {**SOLO, "overlap": "replace"}],
    ids=["one", "queue", "shards", "queue of shards", "replace"],
)
async def test_an_instant_whose_early_run_was_cancelled_gets_its_run_in_time(
    world: World, document: dict[str, Any]
) -> None:
    await save(world, **document)
    await hours_ahead(world, 2)
    looked = await reschedule(world, dry_run=True)
    done = await reschedule(world)
    assert (looked.after, looked.runs) == (done.after, done.runs)
    assert done.runs > 0
    assert {run["state"] for run in await runs_of(world) if run["due_at"] > done.now} == {"CANCELLED"}
    for _ in range(2):
        await next_instants(world, 1)
        due_at = await world.now() // HOUR * HOUR
        came = [run for run in await runs_of(world) if run["due_at"] == due_at and run["state"] != "CANCELLED"]
        assert sorted(run["shard"] for run in came) == [-1, *range(document.get("shards", 0))]
        await end_all(world)


async def test_the_same_instant_may_be_taken_back_twice(world: World) -> None:
    await save(world, **SOLO)
    begin = await hours_ahead(world, 1)
    assert (await reschedule(world)).runs == 1
    await world.elapse(HOUR)
    await fire_all(world)
    await world.elapse(-HOUR)
    assert (await reschedule(world)).runs == 1
    await next_instants(world, 1)
    states = [run["state"] for run in await runs_of(world) if run["due_at"] > begin]
    assert states == ["CANCELLED", "CANCELLED", "PENDING"]


@pytest.mark.parametrize("begin", [False, True], ids=["waiting", "begun"])
async def test_a_count_of_runs_is_not_used_up_by_instants_that_come_again(world: World, begin: bool) -> None:
    job = await save(world, schedule={"every": "1h", "count": 3}, overlap="allow", misfire={"all": "1d"})
    await hours_ahead(world, 6, begin=begin)
    assert (await cursor_of(world, job))["state"] == "done"
    done = await reschedule(world)
    assert (done.after.state, done.after.remaining) == ("active", 2)
    await next_instants(world, 4)
    kept = [run["due_at"] for run in await runs_of(world) if run["state"] != "CANCELLED"]
    assert len(kept) == len(set(kept)) == 3
    assert (await cursor_of(world, job))["state"] == "done"


async def end_all(world: World) -> None:
    """Whatever is open was begun and is over."""
    await world.change(
        "UPDATE runs SET state = 'SUCCEEDED', attempt = 1, open_children = 0, ended_at = due_at "
        "WHERE state IN ('PENDING', 'RUNNING')"
    )


async def hours_ahead(world: World, hours: int, *, begin: bool = False) -> Instant:
    """The store's clock is some hours ahead, servers fire, and it is right again, half an hour after an instant."""
    now = await world.now()
    await world.elapse(HOUR - now % HOUR + 30 * MINUTE)
    await fire_all(world)
    await end_all(world)
    right = await world.now()
    await world.elapse(hours * HOUR)
    await fire_all(world)
    if begin:
        await end_all(world)
    await world.elapse(right - await world.now())
    return right


async def test_a_fixed_delay_counts_from_now(world: World) -> None:
    job = await save(world, schedule={"every": "10m", "from_end": True})
    await world.change("UPDATE cursors SET next_at = :at, next_due_at = :at", at=await world.now() + YEARS)
    done = await reschedule(world)
    assert done.after.next_due_at is not None
    assert 0 < done.after.next_due_at - await world.now() <= 11 * MINUTE
    assert (await cursor_of(world, job))["next_at"] == done.after.next_at


async def test_jobs_that_stand_ahead_are_found_page_by_page(world: World) -> None:
    for name in ("a", "b", "c", "d"):
        await save(world, name, **HOURLY)
    far = await world.now() + YEARS
    await world.change(
        "UPDATE cursors SET next_at = :far, next_due_at = :far "
        "WHERE job_id IN (SELECT id FROM jobs WHERE name IN ('b', 'd'))", far=far,
    )  # fmt: skip
    first, after = await world.store.jobs.ahead(NS, plans=PLANS, limit=2)
    assert after is not None
    rest, end = await world.store.jobs.ahead(NS, plans=PLANS, after=after, limit=3)
    assert ([job.name for job in first], [job.name for job in rest], end) == (["b"], ["d"], None)
    assert {job.name for job in await world.store.jobs.farthest_ahead(plans=PLANS, limit=10)} == {"b", "d"}
    assert await world.store.jobs.ahead("elsewhere", plans=PLANS, limit=10) == ([], None)


async def test_a_cursor_that_wakes_years_later_wakes_in_time_again(world: World) -> None:
    job = await save(world, **HOURLY)
    await world.change("UPDATE cursors SET next_at = :far", far=await world.now() + YEARS)  # trouble, while ahead
    assert [found.name for found in await world.store.jobs.farthest_ahead(plans=PLANS, limit=10)] == ["tick"]
    done = await reschedule(world)
    assert done.after.next_at == job.next_at
