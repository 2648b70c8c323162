"""`foliot calendar`: the calendars people define."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from foliot.cli import EXIT_CODES
from foliot.cli.groups import Group
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column
from foliot.cli.values import pairs, set_path, text_of


@click.group(cls=Group, epilog=EXIT_CODES)
def calendar() -> None:
    """Calendars: which days count. Built-in ones (weekdays, cn-workdays, us-ny-holidays …) need no saving.

    \b
    Examples:
      foliot calendar list
      foliot calendar save close --set country=CN --set exclude='["2026-12-31"]'
      foliot calendar import cn-2026 holidays.ics
    """


@calendar.command("list")
@remote
def list_calendars(user: User) -> None:
    """List calendars: those that were saved, and some of the built-in ones.

    \b
    Examples:
      foliot calendar list
      foliot calendar list -q
    """
    columns = [
        Column("NAME", "name", least=8),
        Column("SOURCE", "source"),
        Column("VERSION", lambda row: f"v{row['version']}" if row["version"] else "-"),
        Column("WHEN", lambda row: user.times.full(row["created_at"]), empty="-", least=16),
        Column("WHO", "created_by", empty="-"),
        Column("SAYS", lambda row: json.dumps(row["calendar"], ensure_ascii=False), least=10),
    ]
    user.out.page(user.client.calendars.list(), columns)
    user.out.talk("calendars_built_in")


@calendar.command()
@click.argument("name")
@click.option("--version", type=click.IntRange(1), help="An earlier version.")
@remote
def show(user: User, *, name: str, version: int | None) -> None:
    """Show a calendar, the next days that stand out, and the jobs that use it.

    \b
    Examples:
      foliot calendar show close
      foliot calendar show cn-workdays
      foliot calendar show close --version 1 -o yaml
    """
    found = user.client.calendars.get(name, version=version)
    user.out.item(found, _lines(user, found))


def _lines(user: User, found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    is_saved = found["source"] == "saved"
    version = f"v{found['version']}" if is_saved else found["source"]
    yield "calendar", f"{found['name']} {version}"
    for key, value in found["calendar"].items():
        yield key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    for day in found["ahead"] or ():
        said = user.out.say("day_counts" if day["counts"] else "day_does_not_count", why=day["why"])
        yield "ahead", f"{day['day']}  {said}"
    at = user.times.full(found["created_at"])
    yield "saved", user.out.say("saved_by", at=at, by=found["created_by"]) if is_saved else ""
    yield "why", found["reason"]
    for one in found["users"] or ():
        yield "used by", user.out.say("pinned_to", job=one["job"], version=one["pinned"])


@calendar.command()
@click.argument("name")
@click.option(
    "--set", "settings", multiple=True, metavar="K=V", help="A field: country=CN, exclude='[\"2026-12-31\"]'."
)
@click.option("--reason", default="", metavar="TEXT")
@remote
def save(user: User, *, name: str, settings: tuple[str, ...], reason: str) -> None:
    """Save a calendar: a new version, which the jobs that use it take over from now on.

    \b
    Examples:
      foliot calendar save close --set country=CN --set exclude='["2026-12-31"]'
      foliot calendar save nights --set blackouts='[{"daily": "22:00-06:00"}]' --reason "quiet hours"
    """
    document: dict[str, Any] = {}
    for field, value in pairs(settings).items():
        set_path(document, field, value)
    _save(user, name, document, reason)


@calendar.command("import")
@click.argument("name")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--mode", type=click.Choice(["only", "except"]), default="except", show_default=True)
@click.option("--reason", default="", metavar="TEXT")
@remote
def import_ics(user: User, *, name: str, file: Path, mode: str, reason: str) -> None:
    """Save a calendar from an iCalendar file: the only days that count, or the days that do not.

    \b
    Examples:
      foliot calendar import cn-2026 holidays.ics
      foliot calendar import workshop days.ics --mode only
    """
    text = text_of(file, errors="replace")
    document = {"ics": text, "mode": mode}
    usual_reason = user.out.say("from_file", file=file.name)
    _save(user, name, document, reason or usual_reason)


def _save(user: User, name: str, document: Mapping[str, Any], reason: str) -> None:
    saved = user.client.calendars.put(name, document, reason=reason)
    if user.out.is_for_people:
        user.out.talk("changed", mark="good", name=saved["name"], version=saved["version"])
    else:
        user.out.item(saved, ())


@calendar.command()
@click.argument("name")
@remote
def delete(user: User, *, name: str) -> None:
    """Take a calendar away that no job uses.

    \b
    Examples:
      foliot calendar delete close
    """
    user.confirm([name])
    user.client.calendars.delete(name)
    user.out.talk("calendar_gone", mark="good", name=name)
