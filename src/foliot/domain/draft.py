"""Drafts: a stretch of a job's instants becomes runs and skips, in order, at bounded cost whatever its length.

The order of judgement for one instant: the calendar, then misfire (is it late, and does the policy still want it), then
overlap (is a run of the job in its way). What is left out is recorded as ranges with a count, never one by one, so ten
years of missed seconds cost a handful of questions to the schedule. Ranges and runs are disjoint and leave no gap.
"""

from typing import Final

from foliot.domain.fire import PlannedRun, PlannedSkip, Situation, SkipReason, schedule_key
from foliot.domain.instants import SECOND, Instant, Micros
from foliot.domain.job import LoadedJob
from foliot.domain.policies.misfire import MISFIRE_AFTER, MisfireMode
from foliot.domain.policies.overlap import QUEUE_ALL_MAX, Overlap
from foliot.domain.schedule import Ruling, Schedule
from foliot.domain.skips import POLICY, SkipCause, SkipKind
from foliot.domain.stretches import (
    first_waking_from,
    has_jitter,
    has_rulings,
    last_allowed,
    last_ruled_alike,
    newest_from,
)

RUNS_PER_PLAN: Final = 100
ROWS_PER_PLAN: Final = 2000  # runs with their shards; one run goes as a whole, however many it has
SKIPS_PER_PLAN: Final = 100
EXACT_SEGMENTS: Final = 16  # stretches a calendar cuts missed time into before the rest is recorded as one
FRESH: Final[Micros] = 5 * SECOND  # R9: a run is never put further into the past than a ready scan looks back

_OPEN_RUN: Final = SkipCause(SkipKind.OPEN_RUN)
_ANOTHER_WAITS: Final = SkipCause(SkipKind.ANOTHER_WAITS)
_QUEUE_FULL: Final = SkipCause(SkipKind.QUEUE_FULL, most=QUEUE_ALL_MAX)


class Draft:
    """One plan in the making."""

    __slots__ = (
        "_found_on_time",
        "_has_jitter",
        "_has_rulings",
        "_job",
        "_late_before",
        "_misfire",
        "_now",
        "_open",
        "_overlap",
        "_queued",
        "_queued_max",
        "_runs_max",
        "_schedule",
        "_serial",
        "_skipped_last",
        "_waiting",
        "is_done",
        "next_due_at",
        "remaining",
        "runs",
        "skips",
    )

    def __init__(
        self, job: LoadedJob, schedule: Schedule, seen: Situation, *, now: Instant, remaining: int | None
    ) -> None:
        definition = job.definition
        self._job = job.name
        self._schedule = schedule
        self._has_jitter = has_jitter(schedule)
        self._has_rulings = has_rulings(schedule)
        self._misfire = definition.misfire
        self._overlap = definition.overlap
        self._runs_max = max(1, min(RUNS_PER_PLAN, ROWS_PER_PLAN // (1 + definition.cut_into)))
        self._serial = definition.overlap.is_serial
        self._now = now
        self._late_before = now - MISFIRE_AFTER
        self._open = seen.open
        self._waiting = seen.waiting
        self._queued = seen.queued
        self._queued_max = definition.max_waiting
        self._found_on_time = False
        self._skipped_last = False
        self.runs: list[PlannedRun] = []
        self.skips: list[PlannedSkip] = []
        self.remaining = remaining
        self.is_done = remaining is not None and remaining <= 0
        self.next_due_at: Instant | None = None  # the first instant left undecided

    @property
    def found_on_time(self) -> bool:
        """Whether an instant was decided that is on time, run or not (R10)."""
        return self._found_on_time

    @property
    def is_full(self) -> bool:
        """One transaction decides no more than this for one job; the next tick goes on."""
        return len(self.runs) >= self._runs_max or len(self.skips) >= SKIPS_PER_PLAN

    # ------------------------------------------------------------------------------------------- whole stretches

    def decide(self, first: Instant, last: Instant) -> None:
        """Decide every instant from `first` to `last`, both of them instants of the schedule, by every policy."""
        if self.is_done:
            return
        on_time_from = first_waking_from(self._schedule, self._job, self._late_before)
        late_last = (
            last if on_time_from is None or on_time_from > last else self._schedule.previous_before(on_time_from)
        )
        kept_from: Instant | None = first
        if late_last is not None and late_last >= first:
            kept_from = self._drop_missed(first, late_last, last)
        if kept_from is not None:
            self._walk(kept_from, last)
        elif not self.is_done:
            self.next_due_at = self._schedule.next_after(last)

    def leave_out(self, first: Instant, last: Instant, reason: SkipReason, cause: SkipCause) -> None:
        """Skip every instant from `first` to `last` for one reason, whatever a calendar says of them."""
        self._skip(first, last, self._schedule.count_between(first - 1, last), reason, cause)
        self.next_due_at = self._schedule.next_after(last)

    def decide_one(self, at: Instant) -> None:
        """Decide the one instant of a fixed delay: it comes from the end of the last run, not from the schedule."""
        if self.is_done:
            return
        schedule, misfire = self._schedule, self._misfire
        ruling = schedule.ruling(at)
        age_us = self._now - schedule.wake_at(self._job, at)
        if not ruling.is_allowed:
            self._skip(at, at, 1, _reason_of(ruling), _closed(ruling))
        elif age_us > MISFIRE_AFTER and misfire.mode is MisfireMode.SKIP:
            self._skip(at, at, 1, SkipReason.MISFIRE, POLICY)
        elif age_us > max(MISFIRE_AFTER, misfire.within_us):
            beyond = SkipCause(SkipKind.BEYOND_WINDOW, within_us=misfire.within_us)
            self._skip(at, at, 1, SkipReason.MISFIRE, beyond)
        else:
            self._look_at(at, at)

    def leave_out_one(self, at: Instant, reason: SkipReason, cause: SkipCause) -> None:
        """Skip the one instant of a fixed delay."""
        self._skip(at, at, 1, reason, cause)

    # --------------------------------------------------------------------------------------------- missed instants

    def _drop_missed(self, first: Instant, late_last: Instant, last: Instant) -> Instant | None:
        """Leave out the late instants that the policy does not want; from which instant on each is looked at."""
        match self._misfire.mode:
            case MisfireMode.SKIP:
                kept_from, cause = self._schedule.next_after(late_last), POLICY
            case MisfireMode.LATEST:
                kept_from, cause = self._latest(first, late_last, last)
            case MisfireMode.ALL:
                kept_from, cause = self._newest(first, late_last)
        if kept_from is None or kept_from > last:
            self._leave_out_by_ruling(first, late_last, cause)
            after = self._schedule.next_after(late_last)
            return after if after is not None and after <= last else None  # on time, but all ruled out
        if kept_from > first:
            dropped_last = self._schedule.previous_before(kept_from)
            assert dropped_last is not None, kept_from
            self._leave_out_by_ruling(first, dropped_last, cause)
        return kept_from

    def _latest(self, first: Instant, late_last: Instant, last: Instant) -> tuple[Instant | None, SkipCause]:
        """What is on time runs and stands for all that was missed; if nothing is, the newest late one does."""
        schedule, within_us = self._schedule, self._misfire.within_us
        after_late = schedule.next_after(late_last)
        newest = schedule.previous_allowed_before(late_last + 1)
        if newest is None or newest < first:  # nothing was missed, only ruled out
            return after_late, SkipCause(SkipKind.OTHER)
        on_time = schedule.next_allowed_after(late_last)
        if on_time is not None and on_time <= last:
            return after_late, self._in_favour_of(on_time)
        if self._now - schedule.wake_at(self._job, newest) > within_us:
            return None, SkipCause(SkipKind.BEYOND_WINDOW, within_us=within_us)
        return newest, self._in_favour_of(newest)

    def _in_favour_of(self, instant: Instant) -> SkipCause:
        kind = SkipKind.STANDS_FOR if self._obstacle() is None else SkipKind.WAS_DUE
        return SkipCause(kind, at=instant)

    def _newest(self, first: Instant, late_last: Instant) -> tuple[Instant | None, SkipCause]:
        """Where the late instants begin that are inside the window and among the newest `limit`."""
        within_us, limit = self._misfire.within_us, self._misfire.limit
        beyond = SkipCause(SkipKind.BEYOND_WINDOW, within_us=within_us)
        kept_from = first_waking_from(self._schedule, self._job, self._now - within_us)
        if kept_from is None or kept_from > late_last:
            return self._schedule.next_after(late_last), beyond
        kept_from = max(first, kept_from)
        limited_from = newest_from(self._schedule, limit, kept_from, late_last)
        if limited_from > kept_from:
            return limited_from, SkipCause(SkipKind.NEWEST_ONLY, most=limit)
        return kept_from, beyond

    def _leave_out_by_ruling(self, first: Instant, last: Instant, cause: SkipCause) -> None:
        """Skip missed instants; those that a calendar rules out are recorded as that, not as missed."""
        schedule = self._schedule
        if not self._has_rulings:
            self._skip(first, last, schedule.count_between(first - 1, last), SkipReason.MISFIRE, cause)
            return
        at: Instant | None = first
        segments_max = len(self.skips) + EXACT_SEGMENTS
        while at is not None and at <= last:
            if len(self.skips) >= segments_max:
                count = schedule.count_between(at - 1, last)
                self._skip(at, last, count, SkipReason.MISFIRE, cause._replace(partly_closed=True))
                return
            if schedule.ruling(at).is_allowed:
                end = last_allowed(schedule, at, last)
                self._skip(at, end, schedule.count_between(at - 1, end), SkipReason.MISFIRE, cause)
                at = schedule.next_after(end)
            else:
                at = self._leave_out_ruled_out(at, last)

    def _leave_out_ruled_out(self, first: Instant, last: Instant) -> Instant | None:
        """Skip the stretch that the calendar rules out from `first` on; the next allowed instant, if it is in range."""
        schedule = self._schedule
        resumed_at = schedule.next_allowed_after(first)
        end = last
        if resumed_at is not None and resumed_at <= last:
            before = schedule.previous_before(resumed_at)
            assert before is not None, resumed_at
            end = before
        at: Instant | None = first
        pieces_left = EXACT_SEGMENTS
        while at is not None and at <= end:
            ruling = schedule.ruling(at)
            pieces_left -= 1
            until = end if not pieces_left or schedule.ruling(end) == ruling else last_ruled_alike(schedule, at, end)
            self._skip(at, until, schedule.count_between(at - 1, until), _reason_of(ruling), _closed(ruling))
            at = schedule.next_after(until)
        return at if at is not None and at <= last else None

    # ------------------------------------------------------------------------------------------------ one by one

    def _walk(self, first: Instant, last: Instant) -> None:
        """Look at each instant that is on time or wanted late. Stops when the plan is full or the schedule used up."""
        schedule = self._schedule
        at: Instant | None = first
        while at is not None and at <= last:
            if self.is_full:
                break
            if self._has_rulings and not schedule.ruling(at).is_allowed:
                at = self._leave_out_ruled_out(at, last) or schedule.next_after(last)
                continue
            at = self._look_at(at, last)
            if self.is_done:
                return
        self.next_due_at = at

    def _look_at(self, at: Instant, last: Instant) -> Instant | None:
        """Give the instant its run, or leave it out for the run in its way; where to go on."""
        schedule = self._schedule
        wake_at = schedule.wake_at(self._job, at) if self._has_jitter else at
        is_late = wake_at < self._late_before
        if not is_late:
            self._found_on_time = True
        obstacle = self._obstacle()
        if obstacle is None:
            self._create(at, wake_at, catch_up=is_late)
            return None if self.is_done else schedule.next_after(at)
        # Runs only come to be within a plan, so what is in the way of this instant is in the way of all that follow.
        end = last_allowed(schedule, at, last) if self._has_rulings and at < last else last
        self._found_on_time = self._found_on_time or self._wakes_on_time(end)
        self._skip(at, end, 1 if at == end else schedule.count_between(at - 1, end), *obstacle)
        return schedule.next_after(end)

    def _wakes_on_time(self, at: Instant) -> bool:
        return self._schedule.wake_at(self._job, at) >= self._late_before

    def _obstacle(self) -> tuple[SkipReason, SkipCause] | None:
        """What keeps the next instant from getting a run, given what is open and what this plan made."""
        match self._overlap:
            case Overlap.SKIP if self._open:
                return SkipReason.OVERLAP, _OPEN_RUN
            case Overlap.QUEUE if self._waiting:
                return SkipReason.OVERLAP, _ANOTHER_WAITS
            case Overlap.QUEUE_ALL if self._waiting >= QUEUE_ALL_MAX:
                return SkipReason.LIMIT, _QUEUE_FULL
            case _ if self._queued_max is not None and self._queued >= self._queued_max:
                return SkipReason.LIMIT, SkipCause(SkipKind.QUEUE_FULL, most=self._queued_max)
            case _:
                return None

    def _create(self, at: Instant, wake_at: Instant, *, catch_up: bool) -> None:
        not_before = self._now if catch_up else max(wake_at, self._now - FRESH)
        self.runs.append(PlannedRun(at, schedule_key(at), not_before, catch_up, self._serial and self._open > 0))
        self._open += 1
        self._waiting += 1
        self._queued += 1
        self._skipped_last = False
        if self.remaining is not None:
            self.remaining -= 1
            self.is_done = self.remaining <= 0

    def _skip(self, from_at: Instant, to_at: Instant, count: int, reason: SkipReason, cause: SkipCause) -> None:
        """Record a range, together with the one before it if nothing lies between and the reason is the same."""
        if self._skipped_last:
            before = self.skips[-1]
            if before.reason == reason and before.cause == cause:
                self.skips[-1] = PlannedSkip(before.from_at, to_at, before.count + count, reason, cause)
                return
        self.skips.append(PlannedSkip(from_at, to_at, count, reason, cause))
        self._skipped_last = True


def _closed(ruling: Ruling) -> SkipCause:
    return SkipCause(SkipKind.CLOSED, text=ruling.why)


def _reason_of(ruling: Ruling) -> SkipReason:
    return SkipReason.BLACKOUT if ruling.reason == "blackout" else SkipReason.CALENDAR
