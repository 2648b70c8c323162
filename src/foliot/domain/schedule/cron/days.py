"""Which days an expression names: its day, month, weekday and year fields as one set of days."""

from functools import cache

from foliot.domain.schedule.cron.fields import Expression, Field, LastDay, LastWeekday, NearestWeekday, NthWeekday
from foliot.domain.schedule.days import MONTH_END, SHAPE, SHAPES, month_mask, shape_of, weekday_mask

_LENGTHS = ((31,), (28, 29), (31,), (30,), (31,), (30,), (31,), (31,), (30,), (31,), (30,), (31,))


class CronDays:
    """The days of an expression. Each shape of month is worked out once, when first met."""

    __slots__ = ("_back", "_day", "_hop", "_joins_by_or", "_months", "_past", "_shapes", "_weekday", "_years")

    def __init__(self, expression: Expression) -> None:
        self._day = expression.day
        self._weekday = expression.weekday
        self._joins_by_or = expression.joins_by_or
        self._months = expression.month.mask >> 1
        self._years = expression.year.mask << 1 if expression.year else 0  # counted from 1969, as months are
        self._shapes: list[int] = [-1] * SHAPES
        self._hop = _distances(self._months, 1)
        self._back = _distances(self._months, -1)
        self._past = MONTH_END if self._is_possible() else 0
        if self._years:
            self._past = min(self._past, 12 * self._years.bit_length())

    def in_month(self, month: int) -> int:
        if not self._months >> month % 12 & 1 or (self._years and not self._years >> month // 12 & 1):
            return 0
        mask = self._shapes[SHAPE[month]]
        return mask if mask >= 0 else self._work_out(SHAPE[month])

    def after_month(self, month: int) -> tuple[int, int] | None:
        hop, years = self._hop, self._years
        month += hop[month % 12]
        while month < self._past:
            if not years or years >> month // 12 & 1:
                mask = self._shapes[SHAPE[month]]
                if mask < 0:
                    mask = self._work_out(SHAPE[month])
                if mask:
                    return month, mask
            month += hop[month % 12]
        return None

    def before_month(self, month: int) -> tuple[int, int] | None:
        back = self._back
        month = min(month - back[month % 12], self._past - 1 if self._past < month else month)
        while month >= 0 and self._past:
            mask = self.in_month(month)
            if mask:
                return month, mask
            month -= back[month % 12]
        return None

    def _is_possible(self) -> bool:
        """Whether any month can have such a day: 30 February has none, and no search should find that out slowly."""
        return any(
            self._work_out(shape_of(length, first))
            for month in range(12)
            if self._months >> month & 1
            for length in _LENGTHS[month]
            for first in range(7)
        )

    def _work_out(self, shape: int) -> int:
        by_day, by_weekday = _by_day(self._day, shape), _by_weekday(self._weekday, shape)
        mask = self._shapes[shape] = by_day | by_weekday if self._joins_by_or else by_day & by_weekday
        return mask


@cache
def _distances(months: int, direction: int) -> tuple[int, ...]:
    """How far the next month of the mask is from each month, 1 to 12."""
    return tuple(next(n for n in range(1, 13) if months >> (month + n * direction) % 12 & 1) for month in range(12))


def _by_day(field: Field, shape: int) -> int:
    length = 28 + shape // 7
    mask = field.mask >> 1
    for item in field.items:
        match item:
            case LastDay() if item.before < length:
                day = length - item.before
                mask |= 1 << (_nearest(shape, day) if item.is_nearest_weekday else day) - 1
            case NearestWeekday() if item.day <= length:
                mask |= 1 << _nearest(shape, item.day) - 1
            case _:
                pass
    return mask & month_mask(shape)


def _by_weekday(field: Field, shape: int) -> int:
    if field.is_any:
        return month_mask(shape)
    mask = 0
    for weekday in range(7):
        if field.mask >> weekday & 1:
            mask |= weekday_mask(shape, weekday)
    for item in field.items:
        match item:
            case NthWeekday():
                mask |= weekday_mask(shape, item.weekday) & (0b1111111 << 7 * (item.nth - 1))
            case LastWeekday():
                mask |= 1 << weekday_mask(shape, item.weekday).bit_length() - 1
            case _:
                pass
    return mask


def _nearest(shape: int, day: int) -> int:
    """The weekday (Monday to Friday) nearest to a day without leaving the month."""
    length, weekday = 28 + shape // 7, (shape % 7 + day - 1) % 7
    if weekday == 6:
        return day - 1 if day > 1 else day + 2
    if weekday == 0:
        return day + 1 if day < length else day - 2
    return day
