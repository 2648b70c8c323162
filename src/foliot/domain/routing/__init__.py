"""Routes: which worker a ready run is meant for. Pure functions, one file each, named in the table `ROUTES`.

A route is asked when runs of a job become ready, with the live workers that fit them. For each run it names one of
them, or nobody (`ANYONE`). An assignment holds for a while; then, or when its worker drains or dies, the route is asked
again without that worker. What a route must know exactly across servers, such as whose turn it is, is its state: it is
kept on the job's cursor, which the same transaction writes.

Every job has the route `any` today: no definition names another, and no assignment is kept.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

ANY: Final = "any"
ANYONE: Final = None

ROUTES: Final[Mapping[str, str]] = {
    ANY: "foliot.domain.routing.any:route",
}


class Candidate(NamedTuple):
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


Route: TypeAlias = Callable[[Ready, Sequence[Candidate]], Routed]
"""Pure: the same arguments, the same answer. `any` need not be asked, so its runs cost nothing."""
