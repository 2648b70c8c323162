"""Calendars as JSON."""

from typing import Any, Literal

from pydantic import Field

from foliot.api.models.common import ApiInput, ApiOutput, Listed, Moment, Reason, moment
from foliot.domain.schedule.days import date_of
from foliot.domain.schedule.unusual import UnusualDay
from foliot.operations.calendars import KnownCalendar


class CalendarIn(ApiInput):
    """A calendar, in the form of job files."""

    calendar: dict[str, Any] = Field(examples=[{"country": "CN", "exclude": ["2026-12-31"], "shift": "next"}])
    reason: Reason = ""


class UserOut(ApiOutput):
    """A job that uses a calendar."""

    namespace: str
    job: str
    pinned: int


class DayOut(ApiOutput):
    """A day on which a calendar says something else than its week does."""

    day: str = Field(examples=["2026-10-01"])
    counts: bool
    why: str | None = Field(None, description="Why it does not count.", examples=["National Day"])

    @classmethod
    def of(cls, found: UnusualDay) -> "DayOut":
        return cls(day=date_of(found.day).isoformat(), counts=not found.against, why=found.against or None)


class CalendarOut(ApiOutput):
    """One version of a calendar, or one that is built in (it has no version, and nobody made it)."""

    name: str
    source: Literal["saved", "built-in"]
    version: int | None = None
    calendar: dict[str, Any]
    created_at: Moment | None = None
    created_by: str = ""
    reason: str = ""
    users: list[UserOut] | None = Field(None, description="Of one that was saved: the jobs that use it.")
    ahead: list[DayOut] | None = Field(None, description="The next days that stand out, within a year.")

    @classmethod
    def of(cls, found: KnownCalendar) -> "CalendarOut":
        row, users, ahead = found.row, found.users, found.ahead
        return cls(
            name=found.name,
            source="saved" if row else "built-in",
            version=row.version if row else None,
            calendar=dict(found.document),
            created_at=moment(row.created_at) if row else None,
            created_by=row.created_by if row else "",
            reason=row.reason if row else "",
            users=None
            if users is None
            else [UserOut(namespace=namespace, job=job, pinned=pinned) for namespace, job, pinned in users],
            ahead=None if ahead is None else [DayOut.of(day) for day in ahead],
        )


class CalendarsOut(Listed):
    """Calendars, by name."""

    items: list[CalendarOut]
