"""`foliot run logs`: the log of a run, or of the newest run of a job."""

import re
from collections.abc import Mapping
from typing import Any

import click

from foliot.cli.completion import job_name
from foliot.cli.run_watch import show_log
from foliot.cli.server_access import User, remote
from foliot.cli.terminal import echo
from foliot.cli.time_options import time_option
from foliot.domain.visible import visible_line


@click.command()
@click.argument("run_id", metavar="ID", required=False)
@click.option("--job", metavar="NAME", shell_complete=job_name, help="The newest run of a job.")
@click.option("-f", "--follow", is_flag=True, help="As it comes; with --job, run after run.")
@click.option("--shard", type=click.IntRange(0, 10_000), help="Of one shard.")
@click.option("--attempt", type=click.IntRange(1, 100_000), help="Of one try.")
@click.option("--level", type=click.Choice(["debug", "info", "warning", "error"], case_sensitive=False))
@click.option("--grep", metavar="RE", help="Lines that match this expression.")
@time_option("run logs --since", help="Lines written since then.")
@click.option("--tail", type=click.IntRange(0, 100_000), metavar="N", help="The last lines only.")
@click.option("--raw", is_flag=True, help="As it is kept: times in UTC, and control characters in a pipe.")
@remote
def logs(user: User, *, run_id: str | None, job: str | None, follow: bool, grep: str | None, **which: Any) -> None:
    """Show a run's log.

    \b
    Examples:
      foliot run logs r-8k2f
      foliot run logs -f --job tick
      foliot run logs r-8k2f --attempt 1 --level warning
      foliot run logs r-8k2f --grep "acct=88" --tail 100
      foliot run logs -f --job settle --since 5m --level warning
      foliot run logs r-8k2f --raw > run.log
    """
    if bool(run_id) == bool(job):
        raise click.UsageError("Say which run: an id, or --job NAME.")
    pattern = _pattern(grep)
    which["since"] = user.times.read(which["since"])
    if run_id:
        if user.out.is_for_people:
            _head(user, user.client.runs.get(run_id).raw)
        show_log(user, run_id, follow=follow, pattern=pattern, **which)
        return
    assert job is not None
    _log_of_job(user, job, follow, pattern, which)


def _pattern(written: str | None) -> "re.Pattern[str] | None":
    try:
        return re.compile(written) if written else None
    except re.error as error:
        raise click.BadParameter(f'"{written}" is not a regular expression: {error}.') from None


def _log_of_job(
    user: User, job: str, follow: bool, pattern: "re.Pattern[str] | None", which: Mapping[str, Any]
) -> None:
    """The newest run of a job; when following, each that comes after it."""
    seen: str | None = None
    has_said = False
    while True:
        newest = user.client.runs.list(job=job, limit=1)
        if newest and newest[0].id != seen:
            seen = newest[0].id
            _head(user, newest[0].raw)
            show_log(user, seen, follow=follow, pattern=pattern, **which)
        elif not newest and not has_said:
            has_said = True
            user.out.talk("no_runs_yet", job=job)
        if not follow:
            return
        user.client.machine.pause(0.5)


def _head(user: User, run: Mapping[str, Any]) -> None:
    times, out = user.times, user.out
    if not out.is_for_people:
        return
    node = f"  {run['node']}" if run["node"] else ""
    delay = times.lasting(run["delay_s"])
    late = f" (+{delay})" if delay else ""
    due = out.say("due", at=times.told(run["due_at"]), late=late)
    line = f"{run['job']}  {run['id']}  {due}{node}"
    echo(out.mark("run"), visible_line(line), err=True)
