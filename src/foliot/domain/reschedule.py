"""Reschedule: a cursor set right by store time.

While the store's clock is ahead, servers decide instants that have not come. When it is right again, the cursor stands
beyond them, and the job would be silent until the time that the clock had shown. A person lets it go on: the cursor
goes back to the first instant that is still to come. What was decided for instants up to now stays decided (S1).
"""

from typing import Final

from foliot.domain.changes import Stand
from foliot.domain.fire import TROUBLE_REST, Cursor, CursorState, DueJob, Plan, kept
from foliot.domain.instants import MINUTE, Instant, Micros, ceil_to_second
from foliot.domain.job import LoadedJob
from foliot.domain.plans import wake_of_next
from foliot.domain.schedule import Schedule

AHEAD_US: Final[Micros] = MINUTE
"""So far a cursor may be ahead of its schedule: clocks that step back a little are not worth a word."""


def expected_next(stand: Stand, schedule: Schedule | None, now: Instant) -> Instant | None:
    """The first instant to come, when the cursor stands further ahead than its schedule allows; else None."""
    if schedule is None or (stand.remaining is not None and stand.remaining <= 0):
        return None
    first = _first_to_come(schedule, now)
    if first is None:
        return None
    if stand.state == CursorState.DONE:
        return first
    if stand.next_due_at is None:  # the end of a run will set it, or a finished schedule is paused
        return first if stand.state == CursorState.PAUSED and schedule.fixed_delay_us is None else None
    return first if stand.next_due_at > first + AHEAD_US else None


def is_ahead(stand: Stand, job: LoadedJob, now: Instant) -> bool:
    """Whether a cursor stands further ahead than its schedule allows, by its next instant or by its wake time."""
    schedule = job.definition.schedule
    if expected_next(stand, schedule, now) is not None:
        return True
    return schedule is not None and _wakes_too_late(stand, job, schedule, now)


def plan_reschedule(due: DueJob, now: Instant, *, early: int = 0) -> Plan:
    """Where the cursor goes: to the first instant to come, where it stands further ahead; a pause stays.

    `early`: how many runs were made for instants that come again. They count again then, so a count gets them back.
    """
    cursor, job, _ = due
    schedule = job.definition.schedule
    if schedule is None:
        return kept(cursor)
    remaining = None if cursor.remaining is None else cursor.remaining + early
    stand = Stand(cursor.state, cursor.next_at, cursor.next_due_at, remaining)
    first = expected_next(stand, schedule, now)
    if first is None:
        return _woken(cursor, stand, job, schedule, now)
    if cursor.state == CursorState.PAUSED:
        return kept(cursor)._replace(next_due_at=first, remaining=remaining)
    return Plan(
        state=CursorState.ACTIVE,
        next_at=wake_of_next(job, schedule, first),
        next_due_at=first,
        remaining=remaining,
    )


def comes_again_from(plan: Plan, schedule: Schedule | None, now: Instant) -> Instant | None:
    """From which instant on the schedule decides again; None: it comes back to no instant.

    What was decided for an instant from there on may be taken back. An instant before it keeps what it has: nothing
    would come in its stead. A fixed delay counts anew from now, and meets none of its former instants.
    """
    if schedule is not None and schedule.fixed_delay_us is not None:
        return now + 1
    if schedule is None or plan.next_due_at is None:
        return None
    return max(plan.next_due_at, now + 1)


def _woken(cursor: Cursor, stand: Stand, job: LoadedJob, schedule: Schedule, now: Instant) -> Plan:
    """The cursor's instant is right; its wake time may not be. A fixed delay gets its count back all the same."""
    plan = kept(cursor)
    if _wakes_too_late(stand, job, schedule, now):
        plan = plan._replace(next_at=wake_of_next(job, schedule, cursor.next_due_at))
    return plan if schedule.fixed_delay_us is None else plan._replace(remaining=stand.remaining)


def _first_to_come(schedule: Schedule, now: Instant) -> Instant | None:
    if schedule.fixed_delay_us is None:
        return schedule.next_after(now)
    first = ceil_to_second(now + schedule.fixed_delay_us)
    if schedule.start_at is not None:
        first = max(first, ceil_to_second(schedule.start_at))
    return None if schedule.end_at is not None and first >= schedule.end_at else first


def _wakes_too_late(stand: Stand, job: LoadedJob, schedule: Schedule, now: Instant) -> bool:
    if stand.state != CursorState.ACTIVE or stand.next_at is None or stand.next_due_at is None:
        return False
    wake_at = wake_of_next(job, schedule, stand.next_due_at)
    return wake_at is not None and stand.next_at > max(wake_at, now + TROUBLE_REST) + AHEAD_US
