"""Setting cursors right after the store's clock was ahead: what was decided for instants to come is taken back.

By the right time those decisions were early (S3). A skip of instants to come is shortened or taken away, a run that
waits for one is cancelled; a run that was made and begun stays, and its key keeps its instant from a second one (S1).
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.fire import Cursor, DueJob, schedule_key
from foliot.domain.instants import Instant
from foliot.domain.policies.retry import PAUSE_MAX
from foliot.domain.rescheduling import Stand, is_ahead, plan_reschedule
from foliot.ports.rescheduling import AheadJob, Rescheduled
from foliot.store.sql.database import Tx
from foliot.store.sql.definitions import Definitions
from foliot.store.sql.ending import Ending
from foliot.store.sql.firing import due_jobs
from foliot.store.sql.record import record_change
from foliot.store.sql.settlement import Quit
from foliot.store.sql.statement import Statement

RUNS_MAX: Final = 1000  # of one transaction
SPANNING_MAX: Final = 10
EARLY: Final = "Its instant has not come; the schedule was set right after the store's clock was ahead."

_AHEAD: Final = """
    SELECT c.job_id, c.version, c.state, c.next_at, c.next_due_at, c.remaining, j.namespace, j.name
    FROM cursors c JOIN jobs j ON j.id = c.job_id AND j.deleted_at = 0
"""
STANDING: Final = Statement(
    f"{_AHEAD} WHERE c.job_id > :after AND j.namespace = :namespace ORDER BY c.job_id LIMIT :limit"
)
FARTHEST: Final = Statement(
    f"{_AHEAD} WHERE c.next_at > {{now}} AND c.state = 'active' ORDER BY c.next_at DESC, c.job_id DESC LIMIT :limit"
)

SKIPPED_EARLY: Final = Statement(
    "SELECT coalesce(sum(count), 0) FROM skips WHERE job_id = :job_id AND to_at > :now AND from_at > :now"
)
TAKE_BACK: Final = Statement("DELETE FROM skips WHERE job_id = :job_id AND to_at > :now AND from_at > :now")
SPANNING: Final = Statement(
    "SELECT id, from_at, count AS instants, version FROM skips "
    "WHERE job_id = :job_id AND to_at > :now AND from_at <= :now ORDER BY to_at LIMIT :rows"
)
SHORTEN: Final = Statement("UPDATE skips SET to_at = :to_at, count = :count WHERE id = :id AND to_at > :to_at")

RUNS_EARLY: Final = Statement(
    """
    SELECT r.id, r.ver FROM runs r
    WHERE r.{line_job} = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
          AND r.state = 'PENDING' AND r.parent_id IS NULL
          AND r.due_at > :now AND r.not_before > :now AND r.fire_key >= :low AND r.fire_key < :high
    ORDER BY r.place, r.id LIMIT :limit
    """
)
SHARDS_EARLY: Final = Statement(
    """
    SELECT r.id, r.ver FROM runs r
    WHERE r.parent_id IN (
            SELECT p.id FROM runs p
            WHERE p.{line_job} = :job_id AND p.state IN ('PENDING', 'RUNNING') AND p.shard = -1 AND p.open_children > 0
                  AND p.due_at > :now AND p.not_before > :now AND p.fire_key >= :low AND p.fire_key < :high
                  AND NOT EXISTS (SELECT 1 FROM runs c WHERE c.parent_id = p.id AND c.attempt > 0))
          AND r.shard >= 0 AND r.state = 'PENDING'
    ORDER BY r.id LIMIT :limit
    """
)
RETRIES_EARLY: Final = Statement(
    """
    SELECT r.id FROM runs r
    WHERE r.{line_job} = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
          AND r.state = 'PENDING' AND r.attempt > 0 AND r.due_at <= :now AND r.not_before > :soon
    ORDER BY r.place, r.id LIMIT :limit
    """
)
RETRY_NOW: Final = Statement(
    "UPDATE runs SET not_before = :now, ver = ver + 1 WHERE id = :id AND state = 'PENDING' AND not_before > :soon"
)


class _Early(NamedTuple):
    """What was decided for instants to come."""

    instants: int
    spanning: Sequence[Any]
    runs: Sequence[tuple[int, int]]
    retries: Sequence[int]


def reschedule(tx: Tx, definitions: Definitions, ending: Ending, cursor: Cursor, *, dry_run: bool) -> Rescheduled:
    """Set a locked cursor right, of which nothing is due any more. `dry_run`: say what that would do."""
    due, broken = due_jobs(tx, definitions, [cursor])
    if broken:
        raise broken[0][1]
    now = tx.now()
    plan = plan_reschedule(due[0], now)
    before = _stand(cursor)
    after = Stand(str(plan.state), plan.next_at, plan.next_due_at, plan.remaining)
    early = _early(tx, cursor.job_id, now)
    given_back = early.instants + _take_back(tx, definitions, due[0], early, now, dry_run=dry_run)
    if not dry_run:
        if after != before:
            record_change(tx, now, cursor, plan, job=due[0].job, version=cursor.version)
        _end_early(tx, ending, early, now)
    return Rescheduled(
        now=now, before=before, after=after, instants=given_back, runs=len(early.runs), retries=len(early.retries)
    )


def standing_ahead(
    tx: Tx, definitions: Definitions, *, namespace: str, after: int, limit: int
) -> tuple[list[AheadJob], int | None]:
    """Of the next jobs of a namespace those that stand ahead of their schedules; the last one looked at, None: all."""
    rows = tx.rows(STANDING, {"namespace": namespace, "after": after, "limit": limit})
    return _ahead(tx, definitions, rows), rows[-1].job_id if len(rows) == limit else None


def farthest_ahead(tx: Tx, definitions: Definitions, *, limit: int) -> list[AheadJob]:
    """Of the jobs whose next fire is farthest those that stand ahead of their schedules."""
    return _ahead(tx, definitions, tx.rows(FARTHEST, {"limit": limit}))


def _ahead(tx: Tx, definitions: Definitions, rows: Sequence[Any]) -> list[AheadJob]:
    jobs = definitions.find(tx, [(row.job_id, row.version) for row in rows]).jobs
    now = tx.now()
    found = []
    for row in rows:
        job = jobs.get((row.job_id, row.version))
        stand = Stand(row.state, row.next_at, row.next_due_at, row.remaining)
        if job is not None and is_ahead(stand, job, now):
            group = job.definition.group
            found.append(AheadJob(namespace=row.namespace, name=row.name, group=group, next_due_at=row.next_due_at))
    return found


def _stand(cursor: Cursor) -> Stand:
    return Stand(cursor.state, cursor.next_at, cursor.next_due_at, cursor.remaining)


# -------------------------------------------------------------------------------------------------- early decisions


def _early(tx: Tx, job_id: int, now: Instant) -> _Early:
    values = {"job_id": job_id, "now": now}
    keys = {"low": schedule_key(now), "high": "s;", "limit": RUNS_MAX}
    runs = [(row.id, row.ver) for walk in (RUNS_EARLY, SHARDS_EARLY) for row in tx.rows(walk, {**values, **keys})]
    soon = {"soon": now + PAUSE_MAX, "limit": RUNS_MAX}
    return _Early(
        instants=int(tx.rows(SKIPPED_EARLY, values)[0][0]),
        spanning=tx.rows(SPANNING, {**values, "rows": SPANNING_MAX}),
        runs=runs,
        retries=[row.id for row in tx.rows(RETRIES_EARLY, {**values, **soon})],
    )


def _take_back(tx: Tx, definitions: Definitions, due: DueJob, early: _Early, now: Instant, *, dry_run: bool) -> int:
    """Skips of instants to come go; one that began before now is shortened. How many instants were cut off those."""
    job_id = due.cursor.job_id
    jobs = definitions.find(tx, [(job_id, row.version) for row in early.spanning]).jobs
    cut_off = 0
    for row in early.spanning:
        job = jobs.get((job_id, row.version))
        schedule = job.definition.schedule if job is not None else None
        last = schedule.previous_before(now + 1) if schedule is not None else None
        to_at = now if last is None or last < row.from_at else last
        count = schedule.count_between(row.from_at - 1, to_at) if schedule is not None else row.instants
        cut_off += max(0, row.instants - count)
        if not dry_run:
            tx.change(SHORTEN, {"id": row.id, "to_at": to_at, "count": count})
    if early.instants and not dry_run:
        tx.change(TAKE_BACK, {"job_id": job_id, "now": now})
    return cut_off


def _end_early(tx: Tx, ending: Ending, early: _Early, now: Instant) -> None:
    """Runs that wait for instants to come end; retries that wait for years are due now."""
    if early.runs:
        ending.quit_in(tx, [Quit(run_id, ver, EARLY) for run_id, ver in early.runs], carefully=True)
    for run_id in early.retries:
        tx.change(RETRY_NOW, {"id": run_id, "now": now, "soon": now + PAUSE_MAX})
