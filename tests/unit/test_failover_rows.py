"""The scenes of faults find the row of each failure that they caused."""

from typing import Any

from tests.cluster.failover_table import SECOND_US, Struck, rows_of

TWICE = [
    Struck("server_crash", "s2", at=100 * SECOND_US, mended_at=102 * SECOND_US),
    Struck("server_crash", "s2", at=103 * SECOND_US, mended_at=105 * SECOND_US),
]
"""Killed again before anybody knew of the first death."""


def crash(began_s: float, detected_s: float | None = None) -> dict[str, Any]:
    seen_s = detected_s or began_s + 4.4
    times = {"began_at": began_s, "detected_at": seen_s, "ended_at": seen_s + 0.1}
    row = {name: int(at_s * SECOND_US) for name, at_s in times.items()}
    return {"type": "server_crash", "subject": "s2", **row}


def test_a_node_that_was_killed_twice_has_two_rows() -> None:
    first, second = crash(99.9), crash(104.1)
    assert list(rows_of(TWICE, [second, first]).values()) == [first, second]


def test_one_row_is_not_that_of_two_failures() -> None:
    only = crash(99.9)
    assert list(rows_of(TWICE, [only]).values()) == [only]
    assert list(rows_of(TWICE, [only])) == TWICE[:1]


def test_a_row_that_began_long_before_is_not_that_of_a_failure() -> None:
    assert rows_of(TWICE[1:], [crash(98.0, 103.5)]) == {}


def test_a_row_that_is_not_over_counts_later() -> None:
    assert rows_of(TWICE[:1], [{**crash(99.9), "ended_at": None}]) == {}
