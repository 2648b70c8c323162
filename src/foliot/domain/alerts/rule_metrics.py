"""Metrics that a rule may compare with a number: those that the leader knows of the whole cluster.

Their names and labels are those of the metrics page. What only grows there is compared by how much it grew in the last
hour: a number since some start says nothing.
"""

from typing import Final, NamedTuple

from foliot.domain.alerts.condition import Condition, ConditionKind
from foliot.domain.errors import BadField
from foliot.domain.names import nearest

_NODE: Final = ("node", "group", "kind")
_JOB: Final = ("job_namespace", "job_name")
NODE_PREFIX: Final = "foliot_node_"


class RuleMetric(NamedTuple):
    """A metric, its labels, and what a rule compares."""

    name: str
    labels: tuple[str, ...]
    text: str
    needs: tuple[str, ...] = ()  # labels that a rule must name


RULE_METRICS: Final = (
    RuleMetric("foliot_jobs", ("state",), "jobs by the state of their schedule: active, paused, done"),
    RuleMetric("foliot_overdue_seconds", (), "how long the earliest due instant is undecided"),
    RuleMetric("foliot_queue_ready_runs", ("group",), "runs of a group that are due and wait for a worker"),
    RuleMetric("foliot_queue_oldest_seconds", ("group",), "how long the first of them waits"),
    RuleMetric("foliot_queue_delay_seconds", (), "the longest wait of a run that started in the last hour"),
    RuleMetric("foliot_runs_ended_total", ("state",), "runs that ended in the last hour: SUCCEEDED, FAILED"),
    RuleMetric("foliot_retries_total", (), "attempts after the first one, of runs that ended in the last hour"),
    RuleMetric("foliot_job_runs_ended_total", (*_JOB, "state"), "of one job, in the last hour", ("job_name",)),
    RuleMetric("foliot_node_score", _NODE, "how loaded a node is, from 0 to 1"),
    RuleMetric("foliot_node_cpu_ratio", _NODE, "CPU in use"),
    RuleMetric("foliot_node_memory_ratio", _NODE, "memory in use"),
    RuleMetric("foliot_node_disk_ratio", _NODE, "disk in use"),
    RuleMetric("foliot_node_threads", _NODE, "threads of the node's process"),
    RuleMetric("foliot_node_slots", _NODE, "runs that a worker can execute at the same time"),
    RuleMetric("foliot_node_running", _NODE, "runs that a worker executes"),
    RuleMetric("foliot_store_clock_suspect", (), "1 while the store's clock is not trusted"),
    RuleMetric("foliot_maintenance", (), "1 while no server decides, because a person said so"),
    RuleMetric("foliot_failover_open", (), "1 while some failover is not over"),
    RuleMetric("foliot_lock_claims", ("state",), "claims on locks: held, waiting"),
    RuleMetric("foliot_limit_used", ("limit", "limit_namespace"), "how much of a named limit is taken"),
    RuleMetric("foliot_limit_max", ("limit", "limit_namespace"), "how much of a named limit there is"),
    RuleMetric("foliot_alerts_firing", ("level",), "alerts that fire: critical, warning, info"),
    RuleMetric("foliot_notifications_waiting", (), "notifications that wait in the outbox"),
    RuleMetric("foliot_notifications_oldest_seconds", (), "how long the oldest of them waits"),
)
KNOWN_METRICS: Final = {one.name: one for one in RULE_METRICS}
OF_LAST_HOUR: Final = frozenset(
    {
        "foliot_queue_delay_seconds",
        "foliot_runs_ended_total",
        "foliot_retries_total",
        "foliot_job_runs_ended_total",
    }
)
"""Read from statistics, once a minute, and only if a rule asks for one."""


def check_metric(when: Condition) -> None:
    """Refuse a metric that no leader will ever see, with the names that are nearest. `BadField`."""
    if when.kind is not ConditionKind.METRIC or when.test is None:
        return
    name = when.test.metric
    known = KNOWN_METRICS.get(name)
    if known is None:
        if name.startswith(NODE_PREFIX):
            return  # a figure of the nodes' beats, which plug-ins may add to
        meant = nearest(name, KNOWN_METRICS) or "foliot_queue_oldest_seconds"
        raise BadField("when", f"rules know no metric {name}", hint=f"did you mean {meant}? See Metrics of rules")
    for label in when.test.labels:
        if label not in known.labels:
            labels = ", ".join(known.labels) or "none"
            raise BadField("when", f"the metric {name} has no label {label}", hint=f"it has these labels: {labels}")
    for label in known.needs:
        if label not in when.test.labels:
            raise BadField(
                "when", f"the metric {name} needs the label {label}", hint=f"write {label} and its value in braces"
            )
