"""Periods of reports: a day, or a week from Monday to Sunday, of one time zone. A day may have 23 or 25 hours."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any, Final

from foliot.domain.errors import BadField, InvalidInput
from foliot.domain.instants import SECOND, Instant
from foliot.domain.schedule.zones import zone

_DAY_S: Final = 86_400
_DAYS_A_WEEK: Final = 7
_FIRST_DAY: Final = date(1970, 1, 1).toordinal()
_DAY_MAX: Final = date(2199, 1, 1).toordinal() - _FIRST_DAY
_THURSDAY: Final = 3  # 1970-01-01


class ReportKind(StrEnum):
    """How long the period of a report is."""

    DAILY = "daily"
    WEEKLY = "weekly"


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """The days [first_day, first_day + days) of a zone, and the instants at which they begin and end."""

    kind: ReportKind
    timezone: str
    first_day: int  # since 1970-01-01
    from_at: Instant
    to_at: Instant

    @property
    def date(self) -> str:
        """Its first day: `2026-03-29`."""
        return date.fromordinal(_FIRST_DAY + self.first_day).isoformat()

    @property
    def last_date(self) -> str:
        """Its last day; of a daily report the same."""
        return date.fromordinal(_FIRST_DAY + self.first_day + days_of(self.kind) - 1).isoformat()

    def before(self) -> "Period":
        """The day or the week before."""
        return period_from(self.kind, self.timezone, self.first_day - days_of(self.kind))


def days_of(kind: ReportKind) -> int:
    """How many days a period has."""
    return 1 if kind is ReportKind.DAILY else _DAYS_A_WEEK


def period_from(kind: ReportKind, timezone: str, day: int) -> Period:
    """The period to which a day belongs."""
    first_day = day if kind is ReportKind.DAILY else day - weekday(day)
    return Period(
        kind=kind,
        timezone=timezone,
        first_day=first_day,
        from_at=start_of_day(timezone, first_day),
        to_at=start_of_day(timezone, first_day + days_of(kind)),
    )


def last_period(kind: ReportKind, timezone: str, now: Instant) -> Period:
    """The last day or week that is over."""
    return period_from(kind, timezone, day_at(timezone, now)).before()


def day_at(timezone: str, at: Instant) -> int:
    """The day that the calendar of a zone shows at an instant."""
    second = at // SECOND
    return (second + zone(timezone).offset_at(second)) // _DAY_S


def start_of_day(timezone: str, day: int) -> Instant:
    """The first instant of a day: midnight, or what comes after it where the clock skips midnight."""
    return clock_on_day(timezone, day, 0)


def clock_on_day(timezone: str, day: int, minute: int) -> Instant:
    """When the clock shows a minute of a day: the first time of two, or after the gap where it is missing."""
    found = zone(timezone).instant_of(day * _DAY_S + minute * 60)
    assert found is not None, "the end of all zones is reached"
    return found * SECOND


def weekday(day: int) -> int:
    """Of a day since 1970-01-01; 0: Monday."""
    return (day + _THURSDAY) % _DAYS_A_WEEK


def read_day(written: Any, field: str = "date") -> int:
    """The day of a date such as `2026-03-29`; `BadField` otherwise."""
    hint = "write it as 2026-03-29"
    if not isinstance(written, str) or len(written) != len("2026-03-29"):
        raise BadField(field, f'"{str(written)[:40]}" is no date', hint=hint)
    try:
        day = date.fromisoformat(written).toordinal() - _FIRST_DAY
    except ValueError:
        raise BadField(field, f'"{written}" is no date', hint=hint) from None
    if not _DAYS_A_WEEK * 2 < day < _DAY_MAX:
        raise BadField(field, f"{written} is out of bounds", hint="from 1970-02-01 to 2198-12-31")
    return day


def check_timezone(written: str, field: str = "tz") -> str:
    """The name of a zone; `BadField` with the nearest name when there is none."""
    try:
        return zone(written).name
    except InvalidInput as error:
        raise BadField(field, error.sentence.rstrip("."), hint=error.hint) from error
