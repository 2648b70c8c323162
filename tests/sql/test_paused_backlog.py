"""Pauses and backlogs in the tables: skips and cursors as they are kept."""

import asyncio
from collections.abc import Sequence

import pytest

from foliot.domain.changes import CatchUp
from foliot.domain.fire import DueJob
from foliot.domain.held_time import HeldStretch
from foliot.domain.instants import DAY, HOUR, MINUTE, Instant, isoformat
from foliot.domain.planner import Planner
from foliot.ports.store.actor import Actor
from foliot.store.sql.jobs import backlog
from tests.conformance.building import NS, PERSON, every, fire, job_of, make_due, save
from tests.conformance.pausing import ALL, behind, due_times, pause, reasons, resume
from tests.sql.rows import runs_of, skips_of
from tests.sql.world import World


@pytest.mark.parametrize("how", ["pause", "edit"])
async def test_servers_that_fire_meanwhile_and_a_change_decide_each_instant_once(world: World, how: str) -> None:
    job = await behind(world, instants=250)
    others = [await world.open() for _ in range(2)]
    change = pause(world) if how == "pause" else save(world, schedule={"every": "1h"}, overlap="allow", misfire=ALL)
    if how == "edit":
        await world.change("UPDATE job_versions SET hash = 'another'")  # so that the same definition is an edit
    await asyncio.gather(change, *(fire(world, store) for store in others for _ in range(3)))
    await fire_all(world)
    times = await due_times(world)
    assert (len(times), len(set(times)), await reasons(world, job)) == (250, 250, {})


async def fire_all(world: World) -> None:
    while (await fire(world)).taken:
        pass


@pytest.mark.parametrize(("how", "reason"), [("pause", "misfire"), ("edit", "edited")])
async def test_what_is_too_much_for_a_change_is_skipped_for_its_true_reason(
    world: World, monkeypatch: pytest.MonkeyPatch, how: str, reason: str
) -> None:
    monkeypatch.setattr(backlog, "ROUNDS_MAX", 1)
    job = await behind(world, instants=250)
    if how == "pause":
        await pause(world)
        await world.elapse(HOUR)
        await resume(world)
    else:
        await save(world, schedule={"every": "1h"}, overlap="allow", misfire=ALL, timeout="1m")
    found = await reasons(world, job)
    assert found[reason] == 250 - len(await runs_of(world)) > 0
    assert found["paused"] == (1 if how == "pause" else 0)


async def test_what_trouble_put_off_was_not_paused_before_the_pause(world: World) -> None:
    job = await behind(world, instants=250)
    await world.change("UPDATE cursors SET next_at = :later", later=await world.now() + MINUTE)  # as after trouble
    await pause(world)
    await world.elapse(2 * HOUR)
    await resume(world)
    assert await reasons(world, job) == {"paused": 2}
    assert len(await runs_of(world)) == 250


async def test_a_further_pause_changes_its_reason_and_not_since_when(world: World) -> None:
    job = await every(world)
    await pause(world)
    since = await world.value("SELECT paused_at FROM jobs WHERE id = :id", id=job.job_id)
    await world.elapse(HOUR)
    by = Actor(name="someone", reason="another")
    await world.store.jobs.pause(NS, "tick", by=by, plans=Planner(), until=await world.now() + HOUR)
    assert (await job_of(world)).pause_reason == "another"
    assert await world.value("SELECT paused_at FROM jobs WHERE id = :id", id=job.job_id) == since


@pytest.mark.parametrize("by_itself", [False, True])
async def test_a_resume_without_catch_up_leaves_held_time_skipped_for_good(world: World, by_itself: bool) -> None:
    job = await every(world, interval="1h", overlap="allow", misfire=ALL)
    until = await world.now() + 10 * HOUR if by_itself else None
    await world.store.jobs.pause(NS, "tick", by=PERSON, plans=Planner(), until=until)
    await make_due(world, job, late_us=4 * HOUR + 30 * MINUTE)
    await save(world, schedule={"every": "1h"}, overlap="allow", misfire=ALL, timeout="1m")
    if by_itself:
        await world.elapse(6 * HOUR)
        await fire(world)
    else:
        await resume(world)
    paused = (await reasons(world, job))["paused"]
    assert paused >= 5
    await pause(world)
    await resume(world, catch_up=True)
    assert (await reasons(world, job))["paused"] == paused, "the next pause does not bring it back"


async def test_a_job_whose_held_time_cannot_be_worked_out_is_resumed_without_it(world: World) -> None:
    class Broken(Planner):
        def catch_up(self, due: DueJob, held: Sequence[HeldStretch], now: Instant) -> CatchUp:
            raise ZeroDivisionError("the zone is gone")

    job = await every(world, interval="1h", overlap="allow", misfire=ALL)
    await pause(world)
    await make_due(world, job, late_us=4 * HOUR + 30 * MINUTE)
    await save(world, schedule={"every": "1h"}, overlap="allow", misfire=ALL, timeout="1m")
    await world.store.jobs.resume(NS, "tick", plans=Broken(), catch_up=True)
    assert (await job_of(world)).state == "active"
    assert await reasons(world, job) == {"paused": 5}
    assert await world.value("SELECT count(*) FROM skips WHERE held <> 0") == 0


async def test_a_deleted_paused_job_holds_nothing(world: World) -> None:
    job = await every(world, interval="1h")
    await pause(world)
    await make_due(world, job, late_us=HOUR)
    await save(world, schedule={"every": "1h"}, timeout="1m")
    await world.elapse(HOUR)
    await world.store.jobs.delete(NS, "tick", plans=Planner())
    assert await world.value("SELECT count(*) FROM skips WHERE held <> 0") == 0


# -------------------------------------------------------------------------------------------------- an open skip row


async def test_a_skip_row_grows_only_while_its_words_stay_the_same(world: World) -> None:
    """Two closed stretches meet: each is told in its own words."""
    now = await world.now()
    noon = now // DAY * DAY + 36 * HOUR
    days = [(noon, noon + 2 * HOUR, "stocktaking"), (noon + 2 * HOUR, noon + 4 * HOUR, "release")]
    blackouts = [{"from": _written(first), "to": _written(last), "why": why} for first, last, why in days]
    await world.store.calendars.save("closed", {"blackouts": blackouts}, by=PERSON)
    job = await save(world, schedule={"every": "1h", "calendar": "closed"}, overlap="allow", misfire="skip")
    for hours in range(5):
        await world.elapse(max(0, noon + hours * HOUR - await world.now()))
        await world.change("UPDATE cursors SET next_at = next_due_at")  # whoever looks in between
        await fire(world)
    told = {(skip["why"], skip["count"]) for skip in await skips_of(world, job) if skip["reason"] == "blackout"}
    assert told == {("closed: stocktaking", 2), ("closed: release", 2)}


def _written(instant: Instant) -> str:
    return isoformat(instant)[:16].replace("T", " ")
