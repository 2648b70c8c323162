"""Anomalies of jobs: pages of jobs with their figures are read for judging, and what was found is kept."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import msgspec

from foliot.domain.anomalies.anomaly import Anomaly, AnomalyKind
from foliot.domain.anomalies.history import days_needed, hours_needed
from foliot.domain.instants import Instant
from foliot.domain.statistics.figures import RunFigures
from foliot.domain.statistics.resolution import Resolution
from foliot.ports.store.anomalies import AnomalyFilter, ComparedJob, JudgingPage, JudgingProgress
from foliot.store.sql.cluster.leadership import holds_term
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.statistics.figure_rows import VALUES, FigureRow, by_set_first, figures_of
from foliot.store.sql.statistics.node_loads import FIRST

SUBJECT: Final = "anomalies"

PROGRESS: Final = Statement("SELECT ver, at, after_id FROM history_progress WHERE subject = 'anomalies'")
MOVE: Final = Statement(
    """
    UPDATE history_progress SET ver = ver + 1, at = :hour_at, after_id = :after_id
    WHERE subject = 'anomalies' AND ver = :seen
    """
)
JOBS: Final = Statement(
    """
    SELECT j.id, j.namespace, j.name, c.state, c.next_due_at, coalesce(j.from_end, 0) AS from_end, v.created_at
    FROM jobs j JOIN cursors c ON c.job_id = j.id JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
    WHERE j.id > :after AND j.deleted_at = 0 ORDER BY j.id LIMIT :rows
    """
)
_FIGURES: Final = f"""
    SELECT {VALUES} FROM {{d}} JOIN stats s
    ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id > :after AND s.job_id <= :until
    WHERE s.is_part = 0
"""
FIGURES: Final = Statement(_FIGURES, RowSet("d", resolution=BIGINT, start_at=BIGINT), **by_set_first(_FIGURES))
_COLUMNS: Final = "a.id, a.job_id, a.kind, a.began_at, a.seen_at, a.quiet, a.ended_at, a.facts"
OPEN: Final = Statement(
    f"SELECT {_COLUMNS} FROM anomalies a WHERE a.is_open = 1 AND a.job_id > :after AND a.job_id <= :until"
)
EXCUSED: Final = Statement(
    """
    SELECT DISTINCT s.job_id FROM {d} JOIN skips s ON s.job_id = d.id AND s.to_at >= :since
    WHERE s.reason IN ('calendar', 'blackout', 'paused', 'edited')
    """,
    RowSet("d", id=BIGINT),
)
OPENED: Final = Statement(
    """
    {insert_ignore} anomalies (job_id, kind, is_open, began_at, seen_at, quiet, facts)
    SELECT d.job_id, d.kind, 1, d.began_at, d.seen_at, 0, d.facts FROM {d} WHERE true {ignore_duplicates}
    """,
    RowSet("d", job_id=BIGINT, kind=TEXT, began_at=BIGINT, seen_at=BIGINT, facts=TEXT),
)
CHANGED: Final = Statement(
    """
    UPDATE anomalies SET is_open = d.is_open, seen_at = d.seen_at, quiet = d.quiet, ended_at = d.ended_at,
                         facts = d.facts
    FROM {d} WHERE anomalies.id = d.id
    """,
    RowSet("d", id=BIGINT, is_open=BIGINT, seen_at=BIGINT, quiet=BIGINT, ended_at=BIGINT, facts=TEXT),
)
_LISTED: Final = f"""
    SELECT {_COLUMNS}, j.namespace, j.name FROM anomalies a JOIN jobs j ON j.id = a.job_id
    WHERE a.id < :before_id AND a.seen_at >= :since AND a.began_at < :until
"""
_ENDING: Final = "ORDER BY a.id DESC LIMIT :rows"
_CLAUSES: Final = {
    "namespace": "AND j.namespace = :namespace",
    "job_id": "AND a.job_id = :job_id",
    "kind": "AND a.kind = :kind",
    "only_open": "AND a.is_open = :only_open",
}
_MANY: Final = 2**62
OLDEST: Final = Statement("SELECT id FROM anomalies WHERE seen_at < :before ORDER BY seen_at LIMIT :rows")
DELETE: Final = Statement("DELETE FROM anomalies WHERE id IN (SELECT d.id FROM {d})", RowSet("d", id=BIGINT))


def _listed(*asked: str) -> Statement:
    return Statement(" ".join((_LISTED, *(_CLAUSES[one] for one in asked), _ENDING)))


LISTED: Final = _listed()
LISTED_OF_JOB: Final = _listed("job_id")
_STATEMENTS: Final[dict[tuple[str, ...], Statement]] = {(): LISTED, ("job_id",): LISTED_OF_JOB}


def progress(tx: Tx) -> JudgingProgress:
    """Which hour is judged, and up to which job."""
    rows = tx.tuples(PROGRESS)
    return JudgingProgress(*map(int, rows[0])) if rows else JudgingProgress(0, 0, 0)


class PageRows(NamedTuple):
    """A page as the store has it; its figures are read beside the event loop."""

    jobs: Sequence[ComparedJob]
    figures: Sequence[Sequence[Any]]
    open: Sequence[Anomaly]
    is_last: bool


def page(tx: Tx, hour_at: Instant, *, after_id: int, limit: int) -> PageRows:
    """The next jobs."""
    rows = tx.tuples(JOBS, {"after": after_id, "rows": limit})
    jobs = [_job(row) for row in rows]
    if not jobs:
        return PageRows((), (), (), is_last=True)
    is_last = len(jobs) < limit
    bounds = {"after": after_id, "until": jobs[-1].job_id}
    figures = tx.tuples(FIGURES, bounds, d=_starts(hour_at))
    open_ = [_anomaly(row) for row in tx.tuples(OPEN, bounds)]
    return PageRows(jobs, figures, open_, is_last=is_last)


def _starts(hour_at: Instant) -> list[tuple[int, Instant]]:
    """The days and the hours that judging an hour looks at."""
    days = [(int(Resolution.DAY), start_at) for start_at in days_needed(hour_at)]
    hours = [(int(Resolution.HOUR), start_at) for start_at in hours_needed(hour_at)]
    return [*days, *hours]


def page_of(found: PageRows) -> JudgingPage:
    """The page with its figures added up over nodes. It takes long: call it beside the event loop."""
    hours: dict[int, dict[Instant, RunFigures]] = defaultdict(dict)
    days: dict[int, dict[Instant, RunFigures]] = defaultdict(dict)
    for row in map(FigureRow._make, found.figures):
        of_job = (hours if row.resolution == Resolution.HOUR else days)[row.job_id]
        figures = figures_of(row)
        if row.start_at in of_job:
            of_job[row.start_at].merge(figures)
        else:
            of_job[row.start_at] = figures
    open_: dict[int, list[Anomaly]] = defaultdict(list)
    for anomaly in found.open:
        open_[anomaly.job_id].append(anomaly)
    return JudgingPage(jobs=found.jobs, hours=hours, days=days, open=open_, is_last=found.is_last)


def excused(tx: Tx, job_ids: Collection[int], *, since: Instant) -> Collection[int]:
    """Jobs that skipped an instant because they were to."""
    return {int(row.job_id) for row in tx.found(EXCUSED, {"since": since}, d=keys(sorted(job_ids)))}


def keep(
    tx: Tx,
    seen: JudgingProgress,
    *,
    hour_at: Instant,
    after_id: int,
    opened: Sequence[Anomaly],
    changed: Sequence[Anomaly],
    term: int | None,
) -> bool:
    """Write a page down, unless somebody else has judged since."""
    if not holds_term(tx, term):
        return False
    if not seen.ver:
        tx.change(FIRST, d=[(SUBJECT,)])
    if not tx.change(MOVE, {"seen": seen.ver, "hour_at": hour_at, "after_id": after_id}):
        return False
    tx.point("anomalies.moved")
    if opened:
        tx.change(OPENED, d=[(one.job_id, one.kind, one.began_at, one.seen_at, _written(one)) for one in opened])
    if changed:
        tx.change(CHANGED, d=sorted(_changed(one) for one in changed))
    return True


def listed(tx: Tx, wanted: AnomalyFilter, *, before_id: int | None, limit: int) -> Sequence[Anomaly]:
    """Anomalies with the names of their jobs, the newest first."""
    values: dict[str, Any] = {
        "before_id": _MANY if before_id is None else before_id,
        "since": wanted.since or 0,
        "until": _MANY if wanted.until is None else wanted.until,
        "rows": limit,
    }
    asked = {"namespace": wanted.namespace, "job_id": wanted.job_id, "kind": wanted.kind, "only_open": wanted.only_open}
    said = {name: value for name, value in asked.items() if value}
    if wanted.only_open:
        said["only_open"] = 1
    names = tuple(said)
    statement = _STATEMENTS.get(names)
    if statement is None:
        statement = _STATEMENTS[names] = _listed(*names)
    return [_named(row) for row in tx.tuples(statement, {**values, **said})]


def forget(tx: Tx, *, before: Instant, limit: int, term: int | None) -> int:
    """Delete some of the oldest."""
    found = [int(row.id) for row in tx.rows(OLDEST, {"before": before, "rows": limit})]
    if not found or not holds_term(tx, term):
        return 0
    return tx.change(DELETE, d=keys(sorted(found)))


def _job(row: Sequence[Any]) -> ComparedJob:
    job_id, namespace, name, state, next_due_at, from_end, since_at = row
    is_scheduled = next_due_at is not None or bool(from_end)
    return ComparedJob(int(job_id), namespace, name, state == "active", is_scheduled, int(since_at))


def _anomaly(row: Sequence[Any]) -> Anomaly:
    id_, job_id, kind, began_at, seen_at, quiet, ended_at, facts = row
    read: Mapping[str, int | float | str] = msgspec.json.decode(facts)
    return Anomaly(
        id=int(id_),
        job_id=int(job_id),
        kind=AnomalyKind(kind),
        began_at=int(began_at),
        seen_at=int(seen_at),
        quiet=int(quiet),
        ended_at=None if ended_at is None else int(ended_at),
        facts=read,
    )


def _named(row: Sequence[Any]) -> Anomaly:
    *own, namespace, name = row
    return replace(_anomaly(own), namespace=namespace, job=name)


def _changed(one: Anomaly) -> tuple[int, int, Instant, int, Instant | None, str]:
    return one.id, int(one.ended_at is None), one.seen_at, one.quiet, one.ended_at, _written(one)


def _written(one: Anomaly) -> str:
    return msgspec.json.encode(one.facts).decode()
