"""Conditions as users write them, read and written. `alerts.condition` lists the forms."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from foliot.domain.alerts.condition import Condition, ConditionKind, MetricTest
from foliot.domain.anomalies.anomaly import AnomalyKind
from foliot.domain.checkup.findings import Grade
from foliot.domain.document_values import parsed, shown, text
from foliot.domain.errors import BadField
from foliot.domain.heartbeats.check import CheckTrouble
from foliot.domain.instants import DAY, SECOND, Micros, format_duration, parse_duration
from foliot.domain.names import nearest
from foliot.domain.policies.alert import FACTOR_MAX, PERCENTILES, Pace

WRITTEN_MAX: Final = 500  # letters of a condition
RUNS_MAX: Final = 100  # runs of a job that "n of m" looks at
LONGEST_US: Final[Micros] = 366 * DAY

CERTIFICATES: Final = "business.certificates"
CLOCKS: Final = "system.clocks"
ANY_CHECK: Final = "any"
NODE_BANDS: Final = ("warning", "offline", "dead")
CHECK_GRADES: Final = ("notice", "warning", "critical")
ANOMALY_KINDS: Final = tuple(str(kind) for kind in AnomalyKind)
CHECK_TROUBLES: Final = tuple(str(trouble) for trouble in CheckTrouble)

_KIND: Final = ConditionKind
_TIMED: Final = {
    "late": _KIND.LATE,
    "silent": _KIND.SILENT,
    "queue": _KIND.QUEUE,
    "leader": _KIND.LEADER,
    "store": _KIND.STORE,
}
_PLAIN: Final = {"failover": _KIND.FAILOVER, "channel": _KIND.CHANNEL}
_TIMES: Final = re.compile(r"(\d{1,4})\s+of\s+(\d{1,4})", re.ASCII)
_PACE: Final = re.compile(r"p(\d{2})\s*[*×]\s*(\d{1,4}(?:\.\d{1,3})?)", re.ASCII)
_METRIC: Final = re.compile(
    r"([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(?:\{([^{}]*)\})?\s*(>=|<=|==|!=|>|<)\s*(-?\d{1,15}(?:\.\d{1,9})?(?:e-?\d{1,2})?)",
    re.ASCII,
)
_LABEL: Final = re.compile(r'\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"([^"\\]*)"\s*', re.ASCII)
_CHECK: Final = re.compile(r"[a-z_]+(?:\.[a-z_]+)?", re.ASCII)
_WORDS: Final = (
    *("failed", "slower", "node", "check", "drift", "certificate", "anomaly", "heartbeat"),
    *_TIMED,
    *_PLAIN,
)
_HINT: Final = (
    "write failed, failed 3 of 5, late 10m, slower p95*2, silent 2h, queue 5m, node dead, leader 30s, store 30s, "
    'check any critical, drift, certificate 14d, failover, anomaly, heartbeat, channel or metric{label="x"} > 0.9'
)


def condition_from(written: Any, path: str = "when") -> Condition:
    """Read a condition; `BadField` says what is wrong with it."""
    given = " ".join(text(written, path).split())
    if len(given) > WRITTEN_MAX:
        raise BadField(path, f"it is longer than {WRITTEN_MAX} letters")
    word, _, rest = given.partition(" ")
    if word in _TIMED:
        return Condition(kind=_TIMED[word], longer_than_us=_lasting(rest, path, word))
    if word in _PLAIN and not rest:
        return Condition(kind=_PLAIN[word])
    reader = _READERS.get(word)
    if reader is not None:
        return reader(rest, path)
    found = _METRIC.fullmatch(given)
    if found is not None:
        test = MetricTest(metric=found[1], labels=_labels(found[2], path), op=found[3], number=float(found[4]))
        return Condition(kind=_KIND.METRIC, test=test)
    meant = nearest(word[:50], _WORDS)
    hint = f"did you mean {meant}? {_HINT}" if meant else _HINT
    raise BadField(path, f"{shown(given)} is no condition", hint=hint)


def written_condition(condition: Condition) -> str:
    """The one form of a condition."""
    match condition.kind:
        case ConditionKind.FAILED:
            return "failed" if condition.of_last == 1 else f"failed {condition.times} of {condition.of_last}"
        case ConditionKind.SLOWER:
            return _written_slower(condition)
        case ConditionKind.CHECK:
            return _written_check(condition)
        case ConditionKind.NODE | ConditionKind.ANOMALY | ConditionKind.HEARTBEAT:
            return f"{condition.kind} {condition.word}".rstrip()
        case ConditionKind.METRIC:
            return _written_metric(condition)
        case _ if condition.longer_than_us is not None:
            return f"{condition.kind} {format_duration(condition.longer_than_us)}"
        case _:
            return str(condition.kind)


# ----------------------------------------------------------------------------------------------------------- readers


def _failed(rest: str, path: str) -> Condition:
    if not rest:
        return Condition(kind=_KIND.FAILED)
    found = _TIMES.fullmatch(rest)
    times, of_last = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= times <= of_last <= RUNS_MAX:
        raise BadField(
            path, f"{shown(f'failed {rest}')} is no condition", hint=f"write failed 3 of 5, up to {RUNS_MAX}"
        )
    return Condition(kind=_KIND.FAILED, times=times, of_last=of_last)


def _slower(rest: str, path: str) -> Condition:
    found = _PACE.fullmatch(rest)
    if found is None:
        return Condition(kind=_KIND.SLOWER, longer_than_us=_lasting(rest, path, "slower", or_else="slower p95*2"))
    percentile, factor = int(found[1]), float(found[2])
    if percentile not in PERCENTILES or not 0 < factor <= FACTOR_MAX:
        known = ", ".join(f"p{one}" for one in PERCENTILES)
        raise BadField(path, f"{shown(rest)} is no pace", hint=f"write slower p95*2; known are {known}")
    return Condition(kind=_KIND.SLOWER, pace=Pace(percentile, factor))


def _node(rest: str, path: str) -> Condition:
    if rest not in NODE_BANDS:
        raise BadField(path, f"{shown(rest)} is no band of a node", hint=f"write node {' | '.join(NODE_BANDS)}")
    return Condition(kind=_KIND.NODE, word=rest)


def _check(rest: str, path: str) -> Condition:
    name, _, grade = rest.partition(" ")
    grade = grade or "warning"
    if _CHECK.fullmatch(name) is None or grade not in CHECK_GRADES:
        hint = f"write check any, or check database.clock {' | '.join(CHECK_GRADES)}; the doctor names them"
        raise BadField(path, f"{shown(f'check {rest}')} is no condition", hint=hint)
    return Condition(kind=_KIND.CHECK, word=name, grade=grade)


def _drift(rest: str, path: str) -> Condition:
    if rest:
        raise BadField(path, "drift takes nothing behind it", hint="write drift, or check system.clocks critical")
    return Condition(kind=_KIND.CHECK, word=CLOCKS, grade="warning")


def _certificate(rest: str, path: str) -> Condition:
    lasting = _lasting(rest, path, "certificate") if rest else None
    return Condition(kind=_KIND.CHECK, word=CERTIFICATES, grade="warning", longer_than_us=lasting)


def _anomaly(rest: str, path: str) -> Condition:
    if rest and rest not in ANOMALY_KINDS:
        hint = f"write anomaly, or anomaly {' | '.join(ANOMALY_KINDS)}"
        raise BadField(path, f"{shown(rest)} is no kind of anomaly", hint=hint)
    return Condition(kind=_KIND.ANOMALY, word=rest)


def _heartbeat(rest: str, path: str) -> Condition:
    if rest and rest not in CHECK_TROUBLES:
        hint = f"write heartbeat, or heartbeat {' | '.join(CHECK_TROUBLES)}"
        raise BadField(path, f"{shown(rest)} is no trouble of a check", hint=hint)
    return Condition(kind=_KIND.HEARTBEAT, word=rest)


_READERS: Final[Mapping[str, Callable[[str, str], Condition]]] = {
    "failed": _failed,
    "slower": _slower,
    "node": _node,
    "check": _check,
    "drift": _drift,
    "certificate": _certificate,
    "anomaly": _anomaly,
    "heartbeat": _heartbeat,
}


def _lasting(rest: str, path: str, word: str, *, or_else: str = "") -> Micros:
    if not rest:
        hint = f"write {word} 10m or {or_else}" if or_else else f"write {word} 10m"
        raise BadField(path, f"{word} needs a duration", hint=hint)
    value = parsed(parse_duration, rest, path)
    if not SECOND <= value <= LONGEST_US:
        bounds = f"from {format_duration(SECOND)} to {format_duration(LONGEST_US)}"
        raise BadField(path, f"{format_duration(value)} is out of bounds", hint=bounds)
    return value


def _labels(written: str | None, path: str) -> dict[str, str]:
    if not written or not written.strip():
        return {}
    labels: dict[str, str] = {}
    for part in written.split(","):
        found = _LABEL.fullmatch(part)
        if found is None:
            raise BadField(path, f"{shown(part.strip())} is no label", hint='write {node="w-1", group="etl"}')
        labels[found[1]] = found[2]
    return labels


# ----------------------------------------------------------------------------------------------------------- writers


def _written_slower(condition: Condition) -> str:
    if condition.pace is not None:
        return f"slower p{condition.pace.percentile}*{condition.pace.factor:g}"
    assert condition.longer_than_us is not None
    return f"slower {format_duration(condition.longer_than_us)}"


def _written_check(condition: Condition) -> str:
    if condition.word == CERTIFICATES and condition.longer_than_us is not None:
        return f"certificate {format_duration(condition.longer_than_us)}"
    return f"check {condition.word} {condition.grade}"


def _written_metric(condition: Condition) -> str:
    test = condition.test
    assert test is not None
    labels = ", ".join(f'{name}="{value}"' for name, value in sorted(test.labels.items()))
    return (
        f"{test.metric}{{{labels}}} {test.op} {test.number:g}" if labels else f"{test.metric} {test.op} {test.number:g}"
    )


def grade_of(word: str) -> Grade:
    """The grade that a condition names in lower case."""
    return Grade(word.upper())
