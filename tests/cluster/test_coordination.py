"""Servers that elect by a coordination service: it is killed, then the leader, then it comes back. Real processes."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.cluster.asking import asked
from tests.cluster.cluster import Cluster
from tests.coordination.arena import Service
from tests.coordination.services import OneRedis, ThreeEtcd, ThreeZookeepers
from tests.eventually import soon
from tests.servers.etcd import EtcdCluster
from tests.servers.redis import RedisServer
from tests.servers.zookeeper import Zookeeper

pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.anyio]

SECRET = "s3cret-canary"
TERM = "SELECT term FROM leases WHERE name = 'leader'"
NOTED = "SELECT count(*) FROM events WHERE kind = '{kind}'"
WITHIN_S = 90.0


@contextmanager
def redis(password_file: Path) -> Iterator[Service]:
    with RedisServer(password=SECRET) as server:
        yield OneRedis(server, password_file)


@contextmanager
def etcd(password_file: Path) -> Iterator[Service]:
    with EtcdCluster() as cluster:
        yield ThreeEtcd(cluster)


@contextmanager
def zookeeper(password_file: Path) -> Iterator[Service]:
    with Zookeeper() as cluster:
        yield ThreeZookeepers(cluster, password_file)


@pytest.mark.parametrize(
    ("recorded_url", "service"),
    [
        pytest.param("sqlite", redis),
        *(pytest.param("postgresql", one, marks=pytest.mark.matrix) for one in (redis, etcd, zookeeper)),
        pytest.param("mariadb", etcd, marks=pytest.mark.matrix),
    ],
    indirect=["recorded_url"],
)
async def test_the_store_elects_while_the_service_is_away(
    cluster: Cluster, tmp_path: Path, service: Callable[[Path], Any]
) -> None:
    password_file = tmp_path / "password"
    password_file.write_text(SECRET)
    with service(password_file) as backend:
        for name in ("s1", "s2"):
            cluster.start_server(name, options=("--coord", backend.url()))
            await cluster.answers(name)
        await soon(partial(agree, cluster), within_s=WITHIN_S, what="the leader is the one that the service chose")
        term = await asked(cluster.url, TERM)

        await asyncio.to_thread(backend.stop)
        await soon(partial(noted, cluster, "coordinator.away", 2), within_s=WITHIN_S, what="both note that it is away")
        leader = await cluster.leader()
        cluster.kill(leader)
        (other,) = [name for name in ("s1", "s2") if name != leader]
        await soon(partial(says, cluster, other, "foliot_leading"), within_s=WITHIN_S, what="the other leads")
        assert await asked(cluster.url, TERM) > term
        told = await status(cluster, other)
        assert told["troubles"][0]["code"] == "FOL-5047", told["troubles"]

        await asyncio.to_thread(backend.start)
        await soon(partial(noted, cluster, "coordinator.back", 1), within_s=WITHIN_S, what="it notes that it is back")
        cluster.start_server(leader, options=("--coord", backend.url()))
        await cluster.answers(leader)
        await soon(partial(agree, cluster), within_s=WITHIN_S, what="the leader is the one that the service chose")
        await soon(partial(is_reached_by, cluster, 2), within_s=WITHIN_S, what="the status shows that both reach it")
    written = [file for file in tmp_path.rglob("*") if file.is_file() and file != password_file]
    assert [file for file in written if SECRET.encode() in file.read_bytes()] == []


async def agree(cluster: Cluster) -> bool:
    """Whether one server says of itself that it leads, and that the service chose it; and no other says either."""
    cluster.check_processes()
    said = [await says(cluster, name, "foliot_leading", "foliot_coordinator_chosen") for name in cluster.servers]
    none = [await says(cluster, name, "foliot_leading") for name in cluster.servers]
    return said.count(True) == 1 and none.count(True) == 1


async def says(cluster: Cluster, name: str, *gauges: str) -> bool:
    """Whether each of these gauges of a server is 1."""
    lines = (await got(cluster, name, "/metrics")).text.splitlines()
    return all(any(line.startswith(gauge) and line.endswith(" 1.0") for line in lines) for gauge in gauges)


async def status(cluster: Cluster, name: str) -> Any:
    return (await got(cluster, name, "/api/v1/cluster")).json()


async def is_reached_by(cluster: Cluster, servers: int) -> bool:
    """Whether the service is shown with as many servers, and all of them reach it."""
    (seen,) = (await status(cluster, cluster.servers[0]))["coordinators"]
    return (seen["servers"], seen["reached_by"]) == (servers, servers)


async def got(cluster: Cluster, name: str, path: str) -> httpx2.Response:
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {cluster.token}"}, timeout=60) as http:
        return await http.get(f"http://127.0.0.1:{cluster.port_of(name)}{path}")


async def noted(cluster: Cluster, kind: str, least: int) -> bool:
    return bool(await asked(cluster.url, NOTED.format(kind=kind)) >= least)
