"""Runs come to be: of fires, triggers and backfills; parents of shards with their children.

Whoever makes runs has bumped the job's cursor before (see `store.sql.line`), so the place of each is its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.instants import Instant
from foliot.domain.job import LoadedJob
from foliot.domain.late_work import CATCH_UP, ON_TIME, SURPLUS, SURPLUS_AFTER
from foliot.domain.run import FailureKind, RunState, format_run_id
from foliot.store.sql.firing.follow import CHILD, LIMITS, OWN, PAST, PINNED, SERIAL, TRIAL, follow_of
from foliot.store.sql.firing.run_shape import RunShape
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement
from foliot.store.sql.leasing.assigned import RANK

_SHAPE: Final = {name: RunShape.column(name, of="d.shape") for name in RunShape._fields}

INSERT_RUNS: Final = Statement(
    f"""
    {{insert_ignore}} runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                          parked, follow, state, ver, created_at)
    SELECT d.job_id, d.version, d.fire_key, -1, d.due_at, d.not_before, {_SHAPE["lane"]}, {_SHAPE["catch_up"]},
           {_SHAPE["priority"]}, {_SHAPE["serial"]}, d.place, {_SHAPE["parked"]}, {_SHAPE["follow"]}, 'PENDING', 1, :now
    FROM {{d}} WHERE true
    {{ignore_duplicates}}
    """,
    RowSet("d", job_id=BIGINT, version=BIGINT, fire_key=TEXT, due_at=BIGINT, not_before=BIGINT, place=BIGINT,
           shape=BIGINT),
)  # fmt: skip
"""Plain fires. What only takes a few values travels as one number (`RunShape`)."""

INSERT_OTHER_RUNS: Final = Statement(
    """
    {insert_ignore} runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                          parked, follow, state, kind, ver, open_children, created_at, ended_at, error, triggered_by,
                          reason, params)
    SELECT d.job_id, d.version, d.fire_key, -1, d.due_at, d.not_before, d.lane, d.class, d.priority, d.serial, d.place,
           d.parked, d.follow, d.state, d.kind, 1, d.open_children, :now, d.ended_at, d.error, d.triggered_by,
           d.reason, d.params
    FROM {d} WHERE true
    {ignore_duplicates}
    """,
    RowSet("d", job_id=BIGINT, version=BIGINT, fire_key=TEXT, due_at=BIGINT, not_before=BIGINT, lane=BIGINT,
           **{"class": BIGINT}, priority=BIGINT, serial=BIGINT, place=BIGINT, parked=BIGINT, follow=BIGINT,
           state=TEXT, kind=TEXT, open_children=BIGINT, ended_at=BIGINT, error=TEXT, triggered_by=TEXT, reason=TEXT,
           params=TEXT),
)  # fmt: skip
"""Runs that are more than a plain fire: parents of shards, triggers, rejected ones."""

INSERT_CHILDREN: Final = Statement(
    f"""
    {{insert_ignore}} runs (job_id, version, fire_key, shard, parent_id, due_at, not_before, lane, class, priority,
                          serial, place, parked, follow, state, ver, created_at, triggered_by, reason, params)
    SELECT p.job_id, p.version, p.fire_key, d.shard, p.id, p.due_at, p.not_before, p.lane,
           CASE WHEN d.is_surplus = 1 AND p.class = {ON_TIME} AND p.serial = 0 AND (p.follow & {TRIAL}) = 0
                THEN {SURPLUS} ELSE p.class END,
           p.priority, p.serial, p.place, p.parked, d.follow | (p.follow & {PAST | PINNED | TRIAL}), 'PENDING', 1, :now,
           p.triggered_by, p.reason, p.params
    FROM {{d}}
    JOIN runs p ON p.job_id = d.job_id AND p.fire_key = d.fire_key AND p.shard = -1
    WHERE p.place = d.place AND p.state = 'RUNNING'
    {{ignore_duplicates}}
    """,
    RowSet("d", job_id=BIGINT, fire_key=TEXT, place=BIGINT, shard=BIGINT, follow=BIGINT, is_surplus=BIGINT),
)
"""The shards of parents inserted just before; a parent that was there already has another place and gets none. Those
beyond the first hundred give way to other work."""

INSERT_OWN: Final = Statement(
    f"""
    {{insert_ignore}} runs (job_id, version, fire_key, shard, parent_id, due_at, not_before, lane, class, priority,
                          serial, place, parked, assigned_to, session_id, assigned_rank, follow, state, ver, created_at,
                          triggered_by, reason, params)
    SELECT p.job_id, p.version, p.fire_key, d.shard, p.id, p.due_at, p.not_before, p.lane, p.class, p.priority,
           p.serial, p.place, CASE WHEN p.parked = 0 THEN 2 ELSE p.parked END,
           CASE WHEN p.parked = 0 THEN d.session END, d.session, {RANK},
           d.follow | (p.follow & {PAST | PINNED | TRIAL}), 'PENDING', 1, :now, p.triggered_by, p.reason, p.params
    FROM {{d}}
    JOIN runs p ON p.job_id = d.job_id AND p.fire_key = d.fire_key AND p.shard = -1
    WHERE p.place = d.place AND p.state = 'RUNNING'
    {{ignore_duplicates}}
    """,
    RowSet("d", job_id=BIGINT, fire_key=TEXT, place=BIGINT, shard=BIGINT, session=TEXT, follow=BIGINT),
)
"""Shards that are one worker's own each. One that waits for its run's turn is assigned when that has come
(`line_heads.UNPARK`)."""

INSERT_KEPT: Final = Statement(
    f"""
    {{insert_ignore}} runs (job_id, version, fire_key, shard, parent_id, due_at, not_before, lane, class, priority,
                          serial, place, parked, follow, state, ver, created_at, ended_at, triggered_by, reason, params,
                          result)
    SELECT p.job_id, p.version, p.fire_key, o.shard, p.id, p.due_at, p.not_before, p.lane, p.class, p.priority,
           p.serial, p.place, 0, {CHILD} | (p.follow & {PAST | PINNED | TRIAL}), 'SUCCEEDED', 1, :now, :now,
           p.triggered_by, d.reason, p.params, o.result
    FROM {{d}}
    JOIN runs p ON p.job_id = d.job_id AND p.fire_key = d.fire_key AND p.shard = -1
    JOIN runs o ON o.parent_id = d.kept_of AND o.shard >= 0 AND o.state = 'SUCCEEDED'
    WHERE p.place = d.place AND p.state = 'RUNNING'
    {{ignore_duplicates}}
    """,
    RowSet("d", job_id=BIGINT, fire_key=TEXT, place=BIGINT, kept_of=BIGINT, reason=TEXT),
)
"""What succeeded in an earlier run is over in the new one, with its result. Shards that wait were inserted before."""


class NewRun(NamedTuple):
    """A run to insert that is more than a plain fire."""

    job: LoadedJob
    fire_key: str
    due_at: Instant
    not_before: Instant
    place: int | None
    parked: bool
    serial: int
    scheduled: bool = False
    catch_up: bool = False
    is_surplus: bool = False  # many of its job wait already
    priority: int | None = None
    triggered_by: str | None = None
    reason: str | None = None
    params: str | None = None
    error: str | None = None  # rejected before it could be anything else
    is_past: bool = False  # a backfill's
    is_pinned: bool = False  # its version was asked for
    is_trial: bool = False  # a user tests the job with it
    kept_of: int | None = None  # an earlier run of the same version, whose shards `kept` are not executed again
    kept: frozenset[int] = frozenset()
    own: Sequence[tuple[int, str]] = ()  # shards of a broadcast that are executed again, each with its session

    @property
    def class_(self) -> int:
        """Whether it gives way to other work. A serial job takes one slot, however many of its runs wait."""
        if self.catch_up:
            return CATCH_UP
        return SURPLUS if self.is_surplus and not self.serial and not self.is_trial else ON_TIME

    @property
    def is_parent(self) -> bool:
        """Whether it is split into shards right away. One for later is split when it gets its place."""
        is_cut = bool(self.job.definition.cut_into or self.own)
        return is_cut and self.error is None and self.place is not None

    @property
    def open_shards(self) -> int:
        """How many shards are to be executed."""
        if not self.is_parent:
            return 0
        return len(self.own) or self.job.definition.cut_into - len(self.kept)


def insert_runs(tx: Tx, now: Instant, new: Sequence[NewRun]) -> int:
    """Insert runs of any shape, parents of shards with their children; how many were not there already."""
    inserted = tx.change(INSERT_OTHER_RUNS, {"now": now}, d=[_other_run(run, now) for run in new])
    parents = [run for run in new if run.is_parent and run.place]
    kept = {run.fire_key: run.kept for run in parents if run.kept}
    insert_children(tx, now, [(run.job, run.fire_key, run.place or 0) for run in parents], kept=kept)
    own = [
        (run.job.job_id, run.fire_key, run.place, shard, session, _of_shard(run.job) | OWN)
        for run in parents
        for shard, session in run.own
    ]
    if own:
        tx.change(INSERT_OWN, {"now": now}, d=own)
    if kept:
        rows = [
            (run.job.job_id, run.fire_key, run.place, run.kept_of, f"kept from {format_run_id(run.kept_of)}")
            for run in parents
            if run.kept and run.kept_of is not None
        ]
        tx.change(INSERT_KEPT, {"now": now}, d=rows)
    return inserted


def insert_children(
    tx: Tx,
    now: Instant,
    parents: Sequence[tuple[LoadedJob, str, int]],
    *,
    kept: Mapping[str, frozenset[int]] | None = None,
) -> None:
    """The shards of these parents (job, fire key, place). `kept`: by fire key, those that are over already."""
    over = kept or {}
    children = [
        (job.job_id, fire_key, place, shard, _of_shard(job), int(nth >= SURPLUS_AFTER))
        for job, fire_key, place in parents
        for nth, shard in enumerate(_left(job, over.get(fire_key, frozenset())))
    ]
    if children:
        tx.change(INSERT_CHILDREN, {"now": now}, d=children)


def _left(job: LoadedJob, over: frozenset[int]) -> Iterator[int]:
    """The shards that are to be executed."""
    return (shard for shard in range(job.definition.cut_into) if shard not in over)


def _of_shard(job: LoadedJob) -> int:
    return CHILD | (follow_of(job, scheduled=False) & LIMITS)


def _other_run(run: NewRun, now: Instant) -> tuple[Any, ...]:
    job, rejected = run.job, run.error is not None
    shards = run.open_shards
    follow = follow_of(job, scheduled=run.scheduled)
    if run.is_past:
        follow |= PAST
    if run.is_pinned:
        follow |= PINNED
    if run.is_trial:
        follow |= TRIAL
    if run.serial:
        follow |= SERIAL  # the line is the job's, whatever the version says
    if shards:
        follow &= ~LIMITS  # a parent is never leased, so it takes none
    state = RunState.FAILED if rejected else RunState.RUNNING if shards else RunState.PENDING
    priority = job.definition.priority if run.priority is None else run.priority
    return (
        job.job_id, job.version, run.fire_key, run.due_at, run.not_before, job.lane_id, run.class_, priority,
        run.serial, run.place, int(run.parked), follow, str(state), str(FailureKind.REJECTED) if rejected else None,
        shards, now if rejected else None, run.error, run.triggered_by, run.reason, run.params,
    )  # fmt: skip
