"""Reaping: sessions that fell silent are declared dead, and runs in hands that no longer answer find their end.

Only a leader in term does it (S10: nothing breaks when nobody does), only while ticks come regularly (R8), and every
write is guarded by the lease it takes away.
"""

from functools import lru_cache
from typing import Any, Final

from foliot.domain.instants import Instant, Micros
from foliot.domain.job import LoadedJob
from foliot.domain.verdict import Cause
from foliot.store.sql.database import Tx
from foliot.store.sql.definitions import Definitions
from foliot.store.sql.leadership import IN_TERM
from foliot.store.sql.nodes import SETTLED_ALL, unknown, waiting_in
from foliot.store.sql.settlement import Claim
from foliot.store.sql.statement import Statement

PAGES_MAX: Final = 10
EVER: Final[Instant] = 2**62

DECLARE_DEAD: Final = Statement(
    f"""
    UPDATE nodes SET state = 'dead', ended_at = {{now}}
    WHERE state <> 'dead' AND until < {{now}} - :grace
      AND (SELECT CASE WHEN {{now}} >= m.reap_after AND 2 * ({{now}} - m.last_tick_at) <= :session_ttl
                       THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1) = 1
      AND {IN_TERM}
    """
)
"""Reap-1. The amnesty is part of the statement: until a tick has run after a gap, nobody is declared dead."""

OF_THE_DEAD: Final = Statement(
    f"""
    SELECT r.id, r.lease_id, r.request_no, r.started_at, n.settled, n.progress
    FROM nodes n JOIN runs r ON r.{{held_by}} = n.id AND r.state = 'RUNNING'
    WHERE n.state = 'dead' AND {IN_TERM}
    ORDER BY r.id LIMIT :limit
    """
)
"""Reap-2, also for runs that turn up under a session after its death (a lease that was under way)."""

LATE: Final = Statement(
    f"""
    SELECT r.id, r.lease_id, r.started_at, r.deadline_at, r.job_id, r.version
    FROM runs r
    WHERE r.state = 'RUNNING' AND r.{{held_by}} > '' AND r.deadline_at < {{now}} - :grace AND {IN_TERM}
          AND r.deadline_at < :before
          AND (r.deadline_at, r.id) > (:after_at, :after_id)
    ORDER BY r.deadline_at, r.id LIMIT :limit
    """
)
"""Runs in hands (parents of shards are in none) past their deadline; it reads the index of running ones alone."""


def declare_dead(tx: Tx, *, term: int, grace_us: Micros, session_ttl_us: Micros) -> int:
    """Declare silent sessions dead; how many."""
    return tx.change(DECLARE_DEAD, {"term": term, "grace": grace_us, "session_ttl": session_ttl_us})


def claims_of_the_dead(tx: Tx, *, term: int, limit: int) -> list[Claim]:
    """What is to be said of runs in dead hands, by run id."""
    return [_of_the_dead(*row) for row in tx.rows(OF_THE_DEAD, {"term": term, "limit": limit})]


def claims_of_the_late(
    tx: Tx, definitions: Definitions, *, term: int, limit: int, grace_us: Micros, until: Instant = EVER
) -> list[Claim]:
    """What is to be said of runs past their deadline, by store time or the time believed in, whichever is earlier (R7).

    A started one has its job's own grace on top: its worker first asks it to stop, and may still report. Pages that
    hold only such runs are walked over.
    """
    after_at, after_id = 0, 0
    for _ in range(PAGES_MAX):
        values = {"term": term, "limit": limit, "grace": grace_us, "after_at": after_at, "after_id": after_id}
        rows = tx.rows(LATE, values | {"before": until - grace_us})
        if not rows:
            return []
        jobs = definitions.find(tx, {(row[4], row[5]) for row in rows}).jobs
        now = min(tx.now(), until)
        claims = [claim for row in rows if (claim := _of_the_late(row, jobs.get((row[4], row[5])), grace_us, now))]
        if claims or len(rows) < limit:
            return claims
        after_id, after_at = rows[-1][0], rows[-1][3]
    return []


def _of_the_late(row: Any, job: LoadedJob | None, grace_us: Micros, now: Instant) -> Claim | None:
    run_id, lease_id, started_at, deadline_at, _, _ = row
    if started_at is None:
        return Claim(run_id=run_id, lease_id=lease_id, cause=Cause.START_MISSING, started=True)
    own_grace_us = job.definition.grace_us if job is not None else 0
    if deadline_at + own_grace_us + grace_us >= now:
        return None
    return Claim(run_id=run_id, lease_id=lease_id, cause=Cause.OVERDUE, started=True)


def _of_the_dead(
    run_id: int, lease_id: str, request_no: int, started_at: Instant | None, settled: int, progress: str | None
) -> Claim:
    """Only what the last beat named as not started counts as such; before its first beat a worker named nothing."""
    if settled == SETTLED_ALL:
        return unknown(run_id, lease_id, started_at)
    if started_at is None and lease_id in _waiting_in(progress):
        return Claim(run_id=run_id, lease_id=lease_id, cause=Cause.NEVER_STARTED, started=False)
    return Claim(run_id=run_id, lease_id=lease_id, cause=Cause.LOST, started=True)


_waiting_in = lru_cache(maxsize=64)(waiting_in)
