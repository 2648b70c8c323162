"""`foliot job list|show|why|fires|diff`: what jobs are and did."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import click

from foliot.cli.completion import job_name
from foliot.cli.output import Output
from foliot.cli.run_watch import repeat
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column
from foliot.cli.terminal import Line, echo
from foliot.cli.time_options import TypedTime, time_option
from foliot.cli.times import Times
from foliot.cli.values import in_words, parameters_in_words
from foliot.cli.yaml import to_yaml
from foliot.domain.fields import names_in

A_DAY_AGO: Final = TypedTime("24h")


@click.command("list")
@click.option("-l", "--label", "labels", multiple=True, metavar="K=V", help="Only jobs with this tag.")
@click.option("--state", metavar="STATES", help="active, paused, retired, done; several with commas.")
@click.option("--owner", metavar="WHO")
@click.option("--group", metavar="GROUP")
@click.option("--failing", is_flag=True, help="Whose last run failed.")
@click.option("--late", is_flag=True, help="Due for a minute and not decided.")
@click.option("--paused", is_flag=True, help="The same as --state paused.")
@click.option("--search", metavar="TEXT", default="", help="In name, description or owner.")
@click.option(
    "--sort",
    type=click.Choice(["name", "next", "fails", "p95"]),
    default="name",
    show_default=True,
    help="fails and p95: of the latest runs of the cluster, the worst first.",
)
@click.option("--watch", is_flag=True, help="Again every two seconds, until Ctrl-C.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=200, show_default=True)
@click.option("--cursor", metavar="CURSOR", help="Go on behind a page.")
@remote
def list_jobs(
    user: User, *, limit: int, cursor: str | None, labels: tuple[str, ...], watch: bool, **wanted: Any
) -> None:
    """List jobs.

    \b
    Examples:
      foliot job list
      foliot job list --failing --sort next
      foliot job list -l team=data -o name
      foliot job list --search 结算 -o json
      foliot job list --sort fails --watch
    """
    if wanted.pop("paused"):
        wanted["state"] = "paused"
    sort = wanted.pop("sort")
    wanted |= {"q": wanted.pop("search"), "label": labels}
    is_all = not any(wanted.values()) and sort in ("name", "next")

    def tell() -> None:
        answer = user.listed(user.client.jobs.list, limit=limit, cursor=cursor, sort=sort, **wanted)
        empty = "no_jobs" if is_all else "nothing_matches"
        items = answer["items"]
        columns = _columns(user, sort, many=has_many_namespaces(items))
        user.out.items(items, columns, answer=answer, empty=empty)
        if answer["next_cursor"]:
            user.out.talk("more", cursor=answer["next_cursor"])

    if watch:
        repeat(user, tell)
    else:
        tell()


def has_many_namespaces(items: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a list needs a column that tells the namespaces apart."""
    return len({item["namespace"] for item in items}) > 1


def _columns(user: User, sort: str, *, many: bool) -> list[Column]:
    """How jobs are listed; a list by a figure shows that figure."""
    times = user.times
    columns = [
        Column("NAME", "name", least=12),
        Column("NAMESPACE", "namespace", wide=not many),
        Column("STATE", shown_state, state=True, least=8),
        Column("SCHEDULE", "schedule", empty="-", least=10),
        Column(times.title("NEXT"), times.instant("next_at"), empty="-", least=8),
        Column("LAST", lambda job: _last_run(job, "shown"), empty="-", state=True),
        Column("TOOK", lambda job: times.lasting(_last_run(job, "duration_s"))),
        Column("GROUP", "group"),
        Column("OWNER", "owner", wide=True),
        Column("CRON", _cron, empty="-", wide=True),
        Column("VERSION", lambda job: f"v{job['version']}", wide=True),
        Column("DESCRIPTION", lambda job: job["description"].partition("\n")[0], wide=True),
    ]
    figures = {
        "fails": Column("FAILED", lambda job: _ranked(job, "failed"), empty="-"),
        "p95": Column("P95", lambda job: times.lasting(_ranked(job, "p95_s")), empty="-"),
    }
    if sort in figures:
        columns.insert(2, figures[sort])
    return columns


def _last_run(job: Mapping[str, Any], field: str) -> Any:
    """A fact of a job's newest run; None: it has had none."""
    return (job["last_run"] or {}).get(field)


def _cron(job: Mapping[str, Any]) -> str:
    """The cron expressions of its schedule. An older server does not say them."""
    return " · ".join(job.get("cron") or ())


def _ranked(job: Mapping[str, Any], field: str) -> Any:
    """A figure of a job in a list that is sorted by figures."""
    return (job.get("rank") or {}).get(field)


@click.command()
@click.argument("name", shell_complete=job_name)
@click.option(
    "--fires", "fires_shown", type=click.IntRange(0, 100), default=3, show_default=True, help="Instants to come."
)
@click.option("--versions", is_flag=True, help="Every version with who, when and why.")
@click.option("--yaml", "is_yaml", is_flag=True, help="Its definition alone, as YAML.")
@remote
def show(user: User, *, name: str, fires_shown: int, versions: bool, is_yaml: bool) -> None:
    """Show a job.

    \b
    Examples:
      foliot job show settle
      foliot job show settle --fires 10
      foliot job show settle --versions
      foliot job show settle --yaml
    """
    if versions:
        answer = user.listed(partial(user.client.jobs.versions, name), limit=200)
        user.out.items(answer["items"], _version_columns(user), name="version", answer=answer)
        return
    job = user.client.jobs.get(name).raw
    if is_yaml:
        echo(to_yaml(job["definition"]))
        return
    ahead = []
    if fires_shown and user.out.is_for_people:
        ahead = user.client.jobs.fires(name, limit=fires_shown)["future"]
    user.out.item(job, _lines(user, job, ahead))


def _version_columns(user: User) -> list[Column]:
    return [
        Column("VERSION", lambda row: f"v{row['version']}"),
        Column("WHEN", lambda row: user.times.full(row["created_at"]), least=16),
        Column("WHO", "created_by", least=8),
        Column("WHY", "reason", least=10),
        Column("HASH", lambda row: row["hash"][:12]),
    ]


def zone_of(user: User, definition: Mapping[str, Any]) -> str | None:
    """The zone a job's own instants are told in: its schedule's, unless the reader asked for one."""
    schedule = definition.get("schedule")
    is_asked_for = bool(user.resolved.get("tz"))
    if is_asked_for or not isinstance(schedule, Mapping):
        return None
    return schedule.get("tz")


SHOWN_ABOVE: Final = frozenset(("schedule", "run", "parameters", "description", "owner", "group", "tags"))


def _lines(user: User, job: Mapping[str, Any], ahead: list[Mapping[str, Any]]) -> Iterator[tuple[str, Line]]:
    times, out = user.times, user.out
    definition = job["definition"]
    yield "name", job["name"] if job["namespace"] == "default" else f"{job['namespace']} / {job['name']}"
    yield "state", (out.state(shown_state(job)), _paused(user, job))
    yield "module", job.get("module") or ""
    yield "trouble", job["trouble"] or ""
    yield "schedule", job["schedule"] or out.say("by_hand")
    yield "cron", _cron(job)
    unserved = [job["unserved"]] if job.get("unserved") else []
    for one in (*(job.get("warnings") or ()), *unserved):
        yield "warning", f"{one['message']}  {one['hint'] or ''}"
    zone = zone_of(user, definition)
    yield "next", " · ".join(f"{times.told(fire['due_at'], zone)} ({times.ahead(fire['due_at'])})" for fire in ahead)
    last = job["last_run"]
    if last:
        took = f"  {times.lasting(last['duration_s'])}" if last["duration_s"] is not None else ""
        yield "last run", (f"{last['id']}  ", out.state(last["shown"]), took)
    if job.get("waiting") is not None:
        yield "waiting", out.say("waiting_of", waiting=job["waiting"], most=definition["place"]["max_waiting"])
    for one in job.get("alerts") or ():
        yield "alert", f"{one['id']}  {out.word(one['level'])}  {one['title']}"
    yield "alerting", job.get("alerting") or ""
    yield "run", job.get("executes") or ""
    yield "parameters", parameters_in_words(job.get("parameters"))
    yield "description", job["description"]
    yield "owner", job["owner"]
    yield "group", job["group"]
    yield "tags", ", ".join(f"{key}={value}" for key, value in job["tags"].items())
    for field in names_in(""):
        if field in definition and field not in SHOWN_ABOVE:
            yield field, in_words(definition[field])
    at = times.full(job["updated_at"])
    yield "version", out.say("version_by", version=job["version"], by=job["updated_by"], at=at)


def shown_state(job: Mapping[str, Any]) -> str:
    """The state as people see it: a retired job is paused, and says so in a word of its own."""
    if job.get("retired_at"):
        return "RETIRED"
    return str(job["state"])


def _paused(user: User, job: Mapping[str, Any]) -> str:
    """Who paused it, since when, until when, and why; nothing for a job that is not."""
    told, say = user.times.told, user.out.say
    if job.get("retired_at"):
        module, nearest = job["module"], job["renamed_to"]
        return f" ({say('retired', module=module, since=told(job['retired_at']), renamed_to=nearest)})"
    since, until = told(job["paused_at"]), told(job["paused_until"])
    return say("paused_span", by=job.get("paused_by"), since=since, until=until, why=job["pause_reason"])


@click.command()
@click.argument("name", shell_complete=job_name)
@time_option("job why --at", help="One instant.")
@time_option("job why --since", help="All instants since then.")
@click.option("--limit", type=click.IntRange(1, 200), default=200, show_default=True)
@click.option("--cursor", metavar="CURSOR", help="Go on behind a page.")
@remote
def why(
    user: User, *, name: str, at: TypedTime | None, since: TypedTime | None, limit: int, cursor: str | None
) -> None:
    """Say why a job did or did not run.

    \b
    Examples:
      foliot job why settle --at 02:00
      foliot job why settle --at "2026-03-02 02:00" --tz Asia/Shanghai
      foliot job why settle --since 6h
      foliot job why settle --since 6h --limit 20
    """
    explain_job(user, name, at=at, since=since, limit=limit, cursor=cursor)


def explain_job(
    user: User, name: str, *, at: TypedTime | None, since: TypedTime | None, limit: int, cursor: str | None
) -> None:
    """What became of an instant of a job, or of those since one: of a day when nothing is said."""
    if not name.strip():
        raise click.UsageError("Say which job.")
    times = user.times
    if at:
        explain(user, user.client.jobs.why(name, at=times.instant_of(at), tz=times.name))
        return
    began = times.instant_of(since or A_DAY_AGO)
    answer = user.listed(partial(user.client.jobs.why, name), limit=limit, cursor=cursor, since=began, tz=times.name)
    explain(user, answer["items"], answer)
    if answer["next_cursor"]:
        user.out.talk("more", cursor=answer["next_cursor"])


def explain(user: User, items: Sequence[Mapping[str, Any]], answer: Mapping[str, Any] | None = None) -> None:
    """Explanations, one line each, the next step below; for programs the whole answer where they are a page of it."""
    out = user.out
    if not out.is_for_people:
        out.items(items, [], name="verdict", answer=answer)
        return
    for item in items:
        echo(item["sentence"])
        _scores(out, item)
        if item["hint"]:
            code = f"  [{item['code']}]" if item["code"] else ""
            echo(out.dim(f"  {item['hint']}{code}"))


def _scores(out: Output, item: Mapping[str, Any]) -> None:
    """What the route of a waiting run compares, a worker a line."""
    compared = [one for one in item.get("candidates", ()) if one["score"] is not None]  # an older server names none
    if compared:
        echo(out.dim(f"  {out.say('route_scores')}"))
    for one in compared:
        mark = "→" if one["chosen"] else " "
        echo(f"  {mark} {one['node']}  {one['score']:.2f}")


@click.command()
@click.argument("name", shell_complete=job_name)
@time_option("job fires --from", "from_", help="Included; a day ago when nothing is said.")
@time_option("job fires --to", help="Not included.")
@click.option("--limit", type=click.IntRange(1, 200), default=20, show_default=True)
@remote
def fires(user: User, *, name: str, from_: TypedTime | None, to: TypedTime | None, limit: int) -> None:
    """Past and future fires of a job.

    \b
    Examples:
      foliot job fires settle
      foliot job fires settle --from 7d --to now
      foliot job fires settle --from now --to +2d
    """
    times = user.times
    answer = user.client.jobs.fires(name, from_=times.read(from_), to=times.read(to), limit=limit)
    rows = [*reversed(answer["future"]), *answer["past"]]
    columns = [
        Column(times.title("DUE"), lambda fire: due_of(times, fire), least=8),
        Column("DECISION", "decision"),
        Column("RUN", "run", empty="-"),
        Column("STATE", "run_state", state=True),
        Column("LATE", times.duration("lateness_s")),
        Column("WHY", _why_of, least=10),
    ]
    user.out.items(rows, columns, name="due_at", answer=answer)


def due_of(times: Times, fire: Mapping[str, Any]) -> str:
    """The instant of a fire, or the first and the last of a range of skipped ones."""
    last = times.show(fire["due_at"])
    is_range = fire["from_at"] is not None and fire["from_at"] != fire["due_at"]
    return f"{times.show(fire['from_at'])}–{last}" if is_range else last


def _why_of(fire: Mapping[str, Any]) -> str:
    if fire["reason"] is None:
        return ""
    many = f" ({fire['count']})" if fire["count"] and fire["count"] > 1 else ""
    return f"{fire['reason']}{many}: {fire['why']}" if fire["why"] else f"{fire['reason']}{many}"


@click.command()
@click.argument("name", shell_complete=job_name)
@click.argument("before")
@click.argument("after", required=False)
@remote
def diff(user: User, *, name: str, before: str, after: str | None) -> None:
    """Compare two versions of a job, field by field. Exit code 7: they differ.

    \b
    Examples:
      foliot job diff settle v7 v8
      foliot job diff settle 7
    """
    new = version_number(after) if after else user.client.jobs.get(name).version
    answer = user.client.jobs.diff(name, version_number(before), new)
    out = user.out
    if not out.is_for_people:
        out.items(answer["changes"], [], name="path", answer=answer)
    elif not answer["changes"]:
        out.talk("no_changes")
    for change in answer["changes"] if out.is_for_people else ():
        for line in _change_lines(change["path"], change["before"], change["after"]):
            echo(line)
    if answer["changes"]:
        raise SystemExit(CHANGES_PENDING)


def _change_lines(path: str, before: Any, after: Any) -> Iterator[str]:
    """One field that changed. Of a text with several lines, as a script is, the lines that changed and those around."""
    old, new = (value.split("\n") if isinstance(value, str) else [] for value in (before, after))
    if len(old) <= 1 and len(new) <= 1:
        yield f"{path}  {_shown(before)} → {_shown(after)}"
        return
    from difflib import unified_diff

    yield path
    names_of_files = 2  # lines that go first
    yield from (f"  {line}" for line in list(unified_diff(old, new, lineterm=""))[names_of_files:])


CHANGES_PENDING: Final = 7


def version_number(written: str) -> int:
    """The number of a version as people write it."""
    text = written.removeprefix("v")
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise click.BadParameter(f'"{written}" is not a version. Write v7 or 7.')
    return int(text)


def _shown(value: Any) -> str:
    import json

    return "-" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
