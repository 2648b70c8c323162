"""Plans: the complete decision about a job's due instants, made exactly once (S1). Pure: same arguments, same plan.

`plan` decides what is due on a cursor; edits, pauses, resumes and deletions first decide the past through the same
draft, so no instant is forgotten or decided twice. An instant is due when its wake time (the instant and its jitter)
has come by store time; nothing is created before its instant (S3). A clock that stepped back decides nothing.
"""

from collections.abc import Sequence
from typing import Final

from foliot.domain.changes import CatchUp
from foliot.domain.delays import first_delay, plan_delay, resume_delay
from foliot.domain.draft import FRESH, Draft
from foliot.domain.fire import (
    TROUBLE_TEXT_MAX,
    Cursor,
    CursorState,
    DueJob,
    Plan,
    PlannedRun,
    PlannedSkip,
    SkipReason,
    extending,
    kept,
    troubled,
)
from foliot.domain.held_time import HeldStretch, can_be_held, joined
from foliot.domain.instants import Instant
from foliot.domain.job import LoadedJob
from foliot.domain.pacer import CatchUpPacer as CatchUpPacer  # noqa: PLC0414  it belongs to `decide_batch`
from foliot.domain.policies.misfire import MISFIRE_AFTER
from foliot.domain.schedule import HORIZON, Schedule
from foliot.domain.skips import PAUSED, SkipCause, SkipKind
from foliot.domain.stretches import has_jitter, has_rulings

_ACTIVE: Final = CursorState.ACTIVE
_PAUSED: Final = CursorState.PAUSED
_DONE: Final = CursorState.DONE
_ACTIVE_WORD: Final = CursorState.ACTIVE.value
_new: Final = tuple.__new__  # half the cost of a named tuple's own constructor


def decide_batch(now: Instant, batch: Sequence[DueJob], *, pacer: CatchUpPacer) -> list[Plan]:
    """Decide a batch at one store time (`fire.Decide`, once a pacer is given). One bad job never stops its batch."""
    plans = []
    for due in batch:
        try:
            decided = plan(due, now)
        except Exception as error:  # noqa: BLE001  whatever is wrong with one job, the others fire
            decided = troubled(due.cursor, error, now)
        if decided.runs and decided.runs[0].catch_up:  # late ones come first
            decided = pacer.spread(decided, now)
        plans.append(decided)
    return plans


def plan(due: DueJob, now: Instant) -> Plan:
    """Decide every instant that is due by `now`, and say when to look again."""
    cursor, job, seen = due
    _, _, state, next_at, first, _, remaining, _, _, _ = cursor
    if next_at is None or now < next_at:
        return kept(cursor)
    # The straight way of nearly every fire: one instant, on time, nothing open, nothing to look up.
    if job.is_plain and first is not None and first <= now <= first + MISFIRE_AFTER:
        schedule = job.definition.schedule
        nothing_waits = not seen.open and not seen.catch_up  # a backfill waits without being open
        if state == _ACTIVE_WORD and remaining is None and nothing_waits and schedule is not None:
            following = schedule.next_after(first)
            if following is not None and following > now:
                not_before = first if now - first <= FRESH else now - FRESH
                run = _new(PlannedRun, (first, f"s:{first}", not_before, False, False))
                return _new(Plan, ((run,), (), _ACTIVE, following, following, None, False, None))
    if job.has_plain_jitter and state == _ACTIVE_WORD:
        return _plan_with_jitter(due, now) or _plan_at_length(due, now)
    return _plan_at_length(due, now)


def _plan_with_jitter(due: DueJob, now: Instant) -> Plan | None:
    """The straight way of a job that has jitter, and is plain else; None: it must be planned at length."""
    cursor, job, seen = due
    first, schedule = cursor.next_due_at, job.definition.schedule
    if first is None or schedule is None or cursor.remaining is not None or seen.open or seen.catch_up:
        return None
    wake_at = schedule.wake_at(job.name, first)
    if not wake_at <= now <= wake_at + MISFIRE_AFTER:
        return None
    following = schedule.next_after(first)
    if following is None:
        return None
    next_at = schedule.wake_at(job.name, following)  # jitter never reaches the instant behind it
    if next_at <= now:
        return None
    run = _new(PlannedRun, (first, f"s:{first}", max(wake_at, now - FRESH), False, False))
    return _new(Plan, ((run,), (), _ACTIVE, next_at, following, None, False, None))


def first_cursor(job: LoadedJob, now: Instant, *, edited: DueJob | None = None, past: Plan | None = None) -> Plan:
    """Where a new job's schedule begins: after `now`, it has no past.

    For a new version give the job as it was (`edited`) and what `plan_edit` made of its past: a pause stays, a count
    goes on, nothing that was decided comes again (also not after a clock step), and a fixed delay is not cut short.
    """
    schedule = job.definition.schedule
    was = past or (edited.cursor if edited is not None else None)
    state, until = (_PAUSED, was.next_at) if was is not None and was.state == _PAUSED else (_ACTIVE, None)
    if schedule is None:
        return Plan(state=state, next_at=until)
    remaining = _remaining_after(schedule, edited, past)
    if schedule.fixed_delay_us is not None:
        first, is_over = first_delay(schedule, now, edited=edited, past=past)
    else:
        first = schedule.next_after(_decided_until(now, edited))
        is_over = first is None
    if is_over or (remaining is not None and remaining <= 0):
        return Plan(state=_PAUSED if state == _PAUSED else _DONE, next_at=until, remaining=remaining)
    next_at = until if state == _PAUSED else wake_of_next(job, schedule, first)
    return Plan(state=state, next_at=next_at, next_due_at=first, remaining=remaining)


def plan_edit(due: DueJob, now: Instant) -> Plan:
    """The past of a job that is being edited, under the version it had: every instant up to `now` is decided.

    What one plan cannot cover, or what cannot be planned at all, becomes one `edited` skip; paused time one `paused`
    skip, which is held for a resume that catches up.
    """
    return _with_rest_left_out(due, _past(due, now), now, SkipReason.EDITED, SkipCause(SkipKind.BEFORE_EDIT))


def plan_pause(due: DueJob, now: Instant, *, until: Instant | None = None) -> Plan:
    """Decide up to `now`, then stand still: for good, or `until` an instant at which `plan` resumes by itself.

    What one plan cannot cover was due while the job was not paused, so the ledger calls it missed. A schedule that has
    ended is paused as well: an edit that gives it new instants does not start it.
    """
    past = _past(due, now)
    if past.state == _ACTIVE:
        cause = SkipCause(SkipKind.BEFORE_PAUSE)
        decided = _with_rest_left_out(due, past, now, SkipReason.MISFIRE, cause)
        can_go_on = past.trouble is None or decided.state == _ACTIVE
        past = decided if can_go_on else past  # else its instants cannot even be counted: they stay undecided
    return past._replace(state=_PAUSED, next_at=until, trouble=None)


def plan_resume(due: DueJob, now: Instant, catch_up: bool = False) -> Plan:
    """Go on. Paused time is one `paused` skip, or follows the misfire policy with `catch_up`.

    A pause that ended by itself before `now` ended then: what was due since is decided as on any other day.
    """
    cursor, job, seen = due
    schedule = job.definition.schedule
    if cursor.state != _PAUSED:
        return kept(cursor)
    if schedule is None:
        return Plan(remaining=cursor.remaining)
    if cursor.remaining is not None and cursor.remaining <= 0:
        return Plan(state=_DONE, remaining=cursor.remaining)
    ended_at = cursor.next_at if _has_ended(cursor, now) and cursor.next_at is not None else now + 1
    if schedule.fixed_delay_us is not None:
        return resume_delay(due, schedule, now, ended_at=ended_at, catch_up=catch_up)
    draft = Draft(job, schedule, seen, now=now, remaining=cursor.remaining)
    first = cursor.next_due_at
    paused_last = schedule.previous_before(ended_at)
    if first is not None and paused_last is not None and first <= paused_last and not catch_up:
        draft.leave_out(first, paused_last, SkipReason.PAUSED, PAUSED)
        first = draft.next_due_at
    return _finished(due, schedule, draft, first, _last_due(job, schedule, now), now)


def plan_catch_up(due: DueJob, held: Sequence[HeldStretch], now: Instant) -> CatchUp:
    """Resume, and decide paused time from its first held instant on by the misfire policy of the present version.

    While held instants are left over, which one plan could not cover, the job stays paused.
    """
    cursor, job, seen = due
    schedule = job.definition.schedule
    assert schedule is not None, cursor
    assert held, cursor
    whole = joined(held, schedule, cursor.next_due_at)
    draft = Draft(job, whole, seen, now=now, remaining=cursor.remaining)
    decided = _finished(due, whole, draft, held[0].from_at, _last_due(job, whole, now), now)
    if draft.is_done:
        undecided_from = whole.next_after(draft.runs[-1].due_at) if draft.runs else held[0].from_at
        return CatchUp(decided, undecided_from)
    if decided.next_due_at is None or decided.next_due_at > held[-1].to_at:
        return CatchUp(decided, None)
    paused = decided._replace(state=_PAUSED, next_at=cursor.next_at, next_due_at=cursor.next_due_at)
    return CatchUp(paused, decided.next_due_at)


def plan_delete(due: DueJob, now: Instant) -> Plan:
    """A deleted job starts nothing any more: what it had not decided yet is left out and said so."""
    cause = SkipCause(SkipKind.BEFORE_DELETE)
    past = _with_rest_left_out(due, kept(due.cursor), now, SkipReason.EDITED, cause)
    skips = extending(due.cursor, [skip._replace(held=False) for skip in past.skips])
    return past._replace(skips=skips, state=_DONE, next_at=None, next_due_at=None)


# ------------------------------------------------------------------------------------------------- active cursors


def _plan_at_length(due: DueJob, now: Instant) -> Plan:
    cursor, job, _ = due
    schedule = job.definition.schedule
    if cursor.state == _PAUSED:
        return plan_resume(due, now)
    if cursor.state == _DONE or schedule is None or cursor.next_due_at is None:
        return kept(cursor)._replace(next_at=None)
    if schedule.fixed_delay_us is not None:
        return plan_delay(due, schedule, now)
    return _drafted(due, schedule, _last_due(job, schedule, now), now)


def _drafted(due: DueJob, schedule: Schedule, last: Instant | None, now: Instant) -> Plan:
    cursor, job, seen = due
    draft = Draft(job, schedule, seen, now=now, remaining=cursor.remaining)
    return _finished(due, schedule, draft, cursor.next_due_at, last, now)


def _finished(
    due: DueJob, schedule: Schedule, draft: Draft, first: Instant | None, last: Instant | None, now: Instant
) -> Plan:
    """Decide from `first` to `last` and close the draft: where the cursor goes, and when to look again."""
    next_due_at = first
    if first is not None and last is not None and first <= last:
        draft.decide(first, last)
        next_due_at = draft.next_due_at
    runs, skips = tuple(draft.runs), extending(due.cursor, draft.skips)
    promote = due.seen.catch_up > 0 and draft.found_on_time and due.job.definition.is_serial
    if draft.is_done or next_due_at is None:
        return Plan(runs, skips, _DONE, None, None, draft.remaining, promote)
    is_cut = last is not None and next_due_at <= last
    next_at = now if is_cut else wake_of_next(due.job, schedule, next_due_at)
    return Plan(runs, skips, _ACTIVE, next_at, next_due_at, draft.remaining, promote)


def _last_due(job: LoadedJob, schedule: Schedule, now: Instant) -> Instant | None:
    """The newest instant whose wake time has come."""
    last = schedule.previous_before(now + 1)
    if last is not None and has_jitter(schedule) and schedule.wake_at(job.name, last) > now:
        last = schedule.previous_before(last)
    return last


def wake_of_next(job: LoadedJob, schedule: Schedule, next_due_at: Instant | None) -> Instant | None:
    """When to look again: at the next instant that may run, so that ruled-out stretches cost no wake-ups.

    If none may run any more, at the schedule's last instant, so that its end too is decided.
    """
    if next_due_at is None:
        return None
    wanted: Instant | None = next_due_at
    if has_rulings(schedule) and schedule.fixed_delay_us is None and not schedule.ruling(next_due_at).is_allowed:
        wanted = schedule.next_allowed_after(next_due_at) or schedule.previous_before(HORIZON)
    assert wanted is not None, next_due_at
    return schedule.wake_at(job.name, wanted)


# -------------------------------------------------------------------------------------------------------- the past


def _past(due: DueJob, now: Instant) -> Plan:
    """Decide everything up to `now`, also what jitter still holds back or trouble put off. Of a bad job: nothing."""
    cursor, job, _ = due
    schedule = job.definition.schedule
    if cursor.state == _PAUSED and not _has_ended(cursor, now):
        return kept(cursor)
    try:
        if cursor.state == _PAUSED:
            return plan_resume(due, now)
        if cursor.state == _DONE or schedule is None or cursor.next_due_at is None:
            return kept(cursor)
        if schedule.fixed_delay_us is not None:
            return plan_delay(due, schedule, now, ignore_jitter=True)
        return _drafted(due, schedule, schedule.previous_before(now + 1), now)
    except Exception as error:  # noqa: BLE001  an edit may be what mends it, a pause what it needs
        return troubled(cursor, error, now)


def _with_rest_left_out(due: DueJob, past: Plan, now: Instant, reason: SkipReason, cause: SkipCause) -> Plan:
    """Add what a plan left undecided up to `now` as one skip: `paused` of a paused job, else for the reason given."""
    cursor, job, _ = due
    schedule, first = job.definition.schedule, past.next_due_at
    if schedule is None or first is None or first > now or past.state == _DONE:
        return past
    is_paused = past.state == _PAUSED
    if is_paused:
        reason, cause = SkipReason.PAUSED, PAUSED
    try:
        rest, next_due_at = _rest(schedule, first, now, reason, cause)
        rest = rest._replace(held=is_paused and can_be_held(schedule))
    except Exception as error:  # noqa: BLE001  the schedule cannot even be counted
        trouble = f"{type(error).__name__}: {error}"[:TROUBLE_TEXT_MAX]
        rest = PlannedSkip(first, max(first, now), 1, reason, cause._replace(trouble=trouble))
        next_due_at = None
    state = past.state if next_due_at is not None or schedule.fixed_delay_us is not None else _DONE
    next_at = past.next_at if state == _PAUSED else wake_of_next(job, schedule, next_due_at)
    skips = extending(cursor, (*past.skips, rest))
    return past._replace(skips=skips, state=state, next_at=next_at, next_due_at=next_due_at, trouble=None)


def _rest(
    schedule: Schedule, first: Instant, now: Instant, reason: SkipReason, cause: SkipCause
) -> tuple[PlannedSkip, Instant | None]:
    if schedule.fixed_delay_us is not None:
        return PlannedSkip(first, first, 1, reason, cause), None
    last = schedule.previous_before(now + 1)
    assert last is not None, first
    count = schedule.count_between(first - 1, last)
    return PlannedSkip(first, last, count, reason, cause), schedule.next_after(last)


def _has_ended(cursor: Cursor, now: Instant) -> bool:
    """Whether a pause had an end and it has come."""
    return cursor.next_at is not None and cursor.next_at <= now


def _decided_until(now: Instant, edited: DueJob | None) -> Instant:
    """Up to where instants were decided: by now everything; after a clock step back, further."""
    if edited is None:
        return now
    cursor, schedule = edited.cursor, edited.job.definition.schedule
    if schedule is None or cursor.next_due_at is None or cursor.next_due_at <= now:
        return now
    before = schedule.previous_before(cursor.next_due_at)
    return now if before is None else max(now, before)


def _remaining_after(schedule: Schedule, edited: DueJob | None, past: Plan | None) -> int | None:
    """How many runs a schedule with a count has left; those made under earlier versions count."""
    if schedule.count is None or edited is None:
        return schedule.count
    old = edited.job.definition.schedule
    left = past.remaining if past is not None else edited.cursor.remaining
    if old is None or old.count is None or left is None:
        return schedule.count
    return max(0, schedule.count - (old.count - left))
