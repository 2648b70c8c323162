"""The route `fastest`: the worker on which runs of this job are over soonest, by its pace and by what waits for it."""

import heapq
from collections.abc import Sequence
from typing import Final

from foliot.domain.routing import FittingWorker, Ready, Routed
from foliot.domain.routing.order import in_order, numbers, to_keep
from foliot.domain.routing.weight import strength

NAME: Final = "fastest"
PROBE_EVERY: Final = 20
"""One run of so many goes to the next worker by name, whoever that is: so no figure gets old."""


def route(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """A probe when it is its turn; else a worker without a figure that has nothing to do; else the soonest."""
    ordered = in_order(candidates)
    if not ordered:
        return Routed([None] * len(ready.fire_keys), ready.state)
    soonest = _Soonest(ordered)
    runs = numbers(ready.state, NAME).get("runs", 0)
    sessions: list[str | None] = []
    for _ in ready.fire_keys:
        runs += 1
        probes, since = divmod(runs, PROBE_EVERY)
        at = soonest.find() if since else probes % len(ordered)
        soonest.give(at)
        sessions.append(ordered[at].session)
    return Routed(sessions, to_keep(NAME, {"runs": runs}))


class _Soonest:
    """The workers, with what they get in this call."""

    def __init__(self, workers: Sequence[FittingWorker]) -> None:
        self._workers = workers
        self._running = [worker.running for worker in workers]
        measured = [at for at, worker in enumerate(workers) if worker.pace_us is not None]
        self._line = [(self._expected(at), at) for at in measured or range(len(workers))]
        heapq.heapify(self._line)
        self._untried: list[int] = []  # without a figure and with nothing to do, the first by name at the end
        if measured:
            idle = [at for at, worker in enumerate(workers) if worker.pace_us is None and not worker.running]
            self._untried = idle[::-1]

    def find(self) -> int:
        """Who is next."""
        while self._untried and self._running[self._untried[-1]]:
            self._untried.pop()
        if self._untried:
            return self._untried[-1]
        while self._line[0] != (fresh := (self._expected(self._line[0][1]), self._line[0][1])):
            heapq.heapreplace(self._line, fresh)  # it got a run since
        return self._line[0][1]

    def give(self, at: int) -> None:
        """Count a run for this one."""
        self._running[at] += 1

    def _expected(self, at: int) -> float:
        return expected(self._workers[at], self._running[at])


def expected(worker: FittingWorker, running: int) -> float:
    """When a run would be over there: its pace, as often as runs fill its slots. Without one: how full it is.

    Either is divided by its share of the work.
    """
    rounds = (running + 1) / max(1, worker.slots)
    if worker.pace_us is None:
        return rounds / strength(worker)
    return worker.pace_us * max(1.0, rounds) / strength(worker)


def is_probe(state: str | None) -> bool:
    """Whether the last run was to measure a worker, whoever it is."""
    runs = numbers(state, NAME).get("runs", 0)
    return runs > 0 and runs % PROBE_EVERY == 0
