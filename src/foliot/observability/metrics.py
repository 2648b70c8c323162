"""Metrics of one server, in Prometheus' and OpenMetrics' form, in a registry of their own."""

from collections import Counter as Tally
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.openmetrics import exposition as openmetrics

from foliot.domain.duration_tally import DurationTally
from foliot.domain.instants import SECOND
from foliot.domain.wakeups import TOPICS
from foliot.observability.alert_figures import AlertFigures, NotifiedCounts
from foliot.observability.cluster_figures import ClusterFigures
from foliot.observability.families import TallyShown, counter, gauge, tally_of
from foliot.observability.job_figures import JobFigures
from foliot.observability.node_figures import NodeFiguresShown, NodeGauge
from foliot.observability.watched import CoordinatorFigures, CountsWatched, ReplicaFigures
from foliot.ports.coordinator import CoordinatorHealth
from foliot.ports.store.firing import Decided, Pulse
from foliot.ports.store.runs import Granted
from foliot.ports.worker_link import LeasedRun, Report

PLAIN_TYPE = "text/plain; version=0.0.4; charset=utf-8"
OPEN_TYPE = "application/openmetrics-text"


class MetricsPage(NamedTuple):
    """All metrics in one form."""

    body: bytes
    content_type: str


class ServerMetrics:
    """What a server counts."""

    def __init__(self, *, per_job: int = 0, version: str = "") -> None:
        """`per_job`: of so many jobs it shows series of their own."""
        self.registry = registry = CollectorRegistry()
        self.trace_of: Callable[[LeasedRun], str] | None = None  # where traces are sent: the id of a run's trace
        self.monotonic: Callable[[], float] = lambda: 0.0
        self.runs_created = counter("foliot_runs_created_total", registry)
        self.instants_skipped = counter("foliot_instants_skipped_total", registry)
        self.duplicates = counter("foliot_duplicate_fires_total", registry)
        self.plans_troubled = counter("foliot_plans_troubled_total", registry)
        self.runs_leased = counter("foliot_runs_leased_total", registry)
        self.retries = counter("foliot_retries_total", registry)
        self.attempts_ended = counter("foliot_attempts_ended_total", registry)
        self.reports_fenced = counter("foliot_reports_fenced_total", registry)
        self.sessions_foreign = counter("foliot_foreign_sessions_total", registry)
        self.wakeups_sent = counter("foliot_wakeups_sent_total", registry)
        self.wakeups_heard = counter("foliot_wakeups_heard_total", registry)
        self.term = gauge("foliot_leader_term", registry)
        self.leading = gauge("foliot_leading", registry)
        self.standby = gauge("foliot_standby", registry)
        self.drained = gauge("foliot_drained", registry)
        self.epoch = gauge("foliot_store_epoch", registry)
        self.clock_suspect = gauge("foliot_store_clock_suspect", registry)
        self.maintenance = gauge("foliot_maintenance", registry)
        self.failover_open = gauge("foliot_failover_open", registry)
        self.overdue = gauge("foliot_overdue_seconds", registry)
        self.clock_offset = gauge("foliot_clock_offset_seconds", registry)
        self.pulse_took = gauge("foliot_pulse_seconds", registry)
        self.page_took = gauge("foliot_metrics_seconds", registry)
        self.lateness = self._tally("foliot_fire_lateness_seconds")
        self.queue_delay = self._tally("foliot_queue_delay_seconds")
        self.attempt_took = self._tally("foliot_attempt_duration_seconds")
        self.jobs = JobFigures(per_job)
        self.cluster = ClusterFigures()
        self.alerts = AlertFigures()
        for collector in (self.jobs, self.cluster, self.alerts):
            registry.register(collector)
        gauge("foliot_build_info", registry).labels(version=version).set(1)

    def _tally(self, name: str) -> DurationTally:
        tally = tally_of(name)
        self.registry.register(TallyShown(name, lambda: {"": tally}))
        return tally

    # -- what other parts keep, read at every look -------------------------------------------------------------------

    def watch_store(self, troubles: Mapping[str, int], calls: Mapping[str, DurationTally] | None = None) -> None:
        """Show what the store's connections counted, and how long its calls took, by pool."""
        self.registry.register(CountsWatched("foliot_store_troubles_total", troubles))
        if calls is not None:
            self.registry.register(TallyShown("foliot_store_call_seconds", lambda: calls))

    def watch_requests(self, refused: Mapping[str, int]) -> None:
        """Show which requests the API refused for their number or size."""
        self.registry.register(CountsWatched("foliot_requests_refused_total", refused))

    def watch_coordinator(self, name: str, health: Callable[[], CoordinatorHealth | None]) -> None:
        """Show how the coordination service is."""
        self.registry.register(CoordinatorFigures(name, health))

    def watch_replica(self, answers: Callable[[], int], age_s: Callable[[], int | None]) -> None:
        """Show how the replica is and how often it answered."""
        self.registry.register(ReplicaFigures(answers, age_s))

    def watch_nodes(self, nodes: Callable[[], Iterable[NodeGauge]]) -> None:
        """Show how the nodes are; nothing on servers that do not lead."""
        self.registry.register(NodeFiguresShown(nodes))

    def watch_alerts(self, notified: NotifiedCounts) -> None:
        """Show what became of notifications, by channel and outcome; the part that sends them counts on."""
        self.alerts.watch(notified)

    def watch_pulse_age(self, age_s: Callable[[], float]) -> None:
        gauge("foliot_pulse_age_seconds", self.registry).set_function(age_s)

    def watch_waiting(self, polls: Callable[[], int], claims: Callable[[], int]) -> None:
        """Show how many polls of workers and requests for locks wait at this server."""
        gauge("foliot_polls_parked", self.registry).set_function(polls)
        gauge("foliot_lock_waits_parked", self.registry).set_function(claims)

    # -- what happens ------------------------------------------------------------------------------------------------

    def decided(self, decided: Decided) -> None:
        self.runs_created.inc(decided.created)
        self.instants_skipped.inc(decided.skipped)
        self.duplicates.inc(decided.duplicates)
        self.plans_troubled.inc(len(decided.troubled))
        for lateness_us in decided.lateness_us:
            self.lateness.add(lateness_us / SECOND)

    def granted(self, granted: Granted) -> None:
        leased = retried = 0
        for grant in granted.grants:
            leased += len(grant.runs)
            for run in grant.runs:
                retried += run.attempt > 1
        self.runs_leased.inc(leased)
        self.retries.inc(retried)
        for wait_us in granted.waits_us:
            self.queue_delay.add(wait_us / SECOND)
        if granted.longest_wait is not None:
            run_id, wait_us = granted.longest_wait
            self.queue_delay.mark(run_id, wait_us / SECOND, self._trace_id(run_id, granted))

    def _trace_id(self, run_id: int, granted: Granted) -> str:
        if self.trace_of is None:
            return ""
        runs = [run for grant in granted.grants for run in grant.runs if run.run_id == run_id]
        return self.trace_of(runs[0]) if runs else ""

    def reported(self, reports: Sequence[Report]) -> None:
        for cause, count in Tally(report.cause for report in reports).items():
            self.attempts_ended.labels(cause=str(cause)).inc(count)
        longest, longest_us = None, -1
        for report in reports:
            took_us = report.took_us
            if took_us is not None:
                self.attempt_took.add(took_us / SECOND)
                if took_us > longest_us:
                    longest, longest_us = report, took_us
        if longest is not None:
            self.attempt_took.mark(longest.run_id, longest_us / SECOND)

    def told(self, topic: str) -> None:
        """Count a wake-up for other servers."""
        self.wakeups_sent.labels(topic=topic).inc()

    def woken(self, topic: str) -> None:
        """Count a wake-up of another server, if its topic is known here."""
        if topic in TOPICS:
            self.wakeups_heard.labels(topic=topic).inc()

    def heard(self, pulse: Pulse) -> None:
        self.term.set(pulse.term)
        self.epoch.set(pulse.epoch)
        self.clock_suspect.set(pulse.clock_suspect)
        self.maintenance.set(pulse.maintenance_until > pulse.now)
        self.failover_open.set(pulse.failing)
        overdue_us = 0 if pulse.next_at is None else max(0, pulse.now - pulse.next_at)
        self.overdue.set(overdue_us / SECOND)

    # -- the page ----------------------------------------------------------------------------------------------------

    def render(self) -> bytes:
        """In Prometheus' text form."""
        return generate_latest(self.registry)

    def page(self, accept: str) -> MetricsPage:
        """In the form that a client prefers, by its `Accept` header."""
        began_at = self.monotonic()
        page = self._page(accept)
        self.page_took.set(self.monotonic() - began_at)
        return page

    def _page(self, accept: str) -> MetricsPage:
        if prefers_openmetrics(accept):
            return MetricsPage(_open(self.registry), openmetrics.CONTENT_TYPE_LATEST)
        return MetricsPage(self.render(), PLAIN_TYPE)


_open: Callable[[CollectorRegistry], bytes] = openmetrics.generate_latest


def prefers_openmetrics(accept: str) -> bool:
    """Whether an `Accept` header names OpenMetrics, and no plain text before it."""
    weights: dict[str, float] = {}
    for part in accept.split(","):
        kind, *parameters = (piece.strip() for piece in part.split(";"))
        weights.setdefault(kind.lower(), _weight(parameters))
    wanted = weights.get(OPEN_TYPE, 0.0)
    return wanted > 0 and wanted >= weights.get("text/plain", 0.0)


def _weight(parameters: Iterable[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
