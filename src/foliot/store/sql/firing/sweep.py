"""The sweep at each pulse: due triggers get their place in line, heads of lines are un-parked (R23).

Hints, never rights: leasing alone keeps serial jobs serial. An insert and an end that cannot see each other may leave a
head parked with nobody to un-park it; the sweep finds it.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.clocks import ClockDoubt
from foliot.domain.instants import Instant
from foliot.domain.job import LoadedJob
from foliot.domain.run import RunState
from foliot.store.sql.ending.locked_runs import REPLACED
from foliot.store.sql.ending.settlement import Quit
from foliot.store.sql.firing.follow import LIMITS, REPLACING
from foliot.store.sql.firing.line import LineEnd, NewPlaces, bump, situations
from foliot.store.sql.firing.line_heads import unpark
from foliot.store.sql.firing.new_runs import insert_children
from foliot.store.sql.firing.record import ROWS_MAX
from foliot.store.sql.jobs.definitions import Definitions
from foliot.store.sql.jobs.edited_run import Edited, Row, admitted
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement, keys

REPLACED_BY: Final = "A later run replaced it."
PASSED_OVER_MAX: Final = 20  # rounds in which jobs that cannot be read here are found and left out

_DUE: Final = """
    SELECT id, job_id, version FROM runs WHERE state = 'PENDING' AND place IS NULL AND not_before <= {now}
"""
_DUE_MARIADB: Final = "SELECT id, job_id, version FROM runs WHERE waits = 2 AND not_before <= {now}"
_NOT_OF: Final = "AND job_id NOT IN (SELECT d.job_id FROM {d})"
_DUE_INDEED: Final = "AND (not_before <= :believed OR created_at > :good)"
"""While the store's clock is in doubt (R7): by the time that is believed, unless it was triggered since the jump."""
_IN_ORDER: Final = "ORDER BY not_before, id LIMIT :limit"

DUE_LATER: Final = Statement(f"{_DUE} {_IN_ORDER}", mysql=f"{_DUE_MARIADB} {_IN_ORDER}")

DUE_LATER_OF_OTHERS: Final = Statement(
    f"{_DUE} {_NOT_OF} {_IN_ORDER}", RowSet("d", job_id=BIGINT), mysql=f"{_DUE_MARIADB} {_NOT_OF} {_IN_ORDER}"
)

DUE_INDEED: Final = Statement(
    f"{_DUE} {_NOT_OF} {_DUE_INDEED} {_IN_ORDER}",
    RowSet("d", job_id=BIGINT),
    mysql=f"{_DUE_MARIADB} {_NOT_OF} {_DUE_INDEED} {_IN_ORDER}",
)

FREE_CURSORS: Final = Statement(
    """
    SELECT cursors.job_id FROM cursors
    WHERE cursors.job_id IN (SELECT d.job_id FROM {d}) ORDER BY cursors.job_id {skip_locked}
    """,
    RowSet("d", job_id=BIGINT),
)

STILL_LATER: Final = Statement(
    """
    SELECT runs.id, runs.job_id, runs.version, runs.fire_key, runs.ver, runs.serial, runs.priority, runs.follow,
           runs.not_before
    FROM runs
    WHERE runs.id IN (SELECT d.id FROM {d}) AND runs.state = 'PENDING' AND runs.place IS NULL
          AND runs.not_before <= {now}
    ORDER BY runs.id {skip_locked}
    """,
    RowSet("d", id=BIGINT),
)


class _Admission(NamedTuple):
    """A run as it enters the line of its job."""

    id: int
    ver: int  # as it was seen: the guard
    version: int
    lane: int
    priority: int
    serial: int
    place: int
    parked: int
    state: str
    children: int
    follow: int


ADMIT: Final = Statement(
    """
    UPDATE runs SET version = d.version, lane = d.lane, priority = d.priority, serial = d.serial, place = d.place,
           parked = d.parked, state = d.state, open_children = d.children, follow = d.follow, not_before = :now,
           ver = runs.ver + 1
    FROM {d}
    WHERE runs.id = d.id AND runs.ver = d.ver AND runs.state = 'PENDING' AND runs.place IS NULL
    """,
    RowSet.of("d", _Admission),
)

PARKED_JOBS: Final = Statement(
    """
    WITH RECURSIVE waiting (job_id, serial, n) AS (
      SELECT r.job_id, r.serial, 1 FROM runs r
      WHERE r.id = (SELECT x.id FROM runs x
                    WHERE x.state = 'PENDING' AND x.parked = 1 AND x.place IS NOT NULL AND x.job_id > :after
                    ORDER BY x.job_id, x.place, x.id LIMIT 1)
      UNION ALL
      SELECT r.job_id, r.serial, waiting.n + 1 FROM waiting
      JOIN runs r ON r.id = (SELECT x.id FROM runs x
                             WHERE x.state = 'PENDING' AND x.parked = 1 AND x.place IS NOT NULL
                                   AND x.job_id > waiting.job_id
                             ORDER BY x.job_id, x.place, x.id LIMIT 1)
      WHERE waiting.n < :limit
    )
    SELECT waiting.job_id, waiting.serial FROM waiting
    """,
    mysql="""
    SELECT q.parked_job, (SELECT r.serial FROM runs r WHERE r.parked_job = q.parked_job ORDER BY r.place, r.id LIMIT 1)
    FROM (SELECT w.parked_job FROM runs w WHERE w.parked_job > :after GROUP BY w.parked_job ORDER BY w.parked_job
          LIMIT :limit) q
    """,
)
"""One step of the index per job, however many runs are parked behind each."""

REPLACED_WAITING: Final = Statement(
    f"""
    SELECT r.id, r.ver FROM {{d}}
    JOIN runs r ON r.{{line_job}} = d.job_id
    WHERE r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.state = 'PENDING' AND r.parent_id IS NULL
          AND {REPLACED}
    UNION ALL
    SELECT c.id, c.ver FROM {{d}}
    JOIN runs r ON r.{{line_job}} = d.job_id
    JOIN runs c ON c.parent_id = r.id
    WHERE r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.state = 'RUNNING' AND c.state = 'PENDING'
          AND {REPLACED}
    LIMIT :limit
    """,
    RowSet("d", job_id=BIGINT),
)
"""Runs, and parts of a run, that wait while a later run of their `replace` job stands in line; each of them once."""


class _DueLater(NamedTuple):
    """A trigger for later that is due."""

    id: int
    job_id: int
    version: int


class _Later(NamedTuple):
    """The same, locked, with what it needs to enter its line."""

    id: int
    job_id: int
    version: int
    fire_key: str
    ver: int
    serial: int
    priority: int
    follow: int
    not_before: Instant


def admit_due(tx: Tx, definitions: Definitions, *, limit: int, doubt: ClockDoubt | None = None) -> int:
    """Give due triggers of serial jobs their place in line; how many. A job that is being fired waits for the next."""
    due = _due_later(tx, definitions, limit, doubt)
    tx.point("sweep.seen")
    free = _free_cursors(tx, {run.job_id for run in due})
    due = [run for run in due if run.job_id in free]
    if not due:
        return 0
    # Locked in the order of tables (R3): the bump writes the cursors before the runs are touched.
    ends = bump(tx, Counter(run.job_id for run in due))
    tx.point("sweep.bumped")
    rows = tx.tuples(STILL_LATER, d=keys(run.id for run in due))
    later = [_Later._make(row) for row in rows]
    return _admit(tx, definitions, sorted(later, key=_by_turn), ends)


def _free_cursors(tx: Tx, job_ids: Collection[int]) -> set[int]:
    """Those of these jobs whose cursor nobody else holds, locked."""
    rows = tx.found(FREE_CURSORS, d=keys(job_ids))
    return {row.job_id for row in rows}


def _by_turn(run: _Later) -> tuple[Instant, int]:
    return run.not_before, run.id


def _admit(tx: Tx, definitions: Definitions, later: Sequence[_Later], ends: Mapping[int, LineEnd]) -> int:
    """Let these runs enter the lines of their jobs, in this order; how many did."""
    places = NewPlaces(ends, situations(tx, ends), Counter(run.job_id for run in later))
    jobs = definitions.find(tx, _versions(later, ends)).jobs
    now = tx.now()
    rows: list[_Admission] = []
    parents: list[tuple[LoadedJob, str, int]] = []
    for run in later:
        entry = _entry(run, jobs, ends[run.job_id])
        if entry is None:
            continue  # its definition does not compile here, and another server may admit it; or its job was deleted
        place, is_parked = places.enter(run.job_id, entry.serial)
        rows.append(_admitted(run, entry, place, is_parked=is_parked))
        if entry.job.definition.cut_into:
            parents.append((entry.job, run.fire_key, place))
    entered = tx.change(ADMIT, {"now": now}, d=rows) if rows else 0
    insert_children(tx, now, parents)
    return entered


def _versions(later: Sequence[_Later], ends: Mapping[int, LineEnd]) -> set[tuple[int, int]]:
    """The versions these runs have, and those their jobs have by now."""
    versions: set[tuple[int, int]] = set()
    for run in later:
        versions.add((run.job_id, run.version))
        versions.add((run.job_id, ends[run.job_id].version))
    return versions


def _entry(run: _Later, jobs: Mapping[tuple[int, int], LoadedJob], end: LineEnd) -> Edited | None:
    """The run as it enters the line of its job; None: it does not."""
    new = jobs.get((run.job_id, end.version))
    if new is None or end.deleted_at:
        return None
    old = jobs.get((run.job_id, run.version))
    row = Row(
        follow=run.follow,
        serial=run.serial,
        priority=run.priority,
        is_in_line=False,
        is_scheduled=False,
    )
    return admitted(row, old, new)


def _due_later(tx: Tx, definitions: Definitions, limit: int, doubt: ClockDoubt | None) -> list[_DueLater]:
    """Due triggers. A job that cannot be read here is passed over, and fills no batch."""
    unreadable: set[int] = set()
    due: list[_DueLater] = []
    for _ in range(PASSED_OVER_MAX):
        rows = _look_for_due(tx, limit, unreadable, doubt)
        found = [_DueLater._make(row) for row in rows]
        jobs = definitions.find(tx, {(run.job_id, run.version) for run in found}).jobs
        passed = {run.job_id for run in found if (run.job_id, run.version) not in jobs}
        due = [run for run in found if run.job_id not in passed]
        if not passed or len(found) < limit:
            break
        unreadable |= passed
    return due


def _look_for_due(tx: Tx, limit: int, unreadable: Collection[int], doubt: ClockDoubt | None) -> Sequence[Sequence[Any]]:
    others = [(job_id,) for job_id in sorted(unreadable)]
    if doubt is not None:
        values = {"limit": limit, "believed": doubt.believed, "good": doubt.good_until}
        return tx.tuples(DUE_INDEED, values, d=others)
    if others:
        return tx.tuples(DUE_LATER_OF_OTHERS, {"limit": limit}, d=others)
    return tx.tuples(DUE_LATER, {"limit": limit})


def _admitted(run: _Later, entry: Edited, place: int, *, is_parked: bool) -> _Admission:
    shards = entry.job.definition.cut_into
    return _Admission(
        id=run.id,
        ver=run.ver,
        version=entry.job.version,
        lane=entry.lane,
        priority=entry.priority,
        serial=entry.serial,
        place=place,
        parked=int(is_parked),
        state=str(RunState.RUNNING if shards else RunState.PENDING),
        children=shards,
        follow=entry.follow & ~LIMITS if shards else entry.follow,  # a parent is never leased, so it takes none
    )


class Swept(NamedTuple):
    """What a stretch of the sweep found."""

    unparked: int
    replaced: list[Quit]  # to be ended, in a transaction of its own: its locks come in another order
    last_job: int  # 0: the round is done


def unpark_heads(tx: Tx, *, limit: int, after_job: int) -> Swept:
    """Un-park the heads of lines with parked runs, job by job, and find waiting runs that a later one replaces."""
    serial_by_job = tx.pairs(PARKED_JOBS, {"after": after_job, "limit": limit})
    jobs: list[int] = list(serial_by_job)
    replacing = [job_id for job_id in jobs if serial_by_job[job_id] == REPLACING]
    rows = tx.found(REPLACED_WAITING, {"limit": ROWS_MAX}, d=keys(replacing))
    replaced = [Quit(row.id, row.ver, REPLACED_BY) for row in rows]
    last_job = jobs[-1] if len(jobs) == limit else 0
    unparked = unpark(tx, jobs)
    return Swept(unparked, replaced, last_job)
