"""A node inside another program: a worker, or a whole Foliot, for as long as the program runs."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import structlog

from foliot import __version__
from foliot.app.all_in_one import AllInOne, UpSettings
from foliot.app.data_folder import FOLDER
from foliot.app.handler_kinds import NO_SETTINGS, HandlerSettings, KindsHere, check_something_to_execute
from foliot.app.slots import SLOTS, Slots, kinds_and_slots
from foliot.app.system import SystemChance, SystemClock
from foliot.app.this_machine import Access
from foliot.app.worker_thread import WorkerThread
from foliot.client.contexts import find_endpoint
from foliot.client.endpoint import Endpoint
from foliot.client.worker_http import HttpWorkerLink
from foliot.domain.errors import FoliotError
from foliot.ports.store.code import RetiringJob
from foliot.ports.worker_link import Report
from foliot.sdk.connection import connection
from foliot.sdk.registry import Loaded, load
from foliot.worker.crew import Crew
from foliot.worker.environment import EnvironmentRules
from foliot.worker.handlers.python import PythonHandlers
from foliot.worker.secrets.settings import NO_TABLES, SecretSettings, SecretTables, read_secret_settings
from foliot.worker.secrets.vault import Vault
from foliot.worker.settings import WorkerSettings

log = structlog.get_logger("foliot.embedded")


@asynccontextmanager
async def start(
    role: str,
    *,
    jobs: Sequence[str] = (),
    url: str | Sequence[str] | None = None,
    token: str | None = None,
    slots: int | str = SLOTS,
    group: str = "default",
    data: str | Path = FOLDER,
    port: int = 0,
    handlers: HandlerSettings = NO_SETTINGS,
    secrets: SecretTables = NO_TABLES,
) -> AsyncIterator[None]:
    """Run a node of this role around the body; it drains when the body ends.

    `handlers`: settings of the kinds of handlers that are installed here, `{"http": {"connect_within": 5}}`.
    `slots`: runs at one time, `8` or `"8,http=2000"`: a kind of handler may have slots of its own.
    `secrets`: what their jobs may name, `{"BILLING_TOKEN": {"env": "BILLING_TOKEN", "namespaces": ["billing"]}}`.
    """
    named = read_secret_settings(secrets)
    wanted = Slots.read([str(slots)])
    is_worker = role == "worker"
    # A whole Foliot has more kinds than those named here: it looks at their slots itself.
    here, of_kinds = kinds_and_slots(handlers, wanted if is_worker else Slots(), jobs)
    check_something_to_execute(jobs, here)
    if is_worker:
        endpoint = find_endpoint() if url is None else Endpoint.of(url, token)
        async with _worker(endpoint, tuple(jobs), here, named, slots=of_kinds, group=group):
            yield
    else:
        settings = UpSettings(
            sources=tuple(jobs),
            folder=Path(data),
            port=port,
            slots=wanted,
            watch=False,
            handlers=handlers,
            secrets=named,
        )
        async with _all_in_one(settings):
            yield


@asynccontextmanager
async def _worker(
    endpoint: Endpoint,
    jobs: tuple[str, ...],
    here: KindsHere,
    secrets: Mapping[str, SecretSettings],
    *,
    slots: Slots,
    group: str,
) -> AsyncIterator[None]:
    """In a thread and loop of its own: a request that blocks the application's loop stops no run."""
    loaded = load(jobs)
    for problem in loaded.problems:
        raise problem
    vault = Vault(secrets, clock=SystemClock(), environment=os.environ)
    rules = vault.kept_from_jobs(EnvironmentRules(secrets=(endpoint.token or "",)))
    HttpWorkerLink.to(endpoint)  # a link that cannot be made is refused here, not in the thread

    def make() -> Crew:
        settings = WorkerSettings(
            name=f"{socket.gethostname()}-{os.getpid()}",
            group=group,
            slots=slots.shared,
            own_slots=slots.own,
            version=__version__,
            host=socket.gethostname(),
            failed_kinds=here.failed,
            capture=False,  # the program's own output is not a run's
            process_environment=rules.passed_on(os.environ),
        )
        code = PythonHandlers.of(loaded, jobs)
        return Crew(
            lambda: HttpWorkerLink.to(endpoint), SystemClock(), SystemChance(), settings, code, here.kinds, vault
        )

    thread = WorkerThread(make, ended=_ended)
    thread.start()
    try:
        yield
    finally:
        thread.stop()
        await thread.wait_ended()


@asynccontextmanager
async def _all_in_one(settings: UpSettings) -> AsyncIterator[None]:
    stop, audience = asyncio.Event(), _Waiting()
    task = asyncio.create_task(AllInOne(settings, audience).run(stop), name="foliot")
    try:
        ready = asyncio.create_task(audience.ready.wait())
        await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        if task.done():
            task.result()
        connection.configure(audience.url, audience.token)
        yield
    finally:
        stop.set()
        await task


class _Waiting:
    """An audience that only waits for the server to be there."""

    def __init__(self) -> None:
        self.ready = asyncio.Event()
        self.url = ""
        self.token = ""

    def database_ready(self, *, is_new: bool, schema: str, took_s: float) -> None: ...

    def started(self, url: str, access: Access) -> None:
        self.url, self.token = url, access.local_token
        self.ready.set()

    def loaded(self, loaded: Loaded, *, again: bool, has_others: bool = False) -> None:
        for problem in loaded.problems:
            log.error("jobs.not_loaded", why=str(problem))

    def reported(self, reports: Sequence[Report]) -> None: ...

    def retirement(self, kind: str, job: RetiringJob) -> None: ...

    def refused(self, job: str, refusal: FoliotError) -> None: ...

    def stopping(self) -> None: ...


def _ended(failure: BaseException | None) -> None:
    if failure is not None:
        log.error("worker.failed", exc_info=failure)
