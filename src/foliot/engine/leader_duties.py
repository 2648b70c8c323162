"""The duties of the leader: `LEADER_DUTIES` names each one, how it is made and how often it is done.

What a duty writes lands only while the leader's term lasts (R16): its round gets the term and hands it to the store.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from foliot.domain.alerts.channel import Channel
from foliot.domain.changes import Plans
from foliot.domain.instants import DAY, SECOND, Micros
from foliot.domain.verdict import Judge
from foliot.engine.alert_metrics import GaugesSeen
from foliot.engine.alerting import EVERY_S as ALERT_EVERY_S
from foliot.engine.alerting import ActOnAlert, Alerting, AlertParts, AlertSource, CheckupSeen, no_act
from foliot.engine.anomalies import EVERY_S as JUDGE_EVERY_S
from foliot.engine.anomalies import AnomaliesTold, ForgettingAnomalies, Judging
from foliot.engine.backfills import BackfillAdvance
from foliot.engine.checkups import EVERY_S as CHECKUP_EVERY_S
from foliot.engine.checkups import Checkups, Examine, GradesTold
from foliot.engine.delivery import REST_S as DELIVERY_EVERY_S
from foliot.engine.failovers import FailoverUpkeep
from foliot.engine.gauges import EVERY_S as GAUGES_EVERY_S
from foliot.engine.gauges import GaugeReading, GaugesTold, JobNames
from foliot.engine.journal import NodeNotes, OldNotes
from foliot.engine.leadership import Leadership
from foliot.engine.locks import LockUpkeep
from foliot.engine.maintenance import MaintenanceEnd
from foliot.engine.node_load import EVERY_S as LOAD_EVERY_S
from foliot.engine.node_load import BandOf, ForgettingLoads, LoadKeeping
from foliot.engine.node_look import NodeLook
from foliot.engine.outages import LastOutage
from foliot.engine.pulse import Tide
from foliot.engine.reports import EVERY_S as REPORT_EVERY_S
from foliot.engine.reports import ComposeReport, Reporting
from foliot.engine.retirements import Retiring, Told
from foliot.engine.statistics import EVERY_S as COUNT_EVERY_S
from foliot.engine.statistics import FORGET_EVERY_S, Counting, CountTold, ForgettingFigures
from foliot.engine.upkeep import BelievedNow, Forgetting, Reaping, Repairing
from foliot.ports.clock import Clock
from foliot.ports.store import Store
from foliot.ports.store.gauges import ClusterGauges
from foliot.ports.store.node_row import NodeRow

KEEP_NOTICES_US: Final[Micros] = 30 * DAY
NOTICES_PER_STEP: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderContext:
    """What the duties of the leader are made of."""

    store: Store
    tide: Tide
    judge: Judge
    tick_us: Micros
    grace_us: Micros
    session_ttl_us: Micros
    keep_us: Micros  # history
    believed_now: BelievedNow
    runs_may_be_ready: Callable[[], None]
    replan_calendars: Callable[[int], Awaitable[int]]  # under this term; how many jobs
    plans: Plans
    clock: Clock
    keeps_removed: bool  # jobs that no code declares any more go on
    retirement_told: Told
    locks_granted: Callable[[Sequence[str]], None]  # these claims hold their lock now, or their wait is over
    look: NodeLook
    nodes_seen: Callable[[Sequence[NodeRow]], None] = lambda _nodes: None  # every node, as the leader looks at them
    band_of: BandOf
    on_anomalies: Sequence[AnomaliesTold] = ()  # called when anomalies began or ended
    examine: Examine
    graded: GradesTold
    settle_drills: Callable[[], Awaitable[None]]
    checkup_seen: CheckupSeen = field(default_factory=CheckupSeen)  # alerts go by it
    alert_sources: Sequence[AlertSource] = ()
    gauges_seen: GaugesSeen = field(default_factory=GaugesSeen)  # rules compare them
    leader_gap_us: Callable[[], Micros] = lambda: 0
    last_outage: LastOutage = lambda: None  # of the store, as this server saw it
    act: ActOnAlert = no_act
    notices_wait: Callable[[], None] = lambda: None  # in the outbox
    alerts_decided: Callable[[], None] = lambda: None  # a round of alerts stands in the store
    gauges_read: GaugesTold = lambda _term, _read: None
    names_of_jobs: JobNames = field(default_factory=JobNames)  # that metrics want to know
    counted: CountTold = lambda _minutes: None
    deliver: Callable[[int], Awaitable[float | None]]  # a round of what waits in the outbox, under this term
    keep_alive: Callable[[int], Awaitable[float | None]]  # of signs of life for dead-man's switches
    compose_report: ComposeReport


Round: TypeAlias = Callable[[int], Awaitable[float | None]]
"""One bounded round under a term; how many seconds to rest, None: as long as usual."""


class LeaderDutyRow(NamedTuple):
    """One row of the list."""

    name: str
    make: Callable[[LeaderContext], Round]
    every_s: Callable[[LeaderContext], float]


class LeaderDuty:
    """A duty that rests unless this server leads."""

    def __init__(self, name: str, leadership: Leadership, act: Round, *, every_s: float) -> None:
        self.name = name
        self.wake = asyncio.Event()
        self._leadership = leadership
        self._act = act
        self._every_s = every_s

    async def step(self) -> float:
        term = self._leadership.term
        if term is None:
            return self._every_s
        rest_s = await self._act(term)
        return self._every_s if rest_s is None else rest_s


def leader_duties(context: LeaderContext, leadership: Leadership) -> list[LeaderDuty]:
    """Every duty of the leader, ready for the loop."""
    return [LeaderDuty(row.name, leadership, row.make(context), every_s=row.every_s(context)) for row in LEADER_DUTIES]


# ---------------------------------------------------------------------------------------------------------- makers


def _ticks(count: int) -> Callable[[LeaderContext], float]:
    return lambda context: count * context.tick_us / SECOND


def _seconds(count: float) -> Callable[[LeaderContext], float]:
    return lambda _: count


def _of_reaping(context: LeaderContext) -> Reaping:
    return Reaping(
        context.store.runs,
        context.judge,
        grace_us=context.grace_us,
        session_ttl_us=context.session_ttl_us,
        on_moved=context.runs_may_be_ready,
        believed_now=context.believed_now,
        may_be_silent=context.tide.may_be_silent,
        may_be_assigned=context.tide.may_be_assigned,
    )


def _reaping(context: LeaderContext) -> Round:
    return _of_reaping(context).reap


def _orphans(context: LeaderContext) -> Round:
    return _of_reaping(context).end_orphans


def _timeouts(context: LeaderContext) -> Round:
    return _of_reaping(context).time_out


def _forgetting(context: LeaderContext) -> Round:
    return Forgetting(context.store.runs, context.believed_now, keep_us=context.keep_us).forget


def _repairing(context: LeaderContext) -> Round:
    return Repairing(context.store.jobs, context.store.runs).repair


def _backfilling(context: LeaderContext) -> Round:
    return BackfillAdvance(context.store.backfills, on_made=context.runs_may_be_ready).advance


def _chronicling(context: LeaderContext) -> Round:
    def seen(nodes: Sequence[NodeRow]) -> None:
        context.look.learn(nodes)
        context.nodes_seen(nodes)

    return NodeNotes(context.store.lookups, context.store.journal, tide=context.tide, on_nodes=seen).chronicle


def _failovers(context: LeaderContext) -> Round:
    return FailoverUpkeep(context.store.failovers, context.look.latest, context.tide).keep


def _clearing(context: LeaderContext) -> Round:
    store = context.store
    return OldNotes(store.lookups, store.journal, store.replies, store.failovers).clear


def _calendars(context: LeaderContext) -> Round:
    async def replan(term: int) -> float | None:
        """Jobs that a server left on an older version of their calendar when it died."""
        return 0 if await context.replan_calendars(term) else None

    return replan


def _retiring(context: LeaderContext) -> Round:
    return Retiring(
        context.store.code,
        context.plans,
        context.clock,
        ttl_s=context.session_ttl_us / SECOND,
        keeps_removed=context.keeps_removed,
        on_told=context.retirement_told,
    ).retire


def _of_locks(context: LeaderContext) -> LockUpkeep:
    return LockUpkeep(
        context.store.locks,
        context.store.journal,
        on_granted=context.locks_granted,
        believed_now=context.believed_now,
    )


def _locks(context: LeaderContext) -> Round:
    return _of_locks(context).sweep


def _forgetting_locks(context: LeaderContext) -> Round:
    return _of_locks(context).forget


def _checkups(context: LeaderContext) -> Round:
    store, seen = context.store.checkup, context.checkup_seen
    return Checkups(store, context.examine, on_graded=context.graded, on_found=seen.learn).check_up


def _alerting(context: LeaderContext) -> Round:
    store = context.store

    async def channels() -> Sequence[Channel]:
        return await store.channels.list(namespace=None)

    async def is_drilling() -> bool:
        return bool(await store.drills.open())

    parts = AlertParts(
        rounds=store.alert_rounds,
        alerts=store.alerts,
        failovers=store.failovers,
        heartbeats=store.heartbeats,
        tide=context.tide,
        nodes=context.look.latest,
        band_of=context.band_of,
        checkup=context.checkup_seen,
        channels=channels,
        sources=context.alert_sources,
        gauges=context.gauges_seen,
        leader_gap_us=context.leader_gap_us,
        last_outage=context.last_outage,
        is_drilling=is_drilling,
        act=context.act,
        told=context.notices_wait,
        on_round=context.alerts_decided,
    )
    return Alerting(parts).keep


def _drills(context: LeaderContext) -> Round:
    async def settle(term: int) -> float | None:
        """Judge a drill at which nobody looks. Every server may: the store takes the first verdict."""
        del term
        await context.settle_drills()
        return None

    return settle


def _counting(context: LeaderContext) -> Round:
    return Counting(context.store.statistics, context.clock, on_counted=context.counted).count


def _gauges(context: LeaderContext) -> Round:
    def told(term: int, read: ClusterGauges) -> None:
        context.gauges_seen.learn(term, read)
        context.gauges_read(term, read)

    return GaugeReading(
        context.store.gauges,
        context.clock,
        told=told,
        names=context.names_of_jobs,
        may_wait=context.tide.may_be_ready,
    ).read


def _forgetting_figures(context: LeaderContext) -> Round:
    return ForgettingFigures(context.store.statistics, context.believed_now).forget


def _load(context: LeaderContext) -> Round:
    return LoadKeeping(
        context.store.statistics, context.look.latest, believed_now=context.believed_now, band_of=context.band_of
    ).keep


def _forgetting_loads(context: LeaderContext) -> Round:
    return ForgettingLoads(context.store.statistics, context.believed_now).forget


def _judging(context: LeaderContext) -> Round:
    return Judging(context.store.statistics, context.believed_now, on_anomalies=context.on_anomalies).judge


def _forgetting_anomalies(context: LeaderContext) -> Round:
    return ForgettingAnomalies(context.store.statistics, context.believed_now).forget


def _maintenance(context: LeaderContext) -> Round:
    return MaintenanceEnd(context.store.nodes, context.tide).close


def _of_a_ttl(part: int) -> Callable[[LeaderContext], float]:
    return lambda context: context.session_ttl_us / SECOND / part


def _delivery(context: LeaderContext) -> Round:
    return context.deliver


def _signs_of_life(context: LeaderContext) -> Round:
    return context.keep_alive


def _reports(context: LeaderContext) -> Round:
    return Reporting(
        context.store.reports,
        context.store.channels,
        context.compose_report,
        believed_now=context.believed_now,
        told=context.notices_wait,
    ).report


def _forgetting_notices(context: LeaderContext) -> Round:
    async def forget(term: int) -> float | None:
        """Notices that were settled long ago."""
        now = context.believed_now()
        if now is None:
            return None
        before = now - KEEP_NOTICES_US
        done = await context.store.channels.forget(before=before, limit=NOTICES_PER_STEP, term=term)
        return 0 if done == NOTICES_PER_STEP else None

    return forget


LEADER_DUTIES: Final = (
    LeaderDutyRow("reaping", _reaping, _ticks(2)),
    LeaderDutyRow("orphans", _orphans, _ticks(2)),
    # The worker itself ends a run in time; this is for one that does not, after its grace.
    LeaderDutyRow("timeouts", _timeouts, _ticks(4)),
    LeaderDutyRow("forgetting", _forgetting, _seconds(60)),
    LeaderDutyRow("repairing", _repairing, _seconds(30)),
    LeaderDutyRow("backfilling", _backfilling, _seconds(1)),
    LeaderDutyRow("chronicling", _chronicling, _seconds(5)),
    LeaderDutyRow("failovers", _failovers, _seconds(5)),
    LeaderDutyRow("clearing", _clearing, _seconds(300)),
    LeaderDutyRow("calendars", _calendars, _seconds(60)),
    LeaderDutyRow("retiring", _retiring, _of_a_ttl(3)),
    LeaderDutyRow("lock upkeep", _locks, _seconds(1)),
    LeaderDutyRow("forgetting locks", _forgetting_locks, _seconds(300)),
    LeaderDutyRow("checkups", _checkups, _seconds(CHECKUP_EVERY_S)),
    LeaderDutyRow("drills", _drills, _seconds(30)),
    LeaderDutyRow("statistics", _counting, _seconds(COUNT_EVERY_S)),
    LeaderDutyRow("forgetting statistics", _forgetting_figures, _seconds(FORGET_EVERY_S)),
    LeaderDutyRow("node load", _load, _seconds(LOAD_EVERY_S)),
    LeaderDutyRow("forgetting node load", _forgetting_loads, _seconds(FORGET_EVERY_S)),
    LeaderDutyRow("anomalies", _judging, _seconds(JUDGE_EVERY_S)),
    LeaderDutyRow("forgetting anomalies", _forgetting_anomalies, _seconds(FORGET_EVERY_S)),
    LeaderDutyRow("maintenance", _maintenance, _seconds(5)),
    LeaderDutyRow("alerting", _alerting, _seconds(ALERT_EVERY_S)),
    LeaderDutyRow("gauges", _gauges, _seconds(GAUGES_EVERY_S)),
    LeaderDutyRow("delivery", _delivery, _seconds(DELIVERY_EVERY_S)),
    LeaderDutyRow("signs of life", _signs_of_life, _seconds(10)),
    LeaderDutyRow("reports", _reports, _seconds(REPORT_EVERY_S)),
    LeaderDutyRow("forgetting notices", _forgetting_notices, _seconds(300)),
)
