"""`foliot job reschedule`: schedules set right after the store's clock was ahead."""

from collections.abc import Iterator, Mapping
from typing import Any

import click

from foliot.cli.completion import job_name
from foliot.cli.job_views import zone_of
from foliot.cli.server_access import User, remote


@click.command()
@click.argument("names", nargs=-1, shell_complete=job_name)
@click.option("--all", "everything", is_flag=True, help="Every job of the namespace that stands ahead of its schedule.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option("--reason", default="", metavar="TEXT")
@remote
def reschedule(user: User, *, names: tuple[str, ...], everything: bool, dry_run: bool, reason: str) -> None:
    """Set schedules right that stand too far ahead.

    While the store's clock is ahead, servers decide instants that have not come. Once it is right again, such a job
    would be silent until then. This decides what is due now and lets the job go on at its first instant to come.

    \b
    Examples:
      foliot job reschedule settle --dry-run
      foliot job reschedule settle report --reason "the database clock was in 2031"
      foliot job reschedule --all
    """
    if bool(names) == everything:
        raise click.UsageError("Say which jobs: names, or --all.")
    how = {"dry_run": dry_run, "reason": reason}
    found = list(_of_all(user, how) if everything else _of_names(user, names, how))
    if not user.out.is_for_people:
        user.out.item({"items": found}, ())
        return
    if not found:
        user.out.talk("none_ahead", mark="good")
    for one in found:
        _tell(user, one)


def _of_names(user: User, names: tuple[str, ...], how: Mapping[str, Any]) -> Iterator[Any]:
    for name in names:
        yield user.client.jobs.reschedule(name, **how)


def _of_all(user: User, how: Mapping[str, Any]) -> Iterator[Any]:
    """Stretch by stretch, so that each answer comes soon."""
    after: int | None = 0
    while after is not None:
        page = user.client.jobs.reschedule_all(after=after, **how)
        yield from page["items"]
        after = page["after"]


def _tell(user: User, one: Mapping[str, Any]) -> None:
    zone = zone_of(user, one["job"]["definition"])
    before = user.times.told(one["before"]["next_due_at"], zone) or "-"
    after = user.times.told(one["after"]["next_due_at"], zone) or "-"
    if not one["changed"]:
        user.out.talk("schedule_is_right", mark="good", name=one["name"], next=after)
        return
    phrase = "would_reschedule" if one["dry_run"] else "rescheduled"
    user.out.talk(phrase, mark="good", name=one["name"], before=before, after=after)
    for field in ("instants", "cancelled", "retries"):
        if one[field]:
            user.out.talk(f"rescheduled_{field}", count=one[field])
