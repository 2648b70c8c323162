"""The route `least_running`: the worker with the fewest runs for its weight, those that wait for it included."""

import heapq
from collections.abc import Sequence

from foliot.domain.routing import FittingWorker, Ready, Routed
from foliot.domain.routing.order import in_order
from foliot.domain.routing.weight import strength


def route(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """Count each run that is given here."""
    ordered = in_order(candidates)
    if not ordered:
        return Routed([None] * len(ready.fire_keys), ready.state)
    busy = [(with_one_more(worker, 0), at, 0) for at, worker in enumerate(ordered)]
    heapq.heapify(busy)
    sessions: list[str | None] = []
    for _ in ready.fire_keys:
        _, at, given = busy[0]
        heapq.heapreplace(busy, (with_one_more(ordered[at], given + 1), at, given + 1))
        sessions.append(ordered[at].session)
    return Routed(sessions, ready.state)


def with_one_more(worker: FittingWorker, given: int) -> float:
    """How many runs it would have, divided by its share of the work."""
    return (worker.running + given + 1) / strength(worker)
