"""What the SQL servers have in common: a life (start, kill, pause, restart) and databases made from templates."""

import asyncio
import inspect
import signal
import socket
import threading
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self, TypeVar, overload

from tests.eventually import NotInTime, eventually
from tests.servers.ports import HOST, free_ports, hold_port
from tests.servers.process import Directory, ServerFailed, ServerProcess

T = TypeVar("T")
Template = Callable[[str], Awaitable[None] | None]
"""Fills the empty database whose URL it is given: migrations, rows, triggers."""

LOG = "server.log"
READY_WITHIN_S = 90.0
STOPPED_WITHIN_S = 60.0
STARTS_MAX = 5


class SqlServer(ABC):
    """A private SQL server. Durable unless `fast`, which still survives `kill`, though not a power cut."""

    program: ClassVar[Path]
    """The server's executable."""
    packages: ClassVar[tuple[str, ...]]
    """What `make services` installs for it."""
    user: ClassVar[str]
    """Whom it runs as when we are root."""
    stop_signals: ClassVar[dict[str, signal.Signals]]
    """Ways of stopping in good order; the first is the usual one."""
    switches: ClassVar[dict[str, str]] = {"fast": "no fsync: survives kill -9, not a power cut"}
    """What the shell may ask for: name, meaning."""

    def __init__(self, *, fast: bool = False, environment: Mapping[str, str] | None = None) -> None:
        if not self.program.exists():
            raise ServerFailed(f"{type(self).__name__} is not installed: run make services")
        self.fast = fast
        self.environment = environment or {}
        self.port = 0
        self.directory = Directory(self.user)
        self._process: ServerProcess | None = None
        self._place: socket.socket | None = None  # keeps the port while the server is down
        self._templates: dict[Template, str] = {}
        self._numbers = count(1)
        self._lent: dict[str, Template] = {}  # databases that come back, and what they were made from
        self._spare: dict[Template, list[str]] = defaultdict(list)  # clean ones that nobody has
        self._making = threading.Lock()

    # -- life -----------------------------------------------------------------------------------------------------

    def start(self) -> Self:
        """Make the data directory and start; the port stays the same for good."""
        try:
            self._create()
            self._first_start()
            self._prepare()
        except BaseException:
            self.close()
            raise
        return self

    def close(self) -> None:
        """End the server in whatever state it is and remove its directory."""
        if self._process:
            self._process.end()
            self._process = None
        self._let_go()
        self.directory.remove()

    def stop(self, mode: str = "") -> None:
        """Stop in good order and wait until every process of it is gone."""
        if mode and mode not in self.stop_signals:
            raise ValueError(f"{type(self).__name__} stops by {', '.join(self.stop_signals)}, not {mode!r}")
        self._end_by(self.stop_signals[mode] if mode else next(iter(self.stop_signals.values())))

    def kill(self) -> None:
        """Crash it (SIGKILL), children included."""
        self._end_by(signal.SIGKILL)

    def restart(self) -> None:
        """Start again on the same data and port, recovering if need be; stop first if it runs."""
        if self._process:
            self.stop()
        self._launch()

    def pause(self) -> None:
        """Freeze every process of it (SIGSTOP): connections stay open and nothing answers."""
        self._running().pause()

    def resume(self) -> None:
        """Let every process of it go on."""
        self._running().resume()

    @property
    def pid(self) -> int:
        """The server's own process id."""
        return self._running().pid

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- databases ------------------------------------------------------------------------------------------------

    def database(self, template: Template | None = None) -> str:
        """Make a database and return its URL: empty, or a copy of what `template` made the first time it was used."""
        with self._making:
            if template is not None and template not in self._templates:
                self._templates[template] = self._make_template(template)
            name = f"flt_{next(self._numbers)}"
            self._create_database(name, self._templates[template] if template else None)
        return self.url(name)

    def lend(self, template: Template) -> str:
        """The URL of a database like that of `template`; it may have been another's before. See `take_back`."""
        spare = self._spare[template]
        if spare:
            url = spare.pop()
        else:
            url = self.database(template)
            self._learn_database(_name(url), self._templates[template])
        self._lent[url] = template
        return url

    def take_back(self, url: str) -> None:
        """Throw out whoever is connected, and clean the database for the next; drop it if its tables were changed."""
        template = self._lent.pop(url)
        if self._wipe_database(_name(url)):
            self._spare[template].append(url)
        else:
            self.drop(url)

    def announced(self) -> str:
        """What the shell prints: the URL of a new database."""
        return self.database()

    def drop(self, url: str) -> None:
        """Remove the database at `url`, throwing out whoever is connected."""
        self._drop_database(_name(url))

    @abstractmethod
    def url(self, name: str) -> str:
        """How Foliot's own, unprivileged user reaches a database."""

    @property
    @abstractmethod
    def admin_url(self) -> str:
        """How the superuser reaches the server."""

    # -- what each server says of itself --------------------------------------------------------------------------

    @abstractmethod
    def _create(self) -> None:
        """Make the data directory."""

    @abstractmethod
    def _command(self) -> list[str]:
        """The command line that serves the data directory on `self.port`."""

    @abstractmethod
    def _is_ready(self) -> bool:
        """Whether it answers a query, and is the server of our directory: the port may be somebody else's."""

    @abstractmethod
    def _prepare(self) -> None:
        """Make Foliot's user, once."""

    @abstractmethod
    def _create_database(self, name: str, template: str | None) -> None:
        """Make a database of Foliot's user."""

    @abstractmethod
    def _seal_template(self, name: str) -> None:
        """Called when a template is complete."""

    @abstractmethod
    def _drop_database(self, name: str) -> None:
        """Remove a database in use or not."""

    @abstractmethod
    def _learn_database(self, name: str, template: str) -> None:
        """Remember what a database is like while it is new."""

    @abstractmethod
    def _wipe_database(self, name: str) -> bool:
        """Make a database, in use or not, as it was when it was made; whether that was possible."""

    # -- how ------------------------------------------------------------------------------------------------------

    def _first_start(self) -> None:
        for left in reversed(range(STARTS_MAX)):
            (self.port,) = free_ports(1)
            try:
                return self._launch()
            except ServerFailed as failure:
                if left == 0 or "in use" not in str(failure):
                    raise  # only a port taken between our choice and the start is worth another try
                (self.directory.path / LOG).unlink(missing_ok=True)
        return None

    def _launch(self) -> None:
        process = self._process = ServerProcess(self._command(), self.directory, log=LOG, environment=self.environment)

        def settled() -> bool:
            return not process.alive() or self._is_ready()

        try:
            eventually(settled, within_s=READY_WITHIN_S)
        except NotInTime:
            self._give_up("did not become ready")
        if not process.alive():
            self._give_up("ended while starting")
        self._let_go()

    def _give_up(self, what: str) -> None:
        process = self._running()
        process.end()
        self._process = None
        raise ServerFailed(f"{type(self).__name__} {what}\n{process.log_tail()}")

    def _end_by(self, number: signal.Signals) -> None:
        process = self._running()
        process.signal(number)
        process.wait(within_s=STOPPED_WITHIN_S)
        self._process = None
        self._place = hold_port(self.port)

    def _let_go(self) -> None:
        if self._place is not None:
            self._place.close()
            self._place = None

    def _make_template(self, template: Template) -> str:
        name = f"flt_template_{len(self._templates) + 1}"
        self._create_database(name, None)
        apart(lambda: template(self.url(name)))
        self._seal_template(name)
        return name

    def _running(self) -> ServerProcess:
        if self._process is None:
            raise ServerFailed(f"{type(self).__name__} is not running")
        return self._process

    @property
    def _netloc(self) -> str:
        return f"{HOST}:{self.port}"


def _name(url: str) -> str:
    """The name of the database at `url`."""
    return url.rpartition("/")[2]


@overload
def apart(work: Callable[[], Awaitable[T]]) -> T: ...
@overload
def apart(work: Callable[[], T]) -> T: ...
def apart(work: Callable[[], Awaitable[T] | T]) -> T:
    """Do `work` (plain or async) on a thread and loop of its own, so that sync and async tests may ask for it alike."""
    outcome: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            done = work()
            outcome.append(asyncio.run(_result_of(done)) if inspect.isawaitable(done) else done)
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=run, name="tests.servers")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]


async def _result_of(work: Awaitable[T]) -> T:
    return await work
