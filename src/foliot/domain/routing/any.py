"""The route `any`: whichever fitting worker asks first gets the run."""

from collections.abc import Sequence

from foliot.domain.routing import ANYONE, FittingWorker, Ready, Routed


def route(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """No worker in particular."""
    del candidates
    return Routed([ANYONE] * len(ready.fire_keys), ready.state)
