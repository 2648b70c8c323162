"""Metrics of the whole cluster: jobs, queues, limits and locks, as the leader read them from the store last."""

from collections.abc import Callable, Iterable, Iterator

from prometheus_client.registry import Collector

from foliot.domain.instants import SECOND
from foliot.domain.metric_bounds import GROUPS_SHOWN, LIMITS_SHOWN
from foliot.observability.catalogue import OTHERS
from foliot.observability.families import Family, counts, gauges
from foliot.ports.store.gauges import ClusterGauges, GroupQueue


class ClusterFigures(Collector):
    """Shown while the term lasts under which they were read."""

    def __init__(self) -> None:
        self.term: Callable[[], int | None] = lambda: None  # under which this server leads now
        self._read_in: int | None = None
        self._read: ClusterGauges | None = None

    def learn(self, term: int, read: ClusterGauges) -> None:
        """Show these figures while this term lasts."""
        self._read_in, self._read = term, read

    def describe(self) -> Iterator[Family]:
        yield from ()

    def collect(self) -> Iterator[Family]:
        read = self._read
        if read is None or self._read_in != self.term():
            return
        yield from _queues(read.queues)
        yield _jobs(read)
        yield _claims(read)
        yield from _checks(read)
        yield from _limits(read)
        yield from _alerts(read)
        events = counts("foliot_journal_events_total")
        events.add_metric([], read.newest_event)
        yield events


def _jobs(read: ClusterGauges) -> Family:
    family = gauges("foliot_jobs")
    for state, count in sorted(read.jobs.items()):
        family.add_metric([state], count)
    return family


def _claims(read: ClusterGauges) -> Family:
    family = gauges("foliot_lock_claims")
    family.add_metric(["held"], read.claims_held)
    family.add_metric(["waiting"], read.claims_waiting)
    return family


def _alerts(read: ClusterGauges) -> Iterator[Family]:
    firing = gauges("foliot_alerts_firing")
    for level, count in sorted(read.alerts.items()):
        firing.add_metric([level], count)
    waiting, oldest = gauges("foliot_notifications_waiting"), gauges("foliot_notifications_oldest_seconds")
    waiting.add_metric([], read.notices_waiting)
    oldest.add_metric([], read.notice_oldest_us / SECOND)
    yield from (firing, waiting, oldest)


def _checks(read: ClusterGauges) -> Iterator[Family]:
    for name, count in (("foliot_checks", read.checks), ("foliot_checks_down", read.checks_down)):
        family = gauges(name)
        family.add_metric([], count)
        yield family


def _limits(read: ClusterGauges) -> Iterator[Family]:
    used, most = gauges("foliot_limit_used"), gauges("foliot_limit_max")
    for limit in read.limits[:LIMITS_SHOWN]:
        named = [limit.name, limit.namespace or ""]
        used.add_metric(named, limit.used)
        if limit.max is not None:
            most.add_metric(named, limit.max)
    yield from (used, most)


def _queues(queues: Iterable[GroupQueue]) -> Iterator[Family]:
    """The longest queues by themselves; the rest added up."""
    ready, oldest = gauges("foliot_queue_ready_runs"), gauges("foliot_queue_oldest_seconds")
    in_order = sorted(queues, key=lambda queue: (-queue.ready, queue.group))
    for queue in in_order[: GROUPS_SHOWN - 1]:
        ready.add_metric([queue.group], queue.ready)
        oldest.add_metric([queue.group], queue.oldest_us / SECOND)
    if rest := in_order[GROUPS_SHOWN - 1 :]:
        ready.add_metric([OTHERS], sum(queue.ready for queue in rest))
        oldest.add_metric([OTHERS], max(queue.oldest_us for queue in rest) / SECOND)
    yield from (ready, oldest)
