"""The watchdog's hand on cursors: a fixed delay that waits for the end of a run that is not there gets going again."""

from typing import Final

from foliot.domain.fire import Cursor
from foliot.store.sql.database import Tx
from foliot.store.sql.definitions import Definitions
from foliot.store.sql.delays import set_next
from foliot.store.sql.firing import due_jobs
from foliot.store.sql.statement import Statement

WITHOUT_NEXT: Final = Statement(
    """
    SELECT job_id, version, state, next_at, next_due_at, cursor_ver, remaining, skip_from, skip_reason,
           skip_why
    FROM cursors WHERE next_at IS NULL AND job_id > :after AND state = 'active'
    ORDER BY next_at, job_id LIMIT :limit {skip_locked}
    """
)


def repair_delays(tx: Tx, definitions: Definitions, *, after: int, limit: int) -> tuple[int, int]:
    """Look at a stretch of cursors: (how many got a next instant, last job looked at or 0 at the end).

    Locked before the runs are read, so a run that is just being fired cannot be overlooked.
    """
    cursors = [Cursor(*row) for row in tx.rows(WITHOUT_NEXT, {"after": after, "limit": limit})]
    if not cursors:
        return 0, 0
    due, _ = due_jobs(tx, definitions, cursors)
    stuck = [
        item.job
        for item in due
        if item.job.definition.schedule is not None
        and item.job.definition.schedule.fixed_delay_us is not None
        and not item.seen.scheduled
    ]
    return set_next(tx, stuck, tx.now()), cursors[-1].job_id if len(cursors) == limit else 0
