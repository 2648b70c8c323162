"""The route `least_load`: the worker whose machine has the least to do, until another one has clearly less."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.routing import FittingWorker, Move, Ready, Routed
from foliot.domain.routing.order import in_order, kept, mark, to_keep

NAME: Final = "least_load"
MOVES_BELOW: Final = 0.8
"""Of the load of the worker that the job is on. Two workers that are about as loaded must not take turns."""
HEEDED_FOR: Final = 20
"""For so many calls after a move counts what the job itself adds to a load: later, others may make the difference."""
_SILENT: Final = 0.5  # a worker that says nothing of its machine and has no slots
_WARNING_ADDS: Final = 0.25


class Stay(NamedTuple):
    """On which worker the job is."""

    session: str | None
    moved_from: str | None  # name of a worker that it has just left


def route(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """All runs of this call for one worker; a move is told with both scores."""
    ordered = in_order(candidates)
    if not ordered or not ready.fire_keys:
        return Routed([None] * len(ready.fire_keys), ready.state)
    known = kept(ready.state, NAME)
    present = _find(ordered, known.get("on"))
    if present is None:  # the first run of the job, or its worker is gone, late, or let a run wait
        least, before = min(ordered, key=score), known.get("name")
        moves = [Move(before, least.name, None, score(least))] if isinstance(before, str) else []
        return Routed([least.session] * len(ready.fire_keys), to_keep(NAME, _stay(least)), moves)
    made = _made(known, ordered, present)
    others = [worker for worker in ordered if worker is not present]
    least = min(others, key=lambda worker: score(worker, more=made), default=present)
    if score(least, more=made) >= MOVES_BELOW * score(present):
        return Routed([present.session] * len(ready.fire_keys), _aged(known, ready.state), [])
    moved = {"from": mark(present.session), "was": round(_load(present), 3), "had": round(_load(least), 3)}
    return Routed(
        [least.session] * len(ready.fire_keys),
        to_keep(NAME, _stay(least) | moved | {"heeded": HEEDED_FOR}),
        [Move(present.name, least.name, score(present), score(least))],
    )


def _stay(worker: FittingWorker) -> dict[str, Any]:
    return {"on": mark(worker.session), "name": worker.name}


def _aged(known: Mapping[str, Any], state: str | None) -> str | None:
    """What is kept when the job stays: after some calls no more of its last move."""
    if "from" not in known:
        return state
    left = known.get("heeded")
    left = left - 1 if isinstance(left, int) else HEEDED_FOR
    if left > 0:
        return to_keep(NAME, {**known, "heeded": left})
    return to_keep(NAME, {key: known[key] for key in ("on", "name") if key in known})


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
    return max(0.0, min(was - _load(left), _load(present) - had))


def compared(state: str | None, candidates: Sequence[FittingWorker]) -> dict[str, float]:
    """What the route compares, by session: the score of the worker that the job is on, and for each other one what its
    score would be with the load of the job itself.
    """
    known = kept(state, NAME)
    ordered = in_order(candidates)
    present = _find(ordered, known.get("on"))
    made = 0.0 if present is None else _made(known, ordered, present)
    return {worker.session: score(worker, more=0.0 if worker is present else made) for worker in ordered}


def stay(state: str | None, candidates: Sequence[FittingWorker]) -> Stay:
    """Where the job is now, and whether the last thing that was decided is its move."""
    known = kept(state, NAME)
    present, left = _find(candidates, known.get("on")), _find(candidates, known.get("from"))
    has_moved = left is not None and known.get("heeded") == HEEDED_FOR
    return Stay(present and present.session, left.name if left is not None and has_moved else None)


def score(worker: FittingWorker, *, more: float = 0.0) -> float:
    """How loaded a worker is for its weight, with so much more load."""
    return (_load(worker) + more) / max(1, worker.weight)


def _load(worker: FittingWorker) -> float:
    """The load of its machine. One that does not say is judged by its slots."""
    load = worker.load
    if load is None:
        load = min(1.0, worker.running / worker.slots) if worker.slots else _SILENT
    return load + (_WARNING_ADDS if worker.is_in_warning else 0)
