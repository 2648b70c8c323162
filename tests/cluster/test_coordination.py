"""A coordination service breaks under a cluster that elects by it (F17). Only elections take longer meanwhile."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.elected import Act, Electorate, RealService
from tests.coordination.services import OneRedis, ThreeEtcd, ThreeZookeepers
from tests.servers.etcd import EtcdCluster
from tests.servers.fixtures import MakeProxy
from tests.servers.redis import RedisServer
from tests.servers.zookeeper import Zookeeper

pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.matrix, pytest.mark.anyio]

SECRET = "s3cret-canary"
ACTS: list[Act] = [
    Electorate.its_leader_is_lost,
    Electorate.its_leader_hangs,
    Electorate.it_forgets_everything,
    Electorate.the_leader_loses_its_way,
    Electorate.it_is_away_and_the_leader_is_killed,
]


@contextmanager
def redis(password_file: Path) -> Iterator[RealService]:
    with RedisServer(password=SECRET) as server:
        yield OneRedis(server, password_file)


@contextmanager
def etcd(password_file: Path) -> Iterator[RealService]:
    del password_file
    with EtcdCluster() as cluster:
        yield ThreeEtcd(cluster)


@contextmanager
def zookeeper(password_file: Path) -> Iterator[RealService]:
    with Zookeeper() as cluster:
        yield ThreeZookeepers(cluster, password_file)


@pytest.mark.parametrize("recorded_url", ["postgresql", "mariadb"], indirect=True)
@pytest.mark.parametrize("service", [redis, etcd, zookeeper])
async def test_f17_a_coordination_service_breaks(
    cluster: Cluster, tmp_path: Path, service: Callable[[Path], Any], fault_proxy: MakeProxy
) -> None:
    password_file = tmp_path / "password"
    password_file.write_text(SECRET)
    with service(password_file) as backend:
        electorate = Electorate(cluster, backend, fault_proxy)
        for name in ("s1", "s2", "s3"):
            cluster.start_server(name, options=electorate.options_for(name))
        for name in ("w1", "w2", "w3", "w4"):
            cluster.start_worker(name)
        await cluster.wait_for_runs(15)
        await electorate.agree()
        for act in ACTS:
            await act(electorate)
        await cluster.judged(f"F17-{service.__name__}")
    assert cluster.figures["deaths"] == 0, "no worker was lost"
    written = [file for file in tmp_path.rglob("*") if file.is_file() and file != password_file]
    assert [file for file in written if SECRET.encode() in file.read_bytes()] == []
