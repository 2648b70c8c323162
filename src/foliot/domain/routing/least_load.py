"""The route `least_load`: the worker whose machine has the least to do, until another one has clearly less."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from foliot.domain.routing import FittingWorker, Move, Ready, Routed
from foliot.domain.routing.order import in_order, kept, mark, to_keep

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
    known = kept(ready.state, NAME)
    least = min(ordered, key=score)
    present = _find(ordered, known.get("on"))
    sessions = [(present or least).session] * len(ready.fire_keys)
    if present is None:  # the first run of the job, or its worker is gone, late, or let a run wait
        before = known.get("name")
        moves = [Move(before, least.name, None, score(least))] if isinstance(before, str) else []
        return Routed(sessions, to_keep(NAME, _stay(least)), moves)
    if score(least) + _made(known, ordered, present) >= MOVES_BELOW * score(present):
        return Routed(sessions, ready.state, [])
    moved = {"from": mark(present.session), "was": round(score(present), 3), "had": round(score(least), 3)}
    return Routed(
        [least.session] * len(ready.fire_keys),
        to_keep(NAME, _stay(least) | moved),
        [Move(present.name, least.name, score(present), score(least))],
    )


def _stay(worker: FittingWorker) -> dict[str, Any]:
    return {"on": mark(worker.session), "name": worker.name}


def _find(workers: Sequence[FittingWorker], wanted: object) -> FittingWorker | None:
    return next((worker for worker in workers if mark(worker.session) == wanted), None)


def _made(known: Mapping[str, Any], workers: Sequence[FittingWorker], present: FittingWorker) -> float:
    """What the job itself adds to the load of its worker, as its last move showed: it would take that along.

    Since then the worker that it left has so much less to do, and the one that it is on so much more.
    """
    left = _find(workers, known.get("from"))
    was, had = known.get("was"), known.get("had")
    if left is None or not isinstance(was, float | int) or not isinstance(had, float | int):
        return 0.0
    return max(0.0, min(was - score(left), score(present) - had))


def score(worker: FittingWorker) -> float:
    """How loaded a worker is. One that does not say is judged by its slots."""
    load = worker.load
    if load is None:
        load = min(1.0, worker.running / worker.slots) if worker.slots else _SILENT
    return load + (_WARNING_ADDS if worker.is_in_warning else 0)
