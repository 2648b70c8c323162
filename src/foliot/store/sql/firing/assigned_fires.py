"""Fires whose worker is known: runs are inserted as assigned, cursors go on with what their routes keep (R1, S1)."""

from collections.abc import Sequence
from typing import Any, Final

from foliot.domain.instants import Instant
from foliot.ports.store.assignment import ANYONE
from foliot.store.sql.firing.record import Recorded, fire_row, fresh
from foliot.store.sql.firing.run_shape import RunShape
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement
from foliot.store.sql.leasing.fire_routes import AssignedFire
from foliot.store.sql.leasing.route_step import ASSIGNED_FOR_US
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

_SHAPE: Final = {name: RunShape.column(name, of="d.shape") for name in RunShape._fields}

INSERT: Final = Statement(
    f"""
    {{insert_ignore}} runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                          parked, assigned_to, assigned_until, assigned_rank, follow, state, ver, created_at)
    SELECT d.job_id, d.version, d.fire_key, -1, d.due_at, d.not_before, {_SHAPE["lane"]}, 0, {_SHAPE["priority"]},
           {_SHAPE["serial"]}, d.place, 2, d.session,
           CASE WHEN d.session <> '{ANYONE}' THEN {{now}} + {ASSIGNED_FOR_US} END,
           d.not_before - ({_SHAPE["priority"]}) * {STEP_US}, {_SHAPE["follow"]}, 'PENDING', 1, :now
    FROM {{d}} WHERE true
    {{ignore_duplicates}}
    """,
    RowSet("d", job_id=BIGINT, version=BIGINT, fire_key=TEXT, due_at=BIGINT, not_before=BIGINT, place=BIGINT,
           shape=BIGINT, session=TEXT),
)  # fmt: skip
"""What all fires of a job have in common travels as one number (`RunShape`), as in `INSERT_RUNS`."""


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
        runs.append((*fire_row(fire.due.job, plan.runs[0], cursor.cursor_ver + 1), fire.session))
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
