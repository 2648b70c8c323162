"""Routes: which worker a ready run is meant for. Pure functions, one file each, named in the table `ROUTES`.

A route is asked when runs of a job become ready, with the live workers that fit them. For each run it names one of
them, or nobody (`ANYONE`). An assignment holds for a while; then, or when its worker drains or dies, the route is asked
again without that worker. What a route must know exactly across servers, such as whose turn it is, is its state: it is
kept on the job's cursor, which the same transaction writes.

The planner of each server gets the whole table: Foliot's own routes, and those of installed packages. A job names its
route in `place.route` (`choice`). When a route is asked: docs/decisions/routes-are-asked-when-workers-ask.md.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol, TypeAlias

ANY: Final = "any"
ANYONE: Final = None
NO_LABELS: Final[Mapping[str, str]] = MappingProxyType({})

ROUTES: Final[Mapping[str, str]] = {
    ANY: "foliot.domain.routing.any:route",
    "first": "foliot.domain.routing.first:route",
    "last": "foliot.domain.routing.last:route",
    "round": "foliot.domain.routing.round:route",
    "random": "foliot.domain.routing.random:route",
    "consistent_hash": "foliot.domain.routing.consistent_hash:route",
    "least_frequently_used": "foliot.domain.routing.least_frequently_used:route",
    "least_recently_used": "foliot.domain.routing.least_recently_used:route",
    "failover": "foliot.domain.routing.failover:route",
    "busyover": "foliot.domain.routing.busyover:route",
    "weighted_round": "foliot.domain.routing.weighted_round:route",
    "least_running": "foliot.domain.routing.least_running:route",
    "least_load": "foliot.domain.routing.least_load:route",
    "fastest": "foliot.domain.routing.fastest:route",
    "sticky": "foliot.domain.routing.sticky:route",
}


NAME_MAX: Final = 200  # letters of a worker that is gone

BY_PACE: Final = frozenset({"fastest"})
"""Routes that go by how quick each worker is at the job: the others need not be told."""


class FittingWorker(NamedTuple):
    """A live worker that fits the runs of a job."""

    session: str
    name: str
    free: int  # slots
    slots: int = 0
    running: int = 0  # runs that it executes, and those that wait for it
    weight: int = 1
    is_in_warning: bool = False  # it is to get less work
    load: float | None = None  # its score, from 0 to 1; None: it says nothing of it
    labels: Mapping[str, str] = NO_LABELS
    pace_us: int | None = None  # of a route in `BY_PACE`: how long the job takes there; None: nobody knows yet


class Ready(NamedTuple):
    """Runs of one job that became ready together."""

    job_id: int
    fire_keys: Sequence[str]  # one for each run, oldest first
    state: str | None  # what the route kept on the job's cursor
    keys: Sequence[str] = ()  # one for each run: what the job is routed by; empty: by the job itself
    tried: Sequence[str] = ()  # names of workers that fit and are no candidates: they let these runs wait

    def key_of(self, at: int) -> str:
        """What run number `at` is told apart by."""
        return self.keys[at] if self.keys else str(self.job_id)


class Move(NamedTuple):
    """A route moved a job from one worker to another, because of their scores."""

    before: str  # name of the worker
    after: str
    score_before: float | None  # None: it is gone, late, or let a run wait
    score_after: float


class Routed(NamedTuple):
    """What a route says: for each run a session or `ANYONE`, and what it keeps."""

    sessions: Sequence[str | None]
    state: str | None
    moves: Sequence[Move] = ()


Route: TypeAlias = Callable[[Ready, Sequence[FittingWorker]], Routed]
"""Pure: the same arguments, the same answer. `any` need not be asked, so its runs cost nothing."""


class Routes(Protocol):
    """The routes that a server knows; each is imported when it is first used."""

    def names(self) -> Collection[str]:
        """Their words in job files."""
        ...

    def find(self, name: str) -> Route | None:
        """A route; None: it is not known here, or cannot be loaded."""
        ...


class OnlyAny:
    """`Routes` of a planner without a table: every run goes to the worker that asks first."""

    def names(self) -> Collection[str]:
        return (ANY,)

    def find(self, name: str) -> Route | None:
        del name
        return None


def routed(routes: Routes, name: str, ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """Ask the route of a job. Whatever a package's route does, each run gets a candidate or `ANYONE`.

    A run that nobody is named for waits for no particular worker. So a route that this server does not know, that
    fails or that names another worker costs the job its route, and never its runs.
    """
    anyone = Routed([ANYONE] * len(ready.fire_keys), ready.state)
    if name == ANY or not candidates:
        return anyone
    route = routes.find(name)
    if route is None:
        return anyone
    fitting = {candidate.session for candidate in candidates}
    names = {candidate.name for candidate in candidates}
    try:
        sessions, state, moves = route(ready, candidates)
        named = [session if session in fitting else ANYONE for session in sessions]
        known = tuple(_told(move, names) for move in moves if _is_known(move, names))
        is_kept = _is_kept(state)
    except Exception:  # noqa: BLE001  a package's own code
        return anyone
    if len(named) != len(ready.fire_keys) or not is_kept:
        return anyone
    return Routed(named, state, known)


def _is_known(move: Move, names: Collection[str]) -> bool:
    """Whether a move is from a worker that is there, or from one that is gone, to one that is there."""
    before, after, was, _ = move
    return after in names and (before in names or (was is None and isinstance(before, str)))


def _told(move: Move, names: Collection[str]) -> Move:
    before, after, was, now = move
    return Move(
        before if before in names else before[:NAME_MAX], after, None if was is None else float(was), float(now)
    )


def _is_kept(state: object) -> bool:
    """Whether every store can keep it."""
    if state is None:
        return True
    if not isinstance(state, str):
        return False
    state.encode()  # fails for half of a surrogate pair
    return "\0" not in state
