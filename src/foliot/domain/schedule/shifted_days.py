"""Shifted days: a day that a calendar does not count moves to the next or previous one that it counts."""

from typing import Final

from foliot.domain.instants import SECOND, Instant
from foliot.domain.schedule.at import At
from foliot.domain.schedule.calendars import Shift
from foliot.domain.schedule.cron import Cron
from foliot.domain.schedule.days import FIRST_DAY, MONTH_END, Days, month_of, next_day, previous_day
from foliot.domain.schedule.elsewhere import OpenDaysElsewhere, midnights_elsewhere
from foliot.domain.schedule.open_times import OpenTimes
from foliot.domain.schedule.structured import Daily, Weekly
from foliot.domain.schedule.times import DAY_S, TimesOfDay, split
from foliot.domain.schedule.trigger import Trigger
from foliot.domain.schedule.wall import Wall
from foliot.domain.schedule.zones import Zone, zone

_KEPT_MONTHS: Final = 4096
_SHIFT_MAX_DAYS: Final = 366


def shifted(trigger: Trigger, hours: OpenTimes, direction: Shift) -> tuple[Trigger, ...]:
    """The trigger with every day moved onto a day the calendar counts, as triggers side by side.

    Whether an instant's day counts is judged in the calendar's zone. A moved instant keeps its wall time in the
    trigger's zone. Times of day that lie on different days of the calendar's zone move apart, each by its own trigger.
    """
    match trigger:
        case Cron() | Daily() | Weekly():
            wall = trigger.wall
            return tuple(
                Wall(ShiftedDays(wall.days, open_days, direction), times, wall.zone, wall.gap, wall.overlap)
                for times, open_days in _times_and_open_days(wall, hours)
            )
        case At():
            moved = {_moved_instant(instant, zone(trigger.tz), hours, direction) for instant in trigger.instants}
            return (At(instants=tuple(sorted(at for at in moved if at is not None)), tz=trigger.tz),)
        case _:
            return (trigger,)  # an interval has no days of its own: what falls on a closed one is ruled out


def _times_and_open_days(wall: Wall, hours: OpenTimes) -> list[tuple[TimesOfDay, Days]]:
    if wall.zone is hours.zone:
        return [(wall.times, hours.open_days)]
    return [
        (times, OpenDaysElsewhere(hours, wall.zone, times.first))
        for times in split(wall.times, midnights_elsewhere(wall.zone, hours.zone))
    ]


def _moved_instant(instant: Instant, where: Zone, hours: OpenTimes, direction: Shift) -> Instant | None:
    if hours.is_open_day(instant // SECOND):
        return instant
    day, time = divmod(instant // SECOND + where.offset_at(instant // SECOND), DAY_S)
    open_days = hours.open_days if where is hours.zone else OpenDaysElsewhere(hours, where, time)
    moved = moved_day(open_days, day, direction)
    if moved is None:
        return None
    second = where.instant_of(moved * DAY_S + time)
    return None if second is None else second * SECOND


class ShiftedDays:
    """Days of a set, each moved onto the next (or previous) open day; days that meet count once."""

    __slots__ = ("_base", "_direction", "_months", "_open")

    def __init__(self, base: Days, open_days: Days, direction: Shift) -> None:
        self._base, self._open, self._direction = base, open_days, direction
        self._months: dict[int, int] = {}

    def in_month(self, month: int) -> int:
        mask = self._months.get(month)
        if mask is None:
            if len(self._months) >= _KEPT_MONTHS:
                self._months.clear()
            mask = self._months[month] = self._work_out(month)
        return mask

    def after_month(self, month: int) -> tuple[int, int] | None:
        if month + 1 >= MONTH_END:
            return None
        first = FIRST_DAY[month + 1]
        moved = self._next_onto(first) if self._direction is Shift.NEXT else self._back_onto(first)
        return None if moved is None else self._with_mask(moved)

    def before_month(self, month: int) -> tuple[int, int] | None:
        past = FIRST_DAY[month]
        moved = self._next_before(past) if self._direction is Shift.NEXT else self._back_before(past)
        return None if moved is None else self._with_mask(moved)

    def _with_mask(self, day: int) -> tuple[int, int] | None:
        month = month_of(day)
        return (month, self.in_month(month)) if 0 <= month < MONTH_END else None

    def _next_onto(self, first: int) -> int | None:
        """The first moved day not before this one; days move forward."""
        before = previous_day(self._open, first - 1)
        day = next_day(self._base, max(first - _SHIFT_MAX_DAYS, first if before is None else before + 1))
        while day is not None and (moved := next_day(self._open, day)) is not None:
            if moved - day <= _SHIFT_MAX_DAYS:
                return moved
            day = next_day(self._base, max(day + 1, moved - _SHIFT_MAX_DAYS))
        return None

    def _back_onto(self, first: int) -> int | None:
        """The first moved day not before this one; days move back."""
        while (landing := next_day(self._open, first)) is not None:
            day = next_day(self._base, landing)
            if day is None:
                return None
            moved = previous_day(self._open, day)
            if moved is not None and day - moved <= _SHIFT_MAX_DAYS:
                return moved
            first = day + 1
        return None

    def _next_before(self, past: int) -> int | None:
        """The last moved day before this one; days move forward."""
        while (landing := previous_day(self._open, past - 1)) is not None:
            day = previous_day(self._base, landing)
            if day is None:
                return None
            moved = next_day(self._open, day)
            if moved is not None and moved - day <= _SHIFT_MAX_DAYS:
                return moved
            past = day
        return None

    def _back_before(self, past: int) -> int | None:
        """The last moved day before this one; days move back."""
        after = next_day(self._open, past)
        day = previous_day(self._base, min(past + _SHIFT_MAX_DAYS, past if after is None else after - 1))
        while day is not None and (moved := previous_day(self._open, day)) is not None:
            if day - moved <= _SHIFT_MAX_DAYS:
                return moved
            day = previous_day(self._base, min(day - 1, moved + _SHIFT_MAX_DAYS))
        return None

    def _work_out(self, month: int) -> int:
        first, past, mask = FIRST_DAY[month], FIRST_DAY[month + 1], 0
        if self._direction is Shift.NEXT:
            before = previous_day(self._open, first - 1)
            source = first - _SHIFT_MAX_DAYS if before is None else max(before + 1, first - _SHIFT_MAX_DAYS)
            past_source = past
        else:
            after = next_day(self._open, past)
            source = first
            past_source = past + _SHIFT_MAX_DAYS if after is None else min(after, past + _SHIFT_MAX_DAYS)
        day = next_day(self._base, source)
        while day is not None and day < past_source:
            moved = moved_day(self._open, day, self._direction)
            if moved is not None and first <= moved < past:
                mask |= 1 << moved - first
            day = next_day(self._base, day + 1)
        return mask


def moved_day(open_days: Days, day: int, direction: Shift) -> int | None:
    """Where a day is moved to; itself if it is open, None if no day within a year is."""
    moved = next_day(open_days, day) if direction is Shift.NEXT else previous_day(open_days, day)
    return moved if moved is not None and abs(moved - day) <= _SHIFT_MAX_DAYS else None
