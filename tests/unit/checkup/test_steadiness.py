"""A grade changes when several rounds saw it: a figure at its bound does not flap."""

import pytest

from foliot.domain.checkup import Grade
from foliot.domain.checkup.findings import Family, Finding, Unit
from foliot.domain.checkup.steadiness import GradeChange, SteadyGrade, next_grades, stand

OK, UNKNOWN, NOTICE, WARNING, CRITICAL = Grade


@pytest.mark.parametrize(
    ("seen", "stands"),
    [
        ([OK, WARNING, OK, WARNING, OK], [OK, OK, OK, OK, OK]),
        ([OK, WARNING, WARNING], [OK, OK, WARNING]),
        ([OK, CRITICAL], [OK, CRITICAL]),
        ([WARNING, OK, OK, WARNING, OK, OK], [WARNING] * 6),
        ([WARNING, OK, OK, OK], [WARNING, WARNING, WARNING, OK]),
        ([CRITICAL, WARNING, WARNING, WARNING], [CRITICAL, CRITICAL, CRITICAL, WARNING]),
        ([NOTICE, WARNING, NOTICE, WARNING], [NOTICE] * 4),
    ],
)
def test_a_grade_stands_until_enough_rounds_saw_another(seen: list[Grade], stands: list[Grade]) -> None:
    standing: SteadyGrade | None = None
    found = []
    for grade in seen:
        standing = stand(standing, grade)
        found.append(standing.grade)
    assert found == stands


def finding(check: str, grade: Grade) -> Finding:
    return Finding(check=check, family=Family.SYSTEM, grade=grade, value=1, unit=Unit.COUNT, threshold=None)


def test_a_change_is_told_once_and_a_good_first_look_is_none() -> None:
    grades, changes = next_grades({}, [finding("a", OK), finding("b", CRITICAL), finding("c", UNKNOWN)])
    assert changes == [GradeChange("b", OK, CRITICAL)]
    for _ in range(2):
        grades, changes = next_grades(grades, [finding("a", OK), finding("b", OK), finding("c", OK)])
        assert changes == []
    grades, changes = next_grades(grades, [finding("a", OK), finding("b", OK), finding("c", OK)])
    assert changes == [GradeChange("b", CRITICAL, OK)]
    assert next_grades(grades, [finding("b", OK)]) == ({"b": SteadyGrade(OK, OK)}, [])
