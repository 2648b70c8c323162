"""A job's line: the bump that gives a place in it, and what stands in it (R23).

Every insert of a run bumps `cursors.cursor_ver` first, in its transaction. That write is what serialises inserts of one
job (a lock alone would not on Galera); what a statement after it reads of the line is therefore complete.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from foliot.domain.fire import Situation
from foliot.domain.late_work import CATCH_UP, SURPLUS_AFTER
from foliot.store.sql.firing.line_counts import CAP, LineCounts
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement, keys

BUMP: Final = Statement(
    "UPDATE cursors SET cursor_ver = cursor_ver + d.bump FROM {d} WHERE cursors.job_id = d.job_id",
    RowSet("d", job_id=BIGINT, bump=BIGINT),
)

LOCK: Final = Statement(
    """
    SELECT cursors.job_id, cursors.cursor_ver, cursors.version FROM cursors
    WHERE cursors.job_id IN (SELECT d.job_id FROM {d}) ORDER BY cursors.job_id {for_update}
    """,
    RowSet("d", job_id=BIGINT),
)

PLACES: Final = Statement(
    """
    SELECT cursors.job_id, cursors.cursor_ver, cursors.version, jobs.deleted_at FROM {d}
    JOIN cursors ON cursors.job_id = d.job_id JOIN jobs ON jobs.id = d.job_id
    """,
    RowSet("d", job_id=BIGINT),
)

PLACES_AND_QUEUE: Final = Statement(
    f"""
    SELECT cursors.job_id, cursors.cursor_ver, cursors.version, jobs.deleted_at, (
      SELECT 1 FROM runs r
      WHERE r.job_id = d.job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
            AND r.state = 'PENDING' AND r.class <> {CATCH_UP}
      ORDER BY r.place DESC, r.id DESC LIMIT 1 OFFSET {SURPLUS_AFTER - 1})
    FROM {{d}}
    JOIN cursors ON cursors.job_id = d.job_id JOIN jobs ON jobs.id = d.job_id
    """,
    RowSet("d", job_id=BIGINT),
    mysql=f"""
    SELECT cursors.job_id, cursors.cursor_ver, cursors.version, jobs.deleted_at, (
      SELECT 1 FROM runs r WHERE r.line_job = d.job_id AND r.state = 'PENDING' AND r.class <> {CATCH_UP}
      ORDER BY r.place DESC, r.id DESC LIMIT 1 OFFSET {SURPLUS_AFTER - 1})
    FROM {{d}}
    JOIN cursors ON cursors.job_id = d.job_id JOIN jobs ON jobs.id = d.job_id
    """,
)
"""The same, and whether so many runs of a job wait that one more is surplus. The newest are read first: they wait."""

_SCHEDULED: Final = "r.fire_key >= 's:' AND r.fire_key < 's;'"
_OF_USERS: Final = "(r.fire_key >= 'b:' AND r.fire_key < 'b;') OR (r.fire_key >= 't:' AND r.fire_key < 't;')"
IS_OPEN: Final = f"NOT ({_OF_USERS} OR ({_SCHEDULED} AND r.triggered_by IS NOT NULL))"
"""All but tests and backfills: a scheduled instant that somebody asked for was missing and is made up for."""
IS_WAITING: Final = "r.state = 'PENDING' AND r.attempt = 0"

_COUNTS: Final = LineCounts.counted(
    open="coalesce(sum(q.is_open), 0)",
    waiting="coalesce(sum(q.is_open * q.waiting), 0)",
    catch_up="coalesce(sum(q.late), 0)",
    scheduled="coalesce(sum(q.is_open * q.scheduled), 0)",
)
_PARENTS_WAITING_MARIADB: Final = f"""
    sum({IS_OPEN} AND r.open_children > 0)
    - coalesce(min(CASE WHEN {IS_OPEN} AND r.open_children > 0 THEN r.place END) = min(r.place), 0)
"""
_COUNTS_MARIADB: Final = LineCounts.counted(
    open=f"least(sum({IS_OPEN}), :cap)",
    waiting=f"least(sum({IS_OPEN} AND {IS_WAITING}) + {_PARENTS_WAITING_MARIADB}, :cap)",
    catch_up=f"least(sum({IS_WAITING} AND r.class = 1), :cap)",
    scheduled=f"least(sum({IS_OPEN} AND {_SCHEDULED}), :cap)",
)

SITUATION: Final = Statement(
    f"""
    SELECT d.job_id, (
      SELECT {_COUNTS}
      FROM (
        SELECT CASE WHEN {IS_OPEN} THEN 1 ELSE 0 END AS is_open,
               CASE WHEN {IS_WAITING} THEN 1
                    WHEN r.open_children > 0 AND row_number() OVER (ORDER BY r.place, r.id) > 1 THEN 1
                    ELSE 0 END AS waiting,
               CASE WHEN {IS_WAITING} AND r.class = 1 THEN 1 ELSE 0 END AS late,
               CASE WHEN {_SCHEDULED} THEN 1 ELSE 0 END AS scheduled
        FROM runs r
        WHERE r.job_id = d.job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
              AND r.place IS NOT NULL AND r.parent_id IS NULL
        ORDER BY r.place, r.id LIMIT :cap
      ) q
    ) AS counts
    FROM {{d}}
    WHERE EXISTS (SELECT 1 FROM runs r WHERE r.job_id = d.job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1)
    """,
    RowSet("d", job_id=BIGINT),
    mysql=f"""
    SELECT r.line_job, {_COUNTS_MARIADB}
    FROM {{d}} STRAIGHT_JOIN runs r ON r.line_job = d.job_id
    WHERE r.parent_id IS NULL
    GROUP BY r.line_job
    """,
)
"""Open runs per job, as `LineCounts`. A parent of shards is RUNNING from its first moment; it waits as long as it is
not the head of its line."""

NEWEST_FIRES: Final = Statement(
    f"""
    SELECT d.job_id, (SELECT r.state FROM runs r
                      WHERE r.job_id = d.job_id AND {_SCHEDULED} AND r.shard = -1 AND r.triggered_by IS NULL
                      ORDER BY r.fire_key DESC LIMIT 1)
    FROM {{d}}
    """,
    RowSet("d", job_id=BIGINT),
)
"""How the newest fire of the schedule stands, wherever in a long line."""

NOTHING_OPEN: Final = Situation(open=0, waiting=0, catch_up=0, scheduled=0)


class LineEnd(NamedTuple):
    """Where a job's line ends now, and what the job is now."""

    last: int  # the place of the newest run
    version: int
    deleted_at: int  # 0: it was not deleted
    is_crowded: int | None = None  # 1: so many of its runs wait that more are surplus; None: fewer, or nobody asked


def bump(tx: Tx, by: Mapping[int, int], *, with_queue: bool = False) -> dict[int, LineEnd]:
    """Raise the cursors of these jobs; the last place of each. Jobs without a cursor are left out.

    `with_queue`: say also whether more runs of the job are surplus.
    """
    jobs = keys(by)
    if len(by) > 1:
        tx.rows(LOCK, d=jobs)  # by primary key, so that two who bump the same jobs do not deadlock (R3)
    tx.change(BUMP, d=list(by.items()))
    return {job_id: LineEnd(*end) for job_id, *end in tx.tuples(PLACES_AND_QUEUE if with_queue else PLACES, d=jobs)}


def situations(tx: Tx, job_ids: Iterable[int]) -> dict[int, Situation]:
    """What stands in the lines of those of these jobs that have one; `NOTHING_OPEN` goes for the others.

    Only after their cursors were locked or bumped in this transaction.
    """
    seen: dict[int, Situation] = {}
    beyond: list[int] = []
    for job_id, packed in tx.pairs(SITUATION, {"cap": CAP}, d=keys(job_ids)).items():
        counts = seen[job_id] = LineCounts.unpacked(int(packed))
        if counts.open >= CAP and not counts.scheduled:
            beyond.append(job_id)  # more triggers than are counted stand before any fire there may be
    for job_id, state in tx.pairs(NEWEST_FIRES, d=keys(beyond)).items():
        is_live = state in ("PENDING", "RUNNING")
        seen[job_id] = seen[job_id]._replace(scheduled=int(is_live))
    return seen


class NewPlaces:
    """The places that a bump gave to each job's line, handed out in order.

    `counts`: how many runs are to enter each line; the bump raised its end by at least as many.
    """

    def __init__(self, ends: Mapping[int, LineEnd], seen: Mapping[int, Situation], counts: Mapping[int, int]) -> None:
        self._last: dict[int, int] = {}
        for job_id, end in ends.items():
            self._last[job_id] = end.last - counts[job_id]
        self._open: dict[int, int] = {}
        for job_id, situation in seen.items():
            self._open[job_id] = situation.open

    def enter(self, job_id: int, serial: int) -> tuple[int, bool]:
        """The next place, and whether the run is parked behind another."""
        self._last[job_id] += 1
        is_parked = bool(serial and self._open.get(job_id))
        self._open[job_id] = self._open.get(job_id, 0) + 1
        return self._last[job_id], is_parked
