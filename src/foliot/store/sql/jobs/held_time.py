"""Held time in SQL: `paused` skips of versions that were edited during the pause, taken back by a catch-up."""

from collections.abc import Sequence
from typing import Any, Final

from foliot.domain.changes import Plans
from foliot.domain.fire import Cursor, CursorState, skip_key
from foliot.domain.held_time import HeldStretch, can_be_held
from foliot.domain.instants import Instant
from foliot.domain.schedule import Schedule
from foliot.store.sql.firing.record import record_change
from foliot.store.sql.firing_store import due_jobs
from foliot.store.sql.jobs.definitions import Definitions
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import TEXT, RowSet, Statement, keys

STRETCHES_MAX: Final = 200
"""Edits of one pause that are looked at, the newest; what lies before them stays skipped."""

HELD: Final = Statement(
    "SELECT fire_key, from_at, to_at, version FROM skips WHERE job_id = :job_id AND held = 1 "
    "ORDER BY to_at DESC LIMIT :rows"
)
TAKE_BACK: Final = Statement(
    "DELETE FROM skips WHERE job_id = :job_id AND held = 1 AND fire_key IN (SELECT d.fire_key FROM {d})",
    RowSet("d", fire_key=TEXT),
)
SHORTEN: Final = Statement(
    "UPDATE skips SET fire_key = :key, from_at = :from_at, count = :count "
    "WHERE job_id = :job_id AND held = 1 AND fire_key = :was"
)


def catch_up_held(tx: Tx, definitions: Definitions, cursor: Cursor, plans: Plans) -> bool | None:
    """Decide held time, as much as one plan covers; whether that resumed the job. None: it holds nothing."""
    if cursor.state != CursorState.PAUSED:
        return None
    rows = list(reversed(tx.rows(HELD, {"job_id": cursor.job_id, "rows": STRETCHES_MAX})))
    due, _ = due_jobs(tx, definitions, [cursor]) if rows else ([], [])
    if not due or not _can_hold(due[0].job.definition.schedule):
        return None
    rows, held = _known(tx, definitions, cursor, rows)
    if not held:
        return None
    now = tx.now()
    try:
        plan, undecided_from = plans.catch_up(due[0], held, now)
    except Exception:  # noqa: BLE001  a job that cannot be planned can still be resumed; what was held stays skipped
        return None
    _take_back(tx, cursor.job_id, rows, held, undecided_from)
    record_change(tx, now, cursor, plan, job=due[0].job)
    return plan.state != CursorState.PAUSED


def _can_hold(schedule: Schedule | None) -> bool:
    return schedule is not None and can_be_held(schedule)


def _known(
    tx: Tx, definitions: Definitions, cursor: Cursor, rows: Sequence[Any]
) -> tuple[list[Any], list[HeldStretch]]:
    """The stretches whose versions can be read; of the others nobody knows the instants, and they stay skipped."""
    jobs = definitions.find(tx, [(cursor.job_id, row.version) for row in rows]).jobs
    known, held = [], []
    for row in rows:
        job = jobs.get((cursor.job_id, row.version))
        schedule = job.definition.schedule if job is not None else None
        if schedule is not None:
            known.append(row)
            held.append(HeldStretch(schedule, row.from_at, row.to_at))
    return known, held


def _take_back(
    tx: Tx, job_id: int, rows: Sequence[Any], held: Sequence[HeldStretch], undecided_from: Instant | None
) -> None:
    """What was decided now is no longer skipped as paused; a stretch decided in part is shortened."""
    gone = [row.fire_key for row in rows if undecided_from is None or row.to_at < undecided_from]
    if gone:
        tx.change(TAKE_BACK, {"job_id": job_id}, d=keys(gone))
    if undecided_from is None:
        return
    for row, stretch in zip(rows, held, strict=True):
        if row.from_at < undecided_from <= row.to_at:
            count = stretch.schedule.count_between(undecided_from - 1, row.to_at)
            values = {"job_id": job_id, "was": row.fire_key, "key": skip_key(undecided_from)}
            tx.change(SHORTEN, {**values, "from_at": undecided_from, "count": count})
