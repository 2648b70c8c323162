"""`foliot job edit|clone|delete|rollback|pause|resume`: changing jobs."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import click

from foliot.cli.completion import job_name
from foliot.cli.editor import edited
from foliot.cli.job_bulk import choosing, filter_of, treat_all
from foliot.cli.job_views import version_number, zone_of
from foliot.cli.server_access import User, remote
from foliot.cli.terminal import echo
from foliot.cli.time_options import TypedTime, time_option
from foliot.cli.values import pairs, set_path
from foliot.client.job import Job


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
    tell_saved(user, changed, "same" if is_same else "changed")
    was_of_code = job.raw["source"] == "code"
    if was_of_code and not is_same:
        user.out.talk("overrules_code", mark="warn", name=name, module=job.raw["module"])


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
    tell_saved(user, made, "created")


@click.command()
@click.argument("names", nargs=-1, shell_complete=job_name)
@choosing
@click.option("--reason", default="", metavar="TEXT")
@remote
def delete(user: User, *, names: tuple[str, ...], reason: str, **chosen: Any) -> None:
    """Delete jobs. Their history stays, their names are free again.

    \b
    Examples:
      foliot job delete old_report
      foliot job delete a b c --yes
      foliot job delete -l team=old
    """
    wanted = filter_of(names, chosen)
    if wanted:
        treat_all(user, "delete", wanted, "deleted", reason=reason)
        return
    found = [user.client.jobs.get(name) for name in names]
    user.confirm([f"{job.name}  v{job.version}  {job.raw['schedule'] or ''}" for job in found])
    for job in found:
        user.client.jobs.delete(job.name, if_version=job.version, reason=reason)
        if user.out.quiet:
            echo(job.name)
        user.out.talk("deleted", mark="good", name=job.name)
        is_declared = job.raw["source"] == "code" and not job.raw["retired_at"]
        if is_declared:
            user.out.talk("comes_back", mark="warn", name=job.name, module=job.raw["module"])


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
    tell_saved(user, changed, "changed")


@click.command()
@click.argument("names", nargs=-1, shell_complete=job_name)
@choosing
@time_option("job pause --until", help="Until then.")
@click.option("--reason", default="", metavar="TEXT")
@remote
def pause(
    user: User,
    *,
    names: tuple[str, ...],
    until: TypedTime | None,
    reason: str,
    **chosen: Any,
) -> None:
    """Pause the schedules of jobs. Triggers go on working.

    \b
    Examples:
      foliot job pause settle --reason "migration"
      foliot job pause -l team=data --until 06:00 --reason "kernel update"
      foliot job pause --group billing --failing
    """
    ends = user.times.read(until)
    wanted = filter_of(names, chosen)
    if wanted:
        treat_all(user, "pause", wanted, "paused", until=ends, reason=reason)
    for name in names:
        job = user.client.jobs.pause(name, until=ends, reason=reason)
        paused_until = user.times.told(job.raw["paused_until"])
        if paused_until:
            _done(user, job, "paused_until", name=name, until=paused_until)
        else:
            _done(user, job, "paused", name=name)


@click.command()
@click.argument("names", nargs=-1, shell_complete=job_name)
@choosing
@click.option("--catch-up", is_flag=True, help="Paused time follows the misfire policy instead of being left out.")
@click.option("--reason", default="", metavar="TEXT")
@remote
def resume(
    user: User,
    *,
    names: tuple[str, ...],
    catch_up: bool,
    reason: str,
    **chosen: Any,
) -> None:
    """Let the schedules of jobs go on.

    \b
    Examples:
      foliot job resume settle
      foliot job resume settle --catch-up
      foliot job resume -l team=data --yes
    """
    wanted = filter_of(names, chosen)
    if wanted:
        treat_all(user, "resume", wanted, "resumed_one", catch_up=catch_up, reason=reason)
    for name in names:
        job = user.client.jobs.resume(name, catch_up=catch_up, reason=reason)
        zone = zone_of(user, job.raw["definition"])
        next_at = user.times.told(job.raw["next_at"], zone)
        _done(user, job, "resumed", name=name, next=next_at or "-")


def tell_saved(user: User, job: Job, phrase: str) -> None:
    """Say what became of a job that was saved."""
    said = {"name": job.name, "version": job.version}
    _done(user, job, phrase, **said)
    tell_warnings(user, job.warnings)


def tell_warnings(user: User, warnings: Sequence[Mapping[str, Any]]) -> None:
    """Say what works, but perhaps not as the user means it."""
    for warning in warnings:
        user.out.talk("job_warning", mark="warn", **warning)


def _done(user: User, job: Job, phrase: str, **values: Any) -> None:
    """Say what was done, or give the job to a program."""
    if user.out.is_for_people:
        user.out.talk(phrase, mark="good", **values)
    else:
        user.out.item(job.raw, ())
