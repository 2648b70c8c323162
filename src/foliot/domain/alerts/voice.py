"""The voice of alerts: which channels hear of one, when, and what they are told. No key of a notice comes twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from foliot.domain.alerts.alert import Alert, AlertSubject, Notice, NoticeKind
from foliot.domain.alerts.channel import Channel
from foliot.domain.alerts.escalation import fires_for
from foliot.domain.alerts.hours import told_from
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.alerts.rule import Rule
from foliot.domain.alerts.silence import Silence
from foliot.domain.alerts.silence_document import is_in_force, matches
from foliot.domain.instants import Instant

if TYPE_CHECKING:
    from foliot.domain.alerts.decision import KnownAlert, KnownSubject

NAMES_TOLD: Final = 20


class Voice:
    """How one round tells people."""

    def __init__(self, now: Instant, channels: Sequence[Channel]) -> None:
        self.now = now
        self._channels = {(one.namespace or "", one.name): one for one in channels}

    def tell(
        self, known: KnownAlert, rule: Rule, notices: list[tuple[str, Notice]], events: list[tuple[str, str]]
    ) -> KnownAlert:
        """Tell of an alert that fires: at first, by the steps of its escalation, and as a reminder."""
        if known.alert.told_at is None:
            known = self._told(known, rule, NoticeKind.FIRED, "fired", rule.to, notices)
            if known.alert.told_at is not None:
                return known
        alert = known.alert
        if alert.step < len(rule.escalate):
            step = rule.escalate[alert.step]
            if fires_for(alert, rule, self.now) >= step.after_us:
                raised = replace(
                    alert, step=alert.step + 1, level=max(alert.level, step.level or alert.level, key=_rank)
                )
                events.append(("alert.escalated", alert.key))
                word = f"escalated:{raised.step}"
                return self._told(replace(known, alert=raised), rule, NoticeKind.ESCALATED, word, step.to, notices)
        told_at = self.now if alert.told_at is None else alert.told_at
        is_time = rule.remind_us is not None and self.now - told_at >= rule.remind_us
        if is_time and self._not_before(alert, rule) <= self.now:  # a night of reminders is not told in the morning
            return self._told(known, rule, NoticeKind.REMINDED, f"reminded:{alert.ver}", rule.to, notices)
        return known

    def tell_end(self, known: KnownAlert, rule: Rule | None, notices: list[tuple[str, Notice]]) -> None:
        """The same channels hear that it is over which heard of it, and not before they hear of its beginning."""
        data = message_data(known)
        not_before = self.now if rule is None else self._not_before(known.alert, rule)
        for namespace, name in known.told:
            notice = Notice(
                key=f"alert:{{id}}:resolved:{namespace}/{name}",
                kind=NoticeKind.RESOLVED,
                channel=name,
                namespace=namespace or None,
                level=known.alert.level,
                data=data,
                not_before=not_before,
            )
            notices.append((known.alert.key, notice))

    def _told(
        self,
        known: KnownAlert,
        rule: Rule,
        kind: NoticeKind,
        word: str,
        to: Sequence[str],
        notices: list[tuple[str, Notice]],
    ) -> KnownAlert:
        alert = known.alert
        addresses = self.addresses(to, namespace=alert.namespace, level=alert.level)
        if not addresses:
            return known  # nobody to tell yet: a channel that is made while it fires hears of it
        alert = replace(alert, told_at=self.now)
        known = replace(known, alert=alert)
        data = message_data(known)
        not_before = self._not_before(alert, rule)
        for namespace, name in addresses:
            notice = Notice(
                key=f"alert:{{id}}:{word}:{namespace}/{name}",
                kind=kind,
                channel=name,
                namespace=namespace or None,
                level=alert.level,
                data=data,
                not_before=not_before,
            )
            notices.append((alert.key, notice))
        return replace(known, told=tuple(dict.fromkeys((*known.told, *addresses))))

    def _not_before(self, alert: Alert, rule: Rule) -> Instant:
        """What is not critical waits for the hours of its rule."""
        return self.now if alert.level is AlertLevel.CRITICAL else told_from(rule.hours, self.now)

    def addresses(self, to: Sequence[str], *, namespace: str | None, level: AlertLevel) -> list[tuple[str, str]]:
        """Namespace and name of each channel that hears it. One that nobody made is kept: that it fails is to be seen.

        A namespace's own channel goes before one of the whole cluster. Nobody named: every default one.
        """
        if to:
            found = [self._found(name, namespace) for name in to]
        else:
            found = [
                address
                for address, channel in sorted(self._channels.items())
                if channel.is_default and address[0] in ("", namespace or "")
            ]
        return [address for address in dict.fromkeys(found) if self._hears(address, level)]

    def _found(self, name: str, namespace: str | None) -> tuple[str, str]:
        own = (namespace or "", name)
        return own if own in self._channels else ("", name)

    def _hears(self, address: tuple[str, str], level: AlertLevel) -> bool:
        channel = self._channels.get(address)
        return channel is None or (channel.is_on and level.rank >= channel.level_min.rank)


def message_data(known: KnownAlert) -> dict[str, Any]:
    """What `words` needs to say what happened: numbers and names, no prose."""
    return told_data(
        known.alert,
        known.open_subjects or list(known.subjects.values()),
        subject_count=len(known.subjects) + known.unkept,
        open_count=len(known.open_subjects) + known.unkept,
    )


def told_data(
    alert: Alert, touched: Sequence[KnownSubject | AlertSubject], *, subject_count: int, open_count: int
) -> dict[str, Any]:
    """The same of an alert and of some that it touches."""
    return {
        "rule": alert.rule,
        "condition": str(alert.kind),
        "namespace": alert.namespace,
        "level": str(alert.level),
        "key": alert.key,
        "cause": dict(alert.cause.data),
        "subjects": [
            {"subject": one.subject, "job_id": one.job_id, "run_id": one.run_id, "count": one.count, **one.data}
            for one in touched[:NAMES_TOLD]
        ],
        "subject_count": subject_count,
        "open_count": open_count,
        "seen": alert.seen,
        "began_at": alert.began_at,
        "fired_at": alert.fired_at,
        "resolved_at": alert.resolved_at,
        "step": alert.step,
        "runbook": alert.runbook,
    }


def silence_of(
    silences: Iterable[Silence], alert: Alert, subjects: Iterable[KnownSubject], now: Instant
) -> Silence | None:
    """The silence that holds an alert back; None: it is told. A silence must speak of everything that it touches."""
    touched = [one for one in subjects if one.ended_at is None]
    for silence in silences:
        if not is_in_force(silence, now) or not matches(silence.rule, alert.rule):
            continue
        if silence.namespace is not None and silence.namespace != alert.namespace:
            continue
        if silence.alert_id is not None and silence.alert_id != alert.id:
            continue
        if all(_is_about(silence, one) for one in touched):
            return silence
    return None


def _is_about(silence: Silence, one: KnownSubject) -> bool:
    of = silence.of
    has_name = one.job_id is not None or one.key.startswith("heartbeat:")
    if of.job and not (has_name and matches(of.job, one.subject)):
        return False
    if of.node and not (one.key.startswith("node:") and matches(of.node, one.subject)):
        return False
    if of.group and not matches(of.group, str(one.data.get("group", ""))):
        return False
    tags = one.data.get("tags") or {}
    return all(tags.get(name) == value for name, value in of.tags.items())


def _rank(level: AlertLevel) -> int:
    return level.rank
