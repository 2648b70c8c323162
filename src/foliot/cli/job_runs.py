"""`foliot job trigger|test|backfill|backfills`: running jobs."""

import json
import sys
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import click

from foliot.cli.completion import job_name
from foliot.cli.job_bulk import CHOICES, choosing, filter_of, treat_all
from foliot.cli.progress import Bar
from foliot.cli.run_watch import follow_log, tell_end, watched
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column
from foliot.cli.terminal import echo
from foliot.cli.time_options import TypedTime, time_option
from foliot.cli.times import Times
from foliot.cli.values import pairs, text_of
from foliot.client.run import RunView


@click.command()
@click.argument("name", required=False, shell_complete=job_name)
@choosing
@click.option("-p", "--param", "params", multiple=True, metavar="K=V", help="A parameter.")
@click.option("--params", "params_file", metavar="FILE", help="Parameters as JSON; - is stdin.")
@time_option("job trigger --at", help="Not before then.")
@click.option("--delay", metavar="DURATION", help="Not before so long.")
@click.option("--overlap", type=click.Choice(["allow"]), help="Run beside an open run.")
@click.option("--priority", type=click.IntRange(1, 10))
@click.option("--key", metavar="KEY", help="The same key means the same run.")
@click.option("--reason", default="", metavar="TEXT")
@click.option("--wait", is_flag=True, help="Wait for the end, print the result; exit code 6 unless it succeeded.")
@click.option("--wait-for", "within", metavar="DURATION", default="1h", show_default=True, help="How long to wait.")
@click.option("--logs", is_flag=True, help="Show its log while waiting.")
@click.option("--dry-run", is_flag=True, help="Only check.")
@remote
def trigger(
    user: User,
    *,
    name: str | None,
    params: tuple[str, ...],
    params_file: str | None,
    wait: bool,
    within: str,
    logs: bool,
    dry_run: bool,
    **order: Any,
) -> None:
    """Run a job now or later; or all jobs that a filter chooses, once each and now.

    \b
    Examples:
      foliot job trigger greet -p name=Foliot -p shout=true --wait
      foliot job trigger settle --params day.json --reason "month end"
      foliot job trigger settle --delay 10m --key settle-jan
      foliot job trigger settle --logs
      foliot job trigger -l team=data --reason "after the outage"
    """
    chosen = {option: order.pop(option) for option in CHOICES}
    if name is None:
        is_plain = not (params or params_file or wait or logs or dry_run or order["at"] or order["delay"])
        if not is_plain:
            raise click.UsageError("Name one job, or leave everything but the filter and --reason away.")
        treat_all(user, "trigger", filter_of((), chosen), "triggered_one", reason=order["reason"])
        return
    filter_of((name,), chosen)
    order["at"] = user.times.read(order["at"])
    order["params"] = _params(user, name, params, params_file)
    if dry_run:
        _check_trigger(user, name, order)
        return
    run = user.client.jobs.trigger(name, **order)
    said = "queued" if run.stands_for is None else f"stands_for.{run.stands_for}"
    user.out.talk(said, mark="run", job=run.job, run=run.id, **told_start(user.times, run.raw))
    if logs:
        follow_log(user, run.id)
    if wait or logs:
        tell_end(user, watched(user, run.id, within))
    elif user.out.is_for_people:
        echo(run.id)
    else:
        user.out.item(run.raw, (), name="id")


@click.command("test")
@click.argument("name", required=False, shell_complete=job_name)
@click.option("--file", "file", metavar="FILE", help="Test the definition in this file, as JSON; - is stdin.")
@click.option("-p", "--param", "params", multiple=True, metavar="K=V", help="A parameter.")
@click.option("--params", "params_file", metavar="FILE", help="Parameters as JSON; - is stdin.")
@click.option("--wait-for", "within", metavar="DURATION", default="1h", show_default=True, help="How long to wait.")
@click.option("--reason", default="", metavar="TEXT")
@remote
def try_out(
    user: User,
    *,
    name: str | None,
    file: str | None,
    params: tuple[str, ...],
    params_file: str | None,
    within: str,
    reason: str,
) -> None:
    """Execute a job once, now, and show its log and what came of it.

    A test has one attempt, runs beside open runs of the job, and counts in no statistics; no fire is skipped for it.
    With --file it executes a definition that is not saved. Exit code 6 unless it succeeded.

    \b
    Examples:
      foliot job test ping
      foliot job test settle -p day=2026-01-31
      foliot job test --file ping.json
      foliot job create ping --http https://example.org/ping --dry-run -o json | foliot job test ping --file -
    """
    if file is not None:
        run = _test_of_file(user, file, name, _said(params, params_file), reason)
    elif name is not None:
        given = _params(user, name, params, params_file)
        run = user.client.jobs.trigger(name, given, reason=reason, test=True)
    else:
        raise click.UsageError("Say which job: its name, or --file FILE.")
    executes = user.client.runs.get(run.id).raw.get("executes")
    user.out.talk("testing", mark="run", job=run.job, run=run.id, executes=executes)
    follow_log(user, run.id)
    ended = watched(user, run.id, within)
    tell_end(user, ended)


def _test_of_file(user: User, file: str, name: str | None, params: dict[str, Any], reason: str) -> RunView:
    """A test run of the definition in a file; `name`: what to call the job, which is not saved."""
    definition = _json_in(file)
    if not isinstance(definition, dict):
        raise click.BadParameter(f"{file} is not a definition.")
    named = {} if name is None else {"name": name}
    return user.client.jobs.test(definition, params, reason=reason, **named)


def told_start(times: Times, run: Mapping[str, Any]) -> dict[str, str | None]:
    """When a triggered run may start, if that is not at once."""
    not_before = run["not_before"]
    created_at = datetime.fromisoformat(run["created_at"])
    delay = datetime.fromisoformat(not_before) - created_at
    is_at_once = delay < timedelta(seconds=1)
    if is_at_once:
        return {"at": None, "ahead": None}
    since = run["created_at"] if run.get("stands_for") is None else None  # else it was made for an earlier trigger
    return {"at": times.told(not_before), "ahead": times.ahead(not_before, since=since)}


def _check_trigger(user: User, name: str, order: Mapping[str, Any]) -> None:
    """Say what a trigger would do."""
    checked = user.client.jobs.check_trigger(name, **order)
    if user.out.is_for_people:
        user.out.talk("would_trigger", mark="good", **checked)
    else:
        user.out.item(checked, (), name="job")


def _params(user: User, job: str, written: tuple[str, ...], file: str | None) -> dict[str, Any] | None:
    """The parameters of a run; what is typed is read as the parameters of the job say."""
    schema = user.client.jobs.parameters(job)["parameters"] if written else None
    return _said(written, file, schema) or None


def _said(written: tuple[str, ...], file: str | None, schema: Mapping[str, Any] | None = None) -> dict[str, Any]:
    found = {} if file is None else _json_in(file)
    if not isinstance(found, dict):
        raise click.BadParameter(f"{file} is not an object of parameters.")
    return found | pairs(written, schema=schema)


def _json_in(file: str) -> Any:
    text = sys.stdin.read() if file == "-" else text_of(file)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"{file} is not JSON: {error}.") from None


@click.command()
@click.argument("name", shell_complete=job_name)
@time_option("job backfill --from", "from_", required=True, help="Included.")
@time_option("job backfill --to", help="Not included; now when nothing is said.")
@click.option("--only", type=click.Choice(["missing", "failed", "all"]), default="missing", show_default=True)
@click.option("--parallel", type=click.IntRange(1, 100), default=4, show_default=True)
@click.option("--newest-first", is_flag=True)
@click.option("--reason", default="", metavar="TEXT")
@click.option("--wait", is_flag=True, help="Wait until it is done.")
@click.option("--dry-run", is_flag=True, help="Only show what it would do.")
@remote
def backfill(
    user: User, *, name: str, from_: TypedTime, to: TypedTime | None, wait: bool, dry_run: bool, **order: Any
) -> None:
    """Give instants of the past their runs. Shows which, asks, then makes a few at a time.

    \b
    Examples:
      foliot job backfill settle --from 2026-01-01 --to 2026-02-01 --dry-run
      foliot job backfill settle --from 7d --to now --only failed
      foliot job backfill settle --from 30d --to now --parallel 2 --wait --yes
    """
    times, out = user.times, user.out
    is_up_to_now = to is None or to.is_now
    until = None if is_up_to_now else times.read(to)  # the server's now: this machine's clock may be ahead of it
    seen = user.client.backfills.preview(name, times.instant_of(from_), until, **order)
    if dry_run or not seen["count"]:
        _tell_preview(user, seen)
        return
    _tell_preview(user, seen, talk=True)
    user.confirm([times.told(at) for at in seen["instants"]])
    span = seen["from_at"], seen["to_at"]
    started = user.client.backfills.start(name, *span, confirmed=seen["token"], **order)
    if not out.is_for_people:
        out.item(started, (), name="id")
    out.talk("backfill_started", mark="good", **started)
    if wait:
        _wait_for_backfill(user, started)


def _tell_preview(user: User, seen: Mapping[str, Any], *, talk: bool = False) -> None:
    out, times = user.out, user.times
    if not out.is_for_people:
        if not talk:
            out.item(seen, (), name="count")
        return
    if not seen["count"]:
        out.talk("backfill_nothing", job=seen["job"])
        return
    shown = {**seen, "first": times.told(seen["first"]), "last": times.told(seen["last"])}
    out.talk("backfill_preview", **shown)
    if not talk:
        for at in seen["instants"][:20]:
            echo(f"  {times.full(at)}")
        if seen["count"] > 20:
            echo(out.say("and_more", count=seen["count"] - 20))


def _wait_for_backfill(user: User, backfill: Mapping[str, Any]) -> None:
    try:
        _until_filled(user, backfill)
    except KeyboardInterrupt:
        user.out.talk("backfill_goes_on", mark="warn", id=backfill["id"])
        raise


def _until_filled(user: User, backfill: Mapping[str, Any]) -> None:
    """Show how far it is until it is over; exit code 6 when a run of it failed."""
    with Bar(user.out, total=backfill["total"]) as bar:
        while backfill["state"].upper() in ("ACTIVE", "PAUSED"):
            bar.pause(1.0)
            backfill = user.client.backfills.get(backfill["id"])
            done = backfill["succeeded"] + backfill["failed"]
            bar.tell(done, user.out.say("backfill_progress", **{**backfill, "done": done}))
    if backfill["failed"]:
        raise SystemExit(6)


@click.command()
@click.option("--job", metavar="NAME", help="Of one job.")
@click.option("--pause", "pause", type=int, metavar="ID", help="Make no further runs for now.")
@click.option("--resume", "resume", type=int, metavar="ID", help="Go on.")
@click.option("--end", "end", type=int, metavar="ID", help="Make no further runs at all.")
@remote
def backfills(user: User, *, job: str | None, pause: int | None, resume: int | None, end: int | None) -> None:
    """List backfills, or pause, resume, end one.

    \b
    Examples:
      foliot job backfills
      foliot job backfills --job settle
      foliot job backfills --pause 3
    """
    if pause is not None:
        user.client.backfills.pause(pause)
    if resume is not None:
        user.client.backfills.resume(resume)
    if end is not None:
        user.client.backfills.end(end)
    answer = user.listed(user.client.backfills.list, limit=200, job=job)
    times = user.times
    columns = [
        Column("ID", "id"),
        Column("JOB", "job", least=10),
        Column("STATE", "state", state=True),
        Column("DONE", lambda row: f"{row['succeeded'] + row['failed']}/{row['total']}"),
        Column("FAILED", "failed"),
        Column(times.title("FROM"), times.instant("from_at")),
        Column(times.title("TO"), times.instant("to_at")),
        Column("BY", "created_by"),
        Column("WHY", "reason", wide=True),
    ]
    user.out.items(answer["items"], columns, name="id", answer=answer)
