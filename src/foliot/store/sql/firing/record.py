"""Recording plans: cursors move, runs and skips come to be, in one transaction and set-based (S1, S2, R1, R23).

A plan with n runs raises `cursor_ver` by n (at least 1), and its runs take the new values as their places: so each run
of a job has a place of its own, and the order of places is the order of commits whatever ids the database hands out.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, NamedTuple

from foliot.domain.fire import (
    Cursor,
    CursorState,
    DueJob,
    Plan,
    PlannedRun,
    PlannedSkip,
    open_skip_after,
    skip_key,
    troubled,
)
from foliot.domain.instants import Instant
from foliot.domain.job import LoadedJob
from foliot.domain.late_work import ON_TIME
from foliot.store.sql.firing.follow import serial_of
from foliot.store.sql.firing.line import bump
from foliot.store.sql.firing.new_runs import INSERT_RUNS, NewRun, insert_runs
from foliot.store.sql.firing.run_shape import CATCH_UP, PARKED, shape_of
from foliot.store.sql.jobs.definitions import StoredJob
from foliot.store.sql.kernel.database import RefusedForData, TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement
from foliot.store.sql.leasing.assigned import assigned_rank

ROWS_MAX: Final = 2000  # of one transaction (R9); a plan larger than this still goes as a whole

# ------------------------------------------------------------------------------------------------- rows to be written


class CursorMove(NamedTuple):
    """Where a cursor goes, when more about it changes than its next instant."""

    job_id: int
    seen: int  # the `cursor_ver` that was read: the guard
    bump: int
    version: int
    state: str
    next_at: Instant | None
    next_due_at: Instant | None
    remaining: int | None
    skip_from: Instant | None
    skip_reason: str | None
    skip_why: str | None
    trouble: str | None


class NewSkip(NamedTuple):
    """A row of `skips`, or what an open one is extended by."""

    job_id: int
    fire_key: str
    from_at: Instant
    to_at: Instant
    count: int  # type: ignore[assignment]  # how many instants, not tuple's method
    reason: str
    why: str
    cause: str
    version: int
    held: int


# ------------------------------------------------------------------------------------------------------- statements

STEP: Final = Statement(
    """
    UPDATE cursors SET next_at = d.next_at, next_due_at = d.next_due_at, cursor_ver = cursor_ver + 1
    FROM {d}
    WHERE cursors.job_id = d.job_id AND cursors.cursor_ver = d.seen
    """,
    RowSet("d", job_id=BIGINT, seen=BIGINT, next_at=BIGINT, next_due_at=BIGINT),
)
"""Nearly every plan: one run, or none; the cursor goes on to its next instant and nothing else about it changes."""

MOVE: Final = Statement(
    """
    UPDATE cursors SET version = d.version, state = d.state, next_at = d.next_at, next_due_at = d.next_due_at,
           cursor_ver = cursor_ver + d.bump, remaining = d.remaining, skip_from = d.skip_from,
           skip_reason = d.skip_reason, skip_why = d.skip_why, trouble = d.trouble
    FROM {d}
    WHERE cursors.job_id = d.job_id AND cursors.cursor_ver = d.seen
    """,
    RowSet.of("d", CursorMove),
)

INSERT_SKIPS: Final = Statement(
    """
    {insert_ignore} skips (job_id, fire_key, from_at, to_at, count, reason, why, cause, version, decided_at, held)
    SELECT d.job_id, d.fire_key, d.from_at, d.to_at, d.count, d.reason, d.why, d.cause, d.version, :now, d.held
    FROM {d} WHERE true
    {ignore_duplicates}
    """,
    RowSet.of("d", NewSkip),
)

EXTEND_SKIPS: Final = Statement(
    """
    UPDATE skips SET to_at = d.to_at, count = skips.count + d.count, decided_at = :now
    FROM {d}
    WHERE skips.job_id = d.job_id AND skips.fire_key = d.fire_key
    """,
    RowSet.of("d", NewSkip),
)

KNOWN_SKIPS: Final = Statement(
    """
    SELECT skips.job_id, skips.fire_key FROM {d}
    JOIN skips ON skips.job_id = d.job_id AND skips.fire_key = d.fire_key
    """,
    RowSet("d", job_id=BIGINT, fire_key=TEXT),
)

RESUMED: Final = Statement(
    "UPDATE jobs SET pause_reason = NULL, paused_by = NULL, paused_at = NULL, updated_at = :now FROM {d} "
    "WHERE jobs.id = d.job_id",
    RowSet("d", job_id=BIGINT),
)
"""Pauses that ended by themselves."""

NO_LONGER_HELD: Final = Statement(
    "UPDATE skips SET held = 0 FROM {d} WHERE skips.job_id = d.job_id AND skips.held = 1", RowSet("d", job_id=BIGINT)
)
"""The pause is over: what it held back stays left out."""

WAITING_CATCH_UP: Final = Statement(
    """
    SELECT runs.id, runs.ver, runs.priority FROM {d}
    JOIN runs ON runs.{line_job} = d.job_id
    WHERE runs.state IN ('PENDING', 'RUNNING') AND runs.shard = -1 AND runs.state = 'PENDING'
          AND runs.place IS NOT NULL AND runs.class = 1 AND runs.attempt = 0
    ORDER BY runs.id LIMIT :limit
    {skip_locked}
    """,
    RowSet("d", job_id=BIGINT),
)

PROMOTE: Final = Statement(
    f"""
    UPDATE runs SET class = {ON_TIME}, not_before = :now, ver = runs.ver + 1,
           assigned_rank = CASE WHEN runs.parked = 2 THEN d.rank_ ELSE runs.assigned_rank END
    FROM {{d}}
    WHERE runs.id = d.id AND runs.ver = d.ver AND runs.state = 'PENDING'
    """,
    RowSet("d", id=BIGINT, ver=BIGINT, rank_=BIGINT),
)
"""One that is assigned already gets the rank that it would have been assigned with."""


# ---------------------------------------------------------------------------------------------------------- the verb


class Recorded(NamedTuple):
    """What came of a batch of plans."""

    created: int = 0
    skipped: int = 0  # instants
    duplicates: int = 0
    troubled: tuple[int, ...] = ()
    lateness_us: tuple[int, ...] = ()
    next_at: Instant | None = None  # the first wake time of these jobs; None: they have none


def record(
    tx: Tx, now: Instant, due: Sequence[DueJob], plans: Sequence[Plan], *, flagged: AbstractSet[int] = frozenset()
) -> Recorded:
    """Write what was decided. Every cursor must still be as it was seen, else nothing is written (`TryAgain`).

    `flagged`: jobs whose cursor carries the trouble of an earlier plan, which a good one clears.
    """
    steps: list[tuple[Any, ...]] = []  # as `STEP` takes them
    moves: list[CursorMove] = []
    runs: list[tuple[Any, ...]] = []  # as `INSERT_RUNS` takes them
    parents: list[NewRun] = []
    rest: list[tuple[Cursor, Plan]] = []  # plans with more to them than a run
    lateness: list[int] = []
    for (cursor, job, _), plan in zip(due, plans, strict=True):
        seen = cursor.cursor_ver
        woke_at = cursor.next_at
        if is_plain_step(cursor, plan) and cursor.job_id not in flagged:
            next_at = fresh(plan.next_at, now)
            steps.append((cursor.job_id, seen, next_at, plan.next_due_at))
        else:
            moves.append(_move(cursor, job.version, plan, now))
            rest.append((cursor, plan))
        # The cursor rises by the number of runs, and they take its new values: no two runs of a job share a place.
        for place, run in enumerate(plan.runs, seen + 1):
            lateness.append(now - (run.due_at if woke_at is None else woke_at))
            if job.definition.cut_into:
                parents.append(_planned(job, run, place))
            else:
                runs.append(fire_row(job, run, place))
    _move_cursors(tx, steps, moves)
    tx.point("firing.cursors_moved")
    created = tx.change(INSERT_RUNS, {"now": now}, d=runs) if runs else 0
    created += insert_runs(tx, now, parents) if parents else 0
    skipped = _record_rest(tx, now, rest) if rest else 0
    return Recorded(
        created=created,
        skipped=skipped,
        duplicates=len(runs) + len(parents) - created,
        troubled=tuple(cursor.job_id for cursor, plan in rest if plan.trouble is not None),
        lateness_us=tuple(lateness),
        next_at=_first_wake(steps, moves),
    )


def record_carefully(
    tx: Tx, now: Instant, due: Sequence[DueJob], plans: Sequence[Plan], *, flagged: AbstractSet[int] = frozenset()
) -> Recorded:
    """Record although the database refuses some of it: halve down to the row; the bad run is FAILED/rejected."""
    try:
        with tx.savepoint():
            return record(tx, now, due, plans, flagged=flagged)
    except RefusedForData:
        if len(due) > 1:
            half = len(due) // 2
            first = record_carefully(tx, now, due[:half], plans[:half], flagged=flagged)
            return joined(first, record_carefully(tx, now, due[half:], plans[half:], flagged=flagged))
        return _record_one(tx, now, due[0], plans[0])


def record_change(
    tx: Tx, now: Instant, cursor: Cursor, plan: Plan, *, job: LoadedJob | None, version: int | None = None
) -> None:
    """Write a plan that a person asked for: a pause, a resume, a deletion; with `version`, an edit.

    `job` is the version that the plan's runs belong to; None when it has none. An edit closes the open skip row.
    """
    move = _move(cursor, version or cursor.version, plan, now)
    if version is not None:
        move = move._replace(skip_from=None, skip_reason=None, skip_why=None)
    _move_cursors(tx, [], [move])
    if plan.runs:
        assert job is not None, "runs belong to a version"
        insert_runs(tx, now, [_planned(job, run, place) for place, run in enumerate(plan.runs, cursor.cursor_ver + 1)])
    _record_rest(tx, now, [(cursor, plan)])


def flag(tx: Tx, now: Instant, broken: Sequence[tuple[Cursor, Exception]]) -> Recorded:
    """Jobs whose definition does not compile stay undecided; they are looked at again in a minute."""
    moves: list[CursorMove] = []
    for cursor, error in broken:
        plan = troubled(cursor, error, now)
        moves.append(_move(cursor, cursor.version, plan, now))
    _move_cursors(tx, [], moves)
    return Recorded(troubled=tuple(cursor.job_id for cursor, _ in broken), next_at=_first_wake([], moves))


def earlier(one: Instant | None, other: Instant | None) -> Instant | None:
    """The earlier of two wake times; None: there is none."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def within_rows(due: Sequence[DueJob], plans: Sequence[Plan], rows_max: int = ROWS_MAX) -> int:
    """How many of the plans one transaction takes, by the rows they insert; at least one."""
    rows = 0
    for count, (item, plan) in enumerate(zip(due, plans, strict=True)):
        rows += len(plan.runs) * (1 + item.job.definition.cut_into) + len(plan.skips)
        if rows > rows_max and count:
            return count
    return len(due)


# ----------------------------------------------------------------------------------------------------------- cursors


def is_plain_step(cursor: Cursor, plan: Plan) -> bool:
    """Whether the cursor only goes on to its next instant (`STEP`)."""
    return (
        len(plan.runs) <= 1
        and not plan.skips
        and plan.state == cursor.state
        and plan.remaining == cursor.remaining
        and cursor.skip_from is None
        and not plan.promote
        and plan.trouble is None
    )


def _move(cursor: Cursor, version: int, plan: Plan, now: Instant) -> CursorMove:
    if plan.trouble is not None:
        return _left_undecided(cursor, plan, now)
    skip = open_skip_after(cursor, plan)
    return CursorMove(
        job_id=cursor.job_id,
        seen=cursor.cursor_ver,
        bump=len(plan.runs) or 1,
        version=version,
        state=str(plan.state),
        next_at=fresh(plan.next_at, now),
        next_due_at=plan.next_due_at,
        remaining=plan.remaining,
        skip_from=skip.from_at,
        skip_reason=skip.reason and str(skip.reason),
        skip_why=skip.why,
        trouble=None,
    )


def _left_undecided(cursor: Cursor, plan: Plan, now: Instant) -> CursorMove:
    """Nothing was decided: all but the time of the next look stays."""
    return CursorMove(
        job_id=cursor.job_id,
        seen=cursor.cursor_ver,
        bump=1,
        version=cursor.version,
        state=cursor.state,
        next_at=fresh(plan.next_at, now),
        next_due_at=cursor.next_due_at,
        remaining=cursor.remaining,
        skip_from=cursor.skip_from,
        skip_reason=cursor.skip_reason,
        skip_why=cursor.skip_why,
        trouble=plan.trouble,
    )


def fresh(next_at: Instant | None, now: Instant) -> Instant | None:
    """R9: what is to be done at once gets the present, so that scans with a lower bound find it."""
    return now if next_at is not None and next_at < now else next_at


def _first_wake(steps: Sequence[tuple[Any, ...]], moves: Sequence[CursorMove]) -> Instant | None:
    """The first time at which one of these cursors is to be looked at."""
    wakes = [next_at for _, _, next_at, _ in steps if next_at is not None]
    wakes += [move.next_at for move in moves if move.next_at is not None]
    return min(wakes, default=None)


def _move_cursors(tx: Tx, steps: Sequence[tuple[Any, ...]], moves: Sequence[CursorMove]) -> None:
    """R1: each cursor as it was seen, or nothing. They are locked: a miss means a lock that did not hold (Galera)."""
    if steps and tx.change(STEP, d=steps) != len(steps):
        raise TryAgain("a cursor moved although it was locked")
    if moves and tx.change(MOVE, d=moves) != len(moves):
        raise TryAgain("a cursor moved although it was locked")


# -------------------------------------------------------------------------------------------------------------- runs


def fire_row(job: LoadedJob, run: PlannedRun, place: int) -> tuple[Any, ...]:
    """A plain fire, as `INSERT_RUNS` takes it."""
    shape = job.shape if isinstance(job, StoredJob) else shape_of(job)
    if run.parked:
        shape |= PARKED
    if run.catch_up:
        shape |= CATCH_UP
    return (job.job_id, job.version, run.fire_key, run.due_at, run.not_before, place, shape)


def _planned(job: LoadedJob, run: PlannedRun, place: int, *, error: str | None = None) -> NewRun:
    return NewRun(
        job=job,
        fire_key=run.fire_key,
        due_at=run.due_at,
        not_before=run.not_before,
        place=place,
        parked=run.parked,
        serial=serial_of(job),
        scheduled=True,
        catch_up=run.catch_up,
        error=error,
    )


# ---------------------------------------------------------------------------------------------------------- the rest


def _record_rest(tx: Tx, now: Instant, rest: Sequence[tuple[Cursor, Plan]]) -> int:
    """Skips, promotions, pauses that ended; how many instants were skipped."""
    new: list[NewSkip] = []
    longer: list[NewSkip] = []
    promoted: list[tuple[int]] = []
    resumed: list[tuple[int]] = []
    skipped = 0
    for cursor, plan in rest:
        for skip in plan.skips:
            (longer if skip.extends else new).append(_skip_row(cursor, skip))
            skipped += skip.count
        if plan.promote:
            promoted.append((cursor.job_id,))
        if cursor.state == CursorState.PAUSED and plan.state != CursorState.PAUSED and plan.trouble is None:
            resumed.append((cursor.job_id,))
    if longer and tx.change(EXTEND_SKIPS, {"now": now}, d=longer) != len(longer):
        new += _unknown(tx, longer)  # the open row was forgotten by retention: it begins anew
    if new:
        tx.change(INSERT_SKIPS, {"now": now}, d=new)
    if resumed:
        tx.change(RESUMED, {"now": now}, d=resumed)
        tx.change(NO_LONGER_HELD, d=resumed)
    if promoted:
        promote(tx, now, promoted)
    return skipped


def _skip_row(cursor: Cursor, skip: PlannedSkip) -> NewSkip:
    begins_at = cursor.skip_from if skip.extends and cursor.skip_from is not None else skip.from_at
    return NewSkip(
        job_id=cursor.job_id,
        fire_key=skip_key(begins_at),
        from_at=skip.from_at,
        to_at=skip.to_at,
        count=skip.count,
        reason=str(skip.reason),
        why=skip.why,
        cause=skip.cause.to_json(),
        version=cursor.version,
        held=int(skip.held),
    )


def _unknown(tx: Tx, skips: Sequence[NewSkip]) -> list[NewSkip]:
    keys = [(skip.job_id, skip.fire_key) for skip in skips]
    known = {tuple(row) for row in tx.rows(KNOWN_SKIPS, d=keys)}
    return [skip for skip, key in zip(skips, keys, strict=True) if key not in known]


def promote(tx: Tx, now: Instant, jobs: Sequence[tuple[int]]) -> int:
    """Catch-up runs of these jobs that nobody leased yet become on-time work, due now (R10)."""
    waiting = [
        (run_id, ver, assigned_rank(now, priority, ON_TIME))
        for run_id, ver, priority in tx.tuples(WAITING_CATCH_UP, {"limit": ROWS_MAX}, d=jobs)
    ]
    return tx.change(PROMOTE, {"now": now}, d=waiting) if waiting else 0


# ----------------------------------------------------------------------------------------------------------- refused


def _record_one(tx: Tx, now: Instant, item: DueJob, plan: Plan) -> Recorded:
    """One job whose plan the database refuses: its runs one by one, the bad ones as rejected.

    When even that is refused (the cursor, a skip), nothing is decided and the job is flagged.
    """
    bare = plan._replace(runs=())
    try:
        with tx.savepoint():
            recorded = record(tx, now, [item], [bare])
            _bump(tx, item, len(plan.runs))
            created = sum(
                _insert_or_reject(tx, now, item, run, place)
                for place, run in enumerate(plan.runs, item.cursor.cursor_ver + 1)
            )
            return recorded._replace(created=created, duplicates=len(plan.runs) - created)
    except RefusedForData as refused:
        return record(tx, now, [item], [troubled(item.cursor, refused, now)])


def _bump(tx: Tx, item: DueJob, runs: int) -> None:
    """The bare plan raised the cursor by one; the places of the runs need the rest."""
    if runs > 1:
        bump(tx, {item.cursor.job_id: runs - 1})


def _insert_or_reject(tx: Tx, now: Instant, item: DueJob, run: PlannedRun, place: int) -> int:
    try:
        with tx.savepoint():
            return insert_runs(tx, now, [_planned(item.job, run, place)])
    except RefusedForData as refusal:
        return insert_runs(tx, now, [_planned(item.job, run, place, error=f"refused by the store: {refusal}"[:500])])


def joined(first: Recorded, second: Recorded) -> Recorded:
    """What came of both."""
    return Recorded(
        created=first.created + second.created,
        skipped=first.skipped + second.skipped,
        duplicates=first.duplicates + second.duplicates,
        troubled=first.troubled + second.troubled,
        lateness_us=first.lateness_us + second.lateness_us,
        next_at=earlier(first.next_at, second.next_at),
    )
