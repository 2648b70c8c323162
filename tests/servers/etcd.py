"""etcd 3.4: one node, for what keeps its agreements there, or three that agree among themselves."""

import json
import shutil
import socket
import ssl
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self
from urllib.request import Request, urlopen

from foliot.app.settings import TlsFiles
from tests.eventually import eventually
from tests.servers.daemon import READY_WITHIN_S, Daemon
from tests.servers.ports import HOST, hold_ports

ASKED_WITHIN_S = 2.0
MEMBERS = 3


class Etcd(Daemon):
    """One etcd; with TLS when it has a certificate."""

    program = Path("/usr/bin/etcd")
    packages = ("etcd-server",)
    user = "etcd"
    ports_needed = 2

    def __init__(
        self, name: str = "e0", peers: dict[str, int] | None = None, *, tls: TlsFiles | None = None, ca_file: str = ""
    ) -> None:
        """`peers`: the name and the port of every member; None: it is alone. `ca_file`: who signed its certificate."""
        super().__init__()
        self._tls = tls
        self._trusts = ssl.create_default_context(cafile=ca_file) if tls is not None else None
        self._name = name
        self._peers = peers

    @property
    def url(self) -> str:
        """Where clients find it."""
        scheme = "http" if self._tls is None else "https"
        return f"{scheme}://{HOST}:{self.port}"

    def announced(self) -> str:
        """What the shell prints."""
        return self.url

    def is_ready(self) -> bool:
        return self.is_healthy()

    def is_healthy(self) -> bool:
        """Whether it knows a leader and answers."""
        try:
            with urlopen(f"{self.url}/health", timeout=ASKED_WITHIN_S, context=self._trusts) as answer:
                return bool(json.load(answer).get("health") == "true")
        except (OSError, ValueError):
            return False

    def is_leader(self) -> bool:
        """Whether it leads its cluster."""
        status = self.asked("/v3/maintenance/status", {})
        return bool(status["leader"] == status["header"]["member_id"])

    def asked(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer of its JSON gateway."""
        request = Request(self.url + path, data=json.dumps(body).encode(), method="POST")
        with urlopen(request, timeout=ASKED_WITHIN_S, context=self._trusts) as answer:
            found: dict[str, Any] = json.load(answer)
            return found

    def allow_only(self, user: str, password: str) -> None:
        """From now on it asks for a login; this user may do everything."""
        self.asked("/v3/auth/user/add", {"name": user, "password": password})
        self.asked("/v3/auth/role/add", {"name": "root"})
        self.asked("/v3/auth/user/grant", {"user": user, "role": "root"})
        self.asked("/v3/auth/enable", {})

    def prepare(self) -> None:
        if self._tls is not None:
            for source, name in ((self._tls.certificate, "server.pem"), (self._tls.key, "server.key")):
                copied = self.directory.path / name
                shutil.copyfile(source, copied)
                self.directory.give(copied)

    def command(self) -> list[str]:
        tls = [] if self._tls is None else ["--cert-file", "server.pem", "--key-file", "server.key"]
        peers = self._peers or {self._name: self.ports[1]}
        urls = {name: f"http://{HOST}:{port}" for name, port in peers.items()}
        peer = urls[self._name]
        return [
            *(str(self.program), "--name", self._name, "--data-dir", "data", "--log-level", "warn"),
            *("--listen-client-urls", self.url, "--advertise-client-urls", self.url),
            *("--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer),
            *("--initial-cluster", ",".join(f"{name}={url}" for name, url in urls.items())),
            *("--initial-cluster-state", "new", "--heartbeat-interval", "100", "--election-timeout", "1000"),
            *("--enable-v2", "--bcrypt-cost", "4", *tls),  # a login of the usual cost takes a busy machine a second
        ]


class EtcdCluster:
    """Three etcd that agree among themselves, without TLS."""

    packages = Etcd.packages
    switches: ClassVar[dict[str, str]] = {}

    def __init__(self) -> None:
        self.members: list[Etcd] = []
        self._places: list[socket.socket] = []  # the ports of a killed member stay its own

    def start(self) -> Self:
        """Start all, and wait until each knows a leader."""
        self._places = hold_ports(2 * MEMBERS)
        ports = [place.getsockname()[1] for place in self._places]
        peers = {f"e{number}": ports[2 * number + 1] for number in range(MEMBERS)}
        self.members = [Etcd(name, peers) for name in peers]
        for number, member in enumerate(self.members):
            member.ports = ports[2 * number : 2 * number + 2]
            member.launch()
        self.await_whole()
        return self

    def await_whole(self) -> None:
        """Wait until every member answers."""
        eventually(
            lambda: all(member.is_healthy() for member in self.members),
            within_s=READY_WITHIN_S,
            what="every member of etcd is healthy",
        )

    def leader(self) -> Etcd:
        """The member that leads."""

        def found() -> list[Etcd]:
            running = [member for member in self.members if member.is_running and member.is_healthy()]
            return [member for member in running if member.is_leader()]

        return eventually(found, within_s=READY_WITHIN_S, what="etcd has a leader")[0]

    def close(self) -> None:
        """End all and remove their data."""
        for member in self.members:
            member.close()
        for place in self._places:
            place.close()

    def announced(self) -> str:
        """What the shell prints: as `--coord` takes it."""
        return self.url

    @property
    def url(self) -> str:
        return "etcd://" + ",".join(f"{HOST}:{member.port}" for member in self.members)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
