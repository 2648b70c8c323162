"""Explanations: from what is known to one verdict. Pure: same facts, same verdict.

Every instant of every job, and every run, has exactly one answer; the order below is the order of judgement.
"""

from collections.abc import Mapping
from typing import Final, assert_never

from foliot.domain.fire import CursorState
from foliot.domain.instants import SECOND, Instant, Micros
from foliot.domain.run import FailureKind, RunState
from foliot.domain.why.facts import (
    Explanation,
    Hold,
    InstantFacts,
    JobFacts,
    Neighbour,
    QueueFacts,
    RunFacts,
)
from foliot.domain.why.holds import hold_of
from foliot.domain.why.verdicts import HoldKind, WhyVerdict

STOPS_WITHIN_US: Final[Micros] = 10 * SECOND  # a thread that checks whether it is asked to stop has done so by then
_FAILED: Final[Mapping[str, WhyVerdict]] = {
    FailureKind.TIMEOUT: WhyVerdict.TIMEOUT,
    FailureKind.LOST: WhyVerdict.LOST,
    FailureKind.REJECTED: WhyVerdict.REJECTED,
    FailureKind.POISON: WhyVerdict.POISON,
}


def explain_instant(facts: InstantFacts) -> Explanation:
    """What became, or will become, of one instant of a job."""
    if facts.run is not None:
        late_us = facts.run.created_at - facts.at
        return explain_run(facts.run, facts.queue, facts.now, at=facts.at, late_us=late_us)
    if facts.skip is not None:
        return _plain(facts, WhyVerdict(f"skipped_{facts.skip.reason}"))
    return _without_record(facts)


def explain_ahead(job: JobFacts, *, expected_at: Instant, now: Instant) -> Explanation:
    """A job whose next fire lies further ahead than its schedule allows, which has an instant at `expected_at`."""
    return Explanation(verdict=WhyVerdict.AHEAD, now=now, job=job.name, facts=job, after=Neighbour(at=expected_at))


def explain_standing(job: JobFacts, *, is_scheduled: bool, since: Instant, now: Instant) -> Explanation:
    """Where a job as a whole stands, where its instants since then say nothing, or not all."""
    if not is_scheduled:
        verdict = WhyVerdict.UNSCHEDULED
    elif job.state == CursorState.PAUSED:
        verdict = WhyVerdict.PAUSED_NOW
    elif job.state == CursorState.DONE:
        verdict = WhyVerdict.OVER
    else:
        verdict = WhyVerdict.QUIET
    ahead = None if job.next_due_at is None else Neighbour(at=job.next_due_at)
    return Explanation(verdict=verdict, now=now, job=job.name, facts=job, after=ahead, since=since)


# --------------------------------------------------------------------------------------------------- without a record


def _without_record(facts: InstantFacts) -> Explanation:
    job, at = facts.job, facts.at
    schedule = job.schedule
    if at < job.created_at:
        return _plain(facts, WhyVerdict.BEFORE_CREATION)
    if schedule is None:
        return _plain(facts, WhyVerdict.NO_SCHEDULE)
    if schedule.fixed_delay_us is not None:
        return _plain(facts, WhyVerdict.FIXED_DELAY)
    if schedule.start_at is not None and at < schedule.start_at:
        return _plain(facts, WhyVerdict.BEFORE_START)
    if schedule.end_at is not None and at >= schedule.end_at:
        return _plain(facts, WhyVerdict.AFTER_END)
    if schedule.next_after(at - 1) != at:
        return _plain(facts, WhyVerdict.NOT_DUE)
    if _is_used_up(job, at):
        return _plain(facts, WhyVerdict.USED_UP)
    if _is_paused_at(job, at):
        return _plain(facts, WhyVerdict.PAUSED)
    if at > facts.now:
        return _plain(facts, WhyVerdict.FUTURE if schedule.ruling(at).is_allowed else WhyVerdict.FUTURE_CLOSED)
    if job.next_due_at is not None and at >= job.next_due_at:
        if not schedule.ruling(at).is_allowed:  # recorded when the next allowed instant is decided
            return _plain(facts, WhyVerdict.CLOSED)
        return _plain(facts, _undecided(job))
    return _plain(facts, WhyVerdict.FORGOTTEN)


def _undecided(job: JobFacts) -> WhyVerdict:
    """Why no server has decided an instant that is due."""
    if job.maintenance is not None:
        return WhyVerdict.MAINTAINED
    return WhyVerdict.TROUBLED if job.trouble else WhyVerdict.UNDECIDED


def _plain(facts: InstantFacts, verdict: WhyVerdict) -> Explanation:
    return Explanation(
        verdict=verdict,
        now=facts.now,
        at=facts.at,
        job=facts.job.name,
        skip=facts.skip,
        facts=facts.job,
        first=facts.first,
        before=facts.before,
        after=facts.after,
    )


def _is_used_up(job: JobFacts, at: Instant) -> bool:
    return job.state == CursorState.DONE and job.remaining is not None and job.remaining <= 0 and _is_undecided(job, at)


def _is_paused_at(job: JobFacts, at: Instant) -> bool:
    """A paused job's instants are undecided until it is resumed."""
    if job.state != CursorState.PAUSED or not _is_undecided(job, at):
        return False
    return job.paused_until is None or at < job.paused_until


def _is_undecided(job: JobFacts, at: Instant) -> bool:
    return job.next_due_at is None or at >= job.next_due_at


# -------------------------------------------------------------------------------------------------------------- runs


def explain_run(
    run: RunFacts,
    queue: QueueFacts | None,
    now: Instant,
    *,
    at: Instant | None = None,
    late_us: int | None = None,
) -> Explanation:
    """Where a run stands and what it waits for."""
    hold = None
    match run.state:
        case RunState.SUCCEEDED:
            verdict = WhyVerdict.SUCCEEDED
        case RunState.CANCELLED:
            verdict = WhyVerdict.CANCELLED
        case RunState.FAILED:
            verdict = _failed(run)
        case RunState.RUNNING:
            verdict = _running(run, now)
        case RunState.PENDING:
            verdict, hold = _waiting(run, queue, now)
        case _:
            assert_never(run.state)
    return Explanation(verdict=verdict, now=now, at=at, job=run.job, run=run, hold=hold, late_us=late_us)


def _failed(run: RunFacts) -> WhyVerdict:
    if run.shards:  # it failed by what became of them
        return WhyVerdict.FAILED
    if run.kind == FailureKind.LOST and run.is_own:
        return WhyVerdict.WORKER_GONE
    return _FAILED.get(run.kind or "", WhyVerdict.FAILED)


def _running(run: RunFacts, now: Instant) -> WhyVerdict:
    if run.cancel_at is not None:
        goes_on = run.isolation == "thread" and now - run.cancel_at >= STOPS_WITHIN_US
        return WhyVerdict.THREAD_GOES_ON if goes_on else WhyVerdict.CANCELLING
    if run.lock is not None:
        return WhyVerdict.WAITS_FOR_LOCK
    has_started = run.started_at is not None or run.leased_at is None
    return WhyVerdict.RUNNING if has_started else WhyVerdict.STARTING


def _waiting(run: RunFacts, queue: QueueFacts | None, now: Instant) -> tuple[WhyVerdict, Hold | None]:
    if run.not_before > now:
        if run.attempt > 0:
            return WhyVerdict.RETRYING, None
        return (WhyVerdict.PACED if run.catch_up else WhyVerdict.LATER), None
    if queue is None:
        return WhyVerdict.READY, Hold(kind=HoldKind.READY, held_us=now - run.not_before)
    hold = hold_of(run, queue, now)
    if not hold.kind.is_held:
        return WhyVerdict.READY, hold
    return WhyVerdict(f"held_{hold.kind}"), hold
