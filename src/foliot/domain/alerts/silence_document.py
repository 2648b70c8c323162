"""Silences as documents, and which alerts a silence holds back."""

from fnmatch import fnmatchcase
from typing import Any, Final

from foliot.domain.alerts.rule_document import PATTERN_MAX, subjects_from, written_subjects
from foliot.domain.alerts.silence import Silence
from foliot.domain.document_values import mapping, part, shown, text, whole
from foliot.domain.errors import BadField
from foliot.domain.instants import DAY, MINUTE, Instant, Micros, format_duration
from foliot.domain.texts import check_reason

SHORTEST_US: Final[Micros] = MINUTE
LONGEST_US: Final[Micros] = 90 * DAY
_FIELDS: Final = ("of", "rule", "alert")


def silence_from(
    written: Any, *, namespace: str | None, from_at: Instant, until: Instant, reason: str, made_by: str, id_: int = 0
) -> Silence:
    """Read a new silence; `BadField` says what is wrong with it."""
    fields = mapping(written, "", _FIELDS)
    rule = part(fields, "", "rule", text, "")
    if len(rule) > PATTERN_MAX or not rule.isprintable():
        raise BadField("rule", f"{shown(rule)} is no pattern", hint="* and ? are known")
    if not SHORTEST_US <= until - from_at <= LONGEST_US:
        bounds = f"from {format_duration(SHORTEST_US)} to {format_duration(LONGEST_US)}"
        raise BadField("until", "a silence of this length is not allowed", hint=bounds)
    if not reason.strip():
        raise BadField("reason", "a silence needs a reason", hint="say why, for those who wonder at 3 a.m.")
    check_reason(reason)
    return Silence(
        id=id_,
        namespace=namespace,
        of=subjects_from(fields.get("of"), "of"),
        rule=rule,
        alert_id=part(fields, "", "alert", whole, None),
        from_at=from_at,
        until=until,
        reason=reason,
        made_by=made_by,
    )


def written_silence(silence: Silence) -> dict[str, Any]:
    """What is silent, in its canonical form."""
    written = {"of": written_subjects(silence.of), "rule": silence.rule, "alert": silence.alert_id}
    return {field: value for field, value in written.items() if value}


def is_in_force(silence: Silence, now: Instant) -> bool:
    """Whether it holds now."""
    return silence.from_at <= now < silence.until and not silence.ended_by


def matches(pattern: str, name: str) -> bool:
    """Whether a pattern of people fits; an empty one fits all."""
    return not pattern or fnmatchcase(name, pattern)
