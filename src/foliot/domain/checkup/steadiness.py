"""Steadiness: a grade counts as changed when several rounds in a row saw it, so that no figure at a bound flaps."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from foliot.domain.checkup.findings import Finding, Grade

ROUNDS_WORSE: Final = 2
ROUNDS_BETTER: Final = 3


class SteadyGrade(NamedTuple):
    """The grade that a check has, and what the latest rounds saw instead of it."""

    grade: Grade
    seen: Grade  # by the last round
    rounds: int = 0  # in a row that saw `seen` and not `grade`


class GradeChange(NamedTuple):
    """A check whose grade has changed."""

    check: str
    before: Grade
    after: Grade


def stand(before: SteadyGrade | None, seen: Grade) -> SteadyGrade:
    """What stands after a round that saw this grade. Something critical counts at once, and so does a first look."""
    if before is None or seen is before.grade:
        return SteadyGrade(seen, seen)
    rounds = before.rounds + 1 if seen is before.seen else 1
    is_worse = seen.badness > before.grade.badness
    enough = ROUNDS_WORSE if is_worse else ROUNDS_BETTER
    if rounds >= enough or seen is Grade.CRITICAL:
        return SteadyGrade(seen, seen)
    return SteadyGrade(before.grade, seen, rounds)


def next_grades(
    before: Mapping[str, SteadyGrade], findings: Iterable[Finding]
) -> tuple[dict[str, SteadyGrade], list[GradeChange]]:
    """The grade of each check after a round, and which have changed. To be well at first is no change."""
    grades: dict[str, SteadyGrade] = {}
    changes: list[GradeChange] = []
    for finding in findings:
        known = before.get(finding.check)
        now = grades[finding.check] = stand(known, finding.grade)
        was = known.grade if known is not None else Grade.OK
        if now.grade is not was and Grade.UNKNOWN not in (now.grade, was):
            changes.append(GradeChange(finding.check, was, now.grade))
    return grades, changes
