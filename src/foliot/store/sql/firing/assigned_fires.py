"""Fires whose worker is known: runs are inserted as assigned, cursors go on with what their routes keep (R1, S1)."""

from collections.abc import Sequence
from typing import Any, Final

from foliot.domain.instants import Instant
from foliot.store.sql.firing.follow import follow_of, serial_of
from foliot.store.sql.firing.record import Recorded, fresh
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement
from foliot.store.sql.leasing.fire_routes import AssignedFire
from foliot.store.sql.leasing.run_kinds import STEP_US

STEP: Final = Statement(
    """
    UPDATE cursors SET next_at = d.next_at, next_due_at = d.next_due_at, route_state = d.state,
           cursor_ver = cursor_ver + 1
    FROM {d}
    WHERE cursors.job_id = d.job_id AND cursors.cursor_ver = d.seen
    """,
    RowSet("d", job_id=BIGINT, seen=BIGINT, next_at=BIGINT, next_due_at=BIGINT, state=TEXT),
)

INSERT: Final = Statement(
    """
    {insert_ignore} runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                          parked, assigned_to, assigned_until, assigned_rank, follow, state, ver, created_at)
    SELECT d.job_id, d.version, d.fire_key, -1, d.due_at, d.not_before, d.lane, 0, d.priority, d.serial, d.place,
           2, d.session, d.until, d.rank_, d.follow, 'PENDING', 1, :now
    FROM {d} WHERE true
    {ignore_duplicates}
    """,
    RowSet("d", job_id=BIGINT, version=BIGINT, fire_key=TEXT, due_at=BIGINT, not_before=BIGINT, lane=BIGINT,
           priority=BIGINT, serial=BIGINT, place=BIGINT, session=TEXT, until=BIGINT, rank_=BIGINT, follow=BIGINT),
)  # fmt: skip


def record_assigned(tx: Tx, now: Instant, fires: Sequence[AssignedFire]) -> Recorded:
    """Write these fires. Every cursor must still be as it was seen, else nothing is written (`TryAgain`)."""
    steps: list[tuple[Any, ...]] = []
    runs: list[tuple[Any, ...]] = []
    lateness: list[int] = []
    wakes: list[Instant] = []
    for fire in fires:
        cursor, plan = fire.due.cursor, fire.plan
        next_at = fresh(plan.next_at, now)
        steps.append((cursor.job_id, cursor.cursor_ver, next_at, plan.next_due_at, fire.state))
        runs.append(_row(fire))
        lateness.append(now - (plan.runs[0].due_at if cursor.next_at is None else cursor.next_at))
        if next_at is not None:
            wakes.append(next_at)
    if tx.change(STEP, d=steps) != len(steps):
        raise TryAgain("a cursor moved although it was locked")
    tx.point("firing.cursors_moved")
    created = tx.change(INSERT, {"now": now}, d=runs)
    return Recorded(
        created=created,
        duplicates=len(runs) - created,
        lateness_us=tuple(lateness),
        next_at=min(wakes, default=None),
    )


def _row(fire: AssignedFire) -> tuple[Any, ...]:
    """A run, as `INSERT` takes it. Its place is the version that its cursor gets."""
    cursor, job, run = fire.due.cursor, fire.due.job, fire.plan.runs[0]
    priority = job.definition.priority
    return (
        job.job_id,
        job.version,
        run.fire_key,
        run.due_at,
        run.not_before,
        job.lane_id,
        priority,
        serial_of(job),
        cursor.cursor_ver + 1,
        fire.session,
        fire.until,
        run.not_before - priority * STEP_US,
        follow_of(job, scheduled=True),
    )
