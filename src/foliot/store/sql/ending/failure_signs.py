"""Signs of runs that failed for good, for alerts: the end of a run leaves one, and the leader's round takes it away.

A batch without such a run leaves none and costs nothing. A shard's failure is its parent's, and a test is nobody's.
"""

from collections.abc import Iterable
from typing import Final

from foliot.domain.instants import Instant
from foliot.domain.run import RunState
from foliot.domain.verdict import End
from foliot.store.sql.ending.locked_runs import Seen
from foliot.store.sql.firing.follow import CHILD, MERGE, TRIAL
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement

LEAVE: Final = Statement(
    """
    {insert_ignore} failure_signs (run_id, job_id, at) SELECT d.run_id, d.job_id, :now FROM {d} WHERE true
    {ignore_duplicates}
    """,
    RowSet("d", run_id=BIGINT, job_id=BIGINT),
)
"""A run ends once, so a sign that is there is the same one."""


def deserves_a_sign(run: Seen, end: End) -> bool:
    """Whether people may want to hear of this end."""
    return end.state is RunState.FAILED and not run.follow & (CHILD | MERGE | TRIAL)


def leave(tx: Tx, failed: Iterable[Seen], now: Instant) -> None:
    """Write them down in the transaction that ends these runs."""
    rows = sorted((run.id, run.job_id) for run in failed)
    if rows:
        tx.change(LEAVE, {"now": now}, d=rows)
