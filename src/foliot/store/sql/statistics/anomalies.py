"""Anomalies of jobs: pages of jobs with their figures are read for judging, and what was found is kept."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import msgspec

from foliot.domain.anomalies.anomaly import Anomaly, AnomalyKind
from foliot.domain.anomalies.history import days_needed, hours_needed
from foliot.domain.instants import Instant
from foliot.domain.statistics.figures import RunFigures, Spell
from foliot.domain.statistics.resolution import Resolution
from foliot.ports.store.anomalies import AnomalyFilter, ComparedJob, JudgingPage, JudgingProgress
from foliot.store.sql.cluster.leadership import UNDER_TERM, holds_term
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.statistics.figure_rows import by_set_first, read_kinds
from foliot.store.sql.statistics.node_loads import FIRST

SUBJECT: Final = "anomalies"

PROGRESS: Final = Statement("SELECT ver, at, after_id FROM history_progress WHERE subject = 'anomalies'")
MOVE: Final = Statement(
    f"""
    UPDATE history_progress SET ver = ver + 1, at = :hour_at, after_id = :after_id
    WHERE subject = 'anomalies' AND ver = :seen AND {UNDER_TERM}
    """
)
_OF_JOB: Final = -1
_OF_ANOMALY: Final = -2
_NEXT: Final = "SELECT n.id FROM jobs n WHERE n.id > :after AND n.deleted_at = 0 ORDER BY n.id LIMIT :rows"
_LAST: Final = f"(SELECT max(p.id) FROM ({_NEXT}) p)"
_FIGURES: Final = """
    SELECT s.resolution, s.job_id, s.start_at, s.runs, s.succeeded, s.failed, s.took, s.took_max_us, s.delays,
           s.delay_max_us, s.took_sketch, s.delay_sketch, s.kinds
"""
_BY_RANGE: Final = f"""
    {_FIGURES} FROM {{d}} JOIN stats s
    ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id > :after AND s.job_id <= {_LAST}
    WHERE s.is_part = 0
"""
_BY_KEY: Final = f"""
    {_FIGURES} FROM {{d}} STRAIGHT_JOIN ({_NEXT}) n STRAIGHT_JOIN stats s
    ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id = n.id AND s.is_part = 0
"""
"""MariaDB looks up keys in a join but no ranges: it would read an hour's figures of all jobs for those of a page."""
_JOBS: Final = f"""
    UNION ALL
    SELECT {_OF_JOB}, j.id, v.created_at, CASE WHEN c.state = 'active' THEN 1 ELSE 0 END,
           CASE WHEN c.next_due_at IS NOT NULL OR j.from_end <> 0 THEN 1 ELSE 0 END,
           CASE WHEN EXISTS (
             SELECT 1 FROM skips k WHERE k.job_id = j.id AND k.to_at >= :excused_since
               AND k.reason IN ('calendar', 'blackout', 'paused', 'edited')
           ) THEN 1 ELSE 0 END,
           0, 0, 0, 0, j.namespace, j.name, NULL
    FROM jobs j JOIN cursors c ON c.job_id = j.id JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
"""
_IN_RANGE: Final = f"WHERE j.id > :after AND j.id <= {_LAST} AND j.deleted_at = 0"
_IN_PAGE: Final = f"JOIN ({_NEXT}) n ON n.id = j.id"
"""MariaDB takes no end of a range from a sub-select: it would read all jobs behind the page."""
_OPEN: Final = f"""
    UNION ALL
    SELECT {_OF_ANOMALY}, a.job_id, a.began_at, a.id, a.quiet, 0, a.seen_at, 0, 0, 0, a.kind, a.facts, NULL
    FROM anomalies a WHERE a.is_open = 1 AND a.job_id > :after AND a.job_id <= {_LAST}
"""
PAGE: Final = Statement(
    f"{_BY_RANGE} {_JOBS} {_IN_RANGE} {_OPEN}",
    RowSet("d", resolution=BIGINT, start_at=BIGINT),
    sqlite=f"{by_set_first(_BY_RANGE)['sqlite']} {_JOBS} {_IN_RANGE} {_OPEN}",
    mysql=f"{_BY_KEY} {_JOBS} {_IN_PAGE} {_OPEN}",
)
"""All of a page: figures, jobs and open anomalies, each with its own meaning of the columns (`PageRow`).

Figures come first: they say what type a column has.
"""
_COLUMNS: Final = "a.id, a.job_id, a.kind, a.began_at, a.seen_at, a.quiet, a.ended_at, a.facts"
_KEEP: Final = """
    INSERT INTO anomalies (job_id, kind, is_open, began_at, seen_at, quiet, ended_at, facts)
    SELECT d.job_id, d.kind, d.is_open, d.began_at, d.seen_at, d.quiet, d.ended_at, d.facts FROM {d} WHERE true
"""
_KEPT: Final = ("is_open", "seen_at", "quiet", "ended_at", "facts")
KEEP: Final = Statement(
    f"{_KEEP} ON CONFLICT (job_id, kind, began_at) DO UPDATE SET {', '.join(f'{n} = excluded.{n}' for n in _KEPT)}",
    RowSet(
        "d",
        job_id=BIGINT,
        kind=TEXT,
        is_open=BIGINT,
        began_at=BIGINT,
        seen_at=BIGINT,
        quiet=BIGINT,
        ended_at=BIGINT,
        facts=TEXT,
    ),
    mysql=f"{_KEEP} ON DUPLICATE KEY UPDATE {', '.join(f'{n} = VALUES({n})' for n in _KEPT)}",
)
"""New ones and those that changed: which anomaly it is, its job, kind and beginning say."""
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


class PageRow(NamedTuple):
    """A row of a page: figures. Of jobs and anomalies `_job` and `_open` read the same columns in another way."""

    what: int  # a resolution, or what else it is
    job_id: int
    at: Instant
    runs: int
    succeeded: int
    failed: int
    took: int
    took_max_us: int
    delays: int
    delay_max_us: int
    took_sketch: str
    delay_sketch: str
    kinds: str | None


def page(tx: Tx, hour_at: Instant, *, after_id: int, limit: int, excused_since: Instant) -> Sequence[Sequence[Any]]:
    """The next jobs with all that judging needs of them, as the store has it."""
    asked = {"after": after_id, "rows": limit, "excused_since": excused_since}
    return tx.tuples(PAGE, asked, d=_starts(hour_at))


def _starts(hour_at: Instant) -> list[tuple[int, Instant]]:
    """The days and the hours that judging an hour looks at."""
    days = [(int(Resolution.DAY), start_at) for start_at in days_needed(hour_at)]
    hours = [(int(Resolution.HOUR), start_at) for start_at in hours_needed(hour_at)]
    return [*days, *hours]


def page_of(rows: Sequence[Sequence[Any]], *, limit: int) -> JudgingPage:
    """The page with its figures added up over nodes. It takes long: call it beside the event loop."""
    by_resolution: dict[int, dict[int, dict[Instant, RunFigures]]] = {
        Resolution.HOUR: defaultdict(dict),
        Resolution.DAY: defaultdict(dict),
    }
    jobs: list[ComparedJob] = []
    open_: dict[int, list[Anomaly]] = defaultdict(list)
    for row in map(PageRow._make, rows):
        if row.what == _OF_JOB:
            jobs.append(_job(row))
        elif row.what == _OF_ANOMALY:
            open_[row.job_id].append(_open(row))
        else:
            _count(by_resolution[row.what][row.job_id], row)
    jobs.sort()
    return JudgingPage(
        jobs=jobs,
        hours=by_resolution[Resolution.HOUR],
        days=by_resolution[Resolution.DAY],
        open=open_,
        is_last=len(jobs) < limit,
    )


def _count(of_job: dict[Instant, RunFigures], row: PageRow) -> None:
    figures = RunFigures(
        Spell(row.took, 0, row.took_max_us, row.took_sketch), Spell(row.delays, 0, row.delay_max_us, row.delay_sketch)
    )
    figures.runs = row.runs
    figures.succeeded = row.succeeded
    figures.failed = row.failed
    if row.kinds:
        figures.kinds.update(read_kinds(row.kinds))
    if row.at in of_job:
        of_job[row.at].merge(figures)
    else:
        of_job[row.at] = figures


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
    if not seen.ver:
        tx.change(FIRST, d=[(SUBJECT,)])
    if not tx.change(MOVE, {"seen": seen.ver, "hour_at": hour_at, "after_id": after_id, "term": term}):
        return False
    tx.point("anomalies.moved")
    if opened or changed:
        tx.change(KEEP, d=sorted(map(_kept, [*opened, *changed])))
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


def _job(row: PageRow) -> ComparedJob:
    _, job_id, since_at, is_active, is_scheduled, is_excused, *_, namespace, name, _ = row
    return ComparedJob(
        int(job_id), namespace, name, bool(is_active), bool(is_scheduled), int(since_at), is_excused=bool(is_excused)
    )


def _open(row: PageRow) -> Anomaly:
    _, job_id, began_at, id_, quiet, _, seen_at, *_, kind, facts, _ = row
    return _anomaly((id_, job_id, kind, began_at, seen_at, quiet, None, facts))


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


def _kept(one: Anomaly) -> tuple[Any, ...]:
    is_open = int(one.ended_at is None)
    return one.job_id, one.kind, is_open, one.began_at, one.seen_at, one.quiet, one.ended_at, _written(one)


def _written(one: Anomaly) -> str:
    return msgspec.json.encode(one.facts).decode()
