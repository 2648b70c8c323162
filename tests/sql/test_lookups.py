"""Reads for people, with pages of any size."""

import asyncio
import threading

import pytest

from foliot.domain.errors import JobNotFound
from foliot.domain.names import nearest
from foliot.ports.store import Store
from foliot.ports.store.lookups import RunFilter
from foliot.store.sql.people import lookups, run_reads
from tests.conformance.building import NS, save
from tests.conformance.test_lookups import all_runs
from tests.conformance.working import trigger
from tests.sql.world import World


async def test_pages_of_runs_miss_none_and_repeat_none(
    world: World, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_reads, "LOOK_MAX", 6)
    job = await save(world, "tick")
    other = await save(world, "other", shards=3)
    ids = [*await trigger(world, "tick", 5), *await trigger(world, "other", 2), *await trigger(world, "tick", 4)]
    newest_first = ids[::-1]
    for limit in (1, 2, 5, 50):
        assert await all_runs(store, RunFilter(), limit) == newest_first
        assert await all_runs(store, RunFilter(namespace=NS), limit) == newest_first
        assert await all_runs(store, RunFilter(job_ids=(job.job_id,)), limit) == [*ids[7:][::-1], *ids[:5][::-1]]
        assert await all_runs(store, RunFilter(job_ids=(other.job_id,)), limit) == ids[5:7][::-1]
        assert await all_runs(store, RunFilter(states=("SUCCEEDED",)), limit) == []
        assert set(await all_runs(store, RunFilter(states=("PENDING", "RUNNING")), limit)) == set(ids)
    assert len(await all_runs(store, RunFilter(shards=True), 3)) == len(ids) + 6


async def test_a_job_that_is_not_there_is_told_with_the_nearest_found_beside_the_loop(
    world: World, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("greet", "settle", "tick"):
        await save(world, name)
    reached, leave = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def slow(name: str, known: list[str]) -> str | None:
        loop.call_soon_threadsafe(reached.set)
        assert leave.wait(60)
        return nearest(name, known)

    monkeypatch.setattr(lookups, "nearest", slow)
    asked = asyncio.create_task(store.lookups.job(NS, "setle"))
    await asyncio.wait_for(reached.wait(), 60)
    assert (await store.lookups.job(NS, "settle")).name == "settle"  # the others go on, with the store and the loop
    leave.set()
    with pytest.raises(JobNotFound, match="did you mean settle"):
        await asked
