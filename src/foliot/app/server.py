"""Build and run a server: the duties, the worker service and the API around one store."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from functools import partial

import structlog

from foliot import __version__
from foliot.app.certificate_end import certificates_of
from foliot.app.channel_parts import Telling
from foliot.app.coordinators import make_coordinator
from foliot.app.handler_kinds import InstalledKinds
from foliot.app.node_gauges import band_of, node_gauges
from foliot.app.notifier_kinds import InstalledNotifiers
from foliot.app.server_hello import cluster_times, installed_routes, server_hello
from foliot.app.server_metrics import metrics_of
from foliot.app.server_wakeups import woken
from foliot.app.settings import ServerSettings
from foliot.domain.access import INTERNAL
from foliot.domain.alerts.channel import Channel
from foliot.domain.checkup import Finding
from foliot.domain.clocks import ClockDoubt
from foliot.domain.drills import NodeDrills
from foliot.domain.errors import ClusterTrouble
from foliot.domain.instants import SECOND, Instant
from foliot.domain.planner import Planner
from foliot.domain.roles import Role
from foliot.domain.verdict import judge
from foliot.domain.wakeups import CHANGED, DUE, NOTICES, READY, ROLES, STOP, lock_topic, subject_of
from foliot.engine.alert_anomalies import anomaly_source
from foliot.engine.anomalies import AnomaliesTold
from foliot.engine.failovers import FailureNotes
from foliot.engine.firing import Firing
from foliot.engine.gauges import JobNames
from foliot.engine.lane_book import LaneBook
from foliot.engine.leader_duties import LeaderContext, LeaderDuty, leader_duties
from foliot.engine.leader_gap import LeaderGap
from foliot.engine.leadership import Leadership, Leading
from foliot.engine.leasing import Leasing, ServerDrained, ServerStandsBy
from foliot.engine.lock_desk import LockWaiting
from foliot.engine.loop import Duty, DutyLoop
from foliot.engine.node_look import NodeLook
from foliot.engine.presence import DRAINED, OwnSession, Presence
from foliot.engine.pulse import Pulsing, Tide
from foliot.engine.replica_look import ReplicaLooking
from foliot.engine.retirements import Told
from foliot.engine.roles import OwnRole, Promoting, WhileActive
from foliot.engine.step_guard import StepGuard
from foliot.engine.sweep import Sweeping
from foliot.engine.tallies import Tallies
from foliot.observability.drills import DrillMetrics
from foliot.observability.health import HealthGauges
from foliot.observability.node_figures import NodeGauge
from foliot.operations.alert_actions import act_on_alert
from foliot.operations.calendars import replan
from foliot.operations.checkup import check_up
from foliot.operations.drills import settle_open
from foliot.operations.offers import Offers
from foliot.operations.replica_reads import ReplicaReads
from foliot.operations.reports import composed_report
from foliot.operations.services import Services
from foliot.operations.worker_service import WorkerService
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.store import Store
from foliot.ports.store.assignment import Routing
from foliot.ports.store.code import RetiringJob
from foliot.ports.store.errors import StoreUnavailable
from foliot.ports.store.firing import Decided
from foliot.ports.store.node_row import NodeRow
from foliot.ports.store.replica import Replica
from foliot.ports.store.runs import Granted
from foliot.ports.worker_link import Hello, Report
from foliot.worker.load import LoadFigures

log = structlog.get_logger("foliot.server")


class Server:
    """One server: kill it at any moment, the others go on."""

    def __init__(
        self,
        settings: ServerSettings,
        store: Store,
        *,
        clock: Clock,
        chance: Chance,
        drills: NodeDrills | None = None,
        replica: Replica | None = None,
    ) -> None:
        """`drills`: in which it takes part; None: in none. `replica`: answers reads while the store is away."""
        self.settings = settings
        self._drills = drills
        self.store = store
        self.is_stopping = False  # no more traffic is wanted; what is under way goes on
        self._clock = clock
        self._coordinator = make_coordinator(store, settings, clock=clock, chance=chance)
        self._certificates = certificates_of(settings, clock)
        self.session = OwnSession(chance)
        self.role = OwnRole(Role.STANDBY if settings.is_standby else Role.ACTIVE)
        self.tide = Tide(clock)
        self.leadership = Leadership(clock)
        self.step_guard = self._make_step_guard()
        self._seen_nodes: Sequence[NodeGauge] = ()
        self.health = HealthGauges(lambda: self.leadership.term)
        self.tallies = Tallies()
        self.metrics = metrics_of(self, clock, self._coordinator, lambda: self._seen_nodes)
        self.metrics.standby.set(settings.is_standby)

        planner = Planner(routes=installed_routes())
        self.pulsing = Pulsing(store.firing, self.tide, clock=clock, every_s=settings.timing.pulse_us / SECOND)
        self.firing = self._make_firing(planner)
        self.leasing = self._make_leasing(planner)
        self.lock_waiting = LockWaiting(store.locks, clock=clock, tell_others=self._claims_granted)
        self.sweeping = Sweeping(store.firing, on_moved=self.leasing.hint, doubt=self._clock_doubt)
        self.leading = self._make_leading()
        self.presence = self._make_presence()
        self.promoting = self._make_promoting()
        self.role.on_change.append(self._role_changed)
        self.failure_notes = FailureNotes(
            store.failovers, self.tide, session=self.session, node=settings.node_name, clock=clock
        )
        self.leader_gap = LeaderGap()
        self.deciding = [WhileActive(duty, self.role) for duty in (self.firing, self.leasing, self.sweeping)]
        self._listen_to_the_pulse()

        self.services = self._make_services(planner, chance)
        self.telling = Telling(self.settings, self.services, self.tide, lambda: self.failure_notes.is_away)
        self.metrics.watch_alerts(self.telling.delivering.outcomes)
        self.replica = None if replica is None else self._make_replica_reads(replica)
        self.on_retirement: list[Told] = []
        self.on_anomalies: list[AnomaliesTold] = []  # called when anomalies began or ended, on the leader
        self.on_change: list[Callable[[], None]] = []  # called when a user changed something at another server
        self.workers = self._make_workers()
        leader_duties = self._leader_duties()
        self.delivery = next(duty for duty in leader_duties if duty.name == "delivery")
        self.duties = DutyLoop([*self._own_duties(), *leader_duties], clock=clock, chance=chance)

    # -- parts ----------------------------------------------------------------------------------------------------

    def _make_step_guard(self) -> StepGuard:
        hold_s = self.settings.timing.session.ttl_us / SECOND / 3
        clock = self._clock
        return StepGuard(self.store.nodes, self.session, clock=clock, boottime=clock.boottime, hold_s=hold_s)

    def _nodes_seen(self, nodes: Sequence[NodeRow]) -> None:
        """As the leader, this server looked at every node."""
        self._seen_nodes = node_gauges(nodes, self.tide.store_now(), self.settings.timing.bands)

    def _make_firing(self, planner: Planner) -> Firing:
        return Firing(
            self.store.firing,
            planner.decide,
            self.tide,
            clock=self._clock,
            again=self.pulsing.wake,
            on_decided=self._decided,
            bounds=self.step_guard,
            routing=Routing(planner.route, self.settings.timing.bands),
        )

    def _make_leasing(self, planner: Planner) -> Leasing:
        return Leasing(
            self.store.runs,
            LaneBook(self.store.jobs),
            self.tide,
            clock=self._clock,
            on_granted=self._granted,
            doubt=self._clock_doubt,
            health=self.settings.timing.bands,
            rests=self._why_it_rests,
            ask_route=planner.route,
            on_assigned=lambda: self._tell(READY),
        )

    def _why_it_rests(self) -> ClusterTrouble | None:
        if self.role.is_drained:
            return ServerDrained()
        return ServerStandsBy() if self.role.is_standby else None

    def _make_leading(self) -> Leading:
        ttl_us = self.settings.timing.leader_ttl_us
        return Leading(
            self._coordinator,
            self.leadership,
            self.tide,
            session=self.session,
            ttl_us=ttl_us,
            margin_us=ttl_us // 5,
            clock=self._clock,
            on_change=lambda term: self.metrics.leading.set(term is not None),
            on_handed=self._cursors_moved,  # wakes the pulse everywhere
            rests=lambda: self.role.rests,
        )

    def _make_presence(self) -> Presence:
        return Presence(
            self.store.nodes,
            self.session,
            self._hello,
            judge,
            ttl_us=self.settings.timing.session.ttl_us,
            clock_offset=lambda: self.step_guard.offset.us,
            load=LoadFigures(self._clock, own=self._own_load).read,
            health=self.settings.timing.bands,
            is_ready=lambda: self.tide.pulse is not None,
            drills=self._drills,
            role=self.role,
        )

    def _hello(self, session: str) -> Hello:
        drills = () if self._drills is None else self._drills.types
        return server_hello(self.settings, self._clock, session, schema=self.store.schema, drills=drills)

    def _make_promoting(self) -> Promoting:
        return Promoting(
            self.store.nodes,
            self.role,
            leads=lambda: self.leadership.term is not None,
            every_us=self.settings.timing.session.beat_every_us,
            on_promoted=self._roles_changed,
        )

    def _role_changed(self) -> None:
        """Let the duties of the new role begin at once."""
        self.metrics.standby.set(self.role.is_standby)
        self.metrics.drained.set(self.role.is_drained)
        if self.role.rests:
            self.leasing.send_away()
        for duty in (self.leading, self.pulsing, self.firing, self.leasing):
            duty.wake.set()

    def _roles_changed(self) -> None:
        """The store has another role for a server: all beat now, and learn theirs."""
        self.presence.wake.set()
        self._tell(ROLES)

    def _own_load(self) -> dict[str, float]:
        """Polls that wait here, the coordination service, certificates and encryption, for all to see."""
        health = self._coordinator.health()
        load = self.settings.restarts.as_load()
        if health is not None:
            load |= health.as_load()
        for certificate in self._certificates:
            load |= certificate.load()
        if self.replica is not None:
            load |= self.replica.load()
        if self.role.is_drained:
            load[DRAINED] = float(self._is_idle())
        load |= self.tallies.as_load()
        load |= self.telling.secrets.as_load()
        return {**load, "plain_http": float(self.settings.is_plain), "queue": float(self.leasing.parked)}

    def _is_idle(self) -> bool:
        """It leads not, no poll waits here, and no step that decides is under way."""
        is_deciding = any(duty.is_busy for duty in self.deciding)
        return self.leadership.term is None and not self.leasing.parked and not is_deciding

    def _make_services(self, planner: Planner, chance: Chance) -> Services:
        notifiers = InstalledNotifiers()
        return Services(
            store=self.store,
            clock=self._clock,
            chance=chance,
            plans=planner,
            judge=judge,
            times=self.settings.timing.session,
            offers=Offers(self.store.lookups, self._clock),
            kinds=InstalledKinds(),
            lock_desk=self.lock_waiting,
            runs_may_be_ready=self._runs_may_be_ready,
            cursors_moved=self._cursors_moved,
            cluster_times=cluster_times(self.settings.timing),
            cancels_asked=self._cancels_asked,
            roles_changed=self._roles_changed,
            runs_ended=self._ended_by_callback,
            drill_told=DrillMetrics(self.metrics.registry).told,
            settings=self.settings.told,
            node_name=self.settings.node_name,
            spans=self.settings.spans,
            route_names=planner.routes.names,
            health=self.settings.timing.bands,
            channel_kinds=notifiers.schemas,
            channel_body=notifiers.body,
            lacks_secrets=self._lacks_secrets,
            public_url=self.settings.public_url,
            notices_wait=self._notices_wait,
        )

    async def _lacks_secrets(self, channels: Sequence[Channel]) -> Sequence[str]:
        return await self.telling.teller.missing(channels)

    def _notices_wait(self) -> None:
        """Something is in the outbox: the leader looks at once, here or elsewhere."""
        self.delivery.wake.set()
        self._tell(NOTICES)

    def _make_replica_reads(self, replica: Replica) -> ReplicaReads:
        offers = Offers(replica.store.lookups, self._clock)
        services = replace(self.services, store=replica.store, offers=offers)
        reads = ReplicaReads(replica, services, heard=self._last_heard, is_away=lambda: self.failure_notes.is_away)
        self.metrics.watch_replica(lambda: reads.answers, lambda: reads.age_s)
        self.failure_notes.answered = lambda: reads.answers
        return reads

    def _last_heard(self) -> tuple[int, Instant] | None:
        pulse = self.tide.pulse
        return None if pulse is None else (pulse.epoch, pulse.now)

    def _make_workers(self) -> WorkerService:
        workers = WorkerService(
            self.services,
            self.leasing,
            on_fenced=self.metrics.reports_fenced.inc,
            on_foreign=self.metrics.sessions_foreign.inc,
            on_timeouts=self.failure_notes.timed_out,
            on_room=self.leasing.hint,
            public_url=self.settings.public_url,
            servers=lambda: self.presence.addresses,
        )
        workers.on_reports.append(self.metrics.reported)
        workers.declaring.on_back.append(partial(self._tell_retirement, "job.declared_again"))
        return workers

    def _listen_to_the_pulse(self) -> None:
        """In this order: the step guard judges the clock before a duty goes by it."""
        listeners = (self.step_guard, self.metrics, self.firing, self.leading, self.leasing, self.sweeping,
                     self.failure_notes, self.leader_gap)  # fmt: skip
        for listener in listeners:
            self.pulsing.on_pulse(listener.heard)
        self.pulsing.on_missed = self.failure_notes.missed

    def _own_duties(self) -> list[Duty]:
        """What every server does."""
        looking = () if self.replica is None else (ReplicaLooking(self.replica.look),)
        return [
            self.pulsing,
            *looking,
            *self.deciding,
            self.leading,
            self.presence,
            self.promoting,
            self.step_guard,
            self.lock_waiting,
            self.failure_notes,
            *self.telling.duties(),
        ]

    def _leader_duties(self) -> list[LeaderDuty]:
        timing = self.settings.timing
        context = LeaderContext(
            store=self.store,
            tide=self.tide,
            judge=judge,
            tick_us=timing.tick_us,
            grace_us=timing.grace_us,
            session_ttl_us=timing.session.ttl_us,
            keep_us=self.settings.keep_us,
            believed_now=self._believed_now,
            runs_may_be_ready=self._runs_may_be_ready,
            replan_calendars=self._replan_calendars,
            plans=self.services.plans,
            clock=self._clock,
            keeps_removed=self.settings.keeps_removed,
            retirement_told=self._retirement_told,
            locks_granted=self.lock_waiting.granted,
            look=NodeLook(self.store.lookups, self._clock),
            nodes_seen=self._nodes_seen,
            band_of=band_of(self.tide, timing.bands),
            on_anomalies=self.on_anomalies,
            examine=self._examine,
            graded=self.health.learn,
            settle_drills=partial(settle_open, self.services),
            leader_gap_us=self.leader_gap.taken,
            last_outage=lambda: self.failure_notes.last_outage,
            act=partial(act_on_alert, self.services),
            gauges_read=self.metrics.cluster.learn,
            names_of_jobs=JobNames(self.metrics.jobs.unnamed, self.metrics.jobs.learn_names),
            counted=self.metrics.jobs.counted,
            deliver=self.telling.delivering.deliver,
            keep_alive=self.telling.keep_alive,
            alert_sources=[*self.telling.alert_sources(), anomaly_source(self.store.alert_rounds)],
            notices_wait=self._notices_wait,
            alerts_decided=self.metrics.alerts.decided,
            compose_report=partial(composed_report, self.store),
        )
        return leader_duties(context, self.leadership)

    async def _examine(self) -> Sequence[Finding]:
        return (await check_up(self.services, INTERNAL)).findings

    def _retirement_told(self, kind: str, job: RetiringJob) -> None:
        if kind == "job.declared_again":
            self._cursors_moved()
        self._tell_retirement(kind, job)

    def _tell_retirement(self, kind: str, job: RetiringJob) -> None:
        for listener in self.on_retirement:
            listener(kind, job)

    async def _replan_calendars(self, term: int) -> int:
        return await replan(self.services, term=term)

    # -- life -----------------------------------------------------------------------------------------------------

    async def run(self, stop: asyncio.Event) -> None:
        """Do every duty until told to stop; then hand leadership over and leave."""
        log.info("server.started", node=self.settings.node_name, session=self.session.id, version=__version__)
        telling = asyncio.create_task(self._tell_of(stop), name="stopping")
        try:
            async with self._listening():
                await self.duties.run(stop)
                self.is_stopping = True
                self.leasing.stop()
                with contextlib.suppress(StoreUnavailable):  # reaping covers what a lost store keeps us from saying
                    await self.leading.resign()
                    await self.presence.leave()
        finally:
            telling.cancel()
        log.info("server.stopped", node=self.settings.node_name)

    def wants_no_traffic(self) -> str:
        """Why balancers are to send users elsewhere; empty: they need not."""
        if self.is_stopping:
            return "stopping"
        return "drained" if self.role.is_drained else ""

    async def _tell_of(self, stop: asyncio.Event) -> None:
        """From the first moment: load balancers and workers are to look elsewhere while the last steps finish (R18)."""
        await stop.wait()
        self.is_stopping = True
        self.leasing.stop()

    @contextlib.asynccontextmanager
    async def _listening(self) -> AsyncIterator[None]:
        """Hear the wake-ups of other servers while it runs. All of it works without, by polling."""
        await self._coordinator.listen(partial(woken, self))
        try:
            yield
        finally:
            await self._coordinator.close()

    def _tell(self, topic: str) -> None:
        self.metrics.told(subject_of(topic))
        self._coordinator.send(topic)

    def _clock_doubt(self) -> ClockDoubt | None:
        return None if self.tide.pulse is None else self.step_guard.doubt(self.tide.store_now())

    def _believed_now(self) -> Instant | None:
        return None if self.tide.pulse is None else self.step_guard.believed(self.tide.store_now())

    def _granted(self, granted: Granted) -> None:
        self.metrics.granted(granted)
        self.tallies.granted(granted)

    def _decided(self, decided: Decided) -> None:
        self.metrics.decided(decided)
        self.tallies.decided(decided)
        if decided.troubled:
            log.error("plan.troubled", jobs=list(decided.troubled[:10]), count=len(decided.troubled))
        if decided.created:
            self._runs_may_be_ready()

    def _runs_may_be_ready(self) -> None:
        self.leasing.hint()
        self._tell(READY)

    def _cursors_moved(self) -> None:
        self.pulsing.wake.set()
        self._tell(DUE)

    def _cancels_asked(self) -> None:
        self.leasing.call_for_beats()
        self._tell(STOP)

    def changed(self) -> None:
        """Tell the other servers that a user changed something here."""
        self._tell(CHANGED)

    def _claims_granted(self, claims: Sequence[str]) -> None:
        for claim in claims:
            self._tell(lock_topic(claim))

    def _ended_by_callback(self, reports: Sequence[Report]) -> None:
        for listener in self.workers.on_reports:
            listener(reports)
