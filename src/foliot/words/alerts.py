"""Alerts in words: one sentence with the numbers, and the next step. Lists and messages share them."""

from collections.abc import Mapping
from typing import Any, Final

from foliot.domain.alerts.alert import Alert
from foliot.domain.alerts.condition import ConditionKind
from foliot.words.chinese import alerts as chinese
from foliot.words.english import alerts as english
from foliot.words.language import Language
from foliot.words.phrases import value_word
from foliot.words.templates import Speech

ERROR_MAX: Final = 200

_SENTENCES: Final = {Language.ENGLISH: english.SENTENCES, Language.CHINESE: chinese.SENTENCES}
_NEXT_STEPS: Final = {Language.ENGLISH: english.NEXT_STEPS, Language.CHINESE: chinese.NEXT_STEPS}
_SPEECHES: Final = {language: Speech(language) for language in Language}
_USUAL: Final[Mapping[str, Any]] = dict.fromkeys(
    ("others", "error", "node", "of", "lasts_us", "band", "grade", "about", "type", "value", "run", "exit_code")
)


_REASONS: Final[Mapping[str, str]] = {
    ConditionKind.LATE: "reason",
    ConditionKind.FAILED: "kind",
    ConditionKind.NODE: "band",
    ConditionKind.ANOMALY: "anomaly",
    ConditionKind.HEARTBEAT: "trouble",
}
"""Conditions whose sentence depends on a reason, and what names it."""


def alert_sentence(alert: Alert, language: Language) -> str:
    """What is wrong."""
    return _sentence(str(alert.kind), _values(alert), language)


def alert_next_step(alert: Alert, language: Language) -> str:
    """What a person can do first."""
    return _SPEECHES[language].fill(_NEXT_STEPS[language][str(alert.kind)], _values(alert))


def notice_title(data: Mapping[str, Any], language: Language) -> str:
    """The same sentence of what a notice keeps, without the error: the text below it says that."""
    values = {**_told_values(data), "error": None}
    return _sentence(str(data.get("condition")), values, language)


def notice_next_step(data: Mapping[str, Any], language: Language) -> str:
    """What a person can do first; empty: nothing is known of it."""
    steps = _NEXT_STEPS[language]
    condition = str(data.get("condition"))
    return _SPEECHES[language].fill(steps[condition], _told_values(data)) if condition in steps else ""


def _sentence(kind: str, values: Mapping[str, Any], language: Language) -> str:
    """Of the condition, or of the condition and its reason where there is one."""
    known = _SENTENCES[language]
    own = f"{kind}_{values.get(_REASONS.get(kind, ''), '')}"
    template = known.get(own) or known.get(kind) or "{subject}"
    return _SPEECHES[language].fill(template, {**values, **_words_of(values, language)})


def _words_of(values: Mapping[str, Any], language: Language) -> dict[str, str]:
    """Values that are words of Foliot's own, as the reader calls them."""
    return {name: value_word(str(values[name]), language) for name in ("grade", "type") if values.get(name)}


def _told_values(data: Mapping[str, Any]) -> dict[str, Any]:
    """Of what a notice keeps: its cause, and the first thing that it touches."""
    subjects = data.get("subjects") or ()
    first = subjects[0] if subjects else {}
    values = {**_USUAL, **(data.get("cause") or {}), **first}
    values["subject"] = first.get("subject") or data.get("rule") or ""
    count = int(data.get("subject_count") or len(subjects))
    values["others"] = count - 1 if count > 1 else None
    return values


def _values(alert: Alert) -> dict[str, Any]:
    """Of the cause, and of the first thing that it touches, where that was read."""
    first: Mapping[str, Any] = alert.subjects[0].data if alert.subjects else {}
    values = {**_USUAL, **alert.cause.data, **first}
    values["subject"] = alert.subjects[0].subject if alert.subjects else values.get("subject") or alert.rule
    values["others"] = alert.subject_count - 1 if alert.subject_count > 1 else None
    error = values.get("error")
    values["error"] = " ".join(str(error).split())[:ERROR_MAX] if error else None
    values["about"] = values.get("about") or None
    return values
