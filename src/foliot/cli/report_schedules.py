"""`foliot report schedule`: which report is sent when, and to whom."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import click

from foliot.cli.groups import Group
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column
from foliot.cli.terminal import Line, echo

KINDS: Final = click.Choice(["daily", "weekly"])
DAYS: Final = click.Choice(["mon", "tue", "wed", "thu", "fri", "sat", "sun"])
LANGUAGES: Final = click.Choice(["en", "zh"])
FIELDS: Final = {"kind": "kind", "at": "at", "weekday": "weekday", "language": "language", "is_on": "on"}
"""Options whose value is that of a field."""


@click.group(cls=Group)
def schedule() -> None:
    """Schedules of reports: which report is sent when, and to which channels.

    Without -n its reports are about the whole cluster, and an admin's token is needed.

    \b
    Examples:
      foliot report schedule set morning --to mail --at 08:00 --tz Europe/Berlin
      foliot report schedule list
    """


@schedule.command("list")
@remote
def list_schedules(user: User) -> None:
    """List the schedules of reports, and when each is due next.

    \b
    Examples:
      foliot report schedule list
    """
    answer = user.client.reports.schedules(namespace=user.namespace).raw
    times = user.times
    columns = [
        Column("NAME", "name", least=8),
        Column("NAMESPACE", "namespace", empty=user.out.say("whole_cluster")),
        Column("KIND", lambda row: user.out.word(row["kind"])),
        Column("TO", lambda row: ", ".join(row["to"]), least=8),
        Column(times.title("NEXT"), times.instant("next_at"), empty="-", least=8),
        Column(times.title("LAST"), times.instant("last_at"), empty="-"),
    ]
    user.out.items(answer["items"], columns, answer=answer, empty="no_report_schedules")


@schedule.command("show")
@click.argument("name")
@remote
def show_schedule(user: User, *, name: str) -> None:
    """Show a schedule of reports.

    \b
    Examples:
      foliot report schedule show morning
    """
    found = user.client.reports.get_schedule(name, namespace=user.namespace)
    user.out.item(found, _lines(user, found))


def _lines(user: User, found: Mapping[str, Any]) -> Iterator[tuple[str, Line]]:
    written, times = found["schedule"], user.times
    yield "name", found["name"]
    yield "namespace", found["namespace"] or user.out.say("whole_cluster")
    yield "kind", user.out.word(found["kind"])
    yield "at", " ".join([written["at"], written.get("weekday", "")]).strip()
    yield "timezone", written["timezone"]
    yield "to", ", ".join(found["to"])
    yield "language", written.get("language", "")
    yield "next", times.full(found["next_at"]) or "-"
    yield "last", times.full(found["last_at"])
    yield "version", f"v{found['version']}"


@schedule.command("set")
@click.argument("name")
@click.option("--kind", type=KINDS, help="Of a day, or of a week; daily, unless said.")
@click.option("--at", metavar="CLOCK", help="By the clock of --tz; 08:00, unless said.")
@click.option("--weekday", type=DAYS, help="On which day a weekly one is sent; mon, unless said.")
@click.option("--to", multiple=True, metavar="CHANNEL", help="A channel that gets it; give it once for each.")
@click.option("--language", type=LANGUAGES, help="Of the report; that of each channel, unless said.")
@click.option("--on/--off", "is_on", default=None, help="Send it, or not for now.")
@click.option("--reason", default="", metavar="TEXT")
@remote
def set_schedule(user: User, *, name: str, to: tuple[str, ...], reason: str, **said: Any) -> None:
    """Save a schedule of reports; of one that is there, what is left out stays.

    Its days and its clock are those of --tz.

    \b
    Examples:
      foliot report schedule set morning --to mail --at 08:00 --tz Europe/Berlin
      foliot report schedule set week --kind weekly --weekday mon --to oncall -n billing
      foliot report schedule set morning --off
    """
    document = _present(user, name)
    is_new = not document
    if is_new or user.options.get("tz"):
        document["timezone"] = user.times.name
    document |= {field: said[option] for option, field in FIELDS.items() if said[option] is not None}
    if to:
        document["to"] = list(to)
    if "to" not in document:
        raise click.UsageError("Say which channel gets it, with --to; foliot alert channel list shows them.")
    saved = user.client.reports.set_schedule(name, document, reason=reason, namespace=user.namespace)
    for warning in saved["warnings"]:
        hint = f" ({warning['hint']})" if warning["hint"] else ""
        echo(user.out.mark("warn"), f"{warning['message']}{hint}", err=True)
    if not user.out.is_for_people:
        user.out.item(saved, ())
        return
    user.out.talk("created" if is_new else "changed", mark="good", name=saved["name"], version=saved["version"])
    if saved["next_at"]:
        user.out.talk("report_next", next=user.times.full(saved["next_at"]))


def _present(user: User, name: str) -> dict[str, Any]:
    """The schedule as it is; empty when it is new."""
    seen = user.client.reports.schedules(namespace=user.namespace).raw["items"]
    found = [one for one in seen if one["name"] == name and one["namespace"] == user.namespace]
    return dict(found[0]["schedule"]) if found else {}


@schedule.command("send")
@click.argument("name")
@click.option("--reason", default="", metavar="TEXT")
@remote
def send_schedule(user: User, *, name: str, reason: str) -> None:
    """Send the report of a schedule now: of the last day or week that is over.

    \b
    Examples:
      foliot report schedule send morning
    """
    sent = user.client.reports.send_schedule(name, reason=reason, namespace=user.namespace)
    if not user.out.is_for_people:
        user.out.item(sent, ())
        return
    user.out.talk("report_sent", mark="good", date=sent["date"], to=", ".join(sent["to"]))


@schedule.command("delete")
@click.argument("name")
@click.option("--reason", default="", metavar="TEXT")
@remote
def delete_schedule(user: User, *, name: str, reason: str) -> None:
    """Take a schedule of reports away.

    \b
    Examples:
      foliot report schedule delete morning
    """
    user.confirm([name])
    user.client.reports.delete_schedule(name, reason=reason, namespace=user.namespace)
    user.out.talk("report_schedule_gone", mark="good", name=name)
