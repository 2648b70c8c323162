"""What a calendar means in a zone: open days and closed spans."""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from foliot.domain.instants import SECOND, Instant
from foliot.domain.schedule.calendars import ALLOWED, Blackout, Calendar, ClosedHours, Ruling
from foliot.domain.schedule.days import (
    FIRST_DAY,
    LENGTH,
    MONTH_END,
    month_of,
    next_day,
    previous_day,
    weekday_of,
)
from foliot.domain.schedule.times import DAY_S
from foliot.domain.schedule.zones import HORIZON_S, RepeatedTime, Stretch, zone

_LOOK_MONTHS: Final = 60  # a calendar without an open day in five years has none


class KeptByMonth(ABC):
    """A set of days that is worked out month by month, when a month is first asked for."""

    __slots__ = ("_months",)

    def __init__(self) -> None:
        self._months: dict[int, int] = {}

    def in_month(self, month: int) -> int:
        mask = self._months.get(month)
        if mask is None:
            first, mask = FIRST_DAY[month], 0
            for day in range(LENGTH[month]):
                if self._counts(first + day):
                    mask |= 1 << day
            self._months[month] = mask
        return mask

    @abstractmethod
    def _counts(self, day: int) -> bool:
        """Whether this day is one of the set."""


class OpenDays(KeptByMonth):
    """The days a calendar counts."""

    __slots__ = ("_calendar",)

    def __init__(self, calendar: Calendar) -> None:
        super().__init__()
        self._calendar = calendar

    def _counts(self, day: int) -> bool:
        return not self._calendar.against(day)

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


class OpenTimes:
    """A calendar in a zone: which instants it allows. Seconds, not microseconds."""

    __slots__ = ("_blackouts", "_calendar", "_starts", "open_days", "zone")

    def __init__(self, calendar: Calendar, tz: str) -> None:
        self._calendar, self.zone = calendar, zone(tz)
        self.open_days = OpenDays(calendar)
        self._blackouts = sorted(map(self._placed, calendar.blackouts), key=lambda blackout: blackout.start_at)
        self._starts = [blackout.start_at for blackout in self._blackouts]

    def is_open_day(self, second: int) -> bool:
        """Whether this second lies on a day that counts."""
        return self._is_open(self._reading(second) // DAY_S)

    def ruling(self, instant: Instant) -> Ruling:
        """Allowed, or why not."""
        reading = self._reading(instant // SECOND)
        day, time = divmod(reading, DAY_S)
        if not self._is_open(day):
            return Ruling("calendar", f"{self._calendar.name}: {self._calendar.against(day)}")
        for hours, _, _ in self._closed_on(day, time):
            return Ruling("blackout", f"{self._calendar.name}: {hours.why or 'closed hours'}")
        for blackout in self._blackouts[: bisect_right(self._starts, instant)]:
            if instant < blackout.end_at:
                return Ruling("blackout", f"{self._calendar.name}: {blackout.why or 'blackout'}")
        return ALLOWED

    def closed_span(self, second: int) -> tuple[int, int] | None:
        """A closed span [start, end) round this second, as long as it is easily known; None if the second is open."""
        stretch = self.zone.stretch_to(second, RepeatedTime.BOTH)
        if stretch is None:
            return (second, second + 1)
        day, time = divmod(second + stretch.offset, DAY_S)
        if not self._is_open(day):
            return self._closed_days(day, stretch)
        midnight = day * DAY_S - stretch.offset
        for _, start, end in self._closed_on(day, time):
            return max(midnight + start, stretch.start), min(midnight + end, stretch.end)
        for blackout in self._blackouts[: bisect_right(self._starts, second * SECOND)]:
            if second * SECOND < blackout.end_at:
                return -(-blackout.start_at // SECOND), -(-blackout.end_at // SECOND)
        return None

    def _closed_days(self, day: int, stretch: Stretch) -> tuple[int, int]:
        """The span of the closed days round this one. Within one offset, but for the end: no day opens again."""
        before = previous_day(self.open_days, day)
        after = next_day(self.open_days, day)
        start = stretch.start
        if before is not None:
            start = max(start, (before + 1) * DAY_S - stretch.offset)
        if after is None:
            return start, HORIZON_S
        return start, min(after * DAY_S - stretch.offset, stretch.end)

    def open_spans(self, first: int, past: int) -> Iterator[tuple[int, int]]:
        """The open spans [start, end) within [first, past), in order; neighbours may touch."""
        stretch = self.zone.stretch_from(first, RepeatedTime.BOTH)
        while stretch is not None and stretch.start < past:
            offset = stretch.offset
            low = max(first, stretch.start) + offset
            high = min(past, stretch.end) + offset
            for start, end in self._open_readings(low, high):
                yield from self._less_blackouts(start - offset, end - offset)
            stretch = self.zone.stretch_from(stretch.end, RepeatedTime.BOTH)

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

    def _placed(self, blackout: Blackout) -> Blackout:
        """A blackout as instants."""
        if not blackout.is_by_wall:
            return blackout
        start_at, end_at = self._shown_at(blackout.start_at), self._shown_at(blackout.end_at)
        return Blackout(start_at=start_at, end_at=end_at, why=blackout.why)

    def _shown_at(self, reading: Instant) -> Instant:
        second = self.zone.instant_of(reading // SECOND)
        return HORIZON_S * SECOND if second is None else second * SECOND

    def _reading(self, second: int) -> int:
        stretch = self.zone.stretch_to(second, RepeatedTime.BOTH)
        return second + (stretch.offset if stretch else 0)

    def _is_open(self, day: int) -> bool:
        month = month_of(day)
        return 0 <= month < MONTH_END and bool(self.open_days.in_month(month) >> day - FIRST_DAY[month] & 1)


@lru_cache(maxsize=1024)
def opening(calendar: Calendar, tz: str) -> OpenTimes:
    """The calendar as it applies to a schedule in this zone; equal ones share one object."""
    return OpenTimes(calendar, calendar.tz or tz)
