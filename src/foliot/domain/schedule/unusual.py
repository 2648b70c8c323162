"""The days on which a calendar says something else than its week: holidays, make-up days, days put in or taken out."""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from foliot.domain.schedule.calendars import MONDAY_TO_FRIDAY, Calendar, DayKind
from foliot.domain.schedule.days import date_of, weekday_of
from foliot.domain.schedule.workdays import Place, year_of_days

DAYS_AHEAD: Final = 366
WEEKS: Final = 52


class UnusualDay(NamedTuple):
    """A day, and why it does not count; no why: it counts, though its week says otherwise."""

    day: int
    against: str


def unusual_days(calendar: Calendar, first_day: int, *, limit: int) -> list[UnusualDay]:
    """The next days, within a year from one on, that are not as the calendar's week lets expect; `limit` at most."""
    return list(islice(_unusual(calendar, first_day), limit))


def _unusual(calendar: Calendar, first_day: int) -> Iterator[UnusualDay]:
    for day in range(first_day, first_day + DAYS_AHEAD):
        against = calendar.against(day)
        if _is_usual(calendar, day) != (not against):
            yield UnusualDay(day, against)


def _is_usual(calendar: Calendar, day: int) -> bool:
    """Whether the day would count if only weekdays mattered. Sets of single days have no week: none of theirs would."""
    is_in_week = bool(calendar.weekdays >> weekday_of(day) & 1)
    week = MONDAY_TO_FRIDAY if calendar.place is None else _working_week(calendar.place, date_of(day).year)
    is_working = bool(week >> weekday_of(day) & 1)
    if calendar.only is not None:
        return False
    match calendar.days:
        case DayKind.ALL:
            return is_in_week
        case DayKind.WORKDAYS:
            return is_in_week and is_working
        case DayKind.HOLIDAYS:
            return calendar.place is None and is_in_week and not is_working


@lru_cache(maxsize=64)
def _working_week(place: Place, year: int) -> int:
    """The weekdays that are mostly worked at a place, as a mask: not everywhere Monday to Friday."""
    free = Counter(weekday_of(day) for day in year_of_days(place, year).weekend)
    return sum(1 << weekday for weekday in range(7) if free[weekday] <= WEEKS // 2)
