"""The route `busyover`: the first worker by name that has nothing to do; then the first with a free slot."""

from collections.abc import Sequence

from foliot.domain.routing import ANYONE, FittingWorker, Ready, Routed
from foliot.domain.routing.order import healthy


def route(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """When every slot is taken the run is for anyone: whoever is free first."""
    ordered = healthy(candidates)
    free = {worker.session: worker.free for worker in ordered}
    idle = [worker.session for worker in ordered if not worker.running and worker.free > 0]
    sessions: list[str | None] = []
    for _ in ready.fire_keys:
        if idle:
            chosen: str | None = idle.pop(0)
        else:
            chosen = next((session for session, slots in free.items() if slots > 0), ANYONE)
        if chosen is not None:
            free[chosen] -= 1
        sessions.append(chosen)
    return Routed(sessions, ready.state)
