"""Alert rules, and what a job's own policy asks for, in words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from foliot.domain.alerts.condition import Condition, ConditionKind
from foliot.domain.alerts.condition_text import ANY_CHECK, CERTIFICATES, written_condition
from foliot.domain.alerts.rule import Action, EscalationStep, Rule, Subjects
from foliot.domain.errors import InvalidInput
from foliot.domain.policies.alert import AlertPolicy, Pace, alert_from
from foliot.words.chinese import alert_rules as chinese
from foliot.words.english import alert_rules as english
from foliot.words.language import Language
from foliot.words.phrases import value_word
from foliot.words.templates import Catalogue, Speech

_SENTENCES: Final[Mapping[Language, Catalogue]] = {
    Language.ENGLISH: english.SENTENCES,
    Language.CHINESE: chinese.SENTENCES,
}
_SPEECHES: Final = {language: Speech(language) for language in Language}


def rule_in_words(rule: Rule, language: Language) -> str:
    """What a rule looks for, how grave it is and whom it tells, in one sentence."""
    values = {
        "when": condition_in_words(rule.when, language),
        "of": ", ".join(_subjects(rule.of, language)),
        "for_us": rule.for_us or None,
        "after": rule.after if rule.after > 1 else None,
        "within_us": rule.within_us,
        "level": value_word(str(rule.level), language),
        "told": _told(rule.to, language),
        "remind_us": rule.remind_us,
        "escalate": [_step(step, language) for step in rule.escalate],
        "do": None if rule.do is None else _action(rule.do, language),
        "hours": None if rule.hours is None else _said("hours", {}, language),
        "over": None if rule.recover else _said("not_over", {}, language),
        "off": None if rule.is_on else _said("off", {}, language),
    }
    return _said("rule", values, language)


def condition_in_words(condition: Condition, language: Language) -> str:
    """What a rule looks for."""
    pace = condition.pace or Pace(0, 0.0)
    values = {
        "times": condition.times,
        "of_last": condition.of_last,
        "longer_than_us": condition.longer_than_us,
        "percentile": pace.percentile,
        "factor": pace.factor,
        "word": value_word(condition.word, language),
        "grade": value_word(condition.grade, language),
        "metric": written_condition(condition) if condition.kind is ConditionKind.METRIC else "",
    }
    return _said(_key(condition), values, language)


def policy_in_words(policy: AlertPolicy, language: Language) -> str:
    """What a job's own `alert=` asks for."""
    on = [condition_in_words(condition, language) for condition in _conditions(policy)]
    values = {
        "on": on,
        "after": policy.after if policy.after > 1 else None,
        "within_us": policy.within_us,
        "told": _told(policy.to, language),
        "over": _said("policy_over", {}, language) if policy.recover else None,
    }
    return _said("policy", values, language)


def alerting_of(document: Mapping[str, Any], language: Language) -> str | None:
    """What a job's document asks for; None: nothing, or what a newer Foliot wrote."""
    try:
        policy = alert_from(document.get("alert"))
    except InvalidInput:
        return None
    return None if policy is None else policy_in_words(policy, language)


def _conditions(policy: AlertPolicy) -> Iterator[Condition]:
    if policy.failed:
        yield Condition(kind=ConditionKind.FAILED)
    if policy.late_us is not None:
        yield Condition(kind=ConditionKind.LATE, longer_than_us=policy.late_us)
    if isinstance(policy.slower, Pace):
        yield Condition(kind=ConditionKind.SLOWER, pace=policy.slower)
    elif policy.slower is not None:
        yield Condition(kind=ConditionKind.SLOWER, longer_than_us=policy.slower)


def _key(condition: Condition) -> str:
    match condition.kind:
        case ConditionKind.FAILED if condition.of_last > 1:
            return "when_failed_of"
        case ConditionKind.SLOWER if condition.pace is not None:
            return "when_slower_pace"
        case ConditionKind.CHECK if condition.word == CERTIFICATES and condition.longer_than_us is not None:
            return "when_certificate"
        case ConditionKind.CHECK if condition.word == ANY_CHECK:
            return "when_check_any"
        case _:
            return f"when_{condition.kind}"


def _subjects(of: Subjects, language: Language) -> Iterator[str]:
    if of.job:
        yield _said("of_job", {"job": of.job}, language)
    if of.group:
        yield _said("of_group", {"group": of.group}, language)
    if of.node:
        yield _said("of_node", {"node": of.node}, language)
    if of.tags:
        tags = [f"{name}={value}" for name, value in sorted(of.tags.items())]
        yield _said("of_tags", {"tags": tags}, language)


def _told(to: Sequence[str], language: Language) -> str:
    return _said("told", {"to": to}, language) if to else _said("told_default", {}, language)


def _step(step: EscalationStep, language: Language) -> str:
    level = None if step.level is None else value_word(str(step.level), language)
    return _said("step", {"after_us": step.after_us, "to": step.to, "level": level}, language)


def _action(action: Action, language: Language) -> str:
    return _said(f"do_{action.kind}", {"most": action.most, "target": action.target}, language)


def _said(key: str, values: Mapping[str, Any], language: Language) -> str:
    return _SPEECHES[language].fill(_SENTENCES[language][key], values)
