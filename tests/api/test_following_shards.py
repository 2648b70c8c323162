"""Who follows the log of a run with many shards gets every line, in whichever order transactions commit."""

import asyncio
import zlib
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import pytest
import sqlalchemy as sa

from foliot.domain.instants import MINUTE, SECOND
from foliot.domain.verdict import Cause
from foliot.ports.worker_link import LeasedRun, LogChunk
from foliot.store.sql.kernel import tables
from foliot.store.sql.kernel.database import Tx
from tests.api.asking import Api, opened_api
from tests.api.stage import Stage, StageWorker
from tests.api.test_runs import parsed
from tests.eventually import soon
from tests.servers.fixtures import MakeDatabase
from tests.sql.conftest import store_url as store_url  # noqa: PLC0414  a fixture
from tests.sql.interleavings.halting import halting
from tests.sql.world import World, migrate

LOOKS = 8  # of readers, until each has surely read what was there


class Scene(NamedTuple):
    """A run of two shards, each in the hands of a worker of its own."""

    world: World
    stage: Stage
    api: Api
    run: str
    workers: list[StageWorker]
    shards: list[LeasedRun]

    def named(self, at: int, text: str) -> str:
        return f"#{self.shards[at].shard:02d} {text}"

    async def write(self, at: int, text: str, offset: int = 0, *, store: Any = None) -> None:
        worker, leased = self.workers[at], self.shards[at]
        chunk = LogChunk(
            run_id=leased.run_id, lease_id=leased.lease_id, attempt=leased.attempt, offset=offset, text=text
        )
        await (store or self.stage.store).runs.write_logs(worker.session, [chunk])

    async def looked(self) -> None:
        """Wait until a reader has looked some times more."""
        until = self.stage.clock.waits + LOOKS
        await soon(lambda: self.stage.clock.waits >= until, what="the reader looks")

    async def told(self, following: "asyncio.Task[Any]") -> list[str]:
        """End the run; what somebody who followed it has got."""
        for worker in self.workers:
            await worker.end(Cause.SUCCEEDED, after_us=SECOND)
        events = parsed((await asyncio.wait_for(following, 120)).text)
        assert events[-1]["event"] == "end"
        return [event["data"] for event in events[:-1]]

    def follow(self, **how: Any) -> "asyncio.Task[Any]":
        return asyncio.create_task(self.api.ask("GET", f"/runs/{self.run}/logs", follow=1, **how))


async def set_up(url: str) -> AsyncIterator[Scene]:
    world = World(url, in_real_time=True)
    stage = Stage(url)
    try:
        await stage.open(await world.open())
        async with opened_api(stage) as api:
            await api.create_job("tick", shards=2)
            workers = [await stage.worker(f"w-{n}", ["python:jobs:tick"], slots=1) for n in range(2)]
            run = (await api.post("/jobs/tick:trigger")).json()["id"]
            for worker in workers:
                assert await worker.lease() is not None
            yield Scene(world, stage, api, run, workers, [worker.held[0] for worker in workers])
    finally:
        await world.close()


@pytest.fixture
async def scene(store_url: str) -> AsyncIterator[Scene]:
    async for one in set_up(store_url):
        yield one


@pytest.fixture(params=["postgres_database", "mariadb_database"], ids=["postgresql", "mariadb"])
async def of_many(request: pytest.FixtureRequest) -> AsyncIterator[Scene]:
    """On a store that has several open transactions. SQLite has one that writes: they commit in their order."""
    make: MakeDatabase = request.getfixturevalue(request.param)
    async for one in set_up(make(migrate)):
        yield one


@pytest.mark.services
async def test_a_piece_that_commits_behind_a_later_one_is_told_to_who_began_between_them(of_many: Scene) -> None:
    scene = of_many
    early = await halting(scene.world, "logs.written")
    await early.start(scene.write(0, "early\n", store=early.store))
    await scene.write(1, "late\n")
    tail = scene.follow(tail=10)
    await scene.looked()
    known = (await scene.api.get(f"/runs/{scene.run}/lines")).json()["items"]
    assert [line["text"] for line in known] == [scene.named(1, "late")]
    again = scene.follow(headers={"Last-Event-ID": known[0]["position"]})
    await scene.looked()
    await early.finish()
    await scene.looked()
    both = [scene.named(1, "late"), scene.named(0, "early")]
    assert await scene.told(tail) == both, "each once"
    assert scene.named(0, "early") in [event.get("data") for event in parsed((await again).text)]


@pytest.mark.services
async def test_who_comes_back_gets_what_committed_while_it_was_away(of_many: Scene) -> None:
    scene = of_many
    early = await halting(scene.world, "logs.written")
    await early.start(scene.write(0, "early\n", store=early.store))
    await scene.write(1, "late\n")
    (known,) = (await scene.api.get(f"/runs/{scene.run}/lines")).json()["items"]
    await early.finish()
    told = await scene.told(scene.follow(headers={"Last-Event-ID": known["position"]}))
    assert sorted(told) == sorted([scene.named(0, "early"), scene.named(1, "late")])


def insert(run: LeasedRun, text: str, *, offset: int, written_at: int) -> Any:
    body = text.encode()
    row = {"run_id": run.run_id, "attempt": run.attempt, "at_offset": offset, "size": len(body)}

    def work(tx: Tx) -> None:
        values = {**row, "written_at": written_at, "body": zlib.compress(body)}
        tx.connection.execute(sa.insert(tables.run_logs).values(values))

    return work


async def written_at(scene: Scene) -> int:
    pieces = sa.select(sa.func.max(tables.run_logs.c.written_at))
    return int(await scene.world.database.read(lambda tx: tx.connection.execute(pieces).scalar_one()))


@pytest.mark.parametrize("ends", [False, True], ids=["while it is followed", "as it ends"])
async def test_a_piece_that_is_an_hour_late_or_of_an_older_server_is_told(scene: Scene, ends: bool) -> None:
    """Its time is long past, and nothing says whose shard it is: only what each shard has tells that it is there."""
    await scene.write(1, "one\n")
    following = scene.follow()
    await scene.looked()
    late = insert(scene.shards[0], "late\n", offset=0, written_at=await written_at(scene) - 60 * MINUTE)
    await scene.world.database.transact(late)
    if not ends:
        scene.stage.elapse("1m")
        await scene.looked()
        await scene.write(1, "two\n", offset=4)
        await scene.looked()
    told = await scene.told(following)
    lines = [scene.named(1, "one"), scene.named(0, "late"), *([] if ends else [scene.named(1, "two")])]
    assert told == lines


async def test_pieces_of_a_shard_are_told_in_their_order_when_the_store_time_steps_back(scene: Scene) -> None:
    first = insert(scene.shards[0], "one\n", offset=0, written_at=2000 * SECOND)
    second = insert(scene.shards[0], "two\n", offset=4, written_at=1000 * SECOND)
    for work in (first, second):
        await scene.world.database.transact(work)
    assert await scene.told(scene.follow()) == [scene.named(0, "one"), scene.named(0, "two")]


async def test_a_look_costs_what_is_new_however_many_shards_there_are(scene: Scene) -> None:
    await scene.write(0, "one\n")
    asked: list[str] = []
    lookups = scene.stage.services.store.lookups
    for name in [one for one in dir(lookups) if one.startswith("shard_log_")]:
        object.__setattr__(lookups, name, _counting(asked, name, getattr(lookups, name)))
    following = scene.follow(tail=10)
    await scene.looked()
    asked.clear()
    await scene.looked()
    assert set(asked) == {"shard_log_news"}, "nothing new: one statement, along the index of what is new"
    assert await scene.told(following) == [scene.named(0, "one")]


def _counting(asked: list[str], name: str, inner: Any) -> Any:
    async def counting(*how: Any, **more: Any) -> Any:
        asked.append(name)
        return await inner(*how, **more)

    return counting
