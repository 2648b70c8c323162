"""Alert rules: a condition, what it is asked of, how grave it is, and whom to tell.

night-failures:
  when: failed 2 of 3
  of: {group: etl, job: "settle*", tags: {team: data}}
  level: critical
  for: 5m
  after: 2 in 24h
  to: [oncall]
  recover: true
  remind: 4h
  hours: {days: mon-fri, from: "09:00", to: "18:00", timezone: Asia/Shanghai}
  escalate: [{after: 30m, to: [boss], level: critical}]
  do: {retry: 1}
  runbook: https://wiki.example/settle
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from foliot.domain.alerts.condition import Condition
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.instants import Micros

DEFAULT_CHANNELS: Final[tuple[str, ...]] = ()
"""Whom a rule tells that names nobody: every channel that is marked as a default one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subjects:
    """Of what a rule is asked. Patterns know `*` and `?`; empty: of all."""

    job: str = ""
    group: str = ""
    node: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)  # of a job


@dataclass(frozen=True, slots=True, kw_only=True)
class Hours:
    """When people of a rule work. Outside of it only critical alerts are told at once; the others wait for it."""

    days: frozenset[int]  # 0: Monday
    from_minute: int  # of the day
    to_minute: int  # not above: the hours end the next day
    timezone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EscalationStep:
    """Whom else to tell about an alert that nobody looked after for so long."""

    after_us: Micros
    to: tuple[str, ...]
    level: AlertLevel | None = None  # None: as it was


class ActionKind(StrEnum):
    """What Foliot does by itself about an alert."""

    RETRY = "retry"  # the failed run
    PAUSE = "pause"  # the job
    DRAIN = "drain"  # the node
    TRIGGER = "trigger"  # another job
    WEBHOOK = "webhook"  # a channel of this kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What Foliot does by itself, and how often at most."""

    kind: ActionKind
    target: str = ""  # trigger: the job; webhook: the channel
    most: int = 1  # of one alert
    most_an_hour: int = 10  # of the rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule. `namespace` None: of the whole cluster."""

    name: str
    namespace: str | None
    when: Condition
    of: Subjects = Subjects()
    level: AlertLevel = AlertLevel.WARNING
    for_us: Micros = 0  # it must be true for so long
    after: int = 1  # it must be seen so often, within `within_us` if that is said
    within_us: Micros | None = None
    to: tuple[str, ...] = DEFAULT_CHANNELS
    recover: bool = True  # tell also when it is over
    remind_us: Micros | None = None
    hours: Hours | None = None
    escalate: tuple[EscalationStep, ...] = ()
    do: Action | None = None
    runbook: str = ""
    is_on: bool = True
    job_id: int | None = None  # of a rule that a job brings along (`alert=`); such a rule is changed with its job
    version: int = 0  # 0: it comes with Foliot, or with a job
