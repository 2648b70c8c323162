"""Jobs for tests, in few words."""

from typing import Any

from foliot.domain.definition import from_document
from foliot.domain.fire import Decide
from foliot.domain.instants import MINUTE, Instant
from foliot.domain.job import Definition
from foliot.domain.pacer import CatchUpPacer
from foliot.domain.planner import Planner
from foliot.ports.store import Store
from foliot.ports.store.actor import Actor
from foliot.ports.store.backfills import NewBackfill, Selection
from foliot.ports.store.firing import Decided
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.store.lookups import JobRow, RunFilter, RunRow
from foliot.ports.store.runs import TriggerRequest
from foliot.ports.store.skips import SkipRow
from tests.conformance.world import World

PERSON = Actor(name="someone", reason="a test")
NS = "default"
CLOSED = {"exclude": ["2026-12-31"]}  # a calendar


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


async def save(world: World, name: str = "tick", **document: Any) -> JobRow:
    """Save a job through the store; without a schedule unless the document has one."""
    saved = await world.store.jobs.save(NS, name, definition(job=name, **document), by=PERSON, plans=PLANS)
    return saved.job


async def job_of(world: World, name: str = "tick") -> JobRow:
    """A job as it is now."""
    return await world.store.lookups.job(NS, name)


async def every(world: World, name: str = "tick", interval: str = "1h", **document: Any) -> JobRow:
    """Save a job that fires every so often."""
    return await save(world, name, schedule={"every": interval}, **document)


async def make_due(world: World, *jobs: JobRow, late_us: int = 0) -> Instant:
    """Let store time pass until every job given is due (the last of them by `late_us`); the new store time."""
    dues = [job.next_at for job in jobs]
    assert all(due is not None for due in dues), jobs
    latest = max(due for due in dues if due is not None)
    await world.elapse(max(0, latest - await world.now()) + late_us)
    now = await world.now()
    assert now >= latest
    return now


def ask(job: str = "tick", key: str = "k", **wish: Any) -> TriggerRequest:
    """A trigger."""
    return TriggerRequest(namespace=NS, job=job, key=key, by=PERSON, **wish)


async def fire(world: World, store: Store | None = None, *, limit: int = 100, **how: Any) -> Decided:
    """One step of a server's firing duty, with a planner of its own."""
    return await (store or world.store).firing.decide_due(decider(), limit=limit, **how)


async def runs_of(world: World, name: str = "tick") -> list[RunRow]:
    """Every run of a job, shards among them, in the order of its line."""
    lookups = world.store.lookups
    wanted = RunFilter(namespace=NS, shards=True)
    page = await lookups.runs(wanted, limit=1000)
    runs = list(page.items)
    while page.next_cursor is not None:
        page = await lookups.runs(wanted, limit=1000, cursor=page.next_cursor)
        runs += page.items
    of_job = [run for run in runs if run.job == name]  # by name, for the job may be deleted
    return sorted(of_job, key=lambda run: (run.place is None, run.place or 0, run.shard, run.run_id))


async def cursor_of(world: World, job: JobRow) -> JobRow:
    """Where a job's schedule stands."""
    return await world.store.lookups.job(job.namespace, job.name)


async def skips_of(world: World, job: JobRow) -> list[SkipRow]:
    """A job's skips, oldest first."""
    _, skips = await world.store.lookups.fired(job.job_id, from_at=0, to_at=2**62, limit=1000)
    return sorted(skips, key=lambda skip: skip.from_at)


def happening(n: int, *, topic: Topic = Topic.JOBS, namespace: str | None = "default") -> Happening:
    """One event of some job."""
    return Happening(
        key=f"job.paused:{n}",
        topic=topic,
        kind="job.paused",
        subject=f"job{n % 3}",
        by="ops",
        namespace=namespace,
        data={"reason": "月底 🧾", "n": n},
    )


async def all_runs(store: Store, wanted: RunFilter, limit: int) -> list[int]:
    """The ids of all pages of a list."""
    ids: list[int] = []
    cursor = None
    for _ in range(200):
        page = await store.lookups.runs(wanted, limit=limit, cursor=cursor)
        ids += [run.run_id for run in page.items]
        cursor = page.next_cursor
        if cursor is None:
            return ids
    raise AssertionError("the list has no end")


async def wanted_backfill(world: World, job: JobRow, *, count: int = 3, request_key: str | None = None) -> NewBackfill:
    """A backfill of the latest minutes of a job."""
    now = await world.now()
    instants = [(now // MINUTE - n) * MINUTE for n in range(count, 0, -1)]
    return NewBackfill(
        job_id=job.job_id, version=1, from_at=instants[0], to_at=instants[-1] + 1, selection=Selection.ALL,
        parallel=count, newest_first=False, instants=instants, created_by="ops", reason="", request_key=request_key,
    )  # fmt: skip


async def put_in(world: World, namespace: str, name: str = "tick", *, source: str = "api", **document: Any) -> None:
    """Save a job in a namespace."""
    wanted = definition(job=name, **document)
    await world.store.jobs.save(namespace, name, wanted, by=PERSON, plans=PLANS, source=source)
