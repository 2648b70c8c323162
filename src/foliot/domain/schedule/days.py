"""Which days: sets of days kept as one bit mask a month.

A month is a number counted from January 1969, a day is a number counted from 1 January 1970, and bit `n` of a month's
mask is its day `n + 1`. Whether a day fits a rule depends on the length of its month and on the weekday of the first,
so there are only 28 *shapes* of months, and a rule works each out once. Weekdays are numbered from Sunday = 0.
"""

from bisect import bisect_right
from datetime import date
from typing import Final, Protocol

EPOCH_ORDINAL: Final = date(1970, 1, 1).toordinal()
FIRST_YEAR: Final = 1969  # a year of slack on both sides of 1970 … 2199: wall clocks run ahead of UTC and behind it
LAST_YEAR: Final = 2200
MONTH_END: Final = (LAST_YEAR - FIRST_YEAR + 1) * 12

_starts = [date(y, m, 1).toordinal() - EPOCH_ORDINAL for y in range(FIRST_YEAR, LAST_YEAR + 2) for m in range(1, 13)]
FIRST_DAY: Final[tuple[int, ...]] = tuple(_starts[: MONTH_END + 1])
LENGTH: Final = bytes(_starts[i + 1] - _starts[i] for i in range(MONTH_END))
SHAPE: Final = bytes((LENGTH[i] - 28) * 7 + (FIRST_DAY[i] + 4) % 7 for i in range(MONTH_END))
SHAPES: Final = 28


class Days(Protocol):
    """A set of days, asked for by month."""

    def in_month(self, month: int) -> int:
        """The mask of one month."""
        ...

    def after_month(self, month: int) -> tuple[int, int] | None:
        """The next later month that has a day of the set, and its mask."""
        ...

    def before_month(self, month: int) -> tuple[int, int] | None:
        """The nearest earlier month that has a day of the set, and its mask."""
        ...


def month_of(day: int) -> int:
    """The month a day lies in."""
    return bisect_right(FIRST_DAY, day) - 1


def weekday_of(day: int) -> int:
    """The weekday of a day, Sunday = 0."""
    return (day + 4) % 7


def day_number(moment: date) -> int:
    """The number of a date."""
    return moment.toordinal() - EPOCH_ORDINAL


def date_of(day: int) -> date:
    """The date of a day number."""
    return date.fromordinal(day + EPOCH_ORDINAL)


def shape_of(length: int, first_weekday: int) -> int:
    """The shape of months of this length that begin on this weekday."""
    return (length - 28) * 7 + first_weekday


def weekday_mask(shape: int, weekday: int) -> int:
    """All days of one weekday in a month of this shape."""
    return _WEEKDAYS[shape][weekday]


def month_mask(shape: int) -> int:
    """All days of a month of this shape."""
    return (1 << (28 + shape // 7)) - 1


def _weekdays(shape: int) -> tuple[int, ...]:
    length, first = 28 + shape // 7, shape % 7
    return tuple(sum(1 << day for day in range((weekday - first) % 7, length, 7)) for weekday in range(7))


_WEEKDAYS: Final = tuple(_weekdays(shape) for shape in range(SHAPES))


class EveryDay:
    """All days."""

    __slots__ = ()

    def in_month(self, month: int) -> int:
        return month_mask(SHAPE[month])

    def after_month(self, month: int) -> tuple[int, int] | None:
        return (month + 1, month_mask(SHAPE[month + 1])) if month + 1 < MONTH_END else None

    def before_month(self, month: int) -> tuple[int, int] | None:
        return (month - 1, month_mask(SHAPE[month - 1])) if month > 0 else None


def next_day(days: Days, day: int) -> int | None:
    """The first day of the set that is not before this one."""
    month = month_of(day)
    if month < 0:
        month, mask = 0, days.in_month(0)
    elif month >= MONTH_END:
        return None
    else:
        ahead = days.in_month(month) >> (day - FIRST_DAY[month])
        if ahead:
            return day + (ahead & -ahead).bit_length() - 1
        mask = 0
    if not mask:
        found = days.after_month(month)
        if found is None:
            return None
        month, mask = found
    return FIRST_DAY[month] + (mask & -mask).bit_length() - 1


def previous_day(days: Days, day: int) -> int | None:
    """The last day of the set that is not after this one."""
    month = month_of(day)
    if month < 0:
        return None
    if month >= MONTH_END:
        month, mask = MONTH_END - 1, days.in_month(MONTH_END - 1)
    else:
        mask = days.in_month(month) & ((2 << (day - FIRST_DAY[month])) - 1)
    if not mask:
        found = days.before_month(month)
        if found is None:
            return None
        month, mask = found
    return FIRST_DAY[month] + mask.bit_length() - 1


def count_days(days: Days, first: int, past: int) -> int:
    """How many days of the set lie in [first, past); the work grows with the months between."""
    first, past = max(first, FIRST_DAY[0]), min(past, FIRST_DAY[MONTH_END])
    if first >= past:
        return 0
    month, last = month_of(first), month_of(past - 1)
    head = days.in_month(month) >> (first - FIRST_DAY[month])
    if month == last:
        return (head & ((1 << (past - first)) - 1)).bit_count()
    total = head.bit_count() + (days.in_month(last) & ((1 << (past - FIRST_DAY[last])) - 1)).bit_count()
    found = days.after_month(month)
    while found is not None and found[0] < last:
        total += found[1].bit_count()
        found = days.after_month(found[0])
    return total
