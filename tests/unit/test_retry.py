"""Retry: what people write, how long the pauses are, and which errors count."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foliot.domain.errors import InvalidInput
from foliot.domain.instants import HOUR, MINUTE, SECOND
from foliot.domain.policies.retry import Backoff, BackoffKind, format_backoff, parse_backoff, retry_from


@pytest.mark.parametrize(
    ("written", "backoff", "shown"),
    [
        ("30s..10m", Backoff(first_us=30 * SECOND, cap_us=10 * MINUTE), "30s..10m"),
        (" 1s .. 1h ", Backoff(first_us=SECOND, cap_us=HOUR), "1s..1h"),
        ("30s", Backoff(kind=BackoffKind.FIXED, first_us=30 * SECOND), "30s"),
        (90, Backoff(kind=BackoffKind.FIXED, first_us=90 * SECOND), "1m30s"),
        (timedelta(minutes=1), Backoff(kind=BackoffKind.FIXED, first_us=MINUTE), "1m"),
        (["10s", 60], Backoff(kind=BackoffKind.LIST, delays_us=(10 * SECOND, MINUTE)), ["10s", "1m"]),
    ],
)
def test_a_backoff_is_read_and_shown_as_people_write_it(written: object, backoff: Backoff, shown: object) -> None:
    assert parse_backoff(written) == backoff  # type: ignore[arg-type]
    assert format_backoff(backoff) == shown
    assert parse_backoff(format_backoff(backoff)) == backoff


@pytest.mark.parametrize("written", ["10m..30s", "..", "30s..", "soon", [], ["10s", "soon"], "1s..2s..3s", -1, ""])
def test_a_backoff_that_cannot_be_meant_is_refused(written: object) -> None:
    with pytest.raises(InvalidInput):
        parse_backoff(written)  # type: ignore[arg-type]


def bare(backoff: Backoff, nth: int) -> int:
    return backoff.pause_us(nth, jitter=False, run_id=1, attempt=1)


def test_without_jitter_the_pauses_are_as_written() -> None:
    doubling, fixed, listed = parse_backoff("30s..10m"), parse_backoff("30s"), parse_backoff(["10s", "1m"])
    assert [bare(doubling, n) // SECOND for n in (1, 2, 3, 4, 5, 6, 100)] == [30, 60, 120, 240, 480, 600, 600]
    assert [bare(fixed, n) // SECOND for n in (1, 2, 100)] == [30, 30, 30]
    assert [bare(listed, n) // SECOND for n in (1, 2, 3, 100)] == [10, 60, 60, 60]


backoffs = st.one_of(
    st.tuples(st.integers(0, HOUR), st.integers(0, HOUR)).map(lambda two: Backoff(first_us=min(two), cap_us=max(two))),
    st.integers(0, HOUR).map(lambda us: Backoff(kind=BackoffKind.FIXED, first_us=us)),
    st.lists(st.integers(0, HOUR), min_size=1).map(lambda us: Backoff(kind=BackoffKind.LIST, delays_us=tuple(us))),
)


@given(backoffs, st.integers(1, 2000), st.booleans(), st.integers(0, 2**63), st.integers(1, 10_000))
def test_a_pause_is_never_below_its_floor_nor_above_its_cap(
    backoff: Backoff, nth: int, jitter: bool, run_id: int, attempt: int
) -> None:
    pause_us = backoff.pause_us(nth, jitter=jitter, run_id=run_id, attempt=attempt)
    assert pause_us >= backoff.floor_us(nth)
    if backoff.kind is BackoffKind.EXPONENTIAL:
        assert pause_us <= backoff.cap_us
    else:
        assert pause_us <= backoff.floor_us(nth) * 1.1
    assert pause_us == backoff.pause_us(nth, jitter=jitter, run_id=run_id, attempt=attempt)


def test_runs_that_fail_together_do_not_come_back_together() -> None:
    for backoff in (parse_backoff("30s..10m"), parse_backoff("30s"), parse_backoff(["30s"])):
        pauses = {backoff.pause_us(1, jitter=True, run_id=run_id, attempt=1) for run_id in range(1000)}
        assert len(pauses) > 900
    spread = [parse_backoff("30s..10m").pause_us(1, jitter=True, run_id=run_id, attempt=1) for run_id in range(1000)]
    assert min(spread) < 31 * SECOND
    assert max(spread) > 59 * SECOND


class OwnTrouble(Exception):
    pass


@pytest.mark.parametrize(
    ("on", "reported", "retried"),
    [
        ((), "ValueError", True),
        ((), None, True),
        ((ConnectionError,), "ConnectionError", True),
        ((ConnectionError,), "ConnectionResetError", True),
        ((OSError,), "TimeoutError", True),
        ((ConnectionError,), "OSError", False),
        ((ConnectionError,), "ValueError", False),
        ((ConnectionError,), None, False),
        (("Timeout",), "requests.exceptions.Timeout", True),
        (("requests.exceptions.Timeout",), "Timeout", True),
        (("requests.exceptions.Timeout",), "other.Timeout", False),
        (("shop.Trouble",), "shop.Broken,shop.Trouble,Exception", True),
        (("print",), "print", True),
        (("print",), "len", False),
        ((OwnTrouble,), f"{OwnTrouble.__module__}.OwnTrouble", True),
        ((OwnTrouble,), "OwnTrouble", True),
        (ConnectionError, "BrokenPipeError", True),
        ("ConnectionError", "BrokenPipeError", True),
    ],
)
def test_only_named_errors_and_their_kinds_are_retried(on: object, reported: str | None, retried: bool) -> None:
    policy = retry_from(3, on=on)  # type: ignore[arg-type]
    assert policy.allows(failures=0, error_type=reported) is retried


def test_retries_end_with_their_number_and_with_the_budget_of_the_hour() -> None:
    policy = retry_from(3, budget_per_hour=10)
    assert [policy.allows(failures=n, error_type=None) for n in range(5)] == [True, True, True, False, False]
    assert policy.allows(failures=0, error_type=None, retries_this_hour=9)
    assert not policy.allows(failures=0, error_type=None, retries_this_hour=10)
    assert not retry_from(0).allows(failures=0, error_type=None)
