"""The catalogue of metrics: what a server shows is what the catalogue says, in both forms."""

from collections import Counter
from collections.abc import Iterator

import pytest
from prometheus_client import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_openmetrics
from prometheus_client.parser import text_string_to_metric_families as read_text

from foliot.domain.checkup import Grade
from foliot.domain.drills import DrillState, DrillType
from foliot.domain.duration_tally import DurationTally
from foliot.domain.metric_bounds import CHANNELS_SHOWN, GROUPS_SHOWN, JOBS_SHOWN_MAX, LIMITS_SHOWN
from foliot.domain.run import format_run_id
from foliot.domain.statistics.figures import EndedRun, Minutes, count
from foliot.domain.verdict import Cause
from foliot.observability.catalogue import CATALOGUE, METRICS, OTHERS, MetricType
from foliot.observability.drills import DrillMetrics
from foliot.observability.health import HealthGauges
from foliot.observability.metrics import OPEN_TYPE, ServerMetrics, prefers_openmetrics
from foliot.observability.node_figures import NodeGauge
from foliot.ports.coordinator import CoordinatorHealth
from foliot.ports.store.firing import Decided, Pulse
from foliot.ports.store.gauges import ClusterGauges, GroupQueue
from foliot.ports.store.limits import NamedLimit
from foliot.ports.store.runs import Granted
from foliot.ports.worker_link import Leased, LeasedRun, Report

LOADED = {"cpu": 0.5, "memory": 0.4, "disk": 0.3, "threads": 12.0}


def a_limit(name: str) -> NamedLimit:
    return NamedLimit(key=f"res:{name}", name=name, namespace=None, max=4, used=3)


def leased(run_id: int, *, attempt: int = 1) -> LeasedRun:
    return LeasedRun(
        run_id=run_id, job_id=1, namespace="default", job="tick", version=1, handler="python:jobs:tick",
        attempt=attempt, lease_id="l", fence=1, due_at=0, leased_at=1,
    )  # fmt: skip


def ended(job_id: int, state: str = "SUCCEEDED", kind: str | None = None) -> EndedRun:
    return EndedRun(
        job_id=job_id, is_part=0, node="w", state=state, kind=kind, failures=0,
        ready_at=0, started_at=1_000_000, ended_at=3_000_000,
    )  # fmt: skip


def minutes(*runs: EndedRun) -> Minutes:
    counted: Minutes = {}
    count(counted, runs)
    return counted


def full_metrics() -> ServerMetrics:
    """A leader of a cluster that has everything."""
    metrics = ServerMetrics(per_job=2, version="1.0")
    metrics.trace_of = lambda run: f"{run.run_id:032x}"
    calls = {"api": DurationTally()}
    calls["api"].add(0.002)
    metrics.watch_store(Counter({"retried": 1}), calls)
    metrics.watch_requests(Counter({"requests": 1}))
    metrics.watch_coordinator("redis", lambda: CoordinatorHealth(is_up=True, is_chosen=True, latency_s=0.1, outages=0))
    metrics.watch_replica(lambda: 3, lambda: 5)
    metrics.watch_nodes(lambda: [NodeGauge("w", "worker", "n-1", "WARNING", 0.9, 1, "memory", 8, 2, LOADED)])
    metrics.watch_alerts({("oncall", "sent"): 2})
    metrics.watch_pulse_age(lambda: 0.5)
    metrics.watch_waiting(lambda: 1, lambda: 2)
    grades = HealthGauges(lambda: 1)
    grades.learn(1, {"business.overdue": Grade.OK})
    metrics.registry.register(grades)
    drills = DrillMetrics(metrics.registry)
    drills.told(next(iter(DrillType)), DrillState.ASKED, {})
    drills.told(next(iter(DrillType)), DrillState.LOST, {"detected_us": 5})
    metrics.cluster.term = lambda: 1
    metrics.cluster.learn(1, a_cluster())
    metrics.jobs.counted(minutes(ended(1), ended(2, "FAILED", "timeout"), ended(3)))
    metrics.jobs.learn_names({1: ("default", "one"), 2: ("default", "two")})
    metrics.decided(Decided(now=1, taken=1, created=1, skipped=0, lateness_us=(2_000,)))
    metrics.granted(
        Granted(
            now=9,
            grants=(Leased(request_no=1, runs=(leased(7), leased(8, attempt=2))),),
            more=False,
            waits_us=(1_000, 30_000),
            longest_wait=(8, 30_000),
        )
    )
    metrics.reported([Report(run_id=7, lease_id="l", cause=Cause.SUCCEEDED, took_us=4_000_000)])
    metrics.told("ready")
    metrics.woken("ready")
    return metrics


def a_cluster(groups: int = 1, limits: int = 1) -> ClusterGauges:
    return ClusterGauges(
        jobs={"active": 10, "paused": 2},
        queues=[GroupQueue(f"group-{n}", n + 1, 2_000_000) for n in range(groups)],
        limits=[a_limit(f"db-{n}") for n in range(limits)],
        claims_held=1,
        claims_waiting=2,
        newest_event=77,
        alerts={"critical": 1},
        notices_waiting=3,
        notice_oldest_us=4_000_000,
    )


def families(metrics: ServerMetrics) -> Iterator[Metric]:
    return iter(read_text(metrics.render().decode()))


def shown(metrics: ServerMetrics, name: str) -> dict[tuple[str, ...], float]:
    """The samples of a metric by the values of its labels."""
    return {
        tuple(sample.labels[label] for label in METRICS[name].labels): sample.value
        for family in families(metrics)
        for sample in family.samples
        if sample.name == name
    }


def test_a_server_shows_each_metric_of_the_catalogue_with_its_type_and_labels_and_no_other() -> None:
    found = {}
    for family in families(full_metrics()):
        name = f"{family.name}_total" if family.type == "counter" else family.name
        if name.endswith("_created"):
            continue  # the client library adds when a counter began
        labels = {label for sample in family.samples for label in sample.labels} - {"le"}
        found[name] = (family.type, labels, family.documentation)
    wanted = {row.name: (str(row.shape), set(row.labels), row.text) for row in CATALOGUE}
    assert found == wanted


def test_the_catalogue_names_things_in_one_way() -> None:
    assert len(METRICS) == len(CATALOGUE)
    for row in CATALOGUE:
        assert row.name.startswith("foliot_")
        assert row.name.endswith("_total") == (row.shape is MetricType.COUNTER), row.name
        assert not row.text.endswith("."), row.name
        from_users = {"job_name", "group", "limit", "node", "channel"} & set(row.labels)
        assert not {"job", "instance", "namespace"} & set(row.labels), "Prometheus gives these to what it scrapes"
        assert not from_users or row.most is not None, f"{row.name} has no bound"


def test_openmetrics_has_examples_that_name_a_run_and_its_trace() -> None:
    page = full_metrics().page(f"{OPEN_TYPE};version=1.0.0;q=0.6,text/plain;q=0.3")
    assert page.content_type.startswith(OPEN_TYPE)
    marked = {
        sample.name: sample.exemplar
        for family in read_openmetrics(page.body.decode())  # type: ignore[no-untyped-call]
        for sample in family.samples
        if sample.exemplar is not None
    }
    waited = marked["foliot_queue_delay_seconds_bucket"]
    assert (waited.labels["run_id"], waited.value) == (format_run_id(8), 0.03)
    assert waited.labels["trace_id"] == f"{8:032x}"
    assert marked["foliot_attempt_duration_seconds_bucket"].value == 4.0
    assert b"run_id" not in full_metrics().page("text/plain").body


@pytest.mark.parametrize(
    ("accept", "is_open"),
    [
        ("", False),
        ("*/*", False),
        ("text/plain", False),
        (OPEN_TYPE, True),
        (f"{OPEN_TYPE};version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", True),
        (f"text/plain,{OPEN_TYPE};q=0.5", False),
        (f"{OPEN_TYPE};q=0", False),
        (f"{OPEN_TYPE};q=high", False),
    ],
)
def test_the_form_is_what_a_client_prefers(accept: str, is_open: bool) -> None:
    assert prefers_openmetrics(accept) is is_open


def test_histograms_count_what_came_and_how_much_it_was() -> None:
    metrics = full_metrics()
    steps = {
        sample.labels.get("le"): sample.value
        for family in families(metrics)
        if family.name == "foliot_queue_delay_seconds"
        for sample in family.samples
        if sample.name.endswith("_bucket")
    }
    assert (steps["0.001"], steps["0.025"], steps["0.05"], steps["+Inf"]) == (1, 1, 2, 2)
    assert b"foliot_retries_total 1.0" in metrics.render()


def test_groups_limits_channels_and_jobs_beyond_their_maximum_are_added_up() -> None:
    metrics = ServerMetrics(per_job=JOBS_SHOWN_MAX)
    metrics.cluster.term = lambda: 1
    metrics.cluster.learn(1, a_cluster(groups=GROUPS_SHOWN + 50, limits=LIMITS_SHOWN + 50))
    ready = shown(metrics, "foliot_queue_ready_runs")
    assert len(ready) == GROUPS_SHOWN
    assert sum(ready.values()) == sum(range(1, GROUPS_SHOWN + 51)), "no run is left out"
    assert ready[OTHERS,] == sum(range(1, 52)), "the shortest queues"
    assert len(shown(metrics, "foliot_limit_used")) == LIMITS_SHOWN

    metrics.watch_alerts({(f"channel-{n}", "sent"): 1 for n in range(CHANNELS_SHOWN + 7)})
    notified = shown(metrics, "foliot_notifications_total")
    assert len(notified) == CHANNELS_SHOWN + 1
    assert notified[OTHERS, "sent"] == 7

    metrics.jobs.counted(minutes(*(ended(job_id) for job_id in range(JOBS_SHOWN_MAX + 9))))
    metrics.jobs.learn_names({job_id: ("default", f"job-{job_id}") for job_id in range(1, JOBS_SHOWN_MAX)})
    of_jobs = shown(metrics, "foliot_job_runs_ended_total")
    assert len(of_jobs) == JOBS_SHOWN_MAX
    assert of_jobs[OTHERS, OTHERS, "SUCCEEDED"] == 9 + 1, "one of the first was deleted: nobody knows its name"
    assert shown(metrics, "foliot_runs_ended_total")["SUCCEEDED", ""] == JOBS_SHOWN_MAX + 9


def test_figures_of_the_cluster_are_shown_while_the_term_lasts() -> None:
    metrics = full_metrics()
    assert shown(metrics, "foliot_jobs") == {("active",): 10, ("paused",): 2}
    metrics.cluster.term = lambda: 2
    assert shown(metrics, "foliot_jobs") == {}
    assert shown(metrics, "foliot_runs_ended_total") == {("SUCCEEDED", ""): 2, ("FAILED", "timeout"): 1}


def test_a_pulse_says_how_long_an_instant_is_overdue() -> None:
    metrics = ServerMetrics()
    assert overdue_s(metrics, next_at=3_000_000) == 2.0
    assert overdue_s(metrics, next_at=6_000_000) == 0.0


def overdue_s(metrics: ServerMetrics, *, next_at: int) -> float:
    pulse = Pulse(
        now=5_000_000, next_at=next_at, ready=False, parked=False, admissible=False, epoch=1, leader=None, term=1,
        leader_until=0, clock_suspect=False, lanes=0,
    )  # fmt: skip
    metrics.heard(pulse)
    return shown(metrics, "foliot_overdue_seconds")[()]
