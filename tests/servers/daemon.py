"""One process of a server that keeps no SQL: started on ports of its own, killed, frozen and started again."""

import signal
from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from tests.eventually import NotInTime, eventually
from tests.servers.ports import free_ports
from tests.servers.process import Directory, ServerFailed, ServerProcess

READY_WITHIN_S = 60.0
STOPPED_WITHIN_S = 30.0
STARTS_MAX = 5


class Daemon(ABC):
    """What every such server can do. A kind of server says how it is started and when it is ready."""

    program: ClassVar[Path]
    packages: ClassVar[tuple[str, ...]]
    user: ClassVar[str]
    ports_needed: ClassVar[int] = 1
    switches: ClassVar[dict[str, str]] = {}

    def __init__(self) -> None:
        if not self.program.exists():
            raise ServerFailed(f"{self.program.name} is not installed: run make services")
        self.directory = Directory(self.user)
        self.ports: list[int] = []
        self._process: ServerProcess | None = None

    @abstractmethod
    def command(self) -> list[str]: ...

    @abstractmethod
    def is_ready(self) -> bool:
        """Whether it answers its clients."""

    def prepare(self) -> None:  # noqa: B027  some servers read nothing
        """Write what it reads when it starts."""

    def start(self) -> Self:
        """Start with no data; the ports stay the same for good."""
        for left in reversed(range(STARTS_MAX)):
            self.ports = free_ports(self.ports_needed)
            try:
                self.restart()
            except ServerFailed as failure:
                if left == 0 or "in use" not in str(failure):
                    self.close()
                    raise
                (self.directory.path / self.log).unlink(missing_ok=True)
            else:
                break
        return self

    def restart(self) -> None:
        """Start on the data that is there; stop first if it runs."""
        process = self.launch()
        try:
            eventually(lambda: not process.alive() or self.is_ready(), within_s=READY_WITHIN_S)
        except NotInTime:
            self._give_up("did not become ready")
        if not process.alive():
            self._give_up("ended while starting")

    def launch(self) -> ServerProcess:
        """Start it and do not wait: a member of a cluster is ready when others are there."""
        if self._process:
            self.stop()
        self.prepare()
        self._process = ServerProcess(self.command(), self.directory, log=self.log)
        return self._process

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
    def log(self) -> str:
        return f"{self.program.name}.log"

    @property
    def port(self) -> int:
        """Where clients find it."""
        return self.ports[0]

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._running().pid

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def _give_up(self, what: str) -> None:
        process = self._running()
        process.end()
        self._process = None
        raise ServerFailed(f"{self.program.name} {what}\n{process.log_tail()}")

    def _end_by(self, number: signal.Signals) -> None:
        process = self._running()
        process.signal(number)
        process.wait(within_s=STOPPED_WITHIN_S)
        self._process = None

    def _running(self) -> ServerProcess:
        if self._process is None:
            raise ServerFailed(f"{self.program.name} is not running")
        return self._process
