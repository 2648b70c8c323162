"""Failures that the store itself can see: sessions that died or came back, runs that overran, a clock in doubt.

A session that is declared dead looks like a crash. When the same session is heard of again, its process was alive all
along: it was cut off or stopped, so its occurrence becomes a network partition. Its late reports are refused anyway.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from foliot.domain.failover import (
    RUNS_MAX,
    Affected,
    Detected,
    FailoverAction,
    FailoverEnd,
    FailoverOutcome,
    FailoverType,
)
from foliot.domain.instants import MINUTE, Micros
from foliot.store.sql.cluster.beats import SETTLED_ALL
from foliot.store.sql.cluster.failover_rows import OF_KEYS, detect, end, json_text
from foliot.store.sql.cluster.roles import seen_servers
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys

DIED_WITHIN_US: Final[Micros] = 5 * MINUTE
DEATHS_MAX: Final = 200
CLOCK: Final = "clock"

NEWLY_DEAD: Final = Statement(
    """
    SELECT n.id, n.name, n.kind, n.last_beat_at, n.ended_at FROM nodes n
    WHERE n.state = 'dead' AND n.ended_at >= {now} - :look_back AND n.settled <> :settled_all
    ORDER BY n.id LIMIT :rows
    """
)
"""What left in peace has settled everything."""

HELD_COUNT: Final = Statement(
    """
    SELECT d.id, count(*) FROM {d} JOIN runs r ON r.{held_by} = d.id AND r.state = 'RUNNING' GROUP BY d.id
    """,
    RowSet("d", id=TEXT),
)
HELD_RUNS: Final = Statement(
    """
    SELECT d.id AS session, r.id, j.name FROM {d} JOIN runs r ON r.{held_by} = d.id AND r.state = 'RUNNING'
    JOIN jobs j ON j.id = r.job_id ORDER BY r.id LIMIT :rows
    """,
    RowSet("d", id=TEXT),
)
OPEN_DEATHS: Final = Statement(
    """
    SELECT f.id, f.occurrence, f.type, f.affected FROM failovers f
    WHERE f.ended_at IS NULL AND f.type IN ('worker_crash', 'server_crash', 'network_partition')
    ORDER BY f.id LIMIT :rows
    """
)
PROMOTED: Final = Statement(
    "SELECT n.promoted_for, n.name, n.role_at FROM nodes n WHERE n.promoted_for IN (SELECT d.id FROM {d})",
    RowSet("d", id=TEXT),
)
FATES: Final = Statement(
    "SELECT r.id, r.state, r.kind FROM runs r WHERE r.id IN (SELECT d.id FROM {d})", RowSet("d", id=BIGINT)
)
DEATH: Final = Statement(
    """
    SELECT f.id, f.ver, f.evidence FROM failovers f
    WHERE f.occurrence = :key AND f.type IN ('worker_crash', 'server_crash')
      AND (:owner = '' OR EXISTS (SELECT 1 FROM nodes n WHERE n.id = :session AND n.owner = :owner))
    """
)
CAME_BACK: Final = Statement(
    """
    UPDATE failovers SET ver = ver + 1, type = 'network_partition', evidence = :evidence
    WHERE id = :id AND ver = :ver
    """
)
JOBS_OF: Final = Statement(
    """
    SELECT r.id, r.job_id, j.namespace, j.name,
           (SELECT max(a.ended_at) FROM attempts a WHERE a.run_id = r.id) AS overran_at
    FROM runs r JOIN jobs j ON j.id = r.job_id WHERE r.id IN (SELECT d.id FROM {d})
    """,
    RowSet("d", id=BIGINT),
)
OPEN_CLOCK: Final = Statement("SELECT f.id FROM failovers f WHERE f.occurrence = :key AND f.ended_at IS NULL")


def session_key(session: str) -> str:
    """The key of the one death of a session."""
    return f"session:{session}"


# ------------------------------------------------------------------------------------------------------------- deaths


def note_deaths(tx: Tx, *, term: int) -> int:
    """Open an occurrence for each session that was declared dead lately, with the runs that it still has; how many."""
    values = {"look_back": DIED_WITHIN_US, "settled_all": SETTLED_ALL, "rows": DEATHS_MAX}
    dead = {session_key(row.id): row for row in tx.rows(NEWLY_DEAD, values)}
    if not dead:
        return 0
    for row in tx.rows(OF_KEYS, d=keys(sorted(dead))):
        del dead[row.occurrence]
    affected = _held_by(tx, sorted(row.id for row in dead.values()))
    seen = [_death(row, affected[row.id]) for row in dead.values()]
    return detect(tx, seen=seen, term=term)


def end_deaths(tx: Tx, *, term: int) -> int:
    """Close the deaths of sessions that have no running run any more; how many.

    The death of a server goes on while a standby is to be promoted.
    """
    over = _deaths_over(tx)
    affected = {row.id: msgspec.json.decode(row.affected, type=Affected) for row in over}
    lost = _lost_of(tx, affected.values())
    ends = {id_: _death_over(id_, one, lost) for id_, one in affected.items()}
    return end(tx, ends=_with_promotions(tx, over, ends), term=term)


def came_back(tx: Tx, session: str, *, owner: str = "") -> bool:
    """A session that was given up is heard of again; whether that is news. `owner`: of the token that speaks for it."""
    rows = tx.rows(DEATH, {"key": session_key(session), "session": session, "owner": owner})
    if not rows:
        return False
    (row,) = rows
    evidence = {**msgspec.json.decode(row.evidence), "came_back_at": tx.now()}
    values = {"id": row.id, "ver": row.ver, "evidence": json_text(evidence)}
    return tx.change(CAME_BACK, values) == 1


def _held_by(tx: Tx, sessions: Sequence[str]) -> Mapping[str, Affected]:
    """The running runs of these sessions: all are counted, some are named."""
    counts = tx.pairs(HELD_COUNT, d=keys(sessions))
    found = {session: Affected(runs=counts.get(session, 0)) for session in sessions}
    rows = tx.found(HELD_RUNS, {"rows": RUNS_MAX}, d=keys(sorted(counts)))
    for session, run_id, job in rows:
        one = Affected(run_ids=(run_id,), jobs=(job,))
        found[session] = found[session].with_more(one)
    return found


def _death(row: Any, affected: Affected) -> Detected:
    is_server = row.kind == "server"
    return Detected(
        key=session_key(row.id),
        type=FailoverType.SERVER_CRASH if is_server else FailoverType.WORKER_CRASH,
        subject=row.name,
        began_at=row.last_beat_at,
        detected_at=row.ended_at,
        evidence={"silent_us": max(0, row.ended_at - row.last_beat_at)},
        affected=affected,
    )


def _deaths_over(tx: Tx) -> Sequence[Any]:
    """The open deaths whose session has no running run any more."""
    open_ = tx.rows(OPEN_DEATHS, {"rows": DEATHS_MAX})
    at_work = tx.pairs(HELD_COUNT, d=keys(sorted(map(_session_of, open_))))
    return [row for row in open_ if _session_of(row) not in at_work]


def _session_of(row: Any) -> str:
    """The session that an occurrence is about."""
    return str(row.occurrence).partition(":")[2]


def _with_promotions(tx: Tx, over: Sequence[Any], ends: Mapping[int, FailoverEnd]) -> list[FailoverEnd]:
    """The ends with the standbys that took the place of dead servers; without those that still wait for one."""
    servers = {_session_of(row): row.id for row in over if row.type == FailoverType.SERVER_CRASH}
    if not servers:
        return list(ends.values())
    promoted = {row.promoted_for: row for row in tx.rows(PROMOTED, d=keys(sorted(servers)))}
    found = dict(ends)
    is_waiting = len(promoted) < len(servers) and seen_servers(tx).next_active is not None
    for session, id_ in servers.items():
        if session in promoted:
            found[id_] = _by_promotion(ends[id_], promoted[session])
        elif is_waiting:
            del found[id_]
    return list(found.values())


def _by_promotion(ended: FailoverEnd, promoted: Any) -> FailoverEnd:
    """The failure ended when the standby became active."""
    done = {**ended.done, "promoted": promoted.name}
    return replace(ended, done=done, ended_at=promoted.role_at, action=FailoverAction.PROMOTE_STANDBY)


def _lost_of(tx: Tx, affected: Iterable[Affected]) -> frozenset[int]:
    """The runs that ended with their worker, of all deaths together."""
    run_ids = {run_id for one in affected for run_id in one.run_ids}
    fates = tx.found(FATES, d=keys(sorted(run_ids)))
    return frozenset(fate.id for fate in fates if fate.state == "FAILED" and fate.kind in ("lost", "poison"))


def _death_over(failover_id: int, affected: Affected, lost_runs: Collection[int]) -> FailoverEnd:
    """What became of the runs: they went to other workers, or they are lost."""
    lost = sum(run_id in lost_runs for run_id in affected.run_ids)
    done = {"returned": affected.runs - lost, "lost": lost} if affected.runs else {}
    outcome = FailoverOutcome.LOSSES if lost else FailoverOutcome.RECOVERED
    return FailoverEnd(id=failover_id, outcome=outcome, done=done)


# ------------------------------------------------------------------------------------------------- runs, locks, clock


def note_timeouts(tx: Tx, *, run_ids: Sequence[int], session: str = "", term: int | None = None) -> int:
    """Runs overran their time and were ended: one open occurrence a job; how many are new."""
    by_job: dict[int, list[Any]] = defaultdict(list)
    for row in tx.rows(JOBS_OF, d=keys(sorted(set(run_ids)))):
        by_job[row.job_id].append(row)
    seen = [_overrun(job_id, rows, session) for job_id, rows in by_job.items()]
    return detect(tx, seen=seen, term=term)


def note_deadlocks(tx: Tx, seen: Sequence[Detected], *, term: int | None = None) -> None:
    """Deadlocks that this transaction ends."""
    detect(tx, seen=seen, term=term)
    rows = tx.rows(OF_KEYS, d=keys(sorted(one.key for one in seen)))
    end(tx, ends=[FailoverEnd(id=row.id, done={"waits_ended": 1}) for row in rows], term=term)


def note_clock(tx: Tx, *, ahead_us: Micros) -> None:
    """The store's clock is in doubt. The times of the occurrence are those that most servers believe in."""
    believed = tx.now() - ahead_us
    seen = Detected(
        key=CLOCK,
        type=FailoverType.CLOCK_STEP,
        subject="store",
        began_at=believed,
        detected_at=believed,
        evidence={"ahead_us": ahead_us},
    )
    detect(tx, seen=[seen])


def end_clock(tx: Tx, *, is_trusted: bool) -> None:
    """The doubt is over: the clock is right again, or a user said that it is."""
    rows = tx.rows(OPEN_CLOCK, {"key": CLOCK})
    end(tx, ends=[FailoverEnd(id=row.id, done={"trusted": is_trusted}) for row in rows])


def _overrun(job_id: int, rows: Sequence[Any], session: str) -> Detected:
    return Detected(
        key=f"timeout:{job_id}",
        type=FailoverType.RUN_TIMEOUT,
        subject=rows[0].name,
        namespace=rows[0].namespace,
        began_at=min((row.overran_at for row in rows if row.overran_at is not None), default=None),
        evidence={"runs": len(rows)},
        affected=Affected(runs=len(rows), run_ids=tuple(row.id for row in rows), jobs=(rows[0].name,)),
        attempts=len(rows),
        session=session,
    )
