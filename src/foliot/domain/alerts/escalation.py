"""The clock of an escalation: how long an alert fires for people who could have heard of it.

A silence stops it, and so do the hours in which nobody is told: else the steps would follow at once when they end, and
the second one would be called before the first one could look. One number keeps it: an instant from which on it counts,
or, while it stands, what it has counted, as a number below zero.
"""

from dataclasses import replace

from foliot.domain.alerts.alert import Alert
from foliot.domain.alerts.hours import told_from
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.alerts.rule import Rule
from foliot.domain.instants import Instant, Micros


def with_clock(alert: Alert, now: Instant, *, is_silent: bool) -> Alert:
    """The alert whose clock stands while it is silent, and goes on after that."""
    if alert.fired_at is None:
        return alert
    is_standing = alert.escalates_from is not None and alert.escalates_from < 0
    if is_silent == is_standing:
        return alert
    if is_silent:
        counted_us = max(0, now - _from(alert))
        return replace(alert, escalates_from=-1 - counted_us)
    assert alert.escalates_from is not None
    return replace(alert, escalates_from=now - (-1 - alert.escalates_from))


def fires_for(alert: Alert, rule: Rule, now: Instant) -> Micros:
    """What the clock of an alert that is told shows. What is not critical counts from when its rule lets it be told."""
    since = _from(alert)
    if alert.level is not AlertLevel.CRITICAL:
        since = told_from(rule.hours, since)
    return now - since


def _from(alert: Alert) -> Instant:
    assert alert.fired_at is not None
    return alert.fired_at if alert.escalates_from is None else alert.escalates_from
