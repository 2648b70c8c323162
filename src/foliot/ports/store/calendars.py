"""Calendars people define. Versions are immutable, and a job's version is pinned to one: `cn-2026@3`.

So what a definition means never changes behind its back. A new version of a calendar takes effect job by job, each by
an edit like any other: the past is decided under the old one first (S1).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from foliot.domain.errors import Conflict
from foliot.domain.instants import Instant
from foliot.ports.store.actor import Actor


class CalendarInUse(Conflict):
    """A calendar that jobs use cannot be taken away."""

    code = "FOL-3018"

    def __init__(self, name: str, *, jobs: Sequence[str]) -> None:
        some = ", ".join(jobs[:3]) + (" and others" if len(jobs) > 3 else "")
        super().__init__(
            f"Calendar {name} is used by {some}.",
            hint="change these jobs first",
            name=name,
            jobs=list(jobs[:20]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarRow:
    """One version of a calendar."""

    name: str
    version: int
    document: Mapping[str, Any]
    created_at: Instant
    created_by: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarUse:
    """A job whose present version is pinned to a calendar."""

    job_id: int
    namespace: str
    job: str
    job_version: int
    source: str
    document: Mapping[str, Any]
    calendar: str
    pinned: int


class CalendarStore(Protocol):
    """Keeps calendars and knows who uses them."""

    async def save(self, name: str, document: Mapping[str, Any], *, by: Actor) -> CalendarRow:
        """A new version, unless the newest says the same already."""
        ...

    async def find(self, pins: Sequence[str]) -> Mapping[str, CalendarRow]:
        """Calendars by pin (`cn-2026@3`, or `cn-2026` for the newest); those that are not there are left out."""
        ...

    async def list(self) -> Sequence[CalendarRow]:
        """The newest version of each, by name."""
        ...

    async def delete(self, name: str) -> bool:
        """Take a calendar away; `CalendarInUse` while a job uses it. False: there was none."""
        ...

    async def users(self, name: str, *, limit: int) -> Sequence[tuple[str, str, int]]:
        """(namespace, job, pinned version) of the jobs that use it."""
        ...

    async def outdated(
        self, *, limit: int, after: CalendarUse | None = None, term: int | None = None
    ) -> Sequence[CalendarUse]:
        """Jobs that are pinned to an older version than the newest, in one order; those that come `after` one."""
        ...
