"""The route `random`: any of the workers, each as likely as its weight, drawn from the key of the fire."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from foliot.domain.routing import FittingWorker, Ready, Routed
from foliot.domain.routing.order import in_order, number
from foliot.domain.routing.weight import share


def route(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """The key of a fire is never used twice, so a hash of it is as good as chance."""
    ordered = in_order(candidates)
    if not ordered:
        return Routed([None] * len(ready.fire_keys), ready.state)
    bounds = list(accumulate(map(share, ordered)))
    sessions: list[str | None] = []
    for fire_key in ready.fire_keys:
        drawn = number(f"{ready.job_id}:{fire_key}") % bounds[-1]
        sessions.append(ordered[bisect_right(bounds, drawn)].session)
    return Routed(sessions, ready.state)
