"""Workers for tests: sessions that register, lease, beat and report, in few words."""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from foliot.domain.instants import DAY, Micros
from foliot.domain.run import Landing
from foliot.domain.verdict import Cause, judge
from foliot.ports.store import Store
from foliot.ports.store.lookups import AttemptRow, RunRow
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.store.runs import Poll, TriggerRequest
from foliot.ports.worker_link import Beat, BeatAnswer, HandlerOffer, HeldLease, Hello, Leased, LeasedRun, Report
from tests.conformance.building import PERSON, ask, runs_of, save
from tests.conformance.world import CHANCE, World

TICK = "python:jobs:tick"
JOIN = "python:jobs:join"  # what merges shards
BEAT_EVERY_US = SESSION_TTL_US // 3

_NUMBERS = count(1)


class Worker:
    """A worker's side of the store: what it would say over its link, straight to the port."""

    def __init__(
        self,
        world: World,
        store: Store | None = None,
        *,
        labels: Mapping[str, str] | None = None,
        slots: int = 8,
        weight: int = 1,
    ) -> None:
        self.world = world
        self.labels = {"zone": "a"} if labels is None else labels
        self.slots = slots
        self.weight = weight
        self.store = store or world.store
        self.session = CHANCE.token()
        self.name = f"worker-{next(_NUMBERS)}"
        self.request_no = 0
        self.beat_no = 0

    async def register(self, *offers: str) -> "Worker":
        """Introduce itself, or say anew what it offers."""
        hello = Hello(
            session=self.session,
            name=self.name,
            group="default",
            slots=self.slots,
            handlers=tuple(HandlerOffer(name=name) for name in offers or [TICK]),
            labels=self.labels,
            weight=self.weight,
        )
        await self.store.nodes.register(hello, kind="worker", ttl_us=SESSION_TTL_US)
        return self

    async def poll(self, free: int = 8, *, lanes: Sequence[int] | None = None, repeat: bool = False) -> Poll:
        """The next request (or the last one again); every lane there is, unless told."""
        if not repeat:
            self.request_no += 1
        offered = list(await self.store.jobs.lanes()) if lanes is None else lanes
        return Poll(session=self.session, request_no=self.request_no, free=free, lanes=offered, repeat=repeat)

    async def grant(self, free: int = 8, *, lanes: Sequence[int] | None = None, repeat: bool = False) -> Leased:
        poll = await self.poll(free, lanes=lanes, repeat=repeat)
        granted = await self.store.runs.lease([poll], limit=1000)
        return granted.grants[0]

    async def lease(self, free: int = 8, **how: Any) -> tuple[LeasedRun, ...]:
        return (await self.grant(free, **how)).runs

    async def lease_one(self) -> LeasedRun:
        (run,) = await self.lease(1)
        return run

    def report(self, run: LeasedRun, cause: Cause = Cause.SUCCEEDED, **said: Any) -> Report:
        return Report(run_id=run.run_id, lease_id=run.lease_id, cause=cause, **said)

    async def complete(self, *runs: LeasedRun, cause: Cause = Cause.SUCCEEDED, **said: Any) -> list[Landing]:
        reports = [self.report(run, cause, **said) for run in runs]
        return list(await self.store.runs.complete(self.session, reports, judge))

    async def beat(
        self,
        *held: LeasedRun | HeldLease,
        started: bool = True,
        settled: int | None = None,
        beat_no: int | None = None,
        ttl_us: Micros = SESSION_TTL_US,
        **said: Any,
    ) -> BeatAnswer:
        """A sign of life that names these leases, as started or not."""
        self.beat_no += 1
        leases = tuple(
            run
            if isinstance(run, HeldLease)
            else HeldLease(run_id=run.run_id, lease_id=run.lease_id, started_us_ago=0 if started else None)
            for run in held
        )
        beat = Beat(
            session=self.session,
            beat_no=self.beat_no if beat_no is None else beat_no,
            settled=self.request_no if settled is None else settled,
            held=leases,
            **said,
        )
        return await self.store.nodes.beat(beat, ttl_us=ttl_us, judge=judge)


async def worker(world: World, store: Store | None = None, **how: Any) -> Worker:
    """A registered worker."""
    return await Worker(world, store, **how).register()


async def trigger(world: World, job: str = "tick", n: int = 1, **wish: Any) -> list[int]:
    """Ask for n runs of a job; their ids."""
    return [(await world.store.runs.trigger(ask(job, CHANCE.token(), **wish))).run_id for _ in range(n)]


async def run_of(world: World, run_id: int) -> RunRow:
    """One run."""
    run = await world.store.lookups.run(run_id)
    assert run is not None, run_id
    return run


async def states_of(world: World, job: str = "tick") -> list[str]:
    """The states of a job's runs, in the order they were made."""
    return [run.state for run in sorted(await runs_of(world, job), key=lambda run: run.run_id)]


async def attempts_of(world: World, run_id: int) -> list[AttemptRow]:
    """The attempts of a run that ended without success."""
    return [attempt for attempt in await world.store.lookups.attempts(run_id) if attempt.cause is not None]


async def lead(world: World, *, session: str = "leader") -> int:
    """Win the leadership, with a tick that lets reaping begin at once; the term."""
    term = await world.store.nodes.campaign(session, ttl_us=SESSION_TTL_US)
    assert term is not None
    await world.end_amnesty()
    return term.number


async def trigger_in(world: World, namespace: str, n: int) -> list[int]:
    """Ask for n runs of a job in a namespace; their ids."""
    requests = [TriggerRequest(namespace=namespace, job="tick", key=CHANCE.token(), by=PERSON) for _ in range(n)]
    return [(await world.store.runs.trigger(request)).run_id for request in requests]


async def end_shards(anne: Worker, results: list[str | None], *, shards: tuple[LeasedRun, ...] = ()) -> None:
    """End every shard with its result, the last one first."""
    for run in sorted(shards or await anne.lease(8), key=lambda run: -run.shard):
        await anne.complete(run, result=results[run.shard])


async def register(world: World, owner: str | None, *, session: str | None = None, kind: str = "worker") -> Worker:
    """A session that a token owns; None: nobody does."""
    worker = Worker(world)
    worker.session = session or worker.session
    hello = Hello(session=worker.session, name="w", group="default", slots=8, handlers=(), owner=owner)
    await world.store.nodes.register(hello, kind=kind, ttl_us=SESSION_TTL_US)
    return worker


async def running_with_limit(world: World, **document: Any) -> tuple[Worker, LeasedRun, int]:
    """A run with a time limit, its worker, and the term of a leader."""
    await save(world, "tick", timeout="10s", grace="5s", **document)
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    return anne, run, await lead(world)


async def forget(world: World, *, limit: int = 1000, after_id: int = 0) -> tuple[int, int]:
    """Forget what ended more than a day ago."""
    return await world.store.runs.forget(before=await world.now() - DAY, after_id=after_id, limit=limit)
