"""Verdicts: what becomes of a run when an attempt is over, for every way an attempt can be over."""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from foliot.domain.instants import Instant
from foliot.domain.job import LoadedJob
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


class RunSeen(NamedTuple):
    """What the verdict needs to know of the run's row."""

    run_id: int
    attempt: int  # tries so far, this one included
    failures: int
    deaths: int
    cancel_asked: bool
    retries_this_hour: int = 0  # of the whole job, for its budget


class End(NamedTuple):
    """The run is over."""

    state: RunState
    kind: FailureKind | None = None


class Back(NamedTuple):
    """The run goes back to PENDING."""

    not_before: Instant
    failures: int = 0  # added to the run's count
    deaths: int = 0  # likewise


Verdict: TypeAlias = End | Back
Judge: TypeAlias = Callable[[LoadedJob, RunSeen, Cause, str | None, Instant], Verdict]
"""(job, run, cause, error type, now) -> verdict. Pure; runs inside the store's transaction."""
