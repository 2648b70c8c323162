"""Picking: which due runs may be leased, best first, among the kinds of run that are there.

Within a kind the index `runs_ready` has the runs in the order they are due; so the best of all are among the first few
of each kind present. On engines with LATERAL each step is one statement for all kinds, on the others one per kind.
"""

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heapreplace
from typing import Any, Final, NamedTuple

from foliot.domain.clocks import ClockDoubt
from foliot.domain.instants import Instant
from foliot.domain.late_work import gives_way_to
from foliot.domain.turns import Namespace, Turns
from foliot.store.sql.ending.locked_runs import REPLACED
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement
from foliot.store.sql.leasing.run_kinds import RunKind, WaitingKinds

ROUNDS_MAX: Final = 4

_MAY_RUN_NOW: Final = "r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= :now"
NONE_BEFORE: Final = """
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
"""
"""A serial job's run goes only when nothing live of its job stands before it (a child compares with its parent's id).
Places rise in the order of commits and the end of a run is for good, so what this sees may be old but never wrong."""
FIRST_IN_LINE: Final = """
    AND (r.serial = 0 OR (r.place IS NOT NULL AND coalesce((r.place, coalesce(r.parent_id, r.id)) <= (
      SELECT e.place, e.id FROM runs e WHERE e.line_job = r.job_id ORDER BY e.place, e.id LIMIT 1), true)))
"""
"""The same for MariaDB, which would walk the whole line to find that nothing stands before its head."""
_MAY_RUN: Final = _MAY_RUN_NOW + NONE_BEFORE

_COLUMNS: Final = """
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
"""
_REPLACED: Final = f"CASE WHEN {REPLACED} THEN 1 ELSE 0 END"
CANDIDATE_COLUMNS: Final = f"{_COLUMNS}, {_REPLACED} AS replaced"

KINDS: Final = RowSet("k", lane=BIGINT, **{"class": BIGINT}, priority=BIGINT, low=BIGINT, n=BIGINT)
_KIND_COLUMNS: Final = [name for name, _ in KINDS.columns]

DUE_INDEED: Final = """
    AND (r.not_before <= :believed OR r.created_at > :good OR (r.ver > 1 AND r.not_before >= :landed))
"""
"""While the store's clock is in doubt (R7): by the time that is believed, unless the start was set since the jump. Of a
row that was written again (`ver`) it was set before, if it lies before where the clock came out."""


def _of_kinds(doubt: str = "", columns: str = CANDIDATE_COLUMNS) -> str:
    return f"""
    FROM {{k}} CROSS JOIN LATERAL (
      SELECT {columns} FROM runs r
      WHERE r.lane = k.lane AND r.class = k.class AND r.priority = k.priority AND r.not_before >= k.low
            AND {_MAY_RUN} {doubt}
      ORDER BY r.not_before, r.id LIMIT k.n
    """


def _of_kind(doubt: str = "") -> str:
    return f"""
    SELECT {CANDIDATE_COLUMNS} FROM runs r
    WHERE r.lane = :lane AND r.class = :class AND r.priority = :priority AND r.not_before >= :low
          AND {_MAY_RUN} {doubt}
    ORDER BY r.not_before, r.id LIMIT :n
    """


def _of_kind_mariadb(doubt: str = "") -> str:
    return f"""
    SELECT {CANDIDATE_COLUMNS} FROM runs r FORCE INDEX (runs_ready)
    WHERE r.ready_lane = :lane AND r.class = :class AND r.priority = :priority AND r.not_before >= :low
          AND {_MAY_RUN_NOW} {FIRST_IN_LINE} {doubt}
    ORDER BY r.not_before, r.id LIMIT :n
    """


_PEEKED: Final = "r.lane, r.class, r.priority, r.not_before"
_PEEK: Final = "SELECT f.lane, f.class, f.priority, f.not_before"

PEEK: Final = Statement(f"{_PEEK} {_of_kinds(columns=_PEEKED)}) f", KINDS)
LOOK: Final = Statement(f"SELECT r.* {_of_kinds()}) r", KINDS)
TAKE: Final = Statement(f"SELECT r.* {_of_kinds()} {{skip_locked}}) r", KINDS)
LOOK_AT_KIND: Final = Statement(_of_kind(), mysql=_of_kind_mariadb())
TAKE_OF_KIND: Final = Statement(f"{_of_kind()} {{skip_locked}}", mysql=f"{_of_kind_mariadb()} {{skip_locked}}")

PEEK_DOUBTING: Final = Statement(f"{_PEEK} {_of_kinds(DUE_INDEED, _PEEKED)}) f", KINDS)
LOOK_DOUBTING: Final = Statement(f"SELECT r.* {_of_kinds(DUE_INDEED)}) r", KINDS)
TAKE_DOUBTING: Final = Statement(f"SELECT r.* {_of_kinds(DUE_INDEED)} {{skip_locked}}) r", KINDS)
LOOK_AT_KIND_DOUBTING: Final = Statement(_of_kind(DUE_INDEED), mysql=_of_kind_mariadb(DUE_INDEED))
TAKE_OF_KIND_DOUBTING: Final = Statement(
    f"{_of_kind(DUE_INDEED)} {{skip_locked}}", mysql=f"{_of_kind_mariadb(DUE_INDEED)} {{skip_locked}}"
)


class Candidate(NamedTuple):
    """A run that may be leased."""

    id: int
    job_id: int
    version: int
    ver: int
    attempt: int
    deaths: int
    lane: int
    class_: int
    priority: int
    not_before: Instant
    shard: int
    follow: int
    due_at: Instant
    assigned_to: str | None
    assigned_until: Instant | None
    params: str | None
    checkpoint: str | None
    reason: str | None
    replaced: int


def waits_of(given: Sequence[tuple[Candidate, object]], now: Instant) -> dict[str, Any]:
    """How long each of the leased runs has waited since it may start, and which waited longest: fields of `Granted`."""
    if not given:
        return {}
    waits_us = tuple([now - run.not_before for run, _ in given])
    longest_us = max(waits_us)
    run, _ = given[waits_us.index(longest_us)]
    return {"waits_us": waits_us, "longest_wait": (run.id, longest_us)}


class Picker:
    """One look for candidates, within one transaction."""

    def __init__(self, tx: Tx, waiting: WaitingKinds, now: Instant, doubt: ClockDoubt | None) -> None:
        self._tx = tx
        self._waiting = waiting
        self._now = now
        self._doubts = doubt is not None
        self._times = {"now": now}
        if doubt is not None:
            self._times |= {"believed": doubt.believed, "good": doubt.good_until, "landed": doubt.landed}

    def look(self, wanted: Mapping[RunKind, int]) -> list[Candidate]:
        """The first so many of each kind, unlocked."""
        if self._doubts:
            return self._fetch(wanted, LOOK_DOUBTING, LOOK_AT_KIND_DOUBTING)
        return self._fetch(wanted, LOOK, LOOK_AT_KIND)

    def take(self, wanted: Mapping[RunKind, int]) -> list[Candidate]:
        """The first so many of each kind that nobody else is about to take, locked."""
        if self._doubts:  # what is held back stands before what is not: the next scan must not begin behind it
            return self._fetch(wanted, TAKE_DOUBTING, TAKE_OF_KIND_DOUBTING)
        taken = self._fetch(wanted, TAKE, TAKE_OF_KIND)
        oldest: dict[RunKind, Instant] = {}
        lane = class_ = priority = -1
        for run in taken:  # kind by kind, each in its own order
            if run.lane != lane or run.class_ != class_ or run.priority != priority:
                lane, class_, priority = run.lane, run.class_, run.priority
                oldest[RunKind(lane, class_, priority)] = run.not_before
        self._waiting.seen(wanted, oldest, self._now)
        return taken

    def shares(
        self,
        room: Mapping[RunKind, int],
        n: int,
        *,
        namespaces: Mapping[RunKind, Namespace],
        turns: Turns,
        before: Mapping[RunKind, int],
    ) -> dict[RunKind, int]:
        """How many of each kind are to start now, `n` in all: the namespaces by turns, within each the best by rank.

        Late work gets a part while other work waits (`domain.late_work`). Each kind is asked for a fair part first and
        for more only when others cannot fill it, so the rows read stay in proportion to `n`, not to the number of
        kinds. A kind's own order is exact; between kinds, one whose part was all taken may wait for the next lease.
        `before`: kinds of which only runs of a smaller rank may start.
        """
        if len(room) <= 1 and not before:
            return {kind: min(n, most) for kind, most in room.items()}
        part = -(-2 * n // len(room))
        asked = {kind: min(part, most, n) for kind, most in room.items()}
        known: dict[RunKind, list[Instant]] = {}
        ask = asked
        for _ in range(ROUNDS_MAX):
            known.update(self._peek(ask))
            missing = n - sum(map(len, known.values()))
            deeper = [kind for kind in asked if len(known[kind]) == asked[kind] < min(n, room[kind])]
            if missing <= 0 or not deeper:
                break
            more = -(-2 * missing // len(deeper))
            ask = {kind: min(asked[kind] + more, room[kind], n) for kind in deeper}
            asked.update(ask)
        for kind, rank in before.items():
            known[kind] = [not_before for not_before in known[kind] if kind.rank(not_before) <= rank]
        oldest = min((times[0] for kind, times in known.items() if times and kind.is_on_time), default=self._now)
        late_max = self._waiting.late_share.of(n, waited_us=self._now - oldest)
        waiting: dict[Namespace, dict[RunKind, list[Instant]]] = {}
        for kind, times in known.items():
            if times:
                waiting.setdefault(namespaces[kind], {})[kind] = times
        got = turns.waiting(waiting)
        lines = [_Line(each, got[namespace]) for namespace, each in waiting.items()]
        return _best(lines, n, late_max=late_max)

    def _peek(self, wanted: Mapping[RunKind, int]) -> dict[RunKind, list[Instant]]:
        found: dict[RunKind, list[Instant]] = {kind: [] for kind in wanted}
        if self._tx.dialect.lateral:
            peek = PEEK_DOUBTING if self._doubts else PEEK
            rows = self._tx.tuples(peek, self._times, k=self._rows(wanted))
            for *kind, not_before in rows:
                found[RunKind._make(kind)].append(not_before)
            return found
        for run in self.look(wanted):
            found[RunKind(run.lane, run.class_, run.priority)].append(run.not_before)
        return found

    def _fetch(self, wanted: Mapping[RunKind, int], every: Statement, each: Statement) -> list[Candidate]:
        if not wanted:
            return []
        asked = self._rows(wanted)
        if self._tx.dialect.lateral:
            rows = self._tx.tuples(every, self._times, k=asked)
            return [Candidate._make(row) for row in rows]
        found: list[Candidate] = []
        for one in asked:
            values = dict(zip(_KIND_COLUMNS, one, strict=True), **self._times)
            rows = self._tx.tuples(each, values)
            found += [Candidate._make(row) for row in rows]
        return found

    def _rows(self, wanted: Mapping[RunKind, int]) -> list[tuple[int, ...]]:
        """The kinds as `KINDS` takes them: where the scan of each begins, and how many it may find."""
        rows: list[tuple[int, ...]] = []
        for kind, n in wanted.items():
            if n > 0:
                rows.append((*kind, self._waiting.low(kind), n))
        return rows


class _Line:
    """What waits of one namespace, by rank; lines are compared by whose turn it is."""

    def __init__(self, known: Mapping[RunKind, Sequence[Instant]], got: int = 0) -> None:
        self.got = got  # how many runs the namespace got
        ranked = sorted((kind.rank(not_before), kind) for kind, times in known.items() for not_before in times)
        self.left = deque(ranked)

    @property
    def on_time(self) -> Counter[int]:
        """How many of those left are no late work, by priority."""
        return Counter(kind.priority for _, kind in self.left if kind.is_on_time)

    def __lt__(self, other: "_Line") -> bool:
        return (self.got, self.left[0]) < (other.got, other.left[0])


def _best(lines: Sequence[_Line], n: int, *, late_max: int) -> dict[RunKind, int]:
    """How many of each kind are among the next n; no more of them late work while other work is left out."""
    on_time = sum((line.on_time for line in lines), Counter[int]())
    shares: dict[RunKind, int] = {}
    turns = list(lines)
    heapify(turns)
    left, late = n, 0
    while left and turns:
        line = turns[0]
        _, kind = line.left.popleft()
        if kind.is_on_time or late < max(late_max, n - gives_way_to(kind.class_, kind.priority, on_time)):
            late += not kind.is_on_time
            shares[kind] = shares.get(kind, 0) + 1
            line.got += 1
            left -= 1
        if line.left:
            heapreplace(turns, line)
        else:
            heappop(turns)
    return shares
