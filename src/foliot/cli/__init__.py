"""The command line: thin over `client` (remote) and `app` (local). Commands are loaded when they are called."""

import difflib
import importlib
from typing import Any, Final

import click

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    # name: (where it is, what --help says); kept here so that --help imports none of them
    "up": ("foliot.cli.up:up", "Everything in one process: server, worker and store in this folder."),
    "server": ("foliot.cli.server:server", "A server of a cluster."),
    "worker": ("foliot.cli.worker:worker", "A worker that runs the jobs of your modules."),
    "new": ("foliot.cli.new:new", "Sample jobs to start from."),
    "job": ("foliot.cli.job:job", "Jobs: list, look at, create, change, pause, run."),
    "run": ("foliot.cli.run:run", "Runs: list, look at, follow, cancel, run again."),
    "why": ("foliot.cli.helping:why", "Why a job did or did not run, or what a run waits for."),
    "search": ("foliot.cli.helping:search", "Find jobs, runs and nodes."),
    "calendar": ("foliot.cli.calendar:calendar", "Calendars: which days count."),
    "node": ("foliot.cli.node:node", "Servers and workers."),
    "cluster": ("foliot.cli.cluster:cluster", "The cluster: status, leader, events."),
    "token": ("foliot.cli.token:token", "Tokens: list, create, rotate, revoke."),
    "context": ("foliot.cli.context:context", "Which cluster commands ask, and as whom."),
    "login": ("foliot.cli.login:login", "Log in with a one-time code."),
    "logout": ("foliot.cli.login:logout", "End the token in use."),
    "login-link": ("foliot.cli.login:login_link", "A link for one login in a browser."),
    "whoami": ("foliot.cli.login:whoami", "Whose token is used, and what it may do."),
    "completion": ("foliot.cli.helping:completion", "The completion script of a shell."),
    "docs": ("foliot.cli.helping:docs", "What a message's code means."),
    "version": ("foliot.cli.helping:version", "Print the version."),
    "cron": ("foliot.cli.cron:cron", "Explain, preview and convert schedules."),
    "db": ("foliot.cli.db:db", "The store's schema: status and upgrade."),
    "bench": ("foliot.cli.bench:bench", "Measure Foliot on this machine, beside the raw limit of the database."),
}

EXIT_CODES: Final = """\b
Exit codes: 0 ok, 1 failed, 2 usage, 3 not found, 4 login or permission, 5 conflict,
6 the watched run did not succeed, 7 changes pending, 8 server unreachable,
9 waiting timed out, 130 interrupted."""


class LazyGroup(click.Group):
    """A group that imports a command only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = COMMANDS.get(cmd_name)
        if found is None:
            return None
        module, _, attribute = found[0].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command), found
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            nearest = difflib.get_close_matches(args[0], COMMANDS, 1)
            hint = f" Did you mean {nearest[0]}?" if nearest else ""
            raise click.UsageError(f'No command "{args[0]}".{hint} See foliot --help.', ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(ctx)])


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
