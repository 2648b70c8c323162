"""What a check is, what it measures, and how a measure is judged."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeAlias

from foliot.domain.checkup.facts import Facts


class Grade(StrEnum):
    """How bad a finding is, from good to bad."""

    OK = "OK"
    UNKNOWN = "UNKNOWN"  # it could not be measured; that alone is no alarm
    NOTICE = "NOTICE"  # look at it some day
    WARNING = "WARNING"  # it gets worse unless somebody acts
    CRITICAL = "CRITICAL"  # jobs are late, fail or may be lost

    @property
    def badness(self) -> int:
        """A number that rises with the harm."""
        return _ORDER.index(self)


_ORDER: Final = tuple(Grade)


class Family(StrEnum):
    """What a check looks at."""

    DATABASE = "database"
    SYSTEM = "system"
    COORDINATION = "coordination"
    BUSINESS = "business"


class Unit(StrEnum):
    """What the number of a measure counts."""

    SECONDS = "seconds"
    DAYS = "days"
    SHARE = "share"  # from 0 to 1
    BYTES = "bytes"
    COUNT = "count"


class Bounds(NamedTuple):
    """From which value on a measure gets each grade; None: it never gets this one.

    `falling`: small values are the bad ones, as with days that are left.
    """

    notice: float | None = None
    warning: float | None = None
    critical: float | None = None
    falling: bool = False

    def grade_of(self, value: float) -> Grade:
        """The worst grade whose bound the value has reached."""
        for grade in (Grade.CRITICAL, Grade.WARNING, Grade.NOTICE):
            bound = self.of(grade)
            if bound is not None and self._is_reached(value, bound):
                return grade
        return Grade.OK

    def of(self, grade: Grade) -> float | None:
        """The bound of a grade; for a good value, the first bound ahead of it."""
        by_grade = {Grade.NOTICE: self.notice, Grade.WARNING: self.warning, Grade.CRITICAL: self.critical}
        if grade in by_grade:
            return by_grade[grade]
        return next((bound for bound in by_grade.values() if bound is not None), None)

    def _is_reached(self, value: float, bound: float) -> bool:
        return value <= bound if self.falling else value >= bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One number that a check measured, and what its sentence says."""

    value: float | None  # None: not known
    subject: str = ""  # the node, lane, table, job or token that it is about
    case: str = ""  # which of the sentences of its check is said
    said: Mapping[str, Any] = field(default_factory=dict)
    grade: Grade | None = None  # None: the bounds of the check decide


Measuring: TypeAlias = Callable[[Facts], Iterable[Measure]]
"""How a check measures; it gives nothing where the check does not apply."""


class Check(NamedTuple):
    """Something that is looked at. Its name begins with its family."""

    name: str
    unit: Unit
    bounds: Bounds
    measure: Measuring
    fix: str | None = None  # the safe repair that may help

    @property
    def family(self) -> Family:
        return Family(self.name.partition(".")[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a check found: its worst measure."""

    check: str
    family: Family
    grade: Grade
    value: float | None
    unit: Unit
    threshold: float | None
    subject: str = ""
    case: str = ""
    said: Mapping[str, Any] = field(default_factory=dict)
    others: int = 0  # more subjects that are not well
    fix: str | None = None


def judged(check: Check, facts: Facts) -> Finding | None:
    """What a check finds; None: it does not apply to this cluster."""
    graded = [(_grade(check, measure), measure) for measure in _measures(check, facts)]
    if not graded:
        return None
    grade, worst = max(graded, key=lambda pair: _badness(check, *pair))
    unwell = sum(one not in (Grade.OK, Grade.UNKNOWN) for one, _ in graded)
    return Finding(
        check=check.name,
        family=check.family,
        grade=grade,
        value=worst.value,
        unit=check.unit,
        threshold=check.bounds.of(grade),
        subject=worst.subject,
        case=worst.case,
        said=worst.said,
        others=max(0, unwell - 1),
        fix=check.fix if grade.badness >= Grade.NOTICE.badness else None,
    )


def _measures(check: Check, facts: Facts) -> list[Measure]:
    """What a check measured. One that meets a figure it cannot work with is not known; the others go on."""
    try:
        return list(check.measure(facts))
    except Exception as error:  # noqa: BLE001  whatever a node says of itself, the other checks are made
        why = f"{type(error).__name__}: {error}".rstrip(".")
        return [Measure(value=None, case="unread", said={"why": why})]


def worst_of(findings: Iterable[Finding]) -> Grade:
    """The grade of the whole cluster."""
    return max((finding.grade for finding in findings), key=lambda grade: grade.badness, default=Grade.OK)


def _grade(check: Check, measure: Measure) -> Grade:
    if measure.grade is not None:
        return measure.grade
    if measure.value is None:
        return Grade.UNKNOWN
    return check.bounds.grade_of(measure.value)


def _badness(check: Check, grade: Grade, measure: Measure) -> tuple[int, float]:
    """Of measures with the same grade the farthest is the worst."""
    value = measure.value or 0.0
    return grade.badness, -value if check.bounds.falling else value
