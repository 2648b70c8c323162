"""Retiring jobs in SQL: found by their source, marked, checked again under the lock of their cursors, paused.

The leader marks a job, commits, and looks once more when it retires it. A worker registers its session, commits, and
then looks for marks of its jobs. Whichever comes second sees the other's write, so no job that a live worker declares
is left retired.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.changes import Plans
from foliot.domain.fire import Cursor, CursorState
from foliot.domain.instants import HOUR, Instant
from foliot.domain.names import nearest
from foliot.domain.sources import Retirement, Source
from foliot.ports.store.code import RetiredPage, RetirementWords, RetiringJob
from foliot.ports.store.journal import Happening
from foliot.store.sql.cluster.codes import LIVE_WORKER
from foliot.store.sql.cluster.leadership import holds_term
from foliot.store.sql.jobs import change
from foliot.store.sql.jobs.backlog import settle
from foliot.store.sql.jobs.definitions import Definitions
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement
from foliot.store.sql.people import journal

NAMES_MAX: Final = 2000  # among which the new name of a job is looked for

ALLOWED: Final = "(c.group_name IS NULL OR c.group_name = j.source_group)"
"""The token that the code came with may work for the group that declared the job: no other keeps the job."""
_DECLARED: Final = f"""
    EXISTS (SELECT 1 FROM code_jobs cj JOIN codes c ON c.hash = cj.code JOIN nodes n ON n.code = cj.code
            WHERE cj.namespace = j.namespace AND cj.name = j.name AND {ALLOWED} AND {LIVE_WORKER})"""
PERHAPS_DECLARED: Final = f"""
    EXISTS (SELECT 1 FROM nodes n
            WHERE n.code IS NULL AND {LIVE_WORKER} AND (n.namespace IS NULL OR n.namespace = j.namespace))"""
"""By a worker that registered at an older server, which did not note its code."""
_LOADED: Final = f"""
    EXISTS (SELECT 1 FROM code_modules m JOIN codes c ON c.hash = m.code JOIN nodes n ON n.code = c.hash
            WHERE m.module = j.source_module AND {LIVE_WORKER}
              AND (c.namespace IS NULL OR c.namespace = j.namespace) AND {ALLOWED})"""
_ORPHANED: Final = f"NOT {_DECLARED} AND NOT {PERHAPS_DECLARED} AND {_LOADED}"

WITH_JOBS: Final = Statement(
    "SELECT d.module FROM {d} WHERE EXISTS (SELECT 1 FROM jobs j WHERE j.source_module = d.module)",
    RowSet("d", module=TEXT),
)
OF_SOURCE: Final = Statement(
    "SELECT j.id FROM jobs j WHERE j.source_module = :module AND j.id > :after "
    "ORDER BY j.source_module, j.id LIMIT :rows"
)
UNDECLARED: Final = Statement(
    f"""
    SELECT j.id FROM jobs j
    WHERE j.id IN (SELECT d.job_id FROM {{d}}) AND j.deleted_at = 0 AND j.source = 'code' AND j.undeclared_at IS NULL
      AND (:namespace = '' OR j.namespace = :namespace) AND (:group_name = '' OR j.source_group = :group_name)
      AND {_ORPHANED}
    ORDER BY j.id {{skip_locked}}
    """,
    RowSet("d", job_id=BIGINT),
)
MARK: Final = Statement(
    "UPDATE jobs SET undeclared_at = {now} FROM {d} WHERE jobs.id = d.job_id AND jobs.undeclared_at IS NULL",
    RowSet("d", job_id=BIGINT),
)
MARKED: Final = Statement(
    """
    SELECT j.id FROM jobs j
    WHERE j.source_module = :module AND j.id > :after AND j.undeclared_at > 0 AND j.retirement IS NULL
    ORDER BY j.source_module, j.id LIMIT :rows
    """
)
ORPHANED: Final = Statement(
    f"""
    SELECT j.id, j.namespace, j.name, j.source_module, j.undeclared_at, j.created_at FROM jobs j
    WHERE j.id IN (SELECT d.job_id FROM {{d}}) AND j.deleted_at = 0 AND j.source = 'code'
      AND j.undeclared_at > 0 AND j.retirement IS NULL AND {_ORPHANED}
    """,
    RowSet("d", job_id=BIGINT),
)
NEW_NAMES: Final = Statement(
    """
    SELECT j.name FROM jobs j
    WHERE j.source_module = :module AND j.namespace = :namespace AND j.deleted_at = 0 AND j.undeclared_at IS NULL
      AND j.created_at > :after ORDER BY j.id DESC LIMIT :rows
    """
)
RETIRE: Final = Statement(
    """
    UPDATE jobs SET retirement = d.retirement, pause_reason = coalesce(d.reason, jobs.pause_reason),
           paused_at = coalesce(d.paused_at, jobs.paused_at), renamed_to = d.renamed_to
    FROM {d} WHERE jobs.id = d.job_id AND jobs.undeclared_at > 0 AND jobs.retirement IS NULL
    """,
    RowSet("d", job_id=BIGINT, retirement=BIGINT, reason=TEXT, paused_at=BIGINT, renamed_to=TEXT),
)
MARKED_OF_CODE: Final = Statement(
    f"""
    SELECT j.id, j.retirement FROM jobs j
    JOIN code_jobs cj ON cj.namespace = j.namespace AND cj.name = j.name AND cj.code = :code
    JOIN codes c ON c.hash = cj.code
    WHERE j.undeclared_at > 0 AND j.deleted_at = 0 AND {ALLOWED} ORDER BY j.undeclared_at, j.id LIMIT :rows
    """
)
MARKED_OF_LIVE: Final = Statement(
    f"""
    SELECT j.id, j.retirement FROM jobs j
    WHERE j.undeclared_at > 0 AND j.deleted_at = 0 AND {_DECLARED} ORDER BY j.undeclared_at, j.id LIMIT :rows
    """
)
UNMARK: Final = Statement(
    f"""
    UPDATE jobs SET undeclared_at = NULL, retirement = NULL
    FROM {{d}} WHERE jobs.id = d.job_id AND coalesce(jobs.retirement, 0) <> {Retirement.RETIRED:d}
    """,
    RowSet("d", job_id=BIGINT),
)
RETIRED_NOW: Final = Statement(
    f"""
    SELECT j.id, j.namespace, j.name, j.source_module, j.undeclared_at FROM jobs j
    WHERE j.id IN (SELECT d.job_id FROM {{d}}) AND j.deleted_at = 0 AND j.retirement = {Retirement.RETIRED:d}
    """,
    RowSet("d", job_id=BIGINT),
)
REVIVE: Final = Statement(
    """
    UPDATE jobs SET undeclared_at = NULL, retirement = NULL, renamed_to = NULL, pause_reason = NULL, paused_by = NULL,
           paused_at = NULL
    FROM {d} WHERE jobs.id = d.job_id
    """,
    RowSet("d", job_id=BIGINT),
)


def modules_with_jobs(tx: Tx, modules: Collection[str]) -> frozenset[str]:
    """Those of the modules that declared some job."""
    return frozenset(row.module for row in tx.rows(WITH_JOBS, d=[(module,) for module in sorted(modules)]))


def mark(tx: Tx, source: Source, *, after: int, limit: int, term: int) -> int | None:
    """Mark those of the next jobs of a source that no live worker declares; the last one looked at, None at the end."""
    step = {"module": source.module, "after": after, "rows": limit}
    ids = [row.id for row in tx.rows(OF_SOURCE, step)]
    if not ids:
        return None
    scope = {"namespace": source.namespace or "", "group_name": source.group or ""}
    found = tx.rows(UNDECLARED, scope, d=[(job_id,) for job_id in ids])
    if found and holds_term(tx, term):
        tx.change(MARK, d=[(row.id,) for row in found])
        tx.point("retiring.marked")
    return ids[-1] if len(ids) == limit else None


# ------------------------------------------------------------------------------------------------------------ retiring


class _Retired(NamedTuple):
    """A row of `RETIRE`. Without a reason the job is left as it is."""

    job_id: int
    retirement: int
    reason: str | None = None
    paused_at: Instant | None = None
    renamed_to: str | None = None


class RetirementStep:
    """One step of the leader: some marked jobs of a source."""

    def __init__(
        self, definitions: Definitions, plans: Plans, words: Callable[[RetiringJob], RetirementWords], *, term: int
    ) -> None:
        self._definitions = definitions
        self._plans = plans
        self._words = words
        self._term = term
        self._has_backlog = False

    def step(self, tx: Tx, source: Source, after: int, limit: int) -> RetiredPage:
        """Retire what is still declared by nobody. Cursors are locked first: what is read then is the newest (R3)."""
        marked = tx.rows(MARKED, {"module": source.module, "after": after, "rows": limit})
        if not marked or not holds_term(tx, self._term):
            return RetiredPage((), None)
        ids = [row.id for row in marked]
        cursors = {job_id: change.lock(tx, job_id) for job_id in ids}
        tx.point("retiring.locked")
        rows, jobs = [], []
        self._has_backlog = False
        for orphan in sorted(tx.rows(ORPHANED, d=[(job_id,) for job_id in ids])):
            row, job = self._retired(tx, orphan, cursors[orphan.id])
            rows += [row] if row is not None else []
            jobs += [job] if job is not None else []
        if rows and tx.change(RETIRE, d=rows) != len(rows):
            raise TryAgain("a worker declared one of the jobs meanwhile")
        tx.point("retiring.written")
        journal.note(tx, [self._words(job).note for job in jobs])
        return RetiredPage(jobs, ids[-1] if len(ids) == limit else None, self._has_backlog)

    def _retired(self, tx: Tx, orphan: Any, cursor: Cursor) -> tuple[_Retired | None, RetiringJob | None]:
        """The row to write for one job, and the job if it is paused. No row: it is looked at again later."""
        if cursor.state == CursorState.PAUSED:
            # A user's pause for good stays one. One that ends by itself is waited for: the job would fire after it.
            stays = cursor.next_at is None
            return (_Retired(orphan.id, Retirement.LEFT_ALONE) if stays else None), None
        key = (orphan.id, cursor.version)
        known = self._definitions.find(tx, [key]).jobs.get(key)
        if known is not None and known.definition.keep_when_removed:
            return _Retired(orphan.id, Retirement.LEFT_ALONE), None
        cursor, is_settled = settle(tx, self._definitions, cursor, self._plans.decide)
        if not is_settled:
            self._has_backlog = True
            return None, None
        now = change.apply(tx, self._definitions, cursor, self._plans.pause(None))
        job = _retiring(orphan, cursor, renamed_to=_new_name(tx, orphan))
        row = _Retired(job.job_id, Retirement.RETIRED, self._words(job).reason, now, job.renamed_to)
        return row, job


def _retiring(row: Any, cursor: Cursor, *, renamed_to: str | None = None) -> RetiringJob:
    return RetiringJob(
        job_id=row.id,
        cursor_ver=cursor.cursor_ver,
        namespace=row.namespace,
        name=row.name,
        module=row.source_module or "",
        since=row.undeclared_at,
        renamed_to=renamed_to,
    )


def _new_name(tx: Tx, orphan: Any) -> str | None:
    """What the job may be called now: the nearest name among the jobs that its source has declared since."""
    after = max(orphan.created_at, orphan.undeclared_at - HOUR)
    asked = {"module": orphan.source_module, "namespace": orphan.namespace, "after": after, "rows": NAMES_MAX}
    return nearest(orphan.name, [row.name for row in tx.rows(NEW_NAMES, asked)])


# ------------------------------------------------------------------------------------------------------- declared again


def declared_again(
    tx: Tx,
    definitions: Definitions,
    code: str | None,
    *,
    limit: int,
    plans: Plans,
    note: Callable[[RetiringJob], Happening],
    term: int | None,
) -> RetiredPage:
    """Take back the marks of some jobs that are declared; those that were retired go on. 0 to go on behind: again."""
    found = tx.rows(MARKED_OF_LIVE, {"rows": limit}) if code is None else tx.rows(MARKED_OF_CODE, _of(code, limit))
    if not found or not holds_term(tx, term):
        return RetiredPage((), None)
    retired = [row.id for row in found if row.retirement == Retirement.RETIRED]
    marked = [(row.id,) for row in found if row.retirement != Retirement.RETIRED]
    jobs = _resumed(tx, definitions, plans, retired)
    journal.note(tx, [note(job) for job in jobs])
    if marked:
        tx.change(UNMARK, d=marked)
    tx.point("retiring.declared_again")
    return RetiredPage(jobs, 0)


def _of(code: str, limit: int) -> Mapping[str, Any]:
    return {"code": code, "rows": limit}


def _resumed(tx: Tx, definitions: Definitions, plans: Plans, ids: Collection[int]) -> Sequence[RetiringJob]:
    """Resume those of these jobs that are retired still, now that their cursors are locked."""
    if not ids:
        return []
    cursors = {job_id: change.lock(tx, job_id) for job_id in sorted(ids)}
    jobs = []
    for row in sorted(tx.rows(RETIRED_NOW, d=[(job_id,) for job_id in ids])):
        cursor = cursors[row.id]
        change.apply(tx, definitions, cursor, plans.resume(catch_up=False))
        jobs.append(_retiring(row, cursor))
    if jobs:
        tx.change(REVIVE, d=[(job.job_id,) for job in jobs])
    return jobs
