"""An independent way to say when a cron expression is due: slow, obvious, and built on `zoneinfo` alone.

Expressions are drawn together with what they mean (sets of values, a predicate over dates), so that nothing here
depends on Foliot's parser, its masks or its stretches of constant offset.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

SECOND = 1_000_000
MARGIN = timedelta(hours=3)  # more than any of these clocks is changed by at once

# Zones with shifts of 30 minutes, of 2 hours, at midnight, two shifts in one month, skipped days and recent changes of
# rules, besides the usual ones.
ZONES = (
    "UTC", "Europe/Berlin", "Europe/London", "Europe/Dublin", "Europe/Istanbul", "Europe/Moscow", "Europe/Chisinau",
    "America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles", "America/Anchorage",
    "America/St_Johns", "America/Halifax", "America/Havana", "America/Sao_Paulo", "America/Santiago",
    "America/Asuncion", "America/Mexico_City", "America/Nuuk", "America/Scoresbysund", "Atlantic/Azores",
    "Africa/Cairo", "Africa/Casablanca", "Asia/Shanghai", "Asia/Tokyo", "Asia/Kolkata", "Asia/Kathmandu",
    "Asia/Tehran", "Asia/Beirut", "Asia/Gaza", "Asia/Jerusalem", "Asia/Almaty", "Australia/Sydney",
    "Australia/Adelaide", "Australia/Lord_Howe", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Easter",
    "Pacific/Apia", "Antarctica/Troll", "Antarctica/Casey",
)  # fmt: skip


@cache
def zone_of(name: str) -> ZoneInfo:
    """The zone from the same tzdata as Foliot's, whatever the host has."""
    with resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


@dataclass(frozen=True)
class Meaning:
    """What an expression means."""

    text: str
    seconds: frozenset[int]
    minutes: frozenset[int]
    hours: frozenset[int]
    fits: Callable[[date], bool] = field(compare=False)
    is_fixed_time: bool
    dialect: str = "unix"

    def times(self) -> Iterator[timedelta]:
        for hour in sorted(self.hours):
            for minute in sorted(self.minutes):
                for second in sorted(self.seconds):
                    yield timedelta(hours=hour, minutes=minute, seconds=second)

    def shows(self, moment: datetime) -> bool:
        """Whether a wall clock with this reading shows a time of the expression."""
        return (
            moment.hour in self.hours
            and moment.minute in self.minutes
            and moment.second in self.seconds
            and self.fits(moment.date())
        )


def due_by_readings(
    meaning: Meaning,
    zone: ZoneInfo,
    first: int,
    past: int,
    *,
    gap: str = "after",
    overlap: str = "first",
    margin: timedelta = MARGIN,
) -> list[int]:
    """All due seconds in [first, past), by asking for every wall reading which instants show it."""
    if not meaning.is_fixed_time:
        gap, overlap = "skip", "both"
    found: set[int] = set()
    low, high = _reading(first, zone) - margin, _reading(past, zone) + margin
    day = low.date()
    while day <= high.date():
        if meaning.fits(day):
            midnight = datetime(day.year, day.month, day.day)  # noqa: DTZ001  a wall reading
            for time in meaning.times():
                if low <= midnight + time <= high:
                    found.update(_instants(midnight + time, zone, gap, overlap))
        day += timedelta(days=1)
    return sorted(second for second in found if first <= second < past)


def _reading(second: int, zone: ZoneInfo) -> datetime:
    return datetime.fromtimestamp(second, zone).replace(tzinfo=None)


def _instants(reading: datetime, zone: ZoneInfo, gap: str, overlap: str) -> list[int]:
    early, late = (int(reading.replace(tzinfo=zone, fold=fold).timestamp()) for fold in (0, 1))
    if early == late:
        return [early]
    if early < late:  # the clock shows it twice
        return {"first": [early], "second": [late], "both": [early, late]}[overlap]
    return [] if gap == "skip" else [_change(zone, late, early)]  # the clock skips it


def _change(zone: ZoneInfo, low: int, high: int) -> int:
    before = datetime.fromtimestamp(low, zone).utcoffset()
    while high - low > 1:
        middle = (low + high) // 2
        if datetime.fromtimestamp(middle, zone).utcoffset() == before:
            low = middle
        else:
            high = middle
    return high


def due_by_looking(meaning: Meaning, zone: ZoneInfo, first: int, past: int) -> list[int]:
    """All seconds of [first, past) at which the clock shows the expression: no rule for gaps, the dumbest way."""
    return [second for second in range(first, past) if meaning.shows(datetime.fromtimestamp(second, zone))]


def transitions_of(name: str, first: int, past: int) -> list[int]:
    """Instants at which the offset changes, found by looking every six hours."""
    zone = zone_of(name)
    offsets = {at: datetime.fromtimestamp(at, zone).utcoffset() for at in range(first, past + 21_600, 21_600)}
    return [_change(zone, at, at + 21_600) for at in range(first, past, 21_600) if offsets[at] != offsets[at + 21_600]]


# drawing expressions with their meaning


def _values(draw: st.DrawFn, low: int, high: int) -> tuple[str, frozenset[int], bool]:
    """A field: its text, its values, and whether it says "every"."""
    kind = draw(st.sampled_from(["star", "step", "from", "one", "range", "wrap", "list"]))
    a, b = draw(st.integers(low, high)), draw(st.integers(low, high))
    n = draw(st.integers(1, high - low + 1))
    if kind == "star":
        return "*", frozenset(range(low, high + 1)), True
    if kind == "step":
        return f"*/{n}", frozenset(range(low, high + 1, n)), True
    if kind == "from":
        return f"{a}/{n}", frozenset(range(a, high + 1, n)), True
    if kind == "range":
        return f"{min(a, b)}-{max(a, b)}/{n}", frozenset(range(min(a, b), max(a, b) + 1, n)), False
    if kind == "wrap" and b < a:
        return f"{a}-{b}", frozenset([*range(a, high + 1), *range(low, b + 1)]), False
    if kind == "list":
        values = draw(st.lists(st.integers(low, high), min_size=1, max_size=4))
        return ",".join(map(str, values)), frozenset(values), False
    return str(a), frozenset([a]), False


def _month_days(moment: date) -> int:
    following = date(moment.year + moment.month // 12, moment.month % 12 + 1, 1)
    return (following - date(moment.year, moment.month, 1)).days


def _nearest_weekday(moment: date, day: int) -> int:
    length = _month_days(moment)
    candidates = [d for d in (day, day - 1, day + 1, day - 2, day + 2) if 1 <= d <= length]
    return next(d for d in candidates if date(moment.year, moment.month, d).weekday() < 5)


def _day(draw: st.DrawFn) -> tuple[str, Callable[[date], bool]]:
    kind = draw(st.sampled_from(["values", "values", "L", "L-n", "LW", "nW", "list"]))
    n = draw(st.integers(1, 31))
    if kind == "L":
        return "L", lambda d: d.day == _month_days(d)
    if kind == "L-n":
        back = min(n, 27)
        return f"L-{back}", lambda d: d.day == _month_days(d) - back
    if kind == "LW":
        return "LW", lambda d: d.day == _nearest_weekday(d, _month_days(d))
    if kind == "nW":
        return f"{n}W", lambda d: n <= _month_days(d) and d.day == _nearest_weekday(d, n)
    if kind == "list":
        return f"{n},L", lambda d: d.day in (n, _month_days(d))
    text, values, _ = _values(draw, 1, 31)
    return text, lambda d: d.day in values


_NAMES = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")


_STAR = {"unix": 0, "quartz": 1, "spring": 1}  # the number at which a star begins to count weekdays


def _sunday_first(moment: date) -> int:
    return moment.isoweekday() % 7


def _numbered(moment: date, dialect: str) -> set[int]:
    """The numbers a weekday has: Sunday has two but in Quartz, which begins with it."""
    if dialect == "quartz":
        return {_sunday_first(moment) + 1}
    return {0, 7} if _sunday_first(moment) == 0 else {_sunday_first(moment)}


def _weekday(draw: st.DrawFn, dialect: str) -> tuple[str, Callable[[date], bool]]:
    kind = draw(st.sampled_from(["number", "name", "range", "nth", "last", "list", "step", "from"]))
    a, b, nth = draw(st.integers(0, 6)), draw(st.integers(0, 6)), draw(st.integers(1, 5))
    base = 1 if dialect == "quartz" else 0
    written = draw(st.sampled_from([str(a + base), _NAMES[a]]))
    if a == 0 and dialect != "quartz":
        written = draw(st.sampled_from(["0", "7", "SUN"]))
    if kind == "step":
        counted = range(_STAR[dialect], _STAR[dialect] + 7, nth)
        return f"*/{nth}", lambda d: _numbered(d, dialect) & set(counted) != set()
    if kind == "from":
        begin = 7 if dialect == "spring" and written == "SUN" else a + base
        begin = int(written) if written.isdecimal() else begin
        return f"{written}/{nth}", lambda d: _numbered(d, dialect) & set(range(begin, 8, nth)) != set()
    if kind == "range" and dialect == "spring" and a == b == 0:
        return "SUN-SUN", lambda d: True
    if kind == "range":
        days = frozenset((a + i) % 7 for i in range((b - a) % 7 + 1))
        return f"{_NAMES[a]}-{_NAMES[b]}", lambda d: _sunday_first(d) in days
    if kind == "nth":
        return f"{written}#{nth}", lambda d: _sunday_first(d) == a and (d.day - 1) // 7 + 1 == nth
    if kind == "last":
        return f"{written}L", lambda d: _sunday_first(d) == a and d.day + 7 > _month_days(d)
    if kind == "list":
        return f"{_NAMES[a]},{_NAMES[b]}", lambda d: _sunday_first(d) in (a, b)
    return written, lambda d: _sunday_first(d) == a


def _is_star(text: str) -> bool:
    return text[0] in "*?"


def _days(draw: st.DrawFn, dialect: str) -> tuple[str, str, Callable[[date], bool]]:
    """The day and weekday fields with the rule of the dialect for joining them."""
    by_day, fits_day = _day(draw)
    by_weekday, fits_weekday = _weekday(draw, dialect)
    which = draw(st.sampled_from(["none", "day", "weekday", "both"]))
    if which == "none":
        return "*", ("?" if dialect == "quartz" else "*"), lambda d: True
    if which == "day" or (which == "both" and dialect == "quartz"):
        return by_day, ("?" if dialect == "quartz" else "*"), fits_day
    if which == "weekday":
        return ("?" if dialect == "quartz" else "*"), by_weekday, fits_weekday
    if dialect == "unix" and not _is_star(by_day) and not _is_star(by_weekday):
        return by_day, by_weekday, lambda d: fits_day(d) or fits_weekday(d)
    return by_day, by_weekday, lambda d: fits_day(d) and fits_weekday(d)


@st.composite
def meanings(draw: st.DrawFn, *, dialects: tuple[str, ...] = ("unix", "quartz", "spring")) -> Meaning:
    """A valid expression of any form, with what it means."""
    dialect = draw(st.sampled_from(dialects))
    second = ("0", frozenset([0]), False) if dialect == "unix" else _values(draw, 0, 59)
    minute, hour = _values(draw, 0, 59), _values(draw, 0, 23)
    day, weekday, fits_days = _days(draw, dialect)
    month, months, _ = _values(draw, 1, 12)
    fields = [minute[0], hour[0], day, month, weekday]
    if dialect != "unix":
        fields.insert(0, second[0])
    is_every = (hour[2] and len(hour[1]) > 1) or len(hour[1]) == 24
    return Meaning(
        text=" ".join(fields),
        seconds=second[1],
        minutes=minute[1],
        hours=hour[1],
        fits=lambda d: d.month in months and fits_days(d),
        is_fixed_time=not is_every,
        dialect=dialect,
    )
