"""Parents of shards: each end of a child counts down; whoever reaches zero ends the parent or makes the merge run.

The parent's row is locked before its children's, so the last two shards cannot both believe that another is still open;
the count is a write, so it also holds where locks do not reach (Galera).
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from foliot.domain.instants import Instant
from foliot.domain.job import LoadedJob
from foliot.domain.run import FailureKind, RunState
from foliot.domain.verdict import End
from foliot.store.sql.ending.locked_runs import Seen
from foliot.store.sql.firing.follow import CHILD, LIMITS, MERGE, PAST, PINNED, TRIAL, follow_of
from foliot.store.sql.firing.line import bump
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.leasing.merge_input import PARTS_MAX, sizes_of

TALLY: Final = Statement(
    """
    SELECT r.parent_id, r.state, r.kind, count(*) AS runs FROM runs r WHERE r.parent_id IN (SELECT d.id FROM {d})
    GROUP BY r.parent_id, r.state, r.kind
    """,
    RowSet("d", id=BIGINT),
)


class _CountedDown(NamedTuple):
    """A parent's row after ends of children."""

    id: int
    ver: int  # as it was seen: the guard
    open_children: int
    state: str = str(RunState.RUNNING)
    kind: str | None = None
    ended_at: Instant | None = None
    result: str | None = None
    error: str | None = None


COUNT_DOWN: Final = Statement(
    """
    UPDATE runs SET open_children = d.open_children, state = d.state, kind = d.kind, ended_at = d.ended_at,
           result = d.result, ver = runs.ver + 1,
           error = CASE WHEN d.state IN ('RUNNING', 'CANCELLED') THEN coalesce(d.error, runs.error) ELSE d.error END
    FROM {d}
    WHERE runs.id = d.id AND runs.ver = d.ver
    """,
    RowSet.of("d", _CountedDown),
)

INSERT_MERGE: Final = Statement(
    """
    {insert_ignore} runs (job_id, version, fire_key, shard, parent_id, due_at, not_before, lane, class, priority,
                          serial, place, parked, follow, state, ver, created_at, triggered_by, reason, params)
    SELECT p.job_id, p.version, d.fire_key, -1, p.id, p.due_at, :now, d.lane, p.class, p.priority,
           p.serial, p.place, 0, d.follow, 'PENDING', 1, :now, p.triggered_by, p.reason, p.params
    FROM {d} JOIN runs p ON p.id = d.id WHERE true
    {ignore_duplicates}
    """,
    RowSet("d", id=BIGINT, fire_key=TEXT, lane=BIGINT, follow=BIGINT),
)

MIB: Final = 1024 * 1024
TOO_MUCH: Final = "The shards returned {:.1f} MiB together; a merge run takes {} MiB. Return less, or where it is."


class EndedChild(NamedTuple):
    """A shard or merge run that just ended."""

    run: Seen
    end: End
    result: str | None
    error: str | None


class EndedParent(NamedTuple):
    """A parent that ended with its last child."""

    run: Seen
    job: LoadedJob
    end: End


def merge_key(parent_id: int) -> str:
    """The fire key of a sharded run's merge run."""
    return f"d:{parent_id}:merge"


def count_down(
    tx: Tx,
    children: Sequence[EndedChild],
    parents: Mapping[int, Seen],
    jobs: Mapping[tuple[int, int], LoadedJob],
    now: Instant,
) -> list[EndedParent]:
    """Count these ends down on their parents (locked before); which parents ended with them."""
    ended = _by_parent(children, parents)
    fates = _fates(tx, ended, parents, jobs)
    rows: list[_CountedDown] = []
    merges: list[Seen] = []
    over: list[EndedParent] = []
    for parent_id in sorted(ended):
        parent = parents[parent_id]
        if parent_id not in fates:
            rows.append(_CountedDown(parent_id, parent.ver, parent.open_children - len(ended[parent_id])))
            continue
        fate = fates[parent_id]
        if fate is None:
            merges.append(parent)
            rows.append(_CountedDown(parent_id, parent.ver, open_children=1))  # the merge run
        else:
            rows.append(_over(parent, fate, now))
            over.append(EndedParent(parent, jobs[parent.job_id, parent.version], fate.end))
    if rows and tx.change(COUNT_DOWN, d=rows) != len(rows):
        raise TryAgain("a parent changed although it was locked")
    if merges:
        _insert_merges(tx, merges, jobs, now)
    return over


def _by_parent(children: Sequence[EndedChild], parents: Mapping[int, Seen]) -> dict[int, list[EndedChild]]:
    """The children of each parent that is not over itself."""
    ended: dict[int, list[EndedChild]] = {}
    for child in children:
        parent = parents.get(child.run.parent_id or 0)
        if parent is not None and parent.state == RunState.RUNNING:
            ended.setdefault(parent.id, []).append(child)
    return ended


def _over(parent: Seen, fate: "_Fate", now: Instant) -> _CountedDown:
    end = fate.end
    return _CountedDown(
        id=parent.id,
        ver=parent.ver,
        open_children=0,
        state=str(end.state),
        kind=str(end.kind) if end.kind else None,
        ended_at=now,
        result=fate.result,
        error=fate.error,
    )


class _Fate(NamedTuple):
    """How a parent ends."""

    end: End
    result: str | None = None
    error: str | None = None


def _fates(
    tx: Tx,
    ended: Mapping[int, Sequence[EndedChild]],
    parents: Mapping[int, Seen],
    jobs: Mapping[tuple[int, int], LoadedJob],
) -> dict[int, _Fate | None]:
    """What becomes of each parent that has no open child any more; None: its merge run is next."""
    closing = [parents[parent_id] for parent_id, some in ended.items() if parents[parent_id].open_children <= len(some)]
    merging = [parent for parent in closing if jobs[parent.job_id, parent.version].merge_lane_id is not None]
    tallies = _tallies(tx, closing)
    sizes = sizes_of(tx, {parent.id for parent in merging})
    fates: dict[int, _Fate | None] = {}
    for parent in closing:
        merges = [child for child in ended[parent.id] if child.run.follow & MERGE]
        if merges:
            merged = merges[0]
            fates[parent.id] = _Fate(merged.end, merged.result, merged.error)
            continue
        job = jobs[parent.job_id, parent.version]
        tally = tallies.get(parent.id, ())
        fates[parent.id] = _fate(tally, parent, job, sizes.get(parent.id, 0))
    return fates


def _fate(tally: Sequence["_Tally"], parent: Seen, job: LoadedJob, size: int) -> _Fate | None:
    """What becomes of a parent whose shards are all over; None: its merge run is next."""
    shards = sum(part.runs for part in tally)
    failed = sum(part.runs for part in tally if part.state == RunState.FAILED)
    cancelled = sum(part.runs for part in tally if part.state == RunState.CANCELLED)
    if failed:
        kinds = {part.kind or str(FailureKind.ERROR) for part in tally if part.state == RunState.FAILED}
        kind = FailureKind(kinds.pop()) if len(kinds) == 1 else FailureKind.ERROR
        return _Fate(End(RunState.FAILED, kind), error=f"{failed} of {shards} shards failed.")
    if cancelled:
        return _Fate(End(RunState.CANCELLED), error=f"{cancelled} of {shards} shards were cancelled.")
    if parent.unwanted and job.merge_lane_id is not None:
        return _Fate(End(RunState.CANCELLED))
    if job.merge_lane_id is None:
        return _Fate(End(RunState.SUCCEEDED))
    if size > PARTS_MAX:
        return _Fate(End(RunState.FAILED, FailureKind.REJECTED), error=TOO_MUCH.format(size / MIB, PARTS_MAX // MIB))
    return None


class _Tally(NamedTuple):
    """How many children of a parent ended in one way."""

    state: str
    kind: str | None
    runs: int


def _tallies(tx: Tx, parents: Sequence[Seen]) -> dict[int, list[_Tally]]:
    """How the children of these parents ended; a statement after the children's own, so it sees them all."""
    rows = tx.found(TALLY, d=keys(parent.id for parent in parents))
    tallies: dict[int, list[_Tally]] = {}
    for row in rows:
        tally = _Tally(row.state, row.kind, int(row.runs))
        tallies.setdefault(row.parent_id, []).append(tally)
    return tallies


def _insert_merges(tx: Tx, parents: Sequence[Seen], jobs: Mapping[tuple[int, int], LoadedJob], now: Instant) -> None:
    """Like every insert of a run it bumps the cursor (R23); its place is its parent's."""
    bump(tx, {parent.job_id: 1 for parent in parents})
    rows = []
    for parent in parents:
        job = jobs[parent.job_id, parent.version]
        inherited = parent.follow & (PAST | PINNED | TRIAL)
        limited = follow_of(job, scheduled=False) & LIMITS
        follow = CHILD | MERGE | inherited | limited
        rows.append((parent.id, merge_key(parent.id), job.merge_lane_id, follow))
    tx.change(INSERT_MERGE, {"now": now}, d=rows)
