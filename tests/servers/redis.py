"""Redis 7: one server, or a master with two replicas that three Sentinels watch."""

import shutil
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from foliot.app.settings import TlsFiles
from tests.eventually import eventually
from tests.servers.daemon import READY_WITHIN_S, Daemon
from tests.servers.ports import HOST

ASKED_WITHIN_S = 2.0
MASTER = "flt"
REPLICAS = 2
SENTINELS = 3


class RedisServer(Daemon):
    """One Redis that writes nothing to disk."""

    program = Path("/usr/bin/redis-server")
    packages = ("redis-server",)
    user = "redis"

    def __init__(
        self, *, password: str = "", replica_of: "RedisServer | None" = None, tls: TlsFiles | None = None
    ) -> None:
        super().__init__()
        self._tls = tls
        self._password = password
        self._master = replica_of

    @property
    def url(self) -> str:
        """As `--coord` takes it, without its password."""
        return f"redis://{HOST}:{self.port}/0"

    def announced(self) -> str:
        """What the shell prints."""
        return self.url

    def is_ready(self) -> bool:
        if self._tls is not None:
            log = self.directory.path / self.log
            return log.exists() and "Ready to accept" in log.read_text(errors="replace")
        try:
            return bool(self.asked("PING"))
        except RedisError:
            return False

    def asked(self, *words: str) -> Any:
        """Its answer to one command."""
        with Redis(
            host=HOST,
            port=self.port,
            password=self._password or None,
            socket_timeout=ASKED_WITHIN_S,
            decode_responses=True,
            retry=Retry(NoBackoff(), 0),
        ) as client:
            return client.execute_command(*words)

    def command(self) -> list[str]:
        ports = ["--port", str(self.port)]
        if self._tls is not None:
            ports = ["--port", "0", "--tls-port", str(self.port), "--tls-auth-clients", "no"]
            ports += [
                "--tls-cert-file",
                "server.pem",
                "--tls-key-file",
                "server.key",
                "--tls-ca-cert-file",
                "server.pem",
            ]
        given = [*ports, *("--bind", HOST), "--save", "", "--appendonly", "no"]
        given += ["--repl-diskless-sync-delay", "0"]  # a replica that waits for others to come takes 5 s
        if self._password:
            given += ["--requirepass", self._password]
        if self._master is not None:
            given += ["--replicaof", HOST, str(self._master.port)]
        return [str(self.program), *given]

    def prepare(self) -> None:
        if self._tls is not None:
            for source, name in ((self._tls.certificate, "server.pem"), (self._tls.key, "server.key")):
                copied = self.directory.path / name
                shutil.copyfile(source, copied)
                self.directory.give(copied)


class Sentinel(RedisServer):
    """One Sentinel. It writes what it learns into its own configuration."""

    def __init__(self, master: RedisServer) -> None:
        super().__init__()
        self._watched = master

    def prepare(self) -> None:
        file = self.directory.path / "sentinel.conf"
        if file.exists():
            return
        lines = [
            f"port {self.port}",
            f"bind {HOST}",
            f"sentinel monitor {MASTER} {HOST} {self._watched.port} 2",
            f"sentinel down-after-milliseconds {MASTER} 1000",
            f"sentinel failover-timeout {MASTER} 5000",
            f"sentinel parallel-syncs {MASTER} {REPLICAS}",
        ]
        file.write_text("\n".join(lines) + "\n")
        self.directory.give(file)

    def command(self) -> list[str]:
        return [str(self.program), "sentinel.conf", "--sentinel"]

    def knows_all(self) -> bool:
        """Whether it knows the other Sentinels and the replicas."""
        known = self.asked("INFO", "sentinel")["master0"]
        return (known["slaves"], known["sentinels"]) == (REPLICAS, SENTINELS)


class RedisSentinels:
    """A master, two replicas and three Sentinels."""

    packages = RedisServer.packages
    switches: ClassVar[dict[str, str]] = {}

    def __init__(self) -> None:
        self.servers: list[RedisServer] = []
        self.sentinels: list[Sentinel] = []

    def start(self) -> Self:
        """Start all, and wait until the Sentinels know each other and the replicas."""
        master = RedisServer().start()
        self.servers = [master]
        self.servers += [RedisServer(replica_of=master).start() for _ in range(REPLICAS)]
        self.sentinels = [Sentinel(master).start() for _ in range(SENTINELS)]
        eventually(
            lambda: all(sentinel.knows_all() for sentinel in self.sentinels),
            within_s=READY_WITHIN_S,
            what="the Sentinels know each other",
        )
        return self

    def master(self) -> RedisServer:
        """The server that the Sentinels call master."""
        _, port = self.sentinels[0].asked("SENTINEL", "get-master-addr-by-name", MASTER)
        return next(server for server in self.servers if server.port == int(port))

    def close(self) -> None:
        """End all and remove their data."""
        for server in (*self.sentinels, *self.servers):
            server.close()

    @property
    def url(self) -> str:
        """As `--coord` takes it."""
        hosts = ",".join(f"{HOST}:{sentinel.port}" for sentinel in self.sentinels)
        return f"redis://{hosts}/0?sentinel={MASTER}"

    def announced(self) -> str:
        """What the shell prints."""
        return self.url

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
