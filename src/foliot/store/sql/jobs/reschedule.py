"""Setting cursors right after the store's clock was ahead: what was decided for instants to come is taken back.

By the right time those decisions were early (S3). A skip of instants to come is shortened or taken away. A run that
waits for one is cancelled and gives the instant's key free, so that the instant gets its run when it comes. A run that
was begun stays, and its key keeps its instant from a second one (S1). Only what the cursor comes to again is undone.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.changes import Plans, Rescheduling, Stand
from foliot.domain.fire import Cursor, DueJob, schedule_key, withdrawn_key
from foliot.domain.instants import Instant
from foliot.domain.policies.retry import PAUSE_MAX
from foliot.domain.run import RunState
from foliot.ports.store.rescheduling import AheadJob, Rescheduled
from foliot.store.sql.ending.ends import Ending
from foliot.store.sql.ending.settlement import Quit
from foliot.store.sql.firing.record import record_change
from foliot.store.sql.firing_store import due_jobs
from foliot.store.sql.jobs.definitions import Definitions
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement

RUNS_MAX: Final = 1000  # of one transaction
SPANNING_MAX: Final = 10
EARLY: Final = "Its instant has not come; the schedule was set right after the store's clock was ahead."

_AHEAD: Final = """
    SELECT c.job_id, c.version, c.state, c.next_at, c.next_due_at, c.remaining, j.namespace, j.name
    FROM cursors c JOIN jobs j ON j.id = c.job_id AND j.deleted_at = 0
"""
STANDING: Final = Statement(
    f"{_AHEAD} WHERE c.job_id > :after AND j.namespace = :namespace ORDER BY c.job_id LIMIT :limit"
)
FARTHEST: Final = Statement(
    f"{_AHEAD} WHERE c.next_at > {{now}} AND c.state = 'active' ORDER BY c.next_at DESC, c.job_id DESC LIMIT :limit"
)

SKIPPED_EARLY: Final = Statement(
    "SELECT coalesce(sum(count), 0) FROM skips WHERE job_id = :job_id AND to_at >= :first AND from_at >= :first"
)
TAKE_BACK: Final = Statement("DELETE FROM skips WHERE job_id = :job_id AND to_at >= :first AND from_at >= :first")
SPANNING: Final = Statement(
    "SELECT id, from_at, count AS instants, version FROM skips "
    "WHERE job_id = :job_id AND to_at >= :first AND from_at < :first ORDER BY to_at LIMIT :rows"
)
SHORTEN: Final = Statement("UPDATE skips SET to_at = :to_at, count = :count WHERE id = :id AND to_at > :to_at")

MADE_EARLY: Final = Statement(
    """
    SELECT count(*) FROM runs
    WHERE job_id = :job_id AND fire_key >= :low AND fire_key < :high AND shard = -1 AND due_at > :now
          AND triggered_by IS NULL
    """
)
RUNS_EARLY: Final = Statement(
    """
    SELECT r.id, r.ver FROM runs r
    WHERE r.{line_job} = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
          AND r.state = 'PENDING' AND r.parent_id IS NULL AND r.attempt = 0
          AND r.due_at >= :first AND r.not_before > :now AND r.fire_key >= :low AND r.fire_key < :high
    ORDER BY r.place, r.id LIMIT :limit
    """
)
PARENTS_EARLY: Final = Statement(
    """
    SELECT p.id, p.open_children FROM runs p
    WHERE p.{line_job} = :job_id AND p.state IN ('PENDING', 'RUNNING') AND p.shard = -1 AND p.open_children > 0
          AND p.due_at >= :first AND p.not_before > :now AND p.fire_key >= :low AND p.fire_key < :high
          AND NOT EXISTS (SELECT 1 FROM runs c WHERE c.parent_id = p.id AND c.attempt > 0)
    ORDER BY p.place, p.id LIMIT :limit
    """
)
PARTS: Final = Statement(
    "SELECT r.id, r.ver, r.parent_id, r.state FROM runs r WHERE r.parent_id IN (SELECT d.id FROM {d}) ORDER BY r.id",
    RowSet("d", id=BIGINT),
)
FREE_INSTANT: Final = Statement(
    """
    UPDATE runs SET fire_key = d.fire_key, ver = runs.ver + 1 FROM {d}
    WHERE runs.id = d.id AND runs.state NOT IN ('PENDING', 'RUNNING')
    """,
    RowSet("d", id=BIGINT, fire_key=TEXT),
)
RETRIES_EARLY: Final = Statement(
    """
    SELECT r.id FROM runs r
    WHERE r.{line_job} = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
          AND r.state = 'PENDING' AND r.attempt > 0 AND r.not_before > :soon
    ORDER BY r.place, r.id LIMIT :limit
    """
)
RETRY_NOW: Final = Statement(
    "UPDATE runs SET not_before = :now, ver = ver + 1 WHERE id = :id AND state = 'PENDING' AND not_before > :soon"
)


class _Run(NamedTuple):
    """A run that waits for an instant to come, with the parts it was cut into."""

    id: int
    ver: int = 0  # of a parent it is not asked for: it ends with its parts
    parts: Sequence[Any] = ()

    @property
    def quits(self) -> list[Quit]:
        if not self.parts:
            return [Quit(self.id, self.ver, EARLY)]
        return [Quit(part.id, part.ver, EARLY) for part in self.parts if part.state == RunState.PENDING]

    @property
    def keys(self) -> list[tuple[int, str]]:
        key = withdrawn_key(self.id)
        return [(self.id, key), *((part.id, key) for part in self.parts)]


class _Early(NamedTuple):
    """What was decided for instants that come again."""

    instants: int = 0
    spanning: Sequence[Any] = ()
    runs: Sequence[_Run] = ()


def reschedule(
    tx: Tx, definitions: Definitions, ending: Ending, cursor: Cursor, plans: Plans, *, dry_run: bool
) -> Rescheduled:
    """Set a locked cursor right, of which nothing is due any more. `dry_run`: say what that would do."""
    due, broken = due_jobs(tx, definitions, [cursor])
    if broken:
        raise broken[0][1]
    now = tx.now()
    (plan, again_from), early = _looked(tx, due[0], plans, now)
    before = _stand(cursor)
    after = Stand(str(plan.state), plan.next_at, plan.next_due_at, plan.remaining)
    retries = _retries(tx, cursor.job_id, now)
    given_back = early.instants + _take_back(tx, definitions, cursor.job_id, early, again_from, dry_run=dry_run)
    if not dry_run:
        if after != before:
            record_change(tx, now, cursor, plan, job=due[0].job, version=cursor.version)
        _withdraw(tx, ending, early.runs)
        _try_now(tx, retries, now)
    return Rescheduled(
        now=now, before=before, after=after, instants=given_back, runs=len(early.runs), retries=len(retries)
    )


def standing_ahead(
    tx: Tx, definitions: Definitions, plans: Plans, *, namespace: str, after: int, limit: int
) -> tuple[list[AheadJob], int | None]:
    """Of the next jobs of a namespace those that stand ahead of their schedules; the last one looked at, None: all."""
    rows = tx.rows(STANDING, {"namespace": namespace, "after": after, "limit": limit})
    last = rows[-1].job_id if len(rows) == limit else None
    return _ahead(tx, definitions, plans, rows), last


def farthest_ahead(tx: Tx, definitions: Definitions, plans: Plans, *, limit: int) -> list[AheadJob]:
    """Of the jobs whose next fire is farthest those that stand ahead of their schedules."""
    return _ahead(tx, definitions, plans, tx.rows(FARTHEST, {"limit": limit}))


def _ahead(tx: Tx, definitions: Definitions, plans: Plans, rows: Sequence[Any]) -> list[AheadJob]:
    jobs = definitions.find(tx, [(row.job_id, row.version) for row in rows]).jobs
    now = tx.now()
    found = []
    for row in rows:
        job = jobs.get((row.job_id, row.version))
        stand = Stand(row.state, row.next_at, row.next_due_at, row.remaining)
        if job is not None and plans.is_ahead(stand, job, now):
            group = job.definition.group
            found.append(AheadJob(namespace=row.namespace, name=row.name, group=group, next_due_at=row.next_due_at))
    return found


def _stand(cursor: Cursor) -> Stand:
    return Stand(cursor.state, cursor.next_at, cursor.next_due_at, cursor.remaining)


# -------------------------------------------------------------------------------------------------- early decisions


def _looked(tx: Tx, due: DueJob, plans: Plans, now: Instant) -> tuple[Rescheduling, _Early]:
    """Where the cursor goes, and what was decided for the instants it then comes to again."""
    job_id = due.cursor.job_id
    if due.job.definition.is_delayed:
        early = _early(tx, job_id, now + 1, now)
        return plans.reschedule(due, now, early=len(early.runs)), early
    made = _made(tx, due.cursor, now)
    going = plans.reschedule(due, now, early=made)
    if going.again_from is None:
        return going, _Early()
    return going, _early(tx, job_id, going.again_from, now)


def _made(tx: Tx, cursor: Cursor, now: Instant) -> int:
    """How many runs of instants to come there are, in whatever state. Only a schedule with a count needs to know."""
    if cursor.remaining is None:
        return 0
    return int(tx.value(MADE_EARLY, {"job_id": cursor.job_id, "now": now, **_keys_from(now)}))


def _early(tx: Tx, job_id: int, first: Instant, now: Instant) -> _Early:
    skips = {"job_id": job_id, "first": first}
    runs = {**skips, "now": now, "limit": RUNS_MAX, **_keys_from(first)}
    whole = [_Run(row.id, row.ver) for row in tx.rows(RUNS_EARLY, runs)]
    return _Early(
        instants=int(tx.value(SKIPPED_EARLY, skips)),
        spanning=tx.rows(SPANNING, {**skips, "rows": SPANNING_MAX}),
        runs=whole + _parents(tx, runs),
    )


def _keys_from(first: Instant) -> dict[str, str]:
    return {"low": schedule_key(first), "high": "s;"}


def _parents(tx: Tx, values: Mapping[str, Any]) -> list[_Run]:
    """Runs in parts of which none was begun; each with all its parts, so that one transaction takes it back whole."""
    chosen: list[tuple[int]] = []
    size = 0
    for parent_id, parts in tx.rows(PARENTS_EARLY, values):
        size += parts
        if size > RUNS_MAX and chosen:
            break
        chosen.append((parent_id,))
    if not chosen:
        return []
    found: dict[int, list[Any]] = {parent_id: [] for (parent_id,) in chosen}
    for part in tx.rows(PARTS, d=chosen):
        found[part.parent_id].append(part)
    return [_Run(parent_id, parts=parts) for parent_id, parts in found.items()]


def _take_back(
    tx: Tx, definitions: Definitions, job_id: int, early: _Early, first: Instant | None, *, dry_run: bool
) -> int:
    """Skips of instants from `first` on go; one that began before is shortened. How many instants were cut off it."""
    if first is None:
        return 0
    jobs = definitions.find(tx, [(job_id, row.version) for row in early.spanning]).jobs
    cut_off = 0
    for row in early.spanning:
        job = jobs.get((job_id, row.version))
        schedule = job.definition.schedule if job is not None else None
        last = schedule.previous_before(first) if schedule is not None else None
        to_at = first - 1 if last is None or last < row.from_at else last
        count = schedule.count_between(row.from_at - 1, to_at) if schedule is not None else row.instants
        cut_off += max(0, row.instants - count)
        if not dry_run:
            tx.change(SHORTEN, {"id": row.id, "to_at": to_at, "count": count})
    if early.instants and not dry_run:
        tx.change(TAKE_BACK, {"job_id": job_id, "first": first})
    return cut_off


def _withdraw(tx: Tx, ending: Ending, runs: Sequence[_Run]) -> None:
    """Runs that wait for instants to come end, and give their instants' keys free: those get their runs in time."""
    if not runs:
        return
    quits = [quit_ for run in runs for quit_ in run.quits]
    if len(ending.quit_in(tx, quits, carefully=True)) < len(quits):
        raise TryAgain("a run that waited was begun meanwhile")
    keys = sorted(key for run in runs for key in run.keys)
    if tx.change(FREE_INSTANT, d=keys) != len(keys):
        raise TryAgain("a run that was taken back has not ended")


def _retries(tx: Tx, job_id: int, now: Instant) -> list[int]:
    soon = {"job_id": job_id, "soon": now + PAUSE_MAX, "limit": RUNS_MAX}
    return [row.id for row in tx.rows(RETRIES_EARLY, soon)]


def _try_now(tx: Tx, retries: Sequence[int], now: Instant) -> None:
    """Retries that would wait for years are due now."""
    for run_id in retries:
        tx.change(RETRY_NOW, {"id": run_id, "now": now, "soon": now + PAUSE_MAX})
