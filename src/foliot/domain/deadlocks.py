"""Deadlocks: owners of locks that wait for each other, so that none of them ever goes on.

An owner that waits for nothing goes on, and in the end gives back what it holds. So take all claims, let go whoever can
go on, take its claims away, and look again who can go on now. Whoever is left waits for ever. This is exact for every
kind of lock: one who waits for a place in a semaphore is stuck only when all who hold one are.

Runs that wait for an earlier run of their exclusive job need no place in this graph: a run that is PENDING holds no
lock, so no cycle goes through it.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from foliot.domain.locks import LockClaim, decide, without_time


class Deadlock(NamedTuple):
    """Claims that wait: the owner of each waits for the owner of the next, and the last for the first."""

    cycle: Sequence[LockClaim]

    @property
    def victim(self) -> LockClaim:
        """The youngest claim of the cycle: its wait is ended."""
        return max(self.cycle, key=_age)


def find_deadlocks(claims: Iterable[LockClaim]) -> list[Deadlock]:
    """Every deadlock among these claims. Ending the wait of each victim leaves none."""
    left = [without_time(claim) for claim in claims if not claim.is_broken]
    found: list[Deadlock] = []
    while stuck := _stuck(left):
        deadlock = Deadlock(_cycle(stuck))
        found.append(deadlock)
        left = [claim for claim in left if claim.id != deadlock.victim.id]
    return found


def _stuck(claims: Sequence[LockClaim]) -> list[LockClaim]:
    """The claims of owners that wait for ever."""
    left = list(claims)
    while True:
        waiting = {claim.owner for claim in left if claim.waits}
        going_on = _granted_owners(left)
        stuck = [claim for claim in left if claim.owner in waiting - going_on]
        if len(stuck) == len(left):
            return stuck
        left = stuck


def _granted_owners(claims: Iterable[LockClaim]) -> set[str]:
    """Owners of whom a claim would be granted, if nobody but these had claims."""
    by_lock: dict[int, list[LockClaim]] = defaultdict(list)
    for claim in claims:
        by_lock[claim.lock].append(claim)
    owners: set[str] = set()
    for of_lock in by_lock.values():
        granted = {grant.claim for grant in decide(of_lock, now=0, first_token=1).granted}
        owners |= {claim.owner for claim in of_lock if claim.id in granted}
    return owners


def _cycle(stuck: Sequence[LockClaim]) -> list[LockClaim]:
    """One cycle: from the youngest claim along those it waits for, until an owner comes again."""
    waits = {claim.owner: claim for claim in sorted(stuck, key=_age) if claim.waits}
    path = [max(waits.values(), key=_age)]
    seen = {path[0].owner: 0}
    while True:
        owner = _blocker(path[-1], stuck).owner
        if owner in seen:
            return path[seen[owner] :]
        seen[owner] = len(path)
        path.append(waits[owner])


def _blocker(claim: LockClaim, stuck: Sequence[LockClaim]) -> LockClaim:
    """A claim of another owner that keeps this one waiting: one that holds the lock, else one before it in the line."""
    others = [other for other in stuck if other.lock == claim.lock and other.owner != claim.owner]
    before = [other for other in others if other.token is not None or other.place < claim.place]
    return min(before or others, key=_holders_first)


def _holders_first(claim: LockClaim) -> tuple[bool, int]:
    return claim.waits, claim.place


def _age(claim: LockClaim) -> tuple[int, str]:
    return claim.asked_at, claim.id
