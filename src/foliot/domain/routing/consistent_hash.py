"""The route `consistent_hash`: a key always goes to the same worker, and a change of workers moves few keys.

Each worker has many points on a ring, and a key belongs to the next point after its own. So a worker that joins takes
about its share from all others, and one that leaves gives its own to all others; no other key moves.
"""

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from foliot.domain.routing import FittingWorker, Ready, Routed
from foliot.domain.routing.order import in_order

POINTS: Final = 100  # of one worker
_RINGS_KEPT: Final = 64


class _Ring:
    """The points of some workers, in order, and whose each is."""

    def __init__(self, names: Sequence[str]) -> None:
        points: dict[int, int] = {}
        for at, name in enumerate(names):
            for turn in range(POINTS):
                points.setdefault(point(f"{turn}:{name}"), at)
        self._points = sorted(points)
        self._owners = [points[found] for found in self._points]

    def owner(self, key: str) -> int:
        """Which of the names has this key."""
        at = bisect_left(self._points, point(key))
        return self._owners[at % len(self._owners)]


def route(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """By the key of each run: that of the job, or the value of a parameter. Names outlive a restart."""
    ordered = in_order(candidates)
    if not ordered:
        return Routed([None] * len(ready.fire_keys), ready.state)
    ring = _ring(tuple(worker.name for worker in ordered))
    chosen = [ordered[ring.owner(ready.key_of(at))] for at, _ in enumerate(ready.fire_keys)]
    return Routed([worker.session for worker in chosen], ready.state)


def point(text: str) -> int:
    """Where a text lies on the ring. It must never change: keys would move."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())


@lru_cache(_RINGS_KEPT)
def _ring(names: tuple[str, ...]) -> _Ring:
    return _Ring(names)
