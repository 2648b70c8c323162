"""The route `least_running`: the worker with the fewest runs, those that wait for it included."""

import heapq
from collections.abc import Sequence
from typing import Final

from foliot.domain.routing import FittingWorker, Ready, Routed
from foliot.domain.routing.order import in_order

_WARNING_COUNTS: Final = 2  # a run of a worker in WARNING counts double, and an idle one has one


def route(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """Count each run that is given here."""
    ordered = in_order(candidates)
    if not ordered:
        return Routed([None] * len(ready.fire_keys), ready.state)
    busy = [(_counted(worker), at) for at, worker in enumerate(ordered)]
    heapq.heapify(busy)
    sessions: list[str | None] = []
    for _ in ready.fire_keys:
        running, at = busy[0]
        step = _WARNING_COUNTS if ordered[at].is_in_warning else 1
        heapq.heapreplace(busy, (running + step, at))
        sessions.append(ordered[at].session)
    return Routed(sessions, ready.state)


def _counted(worker: FittingWorker) -> int:
    if worker.is_in_warning:
        return worker.running * _WARNING_COUNTS + 1
    return worker.running
