"""The ledger for people: what became of instants, and what a waiting run waits for."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from foliot.domain.fire import schedule_key
from foliot.domain.instants import Instant
from foliot.domain.job import Lane
from foliot.domain.maintenance import Maintenance
from foliot.domain.skip_texts import read_text
from foliot.domain.skips import SkipCause, read_cause
from foliot.domain.why.facts import LimitFacts
from foliot.ports.store.lookups import Ledger, RunRow, Waiting
from foliot.ports.store.skips import SkipRow
from foliot.store.sql.cluster import maintenance
from foliot.store.sql.jobs.definitions import lane_from
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement, keys
from foliot.store.sql.leasing.fire_routes import KEPT
from foliot.store.sql.leasing.fitting_workers import ASSIGNED_TO, OwnRuns
from foliot.store.sql.people.holds import LANES_AMONG, limits_of
from foliot.store.sql.people.job_reads import VERSION_COLUMNS, version_row
from foliot.store.sql.people.key_holds import key_limits_of
from foliot.store.sql.people.run_reads import RUN_COLUMNS, RUN_JOINS, run_row

AHEAD_MAX: Final = 1000

SKIP_COLUMNS: Final = "from_at, to_at, count AS instants, reason, why, cause, version, decided_at"
# Instants have 16 digits from 2001 to 2286, so their keys sort as they do.
FIRED: Final = Statement(
    f"SELECT {RUN_COLUMNS} FROM runs r {RUN_JOINS} WHERE r.job_id = :job_id AND r.fire_key >= :low "
    "AND r.fire_key < :high AND r.shard = -1 ORDER BY r.fire_key DESC LIMIT :rows"
)
SKIPPED: Final = Statement(
    f"SELECT {SKIP_COLUMNS} FROM skips WHERE job_id = :job_id AND to_at >= :from_at AND from_at < :to_at "
    "ORDER BY to_at DESC LIMIT :rows"
)
BY_KEY: Final = Statement(
    f"SELECT {RUN_COLUMNS} FROM runs r {RUN_JOINS} WHERE r.job_id = :job_id AND r.fire_key = :fire_key AND r.shard = -1"
)
SKIP_OVER: Final = Statement(
    f"SELECT {SKIP_COLUMNS} FROM skips WHERE job_id = :job_id AND to_at >= :at AND from_at <= :at "
    "ORDER BY to_at LIMIT 1"
)
IN_FORCE: Final = Statement(
    f"SELECT {VERSION_COLUMNS} FROM job_versions "
    "WHERE job_id = :job_id AND created_at <= :at ORDER BY version DESC LIMIT 1"
)
FIRST: Final = Statement(f"SELECT {VERSION_COLUMNS} FROM job_versions WHERE job_id = :job_id ORDER BY version LIMIT 1")
IN_LINE: Final = (
    "r.{line_job} = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 "
    "AND r.place IS NOT NULL AND r.parent_id IS NULL ORDER BY r.place, r.id"
)
LINE: Final = Statement(f"SELECT {RUN_COLUMNS} FROM runs r {RUN_JOINS} WHERE {IN_LINE} LIMIT {AHEAD_MAX}")


def fired(
    tx: Tx, job_id: int, *, from_at: Instant, to_at: Instant, limit: int
) -> tuple[Sequence[RunRow], Sequence[SkipRow]]:
    """What became of the instants in [from, to): scheduled runs and skips, newest first."""
    skips = tx.rows(SKIPPED, {"job_id": job_id, "from_at": from_at, "to_at": to_at, "rows": limit})
    runs = fired_runs(tx, job_id, from_at=from_at, to_at=to_at, limit=limit)
    return runs, [skip_row(row) for row in skips]


def fired_runs(tx: Tx, job_id: int, *, from_at: Instant, to_at: Instant, limit: int) -> Sequence[RunRow]:
    """The scheduled runs of the instants in [from, to), newest first."""
    between = {"low": schedule_key(from_at), "high": schedule_key(to_at)}
    rows = tx.rows(FIRED, {"job_id": job_id, "rows": limit, **between})
    return [run_row(row) for row in rows]


def ledger(tx: Tx, job_id: int, at: Instant) -> Ledger:
    """Everything recorded about one instant of a job."""
    runs = tx.rows(BY_KEY, {"job_id": job_id, "fire_key": schedule_key(at)})
    skips = tx.rows(SKIP_OVER, {"job_id": job_id, "at": at})
    versions = tx.rows(IN_FORCE, {"job_id": job_id, "at": at})
    first = tx.rows(FIRST, {"job_id": job_id})
    return Ledger(
        now=tx.now(),
        run=run_row(runs[0]) if runs else None,
        skip=skip_row(skips[0]) if skips else None,
        version=version_row(versions[0]) if versions else None,
        first_version=version_row(first[0]),
        maintenance=maintenance.found(tx) if not runs and not skips else None,
    )


def waits(tx: Tx, runs: Sequence[RunRow]) -> Mapping[int, Waiting]:
    """What stands between each waiting run and its lease. A lane, a limit and the line of a job are read once."""
    lane_ids = {run.lane for run in runs}
    documents = tx.pairs(LANES_AMONG, d=keys(sorted(lane_ids)))
    lanes = {lane_id: lane_from(document) for lane_id, document in documents.items()}
    limits = limits_of(tx, lanes.values())
    by_key = key_limits_of(tx, runs, lanes)
    serial_jobs = {run.job_id for run in runs if run.serial}
    lines = {job_id: _line(tx, job_id) for job_id in sorted(serial_jobs)}
    routed_jobs = {run.job_id for run in runs if lanes[run.lane].routed}
    own = OwnRuns(tx, sorted(routed_jobs))
    assigned: Mapping[str, int] = tx.pairs(ASSIGNED_TO) if routed_jobs else {}
    states: Mapping[int, str | None] = tx.pairs(KEPT, d=keys(sorted(routed_jobs))) if routed_jobs else {}
    now = tx.now()
    maintained = maintenance.found(tx)
    found: dict[int, Waiting] = {}
    for run in runs:
        line = lines.get(run.job_id, ())
        own_runs = own.of(run.job_id)
        own_limits = [*by_key.get(run.run_id, ()), *limits.of(run.lane, lanes[run.lane])]
        state = states.get(run.job_id)
        found[run.run_id] = waiting_for(
            run, line, lanes[run.lane], own_limits, now, maintained, own_runs, assigned, state
        )
    return found


def _line(tx: Tx, job_id: int) -> Sequence[RunRow]:
    return [run_row(row) for row in tx.rows(LINE, {"job_id": job_id})]


def waiting_for(
    run: RunRow,
    line: Sequence[RunRow],
    lane: Lane,
    limits: Sequence[LimitFacts],
    now: Instant,
    maintained: Maintenance | None,
    own: Mapping[str, int],
    assigned: Mapping[str, int],
    route_state: str | None,
) -> Waiting:
    """What a run waits for, by the cluster's maintenance, the line of its job, its lane and the lane's limits.

    Where the lane is routed: `own`, the runs of its job by session, `assigned`, the runs that wait for each, and
    `route_state`, what its route keeps.
    """
    ahead = _in_front_of(run, line) if run.serial else []
    return Waiting(
        now=now,
        ahead=ahead[0] if ahead else None,
        ahead_count=len(ahead),
        lane=lane,
        limits=limits,
        maintenance=maintained,
        own=own,
        assigned=assigned,
        route_state=route_state,
    )


def _in_front_of(run: RunRow, line: Sequence[RunRow]) -> Sequence[RunRow]:
    """The runs of a job's line that stand in front of a run of it."""
    if run.place is None:
        return [other for other in line if other.run_id != run.run_id]
    mine = (run.place, run.parent_id or run.run_id)
    placed = [other for other in line if other.place is not None]
    return [other for other in placed if by_place(other) < mine]


def by_place(run: RunRow) -> tuple[int, int]:
    """The order of a line."""
    return run.place or 0, run.run_id


def _cause(row: Any) -> SkipCause:
    """The cause as data; of a row of an older Foliot, or of one with a cause that is not known here, by its text."""
    known = None if row.cause is None else read_cause(row.cause)
    return known or read_text(row.why)


def skip_row(row: Any) -> SkipRow:
    """A skip from its row."""
    return SkipRow(
        from_at=row.from_at,
        to_at=row.to_at,
        count=row.instants,
        reason=row.reason,
        why=row.why,
        cause=_cause(row),
        version=row.version,
        decided_at=row.decided_at,
    )
