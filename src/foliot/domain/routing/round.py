"""The route `round`: one worker after the other, by name. Exact over all servers: whose turn it was is kept."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import cycle, islice
from typing import Final

from foliot.domain.routing import FittingWorker, Ready, Routed
from foliot.domain.routing.order import in_order, place, to_keep, words

NAME: Final = "round"


def route(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """Go on after the worker that came last. Who joins or leaves changes nobody else's turn."""
    ordered = in_order(candidates)
    if not ordered or not ready.fire_keys:
        return Routed([None] * len(ready.fire_keys), ready.state)
    last = words(ready.state, NAME)
    came_last = (last.get("name", ""), last.get("session", ""))
    begins = bisect_right(ordered, came_last, key=place)
    turns = cycle(ordered[begins:] + ordered[:begins])
    chosen = list(islice(turns, len(ready.fire_keys)))
    return Routed(
        [worker.session for worker in chosen],
        to_keep(NAME, {"name": chosen[-1].name, "session": chosen[-1].session}),
    )
