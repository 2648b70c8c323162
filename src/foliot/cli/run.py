"""`foliot run`: everything about runs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import click

from foliot.cli import EXIT_CODES
from foliot.cli.completion import job_name
from foliot.cli.groups import Group
from foliot.cli.job_views import explain, has_many_namespaces
from foliot.cli.language import say
from foliot.cli.log_window import lines
from foliot.cli.progress import how_far
from foliot.cli.run_logs import logs
from foliot.cli.run_watch import first_line, note, say_state, show_result, tell_end, watched
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column
from foliot.cli.terminal import Line, Said
from foliot.cli.time_options import TypedTime, time_option
from foliot.cli.times import Times
from foliot.domain.errors import Conflict
from foliot.words.chinese.phrases import STATES

SHARDS_SHOWN: Final = 20


@click.group(cls=Group, epilog=EXIT_CODES)
def run() -> None:
    """Runs: list, look at, follow, cancel, run again.

    \b
    Examples:
      foliot run list --state failed --since 12h
      foliot run logs -f --job tick
      foliot run why r-8k2f
      foliot run retry r-8k2f
    """


run.add_command(lines)
run.add_command(logs)


@run.command("list")
@click.option("--job", metavar="NAME", shell_complete=job_name, help="Of one job.")
@click.option("--state", metavar="STATES", help="As they are shown: failed, held, retrying …; several with commas.")
@click.option("--kind", metavar="KINDS", help="Of failures: error, timeout, lost, rejected, poison.")
@time_option("run list --since", help="Created since then.")
@time_option("run list --until", help="Created before then.")
@time_option("run list --ended-since", help="Over since then.")
@time_option("run list --ended-until", help="Over before then.")
@click.option("--node", metavar="NAME")
@click.option("-l", "--label", "labels", multiple=True, metavar="K=V", help="Of jobs with this tag.")
@click.option("--shards", is_flag=True, help="Also shards.")
@click.option("--tests", type=click.Choice(["only", "none"]), help="Only tests of jobs, or all but those.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@click.option("--cursor", metavar="CURSOR", help="Go on behind a page.")
@remote
def list_runs(
    user: User,
    *,
    limit: int,
    cursor: str | None,
    labels: tuple[str, ...],
    **wanted: Any,
) -> None:
    """List runs, newest first.

    \b
    Examples:
      foliot run list --job settle
      foliot run list --state failed --since 12h -q
      foliot run list --state running -o wide
    """
    times = user.times
    wanted["state"] = _states(wanted["state"])
    wanted["since"] = times.read(wanted["since"])
    wanted["until"] = times.read(wanted["until"])
    wanted["ended_since"] = times.read(wanted["ended_since"])
    wanted["ended_until"] = times.read(wanted["ended_until"])
    answer = user.listed(user.client.runs.list, limit=limit, cursor=cursor, label=labels, **wanted)
    items = answer["items"]
    columns = _columns(times, items, shards=wanted["shards"])
    user.out.items(items, columns, name="id", answer=answer)
    if answer["next_cursor"]:
        user.out.talk("more", cursor=answer["next_cursor"])


def _columns(times: Times, runs: Sequence[Mapping[str, Any]], *, shards: bool) -> list[Column]:
    """How these runs are listed: a table that holds tests says where each run comes from."""
    many_namespaces = has_many_namespaces(runs)
    has_tests = any(run["origin"] == "test" for run in runs)
    columns = [
        Column("RUN", "id", least=6),
        Column("JOB", "job", least=12),
        Column("NAMESPACE", "namespace", wide=not many_namespaces),
        Column("STATE", "shown", state=True, least=8),
        Column("FAILURE", "kind"),
        Column(times.title("DUE"), times.instant("due_at"), least=8),
        Column("DELAY", times.duration("delay_s")),
        Column("TOOK", times.duration("duration_s")),
        Column("TRY", "attempt"),
        Column("NODE", "node", empty="-"),
        Column("FROM", _from, wide=not has_tests),
        Column("ERROR", lambda run: first_line(run["error"]), wide=True),
    ]
    if shards:
        columns.insert(3, Column("SHARD", part_of, empty="-"))
    return columns


def _from(run: Mapping[str, Any]) -> str:
    """The user who asked for a run, or what made it; a test is marked."""
    if run["origin"] == "test":
        return f"test · {run['triggered_by']}"
    return str(run["triggered_by"] or run["origin"])


def _states(written: str | None) -> str:
    """States by the words that are shown, in either language."""
    english = {shown: state for state, shown in STATES.items()}
    parts = (written or "").split(",")
    words = [part.strip() for part in parts]
    known = [english.get(word, word) for word in words if word]
    return ",".join(known)


@run.command()
@click.argument("run_id", metavar="ID")
@remote
def show(user: User, *, run_id: str) -> None:
    """Show a run: state, times, tries, parameters, result.

    \b
    Examples:
      foliot run show r-8k2f
      foliot run show r-8k2f -o json
    """
    runs = user.client.runs
    found = runs.get(run_id).raw
    attempts: list[Mapping[str, Any]] = []
    shards: list[Mapping[str, Any]] = []
    slowest: Mapping[str, Any] | None = None
    if user.out.is_for_people:
        attempts = [*runs.attempts(run_id)]
        if not found["attempt"]:  # a run with shards is not tried itself
            page = runs.shards(run_id)
            shards = [shard.raw for shard in page]
            slowest = page.raw.get("slowest")
    held = ""
    if user.out.is_for_people and found["shown"] == "HELD":
        held = runs.why(run_id, tz=user.times.name)["sentence"]
    user.out.item(found, _lines(user, found, attempts, shards, slowest, held), name="id")


def part_of(run: Mapping[str, Any]) -> str:
    """Which part of a sharded run this one is: `2 of r-8k2f`; nothing for one that is none."""
    if run["parent"] is None:
        return ""
    return say("merge_of" if run["shard"] is None else "shard_of", shard=run["shard"], parent=run["parent"])


def _lines(
    user: User,
    run: Mapping[str, Any],
    attempts: list[Mapping[str, Any]],
    shards: list[Mapping[str, Any]],
    slowest: Mapping[str, Any] | None,
    held: str,
) -> Iterator[tuple[str, Line]]:
    kind = f" ({run['kind']})" if run["kind"] else ""
    yield "run", (f"{run['id']}  {run['job']}  ", user.out.state(run["shown"]), kind)
    yield "why", held
    yield "from", _origin(user, run)
    yield "executes", run.get("executes") or ""
    yield from _moments(user, run)
    yield "node", run["node"] or ""
    yield "shard", part_of(run)
    yield from _shards(user, shards)
    yield "slowest", _slowest(user, slowest)
    yield "progress", how_far(user, run.get("progress"))
    yield "waits", _waits(user, run.get("waits"))
    yield from _tries(user, attempts)
    yield "error", first_line(run["error"])
    yield "params", _json(run["params"])
    yield "result", _json(run["result"])


def _origin(user: User, run: Mapping[str, Any]) -> str:
    """What made the run, who asked for it and why."""
    return user.out.say(
        "origin",
        origin=user.out.word(run["origin"]),
        retry_of=run.get("retry_of"),
        by=run["triggered_by"],
        why=run["reason"],
        version=run["version"],
    )


def _moments(user: User, run: Mapping[str, Any]) -> Iterator[tuple[str, Line]]:
    """When it was due, started and ended, as far as it has come."""
    times, out = user.times, user.out
    yield "due", times.full(run["due_at"])
    if run["started_at"]:
        delay = times.lasting(run["delay_s"])
        again = out.say("attempt_started", attempt=run["attempt"], at=times.told(run.get("attempt_started_at")))
        yield "started", f"{times.full(run['started_at'])} (+{delay}){again}"
    if run["ended_at"]:
        by = out.say("by_callback") if run.get("ended_by_callback") else ""
        yield "ended", f"{times.full(run['ended_at'])}  {_took(user, run)}{by}"
    if run.get("cancelled_by"):
        yield "cancel", out.say("cancelled_by", by=run["cancelled_by"], why=run["cancel_reason"])


def _tries(user: User, attempts: list[Mapping[str, Any]]) -> Iterator[tuple[str, Line]]:
    """Each try of a run, where there is more to say than that the only one went well."""
    is_plain = len(attempts) == 1 and not attempts[0]["error"]
    if is_plain:
        return
    for one in attempts:
        cause = user.out.word(one["cause"] or "running")
        how = user.out.say("on_node", how=cause, node=one["node"] or "-")
        took = user.times.lasting(one["duration_s"])
        yield f"try {one['attempt']}", f"{how}  {took}  {first_line(one['error'])}"


def _waits(user: User, waits: Mapping[str, Any] | None) -> str:
    """What it waits for outside of its worker, and since when."""
    if waits is None:
        return ""
    what = waits["what"] if waits["what"] in ("callback", "poll") else "callback"
    return user.out.say(f"waits_{what}", since=user.times.full(waits["since"]))


def _took(user: User, run: Mapping[str, Any]) -> str:
    """How long it took; of one with several attempts: the last of them."""
    took = user.times.lasting(run["duration_s"])
    attempt = run["attempt"]
    is_of_one_attempt = attempt > 1 and took
    if not is_of_one_attempt:
        return took
    return user.out.say("attempt_took", attempt=attempt, took=took)


def _shards(user: User, shards: list[Mapping[str, Any]]) -> Iterator[tuple[str, Line]]:
    """How many are in which state, then the first of those that have not succeeded."""
    counts = Counter(one["shown"] for one in shards if one["shard"] is not None)
    told: list[Said] = []
    for state, count in counts.most_common():
        told += [", ", f"{count} ", user.out.state(state)]
    yield "shards", told[1:]
    unfinished = [one for one in shards if one["state"] != "SUCCEEDED"]
    for one in unfinished[:SHARDS_SHOWN]:
        name = "merge" if one["shard"] is None else f"shard {one['shard']}"
        error = f"  {first_line(one['error'])}".rstrip()
        yield name, (f"{one['id']}  ", user.out.state(one["shown"]), error)


def _slowest(user: User, shard: Mapping[str, Any] | None) -> str:
    """The shard that took longest so far."""
    if shard is None:
        return ""
    name = user.out.say("on_node", how=f"{shard['shard']}  {shard['id']}", node=shard["node"] or "-")
    return f"{name}  {user.times.lasting(shard['duration_s'])}".rstrip()


def _json(value: Any) -> str:
    import json

    return "" if value is None else json.dumps(value, ensure_ascii=False)


@run.command()
@click.argument("run_id", metavar="ID")
@click.option("--wait-for", "within", metavar="DURATION", default="24h", show_default=True, help="How long to wait.")
@remote
def watch(user: User, *, run_id: str, within: str) -> None:
    """Wait for a run's end. Exit code 6: it did not succeed; 9: it took too long.

    \b
    Examples:
      foliot run watch r-8k2f
      foliot run watch r-8k2f --wait-for 10m && echo done
    """
    user.client.runs.get(run_id)  # it is there, and the client is loaded: an import can swallow the Ctrl-C offered next
    user.out.talk("watching", mark="run", run=run_id)
    tell_end(user, watched(user, run_id, within))


@run.command()
@click.argument("run_ids", metavar="ID...", nargs=-1, required=True)
@remote
def why(user: User, *, run_ids: tuple[str, ...]) -> None:
    """Say where runs stand and what they wait for; of several, at most 50, those that are there.

    \b
    Examples:
      foliot run why r-8k2f
      foliot run why r-8k2f r-8k31
      foliot run why r-8k2f --lang zh-CN
    """
    runs, zone = user.client.runs, user.times.name
    if len(run_ids) == 1:
        explain(user, [runs.why(run_ids[0], tz=zone)])
        return
    answer = runs.why_many(run_ids, tz=zone)
    explain(user, answer["items"], answer)


@run.command()
@click.argument("run_id", metavar="ID")
@remote
def result(user: User, *, run_id: str) -> None:
    """Print what a run returned. Exit code 6: it has not succeeded; 1: what it returned was not kept.

    \b
    Examples:
      foliot run result r-8k2f
      foliot run result r-8k2f -o json
    """
    answer = user.client.runs.result(run_id)
    has_succeeded = answer["state"] == "SUCCEEDED"
    found = user.client.runs.get(run_id).raw if answer["result"] is None else {}
    if not user.out.is_for_people:
        user.out.item(answer, (), name="id")
    elif has_succeeded:
        if found:
            note(user, found)
        show_result(answer["result"])
    else:
        say_state(user, found)
    if not has_succeeded:
        raise SystemExit(6)
    if found.get("error"):
        raise SystemExit(1)


@run.command()
@click.argument("run_ids", metavar="ID...", nargs=-1)
@click.option("--job", metavar="NAME", shell_complete=job_name, help="Every live run of a job.")
@click.option("-l", "--label", "labels", multiple=True, metavar="K=V", help="Every live run of jobs with this tag.")
@click.option("--force", is_flag=True, help="Do not ask running ones to stop: end them at once.")
@click.option("--reason", default="", metavar="TEXT")
@remote
def cancel(
    user: User, *, run_ids: tuple[str, ...], job: str | None, labels: tuple[str, ...], force: bool, reason: str
) -> None:
    """Cancel runs: waiting ones end at once, running ones are asked to stop.

    \b
    Examples:
      foliot run cancel r-8k2f --reason "wrong day"
      foliot run cancel r-8k2f --force
      foliot run cancel --job settle
      foliot run cancel -l team=data
    """
    if (bool(run_ids) + bool(job or labels)) != 1:
        raise click.UsageError("Say which runs: ids, --job NAME or -l KEY=VALUE.")
    ids = list(run_ids)
    if not ids:
        live = user.listed(user.client.runs.list, limit=200, job=job, label=labels, state="pending,running")["items"]
        if not live:
            user.out.talk("nothing_matches")
            return
        user.confirm([f"{one['id']}  {one['job']}  {one['shown']}" for one in live])
        ids = [one["id"] for one in live]
    _tell_cancelled(user, user.client.runs.cancel_many(ids, reason=reason, force=force), force=force)


def _tell_cancelled(user: User, answer: Mapping[str, Any], *, force: bool) -> None:
    asked = "cancel_forced" if force else "cancel_asked"
    phrases = {"ended": "cancelled", "asked": asked, "final": "cancel_final"}
    runs = [item["run"] for item in answer["items"]]
    if not user.out.is_for_people:
        user.out.items(runs, [], name="id", answer=answer)
    for item in answer["items"]:
        run, outcome = item["run"], item["outcome"]
        mark = "warn" if outcome == "final" else "good"
        said = {"run": run["id"], "job": run["job"], "state": run["state"]}
        user.out.talk(phrases[outcome], mark=mark, **said)


@run.command()
@click.argument("run_ids", metavar="ID...", nargs=-1)
@click.option("--job", metavar="NAME", shell_complete=job_name, help="Every failed run of a job that is no test.")
@time_option("run retry --since", help="With --job: those created since then.")
@click.option("--version", type=click.Choice(["original", "latest"]), default="original", show_default=True)
@click.option(
    "--failed-shards", is_flag=True, help="Only the shards that did not succeed; the others keep their results."
)
@click.option("--reason", default="", metavar="TEXT")
@remote
def retry(
    user: User,
    *,
    run_ids: tuple[str, ...],
    job: str | None,
    since: TypedTime | None,
    version: str,
    failed_shards: bool,
    reason: str,
) -> None:
    """Run finished runs again, with the same parameters and due instant.

    \b
    Examples:
      foliot run retry r-8k2f
      foliot run retry r-8k2f --version latest
      foliot run retry r-8k2f --failed-shards
      foliot run retry --job settle --since 12h
    """
    if bool(run_ids) == bool(job):
        raise click.UsageError("Say which runs: ids, or --job NAME.")
    ids = list(run_ids)
    if job:
        began = user.times.read(since)
        wanted = {"job": job, "state": "failed", "since": began, "tests": "none"}
        failed = user.listed(user.client.runs.list, limit=200, **wanted)["items"]
        if not failed:
            user.out.talk("nothing_matches")
            return
        user.confirm([f"{one['id']}  {one['job']}  {one['kind'] or ''}" for one in failed])
        ids = [one["id"] for one in failed]
    made = []
    refused: list[Conflict] = []
    for run_id in ids:
        try:
            again = user.client.runs.retry(run_id, version=version, failed_shards=failed_shards, reason=reason)
        except Conflict as error:  # its job was deleted, say: that is no matter of the others
            refused.append(error)
            continue
        made.append(again.raw)
        told = again.raw["reason"] if failed_shards else None  # it names the workers that were left out
        user.out.talk("retried", mark="run", old=run_id, run=again.id, reason=told or None)
    if not user.out.is_for_people:
        user.out.items(made, [], name="id")
    if refused:
        raise ExceptionGroup("not run again", refused)
