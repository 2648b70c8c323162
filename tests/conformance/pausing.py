"""Jobs that are paused and resumed while instants pass, for tests."""

from collections import Counter

from foliot.domain.instants import HOUR, MINUTE, Instant
from foliot.domain.planner import Planner
from foliot.ports.store.lookups import JobRow
from tests.conformance.building import NS, PERSON, every, job_of, make_due, runs_of, skips_of
from tests.conformance.world import World

ALL = {"all": "3660d", "limit": 1000}


async def pause(world: World) -> JobRow:
    await world.store.jobs.pause(NS, "tick", by=PERSON, plans=Planner())
    return await job_of(world)


async def resume(world: World, *, catch_up: bool = False) -> JobRow:
    await world.store.jobs.resume(NS, "tick", plans=Planner(), catch_up=catch_up)
    return await job_of(world)


async def due_times(world: World) -> list[Instant]:
    return sorted(run.due_at for run in await runs_of(world))


async def reasons(world: World, job: JobRow) -> Counter[str]:
    found: Counter[str] = Counter()
    for skip in await skips_of(world, job):
        found[skip.reason] += skip.count
    return found


async def behind(world: World, *, instants: int) -> JobRow:
    """A job every hour that missed so many instants; half an hour ago the last of them was due."""
    job = await every(world, interval="1h", overlap="allow", misfire=ALL)
    await make_due(world, job, late_us=(instants - 1) * HOUR + 30 * MINUTE)
    return job
