"""ZooKeeper 3.8: three servers that agree among themselves, or one that speaks TLS."""

import socket
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from foliot.app.settings import TlsFiles
from tests.eventually import eventually
from tests.servers.daemon import READY_WITHIN_S, Daemon
from tests.servers.ports import HOST, free_ports, hold_ports

ASKED_WITHIN_S = 2.0
MEMBERS = 3
CLASSES = "/usr/share/java/zookeeper.jar"
LOGGING = """\
log4j.rootLogger=WARN,C
log4j.appender.C=org.apache.log4j.ConsoleAppender
log4j.appender.C.layout=org.apache.log4j.PatternLayout
"""
TLS_CLASSES = "/usr/share/java/netty-codec.jar:/usr/share/java/netty-resolver.jar"
TLS_SETTINGS = """\
serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory
ssl.keyStore.location=server.pem
ssl.keyStore.type=PEM
ssl.trustStore.location=server.pem
ssl.trustStore.type=PEM
secureClientPortAddress=127.0.0.1
ssl.clientAuth=none
"""
SETTINGS = """\
tickTime=250
initLimit=80
syncLimit=12
minSessionTimeout=500
maxSessionTimeout=60000
dataDir=data
clientPortAddress=127.0.0.1
admin.enableServer=false
4lw.commands.whitelist=ruok,srvr
"""


class ZookeeperServer(Daemon):
    """One member of an ensemble."""

    program = Path("/usr/bin/java")
    packages = ("zookeeper",)
    user = "zookeeper"

    def __init__(self, number: int, ensemble: list[list[int]]) -> None:
        """`number`: from 1 on. `ensemble`: for each member its ports for clients, for data and for elections."""
        super().__init__()
        self._number = number
        self._ensemble = ensemble
        self.ports = ensemble[number - 1]

    def prepare(self) -> None:
        data = self.directory.path / "data"
        if data.exists():
            return
        data.mkdir()
        (data / "myid").write_text(f"{self._number}\n")
        members = [
            f"server.{number}={HOST}:{ports[1]}:{ports[2]}\n" for number, ports in enumerate(self._ensemble, start=1)
        ]
        (self.directory.path / "zoo.cfg").write_text(f"{SETTINGS}clientPort={self.port}\n{''.join(members)}")
        (self.directory.path / "log4j.properties").write_text(LOGGING)
        for path in (data, data / "myid"):
            self.directory.give(path)

    def command(self) -> list[str]:
        # the program itself: the script of the package would have another process id
        return [
            *(str(self.program), "-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            *("-Dzookeeper.jmx.log4j.disable=true", "-Dzookeeper.forceSync=no"),
            *("-cp", f".:{CLASSES}", "org.apache.zookeeper.server.quorum.QuorumPeerMain", "zoo.cfg"),
        ]

    def is_ready(self) -> bool:
        return bool(self.mode())

    def mode(self) -> str:
        """`leader` or `follower`; empty: it does not answer, or the ensemble has no leader."""
        try:
            with socket.create_connection((HOST, self.port), timeout=ASKED_WITHIN_S) as connection:
                connection.sendall(b"srvr")
                answer = b""
                while part := connection.recv(65_536):
                    answer += part
        except OSError:
            return ""
        found = [line for line in answer.decode().splitlines() if line.startswith("Mode: ")]
        return found[0].removeprefix("Mode: ") if found else ""


class TlsZookeeper(ZookeeperServer):
    """One server that is alone. It speaks TLS on a port of its own; the other one tells how it is."""

    def __init__(self, tls: TlsFiles) -> None:
        super().__init__(1, [free_ports(3)])
        self._tls = tls

    @property
    def tls_port(self) -> int:
        return self.ports[1]

    def is_ready(self) -> bool:
        """It opens the port for TLS last."""
        try:
            with socket.create_connection((HOST, self.tls_port), timeout=ASKED_WITHIN_S):
                return super().is_ready()
        except OSError:
            return False

    def start(self) -> Self:
        """Start on the ports that it was given."""
        self.restart()
        return self

    def prepare(self) -> None:
        super().prepare()
        pem = self.directory.path / "server.pem"
        pem.write_bytes(self._tls.key.read_bytes() + self._tls.certificate.read_bytes())
        self.directory.give(pem)
        lines = f"{SETTINGS}{TLS_SETTINGS}clientPort={self.port}\nsecureClientPort={self.tls_port}\n"
        (self.directory.path / "zoo.cfg").write_text(lines)

    def command(self) -> list[str]:
        return [word.replace(CLASSES, f"{CLASSES}:{TLS_CLASSES}") for word in super().command()]


class Zookeeper:
    """Three ZooKeeper servers, without TLS."""

    packages = ZookeeperServer.packages
    switches: ClassVar[dict[str, str]] = {}

    def __init__(self) -> None:
        self.members: list[ZookeeperServer] = []
        # A follower does not listen on its port for data, and a killed member on none: nobody else may take them.
        self._places: list[socket.socket] = []

    def start(self) -> Self:
        """Start all, and wait until each has a leader."""
        self._places = hold_ports(3 * MEMBERS)
        ports = [place.getsockname()[1] for place in self._places]
        ensemble = [ports[3 * number : 3 * number + 3] for number in range(MEMBERS)]
        self.members = [ZookeeperServer(number + 1, ensemble) for number in range(MEMBERS)]
        for member in self.members:
            member.launch()
        self.await_whole()
        return self

    def await_whole(self) -> None:
        """Wait until every member answers."""
        eventually(
            lambda: all(member.mode() for member in self.members),
            within_s=READY_WITHIN_S,
            what="every member of ZooKeeper has a leader",
        )

    def leader(self) -> ZookeeperServer:
        """The member that leads."""

        def found() -> list[ZookeeperServer]:
            return [member for member in self.members if member.is_running and member.mode() == "leader"]

        return eventually(found, within_s=READY_WITHIN_S, what="ZooKeeper has a leader")[0]

    def close(self) -> None:
        """End all and remove their data."""
        for member in self.members:
            member.close()
        for place in self._places:
            place.close()

    @property
    def url(self) -> str:
        """As `--coord` takes it."""
        return "zookeeper://" + ",".join(f"{HOST}:{member.port}" for member in self.members)

    def announced(self) -> str:
        """What the shell prints."""
        return self.url

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
