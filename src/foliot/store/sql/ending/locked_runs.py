"""What the store sees of runs that are about to leave their state: without locks, or locked in the order of R3."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from foliot.store.sql.ending.success import FOLLOWED
from foliot.store.sql.firing.follow import CHILD, FIXED_DELAY, MERGE, PAST, REPLACING
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement, keys

REPLACED: Final = f"""
    r.serial = {REPLACING} AND (r.follow & {PAST}) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.{{line_job}} = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = {REPLACING} AND (l.follow & {PAST}) = 0)
"""
"""A later run of the job stands in line and takes its place. One that may overlap takes nobody's, nor does the past."""

_COLUMNS: Final = f"""
    r.id, r.job_id, r.version, r.parent_id, r.lane, r.follow, r.state, r.ver, r.attempt, r.failures,
    r.deaths, r.open_children, r.cancel_at, r.lease_id, r.last_lease_id, r.session_id, r.fence, r.leased_at,
    r.started_at,
    CASE WHEN r.cancel_at IS NOT NULL OR ({REPLACED}) THEN 1 ELSE 0 END,
    CASE WHEN {FOLLOWED} THEN 1 ELSE 0 END,
    {{now}}
"""


class Seen(NamedTuple):
    """A run's row as far as its way out needs it."""

    id: int
    job_id: int
    version: int
    parent_id: int | None
    lane: int
    follow: int
    state: str
    ver: int
    attempt: int
    failures: int
    deaths: int
    open_children: int
    cancel_at: int | None
    lease_id: str | None
    last_lease_id: str | None
    session_id: str | None
    fence: int | None
    leased_at: int | None
    started_at: int | None
    unwanted: int  # a person asked for its cancel, or a later run replaces it
    followed: int  # others of its serial job are parked: one of them may be next
    now: int


SEE: Final = Statement(
    f"SELECT {_COLUMNS} FROM runs r WHERE r.id IN (SELECT d.id FROM {{d}})",
    RowSet("d", id=BIGINT),
)

LOCK: Final = Statement(
    f"SELECT {_COLUMNS} FROM runs r WHERE r.id IN (SELECT d.id FROM {{d}}) ORDER BY r.id {{for_update}}",
    RowSet("d", id=BIGINT),
)

LOCK_CURSORS: Final = Statement(
    """
    SELECT c.job_id, c.version FROM cursors c WHERE c.job_id IN (SELECT d.job_id FROM {d})
    ORDER BY c.job_id {for_update}
    """,
    RowSet("d", job_id=BIGINT),
)


class Held(NamedTuple):
    """The rows a settlement is about, locked until the transaction ends, or just seen."""

    runs: Mapping[int, Seen]
    parents: Mapping[int, Seen]
    versions: Mapping[int, int]  # by job, of those whose cursor is locked: the version it has by now
    locked: bool = True


def see(tx: Tx, run_ids: Iterable[int]) -> dict[int, Seen]:
    """The runs as they are now, unlocked. Runs that are no more are missing."""
    rows = tx.tuples(SEE, d=keys(run_ids))
    return _by_id(rows)


def hold(tx: Tx, runs: Collection[Seen]) -> Held:
    """Lock what these runs' way out may touch: cursors, parents, runs, each by primary key (R3).

    The end of a shard may end its parent, whose end may move the cursor, and a merge run is an insert that bumps it
    (R23): so a child takes its job's cursor along.
    """
    jobs = {run.job_id for run in runs if run.follow & (FIXED_DELAY | CHILD | MERGE)}
    versions = lock_cursors(tx, jobs)
    parents = lock(tx, {run.parent_id for run in runs if run.parent_id is not None})
    locked = lock(tx, {run.id for run in runs})
    tx.point("ending.held")
    return Held(locked, parents, versions)


def lock_cursors(tx: Tx, job_ids: Collection[int]) -> dict[int, int]:
    """Let nobody move the cursors of these jobs until this transaction ends; the version each job has by now."""
    return tx.pairs(LOCK_CURSORS, d=keys(sorted(job_ids)))


def lock(tx: Tx, run_ids: Collection[int]) -> dict[int, Seen]:
    """The runs as they are now and stay until this transaction ends."""
    if not run_ids:
        return {}
    rows = tx.tuples(LOCK, d=keys(sorted(run_ids)))
    return _by_id(rows)


def _by_id(rows: Sequence[Any]) -> dict[int, Seen]:
    return {row[0]: Seen._make(row) for row in rows}
