"""After a delete: what waits of the job ends, in small steps; what is in progress, with all its shards, finishes.

`jobs.moving` of a deleted job says that something may still wait. It is cleared when a look finds nothing more; until
then the watchdog goes on where a server stopped.
"""

from functools import partial
from typing import Final

from foliot.store.sql.ending.ends import Ending
from foliot.store.sql.ending.settlement import Quit
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.kernel.statement import Statement

STEP_MAX: Final = 1000
ROUNDS_MAX: Final = 3
DELETED: Final = "The job was deleted."

FOR_LATER: Final = Statement(
    """
    SELECT r.id, r.ver, r.id FROM runs r
    WHERE r.job_id = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
          AND r.place IS NULL AND r.id > :after AND r.state = 'PENDING'
    ORDER BY r.id LIMIT :limit
    """,
    mysql="""
    SELECT r.id, r.ver, r.id FROM runs r FORCE INDEX (runs_later)
    WHERE r.waits = 2 AND r.job_id = :job_id AND r.shard = -1 AND r.id > :after
    ORDER BY r.id LIMIT :limit
    """,
)
IN_LINE: Final = Statement(
    """
    SELECT r.id, r.ver, r.place FROM runs r
    WHERE r.{line_job} = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
          AND r.place > :after AND r.state = 'PENDING' AND r.parent_id IS NULL
    ORDER BY r.place, r.id LIMIT :limit
    """
)
SHARDS: Final = Statement(
    """
    SELECT r.id, r.ver, r.id FROM runs r
    WHERE r.parent_id IN (
            SELECT p.id FROM runs p
            WHERE p.{line_job} = :job_id AND p.state IN ('PENDING', 'RUNNING') AND p.shard = -1 AND p.open_children > 0
                  AND NOT EXISTS (SELECT 1 FROM runs c WHERE c.parent_id = p.id AND c.attempt > 0))
          AND r.shard >= 0 AND r.id > :after AND r.state = 'PENDING'
    ORDER BY r.id LIMIT :limit
    """
)
WALKS: Final = (FOR_LATER, IN_LINE, SHARDS)
"""In the order a run goes: one that gets its place, or is cut into shards, meanwhile is met again further on."""

CLEARED: Final = Statement("UPDATE jobs SET moving = NULL WHERE id = :job_id AND deleted_at > 0")


async def end_waiting(
    database: Database, ending: Ending, job_id: int, *, pool: Pool = Pool.CONTROL, step_max: int = STEP_MAX
) -> int:
    """End what waits of a deleted job, in transactions of at most `step_max` runs; how many ended."""
    ended = 0
    for _ in range(ROUNDS_MAX):
        for walk in WALKS:
            after: int | None = 0
            while after is not None:
                step = partial(_step, ending=ending, job_id=job_id, walk=walk, after=after, limit=step_max)
                count, after = await database.transact(step, pool=pool)
                ended += count
        if await database.transact(partial(_is_clear, job_id=job_id), pool=pool):
            break
    return ended


def _step(tx: Tx, *, ending: Ending, job_id: int, walk: Statement, after: int, limit: int) -> tuple[int, int | None]:
    """Those of the next runs that still wait when nobody else holds them; whoever is leased first is in progress."""
    waiting = tx.rows(walk, {"job_id": job_id, "after": after, "limit": limit})
    if not waiting:
        return 0, None
    quits = [Quit(run_id, ver, DELETED) for run_id, ver, _ in waiting]
    ended = ending.quit_in(tx, quits, carefully=True)
    _, _, last = waiting[-1]
    after_last = last if len(waiting) == limit else None
    return len(ended), after_last


def _is_clear(tx: Tx, *, job_id: int) -> bool:
    """Whether nothing waits any more; then that is noted."""
    if any(tx.rows(walk, {"job_id": job_id, "after": 0, "limit": 1}) for walk in WALKS):
        return False
    tx.change(CLEARED, {"job_id": job_id})
    return True
