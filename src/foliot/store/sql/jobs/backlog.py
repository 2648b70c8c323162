"""Before a change: what is due is decided as firing does it, so that the misfire policy and the pace hold (S1, R10).

One transaction decides a bounded part. While more is due, the change commits that part, changes nothing else and begins
again (`in_rounds`), so that an outage just before an edit or a pause costs no instant its run.
"""

from collections.abc import Callable
from typing import Final, TypeVar

from foliot.domain.fire import Cursor, CursorState, Decide
from foliot.domain.instants import Instant
from foliot.store.sql.firing.record import record_carefully
from foliot.store.sql.firing_store import due_jobs
from foliot.store.sql.jobs.change import lock
from foliot.store.sql.jobs.definitions import Definitions
from foliot.store.sql.kernel.database import Database, Pool, Tx

ROUNDS_MAX: Final = 50
"""Enough for every job that is not sharded; what is left of another is skipped by the change, which says so."""

T = TypeVar("T")


async def in_rounds(database: Database, work: Callable[[Tx, bool], T | None]) -> T:
    """Repeat a transaction until it answers. It is told when it must: in the last round."""
    for left in reversed(range(ROUNDS_MAX)):
        answer = await database.transact(lambda tx, is_last=left == 0: work(tx, is_last), pool=Pool.API)  # type: ignore[misc]
        if answer is not None:
            return answer
    raise AssertionError("the last round answers")


def settle(tx: Tx, definitions: Definitions, cursor: Cursor, decide: Decide) -> tuple[Cursor, bool]:
    """Decide what is due on a locked cursor; the cursor after that, and whether nothing more is due.

    Of a job that cannot be planned nothing is decided: the change may be what mends it.
    """
    now = tx.now()
    if not _is_due(cursor, now):
        return cursor, True
    due, broken = due_jobs(tx, definitions, [cursor._replace(next_at=now)])  # also what trouble put off
    if broken:
        return cursor, True
    plan = decide(now, due)[0]
    if plan.trouble is not None:
        return cursor, True
    record_carefully(tx, now, due, [plan], flagged=frozenset({cursor.job_id}))
    tx.point("changing.settled")
    return lock(tx, cursor.job_id), plan.next_at is None or plan.next_at > now


def _is_due(cursor: Cursor, now: Instant) -> bool:
    """Whether an instant may be undecided: one that has come, or the end of a pause."""
    if cursor.next_at is None or cursor.state == CursorState.DONE:
        return False
    if cursor.state == CursorState.PAUSED:
        return cursor.next_at <= now
    return cursor.next_due_at is not None and cursor.next_due_at <= now
