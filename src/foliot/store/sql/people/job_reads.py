"""Jobs for people: filtered pages, one by name, versions, search."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from foliot.domain.instants import MINUTE, Instant
from foliot.domain.sources import Retirement
from foliot.domain.why.verdicts import HoldKind
from foliot.ports.store.lookups import RETIRED, TESTED, JobFilter, JobRow, LastRun, Listing, VersionRow
from foliot.store.sql.firing.follow import is_no_test
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.paging import LOOK_MAX, from_cursor, to_cursor
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.people import ranking
from foliot.store.sql.people.holds import Holds
from foliot.store.sql.people.strips import strips_of

SEARCH_AMONG: Final = 20_000

_COLUMNS: Final = """
    j.id, j.namespace, j.name, j.deleted_at, j.version, j.source, j.pause_reason, j.paused_by, j.paused_at,
    j.created_at, j.updated_at, j.source_module, j.undeclared_at, j.retirement, j.renamed_to,
    v.hash, v.definition, v.created_by, c.state, c.next_at, c.next_due_at, c.remaining, c.trouble"""
_JOINS: Final = """
    JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
    JOIN cursors c ON c.job_id = j.id"""

ONE: Final = Statement(
    f"SELECT {_COLUMNS} FROM jobs j {_JOINS} WHERE j.namespace = :namespace AND j.name = :name AND j.deleted_at = 0"
)
# A page is chosen along one index, by key alone; joins and definitions come in a second statement, for its rows only.
# In one, a planner that does not know the limit reads whole tables for it.
BY_NAME_IN: Final = Statement(
    "SELECT id, namespace, name FROM jobs WHERE namespace = :namespace AND name > :name AND deleted_at = 0 "
    "ORDER BY {one_namespace} name LIMIT :rows"
)
BY_NAME: Final = Statement(
    "SELECT id, namespace, name FROM jobs WHERE (namespace, name) > (:namespace, :name) AND deleted_at = 0 "
    "ORDER BY namespace, name LIMIT :rows",
    mysql="SELECT id, namespace, name FROM jobs WHERE (namespace > :namespace OR (namespace = :namespace AND "
    "name > :name)) AND deleted_at = 0 ORDER BY namespace, name LIMIT :rows",
)
# For a filter by text, state or lateness. It may let through some too many: the filter that decides is in Python.
_NARROWED: Final = """
    SELECT j.id, j.namespace, j.name FROM (
      SELECT id, namespace, name, version FROM jobs {hint}
      WHERE {after} AND namespace <= :high AND deleted_at = 0 ORDER BY namespace, name LIMIT {among}
    ) j {joins}
    WHERE (lower(j.name) LIKE :pattern ESCAPE '!' OR lower(v.definition) LIKE :pattern ESCAPE '!'
           OR ((j.name LIKE :sharp OR j.name LIKE :capital_sharp) AND lower(j.name) LIKE :folded ESCAPE '!')
           OR ((v.definition LIKE :sharp OR v.definition LIKE :capital_sharp)
               AND lower(v.definition) LIKE :folded ESCAPE '!'))
      AND c.state LIKE :state AND coalesce(c.next_at, 0) < :due_before
    ORDER BY j.namespace, j.name LIMIT :rows"""
# PostgreSQL would rather read the versions of all jobs: a limit inside keeps it at those of the jobs it looks at.
_JOB_BY_JOB: Final = """
    CROSS JOIN LATERAL (SELECT * FROM job_versions WHERE job_id = j.id AND version = j.version LIMIT 1) v
    CROSS JOIN LATERAL (SELECT * FROM cursors WHERE job_id = j.id LIMIT 1) c"""
_EDGE: Final = """
    SELECT id, namespace, name FROM jobs WHERE {after} AND namespace <= :high AND deleted_at = 0
    ORDER BY namespace, name LIMIT 1 OFFSET {last}"""
_AFTER: Final = "(namespace, name) > (:namespace, :name)"
_AFTER_MYSQL: Final = "(namespace > :namespace OR (namespace = :namespace AND name > :name))"


def narrowed_among(jobs: int) -> Statement:
    """What matches among so many jobs."""
    return Statement(
        _NARROWED.format(among=jobs, after=_AFTER, joins=_JOINS, hint=""),
        mysql=_NARROWED.format(among=jobs, after=_AFTER_MYSQL, joins=_JOINS, hint="FORCE INDEX (jobs_name)"),
        postgresql=_NARROWED.format(among=jobs, after=_AFTER, joins=_JOB_BY_JOB, hint=""),
    )


def edge_of(jobs: int) -> Statement:
    """The last of the jobs that are looked at; no such one: all that are left."""
    return Statement(_EDGE.format(last=jobs - 1, after=_AFTER), mysql=_EDGE.format(last=jobs - 1, after=_AFTER_MYSQL))


NARROWED: Final = narrowed_among(SEARCH_AMONG)
EDGE: Final = edge_of(SEARCH_AMONG)
BY_NEXT: Final = Statement(
    "SELECT job_id AS id, next_at FROM cursors WHERE (next_at, job_id) > (:next_at, :job_id) "
    "ORDER BY next_at, job_id LIMIT :rows",
    mysql="SELECT job_id AS id, next_at FROM cursors WHERE (next_at > :next_at OR (next_at = :next_at AND "
    "job_id > :job_id)) ORDER BY next_at, job_id LIMIT :rows",
)
BY_NAMES: Final = Statement(
    """
    SELECT jobs.id, jobs.namespace, jobs.name FROM {d}
    JOIN jobs ON jobs.namespace = d.namespace AND jobs.name = d.name AND jobs.deleted_at = 0
    """,
    RowSet("d", namespace=TEXT, name=TEXT),
)
BY_ID: Final = Statement(f"SELECT {_COLUMNS} FROM {{d}} JOIN jobs j ON j.id = d.id {_JOINS}", RowSet("d", id=BIGINT))
LAST_RUNS: Final = Statement(
    f"""
    SELECT r.id, r.job_id, r.state, r.kind, r.created_at, r.started_at, r.ended_at, r.attempt, r.place, r.cancel_at,
           r.parent_id, r.lane, r.not_before, r.serial
    FROM {{d}} JOIN runs r ON r.id = (
      SELECT q.id FROM runs q
      WHERE q.job_id = d.job_id AND q.shard = -1 AND q.parent_id IS NULL AND {is_no_test("q")}
      ORDER BY q.id DESC LIMIT 1
    )
    """,
    RowSet("d", job_id=BIGINT),
)
NAMESAKES: Final = Statement(
    f"""
    SELECT id, source FROM jobs WHERE namespace = :namespace AND name = :name
    ORDER BY CASE WHEN deleted_at = 0 THEN 0 WHEN source = '{TESTED}' THEN 2 ELSE 1 END, id DESC LIMIT :rows
    """
)
NAMES: Final = Statement("SELECT namespace, name FROM jobs WHERE deleted_at = 0 ORDER BY namespace, name LIMIT :rows")
NAMES_IN: Final = Statement(
    "SELECT namespace, name FROM jobs WHERE namespace = :namespace AND deleted_at = 0 ORDER BY name LIMIT :rows"
)
VERSION_COLUMNS: Final = "version, hash, definition, created_at, created_by, reason"
VERSIONS: Final = Statement(
    f"SELECT {VERSION_COLUMNS} FROM job_versions "
    "WHERE job_id = :job_id AND version < :before ORDER BY version DESC LIMIT :rows"
)
VERSION: Final = Statement(f"SELECT {VERSION_COLUMNS} FROM job_versions WHERE job_id = :job_id AND version = :version")
SEARCH: Final = Statement(
    f"""
    SELECT {_COLUMNS} FROM (
      SELECT * FROM jobs WHERE namespace >= :low AND namespace <= :high AND deleted_at = 0
      ORDER BY namespace, name LIMIT {SEARCH_AMONG}
    ) j {_JOINS}
    WHERE lower(j.name) LIKE :pattern ESCAPE '!' OR lower(v.definition) LIKE :pattern ESCAPE '!'
    ORDER BY CASE WHEN lower(j.name) LIKE :prefix ESCAPE '!' THEN 0
                  WHEN lower(j.name) LIKE :pattern ESCAPE '!' THEN 1 ELSE 2 END, j.namespace, j.name
    LIMIT :rows
    """
)
_VERSION_MAX: Final = 2**31 - 1
_QUOTED: Final = '"\\'
_NEVER: Final[Instant] = 2**62
_LAST_NAMESPACE: Final = "\U0010ffff"


def list_jobs(tx: Tx, wanted: JobFilter, *, limit: int, cursor: str | None) -> Listing[JobRow]:
    """One page of jobs by name, by next instant, or by how their latest runs went."""
    found, next_cursor = _page(tx, wanted, limit, cursor)
    shown: list[JobRow] = []
    for key, job in found[:limit]:
        shown.append(replace(job, rank=getattr(key, "rank", None)))
    if len(found) > limit:
        last_shown, _ = found[limit - 1]
        next_cursor = _cursor_of(last_shown, wanted.sort)
    jobs = with_last_runs(tx, shown, with_holds=True)
    if wanted.strip:
        jobs = with_strips(tx, jobs, length=wanted.strip)
    return Listing(items=jobs, next_cursor=next_cursor)


def _page(tx: Tx, wanted: JobFilter, limit: int, cursor: str | None) -> tuple[list[tuple[Any, JobRow]], str | None]:
    """Jobs that the filter lets through, each with its key, and where to look on.

    Of a filter the steps grow until there is one job more than a page holds, or `LOOK_MAX` jobs were looked at.
    """
    of_one_namespace = wanted.sort != "name" and wanted.namespace is not None
    is_choosy = _is_choosy(wanted) or of_one_namespace
    step = limit + 1 if is_choosy else limit
    found: list[tuple[Any, JobRow]] = []
    looked = 0
    while True:
        looked_at, is_last = _keys(tx, wanted, step, cursor)
        found += _wanted(tx, looked_at, wanted)
        looked += len(looked_at)
        if is_last:
            return found, None
        cursor = _cursor_of(looked_at[-1], wanted.sort)
        if not is_choosy or len(found) > limit or looked >= LOOK_MAX:
            return found, cursor
        step = min(LOOK_MAX - looked, 4 * step)


def _wanted(tx: Tx, looked_at: Sequence[Any], wanted: JobFilter) -> list[tuple[Any, JobRow]]:
    """Those of these jobs that the filter lets through, each with its key."""
    rows = tx.found(BY_ID, d=keys(key.id for key in looked_at))
    jobs = {row.id: _job(row) for row in rows}
    now = tx.now()
    found: list[tuple[Any, JobRow]] = []
    for key in looked_at:
        job = jobs.get(key.id)
        if job is not None and _is_wanted(job, wanted, now):
            found.append((key, job))
    if not wanted.failing:
        return found
    last = _last_runs(tx, [job for _, job in found])
    failing = {job_id for job_id, run in last.items() if run.state == "FAILED"}
    return [(key, job) for key, job in found if job.job_id in failing]


def find_job(tx: Tx, namespace: str, name: str, *, with_hold: bool = False, strip: int = 0) -> JobRow | None:
    """The job of this name, with its newest run that is no test; `with_hold`: and with what keeps that."""
    job = present_job(tx, namespace, name)
    if job is None:
        return None
    jobs = with_last_runs(tx, [job], with_holds=with_hold)
    if strip:
        jobs = with_strips(tx, jobs, length=strip)
    return jobs[0]


def present_job(tx: Tx, namespace: str, name: str) -> JobRow | None:
    """The job of this name."""
    rows = tx.rows(ONE, {"namespace": namespace, "name": name})
    return _job(rows[0]) if rows else None


def job_ids(tx: Tx, namespace: str, name: str, limit: int, *, with_tests: bool = True) -> Sequence[int]:
    """The jobs that have this name or had it: the present one, then those deleted last, then unsaved tests of it."""
    namesakes = tx.rows(NAMESAKES, {"namespace": namespace, "name": name, "rows": limit})
    return [row.id for row in namesakes if with_tests or row.source != TESTED]


def job_names(tx: Tx, namespace: str | None, limit: int) -> Sequence[tuple[str, str]]:
    """(namespace, name), in order."""
    if namespace is None:
        rows = tx.rows(NAMES, {"rows": limit})
    else:
        rows = tx.rows(NAMES_IN, {"namespace": namespace, "rows": limit})
    return [(row.namespace, row.name) for row in rows]


def list_versions(tx: Tx, job_id: int, *, limit: int, before: int | None) -> Sequence[VersionRow]:
    """Versions of a job, newest first."""
    values = {"job_id": job_id, "before": _VERSION_MAX if before is None else before, "rows": limit}
    return [version_row(row) for row in tx.rows(VERSIONS, values)]


def find_version(tx: Tx, job_id: int, version: int) -> VersionRow | None:
    """One version of a job."""
    rows = tx.rows(VERSION, {"job_id": job_id, "version": version})
    return version_row(rows[0]) if rows else None


def search_jobs(tx: Tx, text: str, *, namespace: str | None, limit: int) -> Sequence[JobRow]:
    """Jobs whose name, description, owner or anything else of the definition holds the text; names first."""
    escaped = "".join(f"!{letter}" if letter in "!%_" else letter for letter in text.lower())
    values = {
        "low": namespace if namespace is not None else "",
        "high": namespace if namespace is not None else _LAST_NAMESPACE,
        "pattern": f"%{escaped}%",
        "prefix": f"{escaped}%",
        "rows": limit,
    }
    return with_last_runs(tx, [_job(row) for row in tx.rows(SEARCH, values)])


def jobs_of(tx: Tx, ids: Sequence[int]) -> Sequence[JobRow]:
    """Jobs by their ids, in this order, with their newest runs; those that are gone are left out."""
    return with_last_runs(tx, bare_jobs(tx, ids), with_holds=True)


def bare_jobs(tx: Tx, ids: Sequence[int]) -> Sequence[JobRow]:
    """Jobs by their ids, in this order, without their runs; those that are gone are left out."""
    rows = tx.found(BY_ID, d=keys(ids))
    found = {row.id: _job(row) for row in rows}
    return [found[job_id] for job_id in ids if job_id in found]


def with_strips(tx: Tx, jobs: Sequence[JobRow], *, length: int) -> Sequence[JobRow]:
    """The same jobs, each with its latest runs."""
    strips = strips_of(tx, [job.job_id for job in jobs], length=length)
    return [replace(job, strip=strips.get(job.job_id, ())) for job in jobs]


def with_last_runs(tx: Tx, jobs: Sequence[JobRow], *, with_holds: bool = False) -> Sequence[JobRow]:
    """The same jobs with their newest runs that are no tests."""
    last = _last_runs(tx, jobs, with_holds=with_holds)
    return [replace(job, last_run=last.get(job.job_id)) for job in jobs]


def _last_runs(tx: Tx, jobs: Sequence[JobRow], *, with_holds: bool = False) -> Mapping[int, LastRun]:
    rows = tx.found(LAST_RUNS, d=keys(job.job_id for job in jobs))
    held = Holds(tx).of(rows) if with_holds else {}
    return {row.job_id: _last_run(row, held.get(row.id)) for row in rows}


def _keys(tx: Tx, wanted: JobFilter, look: int, cursor: str | None) -> tuple[Sequence[Any], bool]:
    """The next keys in the order of the list, and whether there are no more."""
    if wanted.sort == "name" and wanted.names:
        return _named(tx, wanted.names, cursor), True
    if wanted.sort == "name" and (wanted.text or wanted.states or wanted.late):
        return _narrowed(tx, wanted, look, cursor)
    if wanted.sort in ranking.SORTS:
        found = ranking.ranked(tx, wanted.sort, look, cursor)
    elif wanted.sort == "next":
        found = _by_next(tx, look, cursor)
    else:
        found = _by_name(tx, wanted.namespace, look, cursor)
    return found, len(found) < look


def _named(tx: Tx, names: Sequence[tuple[str, str]], cursor: str | None) -> Sequence[Any]:
    """The keys of the jobs of these names behind a cursor. They are few: the filter bounds their number."""
    after_namespace, after_name = from_cursor(cursor, "jobs", str, str) or ("", "")
    after = _place(after_namespace, after_name)
    rows = tx.found(BY_NAMES, d=sorted(set(names)))
    found = sorted(rows, key=lambda row: _place(row.namespace, row.name))
    return [row for row in found if _place(row.namespace, row.name) > after]


def _place(namespace: str, name: str) -> tuple[bytes, bytes]:
    """Where a job stands in a list by name: databases compare names by bytes."""
    return namespace.encode(), name.encode()


def _narrowed(tx: Tx, wanted: JobFilter, look: int, cursor: str | None) -> tuple[Sequence[Any], bool]:
    first = (wanted.namespace or "", "")
    after_namespace, after_name = from_cursor(cursor, "jobs", str, str) or first
    place = {
        "namespace": after_namespace,
        "name": after_name,
        "high": wanted.namespace if wanted.namespace is not None else _LAST_NAMESPACE,
    }
    states = {"paused" if state == RETIRED else state for state in wanted.states}
    values = {
        "pattern": _pattern(wanted.text or ""),
        "folded": _pattern(_folded(wanted.text or "")),
        "sharp": "%ß%",
        "capital_sharp": "%ẞ%",
        "state": states.pop() if len(states) == 1 else "%",
        "due_before": tx.now() - MINUTE if wanted.late else _NEVER,
        "rows": look,
    }
    found = list(tx.rows(NARROWED, {**place, **values}))
    if len(found) == look:
        return found, False
    edge = tx.rows(EDGE, place)
    is_found = bool(edge and found) and edge[0].id == found[-1].id
    return (found if is_found else [*found, *edge]), not edge


def _folded(text: str) -> str:
    """The text with `ß` for each `ss`, which a pattern leaves open: whoever types "ss" means either."""
    return text.casefold().replace("ss", "ß")


def _pattern(text: str) -> str:
    """A pattern for whatever holds the text: `%` stands for what databases or JSON write in their own way."""
    letters: list[str] = []
    for letter in text.lower():
        if not letter.isascii() or not letter.isprintable() or letter in _QUOTED:
            letters.append("%")
        else:
            letters.append(f"!{letter}" if letter in "!%_" else letter)
    return f"%{''.join(letters)}%"


def _by_name(tx: Tx, namespace: str | None, look: int, cursor: str | None) -> Sequence[Any]:
    after_namespace, after_name = from_cursor(cursor, "jobs", str, str) or ("", "")
    after = {"name": after_name, "rows": look}
    if namespace is None:
        return tx.rows(BY_NAME, {**after, "namespace": after_namespace})
    return tx.rows(BY_NAME_IN, {**after, "namespace": namespace})


def _by_next(tx: Tx, look: int, cursor: str | None) -> Sequence[Any]:
    after_at, after_job = from_cursor(cursor, "next", int, int) or (-1, 0)
    return tx.rows(BY_NEXT, {"next_at": after_at, "job_id": after_job, "rows": look})


def _cursor_of(row: Any, sort: str) -> str:
    if sort in ranking.SORTS:
        return ranking.cursor_of(sort, row)
    return to_cursor("next", row.next_at, row.id) if sort == "next" else to_cursor("jobs", row.namespace, row.name)


def _is_choosy(wanted: JobFilter) -> bool:
    return bool(
        wanted.states
        or wanted.owner is not None
        or wanted.group is not None
        or wanted.labels
        or wanted.text
        or wanted.names
        or wanted.failing
        or wanted.late
    )


def _is_wanted(job: JobRow, wanted: JobFilter, now: Instant) -> bool:
    document = job.document
    if job.is_deleted:
        return False
    if wanted.namespace is not None and job.namespace != wanted.namespace:
        return False
    if wanted.names and (job.namespace, job.name) not in wanted.names:
        return False
    if wanted.owner is not None and document.get("owner", "") != wanted.owner:
        return False
    if wanted.group is not None and document.get("group", "default") != wanted.group:
        return False
    if wanted.text and not _holds(job, wanted.text.casefold()):
        return False
    if wanted.late and not _is_late(job, now):
        return False
    return _has_state(job, wanted.states) and _has_labels(document.get("tags") or {}, wanted.labels)


def _has_state(job: JobRow, states: Collection[str]) -> bool:
    """Whether a job is in one of these states; none means any. A retired job is paused as well."""
    is_retired = job.retired_at is not None
    return not states or job.state in states or (is_retired and RETIRED in states)


def _is_late(job: JobRow, now: Instant) -> bool:
    return job.state == "active" and job.next_at is not None and job.next_at < now - MINUTE


def _has_labels(tags: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    return all(tags.get(key) == value for key, value in labels.items())


def _holds(job: JobRow, text: str) -> bool:
    texts: Iterable[str] = (job.name, job.document.get("description", ""), job.document.get("owner", ""))
    return any(text in part.casefold() for part in texts)


def _job(row: Any) -> JobRow:
    paused = row.state == "paused"
    is_retired = paused and row.retirement == Retirement.RETIRED
    return JobRow(
        job_id=row.id,
        namespace=row.namespace,
        name=row.name,
        version=row.version,
        hash=row.hash,
        source=row.source,
        document=msgspec.json.decode(row.definition),
        state=row.state,
        next_at=None if paused else row.next_at,
        next_due_at=row.next_due_at,
        remaining=row.remaining,
        created_at=row.created_at,
        updated_at=row.updated_at,
        updated_by=row.created_by,
        paused_at=row.paused_at if paused else None,
        paused_until=row.next_at if paused else None,
        pause_reason=(row.pause_reason or "") if paused else "",
        paused_by=row.paused_by if paused else None,
        trouble=row.trouble,
        module=row.source_module,
        retired_at=row.undeclared_at if is_retired else None,
        renamed_to=row.renamed_to if is_retired else None,
        is_deleted=bool(row.deleted_at),
    )


def _last_run(row: Any, hold: HoldKind | None) -> LastRun:
    return LastRun(
        run_id=row.id,
        state=row.state,
        hold=hold,
        attempt=row.attempt,
        cancel_at=row.cancel_at,
        kind=row.kind,
        created_at=row.created_at,
        started_at=row.started_at,
        ended_at=row.ended_at,
    )


def version_row(row: Any) -> VersionRow:
    """A version from its row."""
    return VersionRow(
        version=row.version,
        hash=row.hash,
        document=msgspec.json.decode(row.definition),
        created_at=row.created_at,
        created_by=row.created_by,
        reason=row.reason,
    )
