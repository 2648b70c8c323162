"""Conditions: what a rule looks for, as one line of text that users write.

failed · failed 3 of 5                  runs of a job
late 10m · slower p95*2 · slower 5m     a run that does not start, or takes too long
silent 2h                               no run of the job succeeded for so long
queue 5m                                the oldest ready run of a group waits longer
node warning · node offline · node dead
leader 30s · store 30s                  nobody led, the store was away for longer
check clock · check any bad             a check of `foliot cluster doctor`; also drift, certificate 14d
failover                                one that its policy escalates
anomaly · anomaly duration              a job differs from its own baseline
heartbeat · heartbeat missed            a check of something outside of Foliot is down
channel                                 a channel that cannot be reached
foliot_node_score{node="w-1"} > 0.9     a metric
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from foliot.domain.instants import Micros
from foliot.domain.policies.alert import Pace


class ConditionKind(StrEnum):
    """What a condition is about. The words stand in the store."""

    FAILED = "failed"
    LATE = "late"
    SLOWER = "slower"
    SILENT = "silent"
    QUEUE = "queue"
    NODE = "node"
    LEADER = "leader"
    STORE = "store"
    CHECK = "check"
    FAILOVER = "failover"
    ANOMALY = "anomaly"
    HEARTBEAT = "heartbeat"
    CHANNEL = "channel"
    METRIC = "metric"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricTest:
    """A metric compared with a number."""

    metric: str
    labels: Mapping[str, str] = field(default_factory=dict)
    op: str  # > >= < <= == !=
    number: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What a rule looks for. Which fields are set depends on the kind."""

    kind: ConditionKind
    longer_than_us: Micros | None = None  # late, slower, silent, queue, leader, store; check: a certificate's days
    pace: Pace | None = None  # slower
    times: int = 1  # failed: so many …
    of_last: int = 1  # … of the last runs
    word: str = ""  # node: the band; check: its name, or any; anomaly: its kind; heartbeat: its trouble
    grade: str = ""  # check: from this grade on
    test: MetricTest | None = None  # metric
