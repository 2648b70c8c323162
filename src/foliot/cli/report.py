"""`foliot report`: how the runs of a day or a week went."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from foliot.cli.groups import Group
from foliot.cli.report_schedules import schedule
from foliot.cli.server_access import User, remote
from foliot.cli.terminal import echo

FORMS: Final = click.Choice(["text", "markdown", "html"])
_OPTIONS: Final = (
    click.option("--date", metavar="DATE", help="A day of the period; the last one that is over, unless said."),
    click.option("--format", "form", type=FORMS, default="text", show_default=True, help="How it is written."),
    click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write it to this file."),
)


@click.group(cls=Group)
def report() -> None:
    """Reports: how the runs of a day or a week went, beside the period before.

    Days are those of --tz. Without -n it is about every namespace.

    \b
    Examples:
      foliot report daily
      foliot report weekly --format html --out week.html
    """


def _asked(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@report.command("daily")
@_asked
@remote
def daily(user: User, *, date: str | None, form: str, out: Path | None) -> None:
    """Show how the runs of yesterday, or of another day, went.

    \b
    Examples:
      foliot report daily
      foliot report daily --date 2026-03-29 --tz Europe/Berlin
      foliot report daily -n billing --format markdown
      foliot report daily -o json
    """
    _show(user, "daily", date, form, out)


@report.command("weekly")
@_asked
@remote
def weekly(user: User, *, date: str | None, form: str, out: Path | None) -> None:
    """Show how the runs of last week, or of the week of a date, went. A week is from Monday to Sunday.

    \b
    Examples:
      foliot report weekly
      foliot report weekly --date 2026-03-29
      foliot report weekly --format html --out week.html
    """
    _show(user, "weekly", date, form, out)


def _show(user: User, kind: str, date: str | None, form: str, out: Path | None) -> None:
    is_data = not user.out.is_for_people
    asked = "json" if is_data and out is None else form
    found = user.client.reports.get(kind, date=date, tz=user.times.name, form=asked, namespace=user.namespace)
    if out is not None:
        _write(out, found["written"])
        user.out.talk("report_written", mark="good", file=str(out))
    elif is_data:
        user.out.item(found, (), name="title")
    else:
        echo(found["written"].rstrip("\n"))


def _write(out: Path, written: str) -> None:
    try:
        out.write_text(written, encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"{out} cannot be written: {error.strerror}.") from None


report.add_command(schedule)
