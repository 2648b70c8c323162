"""Routes for tests: a server's step of assigning, and workers that ask, in few words."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from foliot.app.plugins import load
from foliot.domain.clocks import ClockDoubt
from foliot.domain.planner import Planner
from foliot.domain.routing import ROUTES, Route
from foliot.ports.store import Store
from foliot.ports.store.assignment import Assigned
from foliot.ports.store.runs import Poll
from tests.conformance.working import Worker, worker
from tests.conformance.world import World


class OwnRoutes:
    """Foliot's own routes, as a server finds them."""

    def names(self) -> Sequence[str]:
        return list(ROUTES)

    def find(self, name: str) -> Route | None:
        return _loaded(name)


@cache
def _loaded(name: str) -> Route:
    found: Route = load("foliot.routes", name)
    return found


ASK = Planner(routes=OwnRoutes()).route


async def assign(
    world: World,
    store: Store | None = None,
    *,
    again: bool = False,
    doubt: ClockDoubt | None = None,
    limit: int = 1000,
) -> Assigned:
    """A server's step of assigning."""
    store = store or world.store
    routed = [lane_id for lane_id, lane in (await store.jobs.lanes()).items() if lane.routed]
    return await store.runs.assign(ASK, lanes=routed, limit=limit, again=again, doubt=doubt)


async def team(world: World, n: int) -> list[Worker]:
    """Workers in the order of their names."""
    workers = [await worker(world) for _ in range(n)]
    return sorted(workers, key=lambda one: one.name)


async def routed_poll(one: Worker, free: int = 8, **how: Any) -> Poll:
    """A poll as a server sees it that knows of routed lanes."""
    poll = await one.poll(free, **how)
    return Poll(
        session=poll.session, request_no=poll.request_no, free=poll.free, lanes=poll.lanes, repeat=poll.repeat,
        is_routed=True,
    )  # fmt: skip


async def lease(one: Worker, free: int = 8) -> list[int]:
    """The runs that a worker gets."""
    granted = await one.store.runs.lease([await routed_poll(one, free)], limit=1000)
    return [run.run_id for run in granted.grants[0].runs]
