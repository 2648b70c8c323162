"""Pauses, resumes and edits while instants wait to be decided: the ledger tells the truth and the misfire policy holds.

An oracle with one rule stands beside a random walk: with `misfire: all` what was due while the job was not paused gets
a run, what was due in a pause is skipped as `paused`, or gets a run when the pause ended with a catch-up. Edits change
nothing about that.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from foliot.domain import drafting
from foliot.domain.changes import CatchUp
from foliot.domain.fire import DueJob
from foliot.domain.holding import Held
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, Instant, isoformat
from foliot.domain.planner import Planner
from foliot.ports.store.actor import Actor
from foliot.ports.store.jobs import JobRecord
from foliot.store.sql.jobs import backlog
from tests.conformance.building import NS, PERSON, cursor_of, every, fire, make_due, runs_of, save, skips_of
from tests.sql.world import World

ALL = {"all": "3660d", "limit": 1000}


async def pause(world: World) -> JobRecord:
    return await world.store.jobs.pause(NS, "tick", by=PERSON, plans=Planner())


async def resume(world: World, *, catch_up: bool = False) -> JobRecord:
    return await world.store.jobs.resume(NS, "tick", plans=Planner(), catch_up=catch_up)


async def due_times(world: World) -> list[Instant]:
    return sorted(run["due_at"] for run in await runs_of(world))


async def reasons(world: World, job: JobRecord) -> Counter[str]:
    found: Counter[str] = Counter()
    for skip in await skips_of(world, job):
        found[skip["reason"]] += skip["count"]
    return found


async def behind(world: World, *, instants: int) -> JobRecord:
    """A job every hour that missed so many instants; half an hour ago the last of them was due."""
    job = await every(world, interval="1h", overlap="allow", misfire=ALL)
    await make_due(world, job, late_us=(instants - 1) * HOUR + 30 * MINUTE)
    return job


# ------------------------------------------------------------------------------------------------- in a backlog


async def test_a_pause_in_a_backlog_leaves_the_misfire_policy_what_was_due_before_it(world: World) -> None:
    job = await behind(world, instants=250)
    await fire(world)
    await pause(world)
    assert len(await runs_of(world)) == 250
    await world.elapse(3 * HOUR)
    await resume(world)
    assert await reasons(world, job) == {"paused": 3}


async def test_an_edit_after_an_outage_leaves_every_missed_instant_its_run(world: World) -> None:
    job = await behind(world, instants=250)
    saved = await save(world, schedule={"every": "1h"}, overlap="allow", misfire=ALL, timeout="1m")
    assert (saved.version, await reasons(world, job)) == (2, {})
    assert len(await runs_of(world)) == 250
    assert saved.next_due_at == (await due_times(world))[-1] + HOUR


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


@pytest.mark.parametrize("how", ["pause", "edit"])
async def test_runs_of_missed_instants_come_at_their_pace_whatever_decides_them(world: World, how: str) -> None:
    await behind(world, instants=150)
    if how == "pause":
        await pause(world)
    else:
        await save(world, schedule={"every": "1h"}, overlap="allow", misfire=ALL, timeout="1m")
    starts = sorted(run["not_before"] for run in await runs_of(world))
    assert len(set(starts)) == 150
    assert starts[-1] - starts[0] >= 149 * SECOND // 50


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
    again = await world.store.jobs.pause(NS, "tick", by=by, plans=Planner(), until=await world.now() + HOUR)
    assert again.pause_reason == "another"
    assert await world.value("SELECT paused_at FROM jobs WHERE id = :id", id=job.job_id) == since


# -------------------------------------------------------------------------------------------------- edits in a pause


@pytest.mark.parametrize(
    "edited",
    [
        {"schedule": {"every": "1h"}, "timeout": "1m"},
        {"schedule": {"every": "1h", "phase": "20m"}},
        {"schedule": {"every": "2h"}},
    ],
    ids=["another field", "another phase", "another rhythm"],
)
async def test_a_catch_up_brings_back_what_was_paused_before_an_edit(world: World, edited: dict[str, Any]) -> None:
    job = await every(world, interval="1h", overlap="allow", misfire=ALL)
    await pause(world)
    await make_due(world, job, late_us=4 * HOUR + 30 * MINUTE)
    await save(world, overlap="allow", misfire=ALL, **edited)
    assert await reasons(world, job) == {"paused": 5}, "until the resume says otherwise"
    await world.elapse(2 * HOUR)
    await resume(world, catch_up=True)
    assert await reasons(world, job) == {}
    assert job.next_due_at is not None
    assert (await due_times(world))[:5] == [job.next_due_at + n * HOUR for n in range(5)]
    assert len(await runs_of(world)) in (6, 7), "and those of the new version"
    assert {run["version"] for run in await runs_of(world)} == {2}
    assert (await cursor_of(world, job))["state"] == "active"


async def test_a_catch_up_of_much_held_time_goes_on_until_all_is_decided(world: World) -> None:
    job = await every(world, interval="1h", overlap="allow", misfire=ALL)
    await pause(world)
    await make_due(world, job, late_us=149 * HOUR + 30 * MINUTE)
    await save(world, schedule={"every": "1h", "phase": "10m"}, overlap="allow", misfire=ALL)
    await world.elapse(100 * HOUR)
    await save(world, schedule={"every": "1h"}, overlap="allow", misfire=ALL)
    await world.elapse(10 * HOUR)
    resumed = await resume(world, catch_up=True)
    while (await fire(world)).taken:
        pass
    times = await due_times(world)
    assert (len(times), len(set(times)), await reasons(world, job)) == (260, 260, {})
    assert (resumed.state, resumed.pause_reason) == ("active", "")


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
        def catch_up(self, due: DueJob, held: Sequence[Held], now: Instant) -> CatchUp:
            raise ZeroDivisionError("the zone is gone")

    job = await every(world, interval="1h", overlap="allow", misfire=ALL)
    await pause(world)
    await make_due(world, job, late_us=4 * HOUR + 30 * MINUTE)
    await save(world, schedule={"every": "1h"}, overlap="allow", misfire=ALL, timeout="1m")
    resumed = await world.store.jobs.resume(NS, "tick", plans=Broken(), catch_up=True)
    assert resumed.state == "active"
    assert await reasons(world, job) == {"paused": 5}
    assert await world.value("SELECT count(*) FROM skips WHERE held <> 0") == 0


async def test_latest_catches_up_one_run_of_all_held_time(world: World) -> None:
    job = await every(world, interval="1h", overlap="allow", misfire={"latest": "1d"})
    await pause(world)
    await make_due(world, job, late_us=4 * HOUR + 30 * MINUTE)
    await save(world, schedule={"every": "1h"}, overlap="allow", misfire={"latest": "1d"}, timeout="1m")
    await resume(world, catch_up=True)
    assert job.next_due_at is not None
    assert await due_times(world) == [job.next_due_at + 4 * HOUR]
    assert await reasons(world, job) == {"misfire": 4}


async def test_a_deleted_paused_job_holds_nothing(world: World) -> None:
    job = await every(world, interval="1h")
    await pause(world)
    await make_due(world, job, late_us=HOUR)
    await save(world, schedule={"every": "1h"}, timeout="1m")
    await world.elapse(HOUR)
    await world.store.jobs.delete(NS, "tick", plans=Planner())
    assert await world.value("SELECT count(*) FROM skips WHERE held <> 0") == 0


# ------------------------------------------------------------------------------------------------ pauses that are kept


async def test_a_pause_of_a_finished_schedule_is_kept_when_it_gets_new_instants(world: World) -> None:
    job = await save(world, schedule={"every": "1h", "count": 1})
    await make_due(world, job)
    await fire(world)
    assert (await cursor_of(world, job))["state"] == "done"
    paused = await pause(world)
    assert (paused.state, paused.pause_reason) == ("paused", "a test")
    edited = await save(world, schedule={"every": "1h", "count": 9})
    assert edited.state == "paused"
    assert (await resume(world)).state == "active"


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


# ------------------------------------------------------------------------------------------------------- a random walk


CREATED, PAUSED, MISSED = "created", "paused", "misfire"


@dataclass
class Oracle:
    """What must have become of each instant, by one rule."""

    kept: frozenset[str]  # what may become of an instant that was due while the job was not paused
    allowed: dict[Instant, frozenset[str]] = field(default_factory=dict)
    in_pause: list[Instant] = field(default_factory=list)
    is_paused: bool = False

    def due(self, instants: list[Instant]) -> None:
        if self.is_paused:
            self.in_pause += instants
        else:
            self.allowed |= dict.fromkeys(instants, self.kept)

    def resumed(self, *, catch_up: bool) -> None:
        self.allowed |= dict.fromkeys(self.in_pause, self.kept if catch_up else frozenset({PAUSED}))
        self.in_pause = []
        self.is_paused = False


PHASES = {"15m": 15 * MINUTE, "45m": 45 * MINUTE}
BATCH = 7
WALKS: dict[str, tuple[Any, frozenset[str]]] = {
    "all": (ALL, frozenset({CREATED})),
    "latest": ({"latest": "3660d"}, frozenset({CREATED, MISSED})),
    "skip": ("skip", frozenset({MISSED})),
}


@dataclass
class Walk:
    """A job every hour whose phase is edited, on a store whose time passes in whole hours."""

    world: World
    chance: random.Random
    misfire: Any
    oracle: Oracle
    phase: str = "15m"
    edits: int = 0

    async def begin(self) -> JobRecord:
        now = await self.world.now()
        await self.world.elapse(HOUR - now % HOUR + 30 * MINUTE)  # far from every instant: speed is no matter
        return await self.save()

    async def save(self) -> JobRecord:
        schedule = {"every": "1h", "phase": self.phase}
        timeout = f"{self.edits + 1}m"
        return await save(self.world, schedule=schedule, overlap="allow", misfire=self.misfire, timeout=timeout)

    async def outage(self, hours: int) -> None:
        begin = (await self.world.now()) // HOUR * HOUR + 30 * MINUTE
        await self.world.elapse(hours * HOUR)
        first = begin // HOUR * HOUR + PHASES[self.phase]
        instants = [first + n * HOUR for n in range(hours + 1)]
        self.oracle.due([at for at in instants if begin < at <= begin + hours * HOUR])

    async def step(self) -> None:
        match self.chance.choice(["outage", "outage", "long outage", "fire", "pause", "resume", "catch up", "edit"]):
            case "outage":
                await self.outage(self.chance.randrange(1, 5))
            case "long outage":
                await self.outage(self.chance.randrange(BATCH, 5 * BATCH))
            case "fire":
                await fire(self.world)
            case "pause":
                await pause(self.world)
                self.oracle.is_paused = True
            case "resume":
                await self.resume(catch_up=False)
            case "catch up":
                await self.resume(catch_up=True)
            case "edit":
                self.edits += 1
                self.phase = self.chance.choice(list(PHASES))
                await self.save()

    async def resume(self, *, catch_up: bool) -> None:
        await resume(self.world, catch_up=catch_up)
        self.oracle.resumed(catch_up=catch_up)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("policy", WALKS)
async def test_every_instant_of_a_random_walk_is_decided_once_and_for_its_true_reason(
    world: World, monkeypatch: pytest.MonkeyPatch, policy: str, seed: int
) -> None:
    monkeypatch.setattr(drafting, "RUNS_PER_PLAN", BATCH)
    misfire, kept = WALKS[policy]
    walk = Walk(world, random.Random(f"{policy} {seed}"), misfire, Oracle(kept))
    job = await walk.begin()
    for _ in range(30):
        await walk.step()
    await walk.resume(catch_up=walk.chance.random() < 0.5)
    while (await fire(world)).taken:
        pass
    allowed = walk.oracle.allowed
    decided = [(at, CREATED) for at in await due_times(world)]
    for skip in await skips_of(world, job):
        inside = [at for at in allowed if skip["from_at"] <= at <= skip["to_at"]]
        assert len(inside) == skip["count"], skip
        decided += [(at, skip["reason"]) for at in inside]
    assert Counter(at for at, _ in decided) == Counter(list(allowed)), "each once, and no other"
    assert [(at, became) for at, became in decided if became not in allowed[at]] == []
