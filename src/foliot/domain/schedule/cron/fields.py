"""What a cron expression is made of: fields, and the items in them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias


class CronDialect(StrEnum):
    """Whose cron it is: how many fields, which weekday is 1, how day and weekday are joined."""

    UNIX = "unix"  # 5 fields, 0 and 7 = Sunday, day OR weekday
    QUARTZ = "quartz"  # 6 or 7 fields, seconds first, 1 = Sunday, day or weekday is ?
    SPRING = "spring"  # 6 fields, seconds first, 0 and 7 = Sunday, the week begins on Monday, day AND weekday


MONTHS: Final = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
WEEKDAYS: Final = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_MONTHS_IN_FULL: Final = (
    "JANUARY", "FEBRUARY", "MARCH", "APRIL", "MAY", "JUNE",
    "JULY", "AUGUST", "SEPTEMBER", "OCTOBER", "NOVEMBER", "DECEMBER",
)  # fmt: skip
_WEEKDAYS_IN_FULL: Final = ("SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY")


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """What one field may hold. `cycle` numbers are distinct; a weekday may be written past them (7 = 0).

    A star begins at `star`; a value with a step (`5/2`) goes on to `high`.
    """

    name: str
    low: int
    high: int
    cycle: int
    names: dict[str, int]
    spread_high: int  # H stays below this, so that it fits every month
    star: int


def _kind(name: str, low: int, high: int, *, names: dict[str, int] | None = None, spread_high: int = 0) -> Kind:
    return Kind(name, low, high, high - low + 1, names or {}, spread_high or high, low)


def _numbered(low: int, *rows: tuple[str, ...]) -> dict[str, int]:
    return {name: low + i for row in rows for i, name in enumerate(row)}


SECOND: Final = _kind("second", 0, 59)
MINUTE: Final = _kind("minute", 0, 59)
HOUR: Final = _kind("hour", 0, 23)
DAY: Final = _kind("day", 1, 31, spread_high=28)
MONTH: Final = _kind("month", 1, 12, names=_numbered(1, MONTHS, _MONTHS_IN_FULL))
WEEKDAY: Final = Kind("weekday", 0, 7, 7, _numbered(0, WEEKDAYS, _WEEKDAYS_IN_FULL), 6, 0)
# Spring counts 1 = Monday to 7 = Sunday and reads 0 as Sunday too; SUN is its 7, so nothing comes after SUN/2.
SPRING_WEEKDAY: Final = Kind("weekday", 0, 7, 7, WEEKDAY.names | {"SUN": 7, "SUNDAY": 7}, 6, 1)
QUARTZ_WEEKDAY: Final = _kind("weekday", 1, 7, names=_numbered(1, WEEKDAYS, _WEEKDAYS_IN_FULL))
YEAR: Final = _kind("year", 1970, 2199)


@dataclass(frozen=True, slots=True)
class Span:
    """Values from `first` to `last` in steps, going round the end of the field if `last` is smaller.

    `is_open`: written as `*`, `*/n`, `a/n` or `H/n`, i.e. as a rhythm, not as given values.
    """

    first: int
    last: int
    step: int = 1
    is_open: bool = False


def weekdays_in(span: Span) -> tuple[int, ...]:
    """The weekdays a span of the weekday field names, in its order (Sunday = 0)."""
    days = (span.last - span.first) % 7
    return tuple((span.first + n) % 7 for n in range(0, days + 1, span.step))


@dataclass(frozen=True, slots=True)
class LastDay:
    """`L`, `L-3`: days before the last of the month; with W the nearest weekday to it."""

    before: int = 0
    is_nearest_weekday: bool = False


@dataclass(frozen=True, slots=True)
class NearestWeekday:
    """`15W`: the weekday (Monday to Friday) nearest to a day, in the same month."""

    day: int


@dataclass(frozen=True, slots=True)
class NthWeekday:
    """`FRI#3`: the third Friday."""

    weekday: int
    nth: int


@dataclass(frozen=True, slots=True)
class LastWeekday:
    """`FRIL`: the last Friday."""

    weekday: int


Item: TypeAlias = Span | LastDay | NearestWeekday | NthWeekday | LastWeekday


@dataclass(frozen=True, slots=True)
class Field:
    """One field: what was written, its items, and the mask of the values its spans name (weekdays from Sunday = 0)."""

    kind: Kind
    text: str
    items: tuple[Item, ...]
    mask: int

    @property
    def is_star(self) -> bool:
        """Whether it begins with `*` (or is `?`), which decides how cron joins day and weekday."""
        return self.text[0] in "*?"

    @property
    def is_any(self) -> bool:
        """Whether it leaves nothing out."""
        return self.mask.bit_count() == self.kind.cycle

    @property
    def is_every_so_often(self) -> bool:
        """Whether it says "every" or "every n", so that elapsed time counts, not what the clock shows."""
        if self.is_any:
            return True
        return self.mask.bit_count() > 1 and all(isinstance(item, Span) and item.is_open for item in self.items)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Expression:
    """A whole expression, read. The parser gives the same object for the same text."""

    text: str
    dialect: CronDialect
    second: Field
    minute: Field
    hour: Field
    day: Field
    month: Field
    weekday: Field
    year: Field | None = None

    @property
    def joins_by_or(self) -> bool:
        """Whether a day fits if either its number or its weekday fits: crontab's rule when both are given."""
        return self.dialect is CronDialect.UNIX and not self.day.is_star and not self.weekday.is_star

    @property
    def day_narrows(self) -> bool:
        """Whether its day field leaves days out."""
        return not self.day.is_any and not self.is_freed_by_or

    @property
    def weekday_narrows(self) -> bool:
        """Whether its weekday field leaves days out."""
        return not self.weekday.is_any and not self.is_freed_by_or

    @property
    def is_freed_by_or(self) -> bool:
        """Whether every day fits because one of two fields joined by OR is full: `0 0 1-31 * MON`."""
        return self.joins_by_or and (self.day.is_any or self.weekday.is_any)

    @property
    def is_fixed_time(self) -> bool:
        """Whether it names hours: then a skipped hour is made up for and a repeated one counts once."""
        return not self.hour.is_every_so_often
