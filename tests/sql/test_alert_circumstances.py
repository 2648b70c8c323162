"""What else is so while rules are asked: times without the store, drills, silence, figures of the whole cluster."""

import pytest

from foliot.domain.alerts.condition import ConditionKind
from foliot.domain.alerts.level import AlertState
from foliot.domain.drills import DrillType
from foliot.domain.failover import Affected, Detected, FailoverType
from foliot.domain.heartbeats.check import PingKind
from foliot.domain.heartbeats.document import check_from
from foliot.domain.heartbeats.life import Ping
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, Micros
from foliot.engine.alerting import Alerting
from foliot.ports.store.drills import DrillAsk
from foliot.ports.store.gauges import ClusterGauges, GroupQueue
from foliot.ports.store.journal import EventFilter
from tests.conformance.building import every, save
from tests.conformance.serving import servers
from tests.conformance.working import Worker, trigger, worker
from tests.conformance.world import World
from tests.sql.alert_leader import ANNE, Leader, channel, failing, jobs, leader, notices, open_alerts, rule
from tests.sql.test_counting import Leader as Counts
from tests.sql.world import World as SqlWorld


@pytest.fixture
async def anne(world: World) -> Worker:
    return await worker(world, slots=100)


@pytest.fixture
async def lead(world: World) -> Leader:
    await channel(world)
    return await leader(world)


def names(count: int) -> list[str]:
    return [f"job-{n}" for n in range(count)]


async def test_each_rule_of_silence_has_its_own_time(world: World, lead: Leader) -> None:
    await rule(world, "hours", when="silent 2h", to="oncall")
    await rule(world, "days", when="silent 3d", to="oncall")
    await every(world, "a", "1h")
    await world.elapse(3 * HOUR)
    await lead.round()
    assert [alert.rule for alert in await open_alerts(world)] == ["hours"]
    await world.elapse(3 * DAY)
    await lead.round()
    assert {alert.rule for alert in await open_alerts(world)} == {"hours", "days"}


async def away(world: World, for_us: Micros) -> None:
    """The store was away until now, as a server notes it when it is back."""
    now = await world.now()
    outage = Detected(
        key="store",
        type=FailoverType.STORE_UNREACHABLE,
        subject="store",
        began_at=now - for_us,
        detected_at=now,
        evidence={"away_us": for_us},
        affected=Affected(nodes=("s1",)),
        session="leader",
    )
    await world.store.failovers.detect([outage])


async def test_an_outage_of_the_store_is_one_alert_whatever_is_late_after_it(world: World) -> None:
    await channel(world, "all", is_default=True)
    await rule(world, "late", when="late 5m")
    await rule(world, "silent", when="silent 2h")
    for name in names(40):
        await every(world, name, "1h")
        await trigger(world, name)
    lead = await leader(world)
    await world.elapse(3 * HOUR)
    await away(world, 3 * HOUR - MINUTE)
    gap = Alerting(lead.parts(gap_us=2 * HOUR))
    lead.alerting = gap  # nobody could lead meanwhile
    await lead.round()
    assert await notices(world) == [("fired", "all")]
    firing = [alert for alert in await open_alerts(world) if alert.state is AlertState.FIRING]
    assert [alert.rule for alert in firing] == ["store-away"]
    heir = await leader(world, await world.open(), session="heir")
    await heir.round()
    fired = [kind for kind, _ in await notices(world) if kind == "fired"]
    assert len(fired) == 1, "the next leader knows of the outage, too"
    await world.elapse(16 * MINUTE)
    await heir.round()
    rules = [alert.rule for alert in await open_alerts(world) if alert.state is AlertState.FIRING]
    assert set(rules) == {"late", "store-away"}, "what outlasts it is told; time without the store is no silence"
    await world.elapse(3 * HOUR)
    await heir.round()
    assert "silent" in {alert.rule for alert in await open_alerts(world) if alert.state is AlertState.FIRING}


async def a_check(world: World, name: str) -> None:
    await world.store.heartbeats.save(
        check_from({"every": "1h", "grace": "10m", "to": ["oncall"]}, name=name, namespace="shop"), by=ANNE
    )
    await world.store.heartbeats.ping(name, namespace="shop", ping=Ping(kind=PingKind.OK), by="cron")


async def test_a_check_whose_ping_nobody_could_take_is_not_down(world: World) -> None:
    await channel(world)
    await a_check(world, "backup")
    await world.elapse(50 * MINUTE)
    await a_check(world, "young")  # it is due after the outage
    await world.elapse(25 * MINUTE)
    await away(world, 20 * MINUTE)
    lead = await leader(world)
    await lead.round()
    found = {one.check.name: one for one in await world.store.heartbeats.list(namespace=None)}
    assert {name: str(one.state) for name, one in found.items()} == {"backup": "up", "young": "up"}
    assert [alert.rule for alert in await open_alerts(world)] == ["store-away"]
    events = await world.store.journal.newest(EventFilter(), limit=100)
    assert [event.subject for event in events.items if event.kind == "check.excused"] == ["backup"]
    heir = await leader(world, await world.open(), session="heir")
    await world.elapse(45 * MINUTE)
    await heir.round()
    downs = [one.subjects[0].subject for one in await open_alerts(world) if one.rule == "check-down"]
    assert downs == ["young"], "it could be heard, and was not"
    await world.elapse(25 * MINUTE)
    await heir.round()
    downs = sorted(one.subjects[0].subject for one in await open_alerts(world) if one.rule == "check-down")
    assert downs == ["backup", "young"], "it is waited for from the end of the outage on"


@pytest.mark.parametrize("is_anybody_there", [False, True])
async def test_a_time_without_a_leader_excuses_checks_only_if_no_server_was_there(
    world: World, *, is_anybody_there: bool
) -> None:
    await channel(world)
    await a_check(world, "backup")
    if is_anybody_there:
        await servers(world, 1)
    await world.elapse(75 * MINUTE)
    lead = await leader(world)
    lead.nodes = list(await world.store.lookups.nodes(include_dead_since=None))
    lead.alerting = Alerting(lead.parts(gap_us=20 * MINUTE))
    await lead.round()
    rules = [alert.rule for alert in await open_alerts(world) if alert.rule == "check-down"]
    assert rules == (["check-down"] if is_anybody_there else [])


async def test_a_run_is_compared_with_what_runs_of_its_job_took(world: SqlWorld, anne: Worker, lead: Leader) -> None:
    await save(world, "a", alert={"on": ["slower p95*2"], "to": ["oncall"], "recover": True})
    for n in range(11):  # ten are enough to compare with
        await anne.beat()
        await trigger(world, "a")
        run = await anne.lease_one()
        await anne.beat(run)
        await world.elapse((9 + n % 2) * SECOND)
        await anne.complete(run)
    await Counts(world, lead.term).count_all()
    await anne.beat()
    await trigger(world, "a")
    run = await anne.lease_one()
    await anne.beat(run)
    await world.elapse(15 * SECOND)
    await lead.round()
    assert await open_alerts(world) == [], "it takes less than twice as long"
    await world.elapse(2 * MINUTE)
    await lead.round()
    (alert,) = await open_alerts(world)
    assert (alert.kind, alert.subjects[0].run_id) == (ConditionKind.SLOWER, run.run_id)
    assert alert.subjects[0].data["lasts_us"] >= 2 * MINUTE
    await anne.beat(run)
    await anne.complete(run)
    await world.elapse(2 * MINUTE)
    await lead.round()
    assert (await open_alerts(world), await notices(world)) == ([], [("fired", "oncall"), ("resolved", "oncall")])


async def test_what_a_drill_makes_wakes_nobody(world: World, lead: Leader) -> None:
    await rule(world, "late", when="late 5m", to="oncall")
    for name in names(3):
        await save(world, name)
        await trigger(world, name)
    ask = DrillAsk(type=DrillType.HANG, node="w-1", session="gone", for_us=10 * MINUTE, by="anne")
    drilled = (await world.store.drills.ask(ask)).id
    await world.elapse(6 * MINUTE)
    await lead.round()
    assert (await open_alerts(world), await notices(world)) == ([], [])
    await world.store.drills.stop(drilled)
    await lead.round()
    assert await notices(world) == [("fired", "oncall")]


async def test_a_rule_compares_figures_of_the_whole_cluster(world: SqlWorld, anne: Worker, lead: Leader) -> None:
    await rule(world, "failures", when='foliot_runs_ended_total{state="FAILED"} >= 2', to="oncall")
    await rule(world, "of-a", when='foliot_job_runs_ended_total{job_name="a",state="FAILED"} >= 1', to="oncall")
    await rule(world, "of-c", when='foliot_job_runs_ended_total{job_name="c",state="FAILED"} >= 1', to="oncall")
    await rule(world, "queue", when="foliot_queue_ready_runs > 5", to="oncall")
    await rule(world, "maintenance", when="foliot_maintenance > 0", to="oncall")
    await jobs(world, "a", "b", "c")
    await failing(world, anne, "a", "b")
    await Counts(world, lead.term).count_all()
    queue = GroupQueue("default", 6, SECOND)
    lead.gauges.learn(
        lead.term,
        ClusterGauges(jobs={}, queues=[queue], limits=[], claims_held=0, claims_waiting=0, newest_event=0),
    )
    await lead.round()
    assert {alert.rule for alert in await open_alerts(world)} == {"failures", "of-a", "queue"}
    await world.elapse(2 * HOUR)
    lead.gauges.learn(
        lead.term, ClusterGauges(jobs={}, queues=[], limits=[], claims_held=0, claims_waiting=0, newest_event=0)
    )
    await lead.round()
    assert await open_alerts(world) == []
