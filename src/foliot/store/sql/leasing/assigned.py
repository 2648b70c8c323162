"""Assigned runs: what a route meant for one worker, or at last for anyone that fits. They wait outside `runs_ready`.

The index `runs_assigned` has them by worker, then by lane, then by rank. So a lease reads the first few of each lane of
a worker that has some, and steps over no run of another worker, nor over a lane whose limit is full. The rank of late
work is behind that of all other work: the first few of both are read, and what goes first is `leasing.fair_order`'s.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.clocks import ClockDoubt
from foliot.domain.instants import Instant
from foliot.domain.late_work import ON_TIME
from foliot.ports.store.assignment import ANYONE
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.leasing.candidates import (
    CANDIDATE_COLUMNS,
    DUE_INDEED,
    FIRST_IN_LINE,
    NONE_BEFORE,
    Candidate,
)
from foliot.store.sql.leasing.run_kinds import SESSIONS, STEP_US

ASSIGNED: Final = "r.state = 'PENDING' AND r.parked = 2"

LATE: Final = 2**60
"""Added to the rank of late work: more than any instant is."""
_END: Final = 2**62
RANK: Final = f"p.not_before - p.priority * {STEP_US} + CASE WHEN p.class = {ON_TIME} THEN 0 ELSE {LATE} END"
"""`runs.assigned_rank` of a run that is inserted like the row `p`."""


def assigned_rank(not_before: Instant, priority: int, class_: int) -> int:
    """`runs.assigned_rank`: the turn of a run among those of its worker and lane."""
    rank = not_before - priority * STEP_US
    return rank if class_ == ON_TIME else rank + LATE


QUEUES: Final = Statement(
    f"""
    WITH RECURSIVE walk (session, lane) AS (
      SELECT s.id, (SELECT min(r.lane) FROM runs r WHERE {ASSIGNED} AND r.assigned_to = s.id) FROM {{s}}
      UNION ALL
      SELECT w.session, (SELECT min(r.lane) FROM runs r
                         WHERE {ASSIGNED} AND r.assigned_to = w.session AND r.lane > w.lane)
      FROM walk w WHERE w.lane IS NOT NULL
    )
    SELECT walk.session, walk.lane, (SELECT r.assigned_rank FROM runs r
                                     WHERE {ASSIGNED} AND r.assigned_to = walk.session AND r.lane = walk.lane
                                     ORDER BY r.assigned_rank DESC LIMIT 1)
    FROM walk WHERE walk.lane IS NOT NULL
    """,
    SESSIONS,
)
"""Whom something waits for, in which lanes, and the last rank there, which tells of late work: two steps of the index
each."""

WALK: Final = f"""
    WITH RECURSIVE walk (session) AS (
      SELECT (SELECT r.assigned_to FROM runs r WHERE {ASSIGNED} AND r.assigned_to > ''
              ORDER BY r.assigned_to LIMIT 1)
      UNION ALL
      SELECT (SELECT r.assigned_to FROM runs r WHERE {ASSIGNED} AND r.assigned_to > w.session
              ORDER BY r.assigned_to LIMIT 1)
      FROM walk w WHERE w.session IS NOT NULL
    )
"""
"""The sessions that runs wait for, `ANYONE` among them, as `walk.session`: one step of the index for each."""
WALK_MARIADB: Final = """(
      SELECT r.assigned_to AS session FROM runs r FORCE INDEX (runs_assigned) WHERE r.assigned_to > ''
      GROUP BY r.assigned_to) walk
"""
"""MariaDB finds no beginning in an index by a value of another row: the walk would read it from its first entry."""

_QUEUE: Final = RowSet("k", session=TEXT, lane=BIGINT, low=BIGINT, high=BIGINT, n=BIGINT)
_QUEUE_COLUMNS: Final = [name for name, _ in _QUEUE.columns]


def _of_queues(doubt: str = "") -> str:
    return f"""
    SELECT r.* FROM {{k}} CROSS JOIN LATERAL (
      SELECT {CANDIDATE_COLUMNS} FROM runs r
      WHERE r.assigned_to = k.session AND r.lane = k.lane AND r.assigned_rank >= k.low AND r.assigned_rank < k.high
            AND {ASSIGNED} AND r.not_before <= :now
            {NONE_BEFORE} {doubt}
      ORDER BY r.assigned_rank, r.id LIMIT k.n
    """


def _of_queue(doubt: str = "") -> str:
    return f"""
    SELECT {CANDIDATE_COLUMNS} FROM runs r
    WHERE r.assigned_to = :session AND r.lane = :lane AND r.assigned_rank >= :low AND r.assigned_rank < :high
          AND {ASSIGNED} AND r.not_before <= :now
          {NONE_BEFORE} {doubt}
    ORDER BY r.assigned_rank, r.id LIMIT :n
    """


def _of_queue_mariadb(doubt: str = "") -> str:
    return f"""
    SELECT {CANDIDATE_COLUMNS} FROM runs r FORCE INDEX (runs_assigned)
    WHERE r.assigned_to = :session AND r.lane = :lane AND r.assigned_rank >= :low AND r.assigned_rank < :high
          AND {ASSIGNED} AND r.not_before <= :now
          {FIRST_IN_LINE} {doubt}
    ORDER BY r.assigned_rank, r.id LIMIT :n
    """


class _Statements(NamedTuple):
    """One question about queues: for all at once, and for one."""

    every: Statement
    each: Statement


def _statements(ending: str, doubt: str = "") -> _Statements:
    return _Statements(
        Statement(f"{_of_queues(doubt)} {ending}) r", _QUEUE),
        Statement(f"{_of_queue(doubt)} {ending}", mysql=f"{_of_queue_mariadb(doubt)} {ending}"),
    )


LOOK: Final = _statements("")
TAKE: Final = _statements("{skip_locked}")
LOOK_DOUBTING: Final = _statements("", DUE_INDEED)
TAKE_DOUBTING: Final = _statements("{skip_locked}", DUE_INDEED)


class Queue(NamedTuple):
    """Assigned runs of one lane that wait for one worker, or for anyone."""

    session: str
    lane: int
    is_late: bool = False

    @property
    def stretch(self) -> tuple[str, int, int, int]:
        """Where its runs are in the index: session, lane, and the ranks from one to before another."""
        if self.is_late:
            return self.session, self.lane, LATE // 2, _END
        return self.session, self.lane, -_END, LATE // 2


class AssignedPicker:
    """One look for assigned runs, within one transaction."""

    def __init__(self, tx: Tx, now: Instant, doubt: ClockDoubt | None) -> None:
        self._tx = tx
        self._doubts = doubt is not None
        self._times = {"now": now}
        if doubt is not None:
            self._times |= {"believed": doubt.believed, "good": doubt.good_until, "landed": doubt.landed}

    def queues(self, sessions: Iterable[str], lanes: Collection[int]) -> list[Queue]:
        """What waits for these sessions, or for anyone, in these lanes."""
        found: list[Queue] = []
        for session, lane, last in self._tx.tuples(QUEUES, s=keys([*sessions, ANYONE])):
            if lane in lanes:
                found.append(Queue(session, lane))
                if last is not None and last >= LATE // 2:
                    found.append(Queue(session, lane, is_late=True))
        return found

    def look(self, wanted: Mapping[Queue, int]) -> list[Candidate]:
        """The first so many of each queue, unlocked."""
        return self._fetch(wanted, LOOK_DOUBTING if self._doubts else LOOK)

    def take(self, wanted: Mapping[Queue, int]) -> list[Candidate]:
        """The first so many of each queue that nobody else is about to take, locked."""
        return self._fetch(wanted, TAKE_DOUBTING if self._doubts else TAKE)

    def _fetch(self, wanted: Mapping[Queue, int], statements: _Statements) -> list[Candidate]:
        rows: list[Sequence[Any]] = []
        if not wanted:
            return []
        if self._tx.dialect.lateral:
            asked = [(*queue.stretch, n) for queue, n in wanted.items()]
            rows = list(self._tx.tuples(statements.every, self._times, k=asked))
        else:
            for queue, n in wanted.items():
                values = self._times | dict(zip(_QUEUE_COLUMNS, (*queue.stretch, n), strict=True))
                rows += self._tx.tuples(statements.each, values)
        return [Candidate._make(row) for row in rows]


def shares(room: Mapping[Queue, int], n: int) -> dict[Queue, int]:
    """How many runs to read of each queue: a fair part of those that could start, so that few are read for nothing."""
    part = -(-2 * n // len(room)) if room else 0
    return {queue: min(part, n, most) for queue, most in room.items() if most > 0}
