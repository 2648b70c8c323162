"""Advice on the order of locks: whoever takes several locks in the same order as everybody else ends in no deadlock.

What is known: owners that hold one lock and wait for another now, and the deadlocks that were ended. Nobody watches
code that takes locks without waiting, so no advice does not mean that all is well.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class LocksTaken(NamedTuple):
    """An owner holds one lock and waits for another: it takes them in this order."""

    owner: str  # as people call it
    first: str
    then: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderAdvice:
    """In which order to take a lock and others."""

    order: Sequence[str]
    deadlocks: int = 0  # that were ended, of those that are remembered
    opposed: tuple[LocksTaken, LocksTaken] | None = None  # two owners that take the same locks in opposite orders
    seen: LocksTaken | None = None  # else: one that takes them in this order


def advise(name: str, taken: Iterable[LocksTaken], deadlocks: Iterable[Sequence[str]]) -> OrderAdvice | None:
    """What to say of a lock; None: nothing was seen. `deadlocks`: the locks of each that was ended.

    One order is as good as another, if all keep to it. By name needs no agreement.
    """
    known = list(taken)
    of_this = [locks for locks in deadlocks if name in locks and len(set(locks)) > 1]
    opposed = _opposed(known)
    if of_this or opposed is not None:
        names = {lock for locks in of_this for lock in locks}
        if opposed is not None:
            names |= {opposed[0].first, opposed[0].then}
        return OrderAdvice(order=sorted(names), deadlocks=len(of_this), opposed=opposed)
    if not known:
        return None
    return OrderAdvice(order=[known[0].first, known[0].then], seen=known[0])


def _opposed(taken: Iterable[LocksTaken]) -> tuple[LocksTaken, LocksTaken] | None:
    """Two owners that take the same two locks in opposite orders."""
    of_pairs: dict[tuple[str, str], LocksTaken] = {}
    for one in taken:
        other = of_pairs.get((one.then, one.first))
        if other is not None:
            return other, one
        of_pairs.setdefault((one.first, one.then), one)
    return None
