"""What a store counts for the pictures that people look at: a job's days, and what is due soon."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from foliot.domain.instants import Instant

if TYPE_CHECKING:
    from foliot.ports.store.lookups import JobRow

SKIPPED: Final = "SKIPPED"
"""The outcome of an instant that got no run. The other outcomes are states of runs."""


class Quarter(NamedTuple):
    """How many instants of a quarter of an hour came to one outcome."""

    from_at: Instant
    outcome: str
    instants: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarters:
    """The counts of a stretch of time. `whole_since`: older runs were not looked at; None: all were."""

    items: Sequence[Quarter]
    whole_since: Instant | None


class CountedLookups(Protocol):
    """The reads behind pictures. Each looks at a bounded number of rows."""

    async def quarters(self, job_id: int, *, from_at: Instant, to_at: Instant) -> Quarters:
        """How many of a job's instants in [from, to) came to which outcome, by the quarter of an hour."""
        ...

    async def due_until(self, namespace: str | None, *, until: Instant, limit: int) -> "Sequence[JobRow]":
        """The active jobs whose next instant lies between now and then, the soonest first, without their runs."""
        ...
