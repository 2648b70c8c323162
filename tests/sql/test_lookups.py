"""Reads for people, with pages of any size."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Final

import pytest

from foliot.domain.errors import JobNotFound
from foliot.domain.job import Lane
from foliot.domain.names import nearest
from foliot.domain.why.facts import Hold, LimitFacts, WorkerFacts
from foliot.domain.why.holds import hold_in_lane
from foliot.domain.why.verdicts import HoldKind
from foliot.ports.store import Store
from foliot.ports.store.lookups import RunFilter
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import HandlerOffer, Hello
from foliot.store.sql.people import holds, lookups, run_reads
from tests.conformance.building import NS, all_runs, save
from tests.conformance.working import Worker, trigger
from tests.sql.world import World

OFFERS: Final = (HandlerOffer(name="python:jobs:tick"),)


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


async def test_workers_that_are_alike_for_the_lanes_of_a_page_are_judged_as_one(
    world: World, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thousands of workers with thousands of handlers each must not be gone through for each lane of a list."""
    for name, zone in (("in_a", "a"), ("in_b", "b"), ("in_c", "c")):
        await save(world, name, run="python:jobs:tick", overlap="allow", place={"require": {"zone": zone}})
    workers = [Worker(world) for _ in range(12)]
    for number, one in enumerate(workers):
        labels = {"zone": "ab"[number % 2], "host": one.name}
        hello = Hello(session=one.session, name=one.name, group="default", slots=1, handlers=OFFERS, labels=labels)
        await store.nodes.register(hello, kind="worker", ttl_us=SESSION_TTL_US)
    judged: list[int] = []

    def spy(lane: Lane, limits: Sequence[LimitFacts], crews: Sequence[WorkerFacts]) -> Hold:
        judged.append(len(crews))
        return hold_in_lane(lane, limits, crews)

    monkeypatch.setattr(holds, "hold_in_lane", spy)
    names = ("in_a", "in_b", "in_c")
    ids = {name: (await trigger(world, name, 7))[-1] for name in names}
    for one in workers[::2]:  # those of zone a, all of them: no slot is left there
        (lane,) = [at for at, lane in (await store.jobs.lanes()).items() if dict(lane.require) == {"zone": "a"}]
        assert len(await one.lease(1, lanes=[lane])) == 1
    found = {run.run_id: run.hold for run in (await store.lookups.runs(RunFilter(), limit=50)).items}
    kinds = [found[ids[name]] for name in names]
    assert kinds == [HoldKind.BUSY, HoldKind.READY, HoldKind.LABEL]
    assert judged == [2, 2, 2], "for each lane: those of zone a, and those of zone b"
