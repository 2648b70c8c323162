"""A page of the ledger for `why`: what became of many instants of a job, with what explains each, set-based."""

from collections.abc import Mapping, Sequence
from typing import Final

from foliot.domain.fire import SkipReason
from foliot.domain.instants import Instant
from foliot.domain.job import Lane
from foliot.domain.run import RunState
from foliot.ports.store.lookups import (
    AttemptRow,
    LedgerPage,
    LimitRow,
    RunRow,
    SkipRow,
    VersionRow,
    Waiting,
    is_sharded,
)
from foliot.store.sql.jobs.definitions import lane_from
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement
from foliot.store.sql.people.job_reads import version_row
from foliot.store.sql.people.ledger_reads import LINE, fired, in_front_of, limits_of
from foliot.store.sql.people.run_reads import RUN_COLUMNS, RUN_JOINS, attempt_row, run_row

OBSTACLES_MAX: Final = 500  # runs looked through for the one that was in the way of a skipped instant
OBSTACLE_LOOK_MAX: Final = 20_000  # rows walked over for them: most are shards

VERSIONS_AMONG: Final = Statement(
    "SELECT v.version, v.hash, v.definition, v.created_at, v.created_by, v.reason FROM {d} "
    "JOIN job_versions v ON v.job_id = :job_id AND v.version = d.version",
    RowSet("d", version=BIGINT),
)
LAST_TRIES: Final = Statement(
    "SELECT a.run_id, a.attempt, a.cause, n.name AS node, a.session_id, a.fence, a.leased_at, a.started_at, "
    "a.ended_at, a.error, a.error_type FROM {d} JOIN attempts a ON a.run_id = d.run_id "
    "LEFT JOIN nodes n ON n.id = a.session_id "
    "WHERE a.attempt = (SELECT max(b.attempt) FROM attempts b WHERE b.run_id = d.run_id)",
    RowSet("d", run_id=BIGINT),
)
SHARD_STATES: Final = Statement(
    "SELECT r.parent_id, r.state, count(*) AS runs FROM {d} JOIN runs r ON r.parent_id = d.run_id "
    "WHERE r.shard >= 0 GROUP BY r.parent_id, r.state",
    RowSet("d", run_id=BIGINT),
)
LANES_AMONG: Final = Statement(
    "SELECT lanes.id, lanes.document FROM {d} JOIN lanes ON lanes.id = d.lane", RowSet("d", lane=BIGINT)
)

# Shards and merge runs are newer than the run they belong to, and a run may have 10,000 of them: they are walked over.
OBSTACLES: Final = Statement(
    f"SELECT {RUN_COLUMNS} FROM (SELECT w.id FROM (SELECT id, shard, parent_id, created_at FROM runs "
    "WHERE job_id = :job_id ORDER BY id DESC LIMIT :look) w "
    "WHERE w.shard = -1 AND w.parent_id IS NULL AND w.created_at <= :until ORDER BY w.id DESC LIMIT :rows) d "
    f"JOIN runs r ON r.id = d.id {RUN_JOINS} ORDER BY r.id DESC"
)


def ledger_since(tx: Tx, job_id: int, since: Instant, *, known_version: int, limit: int) -> LedgerPage:
    """The newest instants since one. A statement is left out where nothing asks for it."""
    now = tx.now()
    runs, skips = fired(tx, job_id, from_at=since, to_at=now + 1, limit=limit)
    return LedgerPage(
        now=now,
        runs=runs,
        skips=skips,
        versions=_versions(tx, job_id, known_version, runs, skips),
        tries=_last_tries(tx, runs),
        shards=_shards(tx, runs),
        waiting=_waiting(tx, now, job_id, [run for run in runs if run.state == RunState.PENDING]),
        obstacles=_obstacles(tx, job_id, skips),
    )


def _versions(
    tx: Tx, job_id: int, known: int, runs: Sequence[RunRow], skips: Sequence[SkipRow]
) -> Mapping[int, VersionRow]:
    numbers = {run.version for run in runs} | {skip.version for skip in skips}
    numbers.discard(known)
    if not numbers:
        return {}
    rows = tx.rows(VERSIONS_AMONG, {"job_id": job_id}, d=[(number,) for number in sorted(numbers)])
    return {row.version: version_row(row) for row in rows}


def _last_tries(tx: Tx, runs: Sequence[RunRow]) -> Mapping[int, AttemptRow]:
    asked = [(run.run_id,) for run in runs if run.attempt > 0 and run.state != RunState.SUCCEEDED]
    return {row.run_id: attempt_row(row) for row in tx.rows(LAST_TRIES, d=asked)} if asked else {}


def _shards(tx: Tx, runs: Sequence[RunRow]) -> Mapping[int, Mapping[str, int]]:
    asked = [(run.run_id,) for run in runs if is_sharded(run)]
    found: dict[int, dict[str, int]] = {}
    for row in tx.rows(SHARD_STATES, d=asked) if asked else ():
        found.setdefault(row.parent_id, {})[row.state] = row.runs
    return found


def _waiting(tx: Tx, now: Instant, job_id: int, runs: Sequence[RunRow]) -> Mapping[int, Waiting]:
    if not runs:
        return {}
    lanes = _lanes(tx, runs)
    line = [run_row(row) for row in tx.rows(LINE, {"job_id": job_id})] if any(run.serial for run in runs) else []
    names = sorted({name for lane in lanes.values() for name in lane.limits})
    limits = {row.name: LimitRow(name=row.name, max=row.max, used=row.used) for row in limits_of(tx, names)}
    found: dict[int, Waiting] = {}
    for run in runs:
        lane = lanes[run.lane]
        ahead = in_front_of(run, line) if run.serial else []
        found[run.run_id] = Waiting(
            now=now,
            ahead=ahead[0] if ahead else None,
            ahead_count=len(ahead),
            lane=lane,
            limits=[limits[name] for name in lane.limits if name in limits],
        )
    return found


def _lanes(tx: Tx, runs: Sequence[RunRow]) -> Mapping[int, Lane]:
    asked = [(lane,) for lane in sorted({run.lane for run in runs})]
    return {row.id: lane_from(row.document) for row in tx.rows(LANES_AMONG, d=asked)}


def _obstacles(tx: Tx, job_id: int, skips: Sequence[SkipRow]) -> Sequence[RunRow]:
    decided = [skip.decided_at for skip in skips if skip.reason == SkipReason.OVERLAP]
    if not decided:
        return []
    values = {"job_id": job_id, "until": max(decided), "look": OBSTACLE_LOOK_MAX, "rows": OBSTACLES_MAX}
    rows = tx.rows(OBSTACLES, values)
    return [run_row(row) for row in rows]
