"""Galera: three MariaDB nodes that replicate to one another."""

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pymysql

from tests.eventually import eventually
from tests.servers.mariadb import PASSWORD, MariaDB
from tests.servers.ports import HOST, free_ports
from tests.servers.process import ServerFailed
from tests.servers.sql import SqlServer, Template, apart

NODES = 3
JOINED_WITHIN_S = 60.0
STARTS_MAX = 3
SUSPECT_S = 1
"""After how long a silence a node is taken for lost: short, so that it is noticed in two seconds and not in six."""
TIMEOUTS = (
    "evs.keepalive_period=PT0.3S;evs.inactive_check_period=PT0.3S;evs.suspect_timeout=PT{suspect_s}S;"
    "evs.inactive_timeout=PT{lost_s}S;evs.install_timeout=PT{lost_s}S"
)


class GaleraNode(MariaDB):
    """One node; four ports: SQL, group, incremental and full state transfer."""

    provider = Path("/usr/lib/galera/libgalera_smm.so")

    def __init__(
        self, number: int, group_ports: list[int], transfer_ports: tuple[int, int], *, suspect_s: int = SUSPECT_S
    ) -> None:
        super().__init__(fast=True)
        self.number = number
        self.timeouts = TIMEOUTS.format(suspect_s=suspect_s, lost_s=suspect_s + 2)
        self.bootstraps = False
        self.template: GaleraNode | None = None  # whose data directory it starts from
        self.expects = 1  # nodes
        self._group_ports = group_ports
        self._transfer_ports = transfer_ports

    def _create(self) -> None:
        if self.template is None:
            super()._create()
            return
        target = self.directory.path / "data"
        shutil.copytree(self.template.directory.path / "blank", target)
        if self.directory.user:
            for path in (target, *target.rglob("*")):
                shutil.chown(path, self.directory.user, self.directory.user)

    def _command(self) -> list[str]:
        group = self._group_ports[self.number]
        incremental, full = self._transfer_ports
        members = ",".join(f"{HOST}:{port}" for port in self._group_ports)
        options = f"gmcast.listen_addr=tcp://{HOST}:{group};ist.recv_addr={HOST}:{incremental};ist.recv_bind={HOST}"
        return [
            *super()._command(),
            "--binlog-format=ROW",
            "--log-bin-trust-function-creators=1",  # else Foliot's user may make no trigger where rows are replicated
            "--innodb-autoinc-lock-mode=2",
            "--wsrep-on=ON",
            f"--wsrep-provider={self.provider}",
            "--wsrep-cluster-name=flt",
            f"--wsrep-node-name=n{self.number}",
            f"--wsrep-cluster-address=gcomm://{'' if self.bootstraps else members}",
            f"--wsrep-node-address={HOST}:{group}",
            "--wsrep-sst-method=rsync",
            f"--wsrep-sst-receive-address={HOST}:{full}",
            f"--wsrep-provider-options={options};gcache.size=32M;{self.timeouts};pc.recovery=no",
            *(["--wsrep-new-cluster"] if self.bootstraps else []),
        ]

    def _is_ready(self) -> bool:
        return super()._is_ready() and self.is_synced(self.expects)

    def is_synced(self, size: int) -> bool:
        """Whether it takes writes in a cluster of this size."""
        status = self.status()
        return (
            status.get("wsrep_local_state_comment") == "Synced"
            and status.get("wsrep_ready") == "ON"
            and int(status.get("wsrep_cluster_size", "0")) >= size
        )

    def status(self) -> dict[str, str]:
        """What the node says of its cluster; nothing while it does not answer."""
        with contextlib.suppress(OSError, pymysql.err.MySQLError), self._admin() as cursor:
            cursor.execute("SHOW STATUS LIKE 'wsrep_%'")
            return dict(cursor.fetchall())
        return {}

    def _prepare(self) -> None:
        if self.bootstraps:
            super()._prepare()

    def execute(self, sql: str) -> Any:
        """As the superuser, on this node."""
        with self._admin() as cursor:
            cursor.execute(sql)
            return cursor.fetchall()


class Galera:
    """Three nodes, started one after another. Replicated tables, locks that are each node's own.

    `suspect_s`: where a node that a crowded machine keeps from answering must not be taken for lost, more than usual.
    """

    packages = ("mariadb-server", "galera-4", "rsync")

    def __init__(self, *, fast: bool = False, suspect_s: int = SUSPECT_S) -> None:
        if not GaleraNode.provider.exists():
            raise ServerFailed("Galera is not installed: run make services")
        self.nodes: list[GaleraNode] = []
        self._suspect_s = suspect_s

    def start(self) -> Self:
        """Bootstrap the first node, then let the others join; again with other ports if somebody took one meanwhile."""
        for left in reversed(range(STARTS_MAX)):
            try:
                return self._started()
            except ServerFailed:
                if not left:
                    raise
        raise AssertionError("unreachable")

    def _started(self) -> Self:
        ports = free_ports(3 * NODES)
        group = ports[:NODES]
        self.nodes = [
            GaleraNode(number, group, (ports[NODES + number], ports[2 * NODES + number]), suspect_s=self._suspect_s)
            for number in range(NODES)
        ]
        first, *others = self.nodes
        try:
            first._create()
            shutil.copytree(first.directory.path / "data", first.directory.path / "blank")
            first.bootstraps = True
            first._first_start()
            first._prepare()
            for number, node in enumerate(others, 2):
                node.template, node.expects = first, number
                node.start()
            first.bootstraps = False  # when it comes back it joins like the others
        except BaseException:
            self.close()
            raise
        return self

    def close(self) -> None:
        for node in self.nodes:
            node.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- faults ---------------------------------------------------------------------------------------------------

    def kill_node(self, number: int) -> None:
        """Crash a node and wait until the others have agreed that it is gone."""
        self.nodes[number].kill()
        self.await_size(sum(node._process is not None for node in self.nodes))

    def rejoin(self, number: int) -> None:
        """Start a node that was killed or stopped and wait until it is in step."""
        node = self.nodes[number]
        node.expects = 1 + sum(other._process is not None for other in self.nodes)
        node.restart()

    def lose_quorum(self) -> None:
        """Crash all but the first node, which then refuses everything."""
        for node in self.nodes[1:]:
            node.kill()
        first = self.nodes[0]
        eventually(lambda: first.status().get("wsrep_ready") == "OFF", within_s=30, what="the last node noticing")

    def regain_quorum(self) -> None:
        """Tell the node that is left that it is the cluster now."""
        self.nodes[0].execute("SET GLOBAL wsrep_provider_options = 'pc.bootstrap=YES'")

    def restart_whole(self) -> None:
        """Stop every node in good order, then start all again: first the one stopped last, which knows most."""
        for node in reversed(self.nodes):
            node.stop()
        first, *others = self.nodes
        first.bootstraps, first.expects = True, 1
        first.restart()
        first.bootstraps = False
        for number, _ in enumerate(others, 1):
            self.rejoin(number)

    def counted(self, name: str) -> int:
        """The sum of a status counter over the nodes that run."""
        return sum(int(node.status().get(name, "0")) for node in self.nodes if node._process is not None)

    # -- databases ------------------------------------------------------------------------------------------------

    def database(self, template: Template | None = None) -> str:
        """Make a database, seen by all nodes; its URL names the nodes in order, so that all use the first."""
        name = SqlServer.database(self.nodes[0], None).rpartition("/")[2]
        url = self.url(name)
        if template is not None:
            apart(lambda: template(self.url(name, 0)))
        self.agree(lambda node: bool(node.execute(f"SHOW DATABASES LIKE '{name}'")))
        return url

    def url(self, name: str, *order: int) -> str:
        """The nodes in this order; all of them, the first first, unless told."""
        hosts = ",".join(f"{HOST}:{self.nodes[number].port}" for number in order or range(NODES))
        return f"mysql://foliot:{PASSWORD}@{hosts}/{name}"

    def agree(self, condition: Callable[[GaleraNode], bool], *, within_s: float = 20.0) -> None:
        """Wait until this is so on every node that runs."""
        for node in self.nodes:
            if node._process is not None:
                eventually(lambda node=node: condition(node), within_s=within_s)  # type: ignore[misc]

    def await_size(self, size: int, *, within_s: float = JOINED_WITHIN_S) -> None:
        """Wait until the nodes that run form a cluster of this size."""
        self.agree(lambda node: node.is_synced(size), within_s=within_s)
