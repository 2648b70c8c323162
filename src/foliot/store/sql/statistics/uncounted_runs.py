"""Runs to be counted: those above the last counted one, and those that had not ended when they were passed."""

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any, Final

from foliot.domain.instants import MINUTE, SECOND, Instant, Micros
from foliot.domain.statistics.figures import EndedRun
from foliot.ports.store.statistics import CountProgress, LeftPage, RunsPassed
from foliot.store.sql.firing.follow import TRIAL
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement, keys

LOOK_MIN_US: Final[Micros] = 15 * SECOND
LOOK_MAX_US: Final[Micros] = 10 * MINUTE
LIVE: Final = frozenset({"PENDING", "RUNNING"})

PROGRESS: Final = Statement(
    """
    SELECT coalesce(max(p.ver), 0) AS ver, coalesce(max(p.counted_id), 0) AS counted_id,
           (SELECT coalesce(max(r.id), 0) FROM runs r) AS newest_id,
           (SELECT min(l.look_at) FROM stats_left l) AS look_at, {now} AS now_us
    FROM stats_progress p WHERE p.id = 1
    """
)

_FACTS: Final = """
    r.id, r.job_id, CASE WHEN r.shard = -1 AND r.parent_id IS NULL THEN 0 ELSE 1 END AS is_part, r.state, r.kind,
    r.failures, r.not_before, r.created_at, r.started_at, r.ended_at, r.session_id, r.follow"""
_NAMED: Final = """
    SELECT q.id, q.job_id, q.is_part, n.name, q.state, q.kind, q.failures, q.not_before, q.created_at, q.started_at,
           q.ended_at, q.follow"""

# The inner statement walks the primary key and stops at its limit.
PASSED: Final = Statement(
    f"""{_NAMED} FROM (
      SELECT {_FACTS} FROM runs r WHERE r.id > :after AND r.id <= :until ORDER BY r.id LIMIT :rows
    ) q LEFT JOIN nodes n ON n.id = q.session_id
    """
)
FOUND: Final = Statement(
    f"""{_NAMED} FROM (
      SELECT {_FACTS} FROM runs r WHERE r.id IN (SELECT d.id FROM {{d}})
    ) q LEFT JOIN nodes n ON n.id = q.session_id
    """,
    RowSet("d", id=BIGINT),
)
UNCOUNTED: Final = Statement(
    f"""{_NAMED} FROM (
      SELECT {_FACTS} FROM runs r WHERE r.job_id = :job_id AND r.id > :after ORDER BY r.id DESC LIMIT :rows
    ) q LEFT JOIN nodes n ON n.id = q.session_id
    """
)
LEFT: Final = Statement("SELECT first_id, run_ids, left_at, look_at FROM stats_left ORDER BY look_at LIMIT :rows")


def progress(tx: Tx) -> CountProgress:
    """How far runs are counted."""
    row = tx.rows(PROGRESS)[0]
    return CountProgress(
        ver=int(row.ver),
        counted_id=int(row.counted_id),
        newest_id=int(row.newest_id),
        now=int(row.now_us),
        has_left=row.look_at is not None and _is_due(row.look_at, int(row.now_us)),
    )


def passed(tx: Tx, *, after_id: int, until_id: int, limit: int) -> RunsPassed:
    """The next runs in the order of ids."""
    rows = tx.tuples(PASSED, {"after": after_id, "until": until_id, "rows": limit})
    return _sorted_out(rows, is_last=len(rows) < limit, last_id=until_id)


def found(tx: Tx, run_ids: Sequence[int]) -> RunsPassed:
    """These runs, as far as they are still there."""
    rows = tx.tuples(FOUND, d=keys(run_ids))
    return _sorted_out(rows, is_last=True, last_id=0)


def uncounted(tx: Tx, job_id: int, *, after_id: int, limit: int) -> Sequence[EndedRun]:
    """The newest ended runs of a job above an id."""
    rows = tx.tuples(UNCOUNTED, {"job_id": job_id, "after": after_id, "rows": limit})
    return _sorted_out(rows, is_last=True, last_id=0).ended


def left(tx: Tx, *, limit: int) -> Sequence[LeftPage]:
    """Pages of left runs that are due."""
    rows = tx.rows(LEFT, {"rows": limit})
    now = tx.now()
    return [LeftPage(row.first_id, read_ids(row.run_ids), row.left_at) for row in rows if _is_due(row.look_at, now)]


def look_at(left_at: Instant, now: Instant) -> Instant:
    """When to look again: the longer a run has not ended, the longer it may take."""
    return now + min(max((now - left_at) // 4, LOOK_MIN_US), LOOK_MAX_US)


def written_ids(run_ids: Sequence[int]) -> str:
    """Ids in rising order as text: the first, then by how much each is above the one before it."""
    gaps = [after - before for before, after in pairwise(run_ids)]
    return " ".join(map(str, [*run_ids[:1], *gaps]))


def read_ids(text: str) -> Sequence[int]:
    """The ids that `written_ids` wrote."""
    return list(accumulate(map(int, text.split())))


def _is_due(at: Instant, now: Instant) -> bool:
    """An instant far ahead is one from before the clock stepped back."""
    return at <= now or at > now + LOOK_MAX_US


def _sorted_out(rows: Iterable[Sequence[Any]], *, is_last: bool, last_id: int) -> RunsPassed:
    """Runs that ended and runs that did not. Tests are neither: nothing counts them."""
    ended: list[EndedRun] = []
    unended: list[int] = []
    newest_id = 0
    for row in rows:
        run_id, job_id, is_part, node, state, kind, failures, not_before, created_at, started_at, ended_at, follow = row
        newest_id = max(newest_id, run_id)
        if follow & TRIAL:
            continue
        if state in LIVE:
            unended.append(run_id)
            continue
        ready_at = max(not_before, created_at)
        ended.append(
            EndedRun(job_id, is_part, node or "", state, kind, failures, ready_at, started_at, ended_at or created_at)
        )
    return RunsPassed(ended=ended, unended=sorted(unended), last_id=last_id if is_last else newest_id, is_last=is_last)
