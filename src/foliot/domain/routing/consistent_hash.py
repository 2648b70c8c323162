"""The route `consistent_hash`: a key always goes to the same worker, and a change of workers moves few keys.

Each worker has many points on a ring, and a key belongs to the next point after its own. So a worker that joins takes
about its share from all others, and one that leaves gives its own to all others; no other key moves.

A worker that let a run wait keeps its points, and the key goes on to the next point of a candidate. That is where it
would be without that worker, and no ring has to be made for each of them.
"""

from bisect import bisect_left
from collections.abc import Container, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from foliot.domain.routing import FittingWorker, Ready, Routed
from foliot.domain.routing.order import in_order

POINTS: Final = 100  # of one worker
_RINGS_KEPT: Final = 64
_NAMES_KEPT: Final = 4096


class _Ring:
    """The points of some workers, in order, and whose each is."""

    def __init__(self, names: Sequence[str]) -> None:
        owned = sorted((found, name) for name in names for found in _points(name))
        self._points = [found for found, _ in owned]
        self._owners = [name for _, name in owned]

    def owner(self, key: str, among: Container[str]) -> str:
        """Which of these names has this key; one of them at least is on the ring."""
        at = bisect_left(self._points, point(key)) % len(self._owners)
        while self._owners[at] not in among:
            at = (at + 1) % len(self._owners)
        return self._owners[at]


def route(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """By the key of each run: that of the job, or the value of a parameter. Names outlive a restart."""
    ordered = in_order(candidates)
    if not ordered:
        return Routed([None] * len(ready.fire_keys), ready.state)
    sessions = {worker.name: worker.session for worker in reversed(ordered)}
    ring = _ring(tuple(sorted(sessions.keys() | ready.tried)))
    chosen = [ring.owner(ready.key_of(at), sessions) for at, _ in enumerate(ready.fire_keys)]
    return Routed([sessions[name] for name in chosen], ready.state)


def point(text: str) -> int:
    """Where a text lies on the ring. It must never change: keys would move."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())


@lru_cache(_NAMES_KEPT)
def _points(name: str) -> tuple[int, ...]:
    return tuple(point(f"{turn}:{name}") for turn in range(POINTS))


@lru_cache(_RINGS_KEPT)
def _ring(names: tuple[str, ...]) -> _Ring:
    return _Ring(names)
