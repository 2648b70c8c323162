"""After an edit: runs that wait and were never leased take the new version and lane, in small steps (design §3).

`jobs.moving` says that a job has some. Steps pass over what somebody holds, so it is cleared only when a look finds
nothing more to move; until then the watchdog goes on, as it does when a server died between the steps.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from foliot.domain.instants import Instant
from foliot.domain.job import LoadedJob
from foliot.domain.run import RunState
from foliot.store.sql.cluster.leadership import UNDER_TERM
from foliot.store.sql.ending.ends import Ending
from foliot.store.sql.firing.follow import CHILD
from foliot.store.sql.jobs.definitions import Definitions
from foliot.store.sql.jobs.edited_run import Row, edited
from foliot.store.sql.jobs.removal import end_waiting
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement
from foliot.store.sql.leasing.key_limits import forget

STEP_MAX: Final = 1000
FROM_THE_FIRST: Final = (0, 0)
ASSIGNED: Final = 2  # of `runs.parked`: its route named a worker
WAITS_FOR_KEY: Final = 3  # of `runs.parked`: others with its key run, or have started, as many as may

_COLUMNS: Final = f"""
    r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
    r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & {CHILD}) > 0 AND EXISTS (
      SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
"""
"""The last: whether another part of the same run was leased."""


def _has_begun(run: str) -> str:
    """Whether a shard of this run was leased."""
    return f"EXISTS (SELECT 1 FROM runs b WHERE b.parent_id = {run}.id AND b.attempt > 0)"


class _Walk(NamedTuple):
    """A walk over some of what waits, by a key that only rises, so that no step looks again at what is done."""

    key: str
    look: Statement
    take: Statement  # those that nobody holds, locked


def _walk(key: str, text: str, **variants: str) -> _Walk:
    locked = {name: f"{own} {{skip_locked}}" for name, own in variants.items()}
    return _Walk(key, Statement(text, **variants), Statement(f"{text} {{skip_locked}}", **locked))


FOR_LATER: Final = _walk(
    "id",
    f"""
    SELECT {_COLUMNS} FROM runs r
    WHERE r.job_id = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
          AND r.place IS NULL AND r.id > :after AND r.state = 'PENDING' AND r.attempt = 0 AND r.version < :version
    ORDER BY r.id LIMIT :limit
    """,
    mysql=f"""
    SELECT {_COLUMNS} FROM runs r FORCE INDEX (runs_later)
    WHERE r.waits = 2 AND r.job_id = :job_id AND r.shard = -1 AND r.id > :after AND r.attempt = 0
          AND r.version < :version
    ORDER BY r.id LIMIT :limit
    """,
)
IN_LINE: Final = _walk(
    "place",
    f"""
    SELECT {_COLUMNS} FROM runs r
    WHERE r.{{line_job}} = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
          AND r.place > :after AND r.state = 'PENDING' AND r.attempt = 0 AND r.version < :version
    ORDER BY r.place, r.id LIMIT :limit
    """,
)
PARENTS: Final = _walk(
    "place",
    f"""
    SELECT {_COLUMNS} FROM runs r
    WHERE r.{{line_job}} = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place > :after
          AND r.state = 'RUNNING' AND r.parent_id IS NULL AND r.open_children > 0 AND r.attempt = 0
          AND r.version < :version AND NOT {_has_begun("r")}
    ORDER BY r.place, r.id LIMIT :limit
    """,
)
"""Runs that are cut into shards of which none was leased."""

PARTS: Final = Statement(
    f"""
    SELECT {_COLUMNS}, r.parent_id, r.attempt, r.state FROM runs r WHERE r.parent_id IN (SELECT d.id FROM {{d}})
    ORDER BY r.id {{for_update}}
    """,
    RowSet("d", id=BIGINT),
)

SHARDS: Final = _walk(
    "id",
    f"""
    SELECT {_COLUMNS} FROM runs r
    WHERE r.parent_id IN (SELECT p.id FROM runs p WHERE p.{{line_job}} = :job_id AND p.state IN ('PENDING', 'RUNNING')
                                AND p.shard = -1 AND (p.version = :version OR {_has_begun("p")}))
          AND r.shard >= 0 AND r.id > :after AND r.state = 'PENDING' AND r.attempt = 0 AND r.version < :version
    ORDER BY r.id LIMIT :limit
    """,
)
"""Those of a run that has begun. The others go with their parent, which makes the merge run by its own version."""

WALKS: Final = (FOR_LATER, IN_LINE, PARENTS, SHARDS)
"""In the order a run goes: one that gets its place, or is cut into shards, meanwhile is met again further on."""


class _Moved(NamedTuple):
    """A run under the new version."""

    id: int
    ver: int  # as it was seen: the guard
    lane: int
    priority: int
    serial: int
    parked: int
    follow: int
    not_before: Instant


TAKE_VERSION: Final = Statement(
    """
    UPDATE runs SET version = :version, lane = d.lane, priority = d.priority, serial = d.serial, parked = d.parked,
           follow = d.follow, not_before = d.not_before, ver = runs.ver + 1, assigned_to = NULL, assigned_before = NULL
    FROM {d}
    WHERE runs.id = d.id AND runs.ver = d.ver AND runs.attempt = 0
    """,
    RowSet.of("d", _Moved),
)

CURRENT: Final = Statement("SELECT moving FROM jobs WHERE id = :job_id AND moving IS NOT NULL AND deleted_at = 0")
MOVED: Final = Statement("UPDATE jobs SET moving = NULL WHERE id = :job_id AND moving = :version AND deleted_at = 0")
UNFINISHED: Final = Statement(
    f"""
    SELECT moving, id, deleted_at FROM jobs WHERE moving >= :moving AND (moving > :moving OR id > :after)
      AND {UNDER_TERM}
    ORDER BY moving, id LIMIT :limit
    """
)


class _Waiting(NamedTuple):
    """A row of `_COLUMNS`: a run that waits and was never leased."""

    id: int
    ver: int
    version: int
    place: int | None
    fire_key: str
    triggered_by: str | None
    priority: int
    serial: int
    parked: int
    follow: int
    lane: int
    not_before: Instant
    open_children: int
    has_begun: int


async def move_waiting(
    database: Database, definitions: Definitions, job_id: int, *, pool: Pool = Pool.CONTROL, step_max: int = STEP_MAX
) -> int:
    """Move what waits of one job, in transactions of at most `step_max` runs; how many moved."""
    target = await database.transact(lambda tx: _target(tx, definitions, job_id), pool=pool)
    if target is None:
        return 0
    moved = 0
    for walk in WALKS:
        limit = max(1, step_max // (1 + target.definition.cut_into)) if walk is PARENTS else step_max
        after: int | None = 0
        while after is not None:
            step = partial(_step, definitions=definitions, job=target, walk=walk, after=after, limit=limit)
            count, after = await database.transact(step, pool=pool)
            moved += count
    look = partial(_finish, definitions=definitions, job=target, limit=step_max)
    await database.transact(look, pool=pool)
    return moved


async def finish_moves(
    database: Database,
    definitions: Definitions,
    ending: Ending,
    *,
    after: tuple[int, int],
    limit: int,
    term: int | None,
) -> tuple[int, tuple[int, int]]:
    """Watchdog: go on where somebody stopped, some jobs at a time, for there may be some that cannot be finished here.

    How many runs moved, or ended with their job; and behind which job to go on.
    """
    values = {"moving": after[0], "after": after[1], "limit": limit, "term": term}
    jobs = await database.read(lambda tx: tx.rows(UNFINISHED, values), pool=Pool.CONTROL)
    moved = 0
    for job in jobs:
        if job.deleted_at:
            moved += await end_waiting(database, ending, job.id)
        else:
            moved += await move_waiting(database, definitions, job.id)
    if len(jobs) < limit:
        return moved, FROM_THE_FIRST
    return moved, (jobs[-1].moving, jobs[-1].id)


def _target(tx: Tx, definitions: Definitions, job_id: int) -> LoadedJob | None:
    """The version to move to; None when there is nothing to do (or the definition does not compile here)."""
    found = tx.rows(CURRENT, {"job_id": job_id})
    if not found:
        return None
    key = (job_id, found[0].moving)
    return definitions.find(tx, [key]).jobs.get(key)


def _step(
    tx: Tx, *, definitions: Definitions, job: LoadedJob, walk: _Walk, after: int, limit: int
) -> tuple[int, int | None]:
    rows, following = _page(tx, definitions, job, walk.take, walk.key, after, limit)
    if walk is PARENTS and rows:
        rows = _with_parts(tx, definitions, job, rows)
    if not rows:
        return 0, following
    moved = tx.change(TAKE_VERSION, {"version": job.version}, d=rows)
    forget(tx, [row.id for row in rows])
    return moved, following


def _with_parts(tx: Tx, definitions: Definitions, job: LoadedJob, parents: Sequence[_Moved]) -> list[_Moved]:
    """These parents (locked) with their shards, without those that begin just now: all of a run moves at once."""
    rows = tx.rows(PARTS, d=[(parent.id,) for parent in parents])  # locked: none is leased before the step is done
    begun = {row.parent_id for row in rows if row.attempt}
    waiting = [
        _Waiting(*row[: len(_Waiting._fields)])
        for row in rows
        if row.parent_id not in begun and row.state == RunState.PENDING and row.version < job.version
    ]
    moved = [parent for parent in parents if parent.id not in begun]
    return sorted(moved + _under(tx, definitions, job, waiting))


def _finish(tx: Tx, *, definitions: Definitions, job: LoadedJob, limit: int) -> None:
    """Note that the move is done, unless a look at everything, locked or not, finds a run that should have moved."""
    for walk in WALKS:
        after: int | None = 0
        while after is not None:
            rows, after = _page(tx, definitions, job, walk.look, walk.key, after, limit)
            if rows:
                return
    tx.change(MOVED, {"job_id": job.job_id, "version": job.version})


def _page(
    tx: Tx, definitions: Definitions, job: LoadedJob, walk: Statement, key: str, after: int, limit: int
) -> tuple[list[_Moved], int | None]:
    """Waiting runs under the new version, without those that stay behind; where the next page begins, if any does."""
    values = {"job_id": job.job_id, "version": job.version, "after": after, "limit": limit}
    waiting = [_Waiting(*row) for row in tx.rows(walk, values)]
    if not waiting:
        return [], None
    following = getattr(waiting[-1], key) if len(waiting) == limit else None
    return _under(tx, definitions, job, waiting), following


def _under(tx: Tx, definitions: Definitions, job: LoadedJob, waiting: Sequence[_Waiting]) -> list[_Moved]:
    """These runs under the new version, without those that stay behind."""
    before = definitions.find(tx, {(job.job_id, run.version) for run in waiting}).jobs
    now = tx.now()
    rows: list[_Moved] = []
    for run in waiting:
        old = before.get((job.job_id, run.version))
        moved = _moved(run, old, job, now)
        if moved is not None:
            rows.append(moved)
    return rows


def _moved(run: _Waiting, old: LoadedJob | None, new: LoadedJob, now: Instant) -> _Moved | None:
    """The run under the new version; None: it stays behind."""
    row = Row(
        follow=run.follow,
        serial=run.serial,
        priority=run.priority,
        is_in_line=run.place is not None,
        is_scheduled=run.fire_key.startswith("s:") and run.triggered_by is None,
        has_begun=bool(run.has_begun),
        is_parent=run.open_children > 0,
    )
    under = edited(row, old, new)
    if under is None:
        return None
    parked = run.parked if under.serial or run.place is None else 0
    if parked in {ASSIGNED, WAITS_FOR_KEY}:
        parked = 0  # the new version may have another route or other limits: they are asked again
    not_before = _due_again(run, (under.lane, under.priority, parked), now)
    return _Moved(
        id=run.id,
        ver=run.ver,
        lane=under.lane,
        priority=under.priority,
        serial=under.serial,
        parked=parked,
        follow=under.follow,
        not_before=not_before,
    )


def _due_again(run: _Waiting, where: tuple[int, int, int], now: Instant) -> Instant:
    """A run that comes among others is due now: older than a scan's lower bound it would not be found (R9).

    One that stays where it is (lane, priority, parked) keeps its turn; so does one for later, which is admitted by it.
    """
    stays = where == (run.lane, run.priority, run.parked)
    if stays or run.place is None:
        return run.not_before
    return max(run.not_before, now)
