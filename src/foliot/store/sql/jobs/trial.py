"""Tests of definitions that are not saved: a test run needs a job, so it gets one that nobody else meets.

The row of that job is a deleted one from its first instant on. No list shows it, its name is free, and its cursor never
moves: its one run is the test. What is kept of it is what is kept of every deleted job.
"""

from typing import Final

from foliot.domain.fire import CursorState, trial_key
from foliot.ports.store.runs import TriggerRequest
from foliot.store.sql.firing.new_runs import NewRun, insert_runs
from foliot.store.sql.jobs.written import INSERT_CURSOR, Written, insert_version, keep_limits, resolved
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import Statement

INSERT_JOB: Final = Statement(
    """
    {insert_ignore} jobs (namespace, name, deleted_at, version, source, created_at, updated_at, from_end)
    SELECT :namespace, :name, :deleted_at, 1, :source, :now, :now, 0 WHERE true
    {ignore_duplicates}
    """
)
LAST_DELETED: Final = Statement(
    "SELECT coalesce(max(deleted_at), 0) FROM jobs WHERE namespace = :namespace AND name = :name"
)
JOB_ID: Final = Statement(
    "SELECT id FROM jobs WHERE namespace = :namespace AND name = :name AND deleted_at = :deleted_at"
)
RUN_ID: Final = Statement("SELECT id FROM runs WHERE job_id = :job_id AND fire_key = :fire_key AND shard = -1")
PLACE: Final = 1  # the first in the line of its job, as `cursor_ver` of a new cursor is


def try_out(tx: Tx, written: Written, request: TriggerRequest) -> int:
    """Make the job and its run; the id of the run."""
    written = resolved(tx, written)
    now = tx.now()
    name = {"namespace": written.namespace, "name": written.name}
    last = int(tx.value(LAST_DELETED, name))
    key = {**name, "deleted_at": max(now, last + 1)}  # unique by it, also while the clock stands still
    if not tx.change(INSERT_JOB, {**key, "source": written.source, "now": now}):
        raise TryAgain("a job of this name was deleted in the same microsecond")
    job_id = int(tx.value(JOB_ID, key))
    job = insert_version(tx, written, job_id, 1)
    cursor = {"job_id": job_id, "state": str(CursorState.DONE)}
    tx.change(INSERT_CURSOR, {**cursor, "next_at": None, "next_due_at": None, "remaining": None})
    run = NewRun(
        job=job,
        fire_key=trial_key(request.key),
        due_at=now,
        not_before=now,
        place=PLACE,
        parked=False,
        serial=0,
        triggered_by=written.by.name,
        reason=written.by.reason or None,
        params=request.params,
        is_pinned=True,
        is_trial=True,
    )
    insert_runs(tx, now, [run])
    keep_limits(tx, written, job_id, before=written.document)  # as they are: a test changes no maximum
    return int(tx.value(RUN_ID, {"job_id": job_id, "fire_key": run.fire_key}))
