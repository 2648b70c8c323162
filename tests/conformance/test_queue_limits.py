"""Queue limits: no more runs of a job wait than it allows, whoever asks and however many at once."""

import asyncio

import pytest

from foliot.domain.instants import HOUR
from foliot.domain.queue_limits import QueueFull
from tests.conformance.building import ask, every, fire, make_due, runs_of, save, skips_of, wanted_backfill
from tests.conformance.working import Worker
from tests.conformance.world import World


def limited(most: int, **place: object) -> dict[str, object]:
    return {"max_waiting": most, **place}


async def waiting(world: World, name: str = "tick") -> int:
    return sum(run.state == "PENDING" and run.attempt == 0 and run.shard == -1 for run in await runs_of(world, name))


async def test_a_trigger_beyond_the_limit_is_refused_with_the_figure(world: World) -> None:
    await save(world, place=limited(2))
    await world.store.runs.trigger(ask(key="a"))
    await world.store.runs.trigger(ask(key="b"))
    with pytest.raises(QueueFull) as full:
        await world.store.runs.trigger(ask(key="c"))
    assert (full.value.data["job"], full.value.data["most"]) == ("tick", 2)
    assert await waiting(world) == 2


async def test_a_known_key_gets_its_run_though_the_queue_is_full(world: World) -> None:
    await save(world, place=limited(1))
    first = await world.store.runs.trigger(ask(key="a"))
    again = await world.store.runs.trigger(ask(key="a"))
    assert (again.run_id, again.created) == (first.run_id, False)


async def test_two_servers_never_pass_a_limit_together(world: World) -> None:
    other = await world.open()
    await save(world, place=limited(5))
    stores = (world.store, other)
    asked = (stores[n % 2].runs.trigger(ask(key=str(n))) for n in range(16))
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert sum(isinstance(answer, QueueFull) for answer in answers) == 11
    assert await waiting(world) == 5


async def test_a_run_that_a_worker_took_makes_room(world: World) -> None:
    await save(world, place=limited(1))
    await world.store.runs.trigger(ask(key="a"))
    worker = await Worker(world).register()
    await worker.lease_one()
    assert (await world.store.runs.trigger(ask(key="b"))).created
    with pytest.raises(QueueFull):
        await world.store.runs.trigger(ask(key="c"))


async def test_a_fire_beyond_the_limit_is_a_recorded_skip(world: World) -> None:
    job = await every(world, overlap="allow", place=limited(1))
    await world.store.runs.trigger(ask(key="a"))
    await make_due(world, job)
    decided = await fire(world)
    assert (decided.created, decided.skipped) == (0, 1)
    (skip,) = await skips_of(world, job)
    assert (skip.reason, skip.why) == ("limit", "1 runs were already waiting")


async def test_fires_that_come_due_together_stop_at_the_limit(world: World) -> None:
    job = await every(world, interval="10s", overlap="allow", place=limited(3))
    await make_due(world, job, late_us=49_000_000)
    decided = await fire(world)
    assert (decided.created, decided.skipped) == (3, 2)
    assert await waiting(world) == 3


@pytest.mark.parametrize("overlap", ["allow", "queue_all"])
async def test_a_run_for_later_waits_from_the_moment_it_is_asked_for(world: World, overlap: str) -> None:
    await save(world, overlap=overlap, place=limited(1))
    await world.store.runs.trigger(ask(key="a", delay_us=HOUR))
    with pytest.raises(QueueFull):
        await world.store.runs.trigger(ask(key="b"))


async def test_a_sharded_run_waits_behind_another(world: World) -> None:
    await save(world, overlap="queue_all", shards=2, place=limited(1))
    await world.store.runs.trigger(ask(key="a"))  # the head of the line does not wait
    await world.store.runs.trigger(ask(key="b"))
    with pytest.raises(QueueFull):
        await world.store.runs.trigger(ask(key="c"))


async def test_a_sharded_run_whose_shards_have_begun_does_not_wait(world: World) -> None:
    await save(world, overlap="allow", shards=2, place=limited(1))
    worker = await Worker(world).register()
    for key, free in (("a", 1), ("b", 2), ("c", 2)):  # by then one shard of the newest run is taken
        assert (await world.store.runs.trigger(ask(key=key))).created
        with pytest.raises(QueueFull):  # none of its shards was taken
            await world.store.runs.trigger(ask(key="one-more"))
        assert len(await worker.lease(free)) == free


async def test_tests_and_backfills_neither_count_nor_are_refused(world: World) -> None:
    job = await every(world, place=limited(1))
    await world.store.backfills.add(await wanted_backfill(world, job))
    assert await world.store.backfills.advance(limit=20)
    await world.store.runs.trigger(ask(key="t", is_test=True, allow_overlap=True))
    assert (await world.store.runs.trigger(ask(key="a"))).created
    assert (await world.store.runs.trigger(ask(key="u", is_test=True, allow_overlap=True))).created
    with pytest.raises(QueueFull):
        await world.store.runs.trigger(ask(key="b"))


async def test_a_job_without_a_limit_takes_all(world: World) -> None:
    await save(world)
    await save(world, "limited", place=limited(1))
    await world.store.runs.trigger(ask("limited", key="a"))
    for n in range(3):
        assert (await world.store.runs.trigger(ask(key=str(n)))).created
