"""The command line: thin over `client` (remote) and `app` (local). Commands are loaded when they are called."""

import importlib
import sys
from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

import click

from foliot.cli.global_options import GLOBALS, TITLE
from foliot.cli.groups import Group, help_for_reader, in_readers_language, sentence_for_reader
from foliot.cli.language import in_language, language_of

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    # name: (where it is, what --help says); kept here so that --help imports none of them
    "up": ("foliot.cli.up:up", "Everything in one process: server, worker and store in this folder."),
    "server": ("foliot.cli.server:server", "A server of a cluster."),
    "worker": ("foliot.cli.worker:worker", "A worker that runs the jobs of your modules."),
    "new": ("foliot.cli.new:new", "Sample jobs to start from."),
    "job": ("foliot.cli.job:job", "Jobs: list, look at, create, change, pause, run."),
    "run": ("foliot.cli.run:run", "Runs: list, look at, follow, cancel, run again."),
    "why": ("foliot.cli.guide:why", "Why a job did or did not run, or what a run waits for."),
    "search": ("foliot.cli.guide:search", "Find jobs, runs and nodes."),
    "calendar": ("foliot.cli.calendar:calendar", "Calendars: which days count."),
    "limit": (
        "foliot.cli.limit:limit",
        "Limits: how many runs hold a resource, how many of a group or namespace execute or start.",
    ),
    "handler": ("foliot.cli.handler:handler", "Kinds of handlers: who offers them, and their options."),
    "alert": ("foliot.cli.alert:alert", "Alerts: what needs somebody, rules, channels, silences."),
    "check": ("foliot.cli.check:check", "Checks of jobs outside of Foliot: list, make, ping."),
    "report": ("foliot.cli.report:report", "Reports: how the runs of a day or a week went."),
    "lock": ("foliot.cli.lock:lock", "Locks: who holds one, who waits for it."),
    "node": ("foliot.cli.node:node", "Servers and workers."),
    "cluster": ("foliot.cli.cluster:cluster", "The cluster: status, leader, events, health."),
    "top": ("foliot.cli.top:top", "Watch the cluster live in the terminal."),
    "drill": ("foliot.cli.drill:drill", "Drills: break a node on purpose, and see what the cluster does."),
    "token": ("foliot.cli.token:token", "Tokens: list, create, rotate, revoke."),
    "context": ("foliot.cli.context:context", "Which cluster commands ask, and as whom."),
    "login": ("foliot.cli.login:login", "Log in with a one-time code."),
    "logout": ("foliot.cli.login:logout", "End the token in use."),
    "login-link": ("foliot.cli.login:login_link", "A link for one login in a browser."),
    "whoami": ("foliot.cli.login:whoami", "Whose token is used, and what it may do."),
    "completion": ("foliot.cli.guide:completion", "The completion script of a shell."),
    "docs": ("foliot.cli.guide:docs", "What a message's code means."),
    "version": ("foliot.cli.guide:version", "Print the version."),
    "cron": ("foliot.cli.cron:cron", "Explain, preview and convert schedules."),
    "db": ("foliot.cli.db:db", "The store's schema: status and upgrade."),
}

PLUGINS: Final = "foliot.commands"
"""The entry points by which other installed packages bring commands."""

ELSEWHERE: Final = {"bench": "foliot-bench"}
"""Commands of packages that may not be installed."""

EXIT_CODES: Final = """\b
Exit codes: 0 ok, 1 failed, 2 usage, 3 not found, 4 login or permission, 5 conflict,
6 the watched run did not succeed, 7 changes pending, 8 server unreachable,
9 waiting timed out, 130 interrupted."""


class LazyGroup(Group):
    """A group that imports a command only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*COMMANDS, *brought_commands()})

    def main(self, args: Sequence[str] | None = None, *more: Any, **settings: Any) -> Any:
        words = sys.argv[1:] if args is None else list(args)
        with in_language(language_of(words)):
            try:
                return click.Group.main(in_readers_language(self), words, *more, **settings)
            except Exception as error:  # noqa: BLE001  the last handler: no traceback reaches a user
                from foliot.cli.last_resort import end_with

                end_with(error, words)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            if isinstance(error, click.NoSuchOption) and error.option_name == "--json":
                vars(error)["possibilities"] = ["-o json"]
            vars(error)["message"] = sentence_for_reader(error.message)  # click declares it final
            raise

    def find_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name in COMMANDS:
            return _loaded(COMMANDS[name][0])
        brought = brought_commands().get(name)
        if brought is None:
            return None
        try:
            return _loaded(brought.value)
        except (ImportError, AttributeError) as error:
            raise click.ClickException(f'The package of "{name}" cannot be loaded: {error}.') from error

    def unknown(self, ctx: click.Context, name: str, hint: str) -> str:
        if name in ELSEWHERE:
            hint = f" It comes with another package: pip install {ELSEWHERE[name]}."
        return f'No command "{name}".{hint} See foliot --help.'

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section(help_for_reader("Commands")):
            names = self.list_commands(ctx)
            formatter.write_dl([(name, help_for_reader(_said(name))) for name in names])
        with formatter.section(help_for_reader(TITLE)):
            options = [(", ".join(option.names), option.help) for option in GLOBALS]
            formatter.write_dl([(names, help_for_reader(said)) for names, said in options])


def _loaded(place: str) -> click.Command:
    module, _, attribute = place.partition(":")
    command = getattr(importlib.import_module(module), attribute)
    assert isinstance(command, click.Command), place
    return command


def brought_commands() -> dict[str, EntryPoint]:
    """The commands of other installed packages. Foliot's own commands cannot be replaced."""
    entries = entry_points(group=PLUGINS)
    return {entry.name: entry for entry in entries if entry.name not in COMMANDS}


def _said(name: str) -> str:
    """What --help says of a command: the table's sentence, or the summary of the package that brings it."""
    if name in COMMANDS:
        return COMMANDS[name][1]
    package = brought_commands()[name].dist
    if package is None:
        return ""
    return package.metadata["Summary"] or ""


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog=EXIT_CODES,
)
@click.version_option(package_name="foliot", message="foliot %(version)s")
def main(**_: Any) -> None:
    """Foliot: every due fire exactly once, from a laptop to a cluster.

    \b
    Examples:
      foliot up                              everything in one process, data in ./.foliot
      foliot new                             sample jobs in this folder
      foliot cron explain "0 2 * * 1-5"      what a schedule means
    """
