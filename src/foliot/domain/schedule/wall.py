"""Due by the wall clock: times of day on some days in a zone. Every calendar-like trigger is one of these.

The search is written flat where it is hot. `next_after` first tries what it remembers: the stretch of constant offset
and the month it was in last time; an ordinary call then needs no look at the zone at all. The rest walks stretch by
stretch:

- within a stretch, a due instant is a wall reading of the set, less the offset;
- a stretch entered over a gap is due at its first instant if the skipped readings held one (`Gap.AFTER`), once;
- stretches come from the zone with the unwanted pass of repeated hours already cut away (`RepeatedTime`).

What a call remembers is replaced as one tuple, so that threads may share a trigger.
"""

from bisect import bisect_left

from foliot.domain.instants import SECOND, Instant
from foliot.domain.schedule.days import FIRST_DAY, MONTH_END, Days, count_days, month_of, next_day, previous_day
from foliot.domain.schedule.times import DAY_S, TimesOfDay
from foliot.domain.schedule.zones import HORIZON_S, Gap, RepeatedTime, Stretch, Zone

_SLACK_S = 2 * DAY_S  # wall clocks differ from UTC by less than a day


class Wall:
    """The instants at which the wall clock of a zone shows one of these times on one of these days."""

    __slots__ = ("_fills_gaps", "_listed", "_masks", "_month", "_stretch", "days", "gap", "overlap", "times", "zone")

    def __init__(self, days: Days, times: TimesOfDay, zone: Zone, gap: Gap, overlap: RepeatedTime) -> None:
        self.days = days
        self.times = times
        self.zone = zone
        self.gap = gap
        self.overlap = overlap
        self._fills_gaps = gap is Gap.AFTER
        self._listed = times.listed
        self._masks: dict[tuple[int, int], int] = {}
        self._stretch = (0, 0, 0)  # start, end, offset; an empty one sends the first call the long way
        self._month = (0, 0, 0)  # first day, day past the last, mask

    def next_after(self, instant: Instant) -> Instant | None:
        second = instant // SECOND + 1
        start, end, offset = self._stretch
        if start <= second < end:
            day, time = divmod(second + offset, DAY_S)
            first, past, mask = self._month
            if first <= day < past:
                ahead = mask >> (day - first)
                if ahead & 1:
                    listed = self._listed
                    if listed is None:
                        found = self.times.at_or_after(time)
                        if found >= 0:
                            due = day * DAY_S + found - offset
                            return due * SECOND if due < end else self._next(second)
                    elif time <= listed[-1]:
                        due = day * DAY_S + listed[bisect_left(listed, time)] - offset
                        return due * SECOND if due < end else self._next(second)
                    ahead ^= 1
                if ahead:
                    due = (day + (ahead & -ahead).bit_length() - 1) * DAY_S + self.times.first - offset
                    if due < end:
                        return due * SECOND
        return self._next(second)

    def previous_before(self, instant: Instant) -> Instant | None:
        last = min((instant - 1) // SECOND, HORIZON_S - 1)
        stretch = self.zone.stretch_to(last, self.overlap)
        while stretch is not None:
            start, end, offset, gap = stretch
            last = min(last, end - 1)
            reading = self._reading_to(last + offset)
            if reading is not None and reading - offset >= start:
                return (reading - offset) * SECOND
            if gap and self._due_for_gap(stretch):
                return start * SECOND
            # Nothing here, and no reading of the set in (reading, last + offset]: go back at once to where one can be.
            stretch = self.zone.stretch_to(start - 1, self.overlap)
            if stretch is None:
                return None
            shown, last = last + offset, stretch.end - 1
            if last + stretch.offset <= shown:
                if reading is None:
                    return None
                if reading + _SLACK_S < last:
                    last = reading + _SLACK_S
                    stretch = self.zone.stretch_to(last, self.overlap)
        return None

    def count_between(self, after: Instant, until: Instant) -> int:
        first, past = max(after // SECOND + 1, 0), min(until // SECOND + 1, HORIZON_S)
        total = 0
        stretch = self.zone.stretch_from(first, self.overlap) if first < past else None
        while stretch is not None and stretch.start < past:
            start, end, offset, gap = stretch
            if gap and first <= start and not self._shows(start + offset) and self._due_for_gap(stretch):
                total += 1
            total += self._count_readings(max(first, start) + offset, min(past, end) + offset)
            stretch = self.zone.stretch_from(end, self.overlap)
        return total

    def due_mask(self, day: int) -> int:
        """The due seconds of one UTC day: bit `s` is second `s`."""
        first, past = day * DAY_S, (day + 1) * DAY_S
        start, end, offset = self._stretch
        if start <= first and past <= end:
            return self._readings_mask(first + offset)
        total = 0
        stretch = self.zone.stretch_from(first, self.overlap)
        while stretch is not None and stretch.start < past:
            start, end, offset, gap = stretch
            if gap and first <= start and self._due_for_gap(stretch):
                total |= 1 << (start - first)
            part = self._readings_mask(first + offset)
            low, high = max(first, start), min(past, end)
            if high - low < DAY_S:
                part = (part >> (low - first) & ((1 << (high - low)) - 1)) << (low - first)
            total |= part
            self._stretch = (start + 1 if gap else start, end, offset)
            stretch = self.zone.stretch_from(end, self.overlap) if end < past else None
        return total

    def _readings_mask(self, reading: int) -> int:
        """The readings of the set in the 24 hours from this one, as a mask; there are few different ones."""
        day, time = divmod(reading, DAY_S)
        first, past, in_month = self._remember(day)
        days = in_month >> (day - first) & 3
        if day + 1 == past and next_day(self.days, past) == past:
            days |= 2
        mask = self._masks.get((time, days))
        if mask is None:
            mask = self.times.mask >> time if days & 1 else 0
            if days & 2 and time:
                mask |= (self.times.mask & ((1 << time) - 1)) << (DAY_S - time)
            self._masks[time, days] = mask
        return mask

    def reading_within(self, first: int, past: int) -> int | None:
        """The first wall reading of the set in [first, past), whether or not the clock ever shows it."""
        reading = self._reading_from(first)
        return reading if reading is not None and reading < past else None

    def _next(self, second: int) -> Instant | None:
        stretch = self.zone.stretch_from(max(second, 0), self.overlap)
        while stretch is not None:
            start, end, offset, gap = stretch
            if second <= start:
                second = start
                if gap and self._due_for_gap(stretch):
                    return start * SECOND
            reading = self._reading_from(second + offset)
            if reading is not None and reading - offset < end:
                self._stretch = (start + 1 if gap else start, end, offset)
                return (reading - offset) * SECOND
            # Nothing here, and no reading of the set in [second + offset, reading): go on at once to where one can be.
            stretch = self.zone.stretch_from(end, self.overlap)
            if stretch is None:
                return None
            shown, second = second + offset, stretch.start
            if second + stretch.offset - stretch.gap >= shown:
                if reading is None:
                    return None
                if reading - _SLACK_S > second:
                    second = reading - _SLACK_S
                    stretch = self.zone.stretch_from(second, self.overlap)
        return None

    def _due_for_gap(self, stretch: Stretch) -> bool:
        if not self._fills_gaps:
            return False
        entered = stretch.start + stretch.offset
        return self.reading_within(entered - stretch.gap, entered) is not None

    def _shows(self, reading: int) -> bool:
        return self._reading_from(reading) == reading

    def _reading_from(self, reading: int) -> int | None:
        """The first reading of the set that is not before this one."""
        day, time = divmod(reading, DAY_S)
        found = next_day(self.days, day)
        if found == day:
            at = self.times.at_or_after(time)
            if at >= 0:
                self._remember(day)
                return day * DAY_S + at
            found = next_day(self.days, day + 1)
        if found is None:
            return None
        self._remember(found)
        return found * DAY_S + self.times.first

    def _reading_to(self, reading: int) -> int | None:
        """The last reading of the set that is not after this one."""
        day, time = divmod(reading, DAY_S)
        found = previous_day(self.days, day)
        if found == day:
            at = self.times.at_or_before(time)
            if at >= 0:
                return day * DAY_S + at
            found = previous_day(self.days, day - 1)
        return None if found is None else found * DAY_S + self.times.last

    def _count_readings(self, first: int, past: int) -> int:
        """How many readings of the set lie in [first, past)."""
        first_day, first_time = divmod(first, DAY_S)
        past_day, past_time = divmod(past, DAY_S)
        total = count_days(self.days, first_day, past_day) * self.times.per_day
        if first_time and next_day(self.days, first_day) == first_day:
            total -= self.times.below(first_time)
        if past_time and next_day(self.days, past_day) == past_day:
            total += self.times.below(past_time)
        return total

    def _remember(self, day: int) -> tuple[int, int, int]:
        """The month a day lies in: first day, day past the last, mask."""
        known = self._month
        if not known[0] <= day < known[1]:
            month = month_of(day)
            if not 0 <= month < MONTH_END:
                return day, day + 1, 0
            known = self._month = (FIRST_DAY[month], FIRST_DAY[month + 1], self.days.in_month(month))
        return known


class WallTrigger:
    """A trigger that is due by the wall clock: its `wall` answers every question."""

    __slots__ = ()
    wall: Wall

    def next_after(self, instant: Instant) -> Instant | None:
        return self.wall.next_after(instant)

    def previous_before(self, instant: Instant) -> Instant | None:
        return self.wall.previous_before(instant)

    def count_between(self, after: Instant, until: Instant) -> int:
        return self.wall.count_between(after, until)

    def due_mask(self, day: int) -> int:
        return self.wall.due_mask(day)
