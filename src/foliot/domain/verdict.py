"""Verdicts: what becomes of a run when an attempt is over, for every way an attempt can be over."""

from collections.abc import Callable
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias, assert_never

from foliot.domain.instants import Instant, Micros
from foliot.domain.job import Definition, LoadedJob, OnLost
from foliot.domain.run import FailureKind, RunState


class Cause(StrEnum):
    """How an attempt came to be over."""

    SUCCEEDED = "succeeded"  # reported by its worker
    ERROR = "error"  # reported: the handler raised
    TIMEOUT = "timeout"  # reported: the worker stopped it at its deadline
    CANCELLED = "cancelled"  # reported: it stopped because it was asked to
    REJECTED = "rejected"  # reported: payload or handler not fit to run; nothing was started
    RELEASED = "released"  # reported: a draining worker gives it back, stopped
    UNKNOWN_TO_WORKER = "unknown_to_worker"  # adopt: the worker settled the request and does not know the run
    NEVER_STARTED = "never_started"  # reap: the dead session's last beat named it as not started
    LOST = "lost"  # reap: nobody knows whether it ran
    OVERDUE = "overdue"  # the deadline has passed by store time and no report came
    START_MISSING = "start_missing"  # leased, and no start reported in time


REPORTED: Final = frozenset(
    {Cause.SUCCEEDED, Cause.ERROR, Cause.TIMEOUT, Cause.CANCELLED, Cause.REJECTED, Cause.RELEASED}
)
"""What a worker may say of its attempt. The others are for the server to find."""


class RunSeen(NamedTuple):
    """What the verdict needs to know of the run's row."""

    run_id: int
    attempt: int  # tries so far, this one included
    failures: int
    deaths: int
    cancel_asked: bool
    retries_this_hour: int = 0  # of the whole job, for its budget
    started: bool = True  # a start was reported, or nobody can rule it out
    is_test: bool = False  # a user tests the job with it: it is executed once at most, and never tried again


class End(NamedTuple):
    """The run is over."""

    state: RunState
    kind: FailureKind | None = None
    deaths: int = 0  # added to the run's count: the worker it was with is gone, too


class Back(NamedTuple):
    """The run goes back to PENDING."""

    not_before: Instant
    failures: int = 0  # added to the run's count
    deaths: int = 0  # likewise


Verdict: TypeAlias = End | Back
Judge: TypeAlias = Callable[[LoadedJob, RunSeen, Cause, str | None, Instant], Verdict]
"""(job, run, cause, error type, now) -> verdict. Pure; runs inside the store's transaction."""

TIMEOUT_ERROR: Final = "TimeoutError"  # how a timeout is named in a retry policy's `on`


def judge(job: LoadedJob, run: RunSeen, cause: Cause, error_type: str | None, now: Instant) -> Verdict:
    """What becomes of the run (S6, S7, S9, R13). A run asked to cancel never goes back: it ends CANCELLED."""
    verdict = _judge(job.definition, run, cause, error_type, now)
    if run.cancel_asked and isinstance(verdict, Back):
        return End(RunState.CANCELLED)
    return verdict


def _judge(  # noqa: C901  one arm for each cause is the point
    definition: Definition, run: RunSeen, cause: Cause, error_type: str | None, now: Instant
) -> Verdict:
    at_most_once = run.is_test or definition.on_lost is OnLost.FAIL
    match cause:
        case Cause.SUCCEEDED:
            return End(RunState.SUCCEEDED)
        case Cause.CANCELLED:
            return End(RunState.CANCELLED)
        case Cause.REJECTED:
            return End(RunState.FAILED, FailureKind.REJECTED)
        case Cause.ERROR:
            return _retried(definition, run, FailureKind.ERROR, error_type, now)
        case Cause.TIMEOUT:
            return _retried(definition, run, FailureKind.TIMEOUT, _as_timeout(error_type), now)
        case Cause.OVERDUE:
            if run.cancel_asked:  # what somebody gave up waiting for did not fail
                return End(RunState.CANCELLED)
            if at_most_once:  # no report: it may still be at work
                return End(RunState.FAILED, FailureKind.TIMEOUT)
            return _retried(definition, run, FailureKind.TIMEOUT, _as_timeout(error_type), now)
        case Cause.UNKNOWN_TO_WORKER:
            if at_most_once and run.started:  # once it said the contrary: what it did is unknown (S7)
                return End(RunState.FAILED, FailureKind.LOST)
            return Back(now)  # its worker says it has not run and will not, so at-most-once goes back too
        case Cause.RELEASED:
            if at_most_once and run.started:  # stopped half-way: what it did is unknown (R18)
                return End(RunState.FAILED, FailureKind.LOST)
            return Back(now)
        case Cause.NEVER_STARTED:
            if at_most_once:  # after that beat it may have started: leased counts as started
                return End(RunState.FAILED, FailureKind.LOST)
            return Back(now)
        case Cause.LOST | Cause.START_MISSING:
            if at_most_once:
                return End(RunState.FAILED, FailureKind.LOST, deaths=1)
            return _after_death(definition, run, now)
        case _:
            assert_never(cause)


def _as_timeout(error_type: str | None) -> str:
    """A timeout is one, however the worker named the error that stopping the run came to."""
    return f"{error_type},{TIMEOUT_ERROR}" if error_type else TIMEOUT_ERROR


def _retried(definition: Definition, run: RunSeen, kind: FailureKind, error_type: str | None, now: Instant) -> Verdict:
    may_retry = not run.is_test and definition.retry.allows(
        failures=run.failures,
        error_type=error_type,
        retries_this_hour=run.retries_this_hour,
    )
    if not may_retry:
        return End(RunState.FAILED, kind)
    pause_us = _pause_us(definition, run, nth=run.failures + 1)
    return Back(now + pause_us, failures=1)


def _pause_us(definition: Definition, run: RunSeen, *, nth: int) -> Micros:
    retry = definition.retry
    return retry.backoff.pause_us(nth, jitter=retry.jitter, run_id=run.run_id, attempt=run.attempt)


def _after_death(definition: Definition, run: RunSeen, now: Instant) -> Verdict:
    """The first death is most likely the worker's own (L3: back at once); from the second on it may be the run's."""
    deaths = run.deaths + 1
    if run.cancel_asked:
        return End(RunState.CANCELLED, deaths=1)
    if deaths >= definition.max_lost:
        return End(RunState.FAILED, FailureKind.POISON, deaths=1)
    if deaths == 1:
        return Back(now, deaths=1)
    pause_us = _pause_us(definition, run, nth=deaths - 1)
    return Back(now + pause_us, deaths=1)
