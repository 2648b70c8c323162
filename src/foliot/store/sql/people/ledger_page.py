"""A page of the ledger for `why`: what became of many instants of a job, with what explains each.

Seven statements at most, however many instants: each is about all of them, and one that none needs is left out.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from foliot.domain.fire import SkipReason
from foliot.domain.instants import Instant
from foliot.domain.job import Lane
from foliot.domain.maintenance import Maintenance
from foliot.domain.run import RunState
from foliot.ports.store.lookups import (
    AttemptRow,
    LedgerPage,
    RunRow,
    VersionRow,
    is_sharded,
)
from foliot.ports.store.skips import SkipRow
from foliot.store.sql.cluster import maintenance
from foliot.store.sql.jobs.definitions import lane_from
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement, keys
from foliot.store.sql.leasing.fire_routes import KEPT
from foliot.store.sql.leasing.fitting_workers import ASSIGNED_TO, OwnRuns
from foliot.store.sql.people.holds import limits_of
from foliot.store.sql.people.job_reads import version_row
from foliot.store.sql.people.key_holds import key_limits_of
from foliot.store.sql.people.ledger_reads import (
    AHEAD_MAX,
    IN_LINE,
    SKIP_COLUMNS,
    by_place,
    fired_runs,
    skip_row,
    waiting_for,
)
from foliot.store.sql.people.run_reads import RUN_COLUMNS, RUN_JOINS, attempt_row, run_row

OBSTACLES_MAX: Final = 500  # runs looked through for the one that was in the way of a skipped instant
OBSTACLE_LOOK_MAX: Final = 20_000  # rows walked over for them: most are shards

SKIPPED_SINCE: Final = Statement(
    f"""
    SELECT {{now}} AS now, {maintenance.COLUMNS}, s.* FROM store_meta m LEFT JOIN (
      SELECT {SKIP_COLUMNS} FROM skips WHERE job_id = :job_id AND to_at >= :since AND from_at <= {{now}}
      ORDER BY to_at DESC LIMIT :rows) s ON true
    WHERE m.id = 1 ORDER BY s.to_at DESC
    """
)
"""Store time stands in every row; where nothing was skipped there is one row, and the rest of it is null."""

VERSIONS_AMONG: Final = Statement(
    "SELECT v.version, v.hash, v.definition, v.created_at, v.created_by, v.reason, d.lane, l.document AS lane_document "
    "FROM {d} JOIN job_versions v ON v.job_id = :job_id AND v.version = d.version LEFT JOIN lanes l ON l.id = d.lane",
    RowSet("d", version=BIGINT, lane=BIGINT),
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

LINE_AND_OBSTACLES: Final = Statement(
    f"""
    SELECT {RUN_COLUMNS}, d.is_in_line FROM (
      SELECT q.id, 1 AS is_in_line FROM (SELECT r.id FROM runs r WHERE {IN_LINE} LIMIT :in_line) q
      UNION ALL
      SELECT o.id, 0 AS is_in_line FROM (
        SELECT w.id FROM (SELECT id, shard, parent_id, created_at FROM runs
                          WHERE job_id = :job_id ORDER BY id DESC LIMIT :look) w
        WHERE w.shard = -1 AND w.parent_id IS NULL AND w.created_at <= :until ORDER BY w.id DESC LIMIT :rows) o
    ) d JOIN runs r ON r.id = d.id {RUN_JOINS}
    """
)
"""The line of a job as it is, and the newest runs there were when instants were skipped. Shards and merge runs are
newer than the run they belong to, and a run may have 10,000 of them: they are walked over."""


class _Versions(NamedTuple):
    """The versions of runs and skips, and the lanes of runs that wait."""

    by_number: Mapping[int, VersionRow]
    lanes: Mapping[int, Lane]


class _InTheWay(NamedTuple):
    """The runs that a waiting run stands behind, and those that were there when an instant was skipped."""

    line: Sequence[RunRow]  # in its order
    obstacles: Sequence[RunRow]  # newest first


def ledger_since(tx: Tx, job_id: int, since: Instant, *, known_version: int, limit: int) -> LedgerPage:
    """The newest instants since one. A statement is left out where nothing asks for it."""
    now, maintained, skips = _skipped_since(tx, job_id, since, limit)
    runs = fired_runs(tx, job_id, from_at=since, to_at=now + 1, limit=limit)
    pending = [run for run in runs if run.state == RunState.PENDING]
    versions = _versions(tx, job_id, known_version, runs, skips)
    in_the_way = _in_the_way(tx, job_id, pending, skips)
    limits = limits_of(tx, versions.lanes.values())
    by_key = key_limits_of(tx, pending, versions.lanes)
    is_routed = any(versions.lanes[run.lane].routed for run in pending)
    own = OwnRuns(tx, [job_id] if is_routed else []).of(job_id)
    assigned: Mapping[str, int] = tx.pairs(ASSIGNED_TO) if is_routed else {}
    route_state = tx.pairs(KEPT, d=keys([job_id])).get(job_id) if is_routed else None
    return LedgerPage(
        now=now,
        runs=runs,
        skips=skips,
        versions=versions.by_number,
        tries=_last_tries(tx, runs),
        shards=_shards(tx, runs),
        waiting={
            run.run_id: waiting_for(
                run,
                in_the_way.line,
                versions.lanes[run.lane],
                [*by_key.get(run.run_id, ()), *limits.of(run.lane, versions.lanes[run.lane])],
                now,
                maintained,
                own,
                assigned,
                route_state,
            )
            for run in pending
        },
        obstacles=in_the_way.obstacles,
        maintenance=maintained,
    )


def _skipped_since(
    tx: Tx, job_id: int, since: Instant, limit: int
) -> tuple[Instant, Maintenance | None, Sequence[SkipRow]]:
    """Store time, the maintenance that is on, and what was skipped since then, newest first."""
    rows = tx.rows(SKIPPED_SINCE, {"job_id": job_id, "since": since, "rows": limit})
    skips = [skip_row(row) for row in rows if row.to_at is not None]
    now = int(rows[0].now)
    return now, maintenance.of(rows[0], now), skips


def _versions(tx: Tx, job_id: int, known: int, runs: Sequence[RunRow], skips: Sequence[SkipRow]) -> _Versions:
    waiting = {(run.version, run.lane) for run in runs if run.state == RunState.PENDING}
    others = {run.version for run in runs} | {skip.version for skip in skips}
    others -= {version for version, _ in waiting}
    others.discard(known)
    wanted: list[tuple[int, int | None]] = sorted(waiting)
    wanted += [(version, None) for version in sorted(others)]
    by_number: dict[int, VersionRow] = {}
    lanes: dict[int, Lane] = {}
    for row in tx.found(VERSIONS_AMONG, {"job_id": job_id}, d=wanted):
        by_number[row.version] = version_row(row)
        if row.lane is not None:
            lanes[row.lane] = lane_from(row.lane_document)
    return _Versions(by_number, lanes)


def _last_tries(tx: Tx, runs: Sequence[RunRow]) -> Mapping[int, AttemptRow]:
    asked = [run.run_id for run in runs if run.attempt > 0 and run.state != RunState.SUCCEEDED]
    rows = tx.found(LAST_TRIES, d=keys(asked))
    return {row.run_id: attempt_row(row) for row in rows}


def _shards(tx: Tx, runs: Sequence[RunRow]) -> Mapping[int, Mapping[str, int]]:
    asked = [run.run_id for run in runs if is_sharded(run)]
    rows = tx.found(SHARD_STATES, d=keys(asked))
    found: dict[int, dict[str, int]] = {}
    for row in rows:
        found.setdefault(row.parent_id, {})[row.state] = row.runs
    return found


def _in_the_way(tx: Tx, job_id: int, pending: Sequence[RunRow], skips: Sequence[SkipRow]) -> _InTheWay:
    is_in_line = any(run.serial for run in pending)
    decided = [skip.decided_at for skip in skips if skip.reason == SkipReason.OVERLAP]
    if not is_in_line and not decided:
        return _InTheWay([], [])
    values = {
        "job_id": job_id,
        "in_line": AHEAD_MAX if is_in_line else 0,
        "until": max(decided, default=0),
        "look": OBSTACLE_LOOK_MAX if decided else 0,
        "rows": OBSTACLES_MAX,
    }
    rows = tx.rows(LINE_AND_OBSTACLES, values)
    line = [run_row(row) for row in rows if row.is_in_line]
    obstacles = [run_row(row) for row in rows if not row.is_in_line]
    return _InTheWay(sorted(line, key=by_place), sorted(obstacles, key=_by_age))


def _by_age(run: RunRow) -> int:
    return -run.run_id
