"""The route `failover`: the first healthy worker by name. The next one follows only while the first is in trouble."""

from collections.abc import Sequence

from foliot.domain.routing import ANYONE, FittingWorker, Ready, Routed
from foliot.domain.routing.order import healthy


def route(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """Every run for the first that is not in WARNING; when all are, for the first."""
    session = healthy(candidates)[0].session if candidates else ANYONE
    return Routed([session] * len(ready.fire_keys), ready.state)
