"""Fixed delay: the next fire counts from the end of the last scheduled run.

Such a schedule has no instants of its own. Firing leaves the cursor without a next one, and the end of that run sets
it; a fire that is skipped sets it here, to now + delay.
"""

from foliot.domain.draft import Draft
from foliot.domain.fire import CursorState, DueJob, Plan, Situation, SkipReason, extending, kept
from foliot.domain.instants import Instant, Micros, ceil_to_second
from foliot.domain.schedule import Schedule
from foliot.domain.skips import PAUSED


def plan_delay(due: DueJob, schedule: Schedule, now: Instant, *, ignore_jitter: bool = False) -> Plan:
    """Decide the cursor's one instant if it is due."""
    cursor, job, seen = due
    at = cursor.next_due_at
    assert at is not None, cursor
    if schedule.end_at is not None and at >= schedule.end_at:
        return Plan(state=CursorState.DONE, remaining=cursor.remaining)
    wake_at = schedule.wake_at(job.name, at)
    if at > now or (wake_at > now and not ignore_jitter):
        return kept(cursor)._replace(next_at=wake_at)
    draft = Draft(job, schedule, seen, now=now, remaining=cursor.remaining)
    draft.decide_one(at)
    promote = seen.catch_up > 0 and draft.found_on_time and job.definition.is_serial
    decided = Plan(tuple(draft.runs), extending(cursor, draft.skips), remaining=draft.remaining, promote=promote)
    if draft.is_done:
        return decided._replace(state=CursorState.DONE)
    return decided if draft.runs else _again(decided, due, schedule, now)


def first_delay(
    schedule: Schedule, now: Instant, *, edited: DueJob | None = None, past: Plan | None = None
) -> tuple[Instant | None, bool]:
    """The first instant, and whether the schedule is over before it. (None, False): the end of a live run will set it.

    A new version keeps the end it counts from: an edit neither restarts the delay nor cuts it short.
    """
    first: Instant = ceil_to_second(now)
    if edited is not None:
        if _open_fires(edited.seen) or (past is not None and past.runs):
            return None, False
        old = edited.job.definition.schedule
        if old is not None and old.fixed_delay_us is not None:
            was_due_at = (past or edited.cursor).next_due_at
            ended_at = was_due_at - old.fixed_delay_us if was_due_at is not None else now
            first = max(first, ceil_to_second(ended_at + _delay_us(schedule)))
    if schedule.start_at is not None:
        first = max(first, ceil_to_second(schedule.start_at))
    return first, schedule.end_at is not None and first >= schedule.end_at


def resume_delay(due: DueJob, schedule: Schedule, now: Instant, *, ended_at: Instant, catch_up: bool) -> Plan:
    """Go on after a pause that ended at `ended_at`. A delay that ran out meanwhile is one skipped fire."""
    cursor, job, seen = due
    at = cursor.next_due_at
    active = due._replace(cursor=cursor._replace(state=CursorState.ACTIVE, next_at=at))
    if at is None:
        resumed = kept(active.cursor)
        if _open_fires(seen):
            return resumed
        # The last run ended in paused time, and nobody set the next instant.
        return (
            resumed._replace(next_at=now, next_due_at=ceil_to_second(now))
            if catch_up
            else _again(resumed, due, schedule, now)
        )
    if at >= ended_at or catch_up:
        return plan_delay(active, schedule, now)
    draft = Draft(job, schedule, seen, now=now, remaining=cursor.remaining)
    draft.leave_out_one(at, SkipReason.PAUSED, PAUSED)
    resumed = Plan(skips=extending(cursor, draft.skips), remaining=cursor.remaining)
    return _again(resumed, due, schedule, now)


def _again(decided: Plan, due: DueJob, schedule: Schedule, now: Instant) -> Plan:
    """Nothing was started, so the delay counts from now."""
    at = ceil_to_second(now + _delay_us(schedule))
    if schedule.end_at is not None and at >= schedule.end_at:
        return decided._replace(state=CursorState.DONE)
    return decided._replace(next_at=schedule.wake_at(due.job.name, at), next_due_at=at)


def _delay_us(schedule: Schedule) -> Micros:
    delay_us = schedule.fixed_delay_us
    assert delay_us is not None, schedule
    return delay_us


def _open_fires(seen: Situation) -> int:
    """Live runs of the schedule itself; where they are not told apart from triggers, all."""
    return seen.open if seen.scheduled is None else seen.scheduled
