"""The planner of one server: what is due, and what a person's change of a job means for its schedule (S1).

A change first decides the past under the version that was. Of a job whose definition cannot be planned nothing is
decided, and the change is made all the same: it may be what mends the job.
"""

from collections.abc import Sequence
from typing import Final

from foliot.domain.changes import CatchUp, Change, Rescheduling, Stand
from foliot.domain.fire import Cursor, CursorState, DueJob, Plan, PlannedSkip, SkipReason, kept
from foliot.domain.held_time import HeldStretch
from foliot.domain.instants import Instant
from foliot.domain.job import LoadedJob
from foliot.domain.pacer import CatchUpPacer
from foliot.domain.plans import (
    decide_batch,
    first_cursor,
    plan_catch_up,
    plan_delete,
    plan_edit,
    plan_pause,
    plan_resume,
)
from foliot.domain.reschedule import comes_again_from, is_ahead, plan_reschedule
from foliot.domain.routing import FittingWorker, OnlyAny, Ready, Routed, Routes, routed
from foliot.domain.skips import SkipCause, SkipKind

_UNREADABLE: Final = SkipCause(SkipKind.UNREADABLE)


class Planner:
    """`changes.Plans`. All catch-up runs of a server share its pacer (R10)."""

    def __init__(self, pacer: CatchUpPacer | None = None, routes: Routes | None = None) -> None:
        """`routes`: those of this installation; None: `any` alone."""
        self._pacer = pacer or CatchUpPacer()
        self.routes: Routes = routes or OnlyAny()

    def route(self, name: str, ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
        """For which worker each of these runs is meant, by the route of this name."""
        return routed(self.routes, name, ready, candidates)

    def decide(self, now: Instant, batch: Sequence[DueJob], /) -> list[Plan]:
        return decide_batch(now, batch, pacer=self._pacer)

    def first(self, job: LoadedJob, now: Instant) -> Plan:
        return first_cursor(job, now)

    def edit(self, new: LoadedJob) -> Change:
        def planned(due: DueJob, now: Instant) -> Plan:
            past = plan_edit(due, now)
            return first_cursor(new, now, edited=due, past=past)._replace(runs=past.runs, skips=past.skips)

        def blind(cursor: Cursor, now: Instant) -> Plan:
            plan = first_cursor(new, now)
            if cursor.state == CursorState.PAUSED:
                plan = plan._replace(state=CursorState.PAUSED, next_at=cursor.next_at)
            return plan._replace(skips=_unread(cursor, now))

        return Change(planned, blind)

    def pause(self, until: Instant | None) -> Change:
        def planned(due: DueJob, now: Instant) -> Plan:
            return plan_pause(due, now, until=until)

        def blind(cursor: Cursor, now: Instant) -> Plan:
            return kept(cursor)._replace(state=CursorState.PAUSED, next_at=until)

        return Change(planned, blind)

    def resume(self, *, catch_up: bool) -> Change:
        def planned(due: DueJob, now: Instant) -> Plan:
            return self._pacer.spread(plan_resume(due, now, catch_up), now)

        def blind(cursor: Cursor, now: Instant) -> Plan:
            return kept(cursor)._replace(state=CursorState.ACTIVE, next_at=now)  # firing looks, and flags it

        return Change(planned, blind)

    def catch_up(self, due: DueJob, held: Sequence[HeldStretch], now: Instant) -> CatchUp:
        caught_up = plan_catch_up(due, held, now)
        return caught_up._replace(plan=self._pacer.spread(caught_up.plan, now))

    def delete(self) -> Change:
        def blind(cursor: Cursor, now: Instant) -> Plan:
            return Plan(state=CursorState.DONE, skips=_unread(cursor, now))

        return Change(plan_delete, blind)

    def reschedule(self, due: DueJob, now: Instant, *, early: int) -> Rescheduling:
        plan = plan_reschedule(due, now, early=early)
        return Rescheduling(plan, comes_again_from(plan, due.job.definition.schedule, now))

    def is_ahead(self, stand: Stand, job: LoadedJob, now: Instant) -> bool:
        return is_ahead(stand, job, now)


def _unread(cursor: Cursor, now: Instant) -> tuple[PlannedSkip, ...]:
    """The ledger's line about instants that nobody can name any more."""
    if cursor.next_due_at is None or cursor.next_due_at > now:
        return ()
    return (PlannedSkip(cursor.next_due_at, now, 0, SkipReason.EDITED, _UNREADABLE),)
