"""Rescheduling: what a store tells of cursors that stand further ahead than their schedules allow."""

from dataclasses import dataclass

from foliot.domain.changes import Stand
from foliot.domain.instants import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescheduled:
    """A cursor before and after it was set right; equal when it was right."""

    now: Instant
    before: Stand
    after: Stand
    instants: int = 0  # instants to come that had been skipped, and are open again
    runs: int = 0  # runs that waited for instants to come, and were cancelled
    retries: int = 0  # runs whose next try waited for years, and is due now

    @property
    def is_changed(self) -> bool:
        return self.before != self.after or self.instants + self.runs + self.retries > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AheadJob:
    """A job that stands further ahead than its schedule allows."""

    namespace: str
    name: str
    group: str
    next_due_at: Instant | None
