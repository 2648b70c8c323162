"""Backfills: instants of the past that get a run after all, a few at a time (R10)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from foliot.domain.errors import NotFound
from foliot.domain.instants import Instant

TAKEN_MAX: Final = 100_000  # instants with a run that are looked at in one range


class Selection(StrEnum):
    """Which instants of the range get a run."""

    MISSING = "missing"  # those that never had one
    FAILED = "failed"  # those whose run failed or was cancelled
    ALL = "all"


class BackfillState(StrEnum):
    """How far it is."""

    ACTIVE = "active"
    PAUSED = "paused"
    DONE = "done"
    CANCELLED = "cancelled"


class BackfillNotFound(NotFound):
    """No backfill has this number."""

    code = "FOL-2005"

    def __init__(self, number: int) -> None:
        super().__init__(f"No backfill {number}.", number=number)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewBackfill:
    """A backfill to begin: the chosen instants in the order in which they get their runs."""

    job_id: int
    version: int
    from_at: Instant
    to_at: Instant
    selection: Selection
    parallel: int
    newest_first: bool
    instants: Sequence[Instant]
    created_by: str
    reason: str
    params: str | None = None
    request_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillRow:
    """A backfill as people see it."""

    id: int
    job_id: int
    namespace: str
    job: str
    version: int
    from_at: Instant
    to_at: Instant
    selection: Selection
    parallel: int
    newest_first: bool
    state: BackfillState
    total: int
    inserted: int
    succeeded: int
    failed: int
    live: Sequence[int]
    created_at: Instant
    created_by: str
    reason: str
    ended_at: Instant | None


class BackfillStore(Protocol):
    """Keeps backfills and lets them go on."""

    async def add(self, new: NewBackfill) -> BackfillRow:
        """Begin it. When its request key has a backfill already, this is that one and nothing changed (S4)."""
        ...

    async def asked(self, request_key: str) -> BackfillRow | None:
        """The backfill of this request key, if it was begun."""
        ...

    async def get(self, backfill_id: int) -> BackfillRow:
        """The backfill, or `BackfillNotFound`."""
        ...

    async def list(
        self, *, namespace: str | None, job_id: int | None = None, limit: int, before_id: int | None = None
    ) -> Sequence[BackfillRow]:
        """Newest first."""
        ...

    async def set_state(self, backfill_id: int, state: BackfillState) -> BackfillRow:
        """Pause, go on, or end it. One that is over stays as it is."""
        ...

    async def taken(self, job_id: int, *, from_at: Instant, to_at: Instant) -> dict[Instant, str]:
        """The instants in [from, to) that have a run, each with the state of its newest one.

        From `TAKEN_MAX` of them on the rest may be missing.
        """
        ...

    async def advance(self, *, limit: int, term: int | None = None) -> int:
        """One bounded round: count what ended, insert what may follow; how many runs were made."""
        ...
