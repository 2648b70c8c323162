"""`foliot alert`: what deserves a person's attention; who looks after it, and what was told to whom."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import click

from foliot.cli import EXIT_CODES
from foliot.cli.alert_channels import channel
from foliot.cli.alert_files import apply, diff, export
from foliot.cli.alert_rules import rule
from foliot.cli.alert_silences import silence, silences, unsilence
from foliot.cli.completion import job_name, node_name
from foliot.cli.groups import Group
from foliot.cli.run_watch import repeat
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column
from foliot.cli.terminal import Line, echo
from foliot.cli.time_options import TypedTime, time_option
from foliot.domain.errors import FoliotError

OVER: Final = "FOL-3111"
EVERY_STATE: Final = "pending,firing,acknowledged,resolved"
A_WEEK_AGO: Final = TypedTime("7d")


@click.group(cls=Group, epilog=EXIT_CODES)
def alert() -> None:
    """Alerts: what needs somebody, which rules look for it, and which channels tell it.

    \b
    Examples:
      foliot alert channel add oncall --kind dingtalk --set webhook='${secret:DING}' --default
      foliot alert rule set night-failures --when "failed 2 of 3" --of group=etl --to oncall
      foliot alert list
      foliot alert ack 17 --note "I restart the database"
      foliot alert silence --job 'etl_*' --for 2h --reason "the database moves"
    """


alert.add_command(silence)
alert.add_command(unsilence)
alert.add_command(silences)
alert.add_command(rule)
alert.add_command(channel)
alert.add_command(apply)
alert.add_command(diff)
alert.add_command(export)


@alert.command("list")
@click.option("--all", "every", is_flag=True, help="Also what is over, and what has not lasted long enough to be told.")
@click.option("--state", metavar="STATES", help="firing, acknowledged, pending, resolved; several with commas.")
@click.option("--level", metavar="LEVELS", help="critical, warning, info; several with commas.")
@click.option("--rule", metavar="RULE", help="Of one rule.")
@click.option("--job", metavar="JOB", shell_complete=job_name, help="That touch this job.")
@click.option("--node", metavar="NODE", shell_complete=node_name, help="That touch this node.")
@time_option("alert list --since", help="Those that were not over by then.")
@click.option("--watch", is_flag=True, help="Again every two seconds, until Ctrl-C.")
@click.option("--limit", "most", type=click.IntRange(1, 10_000), default=200, show_default=True)
@remote
def list_alerts(
    user: User, *, every: bool, since: TypedTime | None, watch: bool, most: int, state: str | None, **which: Any
) -> None:
    """List what fires and what somebody looks after, newest first.

    \b
    Examples:
      foliot alert list
      foliot alert list --level critical --watch
      foliot alert list --job settle --all
      foliot alert list --since 24h -o json
    """
    states = EVERY_STATE if every and state is None else state

    def tell() -> None:
        _list(user, most, state=states, since=since, **which)

    if watch:
        repeat(user, tell)
    else:
        tell()


@alert.command()
@click.option("--rule", metavar="RULE", help="Of one rule.")
@click.option("--job", metavar="JOB", shell_complete=job_name, help="That touched this job.")
@time_option("alert history --since", help="Those that were not over by then; of a week when nothing is said.")
@click.option("--limit", "most", type=click.IntRange(1, 10_000), default=200, show_default=True)
@remote
def history(user: User, *, since: TypedTime | None, most: int, **which: Any) -> None:
    """List alerts that are over, newest first.

    \b
    Examples:
      foliot alert history
      foliot alert history --job settle --since 30d
    """
    _list(user, most, state="resolved", since=since or A_WEEK_AGO, **which)


def _list(user: User, most: int, *, since: TypedTime | None, **which: Any) -> None:
    wanted = {**which, "since": user.times.read(since), "namespace": user.namespace}
    answer = user.listed(user.client.alerts.list, limit=most, **wanted)
    times = user.times
    columns = [
        Column("ID", "id"),
        Column("LEVEL", lambda row: user.out.word(row["level"])),
        Column("STATE", lambda row: _state(user, row), least=8),
        Column(times.title("BEGAN"), times.instant("began_at"), least=8),
        Column("WHAT", "title", least=20),
        Column("RULE", "rule", least=8),
        Column("BY", "acked_by", empty="-"),
        Column("NAMESPACE", "namespace", empty=user.out.say("every_namespace"), wide=True),
        Column("TO", "to", empty="-", wide=True),
        Column("SEEN", "seen", wide=True),
    ]
    user.out.items(answer["items"], columns, name="id", answer=answer, empty="no_alerts")


def _state(user: User, found: Mapping[str, Any]) -> str:
    """The state, and whether a silence keeps it from being told."""
    word = user.out.state_word(found["state"])
    return f"{word} ({user.out.say('silent')})" if found["silence"] else word


@alert.command()
@click.argument("number", metavar="ID", type=click.IntRange(1))
@remote
def show(user: User, *, number: int) -> None:
    """Show an alert: what it is, since when, whom it told, and what it touches.

    \b
    Examples:
      foliot alert show 17
      foliot alert show 17 -o yaml
    """
    found = user.client.alerts.get(number)
    if not user.out.is_for_people:
        user.out.item(found, (), name="id")
        return
    user.out.item(found, _lines(user, found), name="id")
    if found["subjects"]:
        echo("")
        user.out.items(found["subjects"], _subject_columns(user), name="subject")


def _lines(user: User, found: Mapping[str, Any]) -> Iterator[tuple[str, Line]]:
    times, say = user.times, user.out.say
    yield "alert", f"{found['id']}  {found['title']}"
    yield "next step", found["hint"]
    yield "level", user.out.word(found["level"])
    yield "state", _state(user, found)
    yield "rule", found["rule"]
    yield "namespace", found["namespace"] or say("every_namespace")
    yield "began", times.full(found["began_at"])
    yield "told", times.full(found["told_at"]) or say("not_told")
    yield "channels", ", ".join(found["to"]) or say("default_channels")
    if found["step"]:
        yield "escalated", say("escalated_steps", count=found["step"])
    if found["acked_by"]:
        at = times.told(found["acked_at"])
        yield "looked after", say("acked_by", by=found["acked_by"], at=at, note=found["ack_note"])
    if found["silence"]:
        yield "silence", str(found["silence"])
    yield "ended", times.full(found["resolved_at"])
    yield "runbook", found["runbook"]


def _subject_columns(user: User) -> list[Column]:
    times = user.times
    return [
        Column("SUBJECT", "subject", least=8),
        Column("RUN", "run", empty="-"),
        Column("SEEN", "count"),
        Column(times.title("SINCE"), times.instant("first_at"), least=8),
        Column(times.title("LAST"), times.instant("last_at"), least=8),
        Column("ENDED", times.instant("ended_at"), empty="-"),
    ]


@alert.command()
@click.argument("numbers", metavar="ID..", type=click.IntRange(1), nargs=-1, required=True)
@click.option("--note", default="", metavar="TEXT", help="For the others who look at it.")
@remote
def ack(user: User, *, numbers: tuple[int, ...], note: str) -> None:
    """Say that you look after alerts: nobody is reminded, and nothing is escalated.

    \b
    Examples:
      foliot alert ack 17
      foliot alert ack 17 18 --note "I restart the database"
    """
    done = []
    for number in numbers:
        try:
            after = user.client.alerts.ack(number, note=note)
        except FoliotError as error:
            if error.code != OVER:
                raise
            user.out.talk("alert_over", mark="note", id=number)
            continue
        done.append(after)
        user.out.talk("alert_acked", mark="good", id=number, title=after["title"], by=after["acked_by"])
    if not user.out.is_for_people:
        user.out.items(done, (), name="id")


@alert.command()
@click.argument("numbers", metavar="ID..", type=click.IntRange(1), nargs=-1, required=True)
@click.option("--reason", default="", metavar="TEXT")
@remote
def resolve(user: User, *, numbers: tuple[int, ...], reason: str) -> None:
    """Say that alerts are over. When the trouble is seen again, that is another alert.

    \b
    Examples:
      foliot alert resolve 17 --reason "the old node is gone for good"
    """
    done = []
    for number in numbers:
        after = user.client.alerts.resolve(number, reason=reason)
        done.append(after)
        user.out.talk("alert_resolved", mark="good", id=number, title=after["title"])
    if not user.out.is_for_people:
        user.out.items(done, (), name="id")


@alert.command()
@click.option("--channel", metavar="NAME", help="To one channel.")
@click.option("--alert", "number", metavar="ID", type=click.IntRange(1), help="About one alert.")
@click.option("--limit", "most", type=click.IntRange(1, 10_000), default=50, show_default=True)
@remote
def deliveries(user: User, *, channel: str | None, number: int | None, most: int) -> None:
    """List the messages to channels, newest first: which arrived, which wait, and why one did not arrive.

    \b
    Examples:
      foliot alert deliveries
      foliot alert deliveries --channel oncall
      foliot alert deliveries --alert 17
    """
    times = user.times
    answer = user.listed(
        user.client.channels.deliveries, limit=most, channel=channel, alert=number, namespace=user.namespace
    )
    columns = [
        Column("ID", "id"),
        Column(times.title("AT"), times.instant("created_at"), least=8),
        Column("CHANNEL", "channel", least=8),
        Column("KIND", lambda row: user.out.word(row["kind"])),
        Column("ALERT", "alert", empty="-"),
        Column("STATE", lambda row: user.out.state_word(row["state"]), least=8),
        Column("ATTEMPTS", "attempt"),
        Column("SERVER", "sent_by", empty="-"),
        Column("ERROR", "error", least=10),
    ]
    user.out.items(answer["items"], columns, name="id", answer=answer)
