"""A job's schedule: the union of its triggers, within bounds, through a calendar, with jitter."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from foliot.domain.instants import DAY, SECOND, Instant, Micros
from foliot.domain.schedule.builtin import find_calendar
from foliot.domain.schedule.calendars import ALLOWED, Calendar, Ruling, Shift
from foliot.domain.schedule.cron import Cron
from foliot.domain.schedule.errors import UnknownCalendar
from foliot.domain.schedule.every import FixedDelay
from foliot.domain.schedule.open_times import OpenTimes, opening
from foliot.domain.schedule.shifted_days import shifted
from foliot.domain.schedule.times import DAY_S
from foliot.domain.schedule.trigger import HORIZON, Trigger
from foliot.domain.schedule.zones import HORIZON_S

# Each step of the search for an allowed instant leaves a whole closed span behind. What a calendar rules out a thousand
# times running, or for forty years (as long as 29 February can take to meet a weekday), it rules out for ever.
_CLOSED_SPANS_MAX: Final = 1000
_LOOK_US: Final = 40 * 366 * DAY
_WHOLE_DAY: Final = (1 << DAY_S) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When a job is due. Instants are nominal: the calendar rules on them, jitter only delays the wake-up.

    A trigger may itself be a Schedule (an entry of a list that has its own bounds, calendar or jitter). `calendar_name`
    is a calendar known by name only; `resolved` puts the calendar in its place. `count` is for the cursor, which keeps
    what remains.
    """

    triggers: tuple[Trigger, ...]
    start_at: Instant | None = None
    end_at: Instant | None = None
    count: int | None = None
    jitter_us: Micros = 0
    calendar: Calendar | None = None
    calendar_name: str | None = None
    shift: Shift | None = None
    _moved: tuple[Trigger, ...] = field(init=False, repr=False, compare=False)
    _single: Trigger | None = field(init=False, repr=False, compare=False)
    _branches: tuple["Schedule", ...] = field(init=False, repr=False, compare=False)
    _opening: OpenTimes | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        assert self.triggers, "a schedule has a trigger"
        assert len({isinstance(one, Schedule) for one in self.triggers}) == 1, "branches, or plain triggers"
        hours, moved = None, self.triggers
        if self.calendar is not None:
            hours = opening(self.calendar, self.tz)
            moved = self._shifted(hours, self.shift or self.calendar.shift)
            if self.calendar_name is None:
                object.__setattr__(self, "calendar_name", self.calendar.name)
        branches = tuple(one for one in moved if isinstance(one, Schedule))
        object.__setattr__(self, "_opening", hours)
        object.__setattr__(self, "_moved", moved)
        object.__setattr__(self, "_single", moved[0] if len(moved) == 1 else None)
        object.__setattr__(self, "_branches", branches)

    def _shifted(self, hours: OpenTimes, direction: Shift | None) -> tuple[Trigger, ...]:
        if direction is None:
            return self.triggers
        return tuple(one for trigger in self.triggers for one in shifted(trigger, hours, direction))

    # nominal instants

    def next_after(self, instant: Instant) -> Instant | None:
        """The least nominal instant after this one, within the bounds."""
        if self.start_at is not None and instant < self.start_at:
            instant = self.start_at - 1
        if self._single is not None:
            due_at = self._single.next_after(instant)
        else:
            due_at = min((at for one in self._moved if (at := one.next_after(instant)) is not None), default=None)
        return due_at if due_at is None or self.end_at is None or due_at < self.end_at else None

    def previous_before(self, instant: Instant) -> Instant | None:
        """The greatest nominal instant before this one, within the bounds."""
        if self.end_at is not None and instant > self.end_at:
            instant = self.end_at
        found = (one.previous_before(instant) for one in self._moved)
        due_at = max((at for at in found if at is not None), default=None)
        return due_at if due_at is None or self.start_at is None or due_at >= self.start_at else None

    def count_between(self, after: Instant, until: Instant) -> int:
        """How many nominal instants lie in (after, until]."""
        after, until = self._within(after, until)
        if until <= after:
            return 0
        if self._single is not None:
            return self._single.count_between(after, until)
        return _count_bits(self.due_mask, after, until)

    def due_mask(self, day: int) -> int:
        """The nominal instants of one UTC day as a bit mask of its seconds."""
        mask = 0
        for trigger in self._moved:
            mask |= trigger.due_mask(day)
        return self._clipped(mask, day) if mask else 0

    # through the calendar

    def ruling(self, instant: Instant) -> Ruling:
        """Whether the calendar allows this instant, and if not, why."""
        hours = self._hours()
        ruling = hours.ruling(instant) if hours is not None else ALLOWED
        if ruling.is_allowed and self._branches:
            rulings = [branch.ruling(instant) for branch in self._branches_at(instant)]
            return next((one for one in rulings if one.is_allowed), rulings[0] if rulings else ALLOWED)
        return ruling

    def next_allowed_after(self, instant: Instant) -> Instant | None:
        """The least nominal instant after this one that the calendar allows."""
        hours = self._hours()
        at = self._branch_after(instant)
        for _ in range(_CLOSED_SPANS_MAX):
            if hours is None or at is None:
                return at
            closed = hours.closed_span(at // SECOND)
            if closed is None:
                return at
            if at - instant > _LOOK_US:
                return None
            at = self._branch_after(closed[1] * SECOND - 1)
        return None

    def previous_allowed_before(self, instant: Instant) -> Instant | None:
        """The greatest nominal instant before this one that the calendar allows."""
        hours = self._hours()
        at = self._branch_before(instant)
        for _ in range(_CLOSED_SPANS_MAX):
            if hours is None or at is None:
                return at
            closed = hours.closed_span(at // SECOND)
            if closed is None:
                return at
            if instant - at > _LOOK_US:
                return None
            at = self._branch_before(closed[0] * SECOND)
        return None

    def allowed_between(self, after: Instant, until: Instant) -> int:
        """How many instants in (after, until] the calendar allows."""
        after, until = self._within(after, until)
        if until <= after:
            return 0
        if self._branches:
            return _count_bits(self.allowed_mask, after, until)
        hours = self._hours()
        if hours is None:
            return self.count_between(after, until)
        spans = hours.open_spans(max(after // SECOND + 1, 0), min(until // SECOND + 1, HORIZON_S))
        return sum(self.count_between(start * SECOND - 1, end * SECOND - 1) for start, end in spans)

    def allowed_mask(self, day: int) -> int:
        """The allowed instants of one UTC day as a bit mask of its seconds."""
        mask = 0
        for branch in self._branches:
            mask |= branch.allowed_mask(day)
        if not self._branches:
            mask = self.due_mask(day)
        hours = self._hours()
        if not mask or hours is None:
            return self._clipped(mask, day)
        first, is_open = day * DAY_S, 0
        for start, end in hours.open_spans(max(first, 0), first + DAY_S):
            is_open |= ((1 << end - start) - 1) << start - first
        return self._clipped(mask & is_open, day)

    def upcoming(self, after: Instant) -> Iterator[Instant]:
        """The allowed instants after this one, in order."""
        at = self.next_allowed_after(after)
        while at is not None:
            yield at
            at = self.next_allowed_after(at)

    # waking up

    def wake_at(self, job: str, due_at: Instant) -> Instant:
        """When to act on a due instant: up to the jitter later, the same on every node, before the next instant."""
        branch = self._branch_at(due_at)
        room = branch.jitter_us + 1
        if room == 1:
            return due_at
        next_at = self.next_after(due_at)
        if next_at is not None:
            room = min(room, next_at - due_at)
        for end_at in (self.end_at, branch.end_at):
            if end_at is not None:
                room = max(1, min(room, end_at - due_at))
        digest = hashlib.blake2b(f"{job}\0{due_at}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return due_at + int.from_bytes(digest, "big") % room

    @property
    def fixed_delay_us(self) -> Micros | None:
        """Set when the end of a run sets the next instant."""
        first = self.triggers[0]
        return first.delay_us if isinstance(first, FixedDelay) else None

    # as a value

    @property
    def moved_triggers(self) -> tuple[Trigger, ...]:
        """Its triggers with their days moved, where the calendar moves them."""
        return self._moved

    @property
    def tz(self) -> str:
        """The zone its days are in: that of the first trigger that has one."""
        return next((str(tz) for one in self.triggers if (tz := getattr(one, "tz", None)) is not None), "UTC")

    @property
    def missing_calendar(self) -> str | None:
        """The name of a calendar that is still to be resolved."""
        if self.calendar_name is not None and self.calendar is None:
            return self.calendar_name
        return next((name for one in self._branches if (name := one.missing_calendar) is not None), None)

    def resolved(self, calendars: Mapping[str, Calendar]) -> "Schedule":
        """The same schedule with the calendars these names stand for now; UnknownCalendar if one is not there."""
        name = self.calendar_name
        if name is None and not self._branches:
            return self
        calendar = self.calendar
        if name is not None:
            calendar = calendars.get(name) or self.calendar or find_calendar(name, calendars)
        triggers = tuple(one.resolved(calendars) if isinstance(one, Schedule) else one for one in self.triggers)
        return replace(self, triggers=triggers, calendar=calendar)

    def to_document(self) -> Any:
        """The form it has in job files: a mapping, or a list of them."""
        from foliot.domain.schedule.document import to_document

        return to_document(self)

    # helpers

    def _branches_at(self, instant: Instant) -> Iterator["Schedule"]:
        return (branch for branch in self._branches if branch.next_after(instant - 1) == instant)

    def _branch_after(self, instant: Instant) -> Instant | None:
        """The next instant that the calendars of the branches allow, before this schedule's own rules on it."""
        if not self._branches:
            return self.next_after(instant)
        if self.start_at is not None:
            instant = max(instant, self.start_at - 1)
        found = (branch.next_allowed_after(instant) for branch in self._branches)
        due_at = min((at for at in found if at is not None), default=None)
        return due_at if due_at is None or self.end_at is None or due_at < self.end_at else None

    def _branch_before(self, instant: Instant) -> Instant | None:
        if not self._branches:
            return self.previous_before(instant)
        if self.end_at is not None:
            instant = min(instant, self.end_at)
        found = (branch.previous_allowed_before(instant) for branch in self._branches)
        due_at = max((at for at in found if at is not None), default=None)
        return due_at if due_at is None or self.start_at is None or due_at >= self.start_at else None

    def _hours(self) -> OpenTimes | None:
        if self._opening is None and self.calendar_name is not None:
            raise UnknownCalendar(self.calendar_name)
        return self._opening

    def _branch_at(self, due_at: Instant) -> "Schedule":
        """The entry of a list that this instant comes from, whose jitter and end hold for it; else this schedule."""
        if not self._branches:
            return self
        allowed = (one for one in self._branches_at(due_at) if one.ruling(due_at).is_allowed)
        return next(allowed, self)

    def _within(self, after: Instant, until: Instant) -> tuple[Instant, Instant]:
        after, until = max(after, -1), min(until, HORIZON - 1)
        if self.start_at is not None:
            after = max(after, self.start_at - 1)
        if self.end_at is not None:
            until = min(until, self.end_at - 1)
        return after, until

    def _clipped(self, mask: int, day: int) -> int:
        if self.start_at is None and self.end_at is None:
            return mask
        first, last = self._within(day * DAY_S * SECOND - 1, (day + 1) * DAY_S * SECOND - 1)
        return _clip(mask, day, first, last)


def expressions_of(schedule: Schedule) -> tuple[str, ...]:
    """The cron expressions in a schedule, as they are written."""
    found: list[str] = []
    for one in schedule.triggers:
        if isinstance(one, Schedule):
            found += expressions_of(one)
        elif isinstance(one, Cron):
            found.append(one.text)
    return tuple(found)


def _count_bits(mask_of: Callable[[int], int], after: Instant, until: Instant) -> int:
    """Count by day masks: the work grows with the days between, not with the instants."""
    first, last = (after // SECOND + 1) // DAY_S, until // SECOND // DAY_S
    total = 0
    for day in range(first, last + 1):
        mask = mask_of(day)
        if mask and day in (first, last):
            mask = _clip(mask, day, after, until)
        total += mask.bit_count()
    return total


def _clip(mask: int, day: int, after: Instant, until: Instant) -> int:
    """What of a day's mask lies in (after, until]."""
    low, high = after // SECOND + 1 - day * DAY_S, until // SECOND - day * DAY_S
    if low > 0:
        mask = mask >> low << low
    if high < DAY_S - 1:
        mask &= (1 << high + 1) - 1 if high >= 0 else 0
    return mask
