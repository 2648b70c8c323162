"""Routes: which worker a ready run is meant for. Pure functions, one file each, named in the table `ROUTES`.

A route is asked when runs of a job become ready, with the live workers that fit them. For each run it names one of
them, or nobody (`ANYONE`). An assignment holds for a while; then, or when its worker drains or dies, the route is asked
again without that worker. What a route must know exactly across servers, such as whose turn it is, is its state: it is
kept on the job's cursor, which the same transaction writes.

The planner of each server gets the whole table: Foliot's own routes, and those of installed packages. Every job has
the route `any` today. No definition names a route, because no run keeps an assignment yet: a field that all servers
take and none obeys would be worse than no field (docs/decisions/routes-before-their-field.md).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, NamedTuple, Protocol, TypeAlias

ANY: Final = "any"
ANYONE: Final = None

ROUTES: Final[Mapping[str, str]] = {
    ANY: "foliot.domain.routing.any:route",
}


class FittingWorker(NamedTuple):
    """A live worker that fits the runs of a job."""

    session: str
    name: str
    free: int  # slots


class Ready(NamedTuple):
    """Runs of one job that became ready together."""

    job_id: int
    fire_keys: Sequence[str]  # one for each run, oldest first
    state: str | None  # what the route kept on the job's cursor


class Routed(NamedTuple):
    """What a route says: for each run a session or `ANYONE`, and what it keeps."""

    sessions: Sequence[str | None]
    state: str | None


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
    try:
        sessions, state = route(ready, candidates)
        named = list(sessions)
    except Exception:  # noqa: BLE001  a package's own code
        return anyone
    if len(named) != len(ready.fire_keys) or not isinstance(state, str | None):
        return anyone
    fitting = {candidate.session for candidate in candidates}
    return Routed([session if session in fitting else ANYONE for session in named], state)
