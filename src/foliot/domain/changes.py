"""Changes: the vocabulary of what people do to a job's schedule. The decisions themselves are in `domain.planner`."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from foliot.domain.fire import Cursor, DueJob, Plan
from foliot.domain.held_time import HeldStretch
from foliot.domain.instants import Instant
from foliot.domain.job import LoadedJob


class Change(NamedTuple):
    """What a person asked for: a plan of the job as it is, and one for a job whose definition cannot be planned."""

    plan: Callable[[DueJob, Instant], Plan]
    blind: Callable[[Cursor, Instant], Plan]


class CatchUp(NamedTuple):
    """A part of paused time decided. `undecided_from`: the first instant that a further plan decides."""

    plan: Plan
    undecided_from: Instant | None


class Stand(NamedTuple):
    """Where a cursor stands: of a job that moves, its wake time too."""

    state: str
    next_at: Instant | None
    next_due_at: Instant | None
    remaining: int | None


class Rescheduling(NamedTuple):
    """Where a cursor goes, and from which instant on its schedule decides again; None: it comes back to no instant.

    What was decided for an instant from there on may be taken back. An instant before it keeps what it has: nothing
    would come in its stead.
    """

    plan: Plan
    again_from: Instant | None


class Plans(Protocol):
    """What a store asks while it changes a job: each answer is made inside the transaction, so it never waits."""

    def decide(self, now: Instant, batch: Sequence[DueJob], /) -> Sequence[Plan]:
        """What is due (`fire.Decide`)."""
        ...

    def first(self, job: LoadedJob, now: Instant) -> Plan:
        """Where the schedule of a new job begins."""
        ...

    def edit(self, new: LoadedJob) -> Change:
        """The schedule goes on as the new version says."""
        ...

    def pause(self, until: Instant | None) -> Change:
        """The schedule stands still, for good or until an instant."""
        ...

    def resume(self, *, catch_up: bool) -> Change:
        """The schedule goes on."""
        ...

    def catch_up(self, due: DueJob, held: Sequence[HeldStretch], now: Instant) -> CatchUp:
        """The schedule goes on, and paused time of earlier versions is decided, as much as one plan covers."""
        ...

    def delete(self) -> Change:
        """The schedule ends."""
        ...

    def reschedule(self, due: DueJob, now: Instant, *, early: int) -> Rescheduling:
        """The schedule goes on at the first instant to come. `early`: runs that were made for instants to come."""
        ...

    def is_ahead(self, stand: Stand, job: LoadedJob, now: Instant) -> bool:
        """Whether a cursor stands further ahead than its schedule allows."""
        ...
