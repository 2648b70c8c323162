"""Jobs whose schedule stands far ahead, for tests."""

from typing import Any

from foliot.domain.instants import DAY, HOUR
from foliot.domain.planner import Planner
from foliot.ports.store.rescheduling import Rescheduled
from tests.conformance.building import NS, fire
from tests.conformance.world import World

YEARS = 3 * 366 * DAY
HOURLY: dict[str, Any] = {"schedule": {"every": "1h"}, "overlap": "allow"}


async def reschedule(world: World, *, dry_run: bool = False) -> Rescheduled:
    return await world.store.jobs.reschedule(NS, "tick", plans=Planner(), dry_run=dry_run)


async def fire_all(world: World) -> None:
    while (await fire(world)).taken:
        pass


async def next_instants(world: World, count: int) -> None:
    """So many instants come, and servers look at once."""
    for _ in range(count):
        await world.elapse(HOUR - await world.now() % HOUR)
        await fire_all(world)
