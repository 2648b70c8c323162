"""Causes of failures: what varies does not count, what says who is dead does."""

import pytest

from foliot.domain.alerts.causes import failure_cause, late_cause

SAME = [
    ("could not connect to db-1: timeout after 3.2 s", "could not connect to db-1: timeout after 17 s"),
    ('key "order-17" is missing', 'key "order-99" is missing'),
    ("run r-7k2m9x failed at 2026-11-18T03:00:00Z", "run r-9zz1ab failed at 2026-11-19 04:10:00.5+01:00"),
    ("object at 0x7f00aa is gone", "object at 0x7f99bb is gone"),
    ("id 5f0c9a3e-1111-2222-3333-444455556666 refused", "id 00000000-aaaa-bbbb-cccc-444455556666 refused"),
    ("Connection from 10.0.0.5:50123 refused", "Connection from 10.0.0.5:50999 refused"),
    ("no   space\nsecond line", "no space\nanother second line"),
]
DIFFERENT = [
    ("could not connect to db-1", "could not connect to db-2"),
    ("connect to 10.0.0.5 failed", "connect to 10.0.0.6 failed"),
    ("disk is full", "disk is slow"),
]


def key(error: str, kind: str = "error", error_type: str = "OSError", node: str = "", job: str = "a") -> str:
    return failure_cause(kind=kind, error_type=error_type, error=error, node=node, job=job).key


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_varies_makes_no_other_cause(one: str, other: str) -> None:
    assert key(one) == key(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_says_which_thing_is_dead_makes_another_cause(one: str, other: str) -> None:
    assert key(one) != key(other)


def test_the_kind_of_a_failure_says_what_it_is_about() -> None:
    assert key("x", error_type="OSError") != key("x", error_type="ValueError")
    assert key("x", "lost", node="w-1", job="a") == key("y", "lost", node="w-1", job="b")
    assert key("x", "lost", node="w-1") != key("x", "lost", node="w-2")
    assert key("x", "timeout", job="a") != key("x", "timeout", job="b")
    assert late_cause(reason="no_worker", of="etl") == late_cause(reason="no_worker", of="etl")
    assert late_cause(reason="no_worker", of="etl").key != late_cause(reason="busy", of="etl").key


def test_a_long_or_empty_message_is_no_trouble() -> None:
    assert key("") == key("  ")
    assert len(failure_cause(kind="error", error_type="", error="x" * 100_000).data["error"]) <= 500
