"""The route `least_load`: the worker whose machine has the least to do, until another one has clearly less."""

from collections.abc import Sequence
from typing import Final

from foliot.domain.routing import FittingWorker, Move, Ready, Routed
from foliot.domain.routing.order import in_order, mark, to_keep, words

NAME: Final = "least_load"
MOVES_BELOW: Final = 0.8
"""Of the load of the worker that the job is on. Two workers that are about as loaded must not take turns."""
_SILENT: Final = 0.5  # a worker that says nothing of its machine and has no slots
_WARNING_ADDS: Final = 0.25


def route(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """All runs of this call for one worker; a move is told with both scores."""
    ordered = in_order(candidates)
    if not ordered or not ready.fire_keys:
        return Routed([None] * len(ready.fire_keys), ready.state)
    least = min(ordered, key=score)
    kept = words(ready.state, NAME).get("on")
    present = next((worker for worker in ordered if mark(worker.session) == kept), None)
    moves: list[Move] = []
    if present is None:
        present = least
    elif score(least) < MOVES_BELOW * score(present):
        moves.append(Move(present.name, least.name, score(present), score(least)))
        present = least
    return Routed([present.session] * len(ready.fire_keys), to_keep(NAME, {"on": mark(present.session)}), moves)


def score(worker: FittingWorker) -> float:
    """How loaded a worker is. One that does not say is judged by its slots."""
    load = worker.load
    if load is None:
        load = min(1.0, worker.running / worker.slots) if worker.slots else _SILENT
    return load + (_WARNING_ADDS if worker.is_in_warning else 0)
