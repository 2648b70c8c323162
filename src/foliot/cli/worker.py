"""`foliot worker`: runs the jobs of your modules, leased from a cluster's servers."""

import asyncio
import os
import socket
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import click

from foliot import __version__
from foliot.app.drills import drills_of
from foliot.app.handler_kinds import check_something_to_execute
from foliot.app.overseers import Overseers
from foliot.app.private_memory import guard_secrets
from foliot.app.run_loop import run_for_long
from foliot.app.signals import stop_on_signals
from foliot.app.slots import Slots, kinds_and_slots
from foliot.app.span_sink import sending, span_sink
from foliot.app.stepped_clock import SteppedClock
from foliot.app.system import SystemChance, SystemClock
from foliot.cli.allow_drills import drills_option
from foliot.cli.handler_settings import handler_settings, read_handler_settings, read_secrets
from foliot.cli.job_environment import job_environment, read_rules
from foliot.cli.language import say
from foliot.cli.refusal import refusals, tell
from foliot.cli.run_limits import read_limits
from foliot.cli.slots import slots_option
from foliot.cli.supervision import overseers_of, supervise_options
from foliot.client.contexts import Contexts
from foliot.client.endpoint import Endpoint
from foliot.client.errors import NoTokenKnown
from foliot.client.worker_http import HttpWorkerLink
from foliot.domain.drills import Faults, types_of
from foliot.domain.errors import FoliotError, InvalidInput
from foliot.domain.instants import SECOND, parse_duration
from foliot.domain.job import DEFAULT_GROUP, Isolation
from foliot.observability.log_lines import configure_logging
from foliot.ports.handler import HandlerKind
from foliot.ports.worker_link import WEIGHT_MAX, WorkerLink
from foliot.sdk.load_failures import file_missing
from foliot.sdk.registry import Loaded, load
from foliot.worker.crew import Crew
from foliot.worker.execution import WAITING_MAX
from foliot.worker.faulty_link import FaultyLink
from foliot.worker.handlers.python import PythonHandlers
from foliot.worker.secrets.vault import Vault
from foliot.worker.settings import WorkerSettings
from foliot.worker.state_folder import spool_of

LOG_LEVELS: Final = ("debug", "info", "warning", "error")


@click.command()
@click.argument("modules", nargs=-1)
@click.option("--context", metavar="NAME", help="Another context than the one in use.")
@click.option("--server", metavar="URL", help="URL of a server, several with commas.")
@click.option("--token-file", metavar="FILE", help="A file with the token.")
@click.option("--ca-file", metavar="FILE", help="Certificates of who signs the servers'.")
@click.option("--insecure-http", is_flag=True, help="Send the token unencrypted over a network.")
@click.option("--name", default=None, help="This worker's name (default: host and pid).")
@click.option("--group", default=DEFAULT_GROUP, show_default=True, help="The pool of workers this one belongs to.")
@slots_option
@click.option(
    "--weight",
    envvar="FOLIOT_WEIGHT",
    default=1,
    show_default=True,
    type=click.IntRange(1, WEIGHT_MAX),
    help="Its share of work beside other workers.",
)
@click.option(
    "--waiting",
    default=WAITING_MAX,
    show_default=True,
    type=click.IntRange(0, WAITING_MAX),
    help="Runs that wait for other systems without a slot.",
)
@click.option("--labels", default="", help="What this worker has: gpu=yes,zone=cn-east.")
@click.option("--isolation", type=click.Choice(["process", "thread"]), default="process", show_default=True)
@click.option("--limits", default="", help="What one run in a process may use: memory=1G,cpu=10m,files=1024.")
@job_environment
@handler_settings
@drills_option
@click.option("--take-over", is_flag=True, help="Take jobs over that live workers of another module declare.")
@click.option("--drain-timeout", default="30s", show_default=True, help="How long runs may go on after a stop.")
@click.option(
    "--spool",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where results wait for a server (default: the user's state folder).",
)
@supervise_options
@click.option(
    "--log-level", default="info", type=click.Choice(["debug", "info", "warning", "error"]), show_default=True
)
@click.option("--log-format", default="auto", type=click.Choice(["auto", "console", "json"]), show_default=True)
def worker(
    modules: tuple[str, ...],
    context: str | None,
    server: str | None,
    token_file: str | None,
    ca_file: str | None,
    insecure_http: bool,
    name: str | None,
    group: str,
    slots: tuple[str, ...],
    weight: int,
    waiting: int,
    labels: str,
    isolation: str,
    limits: str,
    hide_env: str,
    keep_env: str,
    clean_env: bool,
    enabled: str,
    handler_file: Path | None,
    handler_options: tuple[str, ...],
    allow_drills: bool,
    take_over: bool,
    drain_timeout: str,
    spool: Path | None,
    supervised: bool,
    wedged_after: str,
    log_level: str,
    log_format: str,
) -> None:
    """Run the jobs that MODULES (Python modules or files) declare, and those of the kinds of handlers installed here.

    Without MODULES the worker executes the installed kinds alone.

    It works for the cluster of the context in use.

    \b
    Examples:
      foliot worker billing.jobs
      foliot worker billing.jobs --server https://10.0.0.5:7171 --token-file worker.token
      foliot worker jobs.py --server https://a:7171,https://b:7171 --token-file t --slots 32 --labels gpu=yes
      foliot worker --server https://a:7171 --token-file t --handler-settings /etc/foliot/handlers.toml
      foliot worker billing.jobs --enable http --slots 8,http=2000
    """
    configure_logging(level=log_level, form=log_format)  # type: ignore[arg-type]
    with refusals():
        overseers = overseers_of(supervised=supervised, wedged_after=wedged_after)
        flags = {"context": context, "server": server, "token_file": token_file, "ca_file": ca_file}
        resolved = Contexts().resolve(flags | {"insecure_http": "yes" if insecure_http else None})
        endpoint, secret_file = resolved.endpoint(), resolved.get("token_file")
        rules = read_rules(
            hide=hide_env,
            keep=keep_env,
            clean=clean_env,
            secrets=(endpoint.token or "",),
            secret_files=() if secret_file is None else (secret_file, str(Path(secret_file).absolute())),
        )
        vault = Vault(read_secrets(handler_file), clock=SystemClock(), environment=os.environ)
        guard_secrets(vault)
        handlers = read_handler_settings(handler_file, handler_options, enabled)
        here, slots_of_kinds = kinds_and_slots(handlers, Slots.read(slots), modules)
        check_something_to_execute(modules, here)
        node = name or f"{socket.gethostname()}-{os.getpid()}"
        spans = span_sink(os.environ, role="worker", node=node)
        settings = WorkerSettings(
            name=node,
            group=group,
            slots=slots_of_kinds.shared,
            own_slots=slots_of_kinds.own,
            weight=weight,
            waiting_max=waiting,
            labels=_labels(labels),
            version=__version__,
            host=socket.gethostname(),
            failed_kinds=here.failed,
            isolation=Isolation(isolation),
            limits=read_limits(limits),
            process_environment=vault.kept_from_jobs(rules).passed_on(os.environ),
            takes_over=take_over,
            drills=types_of("worker") if allow_drills else (),
            drain_timeout_s=parse_duration(drain_timeout) / SECOND,
            restarts=overseers.restarts,
            spool=spool or spool_of(name or socket.gethostname(), os.environ),
            spans=spans,
        )
        with sending(spans):
            run_for_long(_work(endpoint, settings, modules, here.kinds, vault, overseers))


async def _work(
    endpoint: Endpoint,
    settings: WorkerSettings,
    modules: tuple[str, ...],
    kinds: Sequence[HandlerKind],
    vault: Vault,
    overseers: Overseers,
) -> None:
    loaded = load(modules)
    if modules and not loaded.declarations:
        raise why_nothing_is_declared(loaded, modules)
    for problem in problems_of(loaded):
        tell(problem)
    if endpoint.token is None:
        raise NoTokenKnown(endpoint.urls[0], has_another="FOLIOT_TOKEN_FILE" in os.environ)
    code = PythonHandlers.of(loaded, modules)
    crew = _crew(endpoint, settings, code, kinds, vault)
    stop = asyncio.Event()
    stop_on_signals(stop, is_supervised=overseers.is_supervised)
    crew.on_registered = lambda: overseers.ready(say("worker_ready", name=settings.name))
    async with overseers.watching(SystemClock(), stop), asyncio.TaskGroup() as tasks:
        stopping = tasks.create_task(_stop(crew, stop), name="stop")
        await crew.run()
        stopping.cancel()


def _crew(
    endpoint: Endpoint, settings: WorkerSettings, code: PythonHandlers, kinds: Sequence[HandlerKind], vault: Vault
) -> Crew:
    """The workers of this process; where it takes part in drills, inside of what they break."""
    clock, chance = SystemClock(), SystemChance()

    def connect() -> WorkerLink:
        return HttpWorkerLink.to(endpoint)

    if not settings.drills:
        return Crew(connect, clock, chance, settings, code, kinds, vault)
    faults = Faults(clock.monotonic)
    stepped = SteppedClock(clock, faults)

    def connect_faultily() -> WorkerLink:
        return FaultyLink(connect(), faults)

    drills = partial(drills_of, faults, kind="worker")
    return Crew(connect_faultily, stepped, chance, settings, code, kinds, vault, drills=drills)


def problems_of(loaded: Loaded) -> list[FoliotError]:
    """What does not load, files that are not there among it."""
    missing = [file_missing(source) for source in loaded.missing]
    return [*missing, *loaded.problems]


def why_nothing_is_declared(loaded: Loaded, modules: Sequence[str]) -> FoliotError:
    """The one reason why there is nothing to execute; the others are told before it."""
    *others, last = problems_of(loaded) or [
        InvalidInput(f"{', '.join(modules)} declares no jobs.", hint="decorate functions with @job; see foliot new")
    ]
    for problem in others:
        tell(problem)
    return last


async def _stop(crew: Crew, stop: asyncio.Event) -> None:
    await stop.wait()
    crew.stop()


def _labels(written: str) -> dict[str, str]:
    labels = {}
    for pair in filter(None, (part.strip() for part in written.split(","))):
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise InvalidInput(f'"{pair}" is not a label.', hint="write --labels gpu=yes,zone=cn-east")
        labels[key] = value
    return labels
