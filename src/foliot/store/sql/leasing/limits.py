"""Limits: how many runs may hold a thing at once, as rows counted by guarded updates (R1), never by counting runs.

A lease takes, every way out of RUNNING gives back, both after the runs and so last in the order of locks (R3). A limit
row touched by a transaction stays locked until it ends; that is why the watchdog's recount is exact: whoever changed
runs but has not reached the row yet is neither in the count nor in the row.

A run may take more than one of a limit (`takes`). While it waits for them, what comes free is kept for it: a claim on
the limit's row, good for some seconds, which every lease of a later run heeds. So a heavy run is not passed by light
ones for ever. docs/decisions/weights-of-limits.md.

A limit that a definition names is of the job's namespace, unless an admin made one of the whole cluster with that name
before (`shared`). A save changes a maximum only when its job says another number than before, and only if it may.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.instants import Instant, Micros
from foliot.domain.job import Definition, Lane
from foliot.domain.limits import LimitChange, LimitTooSmall, is_rate_alone, limit_key, rate_key
from foliot.domain.rates import STEPPED_BACK_US, Bucket, refill_at, tokens_left
from foliot.store.sql.cluster.leadership import holds_term
from foliot.store.sql.firing.follow import COUNTED
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.leasing.scopes import count_in, held_by

RECOUNT_STEP: Final = 200
ANY_NUMBER: Final = 2**31 - 1
"""`limits.max` of a limit that has a rate alone."""

_ROOM: Final = """
    l.name, l.max, l.used, l.claim_lane, l.claim_rank, l.claim_until, l.pace_us, l.burst, l.spent_until
"""

ROOM: Final = Statement(f"SELECT {_ROOM} FROM {{d}} JOIN limits l ON l.name = d.name", RowSet("d", name=TEXT))

LOCK: Final = Statement(
    f"""
    SELECT {_ROOM} FROM limits l WHERE l.name IN (SELECT d.name FROM {{d}})
    ORDER BY l.name {{for_update}}
    """,
    RowSet("d", name=TEXT),
)

_SPENT: Final = f"""
    CASE WHEN limits.spent_until > :now
              AND limits.spent_until <= :now + limits.burst * limits.pace_us + {STEPPED_BACK_US}
         THEN limits.spent_until ELSE :now END
"""
"""As `domain.rates` reckons: when the bucket would be full again if no run started."""

TAKE: Final = Statement(
    f"""
    UPDATE limits SET used = limits.used + d.n, ver = limits.ver + 1,
           spent_until = CASE WHEN limits.pace_us IS NULL THEN limits.spent_until
                              ELSE {_SPENT} + d.starts * limits.pace_us END
    FROM {{d}}
    WHERE limits.name = d.name AND limits.used + d.n <= limits.max
          AND (limits.pace_us IS NULL
               OR {_SPENT} + d.starts * limits.pace_us <= :now + limits.burst * limits.pace_us)
    """,
    RowSet("d", name=TEXT, n=BIGINT, starts=BIGINT),
)
"""`n` is given back, a token of a rate (`starts`) is not."""

CLAIM: Final = Statement(
    """
    UPDATE limits SET claim_lane = d.lane, claim_rank = d.rank, claim_until = d.until FROM {d}
    WHERE limits.name = d.name AND (limits.claim_until IS NULL OR limits.claim_until <= :now
                                    OR limits.claim_lane = d.lane OR limits.claim_rank > d.rank)
    """,
    RowSet("d", name=TEXT, lane=BIGINT, rank=BIGINT, until=BIGINT),
)

UNCLAIM: Final = Statement(
    """
    UPDATE limits SET claim_lane = NULL, claim_rank = NULL, claim_until = NULL FROM {d}
    WHERE limits.name = d.name AND limits.claim_lane = d.lane
    """,
    RowSet("d", name=TEXT, lane=BIGINT),
)

GIVE: Final = Statement(
    """
    UPDATE limits SET used = CASE WHEN limits.used > d.n THEN limits.used - d.n ELSE 0 END, ver = limits.ver + 1
    FROM {d} WHERE limits.name = d.name
    """,
    RowSet("d", name=TEXT, n=BIGINT),
)

MAKE: Final = Statement(
    """
    {insert_ignore} limits (name, max, used, ver, namespace)
    SELECT d.name, d.max, 0, 1, d.namespace FROM {d} WHERE true {ignore_duplicates}
    """,
    RowSet("d", name=TEXT, max=BIGINT, namespace=TEXT),
)

SET_MAX: Final = Statement(
    """
    UPDATE limits SET max = d.max, ver = limits.ver + 1 FROM {d}
    WHERE limits.name = d.name AND limits.max <> d.max
    """,
    RowSet("d", name=TEXT, max=BIGINT),
)

SET_RATE: Final = Statement(
    """
    UPDATE limits SET rate = :rate, rate_per_us = :per_us, pace_us = :pace_us, burst = :burst, ver = ver + 1
    WHERE name = :name
    """
)

MAXIMA: Final = Statement(
    "SELECT l.name, l.max FROM limits l WHERE l.name IN (SELECT d.name FROM {d}) ORDER BY l.name {for_update}",
    RowSet("d", name=TEXT),
)

SHARED: Final = Statement("SELECT limits.name FROM {d} JOIN limits ON limits.name = d.name", RowSet("d", name=TEXT))

NAMES: Final = Statement("SELECT name FROM limits WHERE name > :after ORDER BY name LIMIT :limit")

LOCK_COUNTS: Final = Statement(
    """
    SELECT l.name, l.used, l.ver FROM limits l WHERE l.name IN (SELECT d.name FROM {d})
    ORDER BY l.name {for_update}
    """,
    RowSet("d", name=TEXT),
)

RUNNING: Final = Statement(
    f"""
    SELECT r.lane, r.follow & {COUNTED}, count(*) FROM runs r WHERE r.state = 'RUNNING' AND r.{{held_by}} > ''
           AND r.lease_id IS NOT NULL AND r.lane IN (SELECT d.lane FROM {{d}})
    GROUP BY r.lane, r.follow & {COUNTED}
    """,
    RowSet("d", lane=BIGINT),
)

CORRECT: Final = Statement(
    """
    UPDATE limits SET used = d.used, ver = limits.ver + 1 FROM {d}
    WHERE limits.name = d.name AND limits.ver = d.ver
    """,
    RowSet("d", name=TEXT, ver=BIGINT, used=BIGINT),
)


class LimitClaim(NamedTuple):
    """Who gets what comes free of a limit: the first run of a lane that needs more of it than there is."""

    lane: int
    rank: int  # of the run, as leasing orders runs: whoever comes before it does not wait for it
    until: Instant


class Room(NamedTuple):
    """How much of a limit is left, by its number and by its rate."""

    max: int
    left: int
    claim: LimitClaim | None = None
    next_at: Instant | None = None  # when its rate lets the next run start, perhaps in the past; None: it has no rate
    pace_us: Micros = 0

    @classmethod
    def of(cls, row: Sequence[Any], now: Instant) -> "Room":
        """From the columns `_ROOM`, without the name."""
        most, used, lane, rank, until, pace_us, burst, spent_until = row
        claim = None if lane is None or rank is None or until is None else LimitClaim(lane, rank, until)
        left = int(most) - int(used)
        if pace_us is None:
            return cls(int(most), left, claim)
        tokens = tokens_left(pace_us, burst, spent_until, now)
        return cls(int(most), min(left, tokens), claim, refill_at(pace_us, burst, spent_until, now), pace_us)

    def holds_up(self, lane: int, rank: int, now: Instant) -> bool:
        """Whether a run of a lane waits for the run that this limit is kept for."""
        claim = self.claim
        return claim is not None and claim.lane != lane and claim.until > now and rank > claim.rank


class Limit(NamedTuple):
    """A limit as a definition says it."""

    key: str  # the name of its row, the same as in the lane
    max: int
    name: str | None  # as the definition calls it; None: the job's own, `max_running`
    namespace: str | None  # None: of the whole cluster, or of one job
    takes: int = 1  # how much of it a run of the definition takes

    @property
    def is_shared(self) -> bool:
        """Whether it is of the whole cluster."""
        return self.name is not None and self.namespace is None


def limits_of(job_id: int, definition: Definition, *, namespace: str, shared: Collection[str] = ()) -> list[Limit]:
    """The limits a definition speaks of; their keys are those in its lane."""
    limits = []
    for name, max_ in definition.limits.items():
        owner = None if name in shared else namespace
        limits.append(Limit(limit_key(name, owner), max_, name, owner, definition.takes.get(name, 1)))
    if definition.max_running is not None:
        limits.append(Limit(f"job:{job_id}", definition.max_running, None, None))
    return sorted(limits, key=_by_key)


def shared_of(tx: Tx, definition: Definition) -> frozenset[str]:
    """Which of the limits a definition names are of the whole cluster at this moment."""
    names = {limit_key(name, None): name for name in definition.limits}
    found = tx.found(SHARED, d=keys(sorted(names)))
    return frozenset(names[row.name] for row in found)


def numbers_of(document: str | None) -> Mapping[str | None, int]:
    """The maxima in the document of a version, by the names of limits; under None the job's own."""
    place = (json.loads(document).get("place") or {}) if document else {}
    numbers: dict[str | None, int] = dict(place.get("concurrency") or {})
    if "max_running" in place:
        numbers[None] = place["max_running"]
    return numbers


def make(tx: Tx, limits: Iterable[Limit]) -> int:
    """Make the rows of these limits where they are missing; how many were."""
    in_order = sorted(limits, key=_by_key)
    rows = [(limit.key, limit.max, limit.namespace) for limit in in_order]
    return tx.change(MAKE, d=rows) if rows else 0


def keep(
    tx: Tx,
    limits: Sequence[Limit],
    *,
    before: Mapping[str | None, int],
    check: Callable[[LimitChange], None] | None = None,
) -> None:
    """Make the rows of these limits, and give those whose number differs from `before` their new maximum.

    `check` raises where whoever saves may not change a limit that others use, too. `LimitTooSmall`: a run would take
    more of one than there is.
    """
    said_anew = [limit for limit in limits if before.get(limit.name) != limit.max]
    heeded = [limit for limit in limits if limit.takes > 1 or limit in said_anew]
    touched = [limit for limit in limits if limit.is_shared or limit in heeded]
    maxima = _lock_maxima(tx, touched)
    if any(limit.is_shared and limit.key not in maxima for limit in limits):
        raise TryAgain("a limit of the cluster was taken away meanwhile")
    missing = [limit for limit in limits if limit.key not in maxima]
    make(tx, missing)
    maxima |= _lock_maxima(tx, [limit for limit in missing if limit in heeded])  # others may have made them, too
    changed = [limit for limit in said_anew if maxima[limit.key] != limit.max]
    for limit in changed:
        if check is not None and limit.name is not None:
            change = LimitChange(name=limit.name, namespace=limit.namespace, max=maxima[limit.key], wanted=limit.max)
            check(change)
    if changed:
        tx.change(SET_MAX, d=[(limit.key, limit.max) for limit in changed])
    for limit in heeded:
        most = limit.max if limit in changed else maxima[limit.key]
        if limit.name is not None and limit.takes > most:
            raise LimitTooSmall(limit.name, takes=limit.takes, max_=most)


def keep_rate(tx: Tx, job_id: int, bucket: Bucket | None) -> None:
    """Make the row of a job's rate, or give it its new rate. What the bucket has spent stays spent."""
    if bucket is None:
        return
    rate = bucket.rate
    columns = {"rate": rate.starts, "per_us": rate.per_us, "pace_us": rate.pace_us, "burst": bucket.burst}
    tx.change(MAKE, d=[(rate_key(job_id), ANY_NUMBER, None)])
    tx.change(SET_RATE, {"name": rate_key(job_id), **columns})


def _lock_maxima(tx: Tx, limits: Sequence[Limit]) -> dict[str, int]:
    """The maxima of these limits, locked by name until the transaction ends."""
    maxima = tx.pairs(MAXIMA, d=keys(limit.key for limit in limits))
    return {name: int(most) for name, most in maxima.items()}


def _by_key(limit: Limit) -> str:
    return limit.key


def room(tx: Tx, names: Iterable[str], now: Instant) -> dict[str, Room]:
    """What each limit lets through, as seen without a lock; a limit with no row yet is missing."""
    return {row[0]: Room.of(row[1:], now) for row in tx.tuples(ROOM, d=keys(sorted(set(names))))}


def lock_room(tx: Tx, names: Iterable[str], now: Instant) -> dict[str, Room]:
    """The same, locked by name until the transaction ends."""
    wanted = sorted(set(names))
    if not wanted:
        return {}
    return {row[0]: Room.of(row[1:], now) for row in tx.tuples(LOCK, d=keys(wanted))}


def claim(tx: Tx, wanted: Mapping[str, LimitClaim], *, now: Instant) -> None:
    """Keep what comes free of these limits for runs that need more than there is; their rows were locked by name.

    An earlier run has the claim: a hint for the order, never a right, so no row that changes is no failure.
    """
    rows = [(name, claim.lane, claim.rank, claim.until) for name, claim in sorted(wanted.items())]
    if rows:
        tx.change(CLAIM, {"now": now}, d=rows)


def unclaim(tx: Tx, names: Mapping[str, int]) -> None:
    """The run that these limits were kept for has begun. `names`: with the lane of each."""
    if names:
        tx.change(UNCLAIM, d=sorted(names.items()))


def again_at(rooms: Mapping[str, Room], taken: Mapping[str, int], now: Instant) -> Instant | None:
    """When the first of these rates that is used up lets a run start again. `taken`: what this lease took of them."""
    nexts = [
        room.next_at + taken.get(name, 0) * room.pace_us for name, room in rooms.items() if room.next_at is not None
    ]
    return min((at for at in nexts if at > now), default=None)


def take(tx: Tx, wanted: Mapping[str, int], *, now: Instant) -> None:
    """Take so many of each, all or nothing; the rows were locked and the room seen before."""
    rows = [(name, 0 if is_rate_alone(name) else n, n) for name, n in sorted(wanted.items())]
    if rows and tx.change(TAKE, {"now": now}, d=rows) != len(rows):
        raise TryAgain("a limit filled up although it was locked")


def give_back(tx: Tx, lanes: Mapping[int, Lane], left: Mapping[tuple[int, int], int]) -> None:
    """So many runs left RUNNING, by lane and by what they had taken (`COUNTED`): so much more room there is."""
    given: dict[str, int] = {}
    for (lane_id, counted), n in left.items():
        for name in held_by(lanes[lane_id], counted):
            given[name] = given.get(name, 0) + n
    rows = sorted(given.items())
    if len(rows) > 1:
        tx.rows(LOCK, d=keys(sorted(given)))  # by name, so that two who give back do not deadlock
    if rows:
        tx.change(GIVE, d=rows)


def recount(tx: Tx, lanes: Lanes, *, after: str, term: int | None, limit: int = RECOUNT_STEP) -> tuple[int, str | None]:
    """Set a stretch of limits to what really runs: (how many were off, name to go on after, None at the end).

    A lease that did not see a limit of a group or namespace yet, because an admin set it at that moment, is counted in.
    """
    names = [row.name for row in tx.rows(NAMES, {"after": after, "limit": limit})]
    if not names:
        return 0, None
    if holds_term(tx, term):
        count_in(tx, lanes, names)
    wrong = _miscounted(tx, lanes, names)
    corrected = tx.change(CORRECT, d=wrong) if wrong and holds_term(tx, term) else 0
    last = names[-1] if len(names) == limit else None
    return corrected, last


def count_anew(tx: Tx, lanes: Lanes, name: str) -> None:
    """A limit that was just made is held by what runs already."""
    count_in(tx, lanes, [name])
    wrong = _miscounted(tx, lanes, [name])
    if wrong:
        tx.change(CORRECT, d=wrong)


def _miscounted(tx: Tx, lanes: Lanes, names: Sequence[str]) -> list[tuple[str, int, int]]:
    """Those of these limits that say another number than really runs, locked: as `CORRECT` takes them."""
    locked = tx.rows(LOCK_COUNTS, d=keys(names))
    running = _running(tx, lanes, set(names))
    wrong: list[tuple[str, int, int]] = []
    for row in locked:
        really = running.get(row.name, 0)
        if row.used != really:
            wrong.append((row.name, row.ver, really))
    return wrong


def _running(tx: Tx, lanes: Lanes, names: set[str]) -> dict[str, int]:
    """A statement after the locks: what it sees is complete."""
    every = lanes.all(tx)
    limited = [lane_id for lane_id, lane in every.items() if not names.isdisjoint(held_by(lane, COUNTED))]
    running: dict[str, int] = {}
    for lane_id, counted, n in tx.tuples(RUNNING, d=keys(sorted(limited))):
        for name in held_by(every[lane_id], counted):
            running[name] = running.get(name, 0) + int(n)
    return running
