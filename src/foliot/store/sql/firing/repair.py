"""The watchdog's hand on cursors: a fixed delay that waits for the end of a run that is not there gets going again.

It goes by `jobs.from_end`. 1: the job's version has a fixed delay. 0: it has none. NULL: a server that does not know
the column yet saved the job; the watchdog reads its definition.
"""

from typing import Final

from foliot.domain.fire import Cursor
from foliot.store.sql.cluster.leadership import UNDER_TERM, holds_term
from foliot.store.sql.ending.fixed_delay import set_next
from foliot.store.sql.firing_store import due_jobs
from foliot.store.sql.jobs.definitions import Definitions
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement, keys

WITHOUT_NEXT: Final = Statement(
    """
    SELECT j.id FROM jobs j JOIN cursors c ON c.job_id = j.id
    WHERE j.from_end = 1 AND j.id > :after AND coalesce(c.next_at, -1) = -1 AND c.state = 'active'
    ORDER BY j.from_end, j.id LIMIT :limit
    """
)
"""Only jobs with a fixed delay: those without a schedule, however many, have no next instant either.
(`next_at IS NULL` in so many words would let a planner begin with all of these.)"""

UNKNOWN: Final = Statement(
    "SELECT j.id FROM jobs j WHERE j.from_end IS NULL ORDER BY j.from_end, j.id LIMIT :limit {skip_locked}"
)

FROM_END: Final = '%"from_end":true%'
"""A document with a fixed delay. A parameter that looks like one does no harm: `repair_delays` reads the definition."""

LEARN: Final = Statement(
    """
    UPDATE jobs SET from_end = CASE WHEN EXISTS (
      SELECT 1 FROM job_versions v
      WHERE v.job_id = jobs.id AND v.version = jobs.version AND v.definition LIKE :marked) THEN 1 ELSE 0 END
    FROM {d}
    WHERE jobs.id = d.job_id
    """,
    RowSet("d", job_id=BIGINT),
)

LOCK: Final = Statement(
    f"""
    SELECT c.job_id, c.version, c.state, c.next_at, c.next_due_at, c.cursor_ver, c.remaining, c.skip_from,
           c.skip_reason, c.skip_why
    FROM cursors c WHERE c.job_id IN (SELECT d.job_id FROM {{d}}) AND c.next_at IS NULL AND c.state = 'active'
      AND {UNDER_TERM}
    ORDER BY c.job_id {{skip_locked}}
    """,
    RowSet("d", job_id=BIGINT),
)


def learn_delays(tx: Tx, *, limit: int, term: int | None) -> None:
    """Find out which of some jobs have a fixed delay, where it is not known.

    The rows are locked first: the second statement then sees the version that an edit just wrote.
    """
    found = tx.rows(UNKNOWN, {"limit": limit})
    if found and holds_term(tx, term):
        jobs = keys(row.id for row in found)
        tx.change(LEARN, {"marked": FROM_END}, d=jobs)


def repair_delays(tx: Tx, definitions: Definitions, *, after: int, limit: int, term: int | None) -> tuple[int, int]:
    """Look at a stretch of cursors: (how many got a next instant, last job looked at or 0 at the end).

    Locked before the runs are read, so a run that is just being fired cannot be overlooked.
    """
    rows = tx.rows(WITHOUT_NEXT, {"after": after, "limit": limit})
    found = [job_id for (job_id,) in rows]
    if not found:
        return 0, 0
    locked = tx.tuples(LOCK, {"term": term}, d=keys(found))
    cursors = [Cursor(*row) for row in locked]
    due, _ = due_jobs(tx, definitions, cursors)
    delayed = [item for item in due if item.job.definition.is_delayed]
    stuck = [item.job for item in delayed if not item.seen.scheduled]
    repaired = set_next(tx, stuck, tx.now())
    last_job = found[-1] if len(found) == limit else 0
    return repaired, last_job
