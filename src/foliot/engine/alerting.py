"""Alerting: every few seconds the leader looks, asks the rules, and writes what becomes of alerts in one transaction.

Nothing that decides lives in this server's memory: open alerts, counts and who was told stand in rows, so the next
leader goes on where this one stood. What is kept here is a copy of rules, silences and channels, read again when the
store's marks say that they changed.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, TypeAlias

import structlog

from foliot.domain.alerts.builtin_rules import with_built_in
from foliot.domain.alerts.channel import Channel
from foliot.domain.alerts.condition import ConditionKind
from foliot.domain.alerts.decision import Act, Decision, Scene, decide
from foliot.domain.alerts.inhibition import OF_DRILLS, Circumstances, inhibited
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.alerts.observation import Observation, Sighting
from foliot.domain.alerts.rule import Rule
from foliot.domain.alerts.rule_book import RuleBook, rules_of_job
from foliot.domain.alerts.rule_metrics import OF_LAST_HOUR
from foliot.domain.alerts.silence import Silence
from foliot.domain.checkup import Finding, Grade
from foliot.domain.failover import Urgency
from foliot.domain.instants import DAY, MINUTE, SECOND, Instant, Micros
from foliot.engine import alert_looks as looks
from foliot.engine import alert_metrics as metrics
from foliot.engine.alert_counts import counted
from foliot.engine.alert_heartbeats import by_own_wish, of_heartbeats
from foliot.engine.alert_metrics import GaugesSeen
from foliot.engine.alert_rota import DearLook, Rota
from foliot.engine.outages import LastOutage, Outage, Outages
from foliot.engine.pulse import Tide
from foliot.ports.store.alert_rounds import (
    LIVE_MAX,
    AlertMarks,
    AlertRoundStore,
    EndedLately,
    LiveRuns,
    RoundLook,
    SubjectJob,
)
from foliot.ports.store.alerts import AlertStore
from foliot.ports.store.failovers import Failover, FailoverStore
from foliot.ports.store.heartbeats import DOWN_MAX, HeartbeatStore
from foliot.ports.store.node_row import NodeRow

EVERY_S: Final = 5.0
MINUTE_S: Final = 60.0
SIGNS_MAX: Final = 500
REPAIR_WINDOW: Final = 5000  # jobs by id that a round looks at for policies which an older Foliot did not write
REPAIR_EVERY_US: Final[Micros] = 60 * MINUTE
KEEP_US: Final[Micros] = 90 * DAY
FORGOTTEN_PER_ROUND: Final = 500
PACE_SINCE_US: Final[Micros] = 7 * DAY
LONG_RUN_US: Final[Micros] = SECOND
"""Shorter runs are never slow enough to be told of."""
FAILOVERS_MAX: Final = 500
DEAR_KINDS: Final = frozenset({
    ConditionKind.LATE, ConditionKind.SLOWER, ConditionKind.QUEUE, ConditionKind.SILENT,
})  # fmt: skip
LEVELS: Final = {
    Urgency.LOW: AlertLevel.INFO,
    Urgency.MEDIUM: AlertLevel.WARNING,
    Urgency.HIGH: AlertLevel.CRITICAL,
    Urgency.CRITICAL: AlertLevel.CRITICAL,
}

log = structlog.get_logger("foliot.engine")


class AlertSource(NamedTuple):
    """Another part that sees things: asked once a minute, if a rule is about it. What it does not name is over."""

    kinds: frozenset[ConditionKind]
    look: Callable[[Instant], Awaitable[Sequence[Observation]]]


class CheckupSeen:
    """The last checkup, as the leader made it; None: it made none in this term."""

    def __init__(self) -> None:
        self.seen: tuple[Sequence[Finding], Mapping[str, Grade]] | None = None

    def learn(self, findings: Sequence[Finding], grades: Mapping[str, Grade]) -> None:
        """A checkup was made."""
        self.seen = (findings, grades)


async def _no_channels() -> Sequence[Channel]:
    return ()


async def _no_drill() -> bool:
    return False


ActOnAlert: TypeAlias = Callable[[Act, int], Awaitable[None]]
"""Do something about the alert with this id."""


async def no_act(act: Act, alert_id: int) -> None:
    """Nobody does anything by itself here: it is only noted."""
    log.warning("alert.not_acted", rule=act.rule.name, action=str(act.action.kind), alert=alert_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertParts:
    """What alerting is made of."""

    rounds: AlertRoundStore
    alerts: AlertStore
    failovers: FailoverStore
    heartbeats: HeartbeatStore
    tide: Tide
    nodes: Callable[[], Awaitable[Sequence[NodeRow]]]
    band_of: looks.BandOf
    checkup: CheckupSeen
    channels: Callable[[], Awaitable[Sequence[Channel]]] = _no_channels
    sources: Sequence[AlertSource] = ()
    gauges: GaugesSeen = field(default_factory=GaugesSeen)
    leader_gap_us: Callable[[], Micros] = lambda: 0  # how long nobody led before this server did
    last_outage: LastOutage = lambda: None
    is_drilling: Callable[[], Awaitable[bool]] = _no_drill  # whether nodes are broken on purpose
    act: ActOnAlert = no_act
    told: Callable[[], None] = lambda: None  # notices wait in the outbox
    on_round: Callable[[], None] = lambda: None  # every rule was asked, and what came of it stands in the store


class Alerting:
    """One bounded round every five seconds; its dear looks once a minute, one in a round.

    A quiet round has at most three statements.
    """

    def __init__(self, parts: AlertParts) -> None:
        self._parts = parts
        self._term: int | None = None
        self._marks: AlertMarks | None = None
        self._book = RuleBook(())
        self._rules: Sequence[Rule] = ()
        self._silences: Sequence[Silence] = ()
        self._channels: Sequence[Channel] = ()
        self._rota = Rota()
        self._ended: Sequence[EndedLately] = ()
        self._repair_after: int | None = 0
        self._repaired_at: Instant = 0
        self._forgets = False
        self._gap_us: Micros = 0
        self._outages: Outages | None = None  # None: not yet read in this term
        self._unheard = Outages()  # times in which nobody could take a ping
        self._excused_for: tuple[Outage, ...] = ()

    async def keep(self, term: int) -> float | None:
        """Look, decide, write, act."""
        if self._parts.tide.pulse is None:
            return None
        if term != self._term:
            self._begin(term)
        look = await self._parts.rounds.look(asks_jobs=self._asks_jobs, signs_max=SIGNS_MAX)
        await self._refresh(look.marks)
        nodes = await self._parts.nodes()
        outages = await self._known_outages(look.now, nodes)
        look = await self._excused(look, term)
        observations, looked = await self._observe(look, nodes, outages)
        sightings = await counted(self._book.sightings(observations), self._parts.rounds.failures)
        sightings = by_own_wish(_by_urgency(sightings))
        sightings = inhibited(sightings, await self._around(sightings, nodes, outages))
        scene = Scene(now=look.now, book=self._book, silences=self._silences, channels=self._channels, looked=looked)
        decision = decide(look.known, sightings, scene)
        if await self._write(decision, look, term):
            self._gap_us = 0  # it is told of, or nobody wants to hear of it
            self._parts.on_round()
        await self._tidy(look.now, term)
        return 0 if len(look.signs) >= SIGNS_MAX else None

    # ------------------------------------------------------------------------------------------------------- keeping

    def _begin(self, term: int) -> None:
        """A new term: nothing that an earlier one knew is believed."""
        self._term = term
        self._marks = None
        self._rota.forget()
        self._repair_after = 0
        self._gap_us = self._parts.leader_gap_us()
        self._outages = None
        self._excused_for = ()

    async def _known_outages(self, now: Instant, nodes: Sequence[NodeRow]) -> Outages:
        """Times without the store: from rows, once a term, and what this server saw since."""
        if self._outages is None:
            outages = Outages()
            await outages.read(self._parts.failovers, now)
            self._unheard = outages.copy()
            if self._gap_us:  # with all servers away nothing was started either
                gap = Outage(now - self._gap_us, now)
                outages.learn(gap)
                if not looks.has_server_since(nodes, gap.began_at):
                    self._unheard.learn(gap)  # and nobody took a ping
            self._outages = outages
        self._outages.learn(self._parts.last_outage())
        self._unheard.learn(self._parts.last_outage())
        return self._outages

    async def _excused(self, look: RoundLook, term: int) -> RoundLook:
        """Checks whose ping nobody could hear are waited for anew: a statement after an outage, and once a term."""
        unheard = tuple(self._unheard.long_ones)
        if unheard == self._excused_for:
            return look
        excused = await self._parts.heartbeats.excuse(unheard, term=term) if unheard else ()
        self._excused_for = unheard
        if not excused:
            return look
        log.info("checks.excused", checks=len(excused))
        return replace(look, down=[one for one in look.down if one.id not in excused])

    @property
    def _asks_jobs(self) -> bool:
        return self._marks is None or self._marks.jobs[0] > 0

    async def _refresh(self, marks: AlertMarks) -> None:
        """Read again what changed."""
        before = self._marks
        if before is not None and marks == before:
            return
        is_first = before is None
        if before is None or marks.silences != before.silences:
            self._silences = await self._parts.alerts.silences(namespace=None)
        if before is None or marks.channels != before.channels:
            self._channels = await self._parts.channels()
        if before is None or marks.rules != before.rules:
            self._rules = with_built_in(await self._parts.alerts.rules(namespace=None))
        of_jobs = self._book.of_jobs
        if before is None or marks.jobs != before.jobs:
            found = await self._parts.rounds.policies() if marks.jobs[0] else ()
            of_jobs = {one.job_id: rules_of_job(one.job_id, one.namespace, one.policy) for one in found}
        self._book = RuleBook(self._rules, of_jobs)
        self._marks = marks
        if is_first or (before is not None and marks.rules != before.rules):
            self._rota.forget()  # new rules are asked at once

    def _tidies(self, now: Instant) -> bool:
        """Whether this round tidies up: then it has no dear look besides."""
        if self._repair_after is None and now - self._repaired_at >= REPAIR_EVERY_US:
            self._repair_after = 0
        return self._repair_after is not None or self._forgets

    async def _tidy(self, now: Instant, term: int) -> None:
        """What servers of an older Foliot left out, and what is old."""
        rounds = self._parts.rounds
        if self._repair_after is not None:
            self._repair_after = await rounds.repair_policies(after=self._repair_after, window=REPAIR_WINDOW, term=term)
            self._repaired_at = now
            self._forgets = self._repair_after is None
        elif self._forgets:
            await rounds.forget(before=now - KEEP_US, limit=FORGOTTEN_PER_ROUND, term=term)
            self._forgets = False

    # ------------------------------------------------------------------------------------------------------- looking

    async def _observe(
        self, look: RoundLook, nodes: Sequence[NodeRow], outages: Outages
    ) -> tuple[list[Observation], frozenset[ConditionKind]]:
        """Everything that is so now, and the kinds of it that were really looked at."""
        now = look.now
        dear = await self._rota.go_on(self._dear_looks(nodes, outages), now, may_look=not self._tidies(now))
        jobs = await self._jobs(look)
        served, _ = looks.groups_without_workers(nodes, self._parts.band_of)
        seen = [*looks.of_failures(look.signs, jobs)]
        seen += looks.of_live(look.live, jobs, now=now, served=served, percentiles={})
        seen += looks.of_nodes(nodes, look.known, band_of=self._parts.band_of, now=now)
        seen += of_heartbeats(look.down, now=now)
        seen += looks.of_leader(self._gap_us, now=now)
        kinds = {ConditionKind.NODE, ConditionKind.LEADER} | DEAR_KINDS
        kinds |= {kind for source in self._parts.sources for kind in source.kinds}
        if len(look.live) >= LIVE_MAX:
            kinds -= {ConditionKind.LATE, ConditionKind.SLOWER}  # some are not seen although they last
        if len(look.down) < DOWN_MAX:
            kinds.add(ConditionKind.HEARTBEAT)
        if self._book.of_kind(ConditionKind.METRIC):
            seen += looks.of_metrics(self._metrics(nodes, now), now=now)
            kinds.add(ConditionKind.METRIC)
        checkup = self._parts.checkup.seen
        if checkup is not None:
            seen += looks.of_checks(*checkup, now=now)
            kinds.add(ConditionKind.CHECK)
        found = await self._failovers(look)
        outages.learn_of(found)
        self._unheard.learn_of(found)
        seen += looks.of_failovers(found, now=now)
        kinds |= {ConditionKind.FAILOVER, ConditionKind.STORE}
        own = {(one.kind, one.subject_key) for one in seen}
        seen += [one for one in dear if (one.kind, one.subject_key) not in own]
        return seen, frozenset(kinds)

    def _metrics(self, nodes: Sequence[NodeRow], now: Instant) -> list[metrics.MetricValue]:
        """Figures that rules may compare. Gauges are read every 20 seconds, those of the last hour once a minute."""
        pulse, read = self._parts.tide.pulse, self._parts.gauges.of(self._term)
        values = [*metrics.of_loads(nodes), *metrics.of_last_hour(self._ended)]
        if pulse is not None:
            values += metrics.of_pulse(pulse, now)
        if read is not None:
            values += metrics.of_gauges(read)
        return values

    def _asked_of_last_hour(self) -> Sequence[str] | None:
        """Names of jobs whose last hour a rule compares; None: no rule compares what ended."""
        tests = [rule.when.test for rule in self._book.of_kind(ConditionKind.METRIC)]
        asked = [one for one in tests if one is not None and one.metric in OF_LAST_HOUR]
        if not asked:
            self._ended = ()
            return None
        return [one.labels["job_name"] for one in asked if "job_name" in one.labels]

    async def _failovers(self, look: RoundLook) -> Sequence[Failover]:
        """No statement while no failover is open and no alert tells of one."""
        about = (ConditionKind.FAILOVER, ConditionKind.STORE)
        pulse = self._parts.tide.pulse
        is_told = any(one.alert.kind in about for one in look.known)
        if not is_told and (pulse is None or not pulse.failing):
            return ()
        return await self._parts.failovers.open(limit=FAILOVERS_MAX, within_us=MINUTE)

    async def _jobs(self, look: RoundLook) -> Mapping[int, SubjectJob]:
        return await self._known_jobs({one.job_id for one in look.signs} | {one.job_id for one in look.live})

    def _dear_looks(self, nodes: Sequence[NodeRow], outages: Outages) -> list[DearLook]:
        """What is dear to see: runs of any job, silent jobs, and what other parts say. Only what a rule is about."""
        late_us, slower_us = self._bounds_of_live()
        served, _ = looks.groups_without_workers(nodes, self._parts.band_of)

        async def live(now: Instant) -> Sequence[Observation]:
            return await self._live(now, late_us, slower_us, served)

        async def undecided(now: Instant) -> Sequence[Observation]:
            runs = await self._parts.rounds.undecided()
            return list(looks.of_live(runs, await self._jobs_of(runs), now=now, served=served, percentiles={}))

        async def silent(now: Instant) -> Sequence[Observation]:
            found = await self._silent(now, outages)
            return list(looks.of_silent(found, await self._known_jobs(found), now=now))

        async def ended(now: Instant) -> Sequence[Observation]:
            self._ended = await self._parts.rounds.ended_lately(asked or (), now=now)
            return ()

        asked = self._asked_of_last_hour()
        dear: list[DearLook] = []
        if late_us is not None or slower_us is not None:
            dear.append(DearLook("live", live))
        if self._asks_jobs:
            dear.append(DearLook("undecided", undecided))
        if self._book.of_kind(ConditionKind.SILENT):
            dear.append(DearLook("silent", silent))
        if asked is not None:
            dear.append(DearLook("ended", ended))
        for place, source in enumerate(self._parts.sources):
            if any(self._book.of_kind(kind) for kind in source.kinds):
                dear.append(DearLook(f"source {place}", source.look))
        return dear

    async def _live(
        self, now: Instant, late_us: Micros | None, slower_us: Micros | None, served: frozenset[str]
    ) -> Sequence[Observation]:
        """Runs of any job that a rule may be about."""
        rounds = self._parts.rounds
        runs = await rounds.live(late_us=late_us, slower_us=slower_us)
        jobs = await self._jobs_of(runs)
        slow = [one.job_id for one in runs if one.is_running]
        percentiles = (
            await rounds.percentiles(slow, since=now - PACE_SINCE_US, now=now) if slow and self._has_paces else {}
        )
        return [
            *looks.of_live(runs, jobs, now=now, served=served, percentiles=percentiles),
            *looks.of_queues(runs, jobs, now=now),
        ]

    async def _jobs_of(self, runs: Sequence[LiveRuns]) -> Mapping[int, SubjectJob]:
        return await self._known_jobs({one.job_id for one in runs})

    async def _known_jobs(self, job_ids: Iterable[int]) -> Mapping[int, SubjectJob]:
        wanted = sorted(job_ids)
        return await self._parts.rounds.jobs(wanted) if wanted else {}

    async def _silent(self, now: Instant, outages: Outages) -> Mapping[int, Micros]:
        """Jobs that are silent, and the longest time of a rule that they are. Time without the store does not count."""
        wanted = {rule.when.longer_than_us for rule in self._book.of_kind(ConditionKind.SILENT)}
        silent: dict[int, Micros] = {}
        for for_us in sorted(one for one in wanted if one is not None):
            away_us = outages.away_us(now - for_us, now)
            found = await self._parts.rounds.silent(for_us=for_us + away_us, now=now)
            silent |= dict.fromkeys((job_id for job_id, _ in found), for_us)
            if not found:
                break  # nor is a job silent for longer
        return silent

    def _bounds_of_live(self) -> tuple[Micros | None, Micros | None]:
        """For how long a run must wait, or run, that a rule may be about it; None: no rule is."""
        late_us = _least([*self._book.of_kind(ConditionKind.LATE), *self._book.of_kind(ConditionKind.QUEUE)])
        slower_us = _least(self._book.of_kind(ConditionKind.SLOWER))
        return late_us, LONG_RUN_US if self._has_paces else slower_us

    @property
    def _has_paces(self) -> bool:
        """Whether a rule, or a job, compares runs with what they usually take."""
        rules = [*self._book.of_kind(ConditionKind.SLOWER), *(r for own in self._book.of_jobs.values() for r in own)]
        return any(rule.when.pace is not None for rule in rules)

    async def _around(self, sightings: Sequence[Sighting], nodes: Sequence[NodeRow], outages: Outages) -> Circumstances:
        """What else is so. Drills are asked for only if there is something that one may explain."""
        pulse = self._parts.tide.pulse
        may_be_made = any(one.rule.when.kind in OF_DRILLS for one in sightings)
        now = self._parts.tide.store_now()
        _, lonely = looks.groups_without_workers(nodes, self._parts.band_of)
        return Circumstances(
            store_was_away=outages.is_catching_up(now),
            outages=outages.long_ones,
            in_drill=may_be_made and await self._parts.is_drilling(),
            in_maintenance=pulse is not None and pulse.maintenance_until > now,
            groups_without_workers=lonely,
        )

    # ------------------------------------------------------------------------------------------------------- deciding

    async def _write(self, decision: Decision, look: RoundLook, term: int) -> bool:
        """Whether the round stands in the store."""
        signs = [one.run_id for one in look.signs]
        if decision.is_empty and not signs:
            return True
        await self._bound_acts(decision)
        recorded = await self._parts.rounds.record(decision, signs=signs, term=term)
        if not recorded.is_kept:
            return False  # another leader, or a person, was quicker: the next round looks anew
        for kind, key in decision.events:
            log.info(kind, alert=recorded.ids.get(key))
        if decision.notices:
            self._parts.told()
        for act in decision.acts:
            await self._parts.act(act, recorded.ids[act.alert_key])
        return True

    async def _bound_acts(self, decision: Decision) -> None:
        """No rule does more in an hour than it may, over all of its alerts."""
        if not decision.acts:
            return
        lately = dict(await self._parts.rounds.acted_lately([act.rule.name for act in decision.acts]))
        allowed: list[Act] = []
        for act in decision.acts:
            done = lately.get(act.rule.name, 0)
            if done < act.action.most_an_hour:
                lately[act.rule.name] = done + 1
                allowed.append(act)
            else:
                log.warning("alert.not_acted", rule=act.rule.name, why="as much as the rule may do in an hour")
        decision.leave_out_acts([act for act in decision.acts if act not in allowed])


def _least(rules: Sequence[Rule]) -> Micros | None:
    return min((rule.when.longer_than_us for rule in rules if rule.when.longer_than_us is not None), default=None)


def _by_urgency(sightings: Iterable[Sighting]) -> list[Sighting]:
    """A failover brings its own level and channel along, by its policy."""
    found: list[Sighting] = []
    for one in sightings:
        urgency, channel = one.seen.data.get("urgency"), one.seen.data.get("channel")
        if one.rule.when.kind is not ConditionKind.FAILOVER or not urgency:
            found.append(one)
            continue
        to = (str(channel),) if channel else one.rule.to
        found.append(replace(one, rule=replace(one.rule, level=LEVELS[Urgency(urgency)], to=to)))
    return found
