"""Failovers in the store: one row an occurrence, opened once, closed once; policies with versions."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from foliot.domain.failover import (
    DEFAULTS,
    RUNS_MAX,
    Affected,
    Detected,
    FailoverEnd,
    FailoverOutcome,
    FailoverType,
    PolicyChanged,
    Urgency,
)
from foliot.domain.instants import DAY, HOUR, SECOND, isoformat
from foliot.ports.store.actor import Actor
from foliot.ports.store.failovers import Escalation, Failover, FailoverFilter, FailoverStore
from foliot.ports.store.journal import EventFilter
from tests.conformance.working import lead
from tests.conformance.world import World

ANNE = Actor(name="anne", reason="quiet nights")


@pytest.fixture
def failovers(world: World) -> FailoverStore:
    return world.store.failovers


def crash(session: str = "s1", **other: Any) -> Detected:
    seen = {"evidence": {"silent_us": 17 * SECOND}, "affected": Affected(runs=2, jobs=("pay",)), **other}
    return Detected(key=f"session:{session}", type=FailoverType.WORKER_CRASH, subject=f"worker-{session}", **seen)


def timeout(run_id: int, **other: Any) -> Detected:
    affected = Affected(runs=1, run_ids=(run_id,), jobs=("pay",))
    return Detected(
        key="timeout:7",
        type=FailoverType.RUN_TIMEOUT,
        subject="pay",
        namespace="default",
        evidence={},
        affected=affected,
        **other,
    )


async def only(failovers: FailoverStore) -> Failover:
    (found,) = (await failovers.list(FailoverFilter(), limit=10)).items
    return found


async def told(world: World) -> list[tuple[str, str]]:
    page = await world.store.journal.newest(EventFilter(), limit=100)
    return [(event.kind, event.subject) for event in reversed(page.items)]


async def test_a_failure_that_several_see_is_one_row_from_its_beginning_to_its_end(
    world: World, failovers: FailoverStore
) -> None:
    term = await lead(world)
    began_at = await world.now() - 17 * SECOND
    assert await failovers.detect([crash(began_at=began_at)], term=term) == 1
    again = [failovers.detect([crash(began_at=began_at + n, affected=Affected(runs=9))]) for n in range(4)]
    assert sum(await asyncio.gather(*again)) == 0
    found = await only(failovers)
    assert (found.subject, found.began_at, found.affected.runs, found.term) == ("worker-s1", began_at, 2, term)
    assert (found.is_open, found.evidence, found.action) == (True, {"silent_us": 17 * SECOND}, "immediate_failover")
    assert [one.id for one in await failovers.open(limit=10)] == [found.id]
    ends = [failovers.end([FailoverEnd(id=found.id, done={"returned": 2})]) for _ in range(3)]
    assert sum(await asyncio.gather(*ends)) == 1
    found = await only(failovers)
    assert (found.outcome, found.done, found.key) == (FailoverOutcome.RECOVERED, {"returned": 2}, "session:s1")
    assert found.ended_at is not None
    assert found.lasted_us(0) >= 17 * SECOND
    assert await failovers.open(limit=10) == []
    assert await failovers.detect([crash()]) == 0
    assert await told(world) == [("failover.detected", "worker-s1"), ("failover.ended", "worker-s1")]
    newest = (await world.store.journal.newest(EventFilter(), limit=1)).items[0].data
    assert (newest["began_at"], newest["ended_at"]) == (isoformat(began_at), isoformat(found.ended_at))


async def test_what_comes_again_is_added_while_it_is_open_and_a_new_row_after_that(failovers: FailoverStore) -> None:
    await asyncio.gather(*(failovers.detect([timeout(n)]) for n in range(4)))
    await failovers.detect([timeout(9, began_at=5)])
    found = await only(failovers)
    assert (found.affected.runs, found.attempts, found.began_at) == (5, 5, 5)
    assert sorted(found.affected.run_ids) == [0, 1, 2, 3, 9]
    assert list(found.affected.jobs) == ["pay"]
    assert await failovers.end([FailoverEnd(id=found.id, done={}, ended_at=found.last_at)]) == 1
    await failovers.detect([timeout(10)])
    newest, oldest = (await failovers.list(FailoverFilter(), limit=10)).items
    assert (newest.is_open, newest.affected.runs) == (True, 1)
    assert (oldest.ended_at, oldest.affected.runs) == (found.last_at, 5)


async def test_ids_that_are_kept_are_bounded_and_the_count_is_whole(failovers: FailoverStore) -> None:
    many = Affected(runs=RUNS_MAX + 5, run_ids=range(RUNS_MAX + 5), nodes=[f"n{i}" for i in range(50)])
    await failovers.detect([crash(affected=many)])
    found = await only(failovers)
    assert (found.affected.runs, len(found.affected.run_ids), len(found.affected.nodes)) == (RUNS_MAX + 5, RUNS_MAX, 20)


async def test_a_leader_whose_term_is_over_writes_nothing(world: World, failovers: FailoverStore) -> None:
    term = await lead(world)
    await failovers.detect([crash()], term=term)
    found = await only(failovers)
    late = term - 1
    assert await failovers.detect([crash("s2")], term=late) == 0
    assert await failovers.end([FailoverEnd(id=found.id, done={})], term=late) == 0
    assert await failovers.escalate([Escalation(id=found.id, level=Urgency.HIGH, channel="")], term=late) == 0
    assert (await only(failovers)).is_open


async def test_an_occurrence_is_escalated_once(world: World, failovers: FailoverStore) -> None:
    await failovers.detect([crash()])
    found = await only(failovers)
    first = Escalation(id=found.id, level=Urgency.HIGH, channel="night-shift")
    assert await failovers.escalate([first]) == 1
    assert await failovers.escalate([replace(first, channel="other")]) == 0
    found = await only(failovers)
    assert (found.level, found.channel, found.escalated_at is not None) == (Urgency.HIGH, "night-shift", True)
    assert await told(world) == [("failover.detected", "worker-s1"), ("failover.escalated", "worker-s1")]


async def test_lists_go_by_type_time_namespace_and_openness_in_pages(world: World, failovers: FailoverStore) -> None:
    await failovers.detect([crash("s1"), crash("s2")])
    old = {one.subject: one.id for one in await failovers.open(limit=10)}
    await failovers.end([FailoverEnd(id=old["worker-s1"], done={})])
    await world.elapse(HOUR)
    await failovers.detect([timeout(1)])
    since = await world.now() - HOUR // 2

    async def listed(**wanted: Any) -> list[str]:
        return [one.subject for one in (await failovers.list(FailoverFilter(**wanted), limit=10)).items]

    assert await listed() == ["pay", "worker-s2", "worker-s1"]
    assert await listed(types=frozenset({FailoverType.RUN_TIMEOUT})) == ["pay"]
    assert await listed(since=since) == ["pay", "worker-s2"]
    assert await listed(only_open=True) == ["pay", "worker-s2"]
    assert await listed(namespace="default") == ["pay"]
    first = await failovers.list(FailoverFilter(), limit=2)
    rest = await failovers.list(FailoverFilter(), limit=2, before_id=first.next_before_id)
    assert [one.subject for one in (*first.items, *rest.items)] == ["pay", "worker-s2", "worker-s1"]
    assert rest.next_before_id is None
    assert await failovers.find(old["worker-s2"]) is not None
    assert await failovers.find(10_000) is None


async def test_old_occurrences_are_forgotten_and_open_ones_stay(world: World, failovers: FailoverStore) -> None:
    await failovers.detect([crash("s1"), crash("s2")])
    first, _ = await failovers.open(limit=10)
    await failovers.end([FailoverEnd(id=first.id, done={})])
    await world.elapse(2 * DAY)
    now = await world.now()
    assert await failovers.forget(before=now - DAY, limit=100) == 1
    assert [one.subject for one in await failovers.open(limit=10)] == ["worker-s2"]


async def test_a_policy_is_changed_from_the_version_that_was_seen(failovers: FailoverStore) -> None:
    assert await failovers.policies() == DEFAULTS
    wanted = replace(DEFAULTS[FailoverType.WORKER_CRASH], timeout_us=HOUR, level=Urgency.LOW, channel="夜班")
    kept = await failovers.set_policy(wanted, by=ANNE)
    assert kept == replace(wanted, version=1)
    with pytest.raises(PolicyChanged):
        await failovers.set_policy(wanted, by=ANNE)
    again = await failovers.set_policy(replace(kept, channel=""), by=ANNE)
    with pytest.raises(PolicyChanged) as refused:
        await failovers.set_policy(kept, by=ANNE)
    assert refused.value.data["version"] == 2
    found = await failovers.policies()
    assert found[FailoverType.WORKER_CRASH] == again
    assert found[FailoverType.SERVER_CRASH] == DEFAULTS[FailoverType.SERVER_CRASH]
