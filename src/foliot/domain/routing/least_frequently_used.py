"""The route `least_frequently_used`: the worker that got the fewest runs of this job."""

import heapq
from collections.abc import Sequence
from typing import Final

from foliot.domain.routing import FittingWorker, Ready, Routed
from foliot.domain.routing.order import from_its_own, mark, numbers, to_keep

NAME: Final = "least_frequently_used"
_WARNING_COUNTS: Final = 2


def route(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """Count the runs of each, in WARNING twice. Who joins begins with the least count: it need not catch up."""
    ordered = from_its_own(ready, candidates)
    if not ordered:
        return Routed([None] * len(ready.fire_keys), ready.state)
    before = numbers(ready.state, NAME)
    known = [before[mark(worker.session)] for worker in ordered if mark(worker.session) in before]
    least = min(known, default=0)
    # Only the differences matter; without the least count the numbers stay small for ever.
    used = [(before.get(mark(worker.session), least) - least, at) for at, worker in enumerate(ordered)]
    heapq.heapify(used)
    sessions: list[str | None] = []
    for _ in ready.fire_keys:
        count, at = used[0]
        heapq.heapreplace(used, (count + counts(ordered[at]), at))
        sessions.append(ordered[at].session)
    return Routed(sessions, to_keep(NAME, {mark(ordered[at].session): count for count, at in used}))


def counts(worker: FittingWorker) -> int:
    """For how many runs one counts there."""
    return _WARNING_COUNTS if worker.is_in_warning else 1
