"""The coordination services of the suites, each on real servers that one pytest process shares."""

import base64
from collections.abc import Callable
from pathlib import Path

from kazoo.client import KazooClient
from kazoo.exceptions import NotEmptyError

from foliot.app.system import SystemChance
from foliot.domain.instants import SECOND
from tests.eventually import eventually
from tests.servers.daemon import READY_WITHIN_S
from tests.servers.etcd import EtcdCluster
from tests.servers.redis import RedisServer
from tests.servers.zookeeper import Zookeeper


def own_prefix() -> str:
    """Where one test keeps its things."""
    return SystemChance().token()[:8]


class StoreItself:
    """No service: the store's row alone."""

    term_us = SECOND
    is_beside_the_store = False

    def url(self) -> str:
        return "store"

    def stop(self) -> None: ...

    def start(self) -> None: ...


class OneFile:
    """A file of this machine. It is away while its folder has another name."""

    term_us = SECOND
    is_beside_the_store = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "run"
        self._folder.mkdir()

    def url(self) -> str:
        return f"file://{self._folder}/election"

    def stop(self) -> None:
        self._folder.rename(self._folder.with_name("away"))

    def start(self) -> None:
        if not self._folder.exists():
            self._folder.with_name("away").rename(self._folder)


class OneRedis:
    """A Redis that asks for a password and keeps nothing on disk: when it is back, it has forgotten everything."""

    term_us = SECOND
    is_beside_the_store = True

    def __init__(self, server: RedisServer, password_file: Path) -> None:
        self.server = server
        self._prefix = own_prefix()
        self._password_file = password_file

    def url(self) -> str:
        return f"{self.server.url}?prefix={self._prefix}&password_file={self._password_file}"

    def stop(self) -> None:
        self.server.kill()

    def start(self) -> None:
        if not self.server.is_running:
            self.server.restart()

    def lose_leader(self) -> None:
        self.stop()

    def freeze_leader(self) -> Callable[[], None]:
        self.server.pause()
        return self.server.resume

    def flush(self) -> None:
        self.server.asked("FLUSHALL")


class ThreeEtcd:
    """Three etcd; they are away while two of them are."""

    term_us = 2 * SECOND  # the shortest lease that they give
    is_beside_the_store = True

    def __init__(self, cluster: EtcdCluster) -> None:
        self.cluster = cluster
        self._prefix = own_prefix()

    def url(self) -> str:
        return f"{self.cluster.url}?prefix={self._prefix}"

    def stop(self) -> None:
        for member in self.cluster.members[:2]:
            member.kill()

    def start(self) -> None:
        for member in self.cluster.members:
            if not member.is_running:
                member.launch()
        self.cluster.await_whole()

    def lose_leader(self) -> None:
        self.cluster.leader().kill()

    def freeze_leader(self) -> Callable[[], None]:
        frozen = self.cluster.leader()
        frozen.pause()
        return frozen.resume

    def flush(self) -> None:
        everything = base64.b64encode(b"\0").decode()
        self.cluster.members[0].asked("/v3/kv/deleterange", {"key": everything, "range_end": everything})


class ThreeZookeepers:
    """Three ZooKeeper servers, entered by a user; they are away while two of them are."""

    term_us = 2 * SECOND  # the client gives each of the three hosts a third of it to answer
    is_beside_the_store = True

    def __init__(self, cluster: Zookeeper, password_file: Path) -> None:
        self.cluster = cluster
        self._prefix = own_prefix()
        self._password_file = password_file

    def url(self) -> str:
        hosts = self.cluster.url.removeprefix("zookeeper://")
        return f"zookeeper://foliot@{hosts}?prefix={self._prefix}&password_file={self._password_file}"

    def stop(self) -> None:
        for member in self.cluster.members[:2]:
            member.kill()

    def start(self) -> None:
        for member in self.cluster.members:
            if not member.is_running:
                member.launch()
        self.cluster.await_whole()

    def lose_leader(self) -> None:
        self.cluster.leader().kill()

    def freeze_leader(self) -> Callable[[], None]:
        frozen = self.cluster.leader()
        frozen.pause()
        return frozen.resume

    def flush(self) -> None:
        hosts = self.cluster.url.removeprefix("zookeeper://")
        login = f"foliot:{self._password_file.read_text('utf-8').strip()}"
        client = KazooClient(hosts=hosts, auth_data=[("digest", login)])
        client.start(timeout=READY_WITHIN_S)

        def is_gone() -> bool:
            try:
                client.delete(f"/{self._prefix}", recursive=True)
            except NotEmptyError:  # a server wrote meanwhile
                return False
            return True

        try:
            eventually(is_gone, within_s=READY_WITHIN_S, what="nothing is left")
        finally:
            client.stop()
            client.close()


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
