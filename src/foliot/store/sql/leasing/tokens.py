"""Tokens: what runs take of their limits in one lease, and for which run what comes free is kept.

A run that needs more of a limit than is left claims it, when a worker could start it and nothing else is in its way.
Then no run of another lane that comes after it, by the order of leasing, takes from the limit until it has begun. The
claim is on the limit's row, so every server heeds it, and is over some seconds after the last lease that renewed it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

from foliot.domain.instants import SECOND, Instant
from foliot.store.sql.leasing.candidates import Candidate
from foliot.store.sql.leasing.fair_order import by_rank
from foliot.store.sql.leasing.free_slots import FreeSlots
from foliot.store.sql.leasing.limits import LimitClaim, Room

CLAIM_US: Final = 10 * SECOND
"""Leases for parked polls come about every second."""


class Looks(Protocol):
    """Finds the first waiting runs of kinds or queues, unlocked."""

    def look(self, wanted: Mapping[Any, int]) -> list[Candidate]: ...


class LeaseTokens:
    """The limits of one lease, locked: what is left, and what was taken."""

    def __init__(self, rooms: Mapping[str, Room], now: Instant) -> None:
        self.rooms = rooms
        self.taken: dict[str, int] = {}
        self.over: dict[str, int] = {}  # claims whose run begins: limit, lane
        self._now = now
        self._kept: set[str] = set()  # for a run of this lease that found too little

    def suffice(self, needs: Mapping[str, int], run: Candidate) -> bool:
        """Whether a run gets all that it needs. One that does not goes before the lighter ones behind it."""
        short = [name for name, n in needs.items() if self._left(name) < n]
        if not short:
            rank, _ = by_rank(run)
            held_up = any(name in self._kept or self._is_claimed(name, run.lane, rank) for name in needs)
            return not held_up
        if all(1 < needs[name] <= self._max(name) for name in short):
            self._kept.update(short)
        return False

    def take(self, needs: Mapping[str, int], run: Candidate) -> None:
        """A run begins."""
        for name, n in needs.items():
            self.taken[name] = self.taken.get(name, 0) + n
            found = self.rooms.get(name)
            if found is not None and found.claim is not None and found.claim.lane == run.lane:
                self.over[name] = run.lane

    def _left(self, name: str) -> int:
        found = self.rooms.get(name)
        return 0 if found is None else found.left - self.taken.get(name, 0)

    def _max(self, name: str) -> int:
        found = self.rooms.get(name)
        return 0 if found is None else found.max

    def _is_claimed(self, name: str, lane: int, rank: int) -> bool:
        found = self.rooms.get(name)
        return found is not None and found.holds_up(lane, rank, self._now)


def wanted_claims(
    among: Iterable[tuple[Looks, Sequence[Any]]],
    needs: Mapping[int, Mapping[str, int]],
    rooms: Mapping[str, Room],
    slots: FreeSlots,
    now: Instant,
) -> dict[str, LimitClaim]:
    """What to keep for the first runs of kinds or queues that need more of a limit than there is.

    Nothing is asked of the database unless there are such. A claim that is fresh is left as it is, whosever it is.
    `needs`: by lane, what a run takes of which limits.
    """
    best: dict[str, LimitClaim] = {}
    for picker, wheres in among:
        heavy = {where: short for where in wheres if (short := short_of(needs[where.lane], rooms))}
        asked = {
            where: 1
            for where, short in heavy.items()
            if slots.free_in(where.lane) > 0 and not _are_kept(short, rooms, now)
        }
        shorts = {where.lane: heavy[where] for where in asked}
        for run in picker.look(asked) if asked else ():
            rank, _ = by_rank(run)
            for name in () if run.replaced else shorts[run.lane]:
                claim = LimitClaim(run.lane, rank, now + CLAIM_US)
                if name not in best or rank < best[name].rank:
                    best[name] = claim
    return best


def claimed(rooms: Mapping[str, Room], claims: Mapping[str, LimitClaim], now: Instant) -> Mapping[str, Room]:
    """The limits as they are once these claims are written: an earlier run keeps its own."""
    if not claims:
        return rooms
    found = dict(rooms)
    for name, claim in claims.items():
        if name in rooms and not rooms[name].holds_up(claim.lane, claim.rank, now):
            found[name] = rooms[name]._replace(claim=claim)
    return found


def short_of(tokens: Mapping[str, int], rooms: Mapping[str, Room]) -> list[str]:
    """The limits that keep a run of a lane from starting, if it only has to wait until enough of them is free."""
    if not tokens or max(tokens.values()) == 1:  # it takes one of each
        return []
    short = [name for name, n in tokens.items() if name not in rooms or rooms[name].left < n]
    can_wait = all(name in rooms and 1 < tokens[name] <= rooms[name].max for name in short)
    return short if can_wait else []


def _are_kept(short: Sequence[str], rooms: Mapping[str, Room], now: Instant) -> bool:
    """Whether these limits are kept for some run already, and for a while."""
    claims = [rooms[name].claim for name in short]
    return all(claim is not None and claim.until > now + CLAIM_US // 2 for claim in claims)
