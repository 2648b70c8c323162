"""Verdicts: every way an attempt can be over, for every kind of job."""

from itertools import product

import pytest

from foliot.domain.handler import python_function
from foliot.domain.instants import MINUTE, SECOND
from foliot.domain.job import Definition, LoadedJob, OnLost
from foliot.domain.policies.retry import RetryPolicy, retry_from
from foliot.domain.run import FailureKind, RunState
from foliot.domain.verdict import Back, Cause, End, RunSeen, Verdict, judge

NOW = 1_800_000_000 * SECOND

SUCCEEDED = End(RunState.SUCCEEDED)
CANCELLED = End(RunState.CANCELLED)
ERROR = End(RunState.FAILED, FailureKind.ERROR)
TIMEOUT = End(RunState.FAILED, FailureKind.TIMEOUT)
LOST = End(RunState.FAILED, FailureKind.LOST)
REJECTED = End(RunState.FAILED, FailureKind.REJECTED)
POISON = End(RunState.FAILED, FailureKind.POISON, deaths=1)
LOST_WITH_ITS_WORKER = End(RunState.FAILED, FailureKind.LOST, deaths=1)
CANCELLED_WITH_ITS_WORKER = End(RunState.CANCELLED, deaths=1)
AT_ONCE = Back(NOW)
DEATH = Back(NOW, deaths=1)
RETRY = Back(NOW + 30 * SECOND, failures=1)

NEVER, THRICE = retry_from(0), retry_from(3, backoff="30s", jitter=False)


def job(on_lost: OnLost = OnLost.RERUN, retry: RetryPolicy = NEVER, max_lost: int = 3) -> LoadedJob:
    definition = Definition(handler=python_function("jobs:tick"), on_lost=on_lost, retry=retry, max_lost=max_lost)
    return LoadedJob(job_id=1, version=1, namespace="default", name="tick", definition=definition, lane_id=1)


def run(*, failures: int = 0, deaths: int = 0, cancel: bool = False, started: bool = True, retried: int = 0) -> RunSeen:
    return RunSeen(7, failures + deaths + 1, failures, deaths, cancel, retried, started)


# cause → (at-least-once: no retries, retries, cancel asked, both) · (at-most-once: the same)
TABLE: dict[Cause, tuple[tuple[Verdict, ...], tuple[Verdict, ...]]] = {
    Cause.SUCCEEDED: ((SUCCEEDED, SUCCEEDED, SUCCEEDED, SUCCEEDED), (SUCCEEDED, SUCCEEDED, SUCCEEDED, SUCCEEDED)),
    Cause.ERROR: ((ERROR, RETRY, ERROR, CANCELLED), (ERROR, RETRY, ERROR, CANCELLED)),
    Cause.TIMEOUT: ((TIMEOUT, RETRY, TIMEOUT, CANCELLED), (TIMEOUT, RETRY, TIMEOUT, CANCELLED)),
    Cause.CANCELLED: ((CANCELLED, CANCELLED, CANCELLED, CANCELLED), (CANCELLED, CANCELLED, CANCELLED, CANCELLED)),
    Cause.REJECTED: ((REJECTED, REJECTED, REJECTED, REJECTED), (REJECTED, REJECTED, REJECTED, REJECTED)),
    Cause.RELEASED: ((AT_ONCE, AT_ONCE, CANCELLED, CANCELLED), (LOST, LOST, LOST, LOST)),
    Cause.UNKNOWN_TO_WORKER: ((AT_ONCE, AT_ONCE, CANCELLED, CANCELLED), (LOST, LOST, LOST, LOST)),
    Cause.NEVER_STARTED: ((AT_ONCE, AT_ONCE, CANCELLED, CANCELLED), (LOST, LOST, LOST, LOST)),
    Cause.LOST: ((DEATH, DEATH, *(CANCELLED_WITH_ITS_WORKER,) * 2), (LOST_WITH_ITS_WORKER,) * 4),
    Cause.OVERDUE: ((TIMEOUT, RETRY, CANCELLED, CANCELLED), (TIMEOUT, TIMEOUT, CANCELLED, CANCELLED)),
    Cause.START_MISSING: ((DEATH, DEATH, *(CANCELLED_WITH_ITS_WORKER,) * 2), (LOST_WITH_ITS_WORKER,) * 4),
}
SITUATIONS = ((NEVER, False), (THRICE, False), (NEVER, True), (THRICE, True))


def test_the_table_speaks_of_every_cause() -> None:
    assert set(TABLE) == set(Cause)


@pytest.mark.parametrize("cause", list(Cause))
@pytest.mark.parametrize("on_lost", list(OnLost))
def test_each_cause_has_its_verdict(cause: Cause, on_lost: OnLost) -> None:
    expected = TABLE[cause][0 if on_lost is OnLost.RERUN else 1]
    for (retry, cancel), verdict in zip(SITUATIONS, expected, strict=True):
        assert judge(job(on_lost, retry), run(cancel=cancel), cause, "ValueError", NOW) == verdict, (retry, cancel)


@pytest.mark.parametrize(
    ("cause", "on_lost", "retries", "failures", "deaths", "cancel"),
    list(product(Cause, OnLost, (0, 3), (0, 2, 3), (0, 1, 2), (False, True))),
)
def test_the_promises_hold_in_every_situation(
    cause: Cause, on_lost: OnLost, retries: int, failures: int, deaths: int, cancel: bool
) -> None:
    seen = run(failures=failures, deaths=deaths, cancel=cancel)
    verdict = judge(job(on_lost, retry_from(retries, backoff="1s..1m")), seen, cause, None, NOW)
    match verdict:
        case Back():
            assert not cancel, "a run asked to cancel went back"
            assert verdict.not_before >= NOW
            assert verdict.failures + verdict.deaths <= 1
            assert failures + verdict.failures <= retries or verdict.failures == 0, "I13: more failures than retries"
            assert deaths + verdict.deaths < 3, "R13: more deaths than max_lost"
            if on_lost is OnLost.FAIL:  # S7: only after its own worker reported it failed or stopped
                assert cause in {Cause.ERROR, Cause.TIMEOUT}
            if verdict.failures or (verdict.deaths and deaths):
                assert verdict.not_before >= NOW + SECOND, "I13: sooner than the backoff's floor"
        case End():
            assert verdict.state.is_final
            assert deaths + verdict.deaths <= 3, "I13: more deaths than max_lost"
            assert verdict.deaths == (cause in {Cause.LOST, Cause.START_MISSING}), "R13: a death was not counted"
            assert (verdict.state is RunState.FAILED) == (verdict.kind is not None)
            assert verdict.kind is not FailureKind.LOST or on_lost is OnLost.FAIL, (
                "S9: an at-least-once run was dropped"
            )


@pytest.mark.parametrize("cause", list(Cause))
@pytest.mark.parametrize("on_lost", list(OnLost))
def test_a_test_is_executed_once_at_most_and_never_tried_again(cause: Cause, on_lost: OnLost) -> None:
    without_retries = TABLE[cause][1][0]  # as a job that may run once at most and has no retries
    assert judge(job(on_lost, THRICE), run()._replace(is_test=True), cause, "ValueError", NOW) == without_retries


@pytest.mark.parametrize("on_lost", list(OnLost))
def test_what_its_worker_never_began_goes_back(on_lost: OnLost) -> None:
    """Also what may run at most once: nobody has begun it."""
    for cause in (Cause.UNKNOWN_TO_WORKER, Cause.RELEASED):
        assert judge(job(on_lost), run(started=False), cause, None, NOW) == AT_ONCE


def test_the_first_death_returns_at_once_the_second_waits_the_third_is_poison() -> None:
    rerun = job(retry=retry_from(0, backoff="30s..10m", jitter=False))
    assert judge(rerun, run(deaths=0), Cause.LOST, None, NOW) == Back(NOW, deaths=1)
    assert judge(rerun, run(deaths=1), Cause.LOST, None, NOW) == Back(NOW + 30 * SECOND, deaths=1)
    assert judge(rerun, run(deaths=2), Cause.LOST, None, NOW) == POISON
    assert judge(job(max_lost=1), run(), Cause.START_MISSING, None, NOW) == POISON


def test_deaths_wait_longer_and_longer_and_no_longer_than_ten_minutes() -> None:
    stubborn = job(retry=retry_from(0, backoff="30s..10m", jitter=False), max_lost=100)
    waits = [judge(stubborn, run(deaths=n), Cause.LOST, None, NOW) for n in range(1, 8)]
    assert [back.not_before - NOW for back in waits if isinstance(back, Back)] == [
        30 * SECOND, 60 * SECOND, 2 * MINUTE, 4 * MINUTE, 8 * MINUTE, 10 * MINUTE, 10 * MINUTE,
    ]  # fmt: skip


def test_deaths_do_not_use_up_retries_nor_failures_lives() -> None:
    verdict = judge(job(retry=THRICE), run(failures=2, deaths=2), Cause.ERROR, None, NOW)
    assert isinstance(verdict, Back)
    assert (verdict.failures, verdict.deaths) == (1, 0)
    assert judge(job(retry=THRICE, max_lost=4), run(failures=3, deaths=0), Cause.LOST, None, NOW) == DEATH


def test_an_at_most_once_run_that_was_never_begun_may_be_given_back() -> None:
    once = job(OnLost.FAIL)
    assert judge(once, run(started=False), Cause.RELEASED, None, NOW) == AT_ONCE
    assert judge(once, run(started=True), Cause.RELEASED, None, NOW) == LOST
    assert judge(once, run(started=False), Cause.NEVER_STARTED, None, NOW) == LOST


def test_retries_are_spent_one_by_one_then_the_run_fails_with_its_own_kind() -> None:
    for failures, kind in ((2, None), (3, FailureKind.ERROR)):
        verdict = judge(job(retry=THRICE), run(failures=failures), Cause.ERROR, None, NOW)
        assert isinstance(verdict, Back) if kind is None else verdict == End(RunState.FAILED, kind)


@pytest.mark.parametrize(
    ("cause", "error_type", "verdict"),
    [
        (Cause.ERROR, "ConnectionResetError", RETRY),
        (Cause.ERROR, "ValueError", ERROR),
        (Cause.ERROR, None, ERROR),
        (Cause.TIMEOUT, None, TIMEOUT),
        (Cause.OVERDUE, None, TIMEOUT),
    ],
)
def test_errors_that_are_not_named_end_the_run(cause: Cause, error_type: str | None, verdict: Verdict) -> None:
    named = retry_from(3, backoff="30s", jitter=False, on=(ConnectionError,))
    assert judge(job(retry=named), run(), cause, error_type, NOW) == verdict


@pytest.mark.parametrize("cause", [Cause.TIMEOUT, Cause.OVERDUE])
def test_a_timeout_is_named_like_pythons_own(cause: Cause) -> None:
    named = retry_from(3, backoff="30s", jitter=False, on=(TimeoutError,))
    for reported in (None, "Killed", "TimeoutError"):
        assert judge(job(retry=named), run(), cause, reported, NOW) == RETRY
    assert judge(job(retry=named), run(), Cause.ERROR, "Killed", NOW) == ERROR


def test_beyond_the_budget_of_the_hour_runs_fail_at_once() -> None:
    tight = job(retry=retry_from(3, budget_per_hour=5))
    assert isinstance(judge(tight, run(retried=4), Cause.ERROR, None, NOW), Back)
    assert judge(tight, run(retried=5), Cause.ERROR, None, NOW) == ERROR
    assert judge(tight, run(retried=5), Cause.LOST, None, NOW) == DEATH, "a lost worker is not a retry"
