"""Deadlocks: owners of locks that wait for each other, so that none of them ever goes on.

An owner that waits for nothing goes on, and in the end gives back what it holds. So take all claims, let go whoever can
go on, take its claims away, and look again who can go on now. Whoever is left waits for ever. This is exact for every
kind of lock: one who waits for a place in a semaphore is stuck only when all who hold one are.

The work is about one step a claim: when an owner goes on, only the locks that it held or waited for are looked at
again, and of each only the first claim in its line.

Runs that wait for an earlier run of their exclusive job need no place in this graph: a run that is PENDING holds no
lock, so no cycle goes through it.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from foliot.domain.locks import EVERYBODY, LockClaim, line_order


class Deadlock(NamedTuple):
    """Claims that wait: the owner of each waits for the owner of the next, and the last for the first."""

    cycle: Sequence[LockClaim]

    @property
    def victim(self) -> LockClaim:
        """The youngest claim of the cycle: its wait is ended."""
        return max(self.cycle, key=_age)


def find_deadlocks(claims: Iterable[LockClaim]) -> list[Deadlock]:
    """Every deadlock among these claims. Ending the wait of each victim leaves none."""
    whole = [claim for claim in claims if not claim.is_broken]
    holding = {claim.owner for claim in whole if claim.token is not None}
    if not any(claim.waits and claim.owner in holding for claim in whole):
        return []  # every cycle has an owner that holds a lock and waits for another
    waits = _Waits(whole)
    found: list[Deadlock] = []
    while (youngest := waits.youngest()) is not None:
        deadlock = Deadlock(waits.cycle_from(youngest))
        found.append(deadlock)
        waits.end(deadlock.victim)
    return found


class _Line:
    """One lock among owners of whom some went on: who holds it, and who is the first that waits."""

    def __init__(self, claims: Iterable[LockClaim]) -> None:
        in_order = sorted(claims, key=_place)
        self.holders = deque(claim for claim in in_order if claim.token is not None)
        self._most: dict[str, int] = {}  # by the owner that holds it
        for claim in self.holders:
            self._most[claim.owner] = min(claim.most, self._most.get(claim.owner, EVERYBODY))
        self.waiting = deque(line_order(in_order, holders=self._most))
        # The holder that allows the fewest is on top. One that left stays in the heap until it comes to the top.
        self._fewest = [(most, owner) for owner, most in self._most.items()]
        heapify(self._fewest)

    def leave(self, owner: str) -> None:
        self._most.pop(owner, None)

    def would_get(self, claim: LockClaim) -> bool:
        """Whether the first claim of the line would be granted, as `decide` grants it."""
        own = self._most.get(claim.owner)
        if own is not None and own <= claim.most:
            return True
        owners = len(self._most) + (own is None)
        return owners <= min(claim.most, self._fewest_beside(claim.owner))

    def _fewest_beside(self, owner: str) -> int:
        """With how many owners the other holders share the lock."""
        own = None
        while self._fewest:
            most, holder = self._fewest[0]
            if holder in self._most and holder != owner:
                break
            heappop(self._fewest)
            if holder == owner:
                own = most, holder
        fewest = self._fewest[0][0] if self._fewest else EVERYBODY
        if own is not None:
            heappush(self._fewest, own)
        return fewest


class _Waits:
    """Who waits for ever: the claims of owners that cannot go on."""

    def __init__(self, claims: Sequence[LockClaim]) -> None:
        self._went_on: set[str] = set()  # owners
        self._ended: set[str] = set()  # claims
        self._of_owner: dict[str, list[LockClaim]] = defaultdict(list)
        of_lock: dict[int, list[LockClaim]] = defaultdict(list)
        for claim in claims:
            self._of_owner[claim.owner].append(claim)
            of_lock[claim.lock].append(claim)
        self._lines = {lock: _Line(of_one) for lock, of_one in of_lock.items()}
        self._by_age = sorted((claim for claim in claims if claim.waits), key=_age)
        waiting = {claim.owner for claim in self._by_age}
        self._go_on(self._of_owner.keys() - waiting, of_lock)

    def youngest(self) -> LockClaim | None:
        """The youngest claim that waits for ever."""
        while self._by_age and not self._is_left(self._by_age[-1]):
            self._by_age.pop()
        return self._by_age[-1] if self._by_age else None

    def cycle_from(self, claim: LockClaim) -> list[LockClaim]:
        """One cycle: from this claim along those it waits for, until an owner comes again."""
        path = [claim]
        seen = {claim.owner: 0}
        while True:
            owner = self._holder_beside(path[-1])
            if owner in seen:
                return path[seen[owner] :]
            seen[owner] = len(path)
            path.append(self._wait_of(owner))

    def end(self, claim: LockClaim) -> None:
        """A wait was ended: its owner goes on, unless it waits for something else too."""
        self._ended.add(claim.id)
        waits_still = any(other.waits and self._is_left(other) for other in self._of_owner[claim.owner])
        self._go_on([] if waits_still else [claim.owner], [claim.lock])

    def _go_on(self, owners: Iterable[str], locks: Iterable[int]) -> None:
        """These owners go on; then all who can because of that. `locks`: where the first in line may get it now."""
        going = list(owners)
        changed = list(locks)
        while going or changed:
            if going:
                changed += self._without(going.pop())
                continue
            line = self._lines[changed.pop()]
            while line.waiting and not self._is_left(line.waiting[0]):
                line.waiting.popleft()
            if line.waiting and line.would_get(line.waiting[0]):
                going.append(line.waiting[0].owner)

    def _without(self, owner: str) -> list[int]:
        """An owner goes on: the locks where that changes something."""
        if owner in self._went_on:
            return []
        self._went_on.add(owner)
        locks = [claim.lock for claim in self._of_owner[owner]]
        for lock in locks:
            self._lines[lock].leave(owner)
        return locks

    def _is_left(self, claim: LockClaim) -> bool:
        return claim.owner not in self._went_on and claim.id not in self._ended

    def _wait_of(self, owner: str) -> LockClaim:
        """The youngest claim of this owner that waits."""
        return max((claim for claim in self._of_owner[owner] if claim.waits and self._is_left(claim)), key=_age)

    def _holder_beside(self, claim: LockClaim) -> str:
        """The first of the other owners that hold the lock: a lock for which one waits for ever has such a holder."""
        holders = self._lines[claim.lock].holders
        while not self._is_left(holders[0]):
            holders.popleft()
        return next(held.owner for held in holders if held.owner != claim.owner and self._is_left(held))


def _place(claim: LockClaim) -> int:
    return claim.place


def _age(claim: LockClaim) -> tuple[int, str]:
    return claim.asked_at, claim.id
