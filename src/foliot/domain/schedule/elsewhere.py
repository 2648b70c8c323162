"""The days a calendar counts in its own zone, as seen from a schedule's zone."""

from functools import lru_cache
from typing import Final

from foliot.domain.schedule.days import FIRST_DAY, MONTH_END, month_of, next_day, previous_day
from foliot.domain.schedule.open_times import KeptByMonth, OpenTimes
from foliot.domain.schedule.times import DAY_S
from foliot.domain.schedule.zones import HORIZON_S, Zone

_APART_DAYS: Final = 2  # one instant has dates in two zones that differ by less


class OpenDaysElsewhere(KeptByMonth):
    """The days of a zone on which a time of day lies on a day that counts in the calendar's zone."""

    __slots__ = ("_hours", "_time", "_where")

    def __init__(self, hours: OpenTimes, where: Zone, time: int) -> None:
        super().__init__()
        self._hours = hours
        self._where = where
        self._time = time

    def after_month(self, month: int) -> tuple[int, int] | None:
        while month + 1 < MONTH_END:
            day = next_day(self._hours.open_days, FIRST_DAY[month + 1] - _APART_DAYS)
            if day is None:
                return None
            month = max(month + 1, month_of(day - _APART_DAYS))
            if mask := self.in_month(month):
                return month, mask
        return None

    def before_month(self, month: int) -> tuple[int, int] | None:
        while month > 0:
            day = previous_day(self._hours.open_days, FIRST_DAY[month] + _APART_DAYS)
            if day is None:
                return None
            month = max(min(month - 1, month_of(day + _APART_DAYS)), 0)
            if mask := self.in_month(month):
                return month, mask
        return None

    def _counts(self, day: int) -> bool:
        second = self._where.instant_of(day * DAY_S + self._time)
        return second is not None and self._hours.is_open_day(second)


@lru_cache(maxsize=1024)
def midnights_elsewhere(where: Zone, other: Zone) -> tuple[int, ...]:
    """The times of day that a zone's wall clock shows at midnight of another zone, over all years."""
    found = set()
    for zone in (where, other):
        for at in (0, *(change.at for change in zone.transitions(0, HORIZON_S))):
            found.add((where.offset_at(at) - other.offset_at(at)) % DAY_S)
    return tuple(sorted(found))
