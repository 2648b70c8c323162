"""Three servers lease at once for workers of their own: turns are exact over all of them."""

import asyncio
from collections import Counter
from itertools import count

from foliot.engine.lane_book import LaneBook
from foliot.engine.leasing import Leasing
from foliot.engine.pulse import Tide
from foliot.ports.worker_link import HandlerOffer, Hello, Leased, LeasePoll
from foliot.store.sql.store import SqlStore
from tests.clocks import DrivenClock, settle
from tests.conformance.building import save
from tests.conformance.routing import ASK
from tests.conformance.working import Worker, trigger
from tests.sql.world import World

BATCHES = 8
AT_ONCE = 7  # no multiple of three: the turns go on in the next batch


class OneServer:
    """Leasing of a server, and the one worker that asks it again and again."""

    def __init__(self, store: SqlStore, clock: DrivenClock, worker: Worker, job_of: dict[int, str]) -> None:
        self.store = store
        self.clock = clock
        self.worker = worker
        self.job_of = job_of
        self.tide = Tide(clock)
        self.leasing = Leasing(
            store.runs, LaneBook(store.jobs), self.tide, clock=clock, on_granted=lambda _: None, ask_route=ASK
        )
        offers = (HandlerOffer(name="python:jobs:tick"),)
        self.hello = Hello(
            session=worker.session, name=worker.name, group="default", slots=100, handlers=offers, labels=worker.labels
        )
        self.numbers = count(1)
        self.got: Counter[str] = Counter()
        self.asked: asyncio.Task[Leased] | None = None

    async def step(self) -> None:
        """Take what came, ask again, and let the server look."""
        if self.asked is None or self.asked.done():
            self.take()
            self.leasing.introduce(self.hello)
            number = next(self.numbers)
            poll = LeasePoll(
                session=self.worker.session, settled=number - 1, request_no=number, free=100, wait_us=20_000_000
            )
            self.asked = asyncio.create_task(self.leasing.ask(poll))
            await settle()
        await self.worker.beat()
        self.tide.learn(await self.store.firing.pulse(), seen_at=self.clock.monotonic())
        self.leasing.hint()
        await self.leasing.step()

    def take(self) -> None:
        if self.asked is not None and self.asked.done():
            self.got.update(self.job_of[run.run_id] for run in self.asked.result().runs)
            self.asked = None

    async def end(self) -> None:
        self.leasing.stop()
        if self.asked is not None:
            await self.asked
            self.take()


async def test_round_and_spread_are_exact_over_three_servers_that_lease_at_once(world: World) -> None:
    places: dict[str, dict[str, str]] = {"turns": {"route": "round"}, "zones": {"spread": "zone"}}
    for job, place in places.items():
        await save(world, job, place=place)
    workers = [await Worker(world, labels={"zone": zone}, slots=100).register() for zone in ("a", "b", "c")]
    clock = DrivenClock()
    job_of: dict[int, str] = {}
    stores = [world.store, await world.open(), await world.open()]
    servers = [OneServer(store, clock, one, job_of) for store, one in zip(stores, workers, strict=True)]

    async def more() -> None:
        for job in places:
            job_of.update(dict.fromkeys(await trigger(world, job, AT_ONCE), job))

    for _ in range(BATCHES):
        await asyncio.gather(more(), *(one.step() for one in servers))
        await clock.advance(1)
    async with asyncio.timeout(60):
        while sum((one.got for one in servers), Counter()).total() < len(places) * BATCHES * AT_ONCE:
            await asyncio.gather(*(one.step() for one in servers))
            await clock.advance(1)
            for one in servers:
                one.take()
    for one in servers:
        await one.end()
    for job in places:
        shares = sorted(one.got[job] for one in servers)
        assert shares == [18, 19, 19], (job, shares)
