"""Changing one job under its cursor's lock: the past is decided first, by a plan, whatever the change is (S1)."""

from typing import Final

from foliot.domain.changes import Change
from foliot.domain.fire import Cursor
from foliot.domain.instants import Instant
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
