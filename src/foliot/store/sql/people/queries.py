"""Plain lists and details for people (`ports.store.queries.Queries`). Never used to decide.

Every page is found by key and looks at a bounded number of rows, so the last costs what the first does: no OFFSET, no
counting. A page may hold fewer items than asked for and still name a next one.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

from foliot.domain.instants import Instant
from foliot.ports.store.queries import Page, RunFilter
from foliot.ports.worker_link import LogChunk
from foliot.store.sql.ending import logs
from foliot.store.sql.kernel.database import Database, Tx
from foliot.store.sql.kernel.paging import LOOK_MAX, from_cursor, to_cursor
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement

T = TypeVar("T")

PAGE_MAX: Final = 1000
LOG_CHUNKS_MAX: Final = 100
_ID_MAX: Final = 2**63 - 1

JOBS: Final = Statement(
    """
    SELECT j.id AS job_id, j.namespace, j.name, j.version, j.source, c.state, c.next_at, c.next_due_at, c.trouble,
           j.created_at, j.updated_at
    FROM (SELECT * FROM jobs WHERE (namespace, name) > (:namespace, :name) AND namespace <= :last AND deleted_at = 0
          ORDER BY namespace, name LIMIT :limit) j
    JOIN cursors c ON c.job_id = j.id
    ORDER BY j.namespace, j.name
    """
)

_RUN: Final = """
    r.id AS run_id, r.job_id, j.namespace, j.name AS job, r.version, r.fire_key, r.shard, r.parent_id, r.open_children,
    r.due_at, r.not_before, r.state, r.kind, r.attempt, r.failures, r.deaths, r.priority, r.created_at, r.cancel_at,
    r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at, r.triggered_by, r.reason, r.error,
    r.error_type
"""

RUNS: Final = Statement(
    f"""
    SELECT {_RUN} FROM (SELECT * FROM runs WHERE id < :before ORDER BY id DESC LIMIT :look) r
    JOIN jobs j ON j.id = r.job_id ORDER BY r.id DESC
    """
)

RUNS_OF_JOBS: Final = Statement(
    f"""
    SELECT {_RUN} FROM runs r JOIN jobs j ON j.id = r.job_id
    WHERE r.job_id IN (SELECT d.job_id FROM {{d}}) AND r.id < :before ORDER BY r.id DESC LIMIT :look
    """,
    RowSet("d", job_id=BIGINT),
)

JOB_IDS: Final = Statement(
    "SELECT id FROM jobs WHERE namespace = :namespace AND name = :name ORDER BY deleted_at LIMIT 100"
)

RUN: Final = Statement(
    f"SELECT {_RUN}, r.params, r.result, r.checkpoint FROM runs r JOIN jobs j ON j.id = r.job_id WHERE r.id = :run_id"
)

ATTEMPTS: Final = Statement(
    """
    SELECT run_id, attempt, cause, session_id, fence, leased_at, started_at, ended_at, error, error_type, retried
    FROM attempts WHERE run_id = :run_id ORDER BY attempt
    """
)

SKIPS: Final = Statement(
    """
    SELECT id, job_id, from_at, to_at, count, reason, why, version, decided_at FROM skips
    WHERE job_id = :job_id AND to_at >= :from_at AND from_at <= :to_at ORDER BY to_at LIMIT :limit
    """
)

NODES: Final = Statement(
    """
    SELECT id AS session, name, kind, state, until, started_at, last_beat_at, ended_at, group_name, slots, version,
           protocol, host, pid, wall_offset_us AS clock_offset_us, labels, load, progress, drained_by
    FROM nodes ORDER BY kind, name, id LIMIT :limit
    """
)


class SqlQueries:
    """`ports.store.queries.Queries` on a SQL database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list_jobs(self, namespace: str | None, *, limit: int, cursor: str | None = None) -> Page:
        key = from_cursor(cursor, "job", str, str) or (namespace or "", "")
        last = namespace if namespace is not None else "\U0010ffff"
        values = {"namespace": key[0], "name": key[1], "last": last, "limit": _within(limit)}
        items = await self._rows(JOBS, values)
        full = len(items) == _within(limit)
        return Page(items=items, next_cursor=_after(items, "job", "namespace", "name") if full else None)

    async def list_runs(self, wanted: RunFilter, *, limit: int, cursor: str | None = None) -> Page:
        """Newest first. A choosy filter looks at so many runs for one page and no more."""
        (before,) = from_cursor(cursor, "run", int) or (_ID_MAX,)
        look = LOOK_MAX if _is_choosy(wanted) else _within(limit)
        items = await self._database.read(lambda tx: _runs(tx, wanted, before, look))
        found = [run for run in items if _is_wanted(run, wanted)][: _within(limit)]
        is_over = len(items) < look and (len(found) < limit or not found or found[-1] is items[-1])
        last = found[-1:] if len(found) == _within(limit) else items[-1:]
        return Page(items=found, next_cursor=None if is_over else _after(last, "run", "run_id"))

    async def run(self, run_id: int) -> Mapping[str, Any] | None:
        rows = await self._rows(RUN, {"run_id": run_id})
        return rows[0] if rows else None

    async def attempts(self, run_id: int) -> Sequence[Mapping[str, Any]]:
        return await self._rows(ATTEMPTS, {"run_id": run_id})

    async def skips(self, job_id: int, *, from_at: Instant, to_at: Instant, limit: int) -> Sequence[Mapping[str, Any]]:
        return await self._rows(SKIPS, {"job_id": job_id, "from_at": from_at, "to_at": to_at, "limit": _within(limit)})

    async def nodes(self) -> Sequence[Mapping[str, Any]]:
        return await self._rows(NODES, {"limit": PAGE_MAX})

    async def logs(self, run_id: int, *, attempt: int | None = None, offset: int = 0) -> Sequence[LogChunk]:
        """A stretch of the log; go on at the end of its last chunk."""
        return await self._database.read(
            lambda tx: logs.read(tx, run_id, attempt=attempt, offset=offset, limit=LOG_CHUNKS_MAX)
        )

    async def _rows(self, statement: Statement, values: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        return await self._database.read(lambda tx: _mappings(tx.rows(statement, values)))


def _runs(tx: Tx, wanted: RunFilter, before: int, look: int) -> Sequence[Mapping[str, Any]]:
    values = {"before": before, "look": look}
    if wanted.job is None or wanted.namespace is None:
        return _mappings(tx.rows(RUNS, values))
    jobs = [tuple(row) for row in tx.rows(JOB_IDS, {"namespace": wanted.namespace, "name": wanted.job})]
    return _mappings(tx.rows(RUNS_OF_JOBS, values, d=jobs)) if jobs else []


def _mappings(rows: Sequence[Any]) -> Sequence[Mapping[str, Any]]:
    return [dict(row._mapping) for row in rows]  # noqa: SLF001  SQLAlchemy's public name for it


def _within(limit: int) -> int:
    return max(1, min(limit, PAGE_MAX))


def _after(items: Sequence[Mapping[str, Any]], kind: str, *keys: str) -> str | None:
    return to_cursor(kind, *(items[-1][key] for key in keys)) if items else None


def _is_choosy(wanted: RunFilter) -> bool:
    only_job = wanted.namespace is not None and wanted.job is not None
    return bool(wanted.states or wanted.since is not None or wanted.until is not None or wanted.extra) or (
        not only_job and (wanted.namespace is not None or wanted.job is not None)
    )


def _is_wanted(run: Mapping[str, Any], wanted: RunFilter) -> bool:
    return (
        (wanted.namespace is None or run["namespace"] == wanted.namespace)
        and (wanted.job is None or run["job"] == wanted.job)
        and (not wanted.states or run["state"] in wanted.states)
        and (wanted.since is None or run["due_at"] >= wanted.since)
        and (wanted.until is None or run["due_at"] < wanted.until)
        and all(run.get(key) == value for key, value in wanted.extra.items())
    )
