"""The route `round`: one worker after the other, by name. Exact over all servers: whose turn it was is kept."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import cycle
from typing import Final

from foliot.domain.routing import FittingWorker, Ready, Routed
from foliot.domain.routing.order import from_its_own, in_order, place, to_keep, words
from foliot.domain.routing.weight import WarningTurns

NAME: Final = "round"


def route(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """Go on after the worker that came last. Who joins or leaves changes nobody else's turn."""
    if not candidates or not ready.fire_keys:
        return Routed([None] * len(ready.fire_keys), ready.state)
    last = words(ready.state, NAME)
    if last:
        ordered = in_order(candidates)
        begins = bisect_right(ordered, (last.get("name", ""), last.get("session", "")), key=place)
        ordered = ordered[begins:] + ordered[:begins]
    else:
        ordered = from_its_own(ready, candidates)
    turns, line = WarningTurns(candidates), cycle(ordered)
    chosen = [next(one for one in line if not turns.lets_pass(one, fire_key)) for fire_key in ready.fire_keys]
    return Routed(
        [worker.session for worker in chosen],
        to_keep(NAME, {"name": chosen[-1].name, "session": chosen[-1].session}),
    )
