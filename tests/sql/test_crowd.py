"""Three servers and a crowd of workers at once on one database: the order of locks lets nobody deadlock (R3)."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from foliot.domain.instants import SECOND
from foliot.domain.verdict import Cause, judge
from foliot.ports.store.errors import StoreBusy
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import HeldLease, LeasedRun
from foliot.store.sql.store import SqlStore
from tests.conformance.building import PERSON, ask, decider, save
from tests.conformance.working import Worker
from tests.sql.test_random_walk import JOBS, Walk
from tests.sql.world import CHANCE, World

pytestmark = [pytest.mark.services, pytest.mark.slow]

SERVERS, WORKERS, ROUNDS = 3, 4, 25
ENDS = [Cause.SUCCEEDED, Cause.SUCCEEDED, Cause.ERROR, Cause.CANCELLED, Cause.RELEASED]


class Crowd:
    """What each server and its workers do, over and over, without waiting for one another."""

    def __init__(self, world: World, store: SqlStore, seed: int) -> None:
        self.world = world
        self.store = store
        self.dice = random.Random(seed)
        self.busy = 0
        self.held: dict[str, list[LeasedRun]] = {}
        self.workers: list[Worker] = []

    async def go(self) -> None:
        self.workers = [await Worker(self.world, self.store).register() for _ in range(WORKERS)]
        self.held = {one.session: [] for one in self.workers}
        duties: list[Callable[[], Awaitable[Any]]] = [self.trigger, self.fire, self.lease, self.lead, self.cancel]
        async with asyncio.TaskGroup() as group:
            for duty in duties:
                group.create_task(self.again(duty))
            for one in self.workers:
                group.create_task(self.again(lambda one=one: self.report(one)))  # type: ignore[misc]
                group.create_task(self.again(lambda one=one: self.beat(one)))  # type: ignore[misc]

    async def again(self, duty: Callable[[], Awaitable[Any]]) -> None:
        for _ in range(ROUNDS):
            try:
                await duty()
            except StoreBusy:  # a step given up is done another time
                self.busy += 1

    async def trigger(self) -> None:
        name = self.dice.choice([name for name in JOBS if name != "delayed"])
        await self.store.runs.trigger(ask(name, CHANCE.token()))

    async def fire(self) -> None:
        await self.store.firing.decide_due(decider(), limit=50)
        await self.store.firing.decide_due(decider(), limit=50, waiting=True)
        await self.store.firing.admit(limit=50)
        await self.store.firing.unpark(limit=50)

    async def lease(self) -> None:
        polls = [await one.poll(self.dice.randint(1, 4)) for one in self.workers]
        granted = await self.store.runs.lease(polls, limit=20)
        for one, grant in zip(self.workers, granted.grants, strict=True):
            self.held[one.session] += grant.runs

    async def report(self, one: Worker) -> None:
        held, self.held[one.session] = self.held[one.session], []
        by_cause: dict[Cause, list[LeasedRun]] = {}
        for run in held:
            by_cause.setdefault(self.dice.choice(ENDS), []).append(run)
        for cause, runs in by_cause.items():
            await one.complete(*runs, cause=cause, error=None if cause is Cause.SUCCEEDED else "x")

    async def beat(self, one: Worker) -> None:
        leases = [
            HeldLease(run_id=run.run_id, lease_id=run.lease_id, started_us_ago=0) for run in self.held[one.session]
        ]
        await one.beat(*leases, settled=0)

    async def lead(self) -> None:
        term = await self.store.nodes.campaign(self.workers[0].session, ttl_us=2 * SECOND)
        if term is not None:
            await self.store.runs.reap(judge, limit=50, term=term.number)
            await self.store.runs.time_out(judge, limit=50, term=term.number)
            await self.store.runs.recount_limits()

    async def cancel(self) -> None:
        rows = await self.world.rows("SELECT id FROM runs WHERE parent_id IS NULL ORDER BY id DESC LIMIT 10")
        if rows:
            await self.store.runs.cancel([self.dice.choice(rows)["id"]], by=PERSON)


async def test_a_crowd_does_not_deadlock(postgres_world: World) -> None:
    world = postgres_world
    for name, document in JOBS.items():
        await save(world, name, run=f"python:jobs:{name}", **document)
    await world.change("UPDATE store_meta SET reap_after = 0")
    crowds = [Crowd(world, await world.open(), seed) for seed in range(SERVERS)]
    async with asyncio.TaskGroup() as group:
        for crowd in crowds:
            group.create_task(crowd.go())
    deadlocks = await world.value("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
    assert (deadlocks, sum(crowd.busy for crowd in crowds)) == (0, 0)

    walk = Walk(world, seed=0)
    for crowd in crowds:
        walk.workers += crowd.workers
        walk.held |= crowd.held
    assert await world.store.runs.recount_limits() == 0
    await walk.check()
    await world.elapse(SESSION_TTL_US)
    await walk.calm()
    assert len(walk.final) > 50
