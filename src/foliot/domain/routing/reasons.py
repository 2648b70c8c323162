"""Why a route named a worker: the figures that it compares, and what decided. For people who ask why a run waits.

Pure, as routes are, and of the same figures as these: told a little later than the route was asked, they may have
changed since. A route that stands in no table here, such as a package's own, is told without figures and reason.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from foliot.domain.routing import ANY, FittingWorker
from foliot.domain.routing import fastest as by_pace
from foliot.domain.routing import least_frequently_used as by_use
from foliot.domain.routing import least_load as by_load
from foliot.domain.routing import weighted_round as by_weight
from foliot.domain.routing.least_running import with_one_more
from foliot.domain.routing.order import in_order, mark, numbers
from foliot.domain.routing.placement import fullness, kept_for, peers_of
from foliot.domain.routing.weight import share
from foliot.domain.routing.wishes import Wishes

KEY_SHOWN: Final = 60  # letters


class Because(StrEnum):
    """What decided."""

    ONLY = "only"  # no other worker fits
    WISHED = "wished"  # the wishes of the job leave no other
    LEAST_FULL = "least_full"
    FIRST = "first"
    LAST = "last"
    TURN = "turn"  # after another one, by name
    DRAWN = "drawn"
    KEY = "key"  # the value of a parameter
    KEY_OF_JOB = "key_of_job"  # the job itself
    FEWEST_OF_JOB = "fewest_of_job"
    LONGEST_AGO = "longest_ago"  # its last run of the job
    FIRST_HEALTHY = "first_healthy"
    FIRST_OF_STRAINED = "first_of_strained"  # all are in WARNING
    IDLE = "idle"
    FREE_SLOT = "free_slot"
    WEIGHT = "weight"  # its turn in proportion to the weights
    FEWEST_RUNNING = "fewest_running"
    LEAST_LOAD = "least_load"
    STAYS = "stays"  # the job is there, and no other has clearly less to do
    MOVED = "moved"  # the job has just left another
    PROBE = "probe"  # to measure it, however quick it is
    UNMEASURED = "unmeasured"  # nobody is measured yet: the least full
    SOONEST = "soonest"
    UNTRIED = "untried"  # others are measured, and this one has nothing to do


class RouteReason(NamedTuple):
    """What decided, with what it went by. The room `words` says it in a language."""

    kind: Because
    other: str | None = None  # name of the worker that it was compared with
    score: float | None = None
    score_of_other: float | None = None
    key: str | None = None  # the value of a parameter


class AskedRoute(NamedTuple):
    """A run whose route was asked, and what the route keeps since."""

    route: str
    wishes: Wishes
    state: str | None  # as on the job's cursor
    key: str | None = None  # the value of the parameter that the job is routed by; None: by the job itself


class ToldRoute(NamedTuple):
    """What the route compares, by session, and why it named this worker."""

    scores: Mapping[str, float]
    reason: RouteReason | None


class _Choice(NamedTuple):
    """A worker that was chosen, and between whom."""

    chosen: FittingWorker
    peers: Sequence[FittingWorker]  # by name, the chosen one among them
    state: str | None
    key: str | None
    scores: Mapping[str, float]


def tell(asked: AskedRoute, candidates: Sequence[FittingWorker], session: str | None) -> ToldRoute:
    """What the route of a run says of these workers. `session`: whom it named; None: it was not asked yet.

    What the candidates have to do is told without the run itself.
    """
    chosen = next((worker for worker in candidates if worker.session == session), None)
    score = SCORES.get(asked.route)
    if chosen is None:
        state = asked.state if asked.wishes.spread is None else None  # else it keeps something for each value
        return ToldRoute(score(in_order(candidates), state, None) if score else {}, None)
    peers = peers_of(asked.wishes, chosen, candidates)
    state = kept_for(asked.wishes, asked.state, chosen)
    scores = score(peers, state, chosen) if score else {}
    if asked.route in REASONS and len(peers) == 1:
        return ToldRoute(scores, RouteReason(Because.ONLY if len(candidates) == 1 else Because.WISHED))
    because = REASONS.get(asked.route)
    return ToldRoute(scores, because and because(_Choice(chosen, peers, state, asked.key, scores)))


# ------------------------------------------------------------------------------------------------------------- figures

Score: TypeAlias = Callable[[Sequence[FittingWorker], str | None, FittingWorker | None], Mapping[str, float]]
"""By session what the route compares, for workers by name: as it was for the one that was chosen; else as it is."""


def _fullness(workers: Sequence[FittingWorker], state: str | None, chosen: FittingWorker | None) -> Mapping[str, float]:
    del state, chosen
    return {worker.session: fullness(worker) for worker in workers}


def _load(workers: Sequence[FittingWorker], state: str | None, chosen: FittingWorker | None) -> Mapping[str, float]:
    del chosen
    return by_load.compared(state, workers)


def _running(workers: Sequence[FittingWorker], state: str | None, chosen: FittingWorker | None) -> Mapping[str, float]:
    del state, chosen
    return {worker.session: with_one_more(worker, 0) for worker in workers}


def _pace(workers: Sequence[FittingWorker], state: str | None, chosen: FittingWorker | None) -> Mapping[str, float]:
    """Seconds, where a pace is known; where none is, how full each would be."""
    del state, chosen
    measured = [worker for worker in workers if worker.pace_us is not None]
    unit = 1_000_000 if measured else 1
    return {worker.session: by_pace.expected(worker, worker.running) / unit for worker in measured or workers}


def _use(workers: Sequence[FittingWorker], state: str | None, chosen: FittingWorker | None) -> Mapping[str, float]:
    """The runs of the job that each has got, as the route counts them, without the one that is asked about."""
    counts = numbers(state, by_use.NAME)
    least = min((counts[mark(worker.session)] for worker in workers if mark(worker.session) in counts), default=0)
    used: dict[str, float] = {}
    for worker in workers:
        count = counts.get(mark(worker.session), least)
        used[worker.session] = max(0, count - by_use.counts(worker)) if worker is chosen else count
    return used


def _turn(workers: Sequence[FittingWorker], state: str | None, chosen: FittingWorker | None) -> Mapping[str, float]:
    """What each has for this turn: the one that was chosen has paid since, and before a choice all gain."""
    had = numbers(state, by_weight.NAME)
    total = sum(share(worker) for worker in workers)
    has: dict[str, float] = {}
    for worker in workers:
        own = had.get(mark(worker.session), 0)
        if chosen is None:
            own += share(worker)
        has[worker.session] = own + total if worker is chosen else own
    return has


SCORES: Final[Mapping[str, Score]] = {
    ANY: _fullness,
    "least_load": _load,
    "least_running": _running,
    "fastest": _pace,
    "least_frequently_used": _use,
    "weighted_round": _turn,
}
"""The routes that compare figures."""


# ------------------------------------------------------------------------------------------------------------- reasons


def _because(kind: Because) -> Callable[[_Choice], RouteReason]:
    """A reason that is always the same."""
    reason = RouteReason(kind)
    return lambda _: reason


def _after(choice: _Choice) -> RouteReason:
    """It comes after the one before it by name."""
    at = [worker.session for worker in choice.peers].index(choice.chosen.session)
    return RouteReason(Because.TURN, choice.peers[at - 1].name)


def _key(choice: _Choice) -> RouteReason:
    if choice.key is None:
        return RouteReason(Because.KEY_OF_JOB)
    cut = choice.key if len(choice.key) <= KEY_SHOWN else f"{choice.key[:KEY_SHOWN]}…"
    return RouteReason(Because.KEY, key=cut)


def _healthy(choice: _Choice) -> RouteReason:
    return RouteReason(Because.FIRST_OF_STRAINED if choice.chosen.is_in_warning else Because.FIRST_HEALTHY)


def _room(choice: _Choice) -> RouteReason:
    return RouteReason(Because.FREE_SLOT if choice.chosen.running else Because.IDLE)


def _stay(choice: _Choice) -> RouteReason:
    """It stays, it has just moved, or it was the least loaded one when its route was asked."""
    on, moved_from = by_load.stay(choice.state, choice.peers)
    if on != choice.chosen.session:
        return RouteReason(Because.LEAST_LOAD)
    if moved_from is not None:
        return RouteReason(Because.MOVED, moved_from)
    others = [worker for worker in choice.peers if worker.session != on]
    least = min(others, key=lambda worker: choice.scores[worker.session])
    score, other = choice.scores[on], choice.scores[least.session]
    if other < by_load.MOVES_BELOW * score:  # it has changed since
        return RouteReason(Because.LEAST_LOAD)
    return RouteReason(Because.STAYS, least.name, score, other)


def _pace_of(choice: _Choice) -> RouteReason:
    if by_pace.is_probe(choice.state):
        return RouteReason(Because.PROBE)
    is_measured = any(worker.pace_us is not None for worker in choice.peers)
    if not is_measured:
        return RouteReason(Because.UNMEASURED)
    return RouteReason(Because.SOONEST if choice.chosen.pace_us is not None else Because.UNTRIED)


REASONS: Final[Mapping[str, Callable[[_Choice], RouteReason]]] = {
    ANY: _because(Because.LEAST_FULL),
    "first": _because(Because.FIRST),
    "last": _because(Because.LAST),
    "round": _after,
    "random": _because(Because.DRAWN),
    "consistent_hash": _key,
    "least_frequently_used": _because(Because.FEWEST_OF_JOB),
    "least_recently_used": _because(Because.LONGEST_AGO),
    "failover": _healthy,
    "busyover": _room,
    "weighted_round": _because(Because.WEIGHT),
    "least_running": _because(Because.FEWEST_RUNNING),
    "least_load": _stay,
    "fastest": _pace_of,
    "sticky": _key,
}
"""One line for each route."""
