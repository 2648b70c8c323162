"""What waits for its route, in the order in which routes are asked about it.

Lanes take turns, so that a backlog in one of them holds up no other. Within a lane runs go by rank, and late work gets
its part, as when runs are leased (`leasing.fair_order`).
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final, NamedTuple

from foliot.domain.clocks import ClockDoubt
from foliot.domain.instants import Instant
from foliot.domain.late_work import ON_TIME, LateShare
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement, keys
from foliot.store.sql.leasing.candidates import DUE_INDEED, ROUNDS_MAX
from foliot.store.sql.leasing.fair_order import in_turns
from foliot.store.sql.leasing.route_step import ReadyRun
from foliot.store.sql.leasing.run_kinds import CROWD_MIN, KindWalk, RunKind, kinds_in

_COLUMNS: Final = """
    r.id, r.ver, r.job_id, r.version, r.fire_key, r.shard, r.attempt, r.lane, r.class, r.priority, r.not_before,
    r.params, r.assigned_before, r.follow, r.session_id
"""
_READY: Final = "r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= {now}"
_KINDS: Final = RowSet("k", lane=BIGINT, **{"class": BIGINT}, priority=BIGINT, n=BIGINT)
_KIND_COLUMNS: Final = [name for name, _ in _KINDS.columns]


RoomOf = Callable[[Collection[int]], Mapping[int, int]]
"""How many runs of each of these lanes may be assigned."""


class _Statements(NamedTuple):
    """The first runs of kinds: of all at once, and of one."""

    every: Statement
    each: Statement


def _statements(doubt: str = "") -> _Statements:
    return _Statements(
        Statement(
            f"""
    SELECT f.* FROM {{k}} CROSS JOIN LATERAL (
      SELECT {_COLUMNS} FROM runs r
      WHERE r.lane = k.lane AND r.class = k.class AND r.priority = k.priority AND {_READY} {doubt}
      ORDER BY r.not_before, r.id LIMIT k.n) f
    """,
            _KINDS,
        ),
        Statement(
            f"""
    SELECT {_COLUMNS} FROM runs r
    WHERE r.lane = :lane AND r.class = :class AND r.priority = :priority AND {_READY} {doubt}
    ORDER BY r.not_before, r.id LIMIT :n
    """,
            mysql=f"""
    SELECT {_COLUMNS} FROM runs r FORCE INDEX (runs_ready)
    WHERE r.ready_lane = :lane AND r.class = :class AND r.priority = :priority AND {_READY} {doubt}
    ORDER BY r.not_before, r.id LIMIT :n
    """,
        ),
    )


UNASSIGNED: Final = _statements()
UNASSIGNED_DOUBTING: Final = _statements(DUE_INDEED)
"""The same while the store's clock is in doubt. What is not due indeed must not be written before it is: the row would
look as if its start had been set since the jump."""


WAITING: Final = Statement(
    """
    SELECT l.lane, (SELECT 1 FROM runs r WHERE r.lane = l.lane AND r.state = 'PENDING' AND r.parked = 0 LIMIT 1)
    FROM {l}
    """,
    RowSet("l", lane=BIGINT),
    mysql="""
    SELECT l.lane, (SELECT 1 FROM runs r FORCE INDEX (runs_ready) WHERE r.ready_lane = l.lane LIMIT 1) FROM {l}
    """,
)
"""In which lanes something waits: one step of the index each. Kinds are then looked for in these alone, where that is
a statement for each."""

KINDS_AT_ONCE: Final = 50
"""So many kinds of run one step looks at, where each is a statement to find and another to read."""
WALKS_MAX: Final = 4
"""So often it goes on if nothing of them is due."""


class _Kinds(NamedTuple):
    """Kinds of run to look at."""

    room: dict[RunKind, int]  # how many runs of each may be assigned
    is_cut: bool  # there may be other kinds


class UnassignedRuns(NamedTuple):
    """What a look found."""

    runs: Sequence[ReadyRun]
    is_cut: bool = False  # more of them may wait


class Unassigned:
    """Looks of one server. It remembers where to go on when one cannot see everything."""

    def __init__(self) -> None:
        self._walk = KindWalk()
        self._after = -1  # the last lane that was looked at, of more than one look sees
        self._late_share = LateShare()

    def first(
        self, tx: Tx, lanes: Collection[int], limit: int, room_of: RoomOf, *, now: Instant, doubt: ClockDoubt | None
    ) -> UnassignedRuns:
        """The runs to ask routes about next, in these lanes as far as they have room."""
        look_around = self._seen_at_once if tx.dialect.lateral else self._walked
        look = _Look(tx, doubt)
        for kinds in look_around(tx, lanes, room_of):
            found = look.first(kinds.room, limit)
            if found.runs:
                break
        else:
            return UnassignedRuns([])
        oldest = min((run.not_before for run in found.runs if run.class_ == ON_TIME), default=now)
        late_max = self._late_share.of(limit, waited_us=now - oldest)
        owners = {kind.lane: kind.lane for kind in kinds.room}
        ordered = in_turns(found.runs, owners, dict.fromkeys(owners.values(), 0), n=limit, late_max=late_max)
        return UnassignedRuns(ordered[:limit], kinds.is_cut or found.is_cut or len(ordered) >= limit)

    def _seen_at_once(self, tx: Tx, lanes: Collection[int], room_of: RoomOf) -> Iterator[_Kinds]:
        """The kinds of run that wait in lanes with room."""
        kinds = self._part(tx, lanes, room_of)
        if kinds.room:
            yield kinds

    def _walked(self, tx: Tx, lanes: Collection[int], room_of: RoomOf) -> Iterator[_Kinds]:
        """The same where each kind is two statements: some kinds at a time, for as long as nothing of them is due.

        The next look begins behind them.
        """
        waiting = [lane for lane, any_ in tx.tuples(WAITING, l=keys(sorted(lanes))) if any_]
        if not waiting:
            return
        room = room_of(waiting)
        kinds = self._walk.begin(tx, [lane for lane in waiting if room[lane] > 0], most=KINDS_AT_ONCE)
        for walk in range(WALKS_MAX):
            if walk:  # here, and not behind the last of them: what is walked is looked at
                kinds = self._walk.go_on(tx, most=KINDS_AT_ONCE)
            if kinds:
                yield _Kinds({kind: room[kind.lane] for kind in kinds}, self._walk.is_cut)

    def _part(self, tx: Tx, lanes: Collection[int], room_of: RoomOf) -> _Kinds:
        in_order = sorted(lanes)
        start = bisect_right(in_order, self._after)
        in_order = in_order[start:] + in_order[:start]
        found: dict[RunKind, int] = {}
        for at in range(0, len(in_order), CROWD_MIN):
            part = in_order[at : at + CROWD_MIN]
            found |= _with_room(kinds_in(tx, part), room_of)
            self._after = part[-1]
            if len(found) >= CROWD_MIN:
                return _Kinds(found, at + CROWD_MIN < len(in_order))
        return _Kinds(found, is_cut=False)


def _with_room(kinds: Sequence[RunKind], room_of: RoomOf) -> dict[RunKind, int]:
    room = room_of({kind.lane for kind in kinds}) if kinds else {}
    return {kind: n for kind in kinds if (n := room[kind.lane]) > 0}


class _Look:
    """Reads the first runs of kinds, within one transaction."""

    def __init__(self, tx: Tx, doubt: ClockDoubt | None) -> None:
        self._tx = tx
        self._values: dict[str, Any] = {}
        self._statements = UNASSIGNED
        if doubt is not None:
            self._statements = UNASSIGNED_DOUBTING
            self._values = {"believed": doubt.believed, "good": doubt.good_until, "landed": doubt.landed}

    def first(self, room: Mapping[RunKind, int], n: int) -> UnassignedRuns:
        """`n` runs in all, if there are so many, and of each kind at least a fair part of them.

        A kind is read deeper only where others cannot fill theirs, so what is read is in proportion to `n`. Where each
        kind is a statement, half of `n` is enough.
        """
        most = {kind: min(one, n) for kind, one in room.items()}
        enough = n if self._tx.dialect.lateral else -(-n // 2)
        part = -(-2 * n // len(most))
        asked = {kind: min(part, one) for kind, one in most.items()}
        known: dict[RunKind, Sequence[ReadyRun]] = {}
        ask = asked
        for turn in count(1):
            known |= self._read(ask)
            got = sum(map(len, known.values()))
            deeper = [kind for kind in asked if len(known[kind]) == asked[kind] < most[kind]]
            if got >= enough or not deeper or turn == ROUNDS_MAX:
                break
            more = -(-2 * (n - got) // len(deeper))
            ask = {kind: min(asked[kind] + more, most[kind]) for kind in deeper}
            asked |= ask
        is_cut = any(len(some) == asked[kind] < room[kind] for kind, some in known.items())
        return UnassignedRuns([run for some in known.values() for run in some], is_cut)

    def _read(self, asked: Mapping[RunKind, int]) -> dict[RunKind, Sequence[ReadyRun]]:
        rows: list[Sequence[Any]] = []
        wanted = [(*kind, n) for kind, n in asked.items() if n > 0]
        if self._tx.dialect.lateral:
            rows += self._tx.tuples(self._statements.every, self._values, k=wanted) if wanted else ()
        else:
            for one in wanted:
                values = self._values | dict(zip(_KIND_COLUMNS, one, strict=True))
                rows += self._tx.tuples(self._statements.each, values)
        found: dict[RunKind, list[ReadyRun]] = {kind: [] for kind in asked}
        for row in rows:
            run = ReadyRun._make(row)
            found[RunKind(run.lane, run.class_, run.priority)].append(run)
        return dict(found)
