"""The route `weighted_round`: by turns, in proportion to the weights of the workers, with few in a row for one."""

from collections.abc import Sequence
from typing import Final

from foliot.domain.routing import FittingWorker, Ready, Routed
from foliot.domain.routing.order import from_its_own, mark, numbers, to_keep
from foliot.domain.routing.weight import share

NAME: Final = "weighted_round"


def route(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """At each turn every worker gains its share; the richest is chosen and pays the shares of all.

    So the sum of what they have stays the same, and a worker with half of the weight comes every second time.
    """
    ordered = from_its_own(ready, candidates)
    if not ordered:
        return Routed([None] * len(ready.fire_keys), ready.state)
    had = numbers(ready.state, NAME)
    has = {worker.session: had.get(mark(worker.session), 0) for worker in ordered}
    shares = {worker.session: share(worker) for worker in ordered}
    total = sum(shares.values())
    sessions: list[str | None] = []
    for _ in ready.fire_keys:
        for session, gained in shares.items():
            has[session] += gained
        richest = max(has, key=has.__getitem__)
        has[richest] -= total
        sessions.append(richest)
    return Routed(sessions, to_keep(NAME, {mark(session): amount for session, amount in has.items()}))
