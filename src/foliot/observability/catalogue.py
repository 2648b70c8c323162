"""The catalogue of metrics: every name with its type, labels and meaning. Metrics and their page are made from it.

Names are stable: a dashboard or a rule of last year still works. A metric that is to go away is first called old here,
for one release. Every label has a bounded number of values; where they come from users, a constant names the maximum.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from foliot.domain.metric_bounds import CHANNELS_SHOWN, GROUPS_SHOWN, JOBS_SHOWN_MAX, LIMITS_SHOWN, NODES_SHOWN

OTHERS: Final = "_others"
"""In the place of a name: all that are beyond the maximum, added up. No group, job or channel can have this name."""


class MetricType(StrEnum):
    """The type of a metric."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class ShownBy(StrEnum):
    """Which servers have a metric, and how it is read over all of them."""

    EVERY = "every server; add them up"
    EVERY_OF_IT = "every server, of itself"
    SAME = "every server; all say the same"
    LEADER = "the leader"
    LED = "servers that lead or led; add them up"
    WITH_COORDINATOR = "servers with a coordination service"
    WITH_REPLICA = "servers with a replica"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRow:
    """One metric. `most`: series of one server; None: one, or as many as its labels have fixed values."""

    name: str
    shape: MetricType
    text: str
    servers: ShownBy
    labels: tuple[str, ...] = ()
    most: int | None = None
    family: str
    is_long: bool = False  # a histogram of the work of jobs, not of milliseconds


def _counter(family: str, name: str, text: str, servers: ShownBy, *labels: str, most: int | None = None) -> MetricRow:
    return MetricRow(
        family=family, name=name, shape=MetricType.COUNTER, text=text, servers=servers, labels=labels, most=most
    )


def _gauge(family: str, name: str, text: str, servers: ShownBy, *labels: str, most: int | None = None) -> MetricRow:
    return MetricRow(
        family=family, name=name, shape=MetricType.GAUGE, text=text, servers=servers, labels=labels, most=most
    )


def _histogram(family: str, name: str, text: str, servers: ShownBy, *labels: str, is_long: bool = False) -> MetricRow:
    return MetricRow(
        family=family, name=name, shape=MetricType.HISTOGRAM, text=text, servers=servers, labels=labels, is_long=is_long
    )


_NODE: Final = ("node", "kind", "id")
EVERY, OF_IT, SAME, LEADER, LED = (
    ShownBy.EVERY, ShownBy.EVERY_OF_IT, ShownBy.SAME, ShownBy.LEADER, ShownBy.LED,
)  # fmt: skip

CATALOGUE: Final = (
    # -- jobs and fires
    _gauge("jobs", "foliot_jobs", "Jobs by the state of their schedule: active, paused, done", LEADER, "state"),
    _gauge("jobs", "foliot_overdue_seconds", "How long the earliest due instant is undecided; 0: none is", SAME),
    _counter("fires", "foliot_runs_created_total", "Runs created by fires", EVERY),
    _counter("fires", "foliot_instants_skipped_total", "Due instants skipped", EVERY),
    _counter("fires", "foliot_duplicate_fires_total", "Fires already there", EVERY),
    _counter("fires", "foliot_plans_troubled_total", "Plans not made", EVERY),
    _histogram("fires", "foliot_fire_lateness_seconds", "Decision after wake", EVERY),
    # -- queue
    _gauge("queue", "foliot_queue_ready_runs", "Runs of a group that are due and wait for a worker; counted to 10 000",
           LEADER, "group", most=GROUPS_SHOWN),
    _gauge("queue", "foliot_queue_oldest_seconds", "How long the first of them waits", LEADER, "group",
           most=GROUPS_SHOWN),
    _histogram("queue", "foliot_queue_delay_seconds", "From when a run may start to its lease", EVERY),
    _gauge("queue", "foliot_polls_parked", "Polls of workers that wait here for runs", EVERY),
    # -- runs and attempts
    _counter("runs", "foliot_runs_leased_total", "Runs handed to workers", EVERY),
    _counter("runs", "foliot_retries_total", "Runs handed to workers again, after an earlier attempt", EVERY),
    _counter("runs", "foliot_runs_ended_total", "Runs that ended, as the leader counted them; shards not among them",
             LED, "state", "kind"),
    _counter("attempts", "foliot_attempts_ended_total", "Attempts reported by workers", EVERY, "cause"),
    _histogram("attempts", "foliot_attempt_duration_seconds", "How long attempts took, by their workers", EVERY,
               is_long=True),
    _counter("attempts", "foliot_reports_fenced_total", "Late reports refused", EVERY),
    _counter("attempts", "foliot_foreign_sessions_total", "Calls of workers in sessions of other tokens", EVERY),
    # -- one job each, when wanted
    _counter("per job", "foliot_job_runs_ended_total", "Runs of a job that ended", LED,
             "job_namespace", "job_name", "state", most=3 * (JOBS_SHOWN_MAX + 1)),
    _counter("per job", "foliot_job_run_seconds_total", "Time that runs of a job took together", LED,
             "job_namespace", "job_name", most=JOBS_SHOWN_MAX + 1),
    _gauge("per job", "foliot_job_last_end_timestamp_seconds", "When a run of the job ended last", LED,
           "job_namespace", "job_name", most=JOBS_SHOWN_MAX),
    # -- nodes
    _gauge("nodes", "foliot_node_band", "1 for the band that a node is in", LEADER, *_NODE, "band", most=NODES_SHOWN),
    _gauge("nodes", "foliot_node_band_cause", "1 for the reason why a node is not ONLINE", LEADER, *_NODE, "cause",
           most=NODES_SHOWN),
    _gauge("nodes", "foliot_node_score", "How loaded a node is, from 0 to 1", LEADER, *_NODE, most=NODES_SHOWN),
    _gauge("nodes", "foliot_node_restarts", "How often its supervisor started this node again", LEADER, *_NODE,
           most=NODES_SHOWN),
    _gauge("nodes", "foliot_node_slots", "Runs that a worker can execute at the same time", LEADER, *_NODE,
           most=NODES_SHOWN),
    _gauge("nodes", "foliot_node_running", "Runs that a worker executes", LEADER, *_NODE, most=NODES_SHOWN),
    _gauge("nodes", "foliot_node_cpu_ratio", "CPU in use, of the machine or the container", LEADER, *_NODE,
           most=NODES_SHOWN),
    _gauge("nodes", "foliot_node_memory_ratio", "Memory in use, of the machine or the container", LEADER, *_NODE,
           most=NODES_SHOWN),
    _gauge("nodes", "foliot_node_disk_ratio", "Disk in use", LEADER, *_NODE, most=NODES_SHOWN),
    _gauge("nodes", "foliot_node_threads", "Threads of the node's process", LEADER, *_NODE, most=NODES_SHOWN),
    # -- store
    _counter("store", "foliot_store_troubles_total", "Store calls that went wrong", EVERY, "kind"),
    _histogram("store", "foliot_store_call_seconds", "Calls of the store by pool of connections, with every wait and "
               "every try", EVERY, "pool"),
    _gauge("store", "foliot_pulse_seconds", "How long the last pulse took", OF_IT),
    _gauge("store", "foliot_pulse_age_seconds", "How long ago the last pulse was", OF_IT),
    _gauge("store", "foliot_store_epoch", "The store's epoch", SAME),
    _gauge("store", "foliot_store_clock_suspect", "1 while the store's clock is not trusted", SAME),
    _counter("store", "foliot_replica_answers_total", "Requests that the replica answered, not the store",
             ShownBy.WITH_REPLICA),
    _gauge("store", "foliot_replica_fit", "1 while the replica can answer", ShownBy.WITH_REPLICA),
    _gauge("store", "foliot_replica_age_seconds", "How old its answers are at most", ShownBy.WITH_REPLICA),
    # -- coordination
    _gauge("coordination", "foliot_leading", "1 while this server leads", OF_IT),
    _gauge("coordination", "foliot_leader_term", "The leader's term as seen here", SAME),
    _gauge("coordination", "foliot_standby", "1 while this server is a standby", OF_IT),
    _gauge("coordination", "foliot_drained", "1 while a user keeps this server from work", OF_IT),
    _gauge("coordination", "foliot_maintenance", "1 while no server decides, because a person said so", SAME),
    _gauge("coordination", "foliot_failover_open", "1 while some failover is not over", SAME),
    _gauge("coordination", "foliot_clock_offset_seconds",
           "This machine's wall clock, ahead of the store's; shown, never decided by", OF_IT),
    _counter("coordination", "foliot_wakeups_sent_total", "Wake-ups for other servers", EVERY, "topic"),
    _counter("coordination", "foliot_wakeups_heard_total", "Wake-ups of other servers", EVERY, "topic"),
    _gauge("coordination", "foliot_coordinator_up", "1 while the coordination service answers",
           ShownBy.WITH_COORDINATOR, "backend"),
    _gauge("coordination", "foliot_coordinator_chosen", "1 while the coordination service chose this server",
           ShownBy.WITH_COORDINATOR, "backend"),
    _gauge("coordination", "foliot_coordinator_outages", "How often the coordination service fell silent",
           ShownBy.WITH_COORDINATOR, "backend"),
    _gauge("coordination", "foliot_coordinator_latency_seconds", "Of the coordination service's last answer",
           ShownBy.WITH_COORDINATOR, "backend"),
    # -- locks and limits
    _gauge("locks", "foliot_lock_claims", "Claims on locks: those that hold one, those that wait; counted to 10 000",
           LEADER, "state"),
    _gauge("locks", "foliot_lock_waits_parked", "Requests that wait here for a lock", EVERY),
    _gauge("limits", "foliot_limit_used", "How much of a named limit is taken", LEADER, "limit", "limit_namespace",
           most=LIMITS_SHOWN),
    _gauge("limits", "foliot_limit_max", "How much of a named limit there is", LEADER, "limit", "limit_namespace",
           most=LIMITS_SHOWN),
    # -- what people look at
    _gauge("health", "foliot_health", "1 for the level that a check of the doctor has", LEADER, "check", "level"),
    _gauge("alerts", "foliot_alerts_firing", "Alerts that fire", LEADER, "level"),
    _gauge("alerts", "foliot_checks", "Checks of jobs outside of Foliot", LEADER),
    _gauge("alerts", "foliot_checks_down", "Checks of jobs outside of Foliot that are down", LEADER),
    _counter("alerts", "foliot_notifications_total", "Notifications by channel and outcome", EVERY,
             "channel", "outcome", most=4 * (CHANNELS_SHOWN + 1)),
    _gauge("alerts", "foliot_notifications_waiting", "Notifications in the outbox; counted to 10 000", LEADER),
    _gauge("alerts", "foliot_notifications_oldest_seconds", "How long the oldest notification waits", LEADER),
    _counter("alerts", "foliot_alert_rounds_total", "Rounds in which a leader asked every rule", ShownBy.LED),
    _counter("journal", "foliot_journal_events_total", "Events that were ever noted: the number of the newest", LEADER),
    _counter("drills", "foliot_drills_started_total", "Drills asked for here", EVERY, "type"),
    _counter("drills", "foliot_drills_ended_total", "Drills that were closed here", EVERY, "type", "outcome"),
    _gauge("drills", "foliot_drill_last_seconds", "From its beginning, of the last drill that was judged here", OF_IT,
           "type", "time"),
    # -- the process
    _counter("process", "foliot_requests_refused_total", "Requests refused for their number or size", EVERY, "reason"),
    _gauge("process", "foliot_build_info", "1, with the version of this server", OF_IT, "version"),
    _gauge("process", "foliot_metrics_seconds", "How long the last page of metrics took", OF_IT),
)  # fmt: skip

METRICS: Final = {row.name: row for row in CATALOGUE}


def series_of(row: MetricRow) -> tuple[str, ...]:
    """The names under which samples of a metric are stored."""
    if row.shape is MetricType.HISTOGRAM:
        return tuple(f"{row.name}_{part}" for part in ("bucket", "sum", "count"))
    return (row.name,)
