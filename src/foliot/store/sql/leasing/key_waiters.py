"""Runs that wait for a key: when it has room, the first of them may go. A hint: the lease alone decides (R1).

Each has a row of `limit_runs`. One that ended, or that an edit moved, may have left its row: it is forgotten when its
turn comes. A transaction looks at so many rows only; then `wake_at` of the key says that the sweep is to go on: at once
with keys that had no turn, so that each gets its rate however many there are.

Parked runs are un-parked behind the lock of their key, so that none that was parked meanwhile is missed. Rows of runs
that others hold are passed over, so that nobody waits in a ring.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.instants import SECOND, Instant
from foliot.domain.rates import refill_at, tokens_left
from foliot.store.sql.firing.line_heads import UNPARK
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys

PARKED_FOR_KEY: Final = 3
WAKE_STEP: Final = 200
PAGE: Final = 200
"""So many runs that wait for a key are read at a time, behind some that are gone."""
ROWS_MAX: Final = 2000
"""So many rows one transaction looks at."""
PAGE_COST: Final = 20
"""A page counts as so many rows at least: it is a statement of its own, and there may be many keys."""
AGAIN_US: Final = SECOND
"""A key is looked at again then, when somebody holds a run that waits for it, or more may go than one step un-parks."""

REFILL_MAX: Final = 100
"""So many runs of one key by number go at a time: it is not known how many went before and have not begun."""

FIRST: Final = Statement(
    """
    SELECT d.name, (SELECT w.run_id FROM limit_runs w WHERE w.name = d.name AND w.waits = 1
                    ORDER BY w.turn, w.run_id LIMIT 1)
    FROM {d}
    """,
    RowSet("d", name=TEXT),
)

WAITERS: Final = Statement(
    "SELECT w.run_id FROM limit_runs w WHERE w.name = :name AND w.waits = 1 ORDER BY w.turn, w.run_id LIMIT :n"
)
"""One short statement for each key that has room for several, or whose first runs are gone."""

PARKED_RUNS: Final = Statement(
    f"""
    SELECT r.id, r.ver FROM runs r
    WHERE r.id IN (SELECT d.id FROM {{d}}) AND r.state = 'PENDING' AND r.parked = {PARKED_FOR_KEY}
    ORDER BY r.id {{skip_locked}}
    """,
    RowSet("d", id=BIGINT),
)

STILL_PARKED: Final = Statement(
    f"""
    SELECT r.id FROM runs r
    WHERE r.id IN (SELECT d.id FROM {{d}}) AND r.state = 'PENDING' AND r.parked = {PARKED_FOR_KEY}
    """,
    RowSet("d", id=BIGINT),
)

FORGET_WAITERS: Final = Statement(
    """
    DELETE FROM limit_runs
    WHERE (run_id, name) IN (SELECT d.id, d.name FROM {d}) AND waits = 1
    """,
    RowSet("d", id=BIGINT, name=TEXT),
    mysql="""
    DELETE w FROM {d} STRAIGHT_JOIN limit_runs w ON w.run_id = d.id AND w.name = d.name WHERE w.waits = 1
    """,
)
"""By the name, too: a run that an edit moved may wait for another key by now, whose row is not locked here."""

SET_WAKE: Final = Statement(
    "UPDATE limit_keys SET wake_at = d.at, ver = limit_keys.ver + 1 FROM {d} WHERE limit_keys.name = d.name",
    RowSet("d", name=TEXT, at=BIGINT),
)

DUE_KEYS: Final = Statement(
    """
    SELECT k.name, k.used, k.pace_us, k.burst, k.spent_until FROM limit_keys k WHERE k.wake_at <= {now}
    ORDER BY k.wake_at, k.name LIMIT :limit {skip_locked}
    """
)


class Unparked(NamedTuple):
    """What became of the first runs that wait for a key."""

    runs: int  # that may go
    is_held_up: bool  # somebody holds another one, and it still waits
    has_more: bool  # others were not looked at
    had_its_turn: bool = True  # False: what the transaction may look at was used up by other keys

    @property
    def any_waits(self) -> bool:
        """Whether anything waited for it."""
        return self.runs > 0 or self.is_held_up or self.has_more

    def again_at(self, now: Instant) -> Instant | None:
        """When the key is to be looked at again though nothing comes free; None: it need not be."""
        if self.has_more and not (self.had_its_turn and (self.runs or self.is_held_up)):
            return now
        return now + AGAIN_US if self.has_more or self.is_held_up else None


class _Queue:
    """The runs that wait for one key."""

    __slots__ = ("at_end", "had_its_turn", "held", "is_page_due", "missing", "runs")

    def __init__(self, places: int) -> None:
        self.missing = places
        self.runs = 0
        self.held: set[int] = set()
        self.at_end = False
        self.had_its_turn = places == 1  # the first run is enough
        self.is_page_due = False  # some are gone: it pays to read many at once

    @property
    def cost(self) -> int:
        """So many rows its turn is worth, if nobody holds or ended its first runs."""
        return 1 if self.missing == 1 else max(self.missing, PAGE_COST)

    def page(self, left: int) -> int:
        """How many to read of those behind the held ones."""
        return min(max(self.tries, PAGE) if self.is_page_due else self.tries, left)

    @property
    def tries(self) -> int:
        """How many to lock at a time: more with each that is held, else a bulk act would be passed one by one."""
        return self.missing + len(self.held)

    def first(self, waiting: Sequence[int]) -> Sequence[int]:
        """Those to lock of these; the others are read again if need be."""
        if len(waiting) > self.tries:
            self.at_end = False
        return waiting[: self.tries]

    @property
    def outcome(self) -> Unparked:
        is_short = self.missing > 0
        return Unparked(
            self.runs,
            is_held_up=is_short and bool(self.held),
            has_more=is_short and not self.at_end,
            had_its_turn=self.had_its_turn,
        )


def unpark_waiters(tx: Tx, places: Mapping[str, int]) -> dict[str, Unparked]:
    """Un-park the first so many runs that wait for each of these keys, whose rows are locked.

    Keys have their turn in this order. Of those for which no rows are left nothing is un-parked.
    """
    queues = {name: _Queue(n) for name, n in places.items() if n > 0}
    found = _in_their_turn(tx, queues)
    having_turns = [(name, queues[name]) for name in found]
    left = ROWS_MAX
    while found:
        _unpark(tx, queues, found)
        found = {}
        for name, queue in having_turns:
            if queue.missing <= 0 or queue.at_end or left <= 0:
                continue
            queue.had_its_turn = True
            page = queue.page(left)
            rows = tx.rows(WAITERS, {"name": name, "n": page + len(queue.held)})
            queue.at_end = len(rows) < page + len(queue.held)
            found[name] = [row.run_id for row in rows if row.run_id not in queue.held]
            left -= max(page, PAGE_COST)
    return {name: queue.outcome for name, queue in queues.items()}


def _in_their_turn(tx: Tx, queues: Mapping[str, _Queue]) -> dict[str, list[int]]:
    """The first run that waits for each key, as far as there are rows for what its turn is worth."""
    if not queues:
        return {}
    firsts: Mapping[str, int | None] = tx.pairs(FIRST, d=keys(sorted(queues)))
    found: dict[str, list[int]] = {}
    left = ROWS_MAX
    for name, queue in queues.items():
        first = firsts.get(name)
        if first is None:
            queue.at_end = True
        elif left > 0:
            left -= queue.cost
            found[name] = [first]
    return found


def _unpark(tx: Tx, queues: Mapping[str, _Queue], found: Mapping[str, Sequence[int]]) -> None:
    """Of these runs the first so many of each key may go; those that wait no more are forgotten."""
    key_of = {run_id: name for name, waiting in found.items() for run_id in waiting}
    gone: set[int] = set()
    wanted = found
    if any(len(waiting) > queues[name].missing for name, waiting in found.items()):
        parked = _still_parked(tx, key_of)
        gone = key_of.keys() - parked
        wanted = {
            name: queues[name].first([run_id for run_id in waiting if run_id in parked])
            for name, waiting in found.items()
        }
    chosen = {run_id for waiting in wanted.values() for run_id in waiting}
    locked: dict[int, int] = tx.pairs(PARKED_RUNS, d=keys(sorted(chosen))) if chosen else {}
    going = {
        run_id
        for name, waiting in wanted.items()
        for run_id in [one for one in waiting if one in locked][: queues[name].missing]
    }
    if going:
        tx.change(UNPARK, d=sorted((run_id, locked[run_id]) for run_id in going))
    if absent := chosen - locked.keys():
        held = _still_parked(tx, absent)
        gone |= absent - held
        for run_id in held:
            queues[key_of[run_id]].held.add(run_id)
    for run_id in going:
        queue = queues[key_of[run_id]]
        queue.runs += 1
        queue.missing -= 1
    for run_id in gone:
        queues[key_of[run_id]].is_page_due = True
    if over := sorted(gone | going):
        tx.change(FORGET_WAITERS, d=[(run_id, key_of[run_id]) for run_id in over])


def _still_parked(tx: Tx, run_ids: Collection[int]) -> set[int]:
    """Those that still wait, whoever holds them."""
    return {row.id for row in tx.rows(STILL_PARKED, d=keys(sorted(run_ids)))}


def refill(tx: Tx, places: Mapping[str, int], *, capped: Collection[str] = ()) -> dict[str, Unparked]:
    """`unpark_waiters` for keys that have room; what it could not do the sweep goes on with.

    `capped`: keys that have more room than this.
    """
    outcomes = unpark_waiters(tx, places)
    unfinished = {name for name, one in outcomes.items() if one.has_more or one.is_held_up}
    unfinished |= {name for name in capped if outcomes[name].runs == places[name]}
    if unfinished:
        now = tx.now()
        tx.change(SET_WAKE, d=[(name, outcomes[name].again_at(now) or now + AGAIN_US) for name in sorted(unfinished)])
    return outcomes


def wake_due(tx: Tx, *, limit: int = WAKE_STEP) -> tuple[int, bool]:
    """Un-park runs of keys that are to be looked at now: (how many, whether there may be more to do at once)."""
    now = tx.now()
    due = tx.rows(DUE_KEYS, {"limit": limit})
    places = {row.name: _places(row, now) for row in due}
    outcomes = unpark_waiters(tx, places)
    wakes = [(row.name, _wake_again_at(row, places[row.name], outcomes[row.name], now)) for row in due]
    if wakes:
        tx.change(SET_WAKE, d=sorted(wakes))
    has_more = len(due) == limit or any(at == now for _, at in wakes)
    return sum(one.runs for one in outcomes.values()), has_more


def _places(row: Any, now: Instant) -> int:
    """How many more runs a key may let go, one at least: by its tokens, or by how many run."""
    if row.pace_us:
        return max(1, tokens_left(row.pace_us, row.burst, row.spent_until, now))
    return max(1, min(int(row.burst) - int(row.used), REFILL_MAX))


def _wake_again_at(row: Any, places: int, unparked: Unparked, now: Instant) -> Instant | None:
    """When to look for runs that wait for a key again; None: there are no more, or the end of one will."""
    if unparked.runs < places:
        return unparked.again_at(now)
    if row.pace_us:
        return _next_token(row, places, now)
    has_more_room = int(row.burst) - int(row.used) > places
    return now + AGAIN_US if has_more_room else None


def _next_token(row: Any, taken: int, now: Instant) -> Instant:
    """When a key has a token again once these are taken. Later, and a full bucket would lose what comes meanwhile."""
    return refill_at(row.pace_us, row.burst, row.spent_until, now) + taken * int(row.pace_us)
