"""Duties about failovers: a server notes what only it saw, the leader ends what is quiet and escalates what lasts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from foliot.domain.failover import DEFAULTS, Detected, FailoverAction, FailoverEnd, FailoverType, Urgency
from foliot.domain.instants import HOUR, MINUTE, SECOND
from foliot.domain.verdict import Cause, judge
from foliot.engine.failovers import KEPT_MAX, FailoverUpkeep, FailureNotes
from foliot.engine.presence import OwnSession
from foliot.engine.pulse import Tide
from foliot.ports.store.actor import Actor
from foliot.ports.store.failovers import Failover, FailoverFilter
from foliot.ports.store.node_row import NodeRow
from foliot.store.sql.cluster import failures
from foliot.store.sql.cluster.failures import FATES
from foliot.store.sql.kernel.database import Tx
from tests.clocks import DrivenClock
from tests.conformance.building import save
from tests.conformance.serving import servers
from tests.conformance.working import lead, trigger, worker
from tests.sql.world import CHANCE, World

ANNE = Actor(name="anne")


class Cluster:
    """One server's notes and the leader's upkeep, on one store."""

    def __init__(self, world: World, clock: DrivenClock) -> None:
        self.world = world
        self.clock = clock
        self.tide = Tide(clock)
        self.store = world.store.failovers
        self.notes = FailureNotes(self.store, self.tide, session=OwnSession(CHANCE), node="s1", clock=clock)
        self.upkeep = FailoverUpkeep(self.store, self._nodes, self.tide)

    async def _nodes(self) -> Sequence[NodeRow]:
        return await self.world.store.lookups.nodes(include_dead_since=None)

    async def pulse(self) -> None:
        found = await self.world.store.firing.pulse()
        self.tide.learn(found, seen_at=self.clock.monotonic())
        self.notes.heard(found)

    async def keep(self) -> None:
        """A round of the leader, by the time of now."""
        await self.pulse()
        await self.upkeep.keep(await lead(self.world))

    async def noted(self) -> list[Failover]:
        return list((await self.store.list(FailoverFilter(), limit=100)).items)


@pytest.fixture
def cluster(world: World, clock: DrivenClock) -> Cluster:
    return Cluster(world, clock)


async def test_an_outage_of_the_store_is_noted_with_its_true_times_when_it_is_back(
    cluster: Cluster, clock: DrivenClock
) -> None:
    await cluster.pulse()
    await cluster.notes.step()
    assert await cluster.noted() == [], "nothing failed"
    for _ in range(3):
        cluster.notes.missed()
        await clock.advance(10)
    await cluster.notes.step()
    assert await cluster.noted() == [], "the store is still away"
    await cluster.pulse()
    await cluster.notes.step()
    await cluster.notes.step()
    (found,) = await cluster.noted()
    assert (found.type, list(found.affected.nodes)) == (FailoverType.STORE_UNREACHABLE, ["s1"])
    assert found.detected_at - found.began_at == found.evidence["away_us"] == 30 * SECOND
    await cluster.keep()
    assert (await cluster.noted())[0].is_open, "another server may come back, too"
    await cluster.world.elapse(11 * SECOND)
    await cluster.keep()
    (found,) = await cluster.noted()
    assert found.ended_at == found.last_at
    assert found.escalated_at is not None, "it was away for longer than its policy allows"
    assert found.level is Urgency.CRITICAL


async def test_overruns_are_noted_together_and_over_when_none_came_for_a_minute(cluster: Cluster) -> None:
    await save(cluster.world, "tick")
    ids = await trigger(cluster.world, n=3)
    cluster.notes.timed_out(ids[:2])
    cluster.notes.timed_out(ids[2:])
    await cluster.notes.step()
    await cluster.notes.step()
    (found,) = await cluster.noted()
    assert (found.affected.runs, found.attempts) == (3, 3)
    await cluster.keep()
    assert (await cluster.noted())[0].is_open
    await cluster.world.elapse(MINUTE + SECOND)
    await cluster.keep()
    (found,) = await cluster.noted()
    assert (found.is_open, found.done, found.escalated_at) == (False, {"ended": 3}, None)


async def test_an_overrun_begins_when_its_worker_ended_it_and_not_when_a_server_has_time_to_note_it(
    cluster: Cluster,
) -> None:
    await save(cluster.world, "tick")
    anne = await worker(cluster.world)
    (run_id,) = await trigger(cluster.world, n=1)
    await anne.complete(await anne.lease_one(), cause=Cause.TIMEOUT)
    cluster.notes.timed_out([run_id])
    await cluster.world.elapse(4 * SECOND)
    await cluster.notes.step()
    (found,) = await cluster.noted()
    assert found.detected_at - found.began_at >= 4 * SECOND


async def test_a_server_keeps_a_bounded_number_of_overruns_until_they_are_noted(cluster: Cluster) -> None:
    for _ in range(3):
        cluster.notes.timed_out(range(KEPT_MAX))
    assert len(cluster.notes._timed_out) == KEPT_MAX


async def test_more_overruns_than_the_policy_allows_are_escalated_once_to_its_channel(cluster: Cluster) -> None:
    policy = replace(DEFAULTS[FailoverType.RUN_TIMEOUT], attempts=2, level=Urgency.LOW, channel="night-shift")
    await cluster.store.set_policy(policy, by=ANNE)
    await save(cluster.world, "tick")
    ids = await trigger(cluster.world, n=3)
    escalated = []
    for run_id in ids:
        cluster.notes.timed_out([run_id])
        await cluster.notes.step()
        await cluster.keep()
        (found,) = await cluster.noted()
        escalated.append(found.escalated_at is not None)
    assert escalated == [False, False, True]
    assert (found.level, found.channel) == (Urgency.LOW, "night-shift")


async def test_a_node_under_too_much_load_is_open_until_it_is_well_again(cluster: Cluster) -> None:
    anne = await worker(cluster.world)
    for band in ("WARNING", "WARNING", "ONLINE"):
        await cluster.world.change("UPDATE nodes SET band = :band", band=band)
        await cluster.keep()
        (found,) = await cluster.noted()
        assert (found.type, found.subject) == (FailoverType.RESOURCE_EXHAUSTION, anne.name)
        assert (found.is_open, found.attempts) == (band == "WARNING", 1)


async def test_a_node_whose_beats_come_late_has_exhausted_nothing(cluster: Cluster) -> None:
    await worker(cluster.world)
    for cause, noted in (("late", 0), ("straining", 0), ("load", 1), ("late", 1)):
        await cluster.world.change("UPDATE nodes SET band = 'WARNING', band_cause = :cause", cause=cause)
        await cluster.keep()
        assert len(await cluster.noted()) == noted, cause
    (found,) = await cluster.noted()
    assert (found.type, found.is_open) == (FailoverType.RESOURCE_EXHAUSTION, False), (
        "its load is not the cause any more"
    )


async def test_a_note_that_fails_does_not_keep_the_runs_of_the_dead_from_going_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await save(world, "tick", overlap="allow")
    await trigger(world, n=2)
    anne = await worker(world)
    await anne.beat(*await anne.lease(2))
    await world.elapse(HOUR)

    def broken(*_: object, **__: object) -> int:
        raise ValueError("a bug")

    monkeypatch.setattr(failures, "note_deaths", broken)
    assert await world.store.runs.reap(judge, limit=10, term=await lead(world)) == 2


@pytest.mark.parametrize("column", ["type", "action", "outcome", "level"])
async def test_a_row_with_a_word_of_a_newer_foliot_is_passed_over(cluster: Cluster, column: str) -> None:
    seen = [
        Detected(key=f"load:{name}", type=FailoverType.RESOURCE_EXHAUSTION, subject=name, evidence={})
        for name in ("newer", "known")
    ]
    for one in seen:
        await cluster.store.detect([one])
    await cluster.world.change(f"UPDATE failovers SET {column} = 'new word' WHERE subject = 'newer'")
    (known,) = await cluster.noted()
    assert known.subject == "known"
    assert list(await cluster.store.open(limit=10)) == [known]
    assert await cluster.store.find(known.id - 1) is None
    await cluster.store.detect(seen)
    assert await cluster.store.end([FailoverEnd(id=id_, done={}) for id_ in (known.id - 1, known.id)]) == 1


async def test_many_nodes_that_are_unwell_at_once_are_noted_together(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(5):
        await worker(cluster.world)
    await cluster.world.change("UPDATE nodes SET band = 'WARNING'")
    noted_at_once: list[int] = []
    detect = cluster.store.detect

    async def counted(seen: Sequence[Detected], *, term: int | None = None) -> int:
        noted_at_once.append(len(seen))
        return await detect(seen, term=term)

    monkeypatch.setattr(cluster.store, "detect", counted)
    await cluster.keep()
    await cluster.keep()
    assert noted_at_once == [5]
    assert [one.attempts for one in await cluster.noted()] == [1] * 5


async def test_the_fates_of_the_runs_of_all_dead_workers_are_asked_for_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await save(world, "tick", overlap="allow")
    await trigger(world, n=3)
    for _ in range(3):
        one = await worker(world)
        await one.beat(*await one.lease(1))
    await world.elapse(HOUR)
    asked: list[Any] = []
    found = Tx.found

    def counted(tx: Tx, statement: Any, *values: Any, **sets: Any) -> Any:
        asked.extend([statement] if statement is FATES else [])
        return found(tx, statement, *values, **sets)

    monkeypatch.setattr(Tx, "found", counted)
    assert await world.store.runs.reap(judge, limit=10, term=await lead(world)) == 3
    assert len(asked) == 1
    page = await world.store.failovers.list(FailoverFilter(), limit=10)
    assert [one.done for one in page.items] == [{"returned": 1, "lost": 0}] * 3


async def test_a_clock_that_jumps_alone_is_noted_once_and_over_at_once(cluster: Cluster) -> None:
    """When most clocks jump against the store's, its own clock did: that is no step of a node."""
    sessions = await servers(cluster.world, 3)
    nodes = cluster.world.store.nodes

    async def off_by(seconds: int, *which: str) -> None:
        for session in which:
            await nodes.report_clock(session, ahead_us=0, offset_us=seconds * SECOND)
        await cluster.keep()

    await off_by(0, *sessions)
    await off_by(90, sessions[0])
    assert await cluster.noted() == [], "others may have jumped, too, and not said so yet"
    await off_by(90, sessions[0])
    (found,) = await cluster.noted()
    assert (found.type, found.action) == (FailoverType.CLOCK_STEP, FailoverAction.GO_BY_STORE)
    assert (found.evidence, found.ended_at) == ({"step_us": 90 * SECOND, "way": "ahead"}, found.detected_at)
    assert found.escalated_at is None
    await off_by(90, sessions[0])
    assert len(await cluster.noted()) == 1, "it did not jump again"
    await off_by(300, sessions[1])
    await off_by(300, *sessions)
    await off_by(300, *sessions)
    steps = [one for one in await cluster.noted() if one.subject != "store"]
    assert len(steps) == 1, "all of them jumped: the store's clock did"
