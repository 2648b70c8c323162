"""Rounds of alerts: what runs show becomes alerts and notices, once, whoever leads."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from foliot.domain.alerts.condition import ConditionKind
from foliot.domain.alerts.level import AlertState
from foliot.domain.alerts.observation import Observation
from foliot.domain.alerts.silence_document import silence_from
from foliot.domain.anomalies.anomaly import Anomaly, AnomalyKind
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND
from foliot.domain.verdict import Cause
from foliot.engine.alert_anomalies import anomaly_source
from foliot.engine.alerting import Alerting, AlertSource
from foliot.ports.store.alerts import AlertFilter
from foliot.ports.store.anomalies import ALL_JOBS, AnomalyFilter
from foliot.ports.store.journal import EventFilter
from foliot.words.alerts import alert_sentence
from foliot.words.language import Language
from tests.conformance.building import NS, PLANS, every, job_of, save
from tests.conformance.working import Worker, trigger, worker
from tests.conformance.world import World
from tests.sql.alert_leader import (
    ANNE,
    Leader,
    channel,
    failing,
    jobs,
    leader,
    notices,
    open_alerts,
    rule,
    succeeding,
)

TOLD = {"on": ["failed"], "to": ["oncall"], "recover": True}


@pytest.fixture
async def anne(world: World) -> Worker:
    return await worker(world, slots=100)


@pytest.fixture
async def lead(world: World) -> Leader:
    await channel(world)
    return await leader(world)


def names(count: int) -> Sequence[str]:
    return [f"job-{n}" for n in range(count)]


async def test_many_jobs_that_fail_by_one_cause_are_one_alert_and_one_notice(
    world: World, anne: Worker, lead: Leader
) -> None:
    many = names(12)
    await jobs(world, *many, alert=TOLD)
    await failing(world, anne, *many)
    await lead.round()
    (alert,) = await open_alerts(world)
    assert (alert.kind, alert.subject_count, alert.state) == (ConditionKind.FAILED, 12, AlertState.FIRING)
    assert await notices(world) == [("fired", "oncall")]
    await lead.round()
    await failing(world, anne, "job-3")
    await lead.round()
    assert len(await open_alerts(world)) == 1
    assert await notices(world) == [("fired", "oncall")]
    await succeeding(world, anne, *many[:-1])
    await lead.round()
    (alert,) = await open_alerts(world)
    assert alert.open_count == 1
    await succeeding(world, anne, many[-1])
    await lead.round()
    assert await open_alerts(world) == []
    assert await notices(world) == [("fired", "oncall"), ("resolved", "oncall")]
    await failing(world, anne, "job-1")
    await lead.round()
    assert len(await open_alerts(world)) == 1  # the next trouble is another alert
    assert len(await notices(world)) == 3


async def test_two_causes_and_two_channels_are_several_alerts(world: World, anne: Worker, lead: Leader) -> None:
    await jobs(world, "a", "b", alert=TOLD)
    await jobs(world, "c", alert={"on": ["failed"], "to": ["boss"]})
    await failing(world, anne, "a", error="no route to db-1")
    await failing(world, anne, "b", error="the file is empty")
    await failing(world, anne, "c", error="no route to db-1")
    await lead.round()
    assert len(await open_alerts(world)) == 3
    assert sorted(await notices(world)) == [("fired", "boss"), ("fired", "oncall"), ("fired", "oncall")]


async def test_the_next_leader_goes_on_where_the_last_one_stood(world: World, anne: Worker, lead: Leader) -> None:
    await jobs(world, "a", "b", alert=TOLD)
    await failing(world, anne, "a")
    await lead.round()
    await failing(world, anne, "b")
    other = await leader(world, await world.open(), session="other")
    await lead.round()  # it does not know yet that its term is over
    assert await notices(world) == [("fired", "oncall")]
    (alert,) = await open_alerts(world)
    assert alert.subject_count == 1
    await asyncio.gather(lead.round(), other.round())
    await other.round()
    (alert,) = await open_alerts(world)
    assert alert.subject_count == 2
    assert await notices(world) == [("fired", "oncall")]
    await succeeding(world, anne, "a", "b")
    await other.round()
    assert await notices(world) == [("fired", "oncall"), ("resolved", "oncall")]


async def test_two_leaders_at_once_write_a_round_once(world: World, anne: Worker, lead: Leader) -> None:
    twin = Leader(world, await world.open(), lead.term)  # the same term: as when a leader comes back from a pause
    await jobs(world, "a", alert=TOLD)
    for _ in range(3):
        await failing(world, anne, "a")
        await asyncio.gather(lead.round(), twin.round())
    (alert,) = await open_alerts(world)
    assert await notices(world) == [("fired", "oncall")]
    found = await world.store.alerts.find(alert.id)
    assert found is not None
    assert [subject.count for subject in found.subjects] == [3]


COUNTED = [
    ({"on": ["failed"], "after": 3}, [False, False, True]),
    ({"on": ["failed"], "after": "2 in 24h"}, [False, True, True]),
]


@pytest.mark.parametrize(("policy", "fires"), COUNTED)
async def test_a_job_is_told_of_when_it_failed_often_enough(
    world: World, anne: Worker, lead: Leader, policy: dict[str, object], fires: list[bool]
) -> None:
    await jobs(world, "a", alert=policy)
    for nth, is_told in enumerate(fires):
        await failing(world, anne, "a", error=f"cause {'xyz'[nth]}")
        await lead.round()
        assert bool(await open_alerts(world)) is is_told, nth


async def test_failed_n_of_m_looks_at_the_last_runs(world: World, anne: Worker, lead: Leader) -> None:
    await rule(world, when="failed 2 of 3", of={"job": "a*"})
    await jobs(world, "a", "b")
    await failing(world, anne, "a", "b")
    await lead.round()
    await succeeding(world, anne, "a")
    await lead.round()
    assert await open_alerts(world) == []
    await failing(world, anne, "a", "b")
    await lead.round()
    (alert,) = await open_alerts(world)
    found = await world.store.alerts.find(alert.id)
    assert found is not None
    assert [subject.subject for subject in found.subjects] == ["a"]


async def test_a_late_run_is_told_of_and_resolved_when_it_starts(world: World, anne: Worker, lead: Leader) -> None:
    await save(world, "a", alert={"on": ["late 10m"], "to": ["oncall"], "recover": True})
    await trigger(world, "a")
    await lead.round()
    assert await open_alerts(world) == []
    await world.elapse(11 * MINUTE)
    await lead.round()
    (alert,) = await open_alerts(world)
    assert (alert.kind, alert.cause.data["reason"]) == (ConditionKind.LATE, "no_worker")
    await anne.beat()
    await anne.lease_one()
    await world.elapse(61 * SECOND)
    await lead.round()
    assert await open_alerts(world) == []
    assert await notices(world) == [("fired", "oncall"), ("resolved", "oncall")]


async def test_a_run_that_takes_too_long_is_told_of(world: World, anne: Worker, lead: Leader) -> None:
    await save(world, "a", alert={"on": ["slower 5m"], "to": ["oncall"]})
    await trigger(world, "a")
    await anne.beat()
    run = await anne.lease_one()
    await anne.beat(run)
    await world.elapse(6 * MINUTE)
    await lead.round()
    (alert,) = await open_alerts(world)
    assert alert.kind is ConditionKind.SLOWER


async def test_a_rule_asks_of_groups_silence_and_queues(world: World, lead: Leader) -> None:
    await rule(world, "late", when="late 5m", of={"group": "default"})
    await rule(world, "queue", when="queue 5m")
    await rule(world, "silent", when="silent 2h")
    await every(world, "a", "1h")
    await save(world, "b")
    await trigger(world, "b")
    await world.elapse(3 * HOUR)
    await lead.round()
    found = {(alert.rule, alert.kind) for alert in await open_alerts(world)}
    assert found == {("late", ConditionKind.LATE), ("queue", ConditionKind.QUEUE), ("silent", ConditionKind.SILENT)}


async def test_a_person_acknowledges_and_resolves(world: World, anne: Worker, lead: Leader) -> None:
    await rule(world, when="failed", to="oncall", escalate=[{"after": "30m", "to": "boss", "level": "critical"}])
    await channel(world, "boss")
    await jobs(world, "a")
    await failing(world, anne, "a")
    await lead.round()
    (alert,) = await open_alerts(world)
    acked = await world.store.alerts.acknowledge(alert.id, by=ANNE)
    assert acked is not None
    assert (acked.state, acked.acked_by, acked.ack_note) == (AlertState.ACKNOWLEDGED, "anne", "on call")
    await world.elapse(HOUR)
    await lead.round()
    assert await notices(world) == [("fired", "oncall")]  # nothing is escalated: a person looks after it
    over = await world.store.alerts.resolve(alert.id, by=ANNE)
    assert over is not None
    assert over.state is AlertState.RESOLVED
    assert await notices(world) == [("fired", "oncall"), ("resolved", "oncall")]
    (ended, *_) = await world.store.channels.deliveries(namespace=None, channel=None, limit=1)
    told = ended.notice.data
    assert [one["subject"] for one in told["subjects"]] == ["a"]
    assert (told["cause"]["error"], told["resolved_at"]) == ("no route to db-1", over.resolved_at)
    assert (told["rule"], told["by"], told["reason"]) == ("night", "anne", "on call")
    await lead.round()
    assert await open_alerts(world) == []
    history = await world.store.alerts.list(AlertFilter(states=frozenset()), limit=10)
    assert [one.id for one in history.items] == [alert.id]


async def test_what_nobody_looks_after_is_escalated_once_a_step(world: World, anne: Worker, lead: Leader) -> None:
    steps = [{"after": "30m", "to": "boss", "level": "critical"}]
    await rule(world, when="failed", to="oncall", escalate=steps, remind="4h")
    await channel(world, "boss")
    await jobs(world, "a")
    await failing(world, anne, "a")
    await lead.round()
    await world.elapse(31 * MINUTE)
    for _ in range(2):
        await lead.round()
    (alert,) = await open_alerts(world)
    assert (alert.step, str(alert.level)) == (1, "critical")
    assert await notices(world) == [("fired", "oncall"), ("escalated", "boss")]
    other = await leader(world, await world.open(), session="other")
    await world.elapse(5 * HOUR)
    for _ in range(2):
        await other.round()
    assert await notices(world) == [("fired", "oncall"), ("escalated", "boss"), ("reminded", "oncall")]


async def test_a_silence_holds_notices_back_until_it_ends(world: World, anne: Worker, lead: Leader) -> None:
    await jobs(world, "a", "b", alert=TOLD)
    now = await world.now()
    silence = silence_from(
        {"of": {"job": "a"}}, namespace=None, from_at=now, until=now + HOUR, reason="move", made_by="anne"
    )
    made = await world.store.alerts.silence(silence, by=ANNE)
    await failing(world, anne, "a")
    await lead.round()
    (alert,) = await open_alerts(world)
    assert (alert.silence_id, await notices(world)) == (made.id, [])
    assert sum((await world.store.alerts.counts(namespace=None)).values()) == 0
    await world.store.alerts.end_silence(made.id, by=ANNE)
    await lead.round()
    assert await notices(world) == [("fired", "oncall")]
    assert sum((await world.store.alerts.counts(namespace=None)).values()) == 1


async def test_an_alert_of_a_removed_rule_is_over(world: World, anne: Worker, lead: Leader) -> None:
    await rule(world, when="failed", to="oncall")
    await jobs(world, "a")
    await failing(world, anne, "a")
    await lead.round()
    await world.store.alerts.remove_rule("night", namespace=None, by=ANNE)
    assert await open_alerts(world) == []


async def test_actions_are_bounded_and_stand_in_the_journal(world: World, anne: Worker, lead: Leader) -> None:
    await rule(world, when="failed", do={"retry": 2, "an_hour": 3})
    await jobs(world, "a", "b")
    for _ in range(4):
        await failing(world, anne, "a", error="one")
        await lead.round()
    for _ in range(4):
        await failing(world, anne, "b", error="two")
        await lead.round()
    assert [(act.subject.subject, act.number) for act, _ in lead.acts] == [("a", 1), ("a", 2), ("b", 1)]
    page = await world.store.journal.newest(EventFilter(), limit=100)
    kinds = [event.kind for event in page.items]
    assert (kinds.count("alert.acted"), kinds.count("alert.fired")) == (3, 2)
    fired = [event.data["of"] for event in page.items if event.kind == "alert.fired"]
    assert fired == ["b", "a"], "the journal says of what"


async def test_the_bound_of_an_hour_counts_actions_of_that_hour(world: World, anne: Worker, lead: Leader) -> None:
    await rule(world, when="failed", do={"retry": 9, "an_hour": 2})
    await jobs(world, "a")
    for _ in range(3):
        await failing(world, anne, "a")
        await lead.round()
    assert [act.number for act, _ in lead.acts] == [1, 2], "the third is above the bound"
    await world.elapse(59 * MINUTE)
    await failing(world, anne, "a")
    await lead.round()
    assert len(lead.acts) == 2
    await world.elapse(2 * MINUTE)
    for _ in range(3):
        await failing(world, anne, "a")
        await lead.round()
    assert [act.number for act, _ in lead.acts] == [1, 2, 3, 4], "what was not done counts neither for the alert"


async def test_tests_and_deleted_jobs_alarm_nobody(world: World, anne: Worker, lead: Leader) -> None:
    await jobs(world, "a", "b", alert=TOLD)
    await anne.beat()
    await trigger(world, "a", is_test=True)
    while runs := await anne.lease(1):
        await anne.complete(*runs, cause=Cause.ERROR, error="x")
    await failing(world, anne, "b")
    await world.store.jobs.delete(NS, "b", plans=PLANS)
    await lead.round()
    assert await open_alerts(world) == []


async def test_what_jobs_ask_for_follows_their_versions(world: World, anne: Worker, lead: Leader) -> None:
    await jobs(world, "a", alert=TOLD)
    await lead.round()
    assert len(await world.store.alert_rounds.policies()) == 1
    await jobs(world, "a")
    assert await world.store.alert_rounds.policies() == []
    await failing(world, anne, "a")
    await lead.round()
    assert await open_alerts(world) == []


async def test_old_alerts_are_forgotten(world: World, anne: Worker, lead: Leader) -> None:
    await jobs(world, "a", alert=TOLD)
    await failing(world, anne, "a")
    await lead.round()
    (alert,) = await open_alerts(world)
    await world.store.alerts.resolve(alert.id, by=ANNE)
    await world.elapse(DAY)
    await world.store.alert_rounds.forget(before=await world.now() - 2 * DAY, limit=10, term=lead.term)
    assert await world.store.alerts.find(alert.id) is not None
    await world.store.alert_rounds.forget(before=await world.now(), limit=10, term=lead.term)
    assert await world.store.alerts.find(alert.id) is None


def unusual(job_id: int, began_at: int, kind: AnomalyKind, **facts: int) -> Anomaly:
    return Anomaly(job_id=job_id, kind=kind, began_at=began_at, seen_at=began_at + HOUR, facts=facts)


async def keep(world: World, *opened: Anomaly, ended: Sequence[Anomaly] = ()) -> None:
    store = world.store.statistics
    seen = await store.judging_progress()
    assert await store.keep_course(seen, hour_at=HOUR, after_id=ALL_JOBS, opened=opened, changed=ended, term=None)


async def test_anomalies_are_alerts_from_their_beginning_to_their_end(world: World, lead: Leader) -> None:
    lead.alerting = Alerting(lead.parts(sources=[anomaly_source(world.store.alert_rounds)]))
    await rule(world, when="anomaly count", of={"group": "default"}, to="oncall")
    await rule(world, "others", when="anomaly silence", of={"group": "etl"}, to="oncall")
    await jobs(world, "a", "b")
    a, b = (await job_of(world, "a")).job_id, (await job_of(world, "b")).job_id
    now = await world.now()
    await keep(
        world,
        unusual(a, now, AnomalyKind.COUNT, runs=90, usual=3),
        unusual(a, now, AnomalyKind.DURATION, now_us=9, usual_us=1),
        unusual(b, now, AnomalyKind.SILENCE, hours=4),
    )
    await lead.round()
    (alert,) = await open_alerts(world)
    assert (alert.kind, alert.rule, alert.cause.data["anomaly"]) == (ConditionKind.ANOMALY, "night", "count")
    assert alert_sentence(alert, Language.ENGLISH) == "the number of runs of a is not as usual: 90 runs, usually 3"
    await world.elapse(2 * MINUTE)
    await lead.round()
    assert await notices(world) == [("fired", "oncall")]
    found = await world.store.statistics.anomalies(
        AnomalyFilter(kind=AnomalyKind.COUNT, only_open=True), before_id=None, limit=9
    )
    await keep(world, ended=[replace(one, ended_at=now + HOUR) for one in found])
    await world.elapse(2 * MINUTE)
    await lead.round()
    assert await open_alerts(world) == []
    assert await notices(world) == [("fired", "oncall"), ("resolved", "oncall")]


async def test_an_anomaly_of_a_deleted_job_alarms_nobody(world: World, lead: Leader) -> None:
    lead.alerting = Alerting(lead.parts(sources=[anomaly_source(world.store.alert_rounds)]))
    await rule(world, when="anomaly", to="oncall")
    await jobs(world, "a")
    await keep(world, unusual((await job_of(world, "a")).job_id, await world.now(), AnomalyKind.SILENCE, hours=4))
    await lead.round()
    assert len(await open_alerts(world)) == 1
    await world.store.jobs.delete(NS, "a", plans=PLANS)
    await world.elapse(2 * MINUTE)
    await lead.round()
    assert await open_alerts(world) == []


async def test_a_source_is_asked_once_a_minute_and_only_when_a_rule_is_about_it(world: World, lead: Leader) -> None:
    asked: list[int] = []

    async def look(now: int) -> Sequence[Observation]:
        asked.append(now)
        return ()

    source = AlertSource(frozenset({ConditionKind.ANOMALY}), look)
    lead.alerting = Alerting(lead.parts(sources=[source]))
    await lead.round()
    await world.elapse(2 * MINUTE)
    await lead.round()
    assert asked == []
    await rule(world, when="anomaly", to="oncall")
    for _ in range(3):
        await lead.round()
    assert len(asked) == 1
    await world.elapse(2 * MINUTE)
    for _ in range(3):
        await lead.round()
    assert len(asked) == 2
