"""Time zones, and the one rule for hours that are missing or come twice.

All instants here are whole seconds. A zone is a row of *stretches*: spans of UTC with one offset. What a schedule wants
of repeated and missing hours (`RepeatedTime`, `Gap`) only changes which stretches it sees, so that every search is the
same simple walk. Zones come from the `tzdata` package, never from the host, so that all nodes of a cluster read the
same rules.
"""

from bisect import bisect_right
from datetime import UTC, datetime
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from importlib import import_module, resources
from re import ASCII, fullmatch
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from foliot.domain.schedule.errors import UnknownZone

YEARS: Final = range(1970, 2200)
_YEAR_START: Final = tuple(int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in range(1970, 2201))
HORIZON_S: Final = _YEAR_START[-1]
# Offset changes of one zone have always been a week or more apart since 1970 (a test looks at every zone).
_SAMPLE_S: Final = 3 * 86_400
_MARGIN_S: Final = 3 * 86_400  # a repeated stretch can reach over New Year


class Gap(StrEnum):
    """What becomes of a fixed time that the wall clock skips."""

    AFTER = "after"  # due at the first instant after the gap, once
    SKIP = "skip"  # not due that day


class RepeatedTime(StrEnum):
    """What becomes of a fixed time that the wall clock shows twice."""

    FIRST = "first"
    SECOND = "second"
    BOTH = "both"


class Stretch(NamedTuple):
    """A span [start, end) of UTC whose wall clock is UTC + offset, entered by skipping `gap` seconds of wall time."""

    start: int
    end: int
    offset: int
    gap: int


class Transition(NamedTuple):
    """An instant at which the offset changes."""

    at: int
    before: int
    after: int


class Zone:
    """A time zone as stretches of constant offset, worked out a year at a time."""

    __slots__ = ("_info", "_stretches", "_transitions", "name")

    def __init__(self, name: str, info: ZoneInfo) -> None:
        self.name = name
        self._info = info
        self._transitions: dict[int, tuple[Transition, ...]] = {}
        self._stretches: dict[tuple[int, RepeatedTime], tuple[Stretch, ...]] = {}

    def stretch_from(self, second: int, overlap: RepeatedTime) -> Stretch | None:
        """The first stretch that ends after this second."""
        for year in range(max(0, bisect_right(_YEAR_START, second) - 1), len(YEARS)):
            for stretch in self._year(year, overlap):
                if stretch.end > second:
                    return stretch
        return None

    def stretch_to(self, second: int, overlap: RepeatedTime) -> Stretch | None:
        """The last stretch that begins no later than this second."""
        for year in range(min(len(YEARS), bisect_right(_YEAR_START, second)) - 1, -1, -1):
            for stretch in reversed(self._year(year, overlap)):
                if stretch.start <= second:
                    return stretch
        return None

    def offset_at(self, second: int) -> int:
        """Seconds the wall clock is ahead of UTC."""
        return int(datetime.fromtimestamp(second, self._info).utcoffset().total_seconds())  # type: ignore[union-attr]

    def transitions(self, first: int, past: int) -> list[Transition]:
        """All changes of the offset in [first, past)."""
        found: list[Transition] = []
        first, past = max(first, 0), min(past, HORIZON_S)
        first_year = bisect_right(_YEAR_START, first) - 1
        past_year = bisect_right(_YEAR_START, past - 1)
        for year in range(first_year, past_year):
            low = max(first, _YEAR_START[year])
            high = min(past, _YEAR_START[year + 1])
            found += (one for one in self._transitions_of(year) if low <= one.at < high)
        return found

    def instants_of(self, reading: int) -> tuple[int, ...]:
        """The instants at which the wall clock shows this reading: none in a gap, two in an overlap."""
        found: list[int] = []
        stretch = self.stretch_from(reading - 2 * 86_400, RepeatedTime.BOTH)
        while stretch is not None and stretch.start < reading + 2 * 86_400:
            if stretch.start <= reading - stretch.offset < stretch.end:
                found.append(reading - stretch.offset)
            stretch = self.stretch_from(stretch.end, RepeatedTime.BOTH)
        return tuple(found)

    def instant_of(self, reading: int, gap: Gap = Gap.AFTER, overlap: RepeatedTime = RepeatedTime.FIRST) -> int | None:
        """The one instant meant by a wall reading, by the rule for fixed times."""
        found = self.instants_of(reading)
        if found:
            return found[-1] if overlap is RepeatedTime.SECOND else found[0]
        if gap is Gap.SKIP:
            return None
        stretch = self.stretch_from(reading - 2 * 86_400, RepeatedTime.BOTH)
        while stretch is not None and stretch.start + stretch.offset <= reading:
            stretch = self.stretch_from(stretch.end, RepeatedTime.BOTH)
        return stretch.start if stretch is not None else None

    def _year(self, year: int, overlap: RepeatedTime) -> tuple[Stretch, ...]:
        key = (year, overlap)
        known = self._stretches.get(key)
        if known is None:
            known = self._stretches[key] = tuple(self._cut(year, overlap))
        return known

    def _cut(self, year: int, overlap: RepeatedTime) -> list[Stretch]:
        """One year's stretches; the pass of a repeated hour that the policy leaves out is cut away."""
        begin, end = _YEAR_START[year], _YEAR_START[year + 1]
        changes = self._transitions_of(year)
        edges = [begin - _MARGIN_S, *(change.at for change in changes), end + _MARGIN_S]
        offsets = [changes[0].before if changes else self.offset_at(begin), *(change.after for change in changes)]
        found: list[Stretch] = []
        for i, offset in enumerate(offsets):
            start, past = edges[i], edges[i + 1]
            ahead = offset - offsets[i - 1] if i else 0
            gap = ahead if ahead > 0 and begin <= start else 0
            if ahead < 0 and overlap is RepeatedTime.FIRST:
                start = min(start - ahead, past)
            if overlap is RepeatedTime.SECOND and i + 1 < len(offsets) and offsets[i + 1] < offset:
                past = max(past - (offset - offsets[i + 1]), start)
            start, past = max(start, begin), min(past, end)
            if start < past:
                found.append(Stretch(start, past, offset, gap))
        return found

    def _transitions_of(self, year: int) -> tuple[Transition, ...]:
        known = self._transitions.get(year)
        if known is None:
            first, past = _YEAR_START[year] - _MARGIN_S, _YEAR_START[year + 1] + _MARGIN_S
            known = self._transitions[year] = tuple(self._search(first, past))
        return known

    def _search(self, first: int, past: int) -> list[Transition]:
        found: list[Transition] = []
        before = self.offset_at(first)
        for low in range(first, past, _SAMPLE_S):
            after = self.offset_at(low + _SAMPLE_S)
            if after != before:
                found.append(Transition(self._bisect(low, low + _SAMPLE_S, before), before, after))
                before = after
        return found

    def _bisect(self, low: int, high: int, before: int) -> int:
        while high - low > 1:
            middle = (low + high) // 2
            if self.offset_at(middle) == before:
                low = middle
            else:
                high = middle
        return high


@cache
def zone(name: str) -> Zone:
    """The zone of this name; UnknownZone with the nearest name otherwise."""
    if name not in zone_names():
        raise UnknownZone(name, nearest=_nearest(name))
    path = resources.files("tzdata").joinpath("zoneinfo", *name.split("/"))
    with path.open("rb") as file:
        return Zone(name, ZoneInfo.from_file(file, key=name))


def tzdata_version() -> str:
    """The release of the time zone database in use, such as 2026f."""
    return str(import_module("tzdata").IANA_VERSION)


@cache
def zone_names() -> frozenset[str]:
    """All names a schedule can give as its zone."""
    return frozenset(resources.files("tzdata").joinpath("zones").read_text("utf-8").split())


_MEANT: Final = {
    "beijing": "Asia/Shanghai",
    "peking": "Asia/Shanghai",
    "hangzhou": "Asia/Shanghai",
    "shenzhen": "Asia/Shanghai",
    "guangzhou": "Asia/Shanghai",
    "cst": "Asia/Shanghai or America/Chicago",
    "pst": "America/Los_Angeles",
    "pdt": "America/Los_Angeles",
    "mdt": "America/Denver",
    "cdt": "America/Chicago",
    "edt": "America/New_York",
    "bst": "Europe/London",
    "cest": "Europe/Berlin",
    "ist": "Asia/Kolkata",
    "jst": "Asia/Tokyo",
    "kst": "Asia/Seoul",
    "sgt": "Asia/Singapore",
    "hkt": "Asia/Hong_Kong",
    "aest": "Australia/Sydney",
    "aedt": "Australia/Sydney",
    "z": "UTC",
    "mumbai": "Asia/Kolkata",
    "san_francisco": "America/Los_Angeles",
    "seattle": "America/Los_Angeles",
    "boston": "America/New_York",
    "washington": "America/New_York",
    "munich": "Europe/Berlin",
    "frankfurt": "Europe/Berlin",
    "geneva": "Europe/Zurich",
    "milan": "Europe/Rome",
    "barcelona": "Europe/Madrid",
}


def _nearest(name: str) -> str | None:
    written = name.strip().replace(" ", "_").lower()
    city = written.rpartition("/")[2]
    if city in _MEANT:
        return _MEANT[city]
    offset = fullmatch(r"(?:utc|gmt)?([+-])0?(\d{1,2})(?::?00)?", written, ASCII)
    if offset and int(offset[2]) <= 12:
        return f"Etc/GMT{'-' if offset[1] == '+' else '+'}{int(offset[2])}"
    by_name = {known.lower(): known for known in sorted(zone_names())}
    by_city = {known.rpartition("/")[2].lower(): known for known in by_name.values()}
    if written in by_name:
        return by_name[written]
    if city in by_city:
        return by_city[city]
    close = get_close_matches(written[:100], by_name, n=1, cutoff=0.7)
    if close:
        return by_name[close[0]]
    close = get_close_matches(city[:100], by_city, n=1, cutoff=0.75)
    return by_city[close[0]] if close else None
