"""An alert: one trouble from its first sign to its end, with everything that it touches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from foliot.domain.alerts.condition import ConditionKind
from foliot.domain.alerts.level import AlertLevel, AlertState
from foliot.domain.instants import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertCause:
    """Why. Equal keys are one trouble; `data` is what `words` needs for the sentence."""

    key: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertSubject:
    """One job, node or part of the cluster that an alert touches."""

    subject: str  # as people call it
    namespace: str | None
    job_id: int | None = None
    run_id: int | None = None  # the latest
    count: int  # how often it was seen
    first_at: Instant
    last_at: Instant
    ended_at: Instant | None = None  # it is well again
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One trouble."""

    id: int
    key: str  # of rule, cause and channels: while it is open, no other alert has it
    rule: str
    kind: ConditionKind
    namespace: str | None
    level: AlertLevel
    state: AlertState
    cause: AlertCause
    to: tuple[str, ...]
    began_at: Instant  # the first sign
    fired_at: Instant | None  # when people were told first; None: it is pending
    last_at: Instant  # when something was last seen
    resolved_at: Instant | None = None
    acked_at: Instant | None = None
    acked_by: str = ""
    ack_note: str = ""
    silence_id: int | None = None  # nobody is told while this silence lasts
    step: int = 0  # how many steps of the escalation were taken
    escalates_from: Instant | None = None  # see `domain.alerts.escalation`
    told_at: Instant | None = None  # the last notice
    seen: int  # findings so far
    subjects: Sequence[AlertSubject] = ()  # the first ones; in a list the first
    subject_count: int = 0
    open_count: int = 0  # subjects that are not well
    job_id: int | None = None  # of a rule that a job brings along
    runbook: str = ""
    ver: int = 1


class NoticeKind(StrEnum):
    """What is told."""

    FIRED = "fired"
    REMINDED = "reminded"
    ESCALATED = "escalated"
    RESOLVED = "resolved"
    DIGEST = "digest"  # several at once, on a channel that asks for that or gets too many
    REPORT = "report"
    TEST = "test"
    ALIVE = "alive"  # the cluster's own heartbeat, for a dead-man's switch


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One thing to tell one channel. `key`: the same thing is never told twice."""

    key: str
    kind: NoticeKind
    channel: str
    namespace: str | None  # of the channel; None: of the whole cluster
    level: AlertLevel
    alert_id: int | None = None
    data: Mapping[str, Any]  # what `words` needs for the message
    not_before: Instant = 0  # 0: at once
