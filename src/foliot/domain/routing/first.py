"""The route `first`: the first worker by name."""

from collections.abc import Sequence

from foliot.domain.routing import FittingWorker, Ready, Routed
from foliot.domain.routing.order import place


def route(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """Every run for the first of them."""
    chosen = min(candidates, key=place, default=None)
    session = None if chosen is None else chosen.session
    return Routed([session] * len(ready.fire_keys), ready.state)
