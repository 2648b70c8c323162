"""A broadcast on a server: workers that ask get a shard each; those that drain or die leave theirs behind as lost."""

import asyncio

from foliot.domain.instants import SECOND
from foliot.domain.verdict import Cause, judge
from foliot.engine.lane_book import LaneBook
from foliot.engine.leasing import Leasing
from foliot.engine.pulse import Tide
from foliot.engine.upkeep import Reaping
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import HandlerOffer, Hello, Leased, LeasedRun, LeasePoll
from tests.clocks import DrivenClock, settle
from tests.conformance.building import PERSON, save
from tests.conformance.routing import ASK, team
from tests.conformance.working import Worker, lead, run_of, trigger, worker
from tests.sql.world import World


class Desk:
    """A server's leasing, and workers that ask it."""

    def __init__(self, world: World) -> None:
        self.clock = DrivenClock()
        self.tide = Tide(self.clock)
        self.world = world
        self.leasing = Leasing(
            world.store.runs,
            LaneBook(world.store.jobs),
            self.tide,
            clock=self.clock,
            on_granted=lambda _: None,
            ask_route=ASK,
        )

    async def asked_by(self, *workers: Worker) -> dict[str, LeasedRun]:
        """What each of these workers gets that gets something."""
        answers = {one.name: self._ask(one) for one in workers}
        await settle()
        self.tide.learn(await self.world.store.firing.pulse(), seen_at=self.clock.monotonic())
        self.leasing.hint()
        for _ in range(3):
            await self.clock.advance(1)
            await self.leasing.step()
        self.leasing.stop()
        leased = {name: (await answer).runs for name, answer in answers.items()}
        self.leasing = Desk(self.world).leasing
        return {name: runs[0] for name, runs in leased.items() if runs}

    def _ask(self, one: Worker) -> "asyncio.Task[Leased]":
        one.request_no += 1
        offers = (HandlerOffer(name="python:jobs:tick"),)
        hello = Hello(
            session=one.session, name=one.name, group="default", slots=8, handlers=offers, labels={"zone": "a"}
        )
        self.leasing.introduce(hello)
        poll = LeasePoll(session=one.session, settled=0, request_no=one.request_no, free=8, wait_us=20_000_000)
        return asyncio.create_task(self.leasing.ask(poll))


async def test_workers_that_join_drain_and_die(world: World) -> None:
    await save(world, "tick", shards="each_worker", overlap="queue_all")
    anne, bert, cleo = await team(world, 3)
    first, second, third = await trigger(world, n=3)
    got = await Desk(world).asked_by(anne, bert, cleo)
    assert {name: (run.shard, run.shards) for name, run in got.items()} == {
        anne.name: (0, 3),
        bert.name: (1, 3),
        cleo.name: (2, 3),
    }
    dora = await worker(world)
    assert await Desk(world).asked_by(dora) == {}, "she came after the first run was cut, and its successor waits"
    for one in (anne, bert, cleo):
        await one.complete(got[one.name])
    assert (await run_of(world, first)).state == "SUCCEEDED"

    got = await Desk(world).asked_by(anne, bert)
    assert {run.shards for run in got.values()} == {4}, "dora joined; she and cleo have not asked yet"
    await anne.complete(got[anne.name])
    await world.store.nodes.drain(cleo.session, by=PERSON)
    await bert.beat(got[bert.name])
    for _ in range(6):  # bert falls silent at work, cleo drains before it began
        await world.elapse(SESSION_TTL_US // 2)
        await anne.beat()
        await dora.beat()
        await reaping(world).reap(await lead(world))
        await reaping(world).end_orphans(await lead(world))
    shards = {run.node: (run.state, run.kind) for run in await world.store.lookups.shards(second)}
    assert shards == {
        anne.name: ("SUCCEEDED", None),
        bert.name: ("FAILED", "lost"),
        cleo.name: ("FAILED", "lost"),
        dora.name: ("PENDING", None),
    }
    got = await Desk(world).asked_by(anne, dora)
    assert {*got} == {dora.name}
    await dora.complete(got[dora.name], cause=Cause.SUCCEEDED)
    row = await run_of(world, second)
    assert (row.state, row.error) == ("FAILED", "2 of 4 shards failed.")

    got = await Desk(world).asked_by(anne, dora)
    assert {name: (run.shard, run.shards) for name, run in got.items()} == {anne.name: (0, 2), dora.name: (1, 2)}
    assert {run.run_id for run in await world.store.lookups.shards(third)} == {run.run_id for run in got.values()}


async def test_a_failed_shard_is_executed_again_by_its_worker_alone(world: World) -> None:
    await save(world, "tick", shards="each_worker")
    anne, bert = await team(world, 2)
    (run,) = await trigger(world)
    got = await Desk(world).asked_by(anne, bert)
    await anne.complete(got[anne.name])
    await bert.complete(got[bert.name], cause=Cause.ERROR, error="no")
    (again,) = await trigger(world, keeps_shards_of=run, version=1)
    got = await Desk(world).asked_by(anne, bert)
    assert {name: (one.shard, one.shards) for name, one in got.items()} == {bert.name: (1, 2)}
    await bert.complete(got[bert.name])
    assert (await run_of(world, again)).state == "SUCCEEDED"


async def test_a_worker_that_drops_the_handler_leaves_its_shard_behind_as_lost(world: World) -> None:
    await save(world, "tick", shards="each_worker")
    anne, bert = await team(world, 2)
    (run,) = await trigger(world)
    got = await Desk(world).asked_by(anne)
    await anne.complete(got[anne.name])
    await bert.register("python:jobs:other")
    for _ in range(3):
        await world.elapse(SESSION_TTL_US // 2)
        await bert.beat()
        await reaping(world).end_orphans(await lead(world))
    assert (await run_of(world, run)).error == "1 of 2 shards failed."


def reaping(world: World) -> Reaping:
    """The leader's duty."""
    return Reaping(
        world.store.runs,
        judge,
        grace_us=SECOND,
        session_ttl_us=SESSION_TTL_US,
        on_moved=lambda: None,
        believed_now=lambda: None,
    )
