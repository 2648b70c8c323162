"""A crowd of due jobs: two batches are decided at a time, each job once, and neither fails with the other."""

import asyncio
from functools import partial
from typing import Any

import pytest

from foliot.domain.plans import CatchUpPacer, decide_batch
from foliot.engine.firing import Firing
from foliot.engine.pulse import Tide
from foliot.ports.store.errors import StoreBusy
from foliot.ports.store.firing import Decided
from tests.conformance.building import every, make_due
from tests.sql.world import CLOCK, World

pytestmark = pytest.mark.services

BATCH = 4
JOBS = 22


class Crowd:
    """The duty of a server before many due jobs, and how many batches were under way at once."""

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        self.decided: list[Decided] = []
        self.under_way = 0
        self.at_once: list[int] = []  # when each batch began
        self.failing: set[int] = set()  # which batches fail, by their number
        self.asked_again = asyncio.Event()
        self._world = world
        self._decide_due = world.store.firing.decide_due
        self.tide = Tide(CLOCK)
        decide = partial(decide_batch, pacer=CatchUpPacer())
        self.duty = Firing(
            world.store.firing,
            decide,
            self.tide,
            clock=CLOCK,
            again=self.asked_again,
            on_decided=self.decided.append,
        )
        self.duty.batch = BATCH
        monkeypatch.setattr(self.duty, "_adapt", lambda took_s: None)  # whatever the machine does meanwhile
        monkeypatch.setattr(world.store.firing, "decide_due", self._counted)

    async def _counted(self, *args: Any, **how: Any) -> Decided:
        self.under_way += 1
        self.at_once.append(self.under_way)
        try:
            if len(self.at_once) in self.failing:
                raise StoreBusy("The store is too busy.", cause="a test")
            return await self._decide_due(*args, **how)
        finally:
            self.under_way -= 1

    async def begin(self) -> None:
        jobs = [await every(self._world, f"job{number}", interval="1h") for number in range(JOBS)]
        await make_due(self._world, *jobs)
        self.tide.learn(await self._world.store.firing.pulse(), seen_at=CLOCK.monotonic())

    @property
    def created(self) -> int:
        return sum(one.created for one in self.decided)


@pytest.fixture
async def crowd(postgres_world: World, monkeypatch: pytest.MonkeyPatch) -> Crowd:
    crowd = Crowd(postgres_world, monkeypatch)
    await crowd.begin()
    return crowd


async def test_a_crowd_is_decided_two_batches_at_a_time_and_each_job_once(crowd: Crowd, postgres_world: World) -> None:
    assert await crowd.duty.step() == 0
    assert crowd.at_once == [1], "nobody knows of a crowd before the first batch is full"
    while not crowd.asked_again.is_set():
        await crowd.duty.step()
    assert crowd.at_once == [1, 1, 2, 1, 2, 1, 2]
    jobs = [run["job_id"] for run in await postgres_world.rows("SELECT job_id FROM runs")]
    assert (crowd.created, len(jobs), len(set(jobs))) == (JOBS, JOBS, JOBS)


async def test_what_one_batch_decided_counts_when_the_other_fails(crowd: Crowd, postgres_world: World) -> None:
    assert await crowd.duty.step() == 0
    crowd.failing = {2}
    with pytest.raises(StoreBusy):
        await crowd.duty.step()
    assert crowd.created == 2 * BATCH == len(await postgres_world.rows("SELECT id FROM runs"))
