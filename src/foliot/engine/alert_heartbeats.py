"""Checks of jobs outside of Foliot, as observations, and what a check itself says of whom to tell."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from foliot.domain.alerts.builtin_rules import CHECK_RULE
from foliot.domain.alerts.causes import plain_cause
from foliot.domain.alerts.condition import ConditionKind
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.alerts.observation import Observation, Sighting
from foliot.domain.heartbeats.check import CheckTrouble
from foliot.domain.instants import Instant
from foliot.ports.store.alert_rounds import CheckDown


def of_heartbeats(found: Iterable[CheckDown], *, now: Instant) -> Iterator[Observation]:
    """Checks that are down. A check is one trouble, whatever becomes of it until it is well again."""
    for one in found:
        check, heard, trouble = one.seen.check, one.seen.heard, one.seen.trouble
        if trouble is None:
            continue
        since = heard.alarm_at or now
        about: dict[str, Any] = {"trouble": str(trouble), "last_at": heard.last_at}
        if trouble is CheckTrouble.FAILED:
            about |= {"error": heard.last_text, "exit_code": heard.exit_code}
        yield Observation(
            kind=ConditionKind.HEARTBEAT,
            subject_key=f"heartbeat:{one.id}",
            subject=check.name,
            namespace=check.namespace,
            cause=plain_cause("heartbeat", str(one.id), **about),
            at=since,
            tags=check.tags,
            word=str(trouble),
            lasts_us=max(0, now - since),
            data={
                "check": check.name,
                "due_at": heard.due_at,
                "owner": check.owner,
                "tags": dict(check.tags),
                "level": None if check.level is None else str(check.level),
                "to": list(check.to),
                "runbook": check.runbook,
            },
        )


def by_own_wish(sightings: Iterable[Sighting]) -> list[Sighting]:
    """What a check itself says goes before the rule that comes with Foliot. Other rules are as they say."""
    return [_as_the_check_says(one) if _is_of_a_check(one) else one for one in sightings]


def _is_of_a_check(one: Sighting) -> bool:
    return one.rule.name == CHECK_RULE and one.rule.namespace is None and one.seen.kind is ConditionKind.HEARTBEAT


def _as_the_check_says(one: Sighting) -> Sighting:
    said, rule = one.seen.data, one.rule
    level = rule.level if said["level"] is None else AlertLevel(said["level"])
    rule = replace(rule, level=level, to=tuple(said["to"]) or rule.to, runbook=said["runbook"] or rule.runbook)
    return replace(one, rule=rule)
