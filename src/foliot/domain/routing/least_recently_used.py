"""The route `least_recently_used`: the worker whose last run of this job is the longest ago."""

from collections import deque
from collections.abc import Sequence
from typing import Final

from foliot.domain.routing import FittingWorker, Ready, Routed
from foliot.domain.routing.order import from_its_own, mark, numbers, to_keep
from foliot.domain.routing.weight import WarningTurns

NAME: Final = "least_recently_used"


def route(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """Who was never used comes first. Who lets a turn pass is behind all others as if it had been used."""
    ordered = from_its_own(ready, candidates)
    if not ordered:
        return Routed([None] * len(ready.fire_keys), ready.state)
    used = numbers(ready.state, NAME)  # the place of each in the order of use
    waiting = deque(sorted(ordered, key=lambda worker: used.get(mark(worker.session), -1)))
    turns = WarningTurns(candidates)
    sessions: list[str | None] = []
    for fire_key in ready.fire_keys:
        while turns.lets_pass(waiting[0], fire_key):
            waiting.rotate(-1)
        sessions.append(waiting[0].session)
        waiting.rotate(-1)
    return Routed(sessions, to_keep(NAME, {mark(worker.session): at for at, worker in enumerate(waiting)}))
