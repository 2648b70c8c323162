"""Everything in one process: a server and a worker on a SQLite file, watching the files that declare jobs."""

import asyncio
import contextlib
import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Protocol

import structlog

from foliot import __version__
from foliot.app import this_machine
from foliot.app.connections import HttpConnection, ProxiedConnection
from foliot.app.data_folder import DataFolder
from foliot.app.handler_kinds import NO_SETTINGS, HandlerSettings, of_one_machine
from foliot.app.http import build_app, check_reach
from foliot.app.inprocess import InProcessLink
from foliot.app.listener import HttpServer
from foliot.app.notify_settings import NotifySettings
from foliot.app.server import Server
from foliot.app.settings import DEFAULT_PORT, ServerSettings, Timing, TlsFiles
from foliot.app.slots import Slots, kinds_and_slots
from foliot.app.system import SystemChance, SystemClock
from foliot.app.this_machine import Access, LocalToken
from foliot.app.tls import Certificate
from foliot.app.worker_thread import WorkerThread
from foliot.domain.effective_settings import EffectiveSetting
from foliot.domain.errors import FoliotError
from foliot.domain.restarts import NO_RESTARTS, Restarts
from foliot.ports.spans import SpanSink
from foliot.ports.store.code import RetiringJob
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.ports.worker_link import Report
from foliot.sdk.registry import Loaded, load
from foliot.store.sql.kernel import schema
from foliot.store.sql.kernel.connect import open_database
from foliot.store.sql.store import SqlStore
from foliot.worker.crew import Crew
from foliot.worker.environment import EnvironmentRules
from foliot.worker.handlers.python import PythonHandlers
from foliot.worker.secrets.settings import SecretSettings
from foliot.worker.secrets.vault import Vault
from foliot.worker.settings import WorkerSettings

log = structlog.get_logger("foliot.up")

LOOPBACK: Final = "127.0.0.1"
WATCH_EVERY_S: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class UpSettings:
    """Settings of `foliot up`."""

    sources: tuple[str, ...]
    folder: Path
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    behind_proxy: bool = False
    insecure_http: bool = False
    tls: TlsFiles | None = None
    public_url: str = ""
    slots: Slots = field(default_factory=Slots)
    watch: bool = True
    keeps_removed: bool = False  # jobs that no code declares any more go on
    spans: SpanSink | None = None  # where spans go; None: nobody wants any
    notify: NotifySettings = field(default_factory=NotifySettings)  # channels: what they may reach, secrets, own ones
    metrics_per_job: int = 0  # of so many jobs the metrics have series of their own
    timing: Timing = field(default_factory=Timing)
    node_name: str = field(default_factory=socket.gethostname)
    drain_within_s: float = 30.0
    restarts: Restarts = NO_RESTARTS  # by a supervisor
    environment: EnvironmentRules = field(default_factory=EnvironmentRules)  # of jobs in child processes
    handlers: HandlerSettings = field(default_factory=lambda: NO_SETTINGS)
    told: tuple[EffectiveSetting, ...] = ()  # these settings for users to see
    secrets: Mapping[str, SecretSettings] = field(default_factory=dict)  # that jobs of these kinds may name


class Audience(Protocol):
    """Whom the process tells what goes on: the terminal, or nobody."""

    def database_ready(self, *, is_new: bool, schema: str, took_s: float) -> None: ...

    def started(self, url: str, access: Access) -> None: ...

    def loaded(self, loaded: Loaded, *, again: bool, has_others: bool = False) -> None:
        """Code was loaded. `has_others`: the store has jobs that this code does not declare."""
        ...

    def reported(self, reports: Sequence[Report]) -> None: ...

    def retirement(self, kind: str, job: RetiringJob) -> None: ...

    def refused(self, job: str, refusal: FoliotError) -> None: ...

    def stopping(self) -> None: ...


class AllInOne:
    """One process that is a whole cluster."""

    def __init__(self, settings: UpSettings, audience: Audience) -> None:
        self._settings = settings
        self._audience = audience
        self._clock = SystemClock()
        self._chance = SystemChance()
        self._folder = DataFolder(settings.folder)
        # Read before the folder is touched: a bad setting must not change anything there.
        handlers = of_one_machine(settings.handlers)
        self._here, self._slots = kinds_and_slots(handlers, settings.slots, settings.sources)
        self.vault: Final = Vault(settings.secrets, clock=self._clock, environment=os.environ)
        self._worker_failure: BaseException | None = None
        self._thread: WorkerThread | None = None

    async def run(self, stop: asyncio.Event) -> None:
        """Work until told to stop or the worker fails; then drain and leave. Raises what the worker failed of."""
        own = self._server_settings()
        check_reach(own.host, is_protected=own.is_protected or own.insecure_http)
        certificate = Certificate(own.tls) if own.tls else None
        # First of all: a taken port must not touch the folder.
        http = HttpServer(own.host, own.port, certificate=certificate)
        self._folder.take()
        try:
            await self._run_in_folder(own, http, stop)
        finally:
            self._folder.leave()

    async def _run_in_folder(self, own: ServerSettings, http: HttpServer, stop: asyncio.Event) -> None:
        store = await self._open_store()
        try:
            # Its worker is in this process and knows no address of it: systems on this machine call the port.
            own = replace(own, port=http.port, public_url=own.public_url or http.url)
            server = Server(own, store, clock=self._clock, chance=self._chance)
            await self._run_with(server, http, stop)
        finally:
            await store.close()

    def worker_turns(self) -> bool:
        """Whether the worker's loop turned since the last call: users' functions may block it."""
        return self._thread is None or self._thread.turns()

    def _server_settings(self) -> ServerSettings:
        settings = self._settings
        return ServerSettings(
            store_url=self._folder.store_url,
            node_name=settings.node_name,
            host=settings.host,
            port=settings.port,
            timing=settings.timing,
            behind_proxy=settings.behind_proxy,
            insecure_http=settings.insecure_http,
            tls=settings.tls,
            public_url=settings.public_url,
            keeps_removed=settings.keeps_removed,
            metrics_per_job=settings.metrics_per_job,
            notify=settings.notify,
            spans=settings.spans,
            restarts=settings.restarts,
            told=settings.told,
        )

    async def _open_store(self) -> SqlStore:
        began_at = self._clock.monotonic()
        is_new = self._folder.is_new
        database = open_database(self._folder.store_url, clock=self._clock, chance=self._chance)
        try:
            await schema.upgrade(database)
            head = (await schema.check(database)).head
        finally:
            await database.close()
        store = await SqlStore.open(self._folder.store_url, clock=self._clock, chance=self._chance)
        self._audience.database_ready(is_new=is_new, schema=head, took_s=self._clock.monotonic() - began_at)
        return store

    async def _run_with(self, server: Server, http: HttpServer, stop: asyncio.Event) -> None:
        token = await LocalToken.issue(server.services)
        try:
            await self._run_let_in(server, token, http, stop)
        finally:
            await token.end()

    async def _run_let_in(self, server: Server, token: LocalToken, http: HttpServer, stop: asyncio.Event) -> None:
        settings = self._settings
        access = await this_machine.access_of(server.services, token)
        loaded = load(settings.sources)
        server.workers.on_reports.append(self._audience.reported)
        server.on_retirement.append(self._audience.retirement)
        server.workers.declaring.on_refused.append(self._audience.refused)
        over, server_stop, ending = asyncio.Event(), asyncio.Event(), asyncio.Event()
        thread = self._thread = self._worker_thread(server, loaded, over)
        # Programs of this user believe in no certificate that names another host: they get a port of their own.
        local = http if settings.tls is None else HttpServer(LOOPBACK, 0)
        connection = ProxiedConnection if settings.behind_proxy else HttpConnection
        app = build_app(server)
        try:
            async with asyncio.TaskGroup() as tasks:
                for listener in {http, local}:
                    serving = listener.serve(app, server_stop, clock=self._clock, connection=connection)
                    tasks.create_task(serving, name="http")
                tasks.create_task(server.run(server_stop), name="server")
                for listener in (http, local):
                    await listener.listens.wait()  # who is told of it may ask at once
                self._folder.tell_clients(local.url, access.local_token)
                self._audience.started(http.url, access)
                has_others = not loaded.declarations and await _has_jobs(server)
                self._audience.loaded(loaded, again=False, has_others=has_others)
                thread.start()
                tasks.create_task(self._keep_access(token, local.url, ending), name="access")
                if settings.watch:
                    tasks.create_task(self._watch(thread, loaded, ending), name="watch")
                await _first_of(stop, over)
                ending.set()
                server.is_stopping = True  # it serves its own worker to the end, and nobody new
                self._audience.stopping()
                thread.stop()
                await thread.wait_ended()
                server_stop.set()
        finally:
            self._folder.forget_clients()
            for _ in range(2):  # what fails or is cancelled leaves no worker behind that knows of no server
                thread.stop()
            await thread.wait_ended()
        if self._worker_failure is not None:  # a cluster without its only worker is of no use: let it be started again
            raise self._worker_failure

    async def _keep_access(self, token: LocalToken, url: str, stop: asyncio.Event) -> None:
        """Tell programs of this user each new secret of the token."""
        told = token.secret
        while not await self._clock.wait(stop, for_s=this_machine.LOOK_EVERY_S):
            try:
                await token.renew()
                if token.secret != told:
                    self._folder.tell_clients(url, token.secret)
                    told = token.secret
            except Exception as error:
                is_usual = isinstance(error, StoreBusy | StoreUnavailable | OSError)
                log.warning("this_machine.not_renewed", error=str(error), exc_info=None if is_usual else error)

    def _worker_thread(self, server: Server, loaded: Loaded, over: asyncio.Event) -> WorkerThread:
        settings = self._settings
        loop = asyncio.get_running_loop()

        def make() -> Crew:
            return Crew(
                lambda: InProcessLink(server.workers, loop),
                self._clock,
                self._chance,
                WorkerSettings(
                    name=settings.node_name,
                    slots=self._slots.shared,
                    own_slots=self._slots.own,
                    version=__version__,
                    host=socket.gethostname(),
                    failed_kinds=self._here.failed,
                    spool=self._folder.spool,
                    drain_timeout_s=settings.drain_within_s,
                    restarts=settings.restarts,
                    process_environment=self.vault.kept_from_jobs(settings.environment).passed_on(os.environ),
                    spans=settings.spans,
                ),
                PythonHandlers.of(loaded, settings.sources),
                self._here.kinds,
                self.vault,
            )

        def ended(failure: BaseException | None) -> None:
            self._worker_failure = failure
            if failure is not None:
                log.error("worker.failed", exc_info=failure)
            with contextlib.suppress(RuntimeError):  # this process is ending, and its loop is closed
                loop.call_soon_threadsafe(over.set)

        return WorkerThread(make, ended=ended)

    async def _watch(self, thread: WorkerThread, loaded: Loaded, stop: asyncio.Event) -> None:
        """Load what changed; what does not load keeps its last good version (and says so)."""
        while not await self._clock.wait(stop, for_s=WATCH_EVERY_S):
            before = loaded
            loaded = await asyncio.to_thread(self._loaded_again, before)
            if loaded is not before and loaded.sources != before.sources:
                await thread.reload(PythonHandlers.of(loaded, self._settings.sources))
                self._audience.loaded(loaded, again=True)

    def _loaded_again(self, before: Loaded) -> Loaded:
        return load(self._settings.sources, previous=before) if before.is_stale else before


async def _has_jobs(server: Server) -> bool:
    return bool(await server.services.store.lookups.job_names(None, limit=1))


async def _first_of(*events: asyncio.Event) -> None:
    """Return when one of them is set."""
    waits = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
