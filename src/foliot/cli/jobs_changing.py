"""`foliot job create|edit|clone|delete|rollback|pause|resume`: changing jobs."""

import copy
from collections.abc import Mapping
from typing import Any

import click

from foliot.cli.asking import User, remote
from foliot.cli.completing import job_name
from foliot.cli.editing import edited
from foliot.cli.jobs_reading import version_number, zone_of
from foliot.cli.speaking import echo
from foliot.cli.time_options import TypedTime, time_option
from foliot.cli.values import pairs, set_path
from foliot.client.job import Job


@click.command()
@click.argument("name")
@click.option("--cron", metavar="EXPR", help="When: a cron expression.")
@click.option("--every", metavar="DURATION", help="When: every so often.")
@click.option("--after-end", metavar="DURATION", help="When: so long after the end of the last run.")
@time_option("job create --at", help="When: once.")
@click.option("--zone", metavar="ZONE", help="The zone of --cron.")
@click.option("--py", "python", metavar="M:F", help="What: a function that a worker offers.")
@click.option("-p", "--param", "params", multiple=True, metavar="K=V", help="A parameter.")
@click.option("--group", metavar="GROUP")
@click.option("--owner", metavar="WHO")
@click.option("--description", metavar="TEXT")
@click.option("--tag", "tags", multiple=True, metavar="K=V")
@click.option("--job-timeout", metavar="DURATION", help="How long a run may take.")
@click.option("--retries", type=click.IntRange(0, 1000))
@click.option("--overlap", type=click.Choice(["allow", "skip", "queue", "queue_all", "replace"]))
@click.option("--set", "settings", multiple=True, metavar="PATH=V", help="Any field of a definition: place.priority=7.")
@click.option("--reason", default="", metavar="TEXT")
@click.option("--check", is_flag=True, help="Only say what it would mean.")
@remote
def create(user: User, *, name: str, check: bool, reason: str, **said: Any) -> None:
    """Create a job.

    \b
    Examples:
      foliot job create nightly --cron "0 2 * * *" --zone Asia/Shanghai --py billing.jobs:settle
      foliot job create ping --every 5m --py checks:ping -p url=https://example.org
      foliot job create cleanup --cron "@daily" --py ops:cleanup --set place.priority=3 --check
    """
    definition = _definition(user, said)
    if check:
        found = user.client.jobs.validate(definition, name=name)
        user.out.item(found, _meaning(user, found), name="hash")
        return
    _saved(user, user.client.jobs.create(name, definition, reason=reason), "created")


def _definition(user: User, said: Mapping[str, Any]) -> dict[str, Any]:
    definition: dict[str, Any] = {"run": {"python": said["python"]}} if said["python"] else {}
    when = _schedule(user, said)
    if when:
        definition["schedule"] = when
    if said["params"]:
        definition["params"] = pairs(said["params"])
    if said["tags"]:
        definition["tags"] = {key: str(value) for key, value in pairs(said["tags"], text=True).items()}
    for field, flag in (("group", "group"), ("owner", "owner"), ("description", "description"),
                        ("timeout", "job_timeout"), ("retries", "retries"), ("overlap", "overlap")):  # fmt: skip
        if said[flag] is not None:
            definition[field] = said[flag]
    for path, value in pairs(said["settings"]).items():
        set_path(definition, path, value)
    if "run" not in definition:
        raise click.UsageError(
            "Say what runs with --py MODULE:FUNCTION, or of another kind with --set run.KIND=OPTIONS."
        )
    return definition


def _schedule(user: User, said: Mapping[str, Any]) -> dict[str, Any]:
    given = [kind for kind in ("cron", "every", "after_end", "at") if said[kind]]
    if len(given) > 1:
        raise click.UsageError("Say when with one of --cron, --every, --after-end, --at.")
    if not given:
        return {}
    match given[0]:
        case "cron":
            return {"cron": said["cron"], "tz": said["zone"] or user.times.name}
        case "every":
            return {"every": said["every"]}
        case "after_end":
            return {"fixed_delay": said["after_end"]}
        case _:
            return {"at": user.times.read(said["at"])}


def _meaning(user: User, found: Mapping[str, Any]) -> Any:
    yield "schedule", found["schedule"] or user.out.say("by_hand")
    zone = zone_of(user, found["definition"])
    ahead = [user.times.told(at, zone) for at in found["next"]]
    yield "next", " · ".join(ahead)
    for warning in found["warnings"]:
        yield "warning", f"{warning['message']} ({warning['hint']})  [{warning['code']}]"
    yield "offered", user.out.say("offered" if found["is_offered"] else "not_offered")
    if found["exists_at_version"]:
        version, count = found["exists_at_version"], len(found["changes"])
        yield "exists", user.out.say("exists", version=version, count=count)


@click.command()
@click.argument("name", shell_complete=job_name)
@click.option("--set", "settings", multiple=True, metavar="PATH=V", help="A field: timeout=45m, place.priority=7.")
@click.option("--unset", "unset", multiple=True, metavar="PATH", help="A field to take away.")
@click.option("--reason", default="", metavar="TEXT")
@remote
def edit(user: User, *, name: str, settings: tuple[str, ...], unset: tuple[str, ...], reason: str) -> None:
    """Change a job: some fields with --set, or all of it in your editor.

    \b
    Examples:
      foliot job edit settle --set timeout=45m --reason "slow since Monday"
      foliot job edit settle --set schedule.cron="0 3 * * *" --unset owner
      EDITOR=vim foliot job edit settle
    """
    job = user.client.jobs.get(name)

    def save(definition: Any) -> Job:
        jobs = user.client.jobs
        return jobs.put(name, definition, if_version=job.version, reason=reason)

    definition = copy.deepcopy(job.raw["definition"])
    if settings or unset:
        for field, value in pairs(settings).items():
            set_path(definition, field, value)
        for field in unset:
            set_path(definition, field, None)
        changed = save(definition)
    else:
        changed = edited(user, definition, save, name=name) or job
    is_same = changed.version == job.version
    _saved(user, changed, "same" if is_same else "changed")


@click.command()
@click.argument("name", shell_complete=job_name)
@click.argument("new")
@click.option("--set", "settings", multiple=True, metavar="PATH=V", help="A field of the new job.")
@remote
def clone(user: User, *, name: str, new: str, settings: tuple[str, ...]) -> None:
    """Make a new job from another.

    \b
    Examples:
      foliot job clone settle settle_eu
      foliot job clone settle settle_eu --set params.region=eu
    """
    changes: dict[str, Any] = {}
    for field, value in pairs(settings).items():
        set_path(changes, field, value)
    made = user.client.jobs.clone(name, new, changes=changes or None)
    _saved(user, made, "created")


@click.command()
@click.argument("names", nargs=-1, required=True, shell_complete=job_name)
@click.option("--reason", default="", metavar="TEXT")
@remote
def delete(user: User, *, names: tuple[str, ...], reason: str) -> None:
    """Delete jobs. Their history stays, their names are free again.

    \b
    Examples:
      foliot job delete old_report
      foliot job delete a b c --yes
    """
    found = [user.client.jobs.get(name) for name in names]
    user.confirm([f"{job.name}  v{job.version}  {job.raw['schedule'] or ''}" for job in found])
    for job in found:
        user.client.jobs.delete(job.name, if_version=job.version, reason=reason)
        if user.out.quiet:
            echo(job.name)
        user.out.talk("deleted", mark="good", name=job.name)


@click.command()
@click.argument("name", shell_complete=job_name)
@click.option("--to", "to", required=True, metavar="vN", help="The version to go back to.")
@click.option("--reason", default="", metavar="TEXT")
@remote
def rollback(user: User, *, name: str, to: str, reason: str) -> None:
    """Go back to an earlier version: a new version with its content.

    \b
    Examples:
      foliot job rollback settle --to v7
      foliot job rollback settle --to 7 --reason "v8 is too slow"
    """
    version = version_number(to)
    changed = user.client.jobs.rollback(name, version, reason=reason)
    _saved(user, changed, "changed")


@click.command()
@click.argument("names", nargs=-1, shell_complete=job_name)
@click.option("-l", "--label", "labels", multiple=True, metavar="K=V", help="Every job with this tag.")
@time_option("job pause --until", help="Until then.")
@click.option("--reason", default="", metavar="TEXT")
@remote
def pause(
    user: User,
    *,
    names: tuple[str, ...],
    labels: tuple[str, ...],
    until: TypedTime | None,
    reason: str,
) -> None:
    """Pause the schedules of jobs. Triggers go on working.

    \b
    Examples:
      foliot job pause settle --reason "migration"
      foliot job pause -l team=data --until 06:00 --reason "kernel update"
    """
    ends = user.times.read(until)
    for name in _chosen(user, names, labels):
        job = user.client.jobs.pause(name, until=ends, reason=reason)
        paused_until = user.times.told(job.raw["paused_until"])
        if paused_until:
            _done(user, job, "paused_until", name=name, until=paused_until)
        else:
            _done(user, job, "paused", name=name)


@click.command()
@click.argument("names", nargs=-1, shell_complete=job_name)
@click.option("-l", "--label", "labels", multiple=True, metavar="K=V", help="Every job with this tag.")
@click.option("--catch-up", is_flag=True, help="Paused time follows the misfire policy instead of being left out.")
@click.option("--reason", default="", metavar="TEXT")
@remote
def resume(
    user: User,
    *,
    names: tuple[str, ...],
    labels: tuple[str, ...],
    catch_up: bool,
    reason: str,
) -> None:
    """Let the schedules of jobs go on.

    \b
    Examples:
      foliot job resume settle
      foliot job resume settle --catch-up
      foliot job resume -l team=data --yes
    """
    for name in _chosen(user, names, labels):
        job = user.client.jobs.resume(name, catch_up=catch_up, reason=reason)
        zone = zone_of(user, job.raw["definition"])
        next_at = user.times.told(job.raw["next_at"], zone)
        _done(user, job, "resumed", name=name, next=next_at or "-")


def _chosen(user: User, names: tuple[str, ...], labels: tuple[str, ...]) -> list[str]:
    """The jobs a command is about; those found by a tag are shown first."""
    if bool(names) == bool(labels):
        raise click.UsageError("Say which jobs: names, or -l K=V.")
    if names:
        return list(names)
    found = user.listed(user.client.jobs.list, limit=10_000, label=labels)["items"]
    chosen = [job["name"] for job in found]
    if not chosen:
        user.out.talk("nothing_matches")
    else:
        user.confirm(chosen)
    return chosen


def _saved(user: User, job: Job, phrase: str) -> None:
    said = {"name": job.name, "version": job.version}
    _done(user, job, phrase, **said)


def _done(user: User, job: Job, phrase: str, **values: Any) -> None:
    """Say what was done, or give the job to a program."""
    if user.out.is_for_people:
        user.out.talk(phrase, mark="good", **values)
    else:
        user.out.item(job.raw, ())
