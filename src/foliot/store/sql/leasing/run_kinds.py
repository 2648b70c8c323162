"""Kinds of run that are there, and where a scan of each may begin.

A *kind* is (lane, class, priority). Kinds are found by stepping through the index `runs_ready` from one to the next,
never by reading what is between: on engines with LATERAL in one statement for all, on the others in one short statement
per kind, within the lanes that are asked for. One lease looks at a bounded number of kinds; where more wait, the kinds
are a *crowd*, and leases take turns at its parts.

Lower bounds (R9): a row that was leased leaves a dead entry at the front of its kind until the database cleans up,
which an old snapshot can hold up for long. A scan therefore begins at the least `not_before` the last one saw, less ten
seconds, and steps over kinds that are known. What comes back or comes late gets `not_before` = now; once a minute, and
whenever nothing was found, a scan looks at everything.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from foliot.domain.health import Health, HealthRules, worse
from foliot.domain.instants import SECOND, Instant, Micros
from foliot.domain.late_work import ON_TIME, LateShare
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.scans import FULL_SCAN_EVERY_US, LOOK_BACK_US
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys

FULL_AGAIN_US: Final[Micros] = SECOND
KINDS_MAX: Final = 200
CROWD_MIN: Final = 300
"""Kinds that one statement looks at; so many are a crowd."""
KINDS_OF_LANE: Final = 30
"""There are hardly more in one lane: ten priorities, three classes."""
STEP_US: Final[Micros] = 60 * SECOND
"""What a step of priority is worth."""

_LOWEST: Final = -(2**62)
_BELOW: Final = (-1, -1, -1)
_ABOVE: Final = (2**31 - 1, 2**15 - 1, 2**15 - 1)

SESSIONS: Final = RowSet("s", id=TEXT)

_ASKING: Final = """
    SELECT s.id, n.state, CASE WHEN n.until >= {now} THEN 1 ELSE 0 END, m.epoch, {now}, n.offer_hash, n.band,
           n.until, m.reap_after, m.last_tick_at, m.maintenance_until, m.scopes_ver
"""
_OF_SESSIONS: Final = "FROM store_meta m CROSS JOIN {s} LEFT JOIN nodes n ON n.id = s.id WHERE m.id = 1"

_WALK: Final = """
    WITH RECURSIVE walk AS (
      SELECT f.lane, f.class, f.priority, g.to_lane, g.to_class, g.to_priority FROM {g} CROSS JOIN LATERAL (
        SELECT r.lane, r.class, r.priority FROM runs r
        WHERE r.state = 'PENDING' AND r.parked = 0
              AND (r.lane, r.class, r.priority) > (g.from_lane, g.from_class, g.from_priority)
              AND (r.lane, r.class, r.priority) < (g.to_lane, g.to_class, g.to_priority)
        ORDER BY r.lane, r.class, r.priority LIMIT 1) f
      UNION ALL
      SELECT f.lane, f.class, f.priority, w.to_lane, w.to_class, w.to_priority FROM walk w CROSS JOIN LATERAL (
        SELECT r.lane, r.class, r.priority FROM runs r
        WHERE r.state = 'PENDING' AND r.parked = 0
              AND (r.lane, r.class, r.priority) > (w.lane, w.class, w.priority)
              AND (r.lane, r.class, r.priority) < (w.to_lane, w.to_class, w.to_priority)
        ORDER BY r.lane, r.class, r.priority LIMIT 1) f
    )
"""
"""The kinds between those that are known."""

GAPS: Final = RowSet("g", from_lane=BIGINT, from_class=BIGINT, from_priority=BIGINT, to_lane=BIGINT, to_class=BIGINT,
                     to_priority=BIGINT)  # fmt: skip

LOOK_AROUND: Final = Statement(
    f"""
    {_WALK} {_ASKING}, NULL, NULL, NULL {_OF_SESSIONS}
    UNION ALL (SELECT {", ".join(["NULL"] * 12)}, lane, class, priority FROM walk LIMIT :most)
    """,
    GAPS,
    SESSIONS,
)
"""Who asks, when, and what kinds of run there are that were not there before."""

PRESENT: Final = Statement(f"{_WALK} SELECT lane, class, priority FROM walk LIMIT :most", GAPS)

ASKING: Final = Statement(f"{_ASKING} {_OF_SESSIONS}", SESSIONS)

PRESENT_NEXT: Final = Statement(
    """
    SELECT r.lane, r.class, r.priority FROM runs r
    WHERE r.state = 'PENDING' AND r.parked = 0 AND (r.lane, r.class, r.priority) > (:lane, :class, :priority)
    ORDER BY r.lane, r.class, r.priority LIMIT 1
    """,
    mysql="""
    SELECT r.ready_lane, r.class, r.priority FROM runs r
    WHERE r.ready_lane > :lane OR (r.ready_lane = :lane AND r.class > :class)
          OR (r.ready_lane = :lane AND r.class = :class AND r.priority > :priority)
    ORDER BY r.ready_lane, r.class, r.priority LIMIT 1
    """,
)


class RunKind(NamedTuple):
    """Runs that wait in one stretch of the index, in the order they are due."""

    lane: int
    class_: int
    priority: int

    @property
    def is_on_time(self) -> bool:
        """It gives way to no other work but by rank."""
        return self.class_ == ON_TIME

    def rank(self, not_before: Instant) -> Instant:
        """What goes first: a step of priority is worth a minute."""
        return not_before - self.priority * STEP_US


class Asking(NamedTuple):
    """The moment of a lease, and who asks."""

    now: Instant
    epoch: int
    states: Mapping[str, str]  # of each session: live, silent (past its deadline, not yet dead), draining, dead
    offer_hashes: Mapping[str, str | None]  # of each session; None: an older Foliot wrote none
    bands: Mapping[str, Health]  # of each live session, by its beats and by the age of the last one
    is_maintenance: bool  # no run is to be leased
    scopes_ver: int  # it rises with each limit of a group or namespace that comes or goes


class _Asker(NamedTuple):
    """A session that asks, at one moment of the store."""

    session: str
    state: str | None  # None: the store does not know the session
    is_in_time: int
    epoch: int
    now: Instant
    offer_hash: str | None
    band: str | None  # None: no beat was judged
    until: Instant
    reap_after: Instant
    last_tick_at: Instant
    maintenance_until: Instant
    scopes_ver: int

    def band_by(self, rules: HealthRules) -> Health:
        """The worse of what its beats said and of its silence."""
        by_beats = Health(self.band or Health.ONLINE)
        if not rules.minds_silence(self.now, reap_after=self.reap_after, last_tick_at=self.last_tick_at):
            return by_beats
        return worse(by_beats, rules.by_quiet(rules.quiet_us(self.until, self.now)))

    @property
    def shown_state(self) -> str:
        if self.state is None:
            return "dead"
        return "silent" if self.state == "live" and not self.is_in_time else self.state


class WaitingKinds:
    """The kinds of run that wait, and where a scan of each begins: hints of earlier scans that only save work (R9)."""

    def __init__(self) -> None:
        self._low: dict[RunKind, Instant] = {}
        self._full_at: Instant = _LOWEST
        self.late_share = LateShare()
        self._walk = KindWalk()
        self._crowd = Crowd()
        self._part: list[RunKind] | None = None  # of a crowd, for this lease; None: there is no crowd

    def look_around(self, tx: Tx, sessions: Iterable[str], lanes: Iterable[int], rules: HealthRules) -> "Asking":
        """Who asks, and (remembered for `kinds`) what there is in these lanes, or in more."""
        asked = keys(sorted(sessions))
        if not tx.dialect.lateral:
            self._low = dict.fromkeys(self._walk.begin(tx, lanes), _LOWEST)
            return _asking(tx.tuples(ASKING, s=asked), rules)
        if self._part is None:
            asking = self._look_for_new(tx, asked, rules)
        else:
            asking = _asking(tx.tuples(ASKING, s=asked), rules)
            self._look_at_part(self._crowd.part(tx, lanes))
        if not self._full_at <= asking.now < self._full_at + FULL_SCAN_EVERY_US:  # a step back of the clock counts too
            self._look_at_all(tx, asking.now)
        return asking

    def look_again(self, tx: Tx, now: Instant) -> bool:
        """Nothing was found: look at everything, unless that was done just now."""
        if not tx.dialect.lateral:
            self._low = dict.fromkeys(self._walk.go_on(tx), _LOWEST)
            return bool(self._low)
        if self._part is not None:
            self._look_at_part(self._crowd.next_part(tx))
            return bool(self._part)
        if now < self._full_at + FULL_AGAIN_US:
            return False
        self._look_at_all(tx, now)
        return True

    def kinds(self, lanes: Collection[int]) -> list[RunKind]:
        """The kinds of run waiting in these lanes."""
        known = self._low if self._part is None else self._part
        return [kind for kind in known if kind.lane in lanes]

    def _look_for_new(self, tx: Tx, sessions: Sequence[tuple[str]], rules: HealthRules) -> "Asking":
        is_full = not self._low
        rows = tx.tuples(LOOK_AROUND, {"most": CROWD_MIN}, s=sessions, g=_gaps(self._low))
        asking = _asking([row for row in rows if row[0] is not None], rules)
        if is_full:
            self._full_at = asking.now
        # A row without a session is a kind of run: its columns come after those of the sessions.
        self._learn([row[len(_Asker._fields) :] for row in rows if row[0] is None])
        return asking

    def _look_at_all(self, tx: Tx, now: Instant) -> None:
        self._low.clear()
        self._part = None
        self._full_at = now
        self._learn(tx.tuples(PRESENT, {"most": CROWD_MIN}, g=_gaps(())))

    def _look_at_part(self, kinds: list[RunKind]) -> None:
        self._part = kinds
        for kind in kinds:
            self._low.setdefault(kind, _LOWEST)

    def _learn(self, kinds: Iterable[Sequence[int]]) -> None:
        for kind in kinds:
            self._low[RunKind._make(kind)] = _LOWEST
        if len(self._low) >= CROWD_MIN:
            self._part = list(self._low)

    def low(self, kind: RunKind) -> Instant:
        return self._low.get(kind, _LOWEST)

    def seen(self, kinds: Iterable[RunKind], oldest: Mapping[RunKind, Instant], now: Instant) -> None:
        """A scan of these kinds saw nothing older than this."""
        for kind in kinds:
            if kind in self._low:
                self._low[kind] = oldest.get(kind, now) - LOOK_BACK_US


class KindWalk:
    """Kinds found one statement at a time, in the lanes that are asked for, so many per lease.

    The next lease begins where the last one had to stop, so that none of ten thousand lanes is passed over for ever.
    """

    def __init__(self) -> None:
        self._lanes: list[int] = []
        self._at: tuple[int, ...] = _BELOW
        self.is_cut = False  # there may be more behind

    def begin(self, tx: Tx, lanes: Iterable[int], *, most: int | None = None) -> list[RunKind]:
        """What is there, so much at most; from the beginning, unless the last walk was cut short."""
        self._lanes = sorted(set(lanes))
        most = KINDS_MAX if most is None else min(most, KINDS_MAX)
        at = self._at if self.is_cut else _BELOW
        kinds = self._found(tx, at, most)
        if at != _BELOW and not self.is_cut:  # the end was reached from the middle: once around
            seen = set(kinds)
            kinds += [kind for kind in self._found(tx, _BELOW, most - len(kinds)) if kind not in seen]
        return kinds

    def go_on(self, tx: Tx, *, most: int | None = None) -> list[RunKind]:
        """What comes after that; nothing when everything was seen."""
        most = KINDS_MAX if most is None else min(most, KINDS_MAX)
        return self._found(tx, self._at, most) if self.is_cut else []

    def _found(self, tx: Tx, at: tuple[int, ...], most: int) -> list[RunKind]:
        kinds: list[RunKind] = []
        self._at = at
        for _ in range(most):
            lane = self._offered(self._at[0])
            if lane is None:
                self.is_cut = False
                return kinds
            if lane != self._at[0]:
                self._at = (lane, -1, -1)
            rows = tx.rows(PRESENT_NEXT, {"lane": self._at[0], "class": self._at[1], "priority": self._at[2]})
            if not rows:
                self.is_cut = False
                return kinds
            kind = RunKind._make(rows[0])
            if self._offered(kind.lane) == kind.lane:
                kinds.append(kind)
                self._at = kind
            else:
                self._at = (kind.lane + 1, -1, -1)
        self.is_cut = True
        return kinds

    def _offered(self, lane: int) -> int | None:
        """The lane itself, or the next that is asked for."""
        at = bisect_left(self._lanes, lane)
        return self._lanes[at] if at < len(self._lanes) else None


class Crowd:
    """More kinds than one lease looks at: each has its part, and the next lease goes on behind it.

    A lease that asks for few lanes looks at these alone. So nobody waits for the crowd in lanes of others.
    """

    def __init__(self) -> None:
        self._lanes: Sequence[int] = ()
        self._at: tuple[int, ...] = _BELOW

    def part(self, tx: Tx, lanes: Iterable[int]) -> list[RunKind]:
        """What this lease looks at, in these lanes or among all."""
        self._lanes = sorted(set(lanes))
        if len(self._lanes) > CROWD_MIN:
            return self.next_part(tx)
        return kinds_in(tx, self._lanes)

    def next_part(self, tx: Tx) -> list[RunKind]:
        """What comes behind that, around the end if need be; nothing where a lease saw all of its lanes."""
        if len(self._lanes) <= CROWD_MIN:
            return []
        behind = self._at
        kinds = _present(tx, [(*behind, *_ABOVE)], most=CROWD_MIN)
        if len(kinds) < CROWD_MIN and behind != _BELOW:
            up_to = (*behind[:-1], behind[-1] + 1)
            kinds += _present(tx, [(*_BELOW, *up_to)], most=CROWD_MIN - len(kinds))
        self._at = kinds[-1] if kinds else _BELOW
        return kinds


def kinds_in(tx: Tx, lanes: Collection[int]) -> list[RunKind]:
    """The kinds of run that wait in these lanes, on an engine with LATERAL."""
    stretches = [(lane, *_BELOW[1:], lane, *_ABOVE[1:]) for lane in lanes]
    return _present(tx, stretches, most=len(lanes) * KINDS_OF_LANE)


def _present(tx: Tx, stretches: Sequence[tuple[int, ...]], *, most: int) -> list[RunKind]:
    if not stretches:
        return []
    return [RunKind._make(row) for row in tx.tuples(PRESENT, {"most": most}, g=stretches)]


def _asking(rows: Sequence[Sequence[Any]], rules: HealthRules) -> Asking:
    size = len(_Asker._fields)
    askers = [_Asker._make(row[:size]) for row in rows]
    first = askers[0]
    return Asking(
        now=int(first.now),
        epoch=first.epoch,
        states={asker.session: asker.shown_state for asker in askers},
        offer_hashes={asker.session: asker.offer_hash for asker in askers},
        bands={asker.session: asker.band_by(rules) for asker in askers if asker.state is not None},
        is_maintenance=first.maintenance_until > int(first.now),
        scopes_ver=int(first.scopes_ver),
    )


def _gaps(known: Iterable[RunKind]) -> list[tuple[int, ...]]:
    """The stretches between known kinds, as `GAPS` takes them: new kinds are looked for in these alone."""
    edges = [_BELOW, *sorted(known), _ABOVE]
    return [(*low, *high) for low, high in pairwise(edges)]
