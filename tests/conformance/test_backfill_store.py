"""Backfills on every engine: one for each request, and none that holds up the others."""

import asyncio
from dataclasses import replace

import pytest

from foliot.ports.store import Store
from tests.conformance.building import every, runs_of, wanted_backfill
from tests.conformance.world import World


@pytest.fixture
def store(world: World) -> Store:
    return world.store


async def test_a_request_makes_one_backfill_however_often_it_comes(world: World, store: Store) -> None:
    new = await wanted_backfill(world, await every(world, "tick", "1m", overlap="allow"), request_key="a" * 64)
    assert await store.backfills.asked("a" * 64) is None
    other = await world.open()
    first = await store.backfills.add(new)
    assert await other.backfills.add(replace(new, reason="again")) == first
    assert await other.backfills.asked("a" * 64) == first
    together = replace(new, request_key="b" * 64)
    one, two = await asyncio.gather(store.backfills.add(together), other.backfills.add(together))
    assert one == two
    assert one.id != first.id
    without = [await store.backfills.add(replace(new, request_key=None)) for _ in range(2)]
    found = {row.id for row in await store.backfills.list(namespace=None, limit=10)}
    assert found == {first.id, one.id, *(row.id for row in without)}
    assert len(found) == 4


async def test_a_job_that_cannot_be_read_here_holds_up_no_other_backfill(world: World, store: Store) -> None:
    """As in a rolling upgrade: a newer server saved what this one does not know."""
    jobs = [await every(world, name, "1m", overlap="allow") for name in ("bad", "good")]
    bad, _ = [await store.backfills.add(await wanted_backfill(world, job)) for job in jobs]
    await world.spoil(jobs[0])
    older = await world.open()
    assert await older.backfills.advance(limit=20) == 3
    assert await older.backfills.advance(limit=20) == 0
    assert (len(await runs_of(world, "good")), await runs_of(world, "bad")) == (3, [])
    assert (await store.backfills.get(bad.id)).inserted == 0
    assert await store.backfills.advance(limit=20) == 3  # who can read it goes on with it
