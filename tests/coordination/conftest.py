"""The store of the servers that elect, and the services that they elect by: one of each per pytest process."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.coordination.services import OneFile, OneRedis, ThreeEtcd, ThreeZookeepers
from tests.servers.etcd import EtcdCluster
from tests.servers.redis import RedisServer
from tests.servers.zookeeper import Zookeeper
from tests.sql.conftest import migrated_sqlite

__all__ = ["migrated_sqlite"]

PASSWORD = "s3cret-canary"


@pytest.fixture
def file_service() -> Iterator[OneFile]:
    with TemporaryDirectory(prefix="flt-", dir="/tmp") as folder:  # the path of a socket is short
        yield OneFile(Path(folder))


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    with RedisServer(password=PASSWORD) as server:
        yield server


@pytest.fixture
def password_file(tmp_path: Path) -> Path:
    file = tmp_path / "coordinator-password"
    file.write_text(f"{PASSWORD}\n")
    return file


@pytest.fixture
def redis_service(redis_server: RedisServer, password_file: Path) -> Iterator[OneRedis]:
    service = OneRedis(redis_server, password_file)
    yield service
    service.start()


@pytest.fixture(scope="session")
def etcd_cluster() -> Iterator[EtcdCluster]:
    with EtcdCluster() as cluster:
        yield cluster


@pytest.fixture
def etcd_service(etcd_cluster: EtcdCluster) -> Iterator[ThreeEtcd]:
    service = ThreeEtcd(etcd_cluster)
    yield service
    service.start()


@pytest.fixture(scope="session")
def zookeeper_cluster() -> Iterator[Zookeeper]:
    with Zookeeper() as cluster:
        yield cluster


@pytest.fixture
def zookeeper_service(zookeeper_cluster: Zookeeper, password_file: Path) -> Iterator[ThreeZookeepers]:
    service = ThreeZookeepers(zookeeper_cluster, password_file)
    yield service
    service.start()
