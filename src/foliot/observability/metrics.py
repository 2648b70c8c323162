"""Metrics of one server, in Prometheus' form, in a registry of their own."""

from collections import Counter as Tally
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from foliot.domain.instants import SECOND
from foliot.domain.wakeups import TOPICS
from foliot.ports.coordinator import CoordinatorHealth
from foliot.ports.store.firing import Decided, Pulse
from foliot.ports.store.runs import Granted
from foliot.ports.worker_link import Report

NODES_SHOWN: Final = 1000
_LATENESS_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600)


class NodeGauge(NamedTuple):
    """A node as the leader saw it last."""

    node: str
    kind: str
    id: str
    band: str
    score: float | None
    restarts: int = 0  # by its supervisor
    cause: str | None = None  # why it is not ONLINE


class ServerMetrics:
    """What a server counts."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.runs_created = Counter("foliot_runs_created_total", "Runs created by fires", registry=self.registry)
        self.instants_skipped = Counter("foliot_instants_skipped_total", "Due instants skipped", registry=self.registry)
        self.duplicates = Counter("foliot_duplicate_fires_total", "Fires already there", registry=self.registry)
        self.plans_troubled = Counter("foliot_plans_troubled_total", "Plans not made", registry=self.registry)
        self.lateness = Histogram(
            "foliot_fire_lateness_seconds",
            "Decision after wake",
            buckets=_LATENESS_BUCKETS,
            registry=self.registry,
        )
        self.runs_leased = Counter("foliot_runs_leased_total", "Runs handed to workers", registry=self.registry)
        self.attempts_ended = Counter(
            "foliot_attempts_ended_total", "Attempts reported by workers", ["cause"], registry=self.registry
        )
        self.reports_fenced = Counter("foliot_reports_fenced_total", "Late reports refused", registry=self.registry)
        self.sessions_foreign = Counter(
            "foliot_foreign_sessions_total", "Calls of workers in sessions of other tokens", registry=self.registry
        )
        self.wakeups_sent = Counter(
            "foliot_wakeups_sent_total", "Wake-ups for other servers", ["topic"], registry=self.registry
        )
        self.wakeups_heard = Counter(
            "foliot_wakeups_heard_total", "Wake-ups of other servers", ["topic"], registry=self.registry
        )
        self.term = Gauge("foliot_leader_term", "The leader's term as seen here", registry=self.registry)
        self.leading = Gauge("foliot_leading", "1 while this server leads", registry=self.registry)
        self.standby = Gauge("foliot_standby", "1 while this server is a standby", registry=self.registry)
        self.drained = Gauge("foliot_drained", "1 while a user keeps this server from work", registry=self.registry)
        self.epoch = Gauge("foliot_store_epoch", "The store's epoch", registry=self.registry)
        self.clock_suspect = Gauge(
            "foliot_store_clock_suspect", "1 while the store's clock is not trusted", registry=self.registry
        )
        self.maintenance = Gauge(
            "foliot_maintenance", "1 while no server decides, because a person said so", registry=self.registry
        )
        self.clock_offset = Gauge(
            "foliot_clock_offset_seconds",
            "This machine's wall clock, ahead of the store's; shown, never decided by",
            registry=self.registry,
        )

    def watch_store(self, troubles: Mapping[str, int]) -> None:
        """Show what the store's connections counted, at every look."""
        text = "Store calls that went wrong"
        self.registry.register(_Counts("foliot_store_troubles", text, "kind", troubles))

    def watch_requests(self, refused: Mapping[str, int]) -> None:
        """Show which requests the API refused for their number or size, at every look."""
        text = "Requests refused for their number or size"
        self.registry.register(_Counts("foliot_requests_refused", text, "reason", refused))

    def watch_coordinator(self, name: str, health: Callable[[], CoordinatorHealth | None]) -> None:
        """Show how the coordination service is, at every look."""
        self.registry.register(_CoordinatorGauges(name, health))

    def watch_replica(self, answers: Callable[[], int], age_s: Callable[[], int | None]) -> None:
        """Show how the replica is and how often it answered, at every look."""
        self.registry.register(_ReplicaFigures(answers, age_s))

    def watch_nodes(self, nodes: Callable[[], Iterable[NodeGauge]]) -> None:
        """Show how the nodes are, at every look; nothing on servers that do not lead."""
        self.registry.register(_NodeGauges(nodes))

    def decided(self, decided: Decided) -> None:
        self.runs_created.inc(decided.created)
        self.instants_skipped.inc(decided.skipped)
        self.duplicates.inc(decided.duplicates)
        self.plans_troubled.inc(len(decided.troubled))
        for lateness_us in decided.lateness_us:
            self.lateness.observe(lateness_us / SECOND)

    def granted(self, granted: Granted) -> None:
        self.runs_leased.inc(sum(len(grant.runs) for grant in granted.grants))

    def reported(self, reports: Sequence[Report]) -> None:
        for cause, count in Tally(report.cause for report in reports).items():
            self.attempts_ended.labels(cause=str(cause)).inc(count)

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

    def render(self) -> bytes:
        return generate_latest(self.registry)


class _ReplicaFigures(Collector):
    """Answers from the replica, and its age. Without an age it is not fit to answer."""

    def __init__(self, answers: Callable[[], int], age_s: Callable[[], int | None]) -> None:
        self._answers = answers
        self._age_s = age_s

    def describe(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily]:
        yield from ()

    def collect(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily]:
        age_s = self._age_s()
        yield CounterMetricFamily(
            "foliot_replica_answers", "Requests that the replica answered, not the store", value=self._answers()
        )
        yield GaugeMetricFamily("foliot_replica_fit", "1 while the replica can answer", value=age_s is not None)
        if age_s is not None:
            yield GaugeMetricFamily("foliot_replica_age_seconds", "How old its answers are at most", value=age_s)


class _NodeGauges(Collector):
    """The bands and scores of nodes."""

    def __init__(self, nodes: Callable[[], Iterable[NodeGauge]]) -> None:
        self._nodes = nodes

    def describe(self) -> Iterator[GaugeMetricFamily]:
        yield from ()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        of_node = ["node", "kind", "id"]
        bands = GaugeMetricFamily("foliot_node_band", "1 for the band that a node is in", labels=[*of_node, "band"])
        scores = GaugeMetricFamily("foliot_node_score", "How loaded a node is, from 0 to 1", labels=of_node)
        text = "1 for the reason why a node is not ONLINE"
        causes = GaugeMetricFamily("foliot_node_band_cause", text, labels=[*of_node, "cause"])
        text = "How often its supervisor started this node again"
        restarts = GaugeMetricFamily("foliot_node_restarts", text, labels=of_node)
        for one in islice(self._nodes(), NODES_SHOWN):
            named = [one.node, one.kind, one.id]
            bands.add_metric([*named, one.band], 1)
            if one.cause is not None:
                causes.add_metric([*named, one.cause], 1)
            if one.score is not None:
                scores.add_metric(named, one.score)
            if one.restarts:
                restarts.add_metric(named, one.restarts)
        yield from (bands, causes, scores, restarts)


class _Counts(Collector):
    """Counts that another part keeps."""

    def __init__(self, name: str, text: str, label: str, counts: Mapping[str, int]) -> None:
        self._name = name
        self._text = text
        self._label = label
        self._counts = counts

    def collect(self) -> Iterator[CounterMetricFamily]:
        family = CounterMetricFamily(self._name, self._text, labels=[self._label])
        for key, count in sorted(self._counts.items()):
            family.add_metric([key], count)
        yield family


class _CoordinatorGauges(Collector):
    """How the coordination service is, as this server sees it."""

    def __init__(self, name: str, health: Callable[[], CoordinatorHealth | None]) -> None:
        self._name = name
        self._health = health

    def describe(self) -> Iterator[GaugeMetricFamily]:
        yield from ()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        health = self._health()
        if health is None:
            return
        yield self._gauge("up", "1 while the coordination service answers", health.is_up)
        yield self._gauge("chosen", "1 while the coordination service chose this server", health.is_chosen)
        yield self._gauge("outages", "How often the coordination service fell silent", health.outages)
        if health.latency_s is not None:
            yield self._gauge("latency_seconds", "Of the coordination service's last answer", health.latency_s)

    def _gauge(self, what: str, text: str, value: float) -> GaugeMetricFamily:
        family = GaugeMetricFamily(f"foliot_coordinator_{what}", text, labels=["backend"])
        family.add_metric([self._name], float(value))
        return family
