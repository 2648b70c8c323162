"""Alerts that nobody saw: as a run would cause one, or made up, so that people see what a message would look like."""

from collections.abc import Mapping
from typing import Any, Final

from foliot.domain.alerts.alert import Alert, AlertCause, AlertSubject
from foliot.domain.alerts.builtin_rules import JOB_LEVEL, JOB_RULE
from foliot.domain.alerts.causes import failure_cause, plain_cause
from foliot.domain.alerts.condition import Condition, ConditionKind
from foliot.domain.alerts.level import AlertState
from foliot.domain.alerts.rule import Rule
from foliot.domain.instants import MINUTE, Instant, Micros
from foliot.domain.run import format_run_id

OF_A_JOB: Final = Rule(name=JOB_RULE, namespace=None, when=Condition(kind=ConditionKind.FAILED), level=JOB_LEVEL)
"""Without a rule: what a job itself asks for."""
ERROR: Final = "ConnectionError: connection refused"
LASTS_US: Final[Micros] = 10 * MINUTE
WILD: Final = frozenset("*?")

_SUBJECTS: Final[Mapping[ConditionKind, str]] = {
    ConditionKind.QUEUE: "default",
    ConditionKind.NODE: "w-1",
    ConditionKind.LEADER: "leader",
    ConditionKind.STORE: "store",
    ConditionKind.CHECK: "database.latency",
    ConditionKind.FAILOVER: "w-1",
    ConditionKind.CHANNEL: "oncall",
}
"""What an alert would be about, where that is no job."""


def sample_alert(rule: Rule | None, now: Instant) -> Alert:
    """One that the rule could have found, with made up names and numbers."""
    rule = rule or OF_A_JOB
    kind = rule.when.kind
    subject = _subject(rule)
    about = _numbers(rule)
    cause = failure_cause(kind="error", error_type="ConnectionError", error=ERROR, job=subject)
    if kind is not ConditionKind.FAILED:
        cause = plain_cause(str(kind), subject)
    namespace = "default" if kind not in _SUBJECTS else None
    return _alert(rule, cause, _touched(subject, namespace, now, data=about), now)


def of_run(
    rule: Rule | None,
    now: Instant,
    *,
    run_id: int,
    job_id: int,
    job: str,
    namespace: str,
    kind: str,
    error_type: str,
    error: str,
    node: str,
    due_at: Instant,
    started_at: Instant | None,
    ended_at: Instant | None,
) -> Alert:
    """As the rule would find it at this run."""
    rule = rule or OF_A_JOB
    cause = failure_cause(kind=kind, error_type=error_type, error=error, node=node, job=job)
    about: dict[str, Any] = {"run": format_run_id(run_id), "node": node}
    if rule.when.kind is ConditionKind.FAILED:
        about["error"] = cause.data["error"]
    else:
        cause = plain_cause(str(rule.when.kind), job)
        since, until = due_at, started_at
        if rule.when.kind is ConditionKind.SLOWER:
            since, until = started_at or due_at, ended_at
        about["lasts_us"] = max(0, (until or now) - since)
    return _alert(rule, cause, _touched(job, namespace, now, job_id=job_id, run_id=run_id, data=about), now)


def _subject(rule: Rule) -> str:
    """A name that the rule itself says, or a usual one."""
    when = rule.when
    if when.test is not None:
        return when.test.metric
    if when.kind is ConditionKind.CHECK and "." in when.word:
        return when.word
    said = rule.of.node or rule.of.group if when.kind in _SUBJECTS else rule.of.job
    return said if said and not WILD & set(said) else _SUBJECTS.get(when.kind, "settle")


def _numbers(rule: Rule) -> dict[str, Any]:
    when = rule.when
    lasts_us = LASTS_US if when.longer_than_us is None else when.longer_than_us + MINUTE
    found: dict[str, Any] = {"lasts_us": lasts_us, "group": rule.of.group}
    if when.kind is ConditionKind.NODE:
        found["band"] = when.word
    if when.kind is ConditionKind.CHECK:
        found["grade"] = when.grade or "warning"
    if when.kind is ConditionKind.FAILOVER:
        found["type"] = "worker_crash"
    if when.test is not None:
        found["value"] = when.test.number
    return found


def _touched(
    subject: str,
    namespace: str | None,
    now: Instant,
    *,
    data: Mapping[str, Any],
    job_id: int | None = None,
    run_id: int | None = None,
) -> AlertSubject:
    return AlertSubject(
        subject=subject,
        namespace=namespace,
        job_id=job_id,
        run_id=run_id,
        count=1,
        first_at=now,
        last_at=now,
        data=data,
    )


def _alert(rule: Rule, cause: AlertCause, touched: AlertSubject, now: Instant) -> Alert:
    return Alert(
        id=0,
        key="preview",
        rule=rule.name,
        kind=rule.when.kind,
        namespace=touched.namespace,
        level=rule.level,
        state=AlertState.FIRING,
        cause=cause,
        to=rule.to,
        began_at=now,
        fired_at=now,
        last_at=now,
        seen=1,
        subjects=[touched],
        subject_count=1,
        open_count=1,
        job_id=rule.job_id,
        runbook=rule.runbook,
    )
