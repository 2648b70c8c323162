"""Figures of the whole cluster that rules compare with a number (`domain.alerts.rule_metrics`)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from foliot.domain.instants import SECOND, Instant
from foliot.ports.store.alert_rounds import EndedLately
from foliot.ports.store.firing import Pulse
from foliot.ports.store.gauges import ClusterGauges
from foliot.ports.store.node_row import NodeRow

_SHOWN_AS: Final = {"cpu": "cpu_ratio", "memory": "memory_ratio", "disk": "disk_ratio"}


class MetricValue(NamedTuple):
    """A figure that a rule may compare with a number."""

    name: str
    labels: Mapping[str, str]
    value: float


class GaugesSeen:
    """The last gauges, as the leader read them; None: it read none in this term."""

    def __init__(self) -> None:
        self._term: int | None = None
        self._read: ClusterGauges | None = None

    def learn(self, term: int, read: ClusterGauges) -> None:
        """Gauges were read under this term."""
        self._term, self._read = term, read

    def of(self, term: int | None) -> ClusterGauges | None:
        """What was read under this term."""
        return self._read if self._term == term else None


def of_pulse(pulse: Pulse, now: Instant) -> Iterator[MetricValue]:
    """What the last pulse says."""
    overdue_us = 0 if pulse.next_at is None else max(0, now - pulse.next_at)
    yield MetricValue("foliot_overdue_seconds", {}, overdue_us / SECOND)
    yield MetricValue("foliot_store_clock_suspect", {}, float(pulse.clock_suspect))
    yield MetricValue("foliot_maintenance", {}, float(pulse.maintenance_until > now))
    yield MetricValue("foliot_failover_open", {}, float(pulse.failing))


def of_gauges(read: ClusterGauges) -> Iterator[MetricValue]:
    """What the leader reads for its metrics, every 20 seconds."""
    for state, count in read.jobs.items():
        yield MetricValue("foliot_jobs", {"state": state}, count)
    for queue in read.queues:
        yield MetricValue("foliot_queue_ready_runs", {"group": queue.group}, queue.ready)
        yield MetricValue("foliot_queue_oldest_seconds", {"group": queue.group}, queue.oldest_us / SECOND)
    yield MetricValue("foliot_lock_claims", {"state": "held"}, read.claims_held)
    yield MetricValue("foliot_lock_claims", {"state": "waiting"}, read.claims_waiting)
    for limit in read.limits:
        labels = {"limit": limit.name, "limit_namespace": limit.namespace or ""}
        yield MetricValue("foliot_limit_used", labels, limit.used)
        if limit.max is not None:
            yield MetricValue("foliot_limit_max", labels, limit.max)
    for level, count in read.alerts.items():
        yield MetricValue("foliot_alerts_firing", {"level": level}, count)
    yield MetricValue("foliot_notifications_waiting", {}, read.notices_waiting)
    yield MetricValue("foliot_notifications_oldest_seconds", {}, read.notice_oldest_us / SECOND)


def of_last_hour(found: Iterable[EndedLately]) -> Iterator[MetricValue]:
    """What ended in the last hour: of all jobs, and of those that rules name."""
    for one in found:
        states = {"SUCCEEDED": one.succeeded, "FAILED": one.failed}
        if one.job is None:
            yield MetricValue("foliot_retries_total", {}, one.retries)
            yield MetricValue("foliot_queue_delay_seconds", {}, one.delay_max_us / SECOND)
        for state, count in states.items():
            if one.job is None:
                yield MetricValue("foliot_runs_ended_total", {"state": state}, count)
            else:
                namespace, name = one.job
                labels = {"job_namespace": namespace, "job_name": name, "state": state}
                yield MetricValue("foliot_job_runs_ended_total", labels, count)


def of_loads(nodes: Iterable[NodeRow]) -> Iterator[MetricValue]:
    """The figures of the nodes' last beats, by the names of the metrics page and by their own."""
    for node in nodes:
        if node.state == "dead":
            continue
        labels = {"node": node.name, "group": node.group, "kind": node.kind}
        figures: dict[str, float] = dict(node.load)
        figures |= {_SHOWN_AS[name]: value for name, value in node.load.items() if name in _SHOWN_AS}
        if node.slots:
            figures |= {"slots": node.slots, "running": node.busy}
        for name, value in figures.items():
            yield MetricValue(f"foliot_node_{name}", labels, float(value))
