"""Reaping: sessions that fell silent are declared dead, and runs in hands that no longer answer find their end.

Only a leader in term does it (S10: nothing breaks when nobody does), only while ticks come regularly (R8), and every
write is guarded by the lease it takes away.
"""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from foliot.domain.instants import Instant, Micros
from foliot.domain.job import LoadedJob
from foliot.domain.verdict import Cause
from foliot.store.sql.cluster.beats import SETTLED_ALL, unknown, waiting_in
from foliot.store.sql.cluster.leadership import IN_TERM
from foliot.store.sql.ending.settlement import Claim
from foliot.store.sql.jobs.definitions import Definitions
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import TEXT, RowSet, Statement, keys

PAGES_MAX: Final = 10
EVER: Final[Instant] = 2**62

NO_AMNESTY: Final = """
    (SELECT CASE WHEN {now} >= m.reap_after AND 2 * ({now} - m.last_tick_at) <= :session_ttl
                 THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1) = 1
"""
"""Whether ticks come regularly: after a gap, or a jump of the clock, nobody is judged by the time that passed (R8)."""

DECLARE_DEAD: Final = Statement(
    f"""
    UPDATE nodes SET state = 'dead', ended_at = {{now}}
    WHERE state <> 'dead' AND until < {{now}} - :grace
      AND {NO_AMNESTY}
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
    SELECT r.id, r.lease_id, r.started_at, r.deadline_at, r.job_id, r.version, r.cancel_at, r.session_id
    FROM runs r
    WHERE r.state = 'RUNNING' AND r.{{held_by}} > '' AND r.deadline_at < {{now}} - :grace AND {IN_TERM}
          AND r.deadline_at < :before
          AND (r.deadline_at, r.id) > (:after_at, :after_id)
    ORDER BY r.deadline_at, r.id LIMIT :limit
    """
)
"""Runs in hands (parents of shards are in none) past their deadline; it reads the index of running ones alone."""

LAST_BEATS: Final = Statement(
    "SELECT n.id, n.last_beat_at, n.progress FROM nodes n WHERE n.id IN (SELECT d.id FROM {d})", RowSet("d", id=TEXT)
)


def declare_dead(tx: Tx, *, term: int, grace_us: Micros, session_ttl_us: Micros) -> int:
    """Declare silent sessions dead; how many."""
    return tx.change(DECLARE_DEAD, {"term": term, "grace": grace_us, "session_ttl": session_ttl_us})


def claims_of_the_dead(tx: Tx, *, term: int, limit: int) -> list[Claim]:
    """What is to be said of runs in dead hands, by run id."""
    return [_of_the_dead(*row) for row in tx.rows(OF_THE_DEAD, {"term": term, "limit": limit})]


class _Late(NamedTuple):
    """A run past its deadline: of its end when it has started, else of its start."""

    run_id: int
    lease_id: str
    started_at: Instant | None
    deadline_at: Instant
    job_id: int
    version: int
    cancel_at: Instant | None
    session: str


class _Beat(NamedTuple):
    """The last one of a session."""

    at: Instant
    progress: str | None  # what it said


class AnswerLimits(NamedTuple):
    """How long the store waits for a worker that does not answer."""

    grace_us: Micros
    session_ttl_us: Micros


def claims_of_the_late(
    tx: Tx, definitions: Definitions, *, term: int, limit: int, times: AnswerLimits, until: Instant = EVER
) -> list[Claim]:
    """What is to be said of runs past their deadline, by store time or the time believed in, whichever is earlier (R7).

    A started one has its job's own grace on top: its worker first asks it to stop, and may still report. A start is
    waited for until a beat could tell of it. Pages that hold only such runs are walked over.
    """
    after_at, after_id = 0, 0
    grace_us = times.grace_us
    for _ in range(PAGES_MAX):
        values = {"term": term, "limit": limit, "grace": grace_us, "after_at": after_at, "after_id": after_id}
        late = [_Late._make(row) for row in tx.tuples(LATE, values | {"before": until - grace_us})]
        if not late:
            return []
        jobs = definitions.find(tx, {(run.job_id, run.version) for run in late}).jobs
        beats = _last_beats(tx, {run.session for run in late if run.started_at is None})
        look = _Look(times, min(tx.now(), until), beats)
        claims = [claim for run in late if (claim := look.claim(run, jobs.get((run.job_id, run.version))))]
        if claims or len(late) < limit:
            return claims
        after_id, after_at = late[-1].run_id, late[-1].deadline_at
    return []


class _Look(NamedTuple):
    """What runs past their deadline are judged by."""

    times: AnswerLimits
    now: Instant
    beats: Mapping[str, _Beat]  # by session

    def claim(self, run: _Late, job: LoadedJob | None) -> Claim | None:
        """What is to be said of it; None: it has still time."""
        if run.started_at is None:
            if not self._is_start_missing(run):
                return None
            return Claim(run_id=run.run_id, lease_id=run.lease_id, cause=Cause.START_MISSING, started=True)
        own_grace_us = job.definition.grace_us if job is not None else 0
        if run.deadline_at + own_grace_us + self.times.grace_us >= self.now:
            return None
        return Claim(run_id=run.run_id, lease_id=run.lease_id, cause=Cause.OVERDUE, started=True)

    def _is_start_missing(self, run: _Late) -> bool:
        """Whether it was really not started in time.

        Starts are told by beats, which are seconds apart: one that came after the deadline must say that it has not
        started. What no beat says anything of is given up when a beat should have come long ago. Whoever asked for a
        cancel by force waits for neither.
        """
        beat = self.beats.get(run.session)
        if run.cancel_at is not None or beat is None:
            return True
        told_by = run.deadline_at + self.times.grace_us
        if told_by + self.times.session_ttl_us < self.now:
            return True
        return beat.at >= told_by and run.lease_id in _waiting_in(beat.progress)


def _last_beats(tx: Tx, sessions: Collection[str]) -> dict[str, _Beat]:
    """Asked only when a start is missing, so hardly ever."""
    rows = tx.found(LAST_BEATS, d=keys(sorted(sessions)))
    return {session: _Beat(at, progress) for session, at, progress in rows}


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
