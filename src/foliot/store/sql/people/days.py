"""Days: how a job's runs of each day ended, and how many instants were skipped, counted by the store.

The store knows no time zones that Foliot could rely on. It counts by the quarter of an hour: every zone of today begins
its days with one, so the caller adds them up to days.
"""

from collections.abc import Sequence
from typing import Final

from foliot.domain.instants import MINUTE, Instant
from foliot.ports.store.days import SKIPPED, Quarter, Quarters
from foliot.store.sql.firing.follow import is_no_test
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement

QUARTER_US: Final = 15 * MINUTE
LOOK_MAX: Final = 50_000
"""The newest runs of a job that are looked at, shards included: a run every minute for a month."""

# The inner statements walk an index and stop at their limits: a long history costs no more than a limited one.
ENDED: Final = Statement(
    f"""
    SELECT w.due_at {{div}} :quarter AS quarter, w.state, count(*) AS runs FROM (
      SELECT q.due_at, q.state, q.shard, q.parent_id, q.follow FROM runs q
      WHERE q.job_id = :job_id ORDER BY q.id DESC LIMIT :look
    ) w
    WHERE w.due_at >= :from_at AND w.due_at < :to_at AND w.shard = -1 AND w.parent_id IS NULL AND {is_no_test("w")}
    GROUP BY w.due_at {{div}} :quarter, w.state
    """
)
PASSED_OVER: Final = Statement(
    """
    SELECT w.to_at {div} :quarter AS quarter, sum(w.instants) AS instants FROM (
      SELECT to_at, count AS instants FROM skips
      WHERE job_id = :job_id AND to_at >= :from_at AND to_at < :to_at ORDER BY to_at DESC LIMIT :look
    ) w GROUP BY w.to_at {div} :quarter
    """
)
OLDEST_LOOKED_AT: Final = Statement(
    "SELECT due_at FROM runs WHERE job_id = :job_id ORDER BY id DESC LIMIT 1 OFFSET :look"
)


def quarters_of(tx: Tx, job_id: int, *, from_at: Instant, to_at: Instant, look: int = LOOK_MAX) -> Quarters:
    """Count the runs by due instant and state, and the skipped instants. A skipped range stands at its last instant."""
    asked = {"job_id": job_id, "from_at": from_at, "to_at": to_at, "quarter": QUARTER_US, "look": look}
    counted = [_quarter(row.quarter, row.state, row.runs) for row in tx.rows(ENDED, asked)]
    counted += [_quarter(row.quarter, SKIPPED, row.instants) for row in tx.rows(PASSED_OVER, asked)]
    older: Sequence[Instant] = [row.due_at for row in tx.rows(OLDEST_LOOKED_AT, {"job_id": job_id, "look": look})]
    return Quarters(items=counted, whole_since=older[0] if older else None)


def _quarter(number: int, outcome: str, instants: int) -> Quarter:
    return Quarter(from_at=int(number) * QUARTER_US, outcome=outcome, instants=int(instants))
