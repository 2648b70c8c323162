"""The ledger for people: what became of instants, and what a waiting run waits for."""

from collections.abc import Sequence
from typing import Any, Final

from foliot.domain.fire import schedule_key
from foliot.domain.instants import Instant
from foliot.domain.skip_texts import read_text
from foliot.domain.skips import SkipCause, read_cause
from foliot.ports.store.lookups import Ledger, LimitRow, RunRow, SkipRow, Waiting
from foliot.store.sql.jobs.definitions import lane_from
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import TEXT, RowSet, Statement
from foliot.store.sql.people.job_reads import version_row
from foliot.store.sql.people.run_reads import RUN_COLUMNS, RUN_JOINS, run_row

AHEAD_MAX: Final = 1000

_SKIP: Final = "from_at, to_at, count AS instants, reason, why, cause, version, decided_at"
# Instants have 16 digits from 2001 to 2286, so their keys sort as they do.
FIRED: Final = Statement(
    f"SELECT {RUN_COLUMNS} FROM runs r {RUN_JOINS} WHERE r.job_id = :job_id AND r.fire_key >= :low "
    "AND r.fire_key < :high AND r.shard = -1 ORDER BY r.fire_key DESC LIMIT :rows"
)
SKIPPED: Final = Statement(
    f"SELECT {_SKIP} FROM skips WHERE job_id = :job_id AND to_at >= :from_at AND from_at < :to_at "
    "ORDER BY to_at DESC LIMIT :rows"
)
BY_KEY: Final = Statement(
    f"SELECT {RUN_COLUMNS} FROM runs r {RUN_JOINS} WHERE r.job_id = :job_id AND r.fire_key = :fire_key AND r.shard = -1"
)
SKIP_OVER: Final = Statement(
    f"SELECT {_SKIP} FROM skips WHERE job_id = :job_id AND to_at >= :at AND from_at <= :at ORDER BY to_at LIMIT 1"
)
IN_FORCE: Final = Statement(
    "SELECT version, hash, definition, created_at, created_by, reason FROM job_versions "
    "WHERE job_id = :job_id AND created_at <= :at ORDER BY version DESC LIMIT 1"
)
FIRST: Final = Statement(
    "SELECT version, hash, definition, created_at, created_by, reason FROM job_versions "
    "WHERE job_id = :job_id ORDER BY version LIMIT 1"
)
LINE: Final = Statement(
    f"SELECT {RUN_COLUMNS} FROM runs r {RUN_JOINS} WHERE r.{{line_job}} = :job_id "
    "AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 "
    f"AND r.place IS NOT NULL AND r.parent_id IS NULL ORDER BY r.place, r.id LIMIT {AHEAD_MAX}"
)
LANE: Final = Statement("SELECT document FROM lanes WHERE id = :lane")
LIMITS: Final = Statement(
    "SELECT limits.name, limits.max, limits.used FROM {d} JOIN limits ON limits.name = d.label",
    RowSet("d", label=TEXT),
)


def fired(
    tx: Tx, job_id: int, *, from_at: Instant, to_at: Instant, limit: int
) -> tuple[Sequence[RunRow], Sequence[SkipRow]]:
    """What became of the instants in [from, to): scheduled runs and skips, newest first."""
    keys = {"low": schedule_key(from_at), "high": schedule_key(to_at)}
    runs = tx.rows(FIRED, {"job_id": job_id, "rows": limit, **keys})
    skips = tx.rows(SKIPPED, {"job_id": job_id, "from_at": from_at, "to_at": to_at, "rows": limit})
    return [run_row(row) for row in runs], [_skip(row) for row in skips]


def ledger(tx: Tx, job_id: int, at: Instant) -> Ledger:
    """Everything recorded about one instant of a job."""
    runs = tx.rows(BY_KEY, {"job_id": job_id, "fire_key": schedule_key(at)})
    skips = tx.rows(SKIP_OVER, {"job_id": job_id, "at": at})
    versions = tx.rows(IN_FORCE, {"job_id": job_id, "at": at})
    first = tx.rows(FIRST, {"job_id": job_id})
    return Ledger(
        now=tx.now(),
        run=run_row(runs[0]) if runs else None,
        skip=_skip(skips[0]) if skips else None,
        version=version_row(versions[0]) if versions else None,
        first_version=version_row(first[0]),
    )


def waiting(tx: Tx, run: RunRow) -> Waiting:
    """What stands between a waiting run and its lease."""
    lane = lane_from(tx.rows(LANE, {"lane": run.lane})[0].document)
    ahead = _ahead(tx, run) if run.serial else []
    limits = [LimitRow(name=row.name, max=row.max, used=row.used) for row in limits_of(tx, lane.limits)]
    return Waiting(now=tx.now(), ahead=ahead[0] if ahead else None, ahead_count=len(ahead), lane=lane, limits=limits)


def _ahead(tx: Tx, run: RunRow) -> Sequence[RunRow]:
    return in_front_of(run, [run_row(row) for row in tx.rows(LINE, {"job_id": run.job_id})])


def in_front_of(run: RunRow, line: Sequence[RunRow]) -> Sequence[RunRow]:
    """The runs of a job's line that stand in front of a run of it."""
    if run.place is None:
        return [other for other in line if other.run_id != run.run_id]
    mine = (run.place, run.parent_id or run.run_id)
    return [other for other in line if other.place is not None and (other.place, other.run_id) < mine]


def limits_of(tx: Tx, names: Sequence[str]) -> Sequence[Any]:
    """The rows of these limits."""
    return tx.rows(LIMITS, d=[(name,) for name in names]) if names else []


def _cause(row: Any) -> SkipCause:
    """The cause as data; of a row of an older Foliot, or of one with a cause that is not known here, by its text."""
    known = None if row.cause is None else read_cause(row.cause)
    return known or read_text(row.why)


def _skip(row: Any) -> SkipRow:
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
