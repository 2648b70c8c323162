"""Un-parking: the head of a serial job's line becomes visible to leasing. A hint, never a right (design §4)."""

from collections.abc import Iterable
from typing import Final

from foliot.store.sql.firing.follow import OWN
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement, keys

HEADS: Final = Statement(
    """
    SELECT h.id, h.state FROM runs h WHERE h.id IN (
      SELECT (SELECT r.id FROM runs r
              WHERE r.job_id = d.job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
              ORDER BY r.place, r.id LIMIT 1)
      FROM {d})
    """,
    RowSet("d", job_id=BIGINT),
    mysql="""
    SELECT h.id, h.state FROM {d} STRAIGHT_JOIN runs h ON h.id = (
      SELECT r.id FROM runs r WHERE r.line_job = d.job_id ORDER BY r.place, r.id LIMIT 1)
    """,
)
"""The head of each line; a scalar sub-select, so that a line of fifty thousand costs one row."""

PARKED: Final = Statement(
    """
    SELECT r.id, r.ver FROM runs r
    WHERE r.id IN (SELECT d.id FROM {d}) AND r.state = 'PENDING' AND r.parked = 1 AND r.place IS NOT NULL
    ORDER BY r.id {skip_locked}
    """,
    RowSet("d", id=BIGINT),
)

PARKED_SHARDS: Final = Statement(
    """
    SELECT r.id, r.ver FROM runs r
    WHERE r.parent_id IN (SELECT d.id FROM {d}) AND r.state = 'PENDING' AND r.parked = 1
    ORDER BY r.id {skip_locked}
    """,
    RowSet("d", id=BIGINT),
)

_IS_OWN: Final = f"(runs.follow & {OWN}) <> 0"
UNPARK: Final = Statement(
    f"""
    UPDATE runs SET parked = CASE WHEN {_IS_OWN} THEN 2 ELSE 0 END, ver = runs.ver + 1,
           assigned_to = CASE WHEN {_IS_OWN} THEN runs.session_id ELSE runs.assigned_to END,
           not_before = CASE WHEN runs.not_before < {{now}} THEN {{now}} ELSE runs.not_before END
    FROM {{d}}
    WHERE runs.id = d.id AND runs.ver = d.ver
    """,
    RowSet("d", id=BIGINT, ver=BIGINT),
)
"""What comes up is due now, however long it has waited: older than a scan's lower bound it would not be found (R9).

A shard that is one worker's own goes straight to that worker: nobody else need be there to ask.
"""


def unpark(tx: Tx, job_ids: Iterable[int]) -> int:
    """Un-park the heads of these jobs' lines, or the shards of a head that has some; how many runs.

    Rows that another transaction holds are passed over: waiting here could deadlock, and the sweep comes by again.
    """
    jobs = sorted(set(job_ids))
    if not jobs:
        return 0
    heads = tx.pairs(HEADS, d=keys(jobs))
    waiting = [run_id for run_id, state in heads.items() if state == "PENDING"]
    parents = [run_id for run_id, state in heads.items() if state == "RUNNING"]
    parked = tx.pairs(PARKED, d=keys(waiting)) | tx.pairs(PARKED_SHARDS, d=keys(parents))
    return tx.change(UNPARK, d=list(parked.items())) if parked else 0
