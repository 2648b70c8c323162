"""Three Galera nodes: exactly once with writers on one node or on all, and through the loss of nodes (F15, F16).

Locks are each node's own there: two servers may take the same row, and the second fails when it commits (1213). So what
is shown here rests on guarded writes alone (R1).
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from structlog.testing import capture_logs

from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.store.sql.kernel.epoch import origin
from foliot.store.sql.store import SqlStore
from tests.conformance.building import ask, every, fire, make_due, save
from tests.conformance.working import trigger, worker
from tests.eventually import soon
from tests.servers.galera import Galera
from tests.sql.world import CHANCE, CLOCK, UNHURRIED, World, migrate, opened

pytestmark = [pytest.mark.slow, pytest.mark.services]

JOBS = 40
ROUNDS = 5
LIMITS = replace(UNHURRIED, transaction_s=10, connect_s=3)  # a node that says nothing is given up


@pytest.fixture(scope="module")
def galera() -> Iterator[Galera]:
    with Galera(suspect_s=5) as cluster:
        yield cluster


@pytest.fixture
async def world(galera: Galera) -> AsyncIterator[World]:
    """A store whose writers all use the first node that takes writes."""
    async with opened(await asyncio.to_thread(galera.database, migrate), limits=LIMITS) as world:
        yield world


@pytest.fixture
async def writers(galera: Galera, world: World) -> list[SqlStore]:
    """A server on each node: set up as it should not be, and still right."""
    name = world.url.rpartition("/")[2]
    return [await world.open(galera.url(name, number), limits=LIMITS) for number in range(3)]


async def patiently(work: Any) -> Any:
    """As a duty does: what was given up in one tick is tried in the next."""
    for _ in range(20):
        try:
            return await work()
        except (StoreBusy, StoreUnavailable):
            await asyncio.sleep(0.05)
    raise AssertionError("given up twenty times")


async def test_it_is_shown_as_lossy(world: World) -> None:
    found = await origin(world.database)
    assert "Galera" in found.lossy
    assert "." in found.fingerprint.rpartition("/")[2], "the cluster and its formation"
    with capture_logs() as logs:
        await (await SqlStore.open(world.url, clock=CLOCK, chance=CHANCE)).close()
    assert [entry["because"] for entry in logs if entry["event"] == "store.lossy"] == [found.lossy]


async def test_writers_on_all_nodes_fire_each_instant_once(world: World, writers: list[SqlStore]) -> None:
    jobs = [await every(world, f"job-{n}", "1s", overlap="allow", misfire="all") for n in range(JOBS)]
    for _ in range(ROUNDS):
        jobs = [await world.store.lookups.job("default", job.name) for job in jobs]
        await make_due(world, *jobs)
        await asyncio.gather(*(patiently(lambda writer=writer: fire(world, writer)) for writer in writers))
    await patiently(lambda: fire(world))
    rows = await world.rows("SELECT job_id, fire_key, count(*) AS n FROM runs GROUP BY job_id, fire_key")
    assert {row["n"] for row in rows} == {1}
    per_job: dict[int, list[int]] = {}
    for run in await world.rows("SELECT job_id, due_at, place FROM runs ORDER BY job_id, place"):
        per_job.setdefault(run["job_id"], []).append(run["due_at"])
    assert len(per_job) == JOBS
    for dues in per_job.values():  # no instant left out between the first and the last, and in the order of places
        assert dues == list(range(dues[0], dues[-1] + 1, 1_000_000))


async def test_writers_on_all_nodes_lease_each_run_once(world: World, writers: list[SqlStore]) -> None:
    await save(world, overlap="allow")
    ids = await trigger(world, n=60)
    workers = [await worker(world, writer) for writer in writers]
    leased: list[int] = []

    async def drain(anne: Any) -> None:
        empty = 0
        while empty < 3:
            try:
                runs = await anne.lease(4)
            except (StoreBusy, StoreUnavailable):
                continue
            leased.extend(run.run_id for run in runs)
            empty = 0 if runs else empty + 1

    await asyncio.gather(*map(drain, workers))
    assert sorted(leased) == sorted(ids)
    attempts = await world.rows("SELECT attempt, count(*) AS n FROM runs GROUP BY attempt")
    assert [(row["attempt"], row["n"]) for row in attempts] == [(1, len(ids))]


async def test_one_key_at_all_nodes_is_one_run(world: World, writers: list[SqlStore]) -> None:
    await save(world, overlap="allow")
    for number in range(10):
        request = ask(key=f"k-{number}")
        answers = await asyncio.gather(*(patiently(partial(writer.runs.trigger, request)) for writer in writers))
        assert len({answer.run_id for answer in answers}) == 1, answers
    assert await world.value("SELECT count(*) FROM runs") == 10


async def test_a_serial_job_runs_one_at_a_time_whoever_leases(world: World, writers: list[SqlStore]) -> None:
    await save(world, overlap="queue_all")
    await trigger(world, n=3)
    workers = [await worker(world, writer) for writer in writers]
    for _ in range(3):
        granted = await asyncio.gather(*(patiently(lambda anne=anne: anne.lease(4)) for anne in workers))
        held = [(anne, run) for anne, runs in zip(workers, granted, strict=True) for run in runs]
        assert len(held) <= 1
        assert await world.value("SELECT count(*) FROM runs WHERE state = 'RUNNING'") == 1
        running = held or pytest.fail("nobody got the head of the line")
        ((anne, run),) = running
        await patiently(lambda anne=anne, run=run: anne.complete(run))
        await patiently(lambda: world.store.firing.unpark(limit=10))


async def test_a_killed_node_costs_seconds_and_the_epoch_rises(galera: Galera, world: World) -> None:
    job = await every(world, interval="1s", overlap="allow", misfire="all")
    await make_due(world, job)
    await fire(world)
    before = await world.rows("SELECT epoch, fingerprint FROM store_meta")
    killed_at = time.monotonic()
    await asyncio.to_thread(galera.nodes[0].kill)
    try:

        async def writes_again() -> bool:
            try:
                await world.elapse(1_000_000)
                return (await fire(world)).taken == 1
            except (StoreBusy, StoreUnavailable):
                return False

        await soon(writes_again, within_s=90, what="firing on another node")
        print(f"firing goes on {time.monotonic() - killed_at:.1f} s after kill -9 of the writer's node")
        after = await world.rows("SELECT epoch, fingerprint FROM store_meta")
        assert after[0]["epoch"] > before[0]["epoch"]
        assert after[0]["fingerprint"] != before[0]["fingerprint"]
        keys = await world.rows("SELECT fire_key, count(*) AS n FROM runs GROUP BY fire_key")
        assert {row["n"] for row in keys} == {1}
    finally:
        galera.nodes[0].expects = 3
        await asyncio.to_thread(galera.nodes[0].restart)


async def test_a_paused_node_costs_seconds_and_nothing_is_done_twice(galera: Galera, world: World) -> None:
    await asyncio.to_thread(galera.await_size, 3)
    job = await every(world, interval="1s", overlap="allow", misfire="all")
    await make_due(world, job)
    await fire(world)
    paused_at = time.monotonic()
    await asyncio.to_thread(galera.nodes[0].pause)
    try:

        async def writes_again() -> bool:
            try:
                await world.elapse(1_000_000)
                return (await fire(world)).created > 0
            except (StoreBusy, StoreUnavailable):
                return False

        await soon(writes_again, within_s=90, what="firing on another node")
        print(f"firing goes on {time.monotonic() - paused_at:.1f} s after SIGSTOP of the writer's node")
    finally:
        await asyncio.to_thread(galera.nodes[0].resume)
    await asyncio.to_thread(galera.await_size, 3)
    await patiently(lambda: fire(world))
    runs = await world.rows("SELECT due_at FROM runs ORDER BY place")
    dues = [run["due_at"] for run in runs]
    assert dues == list(range(dues[0], dues[-1] + 1, 1_000_000)), "each instant once, none left out"


async def test_without_a_quorum_nothing_is_decided_and_then_it_goes_on(galera: Galera, world: World) -> None:
    await asyncio.to_thread(galera.await_size, 3)
    job = await every(world, interval="1s", overlap="allow", misfire="all")
    await make_due(world, job)
    await fire(world)
    before = await world.value("SELECT count(*) FROM runs")
    for node in galera.nodes[1:]:
        await asyncio.to_thread(node.kill)
    last = galera.nodes[0]
    await soon(lambda: last.status().get("wsrep_ready") == "OFF", within_s=60, what="the last node noticing")
    for _ in range(5):
        with pytest.raises((StoreBusy, StoreUnavailable)):
            await fire(world)
        await asyncio.sleep(2)  # the fault itself: ten seconds without a quorum
    await asyncio.to_thread(last.execute, "SET GLOBAL wsrep_provider_options = 'pc.bootstrap=YES'")

    async def goes_on() -> bool:
        try:
            await world.elapse(1_000_000)
            return (await fire(world)).created > 0
        except (StoreBusy, StoreUnavailable):
            return False

    await soon(goes_on, within_s=60, what="firing with a quorum again")
    assert await world.value("SELECT count(*) FROM runs") > before
    keys = await world.rows("SELECT fire_key, count(*) AS n FROM runs GROUP BY fire_key")
    assert {row["n"] for row in keys} == {1}
    for number, node in enumerate(galera.nodes[1:], 2):
        node.expects = number
        await asyncio.to_thread(node.restart)
