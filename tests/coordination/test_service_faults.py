"""What services suffer themselves: a lost leader, a frozen one, a failover, a flush. Servers go on under one leader."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from foliot.domain.instants import SECOND
from foliot.store.sql.store import SqlStore
from tests.coordination.arena import CHANCE, CLOCK, Arena, Candidate, arena_of
from tests.coordination.conftest import PASSWORD
from tests.coordination.services import OneRedis, ThreeEtcd, ThreeZookeepers, own_prefix
from tests.eventually import soon
from tests.servers.certificates import Authority
from tests.servers.etcd import Etcd
from tests.servers.redis import RedisSentinels, RedisServer
from tests.sql.world import sqlite_copy

pytestmark = [pytest.mark.anyio, pytest.mark.services]


class AnyUrl:
    """A service that is not broken by these tests."""

    term_us = SECOND
    is_beside_the_store = True

    def __init__(self, url: str, *, term_us: int = SECOND) -> None:
        self._url = url
        self.term_us = term_us

    def url(self) -> str:
        return self._url

    def stop(self) -> None: ...

    def start(self) -> None: ...


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


async def test_after_a_flush_of_redis_one_server_leads_and_redis_knows_it_again(
    redis_service: OneRedis, store: SqlStore
) -> None:
    async with arena_of(store, redis_service) as arena:
        first = await arena.join()
        await agree(arena, first, what="the first leads")
        second = await arena.join()
        redis_service.server.asked("FLUSHALL")
        await agree(arena, first, second, what="one leads, and Redis knows it again")


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


async def test_redis_is_reached_by_tls(store: SqlStore, tmp_path: Path) -> None:
    authority = Authority.new("test authority")
    ca = authority.own(tmp_path / "ca.pem")
    with RedisServer(tls=authority.sign(tmp_path, "redis")) as server:
        url = f"rediss://127.0.0.1:{server.port}/0?ca_file={ca}"
        async with arena_of(store, AnyUrl(url)) as arena:
            first = await arena.join()
            await agree(arena, first, what="it leads")


async def test_etcd_is_entered_with_a_user_and_a_password(store: SqlStore, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text(PASSWORD)
    with Etcd() as server:
        server.asked("/v3/auth/user/add", {"name": "root", "password": PASSWORD})
        server.asked("/v3/auth/role/add", {"name": "root"})
        server.asked("/v3/auth/user/grant", {"user": "root", "role": "root"})
        server.asked("/v3/auth/enable", {})
        url = f"etcd://root@127.0.0.1:{server.port}?password_file={file}"
        async with arena_of(store, AnyUrl(url, term_us=2 * SECOND)) as arena:
            first = await arena.join()
            await agree(arena, first, what="it leads")
