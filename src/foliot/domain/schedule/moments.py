"""Instants, dates, times of day and weekdays as people write them."""

import re
from datetime import UTC, date, datetime, time
from typing import Final

from foliot.domain.instants import SECOND, Instant, ceil_to_second, to_instant
from foliot.domain.schedule.cron.fields import WEEKDAY, Span
from foliot.domain.schedule.cron.items import ItemProblem, read_field
from foliot.domain.schedule.days import day_number
from foliot.domain.schedule.errors import BadTime
from foliot.domain.schedule.times import DAY_S
from foliot.domain.schedule.trigger import HORIZON
from foliot.domain.schedule.zones import zone

_TIME: Final = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?")
_HOURS: Final = re.compile(r"([0-9:]+)\s*[-–]\s*([0-9:]+)")
_SPREAD: Final = re.compile(r"(^|,)H|~")  # a spread makes sense in an expression only
_YEARLY: Final = re.compile(r"([0-9]{2})-([0-9]{2})")


def read_instant(written: object, *, tz: str = "UTC") -> Instant:
    """An instant: RFC 3339, or a date and time by the wall clock of the zone; a bare date is its midnight."""
    moment = _moment(written)
    try:
        if moment.tzinfo is not None:
            instant = ceil_to_second(to_instant(moment))
        else:
            reading = ceil_to_second(to_instant(moment.replace(tzinfo=UTC))) // SECOND
            second = zone(tz).instant_of(reading)
            instant = -1 if second is None else second * SECOND
    except OverflowError:
        instant = -1
    if not 0 <= instant < HORIZON:
        raise BadTime(written, what="an instant between 1970 and 2199", hint=_INSTANT_HINT)
    return instant


def has_offset(written: object) -> bool:
    """Whether a date and time says its offset from UTC."""
    return _moment(written).tzinfo is not None


_INSTANT_HINT: Final = "write 2026-01-31T17:00:00Z, or 2026-01-31 17:00 for the schedule's own zone"


def _moment(written: object) -> datetime:
    if isinstance(written, datetime):
        return written
    if isinstance(written, date):
        return datetime.combine(written, time())  # read by the schedule's wall clock
    try:
        return datetime.fromisoformat(str(written).strip())
    except ValueError:
        raise BadTime(written, what="an instant", hint=_INSTANT_HINT) from None


def read_day(written: object) -> int:
    """The number of a date written as 2026-01-31."""
    if isinstance(written, datetime):
        return day_number(written.date())
    if isinstance(written, date):
        return day_number(written)
    try:
        return day_number(date.fromisoformat(str(written).strip()))
    except ValueError:
        raise BadTime(written, what="a date", hint="write 2026-01-31") from None


def read_yearly_day(written: object) -> tuple[int, int] | None:
    """Month and day of a date that returns every year, written as 12-25; None if it is written otherwise."""
    found = _YEARLY.fullmatch(str(written).strip())
    if found is None:
        return None
    month, day = int(found[1]), int(found[2])
    try:
        date(2024, month, day)
    except ValueError:
        raise BadTime(written, what="a day of the year", hint="write 12-25 for 25 December") from None
    return month, day


def read_time(written: object) -> int:
    """A time of day, 09:00 or 23:59:30, in seconds from midnight."""
    found = _TIME.fullmatch(str(written).strip())
    if found is not None:
        hour, minute, second = int(found[1]), int(found[2]), int(found[3] or 0)
        if hour < 24 and minute < 60 and second < 60:
            return hour * 3600 + minute * 60 + second
    hint = (
        "write 09:00 or 23:59:30" if isinstance(written, str) else 'put it in quotes: "09:00"'
    )  # YAML reads 9:00 as 540
    raise BadTime(written, what="a time of day", hint=hint)


def read_hours(written: object) -> tuple[int, int]:
    """A span of the day, 22:00-06:00, in seconds from midnight; 24:00 may end it."""
    found = _HOURS.fullmatch(str(written).strip())
    if found is None:
        raise BadTime(written, what="a span of hours", hint="write 22:00-06:00")
    return read_time(found[1]), DAY_S if found[2] == "24:00" else read_time(found[2])


def read_weekdays(written: object) -> int:
    """Weekdays as names, ranges and lists (MON-FRI, or [SAT, SUN]), as a mask from Sunday = bit 0."""
    parts = written if isinstance(written, list | tuple | set | frozenset) else [written]
    text = ",".join(str(part) for part in parts).upper().replace(" ", "")
    try:
        found = read_field(WEEKDAY, text, seed="")
    except ItemProblem:
        found = None
    if found is None or not all(isinstance(item, Span) for item in found.items) or _SPREAD.search(text):
        raise BadTime(written, what="a list of weekdays", hint="write MON-FRI or SAT,SUN")
    return found.mask


def write_time(seconds: int) -> str:
    """A time of day as 09:00, with seconds only if there are any."""
    hour, rest = divmod(seconds, 3600)
    minute, second = divmod(rest, 60)
    return f"{hour:02}:{minute:02}:{second:02}" if second else f"{hour:02}:{minute:02}"
