"""What a calendar means in a zone: open days, closed spans, and moving instants onto open days."""

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from foliot.domain.instants import SECOND, Instant
from foliot.domain.schedule.calendars import ALLOWED, Calendar, ClosedHours, Ruling, Shift
from foliot.domain.schedule.days import (
    FIRST_DAY,
    LENGTH,
    MONTH_END,
    Days,
    month_of,
    next_day,
    previous_day,
    weekday_of,
)
from foliot.domain.schedule.times import DAY_S
from foliot.domain.schedule.zones import HORIZON_S, Overlap, zone

_LOOK_MONTHS: Final = 60  # a calendar without an open day in five years has none
_KEPT_MONTHS: Final = 4096
_SHIFT_MAX_DAYS: Final = 366


class OpenDays:
    """The days a calendar counts, kept by month."""

    __slots__ = ("_calendar", "_months")

    def __init__(self, calendar: Calendar) -> None:
        self._calendar = calendar
        self._months: dict[int, int] = {}

    def in_month(self, month: int) -> int:
        mask = self._months.get(month)
        if mask is None:
            first, mask = FIRST_DAY[month], 0
            for day in range(LENGTH[month]):
                if not self._calendar.against(first + day):
                    mask |= 1 << day
            self._months[month] = mask
        return mask

    def after_month(self, month: int) -> tuple[int, int] | None:
        start = month + 1
        only = self._calendar.only
        if only is not None:  # its days may be far apart
            ahead = [day for day in only | self._calendar.include if day >= FIRST_DAY[min(start, MONTH_END)]]
            start = max(start, month_of(min(ahead))) if ahead else MONTH_END
        for later in range(start, min(start + _LOOK_MONTHS, MONTH_END)):
            if mask := self.in_month(later):
                return later, mask
        return None

    def before_month(self, month: int) -> tuple[int, int] | None:
        start = month - 1
        only = self._calendar.only
        if only is not None:
            behind = [day for day in only | self._calendar.include if day < FIRST_DAY[month]]
            start = min(start, month_of(max(behind))) if behind else -1
        for earlier in range(start, max(start - _LOOK_MONTHS, -1), -1):
            if mask := self.in_month(earlier):
                return earlier, mask
        return None


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
            if moved - day <= _SHIFT_MAX_DAYS and moved >= first:
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
            if day - moved <= _SHIFT_MAX_DAYS and moved < past:
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


class Opening:
    """A calendar in a zone: which instants it allows. Seconds, not microseconds."""

    __slots__ = ("_blackouts", "_calendar", "_starts", "_zone", "open_days")

    def __init__(self, calendar: Calendar, tz: str) -> None:
        self._calendar, self._zone = calendar, zone(tz)
        self.open_days = OpenDays(calendar)
        self._blackouts = sorted(calendar.blackouts, key=lambda blackout: blackout.start_at)
        self._starts = [blackout.start_at for blackout in self._blackouts]

    def ruling(self, instant: Instant) -> Ruling:
        """Allowed, or why not."""
        reading = self._reading(instant // SECOND)
        day, time = divmod(reading, DAY_S)
        against = self._calendar.against(day)
        if against:
            return Ruling("calendar", f"{self._calendar.name}: {against}")
        for hours, _, _ in self._closed_on(day, time):
            return Ruling("blackout", f"{self._calendar.name}: {hours.why or 'closed hours'}")
        for blackout in self._blackouts[: bisect_right(self._starts, instant)]:
            if instant < blackout.end_at:
                return Ruling("blackout", f"{self._calendar.name}: {blackout.why or 'blackout'}")
        return ALLOWED

    def closed_span(self, second: int) -> tuple[int, int] | None:
        """A closed span [start, end) round this second, as long as it is easily known; None if the second is open."""
        stretch = self._zone.stretch_to(second, Overlap.BOTH)
        if stretch is None:
            return (second, second + 1)
        day, time = divmod(second + stretch.offset, DAY_S)
        if not self._is_open(day):
            before, after = previous_day(self.open_days, day), next_day(self.open_days, day)
            low = stretch.start if before is None else (before + 1) * DAY_S - stretch.offset
            high = HORIZON_S if after is None else after * DAY_S - stretch.offset
            return max(low, stretch.start), high if after is None else min(high, stretch.end)
        for _, start, end in self._closed_on(day, time):
            low, high = (day * DAY_S + edge - stretch.offset for edge in (start, end))
            return max(low, stretch.start), min(high, stretch.end)
        for blackout in self._blackouts[: bisect_right(self._starts, second * SECOND)]:
            if second * SECOND < blackout.end_at:
                return -(-blackout.start_at // SECOND), -(-blackout.end_at // SECOND)
        return None

    def open_spans(self, first: int, past: int) -> Iterator[tuple[int, int]]:
        """The open spans [start, end) within [first, past), in order; neighbours may touch."""
        stretch = self._zone.stretch_from(first, Overlap.BOTH)
        while stretch is not None and stretch.start < past:
            offset = stretch.offset
            low, high = max(first, stretch.start) + offset, min(past, stretch.end) + offset
            for start, end in self._open_readings(low, high):
                yield from self._less_blackouts(start - offset, end - offset)
            stretch = self._zone.stretch_from(stretch.end, Overlap.BOTH)

    def _open_readings(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        day = next_day(self.open_days, low // DAY_S)
        while day is not None and day * DAY_S < high:
            past = day + 1
            if self._calendar.closed_hours:
                yield from self._open_hours(day, low, high)
            else:
                while past * DAY_S < high and self._is_open(past):
                    past += 1
                yield max(low, day * DAY_S), min(high, past * DAY_S)
            day = next_day(self.open_days, past)

    def _open_hours(self, day: int, low: int, high: int) -> Iterator[tuple[int, int]]:
        at = max(low - day * DAY_S, 0)
        end = min(high - day * DAY_S, DAY_S)
        for start, past in sorted((start, past) for _, start, past in self._closed_on(day, None)):
            if at < min(start, end):
                yield day * DAY_S + at, day * DAY_S + min(start, end)
            at = max(at, past)
        if at < end:
            yield day * DAY_S + at, day * DAY_S + end

    def _less_blackouts(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        for blackout in self._blackouts:
            low, high = -(-blackout.start_at // SECOND), -(-blackout.end_at // SECOND)
            if low >= end:
                break
            if start < low:
                yield start, low
            start = max(start, high)
        if start < end:
            yield start, end

    def _closed_on(self, day: int, time: int | None) -> Iterator[tuple[ClosedHours, int, int]]:
        """Closed hours on a day that hold a time (or all), as seconds of that day."""
        for hours in self._calendar.closed_hours:
            is_overnight = hours.end <= hours.start
            if hours.weekdays >> weekday_of(day) & 1:
                end = DAY_S if is_overnight else hours.end
                if time is None or hours.start <= time < end:
                    yield hours, hours.start, end
            if is_overnight and hours.weekdays >> weekday_of(day - 1) & 1 and (time is None or time < hours.end):
                yield hours, 0, hours.end

    def _reading(self, second: int) -> int:
        stretch = self._zone.stretch_to(second, Overlap.BOTH)
        return second + (stretch.offset if stretch else 0)

    def _is_open(self, day: int) -> bool:
        month = month_of(day)
        return 0 <= month < MONTH_END and bool(self.open_days.in_month(month) >> day - FIRST_DAY[month] & 1)


@lru_cache(maxsize=1024)
def opening(calendar: Calendar, tz: str) -> Opening:
    """The calendar as it applies to a schedule in this zone; equal ones share one object."""
    return Opening(calendar, calendar.tz or tz)
