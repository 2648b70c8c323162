"""What services suffer themselves: a lost leader, a frozen one, a failover, a flush. Servers go on under one leader."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from foliot.store.sql.store import SqlStore
from tests.coordination.arena import CHANCE, CLOCK, Arena, Candidate, arena_of
from tests.coordination.services import AnyUrl, OneRedis, ThreeEtcd, ThreeZookeepers, own_prefix
from tests.eventually import soon
from tests.servers.redis import RedisSentinels
from tests.sql.world import sqlite_copy

pytestmark = [pytest.mark.anyio, pytest.mark.services]


@pytest.fixture
async def store(migrated_sqlite: Path, tmp_path: Path) -> AsyncIterator[SqlStore]:
    store = await SqlStore.open(sqlite_copy(migrated_sqlite, tmp_path), clock=CLOCK, chance=CHANCE)
    yield store
    await store.close()


@pytest.fixture(scope="module")
def sentinels() -> Iterator[RedisSentinels]:
    with RedisSentinels() as servers:
        yield servers


async def agree(arena: Arena, *candidates: Candidate, what: str) -> Candidate:
    """Wait until one leads for longer than a term, and the service chose it."""
    found = await soon(arena.leads_for_good(*candidates), within_s=90, what=what)
    assert found is not None
    return found


def are_up(*candidates: Candidate) -> bool:
    healths = [candidate.coordinator.health() for candidate in candidates]
    return all(health is not None and health.is_up for health in healths)


@pytest.mark.parametrize("name", ["etcd", "zookeeper"])
async def test_a_service_whose_own_leader_dies_or_hangs_is_used_on(
    name: str, request: pytest.FixtureRequest, store: SqlStore
) -> None:
    service: ThreeEtcd | ThreeZookeepers = request.getfixturevalue(f"{name}_service")
    async with arena_of(store, service) as arena:
        servers = [await arena.join(), await arena.join()]
        await agree(arena, *servers, what="one leads")
        await asyncio.to_thread(lambda: service.cluster.leader().kill())
        await soon(lambda: are_up(*servers), within_s=90, what="both reach a member that lives")
        await agree(arena, *servers, what="one leads when the service has lost its leader")
        await asyncio.to_thread(service.start)
        frozen = await asyncio.to_thread(service.cluster.leader)
        frozen.pause()
        await soon(lambda: are_up(*servers), within_s=90, what="both reach a member that answers")
        await agree(arena, *servers, what="one leads while the service's leader hangs")
        frozen.resume()
        await asyncio.to_thread(service.cluster.await_whole)


@pytest.mark.parametrize("name", ["redis", "etcd", "zookeeper"])
async def test_after_its_data_are_gone_the_service_is_used_on(
    name: str, request: pytest.FixtureRequest, store: SqlStore
) -> None:
    service: OneRedis | ThreeEtcd | ThreeZookeepers = request.getfixturevalue(f"{name}_service")
    async with arena_of(store, service) as arena:
        first = await arena.join()
        await agree(arena, first, what="the first leads")
        second = await arena.join()
        await asyncio.to_thread(service.flush)
        await agree(arena, first, second, what="one leads, and the service knows it again")
        await soon(lambda: are_up(first, second), within_s=90, what="both reach the service")


async def test_a_redis_that_hangs_is_replaced_by_the_store(redis_service: OneRedis, store: SqlStore) -> None:
    async with arena_of(store, redis_service) as arena:
        servers = [await arena.join(), await arena.join()]
        leader = await agree(arena, *servers, what="one leads")
        redis_service.server.pause()
        await leader.leave()
        (other,) = [one for one in servers if one is not leader]
        await soon(lambda: other.leads, within_s=90, what="the other leads by the row")
        redis_service.server.resume()
        await agree(arena, other, what="Redis follows")


async def test_after_a_failover_by_sentinel_servers_elect_on_the_new_master(
    sentinels: RedisSentinels, store: SqlStore
) -> None:
    async with arena_of(store, AnyUrl(f"{sentinels.url}&prefix={own_prefix()}")) as arena:
        servers = [await arena.join(), await arena.join()]
        await agree(arena, *servers, what="one leads")
        master = sentinels.master()
        master.kill()
        await soon(lambda: sentinels.master() is not master, within_s=90, what="Sentinel names another master")
        await soon(lambda: are_up(*servers), within_s=90, what="both reach it")
        await agree(arena, *servers, what="one leads")
