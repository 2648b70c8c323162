"""Changing one job under its cursor's lock: the past is decided first, by a plan, whatever the change is (S1)."""

from collections.abc import Callable
from typing import Final, NamedTuple

from foliot.domain.fire import Cursor, CursorState, DueJob, Plan, PlannedSkip, SkipReason, kept
from foliot.domain.instants import Instant
from foliot.domain.job import LoadedJob
from foliot.domain.pacing import CatchUpPacer
from foliot.domain.planning import first_cursor, plan_delete, plan_edit, plan_pause, plan_resume
from foliot.store.sql.firing.record import record_change
from foliot.store.sql.firing_store import due_jobs
from foliot.store.sql.jobs.definitions import Definitions
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import Statement

LOCK: Final = Statement(
    """
    SELECT job_id, version, state, next_at, next_due_at, cursor_ver, remaining, skip_from, skip_reason,
           skip_why
    FROM cursors WHERE job_id = :job_id {for_update}
    """
)

_UNREADABLE: Final = "the version before could not be read, so its instants are not known"


class Change(NamedTuple):
    """What a person asked for: a plan of the job as it is, and one for a job whose definition cannot be planned."""

    plan: Callable[[DueJob, Instant], Plan]
    blind: Callable[[Cursor, Instant], Plan]


def lock(tx: Tx, job_id: int) -> Cursor:
    """The job's cursor, which nobody else changes until this transaction ends."""
    rows = tx.rows(LOCK, {"job_id": job_id})
    if not rows:
        raise TryAgain("the job is just being made")
    return Cursor(*rows[0])


def apply(tx: Tx, definitions: Definitions, cursor: Cursor, change: Change, *, version: int | None = None) -> Instant:
    """Decide and write the change to a locked cursor; store time of the decision."""
    now = tx.now()
    due, broken = due_jobs(tx, definitions, [cursor], with_lines=True)
    if broken:
        record_change(tx, now, cursor, change.blind(cursor, now), job=None, version=version)
        return now
    try:
        plan = change.plan(due[0], now)
    except Exception:  # noqa: BLE001  a job that cannot be planned can still be edited, paused, deleted
        plan = change.blind(cursor, now)
    record_change(tx, now, cursor, plan, job=due[0].job, version=version)
    tx.point("changing.recorded")
    return now


def edit(job: LoadedJob) -> Change:
    """The schedule goes on as the new version says."""

    def planned(due: DueJob, now: Instant) -> Plan:
        past = plan_edit(due, now)
        return first_cursor(job, now, edited=due, past=past)._replace(runs=past.runs, skips=past.skips)

    def blind(cursor: Cursor, now: Instant) -> Plan:
        plan = first_cursor(job, now)
        if cursor.state == CursorState.PAUSED:
            plan = plan._replace(state=CursorState.PAUSED, next_at=cursor.next_at)
        return plan._replace(skips=_unread(cursor, now, SkipReason.EDITED))

    return Change(planned, blind)


def pause(until: Instant | None) -> Change:
    """The schedule stands still, for good or until an instant."""

    def planned(due: DueJob, now: Instant) -> Plan:
        return plan_pause(due, now, until=until)

    def blind(cursor: Cursor, now: Instant) -> Plan:
        return kept(cursor)._replace(state=CursorState.PAUSED, next_at=until)

    return Change(planned, blind)


def resume(*, catch_up: bool, pacer: CatchUpPacer) -> Change:
    """The schedule goes on; what is caught up comes at a pace."""

    def planned(due: DueJob, now: Instant) -> Plan:
        return pacer.spread(plan_resume(due, now, catch_up), now)

    def blind(cursor: Cursor, now: Instant) -> Plan:
        return kept(cursor)._replace(state=CursorState.ACTIVE, next_at=now)  # firing looks, and flags it

    return Change(planned, blind)


def _delete_blindly(cursor: Cursor, now: Instant) -> Plan:
    return Plan(state=CursorState.DONE, skips=_unread(cursor, now, SkipReason.EDITED))


DELETE: Final = Change(plan_delete, _delete_blindly)
"""The schedule ends."""


def _unread(cursor: Cursor, now: Instant, reason: SkipReason) -> tuple[PlannedSkip, ...]:
    """The ledger's line about instants that nobody can name any more."""
    if cursor.next_due_at is None or cursor.next_due_at > now:
        return ()
    return (PlannedSkip(cursor.next_due_at, now, 0, reason, _UNREADABLE),)
