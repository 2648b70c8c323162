"""Placement: the wishes of a job say among which workers its route chooses, run by run.

1. Of the fitting workers those stay that have the fewest labels to be avoided.
2. Each run goes to the value of the label to be spread over that has the fewest runs of the job; of several such to the
   one whose last run is the longest ago.
3. Of the workers there, those stay that are preferred most.
4. The route chooses among them; for `any` it is the worker that is the least full.

Only workers with a free slot count in steps 2 and 3: a wish moves a run and does not make it wait. When no such worker
has a free slot the route decides alone, and `any` leaves the run to whoever is free first, unless that could be one to
be avoided. Pure, as routes are.
"""

import heapq
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from foliot.domain.routing import ANY, ANYONE, FittingWorker, Move, Ready, Routed
from foliot.domain.routing.order import in_order, mark
from foliot.domain.routing.weight import strength
from foliot.domain.routing.wishes import Wishes

VALUES_KEPT: Final = 256
"""Of so many values of the label it is remembered which was used last."""
STATES_KEPT: Final = 16
"""Of so many values it is remembered what the route keeps: the row of a cursor stays small."""
_NO_VALUE: Final = "*"

Ask: TypeAlias = Callable[[str, Ready, Sequence[FittingWorker]], Routed]
"""Asks the route of this name."""


def placed(
    wishes: Wishes, route: str, ready: Ready, candidates: Sequence[FittingWorker], ask: Ask, own: Mapping[str, int]
) -> Routed:
    """Where each run is to go. `own`: how many runs of the job each session has already."""
    if not candidates:
        return Routed([ANYONE] * len(ready.fire_keys), ready.state)
    return _Placing(wishes, route, ready, candidates, ask).routed(own)


def least_avoided(wishes: Wishes, candidates: Sequence[FittingWorker]) -> list[FittingWorker]:
    """Those with the fewest labels to be avoided, by name."""
    ordered = in_order(candidates)
    fewest = min((wishes.avoided(worker.labels) for worker in ordered), default=0)
    return [worker for worker in ordered if wishes.avoided(worker.labels) == fewest]


def peers_of(wishes: Wishes, chosen: FittingWorker, candidates: Sequence[FittingWorker]) -> list[FittingWorker]:
    """Those that the wishes leave beside a worker: the route chose among them, or would."""
    alike = _alike(wishes, chosen)
    return [worker for worker in in_order(candidates) if _alike(wishes, worker) == alike]


def _alike(wishes: Wishes, worker: FittingWorker) -> tuple[int, str, int]:
    return wishes.avoided(worker.labels), wishes.part(worker.labels), wishes.score(worker.labels)


def kept_for(wishes: Wishes, state: str | None, worker: FittingWorker) -> str | None:
    """What the route keeps where it chooses among the peers of a worker."""
    return _Memory(wishes.spread, state).of_route(wishes.part(worker.labels))


class _Memory:
    """What is kept between two calls: which value was used last, and what the route keeps for each."""

    def __init__(self, spread: str | None, state: str | None) -> None:
        self._spread = spread
        self._state = state
        self._used: list[str] = []  # marks of values, the last used at the end
        self._states: dict[str, str] = {}
        if spread is not None:
            self._read()

    def _read(self) -> None:
        try:
            found = json.loads(self._state or "{}")
        except ValueError:
            return
        if not isinstance(found, dict) or found.get("spread") != self._spread:
            return
        self._used = [value for value in _list(found.get("used")) if isinstance(value, str)]
        states = found.get("states")
        if isinstance(states, dict):
            self._states = {value: state for value, state in states.items() if isinstance(state, str)}

    def turns(self) -> dict[str, int]:
        """The place of each value in the order of use; who is not named was never used."""
        return {value: at for at, value in enumerate(self._used)}

    def use(self, values: Sequence[str]) -> None:
        """These came last, in this order."""
        marks = list(dict.fromkeys(map(mark, reversed(values))))[::-1]
        self._used = [*(value for value in self._used if value not in marks), *marks][-VALUES_KEPT:]

    def of_route(self, value: str) -> str | None:
        """What the route keeps for this value of the label."""
        return self._state if self._spread is None else self._states.get(mark(value))

    def keep(self, value: str, state: str | None) -> None:
        if self._spread is None:
            self._state = state
            return
        self._states.pop(mark(value), None)
        if state is not None:
            self._states[mark(value)] = state

    def written(self) -> str | None:
        """The state to be kept on the cursor."""
        if self._spread is None:
            return self._state
        few = dict(list(self._states.items())[-STATES_KEPT:])
        return json.dumps({"spread": self._spread, "used": self._used, "states": few}, separators=(",", ":"))


class _Placing:
    """One call: who has room, and what was decided."""

    def __init__(self, wishes: Wishes, route: str, ready: Ready, candidates: Sequence[FittingWorker], ask: Ask) -> None:
        self._wishes = wishes
        self._route = route
        self._ready = ready
        self._ask = ask
        self._among = least_avoided(wishes, candidates)
        self._free = {worker.session: worker.free for worker in self._among}
        self._given = dict.fromkeys(self._free, 0)
        self._memory = _Memory(wishes.spread, ready.state)
        self._sessions: list[str | None] = [ANYONE] * len(ready.fire_keys)
        self._moves: list[Move] = []

    def routed(self, own: Mapping[str, int]) -> Routed:
        left: Sequence[int] = range(len(self._sessions))
        if self._wishes.spread is not None:
            left = self._spread(left, own)
        elif self._wishes.prefer:
            left = self._prefer(left, self._among, _NO_VALUE)
        self._without_room(left)
        return Routed(self._sessions, self._memory.written(), self._moves)

    def _spread(self, runs: Sequence[int], own: Mapping[str, int]) -> Sequence[int]:
        """Give each run to a value of the label; those that no value has room for are returned."""
        parts: dict[str, list[FittingWorker]] = {}
        for worker in self._among:
            parts.setdefault(self._wishes.part(worker.labels), []).append(worker)
        chosen = _fewest_first(parts, own, self._memory.turns(), len(runs))
        of_part: dict[str, list[int]] = {}
        for run, part in zip(runs, chosen, strict=False):
            of_part.setdefault(part, []).append(run)
        left = list(runs[len(chosen) :])
        for part, its_runs in of_part.items():
            left += self._prefer(its_runs, parts[part], part)
        self._memory.use(chosen)
        return left

    def _prefer(self, runs: Sequence[int], workers: Sequence[FittingWorker], part: str) -> Sequence[int]:
        """Fill up who is preferred most, then the next; the runs that nobody of them has room for are returned."""
        tiers: dict[int, list[FittingWorker]] = {}
        for worker in workers:
            tiers.setdefault(self._wishes.score(worker.labels), []).append(worker)
        for score in sorted(tiers, reverse=True):
            while runs and (roomy := [worker for worker in tiers[score] if self._free[worker.session] > 0]):
                room = sum(self._free[worker.session] for worker in roomy)
                self._choose(runs[:room], roomy, part)
                runs = runs[room:]
        return runs

    def _without_room(self, runs: Sequence[int]) -> None:
        """Runs that no wish but `avoid` is heeded for."""
        if runs and (self._route != ANY or self._wishes.avoid):
            self._choose(runs, self._among, _NO_VALUE)

    def _choose(self, runs: Sequence[int], workers: Sequence[FittingWorker], part: str) -> None:
        """Let the route choose among these workers."""
        asked = Ready(
            self._ready.job_id,
            [self._ready.fire_keys[run] for run in runs],
            self._memory.of_route(part),
            [self._ready.keys[run] for run in runs] if self._ready.keys else [],
            self._ready.tried,
        )
        seen = [self._as_given(worker) for worker in workers]
        if self._route == ANY:
            sessions: Sequence[str | None] = least_full(len(runs), seen)
        else:
            routed = self._ask(self._route, asked, seen)
            sessions = routed.sessions
            self._memory.keep(part, routed.state)
            self._moves += routed.moves
        for run, session in zip(runs, sessions, strict=True):
            self._sessions[run] = session
            if session is not None:
                self._free[session] -= 1
                self._given[session] += 1

    def _as_given(self, worker: FittingWorker) -> FittingWorker:
        given = self._given[worker.session]
        if not given:
            return worker
        return worker._replace(free=max(0, worker.free - given), running=worker.running + given)


class _Turn(NamedTuple):
    """A value of the label and its turn: the fewest runs first, then the longest ago, then by name."""

    runs: int
    used: int
    value: str


def _fewest_first(
    parts: Mapping[str, Sequence[FittingWorker]], own: Mapping[str, int], turns: Mapping[str, int], n: int
) -> list[str]:
    """For each of `n` runs a value of the label, as long as one has room."""
    room = {value: sum(max(0, worker.free) for worker in workers) for value, workers in parts.items()}
    waiting = [
        _Turn(_sum(own, workers), turns.get(mark(value), -1), value)
        for value, workers in parts.items()
        if room[value] > 0
    ]
    heapq.heapify(waiting)
    chosen: list[str] = []
    while waiting and len(chosen) < n:
        turn = heapq.heappop(waiting)
        chosen.append(turn.value)
        room[turn.value] -= 1
        if room[turn.value] > 0:
            heapq.heappush(waiting, _Turn(turn.runs + 1, VALUES_KEPT + len(chosen), turn.value))
    return chosen


def _sum(own: Mapping[str, int], workers: Iterable[FittingWorker]) -> int:
    return sum(own.get(worker.session, 0) for worker in workers)


def least_full(n: int, workers: Sequence[FittingWorker]) -> list[str | None]:
    """For each of `n` runs the worker that is the least full, by its slots, its weight and its health.

    One with a free slot comes before one without.
    """
    ordered = in_order(workers)
    queue = [(_turn(worker, 0), at, 0) for at, worker in enumerate(ordered)]
    heapq.heapify(queue)
    sessions: list[str | None] = []
    for _ in range(n):
        _, at, given = queue[0]
        heapq.heapreplace(queue, (_turn(ordered[at], given + 1), at, given + 1))
        sessions.append(ordered[at].session)
    return sessions


def _turn(worker: FittingWorker, given: int) -> tuple[bool, float]:
    return worker.free - given <= 0, fullness(worker, given)


def fullness(worker: FittingWorker, given: int = 0) -> float:
    """How full it would be with one more run, for its weight and its health."""
    return (worker.running + given + 1) / (max(1, worker.slots) * strength(worker))


def _list(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []
