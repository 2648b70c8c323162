"""Jobs for tests, in few words."""

from typing import Any

from foliot.domain.definition import from_document
from foliot.domain.fire import Decide
from foliot.domain.instants import Instant
from foliot.domain.job import Definition
from foliot.domain.pacing import CatchUpPacer
from foliot.domain.planner import Planner
from foliot.ports.store.actor import Actor
from foliot.ports.store.firing import Decided
from foliot.ports.store.jobs import JobRecord
from foliot.ports.store.runs import TriggerRequest
from foliot.store.sql.store import SqlStore
from tests.sql.world import World

PERSON = Actor(name="someone", reason="a test")
NS = "default"


def definition(*, run: str = "python:jobs:tick", job: str = "", **document: Any) -> Definition:
    """A definition from its document: `definition(schedule={"every": "1s"}, overlap="allow")`."""
    kind, _, name = run.partition(":")
    merge = document.pop("merge", None)
    if merge:
        document["merge"] = {"python": merge.partition(":")[2]}
    return from_document({"run": {kind: name}, **document}, job=job)


def decider(rate_per_s: float = 50) -> Decide:
    """The real planner, as a server has it."""
    return Planner(CatchUpPacer(rate_per_s)).decide


PLANS = Planner()
DECIDE = PLANS.decide


async def save(world: World, name: str = "tick", **document: Any) -> JobRecord:
    """Save a job through the store; without a schedule unless the document has one."""
    saved = await world.store.jobs.save(NS, name, definition(job=name, **document), by=PERSON, plans=PLANS)
    return saved.job


async def every(world: World, name: str = "tick", interval: str = "1h", **document: Any) -> JobRecord:
    """Save a job that fires every so often."""
    return await save(world, name, schedule={"every": interval}, **document)


async def make_due(world: World, *jobs: JobRecord, late_us: int = 0) -> Instant:
    """Let store time pass until every job given is due (the last of them by `late_us`); the new store time."""
    dues = [job.next_at for job in jobs]
    assert all(due is not None for due in dues), jobs
    latest = max(due for due in dues if due is not None)
    await world.elapse(max(0, latest - await world.now()) + late_us)
    now = await world.now()
    assert now >= latest
    return now


async def make_unreadable(world: World, job: JobRecord) -> None:
    """Make a job one that only a newer Foliot understands: a store that is opened from now on cannot compile it."""
    document = '{"run":{"python":"jobs:tick"},"of_the_future":1}'
    await world.change(
        "UPDATE job_versions SET definition = :document WHERE job_id = :id", document=document, id=job.job_id
    )


def ask(job: str = "tick", key: str = "k", **wish: Any) -> TriggerRequest:
    """A trigger."""
    return TriggerRequest(namespace=NS, job=job, key=key, by=PERSON, **wish)


async def fire(world: World, store: SqlStore | None = None, *, limit: int = 100, **how: Any) -> Decided:
    """One step of a server's firing duty, with a planner of its own."""
    return await (store or world.store).firing.decide_due(decider(), limit=limit, **how)


async def runs_of(world: World, name: str = "tick") -> list[dict[str, Any]]:
    """Every run of a job, in the order of its line."""
    rows = await world.rows(
        "SELECT r.* FROM runs r JOIN jobs j ON j.id = r.job_id WHERE j.name = :name AND j.namespace = 'default' "
        "ORDER BY CASE WHEN r.place IS NULL THEN 1 ELSE 0 END, r.place, r.shard, r.id",
        name=name,
    )
    return [dict(row) for row in rows]


async def cursor_of(world: World, job: JobRecord) -> dict[str, Any]:
    """A job's cursor."""
    return dict((await world.rows("SELECT * FROM cursors WHERE job_id = :id", id=job.job_id))[0])


async def skips_of(world: World, job: JobRecord) -> list[dict[str, Any]]:
    """A job's skips, oldest first."""
    return [
        dict(row) for row in await world.rows("SELECT * FROM skips WHERE job_id = :id ORDER BY from_at", id=job.job_id)
    ]
