"""Pauses, resumes and edits while instants wait to be decided: the ledger tells the truth and the misfire policy holds.

An oracle with one rule stands beside a random walk: with `misfire: all` what was due while the job was not paused gets
a run, what was due in a pause is skipped as `paused`, or gets a run when the pause ended with a catch-up. Edits change
nothing about that.
"""

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest

from foliot.domain import draft
from foliot.domain.instants import HOUR, MINUTE, SECOND, Instant
from foliot.ports.store.lookups import JobRow
from tests.conformance.building import cursor_of, every, fire, make_due, runs_of, save, skips_of
from tests.conformance.pausing import ALL, behind, due_times, pause, reasons, resume
from tests.conformance.world import World

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
async def test_runs_of_missed_instants_come_at_their_pace_whatever_decides_them(world: World, how: str) -> None:
    await behind(world, instants=150)
    if how == "pause":
        await pause(world)
    else:
        await save(world, schedule={"every": "1h"}, overlap="allow", misfire=ALL, timeout="1m")
    starts = sorted(run.not_before for run in await runs_of(world))
    assert len(set(starts)) == 150
    assert starts[-1] - starts[0] >= 149 * SECOND // 50


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
    assert {run.version for run in await runs_of(world)} == {2}
    assert (await cursor_of(world, job)).state == "active"


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


async def test_latest_catches_up_one_run_of_all_held_time(world: World) -> None:
    job = await every(world, interval="1h", overlap="allow", misfire={"latest": "1d"})
    await pause(world)
    await make_due(world, job, late_us=4 * HOUR + 30 * MINUTE)
    await save(world, schedule={"every": "1h"}, overlap="allow", misfire={"latest": "1d"}, timeout="1m")
    await resume(world, catch_up=True)
    assert job.next_due_at is not None
    assert await due_times(world) == [job.next_due_at + 4 * HOUR]
    assert await reasons(world, job) == {"misfire": 4}


# ------------------------------------------------------------------------------------------------ pauses that are kept


async def test_a_pause_of_a_finished_schedule_is_kept_when_it_gets_new_instants(world: World) -> None:
    job = await save(world, schedule={"every": "1h", "count": 1})
    await make_due(world, job)
    await fire(world)
    assert (await cursor_of(world, job)).state == "done"
    paused = await pause(world)
    assert (paused.state, paused.pause_reason) == ("paused", "a test")
    edited = await save(world, schedule={"every": "1h", "count": 9})
    assert edited.state == "paused"
    assert (await resume(world)).state == "active"


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

    async def begin(self) -> JobRow:
        now = await self.world.now()
        await self.world.elapse(HOUR - now % HOUR + 30 * MINUTE)  # far from every instant: speed is no matter
        return await self.save()

    async def save(self) -> JobRow:
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
    monkeypatch.setattr(draft, "RUNS_PER_PLAN", BATCH)
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
        inside = [at for at in allowed if skip.from_at <= at <= skip.to_at]
        assert len(inside) == skip.count, skip
        decided += [(at, skip.reason) for at in inside]
    assert Counter(at for at, _ in decided) == Counter(list(allowed)), "each once, and no other"
    assert [(at, became) for at, became in decided if became not in allowed[at]] == []
