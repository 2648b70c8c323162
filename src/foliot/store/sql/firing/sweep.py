"""The sweep at each pulse: due triggers get their place in line, heads of lines are un-parked (R23).

Hints, never rights: leasing alone keeps serial jobs serial. An insert and an end that cannot see each other may leave a
head parked with nobody to un-park it; the sweep finds it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.instants import Instant
from foliot.domain.job import LoadedJob
from foliot.domain.run import RunState
from foliot.store.sql.ending.locked_runs import REPLACED
from foliot.store.sql.ending.settlement import Quit
from foliot.store.sql.firing.follow import LIMITS, REPLACING
from foliot.store.sql.firing.line import NOTHING_OPEN, LineEnd, bump, situations
from foliot.store.sql.firing.line_heads import unpark
from foliot.store.sql.firing.new_runs import insert_children
from foliot.store.sql.firing.record import ROWS_MAX
from foliot.store.sql.jobs.definitions import Definitions
from foliot.store.sql.jobs.edited_run import Edited, Row, admitted
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement

PASSED_OVER_MAX: Final = 20  # rounds in which jobs that cannot be read here are found and left out

DUE_LATER: Final = Statement(
    """
    SELECT id, job_id, version FROM runs
    WHERE state = 'PENDING' AND place IS NULL AND not_before <= {now}
    ORDER BY not_before, id LIMIT :limit
    """,
    mysql="""
    SELECT id, job_id, version FROM runs WHERE waits = 2 AND not_before <= {now} ORDER BY not_before, id LIMIT :limit
    """,
)

DUE_LATER_OF_OTHERS: Final = Statement(
    """
    SELECT id, job_id, version FROM runs
    WHERE state = 'PENDING' AND place IS NULL AND not_before <= {now} AND job_id NOT IN (SELECT d.job_id FROM {d})
    ORDER BY not_before, id LIMIT :limit
    """,
    RowSet("d", job_id=BIGINT),
    mysql="""
    SELECT id, job_id, version FROM runs
    WHERE waits = 2 AND not_before <= {now} AND job_id NOT IN (SELECT d.job_id FROM {d})
    ORDER BY not_before, id LIMIT :limit
    """,
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
    ORDER BY runs.id {skip_locked}
    """,
    RowSet("d", id=BIGINT),
)

ADMIT: Final = Statement(
    """
    UPDATE runs SET version = d.version, lane = d.lane, priority = d.priority, serial = d.serial, place = d.place,
           parked = d.parked, state = d.state, open_children = d.children, follow = d.follow, not_before = :now,
           ver = runs.ver + 1
    FROM {d}
    WHERE runs.id = d.id AND runs.ver = d.ver AND runs.state = 'PENDING' AND runs.place IS NULL
    """,
    RowSet("d", id=BIGINT, ver=BIGINT, version=BIGINT, lane=BIGINT, priority=BIGINT, serial=BIGINT, place=BIGINT,
           parked=BIGINT, state=TEXT, children=BIGINT, follow=BIGINT),
)  # fmt: skip

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


class _Later(NamedTuple):
    id: int
    job_id: int
    version: int
    fire_key: str
    ver: int
    serial: int
    priority: int
    follow: int
    not_before: Instant


def admit_due(tx: Tx, definitions: Definitions, *, limit: int) -> int:
    """Give due triggers of serial jobs their place in line; how many. A job that is being fired waits for the next."""
    wanted = _due_later(tx, definitions, limit)
    if not wanted:
        return 0
    free = {job_id for (job_id,) in tx.rows(FREE_CURSORS, d=[(job_id,) for job_id in {row[1] for row in wanted}])}
    ids = [(run_id,) for run_id, job_id, _ in wanted if job_id in free]
    if not ids:
        return 0
    # Locked in the order of tables (R3): the bump writes the cursors before the runs are touched.
    last = bump(tx, dict(Counter(job_id for _, job_id, _ in wanted if job_id in free)))
    tx.point("sweep.bumped")
    later = sorted((_Later(*row) for row in tx.rows(STILL_LATER, d=ids)), key=lambda run: (run.not_before, run.id))
    seen = situations(tx, last)
    jobs = definitions.find(tx, _versions(later, last)).jobs
    now = tx.now()
    places = {job_id: place.last - sum(run.job_id == job_id for run in later) for job_id, place in last.items()}
    open_ = {job_id: seen.get(job_id, NOTHING_OPEN).open for job_id in last}
    rows, parents = [], []
    for run in later:
        entry = _entry(run, jobs, last[run.job_id])
        if entry is None:
            continue  # its definition does not compile here, and another server may admit it; or its job was deleted
        places[run.job_id] += 1
        place = places[run.job_id]
        rows.append(_admitted(run, entry, place, is_parked=bool(entry.serial and open_[run.job_id])))
        open_[run.job_id] += 1
        if entry.job.definition.shards:
            parents.append((entry.job, run.fire_key, place))
    entered = tx.change(ADMIT, {"now": now}, d=rows) if rows else 0
    insert_children(tx, now, parents)
    return entered


def _versions(later: Sequence[_Later], last: Mapping[int, LineEnd]) -> set[tuple[int, int]]:
    """The versions these runs have, and those their jobs have by now."""
    had = {(run.job_id, run.version) for run in later}
    return had | {(run.job_id, last[run.job_id].version) for run in later}


def _entry(run: _Later, jobs: Mapping[tuple[int, int], LoadedJob], place: LineEnd) -> Edited | None:
    """The run as it enters the line of its job; None: it does not."""
    new = jobs.get((run.job_id, place.version))
    if new is None or place.deleted_at:
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


def _due_later(tx: Tx, definitions: Definitions, limit: int) -> list[tuple[int, int, int]]:
    """(run, job, version) of due triggers. A job that cannot be read here is passed over, and fills no batch."""
    unreadable: set[int] = set()
    wanted: list[tuple[int, int, int]] = []
    for _ in range(PASSED_OVER_MAX):
        others = {"d": [(job_id,) for job_id in sorted(unreadable)]} if unreadable else {}
        found = tx.rows(DUE_LATER_OF_OTHERS if unreadable else DUE_LATER, {"limit": limit}, **others)
        jobs = definitions.find(tx, {(job_id, version) for _, job_id, version in found}).jobs
        passed = {job_id for _, job_id, version in found if (job_id, version) not in jobs}
        wanted = [(run_id, job_id, version) for run_id, job_id, version in found if job_id not in passed]
        if not passed or len(found) < limit:
            break
        unreadable |= passed
    return wanted


def _admitted(run: _Later, entry: Edited, place: int, *, is_parked: bool) -> tuple[Any, ...]:
    shards = entry.job.definition.shards
    state = RunState.RUNNING if shards else RunState.PENDING
    follow = entry.follow & ~LIMITS if shards else entry.follow
    shape = (entry.job.version, entry.lane, entry.priority, entry.serial)
    return (run.id, run.ver, *shape, place, int(is_parked), str(state), shards, follow)


class Swept(NamedTuple):
    """What a stretch of the sweep found."""

    unparked: int
    replaced: list[Quit]  # to be ended, in a transaction of its own: its locks come in another order
    last_job: int  # 0: the round is done


def unpark_heads(tx: Tx, *, limit: int, after_job: int) -> Swept:
    """Un-park the heads of lines with parked runs, job by job, and find waiting runs that a later one replaces."""
    found = tx.rows(PARKED_JOBS, {"after": after_job, "limit": limit})
    replacing = [(job_id,) for job_id, serial in found if serial == REPLACING]
    replaced: list[Quit] = []
    if replacing:
        rows = tx.rows(REPLACED_WAITING, {"limit": ROWS_MAX}, d=replacing)
        replaced = [Quit(run_id, ver, "A later run replaced it.") for run_id, ver in rows]
    last_job: int = found[-1][0] if len(found) == limit else 0
    return Swept(unpark(tx, [job_id for job_id, _ in found]), replaced, last_job)
