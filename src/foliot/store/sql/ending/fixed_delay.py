"""Fixed delay: the end of a job's scheduled run sets the next instant (design §3)."""

from collections.abc import Sequence
from typing import Any, Final

from foliot.domain.fire import CursorState
from foliot.domain.instants import Instant, ceil_to_second
from foliot.domain.job import LoadedJob
from foliot.store.sql.firing.follow import FIXED_DELAY
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement

SET_NEXT: Final = Statement(
    """
    UPDATE cursors SET state = d.state, next_at = d.next_at, next_due_at = d.next_due_at,
           cursor_ver = cursor_ver + 1
    FROM {d}
    WHERE cursors.job_id = d.job_id AND coalesce(cursors.next_at, -1) = -1 AND cursors.version = d.version
          AND cursors.state = 'active'
    """,
    RowSet("d", job_id=BIGINT, version=BIGINT, state=TEXT, next_at=BIGINT, next_due_at=BIGINT),
)
"""Only a cursor that waits for this end: a newer version, a pause or a next instant already set means it does not.
(`next_at IS NULL` in so many words would let a planner read every cursor that waits.)"""


WAIT_FOR: Final = Statement(
    f"""
    UPDATE runs SET follow = follow | {FIXED_DELAY}, ver = ver + 1
    WHERE {{line_job}} = :job_id AND state IN ('PENDING', 'RUNNING') AND shard = -1 AND place IS NOT NULL
          AND parent_id IS NULL AND fire_key >= 's:' AND fire_key < 's;' AND triggered_by IS NULL
          AND (follow & {FIXED_DELAY}) = 0
    """
)


def wait_for_open(tx: Tx, job_id: int) -> None:
    """The job has just got a fixed delay: the end of its open fires will set the next instant.

    A success that is just being written without a lock may pass this by; then the watchdog sets it.
    """
    tx.change(WAIT_FOR, {"job_id": job_id})


def set_next(tx: Tx, jobs: Sequence[LoadedJob], ended_at: Instant) -> int:
    """Set the next instant of these jobs, whose scheduled run ended now; how many waited for it in this version."""
    rows = [row for job in jobs if (row := _next_of(job, ended_at)) is not None]
    return tx.change(SET_NEXT, d=rows) if rows else 0


def _next_of(job: LoadedJob, ended_at: Instant) -> tuple[Any, ...] | None:
    schedule = job.definition.schedule
    if schedule is None or schedule.fixed_delay_us is None:
        return None
    due_at = ceil_to_second(ended_at + schedule.fixed_delay_us)
    if schedule.end_at is not None and due_at >= schedule.end_at:
        return (job.job_id, job.version, str(CursorState.DONE), None, None)
    return (job.job_id, job.version, str(CursorState.ACTIVE), schedule.wake_at(job.name, due_at), due_at)
