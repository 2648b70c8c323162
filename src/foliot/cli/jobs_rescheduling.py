"""`foliot job reschedule`: schedules set right after the store's clock was ahead."""

from collections.abc import Iterator, Mapping
from typing import Any

import click

from foliot.cli.asking import Desk, remote
from foliot.cli.completing import job_name
from foliot.cli.jobs_reading import zone_of


@click.command()
@click.argument("names", nargs=-1, shell_complete=job_name)
@click.option("--all", "everything", is_flag=True, help="Every job of the namespace that stands ahead of its schedule.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option("--reason", default="", metavar="TEXT")
@remote
def reschedule(desk: Desk, *, names: tuple[str, ...], everything: bool, dry_run: bool, reason: str) -> None:
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
    found = list(_of_all(desk, how) if everything else _of_names(desk, names, how))
    if not desk.out.is_for_people:
        desk.out.item({"items": found}, ())
        return
    if not found:
        desk.out.talk("none_ahead", mark="good")
    for one in found:
        _tell(desk, one)


def _of_names(desk: Desk, names: tuple[str, ...], how: Mapping[str, Any]) -> Iterator[Any]:
    for name in names:
        yield desk.client.jobs.reschedule(name, **how)


def _of_all(desk: Desk, how: Mapping[str, Any]) -> Iterator[Any]:
    """Stretch by stretch, so that each answer comes soon."""
    after: int | None = 0
    while after is not None:
        page = desk.client.jobs.reschedule_all(after=after, **how)
        yield from page["items"]
        after = page["after"]


def _tell(desk: Desk, one: Mapping[str, Any]) -> None:
    zone = zone_of(desk, one["job"]["definition"])
    before = desk.times.told(one["before"]["next_due_at"], zone) or "-"
    after = desk.times.told(one["after"]["next_due_at"], zone) or "-"
    if not one["changed"]:
        desk.out.talk("schedule_is_right", mark="good", name=one["name"], next=after)
        return
    phrase = "would_reschedule" if one["dry_run"] else "rescheduled"
    desk.out.talk(phrase, mark="good", name=one["name"], before=before, after=after)
    for field in ("instants", "cancelled", "retries"):
        if one[field]:
            desk.out.talk(f"rescheduled_{field}", count=one[field])
