"""Runs for people: filtered pages, one by id, shards, attempts, what moves.

A page is chosen in narrow steps along one index, then its rows are fetched by id: parameters and results of rows that a
filter leaves out are never read.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from foliot.domain.instants import Instant
from foliot.domain.late_work import CATCH_UP, SURPLUS
from foliot.domain.run import DERIVED, shown_state
from foliot.domain.traces import split_reason
from foliot.domain.why.verdicts import HoldKind
from foliot.ports.store.changes import Changes
from foliot.ports.store.lookups import AttemptRow, Listing, Progress, RunFilter, RunRow, RunWait
from foliot.store.sql.firing.follow import OWN, PINNED, TRIAL
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.paging import LOOK_MAX, from_cursor, to_cursor
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.people.holds import Holds

LIVE_MAX: Final = 2000

RUN_COLUMNS: Final = """
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node"""
RUN_JOINS: Final = "JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id"

_NARROW: Final = (
    "r.id, r.job_id, r.state, r.kind, r.created_at, r.shard, r.parent_id, r.session_id, "
    "r.attempt, r.place, r.cancel_at, r.lane, r.not_before, r.serial, r.follow, r.ended_at"
)
WALK: Final = Statement(f"SELECT {_NARROW} FROM runs r WHERE r.id < :before ORDER BY r.id DESC LIMIT :rows")
_OF_JOB: Final = f"SELECT {_NARROW} FROM runs r WHERE r.job_id = {{}} AND r.id < :before ORDER BY r.id DESC LIMIT :rows"
# PostgreSQL must not know which job it is: of one that has many of the newest runs it would look for the older ones by
# walking the whole table backwards.
WALK_JOB: Final = Statement(_OF_JOB.format(":job_id"), postgresql=_OF_JOB.format("(SELECT CAST(:job_id AS integer))"))
# "+r.id" keeps planners off the primary key: the partial index of live runs is small, the table is not.
WALK_LIVE: Final = Statement(
    f"SELECT {_NARROW} FROM runs r WHERE r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND +r.id < :before "
    "ORDER BY +r.id DESC LIMIT :rows"
)
FETCH: Final = Statement(
    f"SELECT {RUN_COLUMNS} FROM {{d}} JOIN runs r ON r.id = d.id {RUN_JOINS}", RowSet("d", id=BIGINT)
)
ONE: Final = Statement(
    f"SELECT {RUN_COLUMNS}, n.progress, n.last_beat_at, c.progress AS called, c.told_at, c.ended_at AS by_callback_at "
    f"FROM runs r {RUN_JOINS} "
    "LEFT JOIN callbacks c ON c.run_id = r.id AND c.lease_id = coalesce(r.lease_id, r.last_lease_id) WHERE r.id = :id"
)
SHARDS: Final = Statement(
    f"SELECT {RUN_COLUMNS} FROM runs r {RUN_JOINS} WHERE r.parent_id = :id ORDER BY r.shard, r.id LIMIT :rows"
)
JOBS: Final = Statement(
    "SELECT j.id, j.namespace, v.definition FROM {d} JOIN jobs j ON j.id = d.id "
    "JOIN job_versions v ON v.job_id = j.id AND v.version = j.version",
    RowSet("d", id=BIGINT),
)
NODES: Final = Statement("SELECT n.id, n.name FROM {d} JOIN nodes n ON n.id = d.id", RowSet("d", id=TEXT))
AT_OR_ABOVE: Final = Statement("SELECT id, created_at FROM runs WHERE id >= :id ORDER BY id LIMIT 1")
BOUNDS: Final = Statement("SELECT coalesce(min(id), 0) AS low, coalesce(max(id), 0) AS high FROM runs")
ATTEMPTS: Final = Statement(
    "SELECT a.attempt, a.cause, n.name AS node, a.session_id, a.fence, a.leased_at, a.started_at, a.ended_at, a.error, "
    "a.error_type FROM attempts a LEFT JOIN nodes n ON n.id = a.session_id WHERE a.run_id = :id ORDER BY a.attempt"
)
FIRST_STARTS: Final = Statement(
    "SELECT a.run_id, min(a.started_at) AS at FROM {d} JOIN attempts a ON a.run_id = d.id GROUP BY a.run_id",
    RowSet("d", id=BIGINT),
)
NEWER: Final = Statement(f"SELECT {RUN_COLUMNS} FROM runs r {RUN_JOINS} WHERE r.id > :after ORDER BY r.id LIMIT :rows")
LIVE: Final = Statement(
    f"SELECT {RUN_COLUMNS} FROM (SELECT * FROM runs WHERE state = 'RUNNING' {{and_running}} LIMIT :rows) r {RUN_JOINS}"
)
NEWEST: Final = Statement("SELECT coalesce(max(id), 0) FROM runs")

_ID_MAX: Final = 2**63 - 1


class _Told(msgspec.Struct):
    """`nodes.progress` as far as people ask."""

    runs: dict[str, str] = {}
    waits: dict[str, RunWait] = {}


class _Said(msgspec.Struct):
    """What a run says of itself."""

    done: int
    total: int | None = None
    note: str = ""


_told: Final = msgspec.json.Decoder(_Told)
_said: Final = msgspec.json.Decoder(_Said)
_LIVE_STATES: Final = frozenset({"PENDING", "RUNNING", *DERIVED})
_BY_HOLD: Final = frozenset({"HELD", "RETRYING"})  # shown states that depend on what keeps a run


def list_runs(tx: Tx, wanted: RunFilter, *, limit: int, cursor: str | None) -> Listing[RunRow]:
    """One page of runs, newest first."""
    key = from_cursor(cursor, "runs", int)
    before = key[0] if key else _ID_MAX
    # What ended before an instant was created before it. How long before is not known: the walk goes on, page by page.
    for bound in (wanted.until, wanted.ended_until):
        if bound is not None:
            before = min(before, _first_id_from(tx, bound))
    chosen: list[int] = []
    holds = Holds(tx)
    looked = 0
    while looked < LOOK_MAX:
        step = min(LOOK_MAX - looked, max(2 * limit, looked))
        rows = _walked(tx, wanted, before, step)
        looked += step
        for row in _wanted(tx, rows, wanted, holds):
            if len(chosen) == limit:
                return Listing(items=_fetched(tx, chosen, holds), next_cursor=to_cursor("runs", chosen[-1]))
            chosen.append(row.id)
        if len(rows) < step or (wanted.since is not None and rows[-1].created_at < wanted.since):
            return Listing(items=_fetched(tx, chosen, holds))
        before = rows[-1].id
    return Listing(items=_fetched(tx, chosen, holds), next_cursor=to_cursor("runs", before))


def find_run(tx: Tx, run_id: int, *, with_hold: bool = False) -> RunRow | None:
    """One run; `with_hold`: with what keeps it from starting."""
    rows = tx.rows(ONE, {"id": run_id})
    if not rows:
        return None
    progress, waits = _told_of(rows[0]) if rows[0].state == "RUNNING" else (None, None)
    (run,) = _with_first_starts(tx, [run_row(rows[0])])
    hold = Holds(tx).of(rows).get(run_id) if with_hold else None
    return replace(run, progress=progress, waits=waits, hold=hold, by_callback_at=rows[0].by_callback_at)


def runs_of(tx: Tx, run_ids: Sequence[int]) -> Sequence[RunRow]:
    """The runs of these ids, without what keeps them; those that are gone are left out."""
    return [run_row(row) for row in tx.found(FETCH, d=keys(run_ids))]


def list_shards(tx: Tx, run_id: int, *, limit: int, with_holds: bool = False) -> Sequence[RunRow]:
    """The children of a sharded run: shards in order, the merge run among them."""
    rows = tx.rows(SHARDS, {"id": run_id, "rows": limit})
    return _with_holds(tx, rows, Holds(tx)) if with_holds else [run_row(row) for row in rows]


def list_attempts(tx: Tx, run_id: int) -> Sequence[AttemptRow]:
    """Every try of a run, oldest first: those that ended without success, and the one its own row tells of."""
    rows = [attempt_row(row) for row in tx.rows(ATTEMPTS, {"id": run_id})]
    run = find_run(tx, run_id)
    known = {row.attempt for row in rows}
    if run is None or run.leased_at is None or run.attempt in known or run.attempt == 0 or run.session is None:
        return rows
    last = AttemptRow(
        attempt=run.attempt,
        cause="succeeded" if run.state == "SUCCEEDED" else None,
        node=run.node,
        session=run.session,
        fence=run.fence or 0,
        leased_at=run.leased_at,
        started_at=run.started_at,
        ended_at=run.ended_at,
        error=run.error,
        error_type=run.error_type,
    )
    return [*rows, last]


def changes(tx: Tx, *, after_id: int, limit: int) -> Changes:
    """Runs newer than an id, and those that execute now."""
    created = tx.rows(NEWER, {"after": after_id, "rows": limit})
    live = tx.rows(LIVE, {"rows": LIVE_MAX})
    return Changes(
        now=tx.now(),
        created=[run_row(row) for row in created],
        live={row.id: run_row(row) for row in live},
        newest_id=int(tx.value(NEWEST)),
    )


def _shown(row: Any, holds: Mapping[int, HoldKind]) -> str:
    hold = holds.get(row.id)
    is_held = hold is not None and hold.is_held
    is_asked_to_stop = row.cancel_at is not None
    return shown_state(row.state, attempt=row.attempt, is_held=is_held, is_asked_to_stop=is_asked_to_stop)


def _walked(tx: Tx, wanted: RunFilter, before: int, rows: int) -> Sequence[Any]:
    step = {"before": before, "rows": rows}
    if wanted.job_ids:
        walks: list[Any] = []
        for job_id in wanted.job_ids:
            walks += tx.rows(WALK_JOB, {"job_id": job_id, **step})
        walks.sort(key=lambda row: row.id, reverse=True)
        return walks[:rows]
    is_live = bool(wanted.states) and _LIVE_STATES.issuperset(wanted.states)
    walk = WALK_LIVE if is_live and not wanted.shards else WALK
    return tx.rows(walk, step)


def _wanted(tx: Tx, rows: Sequence[Any], wanted: RunFilter, holds: Holds) -> Iterable[Any]:
    held = holds.of(rows) if _BY_HOLD.intersection(wanted.states) else {}
    kept = [
        row
        for row in rows
        if (not wanted.states or row.state in wanted.states or _shown(row, held) in wanted.states)
        and (not wanted.kinds or row.kind in wanted.kinds)
        and (wanted.shards or (row.shard == -1 and row.parent_id is None))
        and (wanted.since is None or row.created_at >= wanted.since)
        and (wanted.until is None or row.created_at < wanted.until)
        and _has_ended_within(row.ended_at, wanted)
        and (wanted.tests is None or wanted.tests == bool(row.follow & TRIAL))
    ]
    if wanted.node is not None:
        sessions = {row.session_id for row in kept if row.session_id is not None}
        names = tx.pairs(NODES, d=keys(sorted(sessions)))
        kept = [row for row in kept if wanted.node in (names.get(row.session_id), row.session_id)]
    if wanted.namespace is not None or wanted.labels:
        fitting = _fitting_jobs(tx, {row.job_id for row in kept}, wanted)
        kept = [row for row in kept if row.job_id in fitting]
    return kept


def _has_ended_within(ended_at: Instant | None, wanted: RunFilter) -> bool:
    if wanted.ended_since is None and wanted.ended_until is None:
        return True
    if ended_at is None:
        return False
    return (wanted.ended_since or 0) <= ended_at and (wanted.ended_until is None or ended_at < wanted.ended_until)


def _fitting_jobs(tx: Tx, job_ids: Iterable[int], wanted: RunFilter) -> frozenset[int]:
    fitting = set()
    for row in tx.found(JOBS, d=keys(sorted(job_ids))):
        if wanted.namespace is not None and row.namespace != wanted.namespace:
            continue
        if not wanted.labels or _has_labels(row.definition, wanted.labels):
            fitting.add(row.id)
    return frozenset(fitting)


def _has_labels(definition: str, labels: Mapping[str, str]) -> bool:
    """Whether a definition, as JSON, has these tags."""
    tags: Mapping[str, str] = msgspec.json.decode(definition).get("tags") or {}
    return all(tags.get(key) == value for key, value in labels.items())


def _fetched(tx: Tx, ids: Sequence[int], holds: Holds) -> Sequence[RunRow]:
    """Runs by id, in the order given; those that are gone are left out."""
    found = _with_holds(tx, tx.found(FETCH, d=keys(ids)), holds)
    by_id = {run.run_id: run for run in found}
    return [by_id[run_id] for run_id in ids if run_id in by_id]


def _with_holds(tx: Tx, rows: Sequence[Any], holds: Holds) -> Sequence[RunRow]:
    held = holds.of(rows)
    return _with_first_starts(tx, [replace(run_row(row), hold=held.get(row.id)) for row in rows])


def _with_first_starts(tx: Tx, runs: Sequence[RunRow]) -> Sequence[RunRow]:
    """The same runs; those with an earlier attempt also say when the first one started."""
    tried = [(run.run_id,) for run in runs if run.attempt > 1 or (run.attempt == 1 and run.state == "PENDING")]
    if not tried:
        return runs
    first = {row.run_id: row.at for row in tx.rows(FIRST_STARTS, d=tried)}
    return [replace(run, first_started_at=first.get(run.run_id)) for run in runs]


def _first_id_from(tx: Tx, instant: Instant) -> int:
    """About the first id created at or after an instant: ids rise with time, so halving finds it in some 40 looks."""
    low, high = (int(bound) for bound in tx.rows(BOUNDS)[0])
    high += 1
    while low < high:
        middle = (low + high) // 2
        found = tx.rows(AT_OR_ABOVE, {"id": middle})
        if not found or found[0].created_at >= instant:
            high = middle
        else:
            low = found[0].id + 1
    return low + LOOK_MAX // 20  # some commits overtake others; the filter is exact


def run_row(row: Any) -> RunRow:
    """A run from its row."""
    return RunRow(
        run_id=row.id,
        job_id=row.job_id,
        namespace=row.namespace,
        job=row.job,
        version=row.version,
        fire_key=row.fire_key,
        shard=row.shard,
        parent_id=row.parent_id,
        open_children=row.open_children,
        due_at=row.due_at,
        not_before=row.not_before,
        lane=row.lane,
        catch_up=row.paced == CATCH_UP,
        is_surplus=row.paced == SURPLUS,
        priority=row.priority,
        serial=bool(row.serial),
        place=row.place,
        parked=row.parked == 1,
        state=row.state,
        kind=row.kind,
        ver=row.ver,
        attempt=row.attempt,
        failures=row.failures,
        deaths=row.deaths,
        created_at=row.created_at,
        cancel_at=row.cancel_at,
        session=row.session_id,
        node=row.node,
        fence=row.fence,
        leased_at=row.leased_at,
        started_at=row.started_at,
        deadline_at=row.deadline_at,
        ended_at=row.ended_at,
        triggered_by=row.triggered_by,
        reason=split_reason(row.reason)[0],
        params=row.params,
        result=row.result,
        error=row.error,
        error_type=row.error_type,
        is_pinned=bool(row.follow & PINNED),
        is_own=bool(row.follow & OWN),
        cancelled_by=row.cancelled_by,
        cancel_reason=row.cancel_reason,
        assigned_to=row.assigned_to,
        assigned_until=row.assigned_until,
        assigned_before=tuple(row.assigned_before.split(",")) if row.assigned_before else (),
    )


def _told_of(row: Any) -> tuple[Progress | None, RunWait | None]:
    """What the run told its worker, and that the store, with its last beat; what a callback told counts more."""
    try:
        told = _told.decode(row.progress or "{}")
    except msgspec.DecodeError:  # an older server kept whatever it was told
        return None, None
    waits = told.waits.get(str(row.id))
    if row.called is not None:
        return _progress(row.called, row.told_at), waits
    return _progress(told.runs.get(str(row.id)), row.last_beat_at), waits


def _progress(told: str | None, told_at: Instant) -> Progress | None:
    if told is None:
        return None
    try:
        said = _said.decode(told)
    except msgspec.DecodeError:
        return None
    return Progress(done=said.done, total=said.total, note=said.note, told_at=told_at)


def attempt_row(row: Any) -> AttemptRow:
    """A try from its row."""
    return AttemptRow(
        attempt=row.attempt,
        cause=row.cause,
        node=row.node,
        session=row.session_id,
        fence=row.fence,
        leased_at=row.leased_at,
        started_at=row.started_at,
        ended_at=row.ended_at,
        error=row.error,
        error_type=row.error_type,
    )
