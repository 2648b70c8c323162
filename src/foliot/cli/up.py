"""`foliot up`: everything in one process, and a short feed of what goes on."""

import asyncio
import os
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import click

from foliot import __version__
from foliot.app.all_in_one import AllInOne, UpSettings
from foliot.app.notify_settings import read_notify_settings
from foliot.app.overseers import Overseers
from foliot.app.private_memory import guard_secrets
from foliot.app.run_loop import run_for_long
from foliot.app.settings import TIMINGS, is_loopback
from foliot.app.signals import stop_on_signals
from foliot.app.slots import Slots
from foliot.app.span_sink import sending, span_sink
from foliot.app.system import SystemClock
from foliot.app.this_machine import Access
from foliot.cli.effective_settings import effective_settings
from foliot.cli.handler_settings import handler_settings, read_handler_settings, read_secrets
from foliot.cli.job_environment import job_environment, read_rules
from foliot.cli.language import say, spoken
from foliot.cli.metrics_option import metrics_option
from foliot.cli.notify_option import notify_option
from foliot.cli.output import wants_colour
from foliot.cli.reach import PORT_MAX, Reach, reach_options
from foliot.cli.refusal import refusals
from foliot.cli.slots import slots_option
from foliot.cli.supervision import overseers_of, supervise_options
from foliot.cli.table import pad, terminal_width, width_of
from foliot.cli.terminal import Said, Styled, echo
from foliot.domain.errors import FoliotError
from foliot.domain.instants import SECOND
from foliot.domain.job import DEFAULT_NAMESPACE
from foliot.domain.names import nearest
from foliot.domain.run import format_run_id
from foliot.domain.verdict import Cause
from foliot.domain.visible import visible_line
from foliot.observability.log_lines import configure_logging
from foliot.ports.store.code import RetiringJob
from foliot.ports.worker_link import Report
from foliot.sdk.registry import Declaration, Loaded
from foliot.words.errors import tell
from foliot.words.humane import human_duration
from foliot.words.phrases import value_word

DEFAULT_SOURCE: Final = "jobs.py"
LOG_LEVELS: Final = ("debug", "info", "warning", "error")
FEED_PER_S: Final = 5  # lines; more than that is summed up

_GOOD, _BAD, _WARN = ("✔", "✖", "▲") if (sys.stdout.encoding or "").lower().startswith("utf") else ("ok", "x", "!")

_RETIREMENTS: Final = {"job.retired": "up_retired", "job.declared_again": "up_declared_again"}


@click.command()
@click.argument("files", nargs=-1)
@reach_options
@click.option(
    "--port", type=click.IntRange(0, PORT_MAX), help="Another port than that of --listen; 0 picks a free one."
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    default=Path(".foliot"),
    show_default=True,
    help="Where everything is kept.",
)
@slots_option
@job_environment
@handler_settings
@click.option(
    "--keep-removed-jobs",
    envvar="FOLIOT_KEEP_REMOVED_JOBS",
    is_flag=True,
    help="Jobs that no code declares any more go on.",
)
@metrics_option
@notify_option
@supervise_options
@click.option("--no-watch", is_flag=True, help="Do not load changed files again.")
@click.option(
    "--log-level", default="warning", show_default=True, type=click.Choice(["debug", "info", "warning", "error"])
)
@click.option("--timing", default="prod", type=click.Choice(sorted(TIMINGS)), hidden=True)
def up(
    *,
    reach: Reach,
    files: tuple[str, ...],
    port: int | None,
    data: Path,
    slots: tuple[str, ...],
    hide_env: str,
    keep_env: str,
    clean_env: bool,
    enabled: str,
    handler_file: Path | None,
    handler_options: tuple[str, ...],
    keep_removed_jobs: bool,
    metrics_per_job: int,
    notify_file: Path | None,
    supervised: bool,
    wedged_after: str,
    no_watch: bool,
    log_level: str,
    timing: str,
) -> None:
    """Run everything in one process: server, worker and a SQLite store in ./.foliot.

    FILES are Python files or modules that declare jobs (default: jobs.py); a folder means every .py file in it.

    \b
    Examples:
      foliot up
      foliot up billing/jobs.py reports.jobs --slots 16,http=200
      foliot up --data /var/lib/foliot --port 7272
      foliot up --listen 0.0.0.0:7171 --tls-cert foliot.pem --tls-key foliot.key
    """
    configure_logging(level=log_level, form="feed", language=spoken())
    sources = tuple(source for file in files or (DEFAULT_SOURCE,) for source in _expanded(file))
    with refusals():
        overseers = overseers_of(supervised=supervised, wedged_after=wedged_after)
        spans = span_sink(os.environ, role="all_in_one", node=socket.gethostname())
        settings = UpSettings(
            sources=sources,
            folder=data,
            host=reach.host,
            port=reach.port if port is None else port,
            behind_proxy=reach.behind_proxy,
            insecure_http=reach.insecure_http,
            tls=reach.tls,
            public_url=reach.public_url,
            slots=Slots.read(slots),
            watch=not no_watch,
            keeps_removed=keep_removed_jobs,
            metrics_per_job=metrics_per_job,
            notify=read_notify_settings(notify_file),
            told=effective_settings(),
            timing=TIMINGS[timing],
            environment=read_rules(hide=hide_env, keep=keep_env, clean=clean_env),
            handlers=read_handler_settings(handler_file, handler_options, enabled),
            secrets=read_secrets(handler_file),
            restarts=overseers.restarts,
            spans=spans,
        )
        with sending(spans):
            run_for_long(_run(settings, overseers))


async def _run(settings: UpSettings, overseers: Overseers) -> None:
    stop = asyncio.Event()
    stop_on_signals(stop, is_supervised=overseers.is_supervised)
    node = AllInOne(settings, Terminal(settings, on_started=overseers.ready))
    guard_secrets(node.vault)
    async with overseers.watching(SystemClock(), stop, others=[node.worker_turns]):
        await node.run(stop)


def _expanded(source: str) -> list[str]:
    folder = Path(source)
    if not folder.is_dir():
        return [source]
    return [str(file) for file in sorted(folder.glob("*.py")) if not file.name.startswith(("test_", "_", "conftest"))]


class Terminal:
    """The audience of `foliot up`: calm, aligned, one idea per line."""

    def __init__(self, settings: UpSettings, *, on_started: Callable[[str], None] = lambda _said: None) -> None:
        self._settings = settings
        self._on_started = on_started
        self._clock = SystemClock()
        self._second = 0
        self._shown = 0
        self._unshown = 0
        self._loaded: set[str] = set()  # sources that were good once
        self._failed: set[str] = set()  # jobs of which a run failed: the next step is said once for each
        self._refused: dict[str, str] = {}  # what was said of refused jobs: their workers ask again and again

    def database_ready(self, *, is_new: bool, schema: str, took_s: float) -> None:
        title = say("up_title", version=__version__, folder=_shown(self._settings.folder))
        self._echo(Styled(f"{title}\n", bold=True))
        state = say("up_new_schema" if is_new else "up_schema", schema=schema)
        self._good(say("up_database"), state, human_duration(round(took_s * SECOND), spoken()))

    def started(self, url: str, access: Access) -> None:
        found = self._settings.slots.and_of(self._settings.handlers)
        own = ", ".join(f"{kind} {number}" for kind, number in found.own.items())
        slots = say("up_slots", slots=found.shared, own=own or None)
        self._good(say("up_scheduler"), self._settings.node_name)
        self._good(say("up_worker"), f"{self._settings.node_name} · {slots} · {self._watching()}")
        self._good(say("up_api"), url)
        self._on_started(say("listening", url=url))
        echo(f"\n  {say('up_first_login', link=f'{url}/login#{access.login_code}')}")
        echo(f"  {say('up_reachable' if is_loopback(self._settings.host) else 'up_reachable_by_others')}")
        stops = say("up_ctrl_c")
        room = min(terminal_width(), 100) - width_of(stops)
        echo(f"{'':>{room}}{stops}\n" if sys.stdout.isatty() else "")

    def loaded(self, loaded: Loaded, *, again: bool, has_others: bool = False) -> None:
        self._refused.clear()
        for problem in loaded.problems:
            sentence, hint = tell(problem, spoken())
            self._line(_BAD, _with_hint(sentence, hint), "red")
        if not loaded.declarations and not loaded.problems:
            self._no_jobs(loaded.missing, again=again, has_others=has_others)
        for source in loaded.sources:
            if source.problem is None and source.declarations:
                jobs = len(source.declarations)
                how = "up_loaded_again" if source.name in self._loaded else "up_loaded"
                self._line(_GOOD, say(how, source=source.name, jobs=jobs))
                self._loaded.add(source.name)
        if not again and loaded.declarations:
            self._echo(f"  {say('up_second_terminal', command=_first_command(loaded.declarations))}")

    def _no_jobs(self, missing: Sequence[str], *, again: bool, has_others: bool) -> None:
        if not again:
            is_usual = list(missing) == [DEFAULT_SOURCE] or not missing
            usual = say("up_no_jobs_here", missing=missing or None) if has_others else say("up_no_jobs")
            echo(f"  {usual if is_usual else _missing_files(missing)}")
        elif missing:
            self._line(_WARN, say("up_no_jobs_any_more", missing=missing), "yellow")

    def reported(self, reports: Sequence[Report]) -> None:
        """A line per run that ended, at most FEED_PER_S a second."""
        for report in reports:
            second = int(self._clock.monotonic())
            if second != self._second:
                if self._unshown:
                    self._line("…", say("up_more_runs", count=self._unshown))
                self._second, self._shown, self._unshown = second, 0, 0
            if self._shown >= FEED_PER_S:
                self._unshown += 1
                continue
            self._shown += 1
            self._tell(report)

    def retirement(self, kind: str, job: RetiringJob) -> None:
        """A job that its file no longer declares, or declares again."""
        said = say(_RETIREMENTS[kind], name=job.name, module=job.module, renamed_to=job.renamed_to)
        if kind == "job.retired":
            self._line(_WARN, visible_line(said), "yellow")
        else:
            self._line(_GOOD, visible_line(said))

    def refused(self, job: str, refusal: FoliotError) -> None:
        """A job that code declares, and the server does not take."""
        sentence, hint = tell(refusal, spoken())
        named = sentence if job in sentence else f"{job}: {sentence}"
        if self._refused.get(job) != named:
            self._refused[job] = named
            next_step = visible_line(f"{hint or ''}  [{refusal.code}]".strip())
            self._line(_WARN, _with_hint(visible_line(named), next_step), "yellow")

    def stopping(self) -> None:
        echo(f"\n  {say('up_stopping')}", err=True)

    def _tell(self, report: Report) -> None:
        run = format_run_id(report.run_id)
        took = None if report.took_us is None else human_duration(report.took_us, spoken())
        job, how = report.job or run, value_word(report.cause, spoken())
        if report.cause is Cause.SUCCEEDED:
            self._line(_GOOD, visible_line(say("up_ended", job=job, run=run, how=how, took=took)))
            return
        lines = (report.error or "").strip().splitlines()
        why = lines[0] if lines else None
        ended = visible_line(say("up_failed", job=job, run=run, how=how, took=took, why=why))
        is_first = job not in self._failed
        self._failed.add(job)
        self._line(_BAD, _with_hint(ended, f"foliot run logs {run}" if is_first else None), "red")

    def _watching(self) -> str:
        names = [_named(source) for source in self._settings.sources]
        more = len(names) - 4 if len(names) > 4 else None
        return say("up_watching" if self._settings.watch else "up_running", names=names[:4], more=more)

    def _good(self, what: str, text: str, detail: str = "") -> None:
        line: tuple[Said, ...] = (f"{text:<50} ", Styled(detail, dim=True)) if detail else (text,)
        self._echo("  ", Styled(_GOOD, fg="green"), f" {pad(what, 12)} ", *line)

    def _line(self, mark: str, text: str, colour: str = "green") -> None:
        now = self._clock.now().astimezone().strftime("%H:%M:%S")
        self._echo(Styled(now, dim=True), "  ", Styled(mark, fg=colour), f" {text}")

    @staticmethod
    def _echo(*parts: Said) -> None:
        echo(*parts, colour=wants_colour())


def _with_hint(sentence: str, hint: str | None) -> str:
    return f"{sentence}\n           {hint}" if hint else sentence


def _missing_files(missing: Sequence[str]) -> str:
    """Files that the user named, and that are not there: mistyped, or still to be written."""
    near = nearest(missing[0], [str(file) for file in Path(missing[0]).parent.glob("*.py")])
    return say("up_files_missing", missing=missing, near=near)


def _first_command(declared: Sequence[Declaration]) -> str:
    """What to try first: watch a job that fires by itself, or else trigger one."""
    scheduled = next((one for one in declared if one.definition.schedule is not None), None)
    chosen = scheduled or declared[0]
    command = f"run logs -f --job {chosen.name}" if scheduled else f"job trigger {chosen.name} --wait"
    elsewhere = "" if chosen.namespace == DEFAULT_NAMESPACE else f" -n {chosen.namespace}"
    return f"foliot {command}{elsewhere}"


def _named(source: str) -> str:
    """A file as it is written, and whether it is there; a module by its name."""
    path = Path(source)
    if path.suffix != ".py":
        return source
    return _shown(path) if path.exists() else say("up_not_there", file=_shown(path))


def _shown(path: Path) -> str:
    return str(path) if path.is_absolute() or str(path).startswith("..") else f"./{path}"
