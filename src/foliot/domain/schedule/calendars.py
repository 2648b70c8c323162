"""Named calendars: which days count, and which hours are closed.

A calendar is a plain value; `open_times` works out what it means in a zone. Days are numbered from 1 January 1970.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from foliot.domain.instants import Instant
from foliot.domain.schedule.days import date_of, weekday_of
from foliot.domain.schedule.workdays import Place, year_of_days

ALL_WEEKDAYS: Final = 0b1111111
MONDAY_TO_FRIDAY: Final = 0b0111110
_NAMED: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a calendar says about one instant: allowed, or ruled out for a reason, with a short why for people."""

    reason: Literal["calendar", "blackout"] | None = None
    why: str = ""

    @property
    def is_allowed(self) -> bool:
        return self.reason is None


ALLOWED: Final = Ruling()


class Shift(StrEnum):
    """Where an instant goes that falls on a day the calendar does not count."""

    NEXT = "next"
    PREVIOUS = "previous"


class DayKind(StrEnum):
    """Which days of a place count."""

    ALL = "all"
    WORKDAYS = "workdays"
    HOLIDAYS = "holidays"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blackout:
    """A closed stretch [start_at, end_at).

    `is_by_wall`: both are what the wall clock of the schedule's zone shows, written as if that zone were UTC.
    """

    start_at: Instant
    end_at: Instant
    why: str = ""
    is_by_wall: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedHours:
    """Closed by the wall clock from `start` to `end` (seconds from midnight) on days that begin on these weekdays.

    An `end` that is not after `start` lies on the next day.
    """

    start: int
    end: int
    weekdays: int = ALL_WEEKDAYS
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """A named set of days that count, less closed hours. `tz` None: days are those of the schedule's zone."""

    name: str
    tz: str | None = None
    place: Place | None = None
    days: DayKind = DayKind.ALL
    weekdays: int = ALL_WEEKDAYS
    only: frozenset[int] | None = None
    include: frozenset[int] = frozenset()
    exclude: frozenset[int] = frozenset()
    exclude_yearly: frozenset[tuple[int, int]] = frozenset()
    blackouts: tuple[Blackout, ...] = ()
    closed_hours: tuple[ClosedHours, ...] = ()
    shift: Shift | None = None

    def against(self, day: int) -> str:
        """Why a day does not count, in a word or two; nothing if it does."""
        if day in self.include:
            return ""
        moment = date_of(day)
        if day in self.exclude or (moment.month, moment.day) in self.exclude_yearly:
            return "excluded day"
        if self.only is not None and day not in self.only:
            return "not one of its days"
        if not self.weekdays >> weekday_of(day) & 1:
            return "weekend" if self.weekdays == MONDAY_TO_FRIDAY else _NAMED[weekday_of(day)]
        return self._against_kind(day, moment.year)

    def _against_kind(self, day: int, year: int) -> str:
        if self.days is DayKind.ALL:
            return ""
        if self.place is None:
            is_weekend = not MONDAY_TO_FRIDAY >> weekday_of(day) & 1
            if self.days is DayKind.WORKDAYS:
                return "weekend" if is_weekend else ""
            return "" if is_weekend else "not a holiday"
        known = year_of_days(self.place, year)
        if self.days is DayKind.HOLIDAYS:
            return "" if day in known.holidays else "not a holiday"
        return known.holidays.get(day) or ("weekend" if day in known.weekend else "")
