"""etcd 3.4: one node, for what keeps its agreements there."""

import json
import signal
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self
from urllib.request import urlopen

from tests.eventually import NotInTime, eventually
from tests.servers.ports import HOST, free_ports
from tests.servers.process import Directory, ServerFailed, ServerProcess

LOG = "etcd.log"
READY_WITHIN_S = 30.0
STOPPED_WITHIN_S = 30.0
ASKED_WITHIN_S = 2.0
STARTS_MAX = 5


class Etcd:
    """One etcd, without TLS."""

    program = Path("/usr/bin/etcd")
    packages = ("etcd-server",)
    user = "etcd"
    switches: ClassVar[dict[str, str]] = {}

    def __init__(self) -> None:
        if not self.program.exists():
            raise ServerFailed("Etcd is not installed: run make services")
        self.directory = Directory(self.user)
        self.port = self._peer_port = 0
        self._process: ServerProcess | None = None

    def start(self) -> Self:
        """Start with no data; the ports stay the same for good."""
        for left in reversed(range(STARTS_MAX)):
            self.port, self._peer_port = free_ports(2)
            try:
                self.restart()
            except ServerFailed as failure:
                if left == 0 or "in use" not in str(failure):
                    self.close()
                    raise
                (self.directory.path / LOG).unlink(missing_ok=True)
            else:
                break
        return self

    def restart(self) -> None:
        """Start on the data that is there; stop first if it runs."""
        if self._process:
            self.stop()
        process = self._process = ServerProcess(self._command(), self.directory, log=LOG)
        try:
            eventually(lambda: not process.alive() or self.is_healthy(), within_s=READY_WITHIN_S)
        except NotInTime:
            self._give_up("did not become ready")
        if not process.alive():
            self._give_up("ended while starting")

    def stop(self) -> None:
        """Stop in good order."""
        self._end_by(signal.SIGTERM)

    def kill(self) -> None:
        """Crash it (SIGKILL)."""
        self._end_by(signal.SIGKILL)

    def pause(self) -> None:
        """Freeze it (SIGSTOP): connections stay open and nothing answers."""
        self._running().pause()

    def resume(self) -> None:
        """Let it go on."""
        self._running().resume()

    def close(self) -> None:
        """End it in whatever state it is and remove its data."""
        if self._process:
            self._process.end()
            self._process = None
        self.directory.remove()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._running().pid

    @property
    def url(self) -> str:
        """Where clients find it."""
        return f"http://{HOST}:{self.port}"

    def announced(self) -> str:
        """What the shell prints."""
        return self.url

    def is_healthy(self) -> bool:
        """Whether it has a leader, itself, and answers."""
        try:
            with urlopen(f"{self.url}/health", timeout=ASKED_WITHIN_S) as answer:
                return bool(json.load(answer).get("health") == "true")
        except (OSError, ValueError):
            return False

    def _command(self) -> list[str]:
        peer = f"http://{HOST}:{self._peer_port}"
        return [
            *(str(self.program), "--name", "e0", "--data-dir", "data", "--log-level", "warn"),
            *("--listen-client-urls", self.url, "--advertise-client-urls", self.url),
            *("--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer),
            *("--initial-cluster", f"e0={peer}", "--initial-cluster-state", "new"),
            "--enable-v2",
        ]

    def _give_up(self, what: str) -> None:
        process = self._running()
        process.end()
        self._process = None
        raise ServerFailed(f"etcd {what}\n{process.log_tail()}")

    def _end_by(self, number: signal.Signals) -> None:
        process = self._running()
        process.signal(number)
        process.wait(within_s=STOPPED_WITHIN_S)
        self._process = None

    def _running(self) -> ServerProcess:
        if self._process is None:
            raise ServerFailed("Etcd is not running")
        return self._process
