"""Jobs that are edited, and what becomes of their runs, for tests."""

from typing import Any

from foliot.domain.planner import Planner
from foliot.ports.store.jobs import Saved
from foliot.ports.store.lookups import JobRow
from foliot.ports.worker_link import LeasedRun
from tests.conformance.building import NS, PERSON, cursor_of, definition, fire, make_due, save
from tests.conformance.working import Worker, worker
from tests.conformance.world import World

EXCLUSIVE: dict[str, Any] = {"overlap": "queue_all", "exclusive": True, "isolation": "process"}


async def drain(anne: Worker) -> list[list[tuple[int, int]]]:
    """Let a worker do what there is: (run, version) of each lease, in the order of leases."""
    done = []
    while leased := await anne.lease(8) or await _unparked(anne):
        done.append([(run.run_id, run.version) for run in leased])
        await anne.complete(*leased)
    return done


async def _unparked(anne: Worker) -> tuple[LeasedRun, ...]:
    """What the sweep finds."""
    await unpark(anne.world)
    return await anne.lease(8)


async def unpark(world: World) -> None:
    """A server's sweep."""
    await world.store.firing.unpark(limit=100)


async def delayed(world: World, seconds: int = 10, **document: Any) -> JobRow:
    """Save a job that fires this long after the end of its last run."""
    return await save(world, schedule={"every": f"{seconds}s", "from_end": True}, **document)


async def started(world: World, job: JobRow) -> tuple[Worker, LeasedRun]:
    """A fire of the job in the hands of a worker."""
    await make_due(world, job)
    assert (await fire(world)).created == 1
    anne = await worker(world)
    return anne, await anne.lease_one()


async def delayed_and_fired(world: World, **document: Any) -> tuple[Worker, JobRow]:
    """Such a job whose first run waits, and a worker."""
    job = await save(world, "tick", schedule={"every": "30s", "from_end": True}, **document)
    await make_due(world, job)
    await fire(world)
    assert (await cursor_of(world, job)).next_at is None
    return await worker(world), job


async def put(
    world: World, name: str = "tick", *, expected: int | None = None, create: bool = True, **document: Any
) -> Saved:
    """Save a job over the version that is expected."""
    wanted = definition(job=name, **document)
    return await world.store.jobs.save(
        NS, name, wanted, by=PERSON, plans=Planner(), expected_version=expected, create=create
    )
