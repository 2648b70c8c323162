"""Rules as documents: read and written. `alerts.rule` shows one."""

import re
from collections.abc import Mapping
from typing import Any, Final

from foliot.domain.alerts.condition import ConditionKind
from foliot.domain.alerts.condition_text import condition_from, written_condition
from foliot.domain.alerts.hours import hours_from, written_hours
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.alerts.rule import Action, ActionKind, EscalationStep, Rule, Subjects
from foliot.domain.document_values import duration, mapping, part, shown, text, texts, truth, whole, word
from foliot.domain.errors import BadField
from foliot.domain.instants import DAY, MINUTE, SECOND, Micros, format_duration
from foliot.domain.names import check_name
from foliot.domain.policies.alert import COUNT_MAX, TO_MAX, WITHIN_MAX
from foliot.domain.texts import DESCRIPTION_BYTES_MAX

PATTERN_MAX: Final = 200
TAGS_MAX: Final = 20
STEPS_MAX: Final = 10
ACTIONS_MAX: Final = 100  # of one alert
RUNBOOK_BYTES_MAX: Final = 2000
FOR_MAX_US: Final[Micros] = 7 * DAY
REMIND_MIN_US: Final[Micros] = 5 * MINUTE
STEP_MAX_US: Final[Micros] = 30 * DAY
assert RUNBOOK_BYTES_MAX < DESCRIPTION_BYTES_MAX

_FIELDS: Final = (
    "when", "of", "level", "for", "after", "to", "recover", "remind", "hours", "escalate", "do", "runbook", "on",
)  # fmt: skip
_SUBJECTS: Final = ("job", "group", "node", "tags")
_STEP: Final = ("after", "to", "level")
_DO: Final = ("retry", "pause", "drain", "trigger", "webhook", "most", "an_hour")
_TIMES: Final = re.compile(r"(\d{1,5})\s+in\s+(.+)", re.ASCII)
_DO_HINT: Final = "write {retry: 1}, {pause: true}, {drain: true}, {trigger: JOB} or {webhook: CHANNEL}"

OF_JOBS: Final = frozenset(
    {
        ConditionKind.FAILED,
        ConditionKind.LATE,
        ConditionKind.SLOWER,
        ConditionKind.SILENT,
        ConditionKind.ANOMALY,
    }
)
"""Conditions that are asked of jobs."""
NAMED: Final = OF_JOBS | {ConditionKind.HEARTBEAT}
"""Conditions that are asked of jobs, or of checks of jobs outside of Foliot: of names and tags."""
_OF_RUNS: Final = frozenset({ConditionKind.FAILED, ConditionKind.SLOWER})


def rule_from(written: Any, *, name: str, namespace: str | None, version: int = 0) -> Rule:
    """Read a rule; `BadField` says what is wrong with it."""
    fields = mapping(written, "", _FIELDS)
    if fields.get("when") is None:
        raise BadField("when", "it is missing", hint="write what to look for, such as when: failed 3 of 5")
    after, within_us = _times(fields.get("after"))
    rule = Rule(
        name=check_name("alert rule", name),
        namespace=namespace,
        when=condition_from(fields["when"]),
        of=subjects_from(fields.get("of"), "of"),
        level=AlertLevel.WARNING if fields.get("level") is None else word(AlertLevel, fields["level"], "level"),
        for_us=_between(fields.get("for"), "for", 0, FOR_MAX_US) or 0,
        after=after,
        within_us=within_us,
        to=_channels(fields.get("to"), "to"),
        recover=part(fields, "", "recover", _truth, True),
        remind_us=_between(fields.get("remind"), "remind", REMIND_MIN_US, STEP_MAX_US),
        hours=hours_from(fields.get("hours")),
        escalate=_steps(fields.get("escalate")),
        do=_action(fields.get("do")),
        runbook=_runbook(fields.get("runbook")),
        is_on=part(fields, "", "on", _truth, True),
        version=version,
    )
    _check_together(rule)
    return rule


def written_rule(rule: Rule) -> dict[str, Any]:
    """The canonical form: what is as usual is left out."""
    after: int | str | None = rule.after if rule.after > 1 else None
    if rule.within_us is not None:
        after = f"{rule.after} in {format_duration(rule.within_us)}"
    written: dict[str, Any] = {
        "when": written_condition(rule.when),
        "of": written_subjects(rule.of),
        "level": None if rule.level is AlertLevel.WARNING else str(rule.level),
        "for": format_duration(rule.for_us) if rule.for_us else None,
        "after": after,
        "to": list(rule.to),
        "recover": None if rule.recover else False,
        "remind": None if rule.remind_us is None else format_duration(rule.remind_us),
        "hours": written_hours(rule.hours),
        "escalate": [_written_step(step) for step in rule.escalate],
        "do": _written_action(rule.do),
        "runbook": rule.runbook or None,
        "on": None if rule.is_on else False,
    }
    return {field: value for field, value in written.items() if value is not None and value not in ({}, [])}


def subjects_from(written: Any, path: str) -> Subjects:
    """Read of what a rule or a silence is asked."""
    fields = mapping(written, path, _SUBJECTS)
    tags = texts(fields.get("tags"), f"{path}.tags")
    if len(tags) > TAGS_MAX:
        raise BadField(f"{path}.tags", f"it has {len(tags)} tags; the limit is {TAGS_MAX}")
    return Subjects(
        job=_pattern(fields.get("job"), f"{path}.job"),
        group=_pattern(fields.get("group"), f"{path}.group"),
        node=_pattern(fields.get("node"), f"{path}.node"),
        tags=tags,
    )


def written_subjects(of: Subjects) -> dict[str, Any]:
    """The canonical form of it."""
    written = {"job": of.job, "group": of.group, "node": of.node, "tags": dict(sorted(of.tags.items()))}
    return {field: value for field, value in written.items() if value}


# ------------------------------------------------------------------------------------------------------------- parts


def _check_together(rule: Rule) -> None:
    """What fits by itself may not fit together."""
    kind = rule.when.kind
    if rule.of.node and kind not in (ConditionKind.NODE, ConditionKind.METRIC):
        raise BadField("of.node", f"a condition of kind {kind} is not asked of nodes", hint="leave it out")
    if (rule.of.job or rule.of.tags) and kind not in NAMED:
        raise BadField("of.job", f"a condition of kind {kind} is not asked of jobs", hint="leave job and tags out")
    if rule.namespace is not None and kind not in NAMED | {ConditionKind.CHANNEL}:
        raise BadField(
            "when",
            f"a condition of kind {kind} is asked of the whole cluster",
            hint="save the rule without a namespace",
        )
    if rule.do is not None:
        _check_action(rule.do, kind)


def _check_action(action: Action, kind: ConditionKind) -> None:
    if action.kind is ActionKind.RETRY and kind is not ConditionKind.FAILED:
        raise BadField("do.retry", "only a failed run can be tried again", hint="when: failed")
    if action.kind is ActionKind.PAUSE and kind not in OF_JOBS:
        raise BadField("do.pause", f"a condition of kind {kind} names no job to pause")
    if action.kind is ActionKind.DRAIN and kind is not ConditionKind.NODE:
        raise BadField("do.drain", f"a condition of kind {kind} names no node to drain", hint="when: node warning")


def _times(written: Any) -> tuple[int, Micros | None]:
    if written is None:
        return 1, None
    found = _TIMES.fullmatch(written.strip()) if isinstance(written, str) else None
    count = int(found[1]) if found else written
    if type(count) is not int or not 1 <= count <= COUNT_MAX:
        raise BadField("after", f"{shown(written)} is not a number of times", hint="write 2 in 24h, or just 2")
    return count, _between(found[2], "after", SECOND, WITHIN_MAX) if found else None


def _between(written: Any, path: str, least: Micros, most: Micros) -> Micros | None:
    if written is None:
        return None
    value = duration(written, path)
    if not least <= value <= most:
        bounds = f"from {format_duration(least)} to {format_duration(most)}"
        raise BadField(path, f"{format_duration(value)} is out of bounds", hint=bounds)
    return value


def _channels(written: Any, path: str) -> tuple[str, ...]:
    if written is None:
        return ()
    given = list(written) if isinstance(written, list | tuple) else [written]
    if len(given) > TO_MAX:
        raise BadField(path, f"it has {len(given)} channels; the limit is {TO_MAX}")
    names = [check_name("channel", text(one, path)) for one in given]
    return tuple(dict.fromkeys(names))


def _pattern(written: Any, path: str) -> str:
    given = "" if written is None else text(written, path).strip()
    if len(given) > PATTERN_MAX or not given.isprintable():
        raise BadField(path, f"{shown(given)} is no pattern", hint=f"at most {PATTERN_MAX} letters; * and ? are known")
    return given


def _truth(written: Any, path: str) -> bool:
    return truth(written, path.lstrip("."))


def _runbook(written: Any) -> str:
    given = "" if written is None else text(written, "runbook").strip()
    if len(given.encode()) > RUNBOOK_BYTES_MAX or not given.isprintable():
        raise BadField("runbook", f"it is longer than {RUNBOOK_BYTES_MAX} bytes or has more than one line")
    return given


def _steps(written: Any) -> tuple[EscalationStep, ...]:
    if written is None:
        return ()
    given = list(written) if isinstance(written, list | tuple) else [written]
    if len(given) > STEPS_MAX:
        raise BadField("escalate", f"it has {len(given)} steps; the limit is {STEPS_MAX}")
    steps = tuple(_step(one, f"escalate.{nth}") for nth, one in enumerate(given))
    if list(steps) != sorted(steps, key=lambda step: step.after_us):
        raise BadField("escalate", "a later step comes earlier", hint="write the steps in the order of their time")
    return steps


def _step(written: Any, path: str) -> EscalationStep:
    fields = mapping(written, path, _STEP)
    after_us = _between(fields.get("after"), f"{path}.after", SECOND, STEP_MAX_US)
    to = _channels(fields.get("to"), f"{path}.to")
    if after_us is None or not to:
        raise BadField(path, "a step needs after and to", hint="write {after: 30m, to: [boss]}")
    level = None if fields.get("level") is None else word(AlertLevel, fields["level"], f"{path}.level")
    return EscalationStep(after_us=after_us, to=to, level=level)


def _written_step(step: EscalationStep) -> dict[str, Any]:
    written: dict[str, Any] = {"after": format_duration(step.after_us), "to": list(step.to)}
    return written if step.level is None else {**written, "level": str(step.level)}


def _action(written: Any) -> Action | None:
    fields = mapping(written, "do", _DO)
    if not fields:
        return None
    named = [kind for kind in ActionKind if fields.get(kind) not in (None, False)]
    if len(named) != 1:
        raise BadField("do", "it must name exactly one action", hint=_DO_HINT)
    kind = named[0]
    most, target = _most(fields, kind), ""
    if kind in (ActionKind.TRIGGER, ActionKind.WEBHOOK):
        target = check_name("job" if kind is ActionKind.TRIGGER else "channel", text(fields[kind], f"do.{kind}"))
    elif kind is not ActionKind.RETRY and fields[kind] is not True:
        raise BadField(f"do.{kind}", f"{shown(fields[kind])} is not true", hint=_DO_HINT)
    return Action(kind=kind, target=target, most=most, most_an_hour=_count(fields, "an_hour", 10))


def _most(fields: Mapping[str, Any], kind: ActionKind) -> int:
    """`{retry: 2}` says how often by itself."""
    if kind is ActionKind.RETRY and fields[kind] is not True:
        return _count(fields, "retry", 1)
    return _count(fields, "most", 1)


def _count(fields: Mapping[str, Any], name: str, usual: int) -> int:
    value: int = part(fields, "do", name, whole, usual)
    if not 1 <= value <= ACTIONS_MAX:
        raise BadField(f"do.{name}", f"{value} is out of bounds", hint=f"from 1 to {ACTIONS_MAX}")
    return value


def _written_action(action: Action | None) -> dict[str, Any]:
    if action is None:
        return {}
    written: dict[str, Any] = {str(action.kind): action.target or True}
    if action.kind is ActionKind.RETRY:
        written = {"retry": action.most}
    elif action.most != 1:
        written["most"] = action.most
    return written if action.most_an_hour == 10 else {**written, "an_hour": action.most_an_hour}
