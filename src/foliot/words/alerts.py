"""Alerts in words: one sentence with the numbers, and the next step. Lists and messages share them."""

from collections.abc import Mapping
from typing import Any, Final

from foliot.domain.alerts.alert import Alert
from foliot.domain.alerts.condition import ConditionKind
from foliot.words.chinese import alerts as chinese
from foliot.words.english import alerts as english
from foliot.words.language import Language
from foliot.words.templates import Speech

ERROR_MAX: Final = 200

_SENTENCES: Final = {Language.ENGLISH: english.SENTENCES, Language.CHINESE: chinese.SENTENCES}
_NEXT_STEPS: Final = {Language.ENGLISH: english.NEXT_STEPS, Language.CHINESE: chinese.NEXT_STEPS}
_SPEECHES: Final = {language: Speech(language) for language in Language}
_USUAL: Final[Mapping[str, Any]] = dict.fromkeys(
    ("others", "error", "node", "of", "lasts_us", "band", "grade", "about", "type", "value", "run")
)


def alert_sentence(alert: Alert, language: Language) -> str:
    """What is wrong."""
    values = _values(alert)
    key = _key(alert, values)
    return _SPEECHES[language].fill(_SENTENCES[language][key], values)


def alert_next_step(alert: Alert, language: Language) -> str:
    """What a person can do first."""
    return _SPEECHES[language].fill(_NEXT_STEPS[language][str(alert.kind)], _values(alert))


def _key(alert: Alert, values: Mapping[str, Any]) -> str:
    """The sentence of the condition, or of the condition and its reason where there is one."""
    kind = str(alert.kind)
    reason = ""
    if alert.kind is ConditionKind.LATE:
        reason = str(values.get("reason", ""))
    elif alert.kind is ConditionKind.FAILED:
        reason = str(values.get("kind", ""))
    elif alert.kind is ConditionKind.NODE:
        reason = str(values.get("band", ""))
    elif alert.kind is ConditionKind.ANOMALY:
        reason = str(values.get("anomaly", ""))
    own = f"{kind}_{reason}"
    return own if own in english.SENTENCES else kind


def _values(alert: Alert) -> dict[str, Any]:
    """Of the cause, and of the first thing that it touches, where that was read."""
    first: Mapping[str, Any] = alert.subjects[0].data if alert.subjects else {}
    values = {**_USUAL, **first, **alert.cause.data}
    values["subject"] = alert.subjects[0].subject if alert.subjects else values.get("subject") or alert.rule
    values["others"] = alert.subject_count - 1 if alert.subject_count > 1 else None
    error = values.get("error")
    values["error"] = " ".join(str(error).split())[:ERROR_MAX] if error else None
    values["about"] = values.get("about") or None
    return values
