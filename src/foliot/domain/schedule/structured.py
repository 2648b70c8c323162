"""Times of day on every day or on given weekdays, also on every n-th day or week, which cron cannot say."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from foliot.domain.schedule.days import FIRST_DAY, LENGTH, MONTH_END, SHAPE, Days, EveryDay, month_mask, weekday_mask
from foliot.domain.schedule.times import listed
from foliot.domain.schedule.wall import Wall, WallTrigger
from foliot.domain.schedule.zones import Gap, RepeatedTime, zone

EVERY_DAYS_MAX = 366
EVERY_WEEKS_MAX = 53


@dataclass(frozen=True, slots=True, kw_only=True)
class TimesOnDays(WallTrigger, ABC):
    """At these times (seconds from midnight, sorted) on some days, also on every n-th day or week counted from `since`.

    `since_said` is the day as it was written: it holds nothing back, which a warning tells.
    """

    times: tuple[int, ...]
    tz: str = "UTC"
    every: int = 1
    since: int = 0
    dst_gap: Gap = Gap.AFTER
    dst_overlap: RepeatedTime = RepeatedTime.FIRST
    since_said: int | None = field(default=None, repr=False, compare=False)
    wall: Wall = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        assert self.times, "such a schedule has a time"
        assert list(self.times) == sorted(set(self.times)), self.times
        times = listed(self.times)
        wall = Wall(self._days(), times, zone(self.tz), self.dst_gap, self.dst_overlap)
        object.__setattr__(self, "wall", wall)

    @abstractmethod
    def _days(self) -> Days:
        """The days it is due on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Daily(TimesOnDays):
    """Every day, or every n-th day."""

    def _days(self) -> Days:
        assert 1 <= self.every <= EVERY_DAYS_MAX, self.every
        return EveryDay() if self.every == 1 else NthDays(self.every, self.since)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weekly(TimesOnDays):
    """On these weekdays (a mask, Sunday = bit 0), also in every n-th week from that of `since` on."""

    weekdays: int

    def _days(self) -> Days:
        assert 0 < self.weekdays < 128, self.weekdays
        assert 1 <= self.every <= EVERY_WEEKS_MAX, self.every
        return WeekDays(self.weekdays, self.every, self.since)


class _ByMonth(ABC):
    """Walks from month to month for sets that have a day in nearly every one."""

    __slots__ = ()

    @abstractmethod
    def in_month(self, month: int) -> int:
        """The days of the set in this month, as a mask."""

    def after_month(self, month: int) -> tuple[int, int] | None:
        for later in range(month + 1, MONTH_END):
            if mask := self.in_month(later):
                return later, mask
        return None

    def before_month(self, month: int) -> tuple[int, int] | None:
        for earlier in range(month - 1, -1, -1):
            if mask := self.in_month(earlier):
                return earlier, mask
        return None


class NthDays(_ByMonth):
    """Every n-th day counted from one."""

    __slots__ = ("_every", "_since")

    def __init__(self, every: int, since: int) -> None:
        self._every, self._since = every, since

    def in_month(self, month: int) -> int:
        first = (self._since - FIRST_DAY[month]) % self._every
        return sum(1 << day for day in range(first, LENGTH[month], self._every))


class WeekDays(_ByMonth):
    """Some weekdays of every n-th week, Monday to Sunday, counted from the week of a day."""

    __slots__ = ("_every", "_monday", "_weekdays")

    def __init__(self, weekdays: int, every: int, since: int) -> None:
        self._weekdays, self._every = weekdays, every
        self._monday = since - (since + 3) % 7  # 1 January 1970 was a Thursday

    def in_month(self, month: int) -> int:
        shape, mask = SHAPE[month], 0
        for weekday in range(7):
            if self._weekdays >> weekday & 1:
                mask |= weekday_mask(shape, weekday)
        return mask if self._every == 1 else mask & self._weeks(month)

    def _weeks(self, month: int) -> int:
        first, mask = FIRST_DAY[month], 0
        monday = first - (first + 3) % 7
        while monday < first + LENGTH[month]:
            if (monday - self._monday) // 7 % self._every == 0:
                mask |= 0b1111111 << monday - first if monday >= first else 0b1111111 >> first - monday
            monday += 7
        return mask & month_mask(SHAPE[month])
