"""Strips: the latest runs of each of some jobs, in one statement for a whole page of jobs."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from foliot.ports.store.lookups import LastRun
from foliot.store.sql.firing.follow import is_no_test
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement, keys

# Each step goes from a run to the one before it of the same job, along the index of a job's runs. So a job with a
# million runs costs what one with twenty does. A window function would number all of them first.
STRIPS: Final = Statement(
    f"""
    WITH RECURSIVE walk (job_id, id, step) AS (
      SELECT d.job_id, (
        SELECT q.id FROM runs q
        WHERE q.job_id = d.job_id AND q.shard = -1 AND q.parent_id IS NULL AND {is_no_test("q")}
        ORDER BY q.id DESC LIMIT 1
      ), 1 FROM {{d}}
      UNION ALL
      SELECT w.job_id, (
        SELECT q.id FROM runs q
        WHERE q.job_id = w.job_id AND q.id < w.id AND q.shard = -1 AND q.parent_id IS NULL AND {is_no_test("q")}
        ORDER BY q.id DESC LIMIT 1
      ), w.step + 1 FROM walk w WHERE w.step < :length AND w.id IS NOT NULL
    )
    SELECT r.id, r.job_id, r.state, r.kind, r.created_at, r.started_at, r.ended_at, r.attempt, r.cancel_at
    FROM walk JOIN runs r ON r.id = walk.id
    """,
    RowSet("d", job_id=BIGINT),
)


def strips_of(tx: Tx, job_ids: Iterable[int], *, length: int) -> Mapping[int, Sequence[LastRun]]:
    """The latest runs of each job that are no tests, oldest first; a job that never ran has no entry."""
    strips: dict[int, list[LastRun]] = defaultdict(list)
    for row in tx.found(STRIPS, {"length": length}, d=keys(job_ids)):
        strips[row.job_id].append(_strip_run(row))
    for strip in strips.values():
        strip.sort(key=lambda run: run.run_id)
    return strips


def _strip_run(row: Any) -> LastRun:
    return LastRun(
        run_id=row.id,
        state=row.state,
        kind=row.kind,
        created_at=row.created_at,
        started_at=row.started_at,
        ended_at=row.ended_at,
        attempt=row.attempt,
        cancel_at=row.cancel_at,
    )
