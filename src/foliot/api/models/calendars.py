"""Calendars as JSON."""

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from foliot.api.models.common import Input, Moment, Output, Reason, moment
from foliot.ports.calendars import CalendarRow


class CalendarIn(Input):
    """A calendar, in the form of job files."""

    calendar: dict[str, Any] = Field(examples=[{"country": "CN", "exclude": ["2026-12-31"], "shift": "next"}])
    reason: Reason = ""


class UserOut(Output):
    """A job that uses a calendar."""

    namespace: str
    job: str
    pinned: int


class CalendarOut(Output):
    """One version of a calendar."""

    name: str
    version: int
    calendar: dict[str, Any]
    created_at: Moment
    created_by: str
    reason: str
    users: list[UserOut] | None = None

    @classmethod
    def of(cls, row: CalendarRow, users: Sequence[tuple[str, str, int]] | None = None) -> "CalendarOut":
        return cls(
            name=row.name,
            version=row.version,
            calendar=dict(row.document),
            created_at=moment(row.created_at) or "",
            created_by=row.created_by,
            reason=row.reason,
            users=None
            if users is None
            else [UserOut(namespace=namespace, job=job, pinned=pinned) for namespace, job, pinned in users],
        )


class CalendarsOut(Output):
    """Calendars, by name."""

    items: list[CalendarOut]
