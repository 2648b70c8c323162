"""`foliot alert silence|unsilence|silences`: nobody is told of some alerts for some time."""

from collections.abc import Mapping
from typing import Any

import click

from foliot.cli.completion import job_name, node_name
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column
from foliot.cli.time_options import TypedTime, time_option
from foliot.cli.values import pairs


@click.command()
@click.option("-l", "--label", "labels", multiple=True, metavar="K=V", help="Of jobs with this tag.")
@click.option("--job", metavar="PATTERN", shell_complete=job_name, help="Of jobs whose name fits: settle, 'etl_*'.")
@click.option("--group", metavar="PATTERN", help="Of jobs of this group.")
@click.option("--node", metavar="PATTERN", shell_complete=node_name, help="Of nodes whose name fits.")
@click.option("--rule", metavar="PATTERN", default="", help="Of rules whose name fits.")
@click.option("--alert", "number", metavar="ID", type=click.IntRange(1), help="This alert alone.")
@click.option("--for", "lasts", metavar="DURATION", help="How long: 30m, 2h, 1d.")
@time_option("alert silence --until", help="When it ends, in the place of --for.")
@click.option("--reason", metavar="TEXT", required=True, help="For those who wonder why nobody was told.")
@click.option("--everywhere", is_flag=True, help="For the whole cluster, not for one namespace.")
@click.option("--everything", is_flag=True, help="All alerts there, when nothing is named.")
@remote
def silence(
    user: User,
    *,
    labels: tuple[str, ...],
    number: int | None,
    lasts: str | None,
    until: TypedTime | None,
    reason: str,
    everywhere: bool,
    everything: bool,
    rule: str,
    **of: str | None,
) -> None:
    """Let nobody be told of some alerts for some time. They stand in the list all the same.

    \b
    Examples:
      foliot alert silence --job 'etl_*' --for 2h --reason "the database moves"
      foliot alert silence --alert 17 --for 1d --reason "known, mended tomorrow"
      foliot alert silence --node w-3 --until 06:00 --reason "kernel update"
      foliot alert silence -l team=data --for 2h --reason "month end"
    """
    if (lasts is None) == (until is None):
        raise click.UsageError("Say how long: --for 2h, or --until 06:00.")
    named: dict[str, Any] = {name: pattern for name, pattern in of.items() if pattern}
    if labels:
        named["tags"] = pairs(labels, text=True)
    made = user.client.silences.make(
        of=named,
        rule=rule,
        alert=number,
        lasts=lasts,
        until=user.times.read(until),
        reason=reason,
        everywhere=everywhere,
        everything=everything,
        namespace=user.namespace,
    )
    if not user.out.is_for_people:
        user.out.item(made, (), name="id")
        return
    end = user.times.told(made["until"])
    user.out.talk("silenced", mark="good", what=_what(user, made), until=end, id=made["id"])


@click.command()
@click.argument("number", metavar="ID", type=click.IntRange(1))
@remote
def unsilence(user: User, *, number: int) -> None:
    """End a silence before its time: what goes on is told again.

    \b
    Examples:
      foliot alert unsilence 3
    """
    ended = user.client.silences.end(number)
    if user.out.is_for_people:
        user.out.talk("unsilenced", mark="good", id=number, what=_what(user, ended))
    else:
        user.out.item(ended, (), name="id")


@click.command()
@click.option("--all", "every", is_flag=True, help="Also those that are over.")
@remote
def silences(user: User, *, every: bool) -> None:
    """List silences: what nobody is told of, until when, and why.

    \b
    Examples:
      foliot alert silences
      foliot alert silences --all -o json
    """
    answer = user.client.silences.list(ended=every, namespace=user.namespace).raw
    times = user.times
    columns = [
        Column("ID", "id"),
        Column("WHAT", lambda row: _what(user, row), least=12),
        Column("NAMESPACE", "namespace", empty=user.out.say("every_namespace")),
        Column(times.title("FROM"), times.instant("from_at"), least=8),
        Column(times.title("UNTIL"), times.instant("until"), least=8),
        Column("BY", "made_by", least=6),
        Column("ENDED BY", "ended_by", empty="-", wide=not every),
        Column("WHY", "reason", least=10),
    ]
    user.out.items(answer["items"], columns, name="id", answer=answer, empty="no_silences")


def _what(user: User, found: Mapping[str, Any]) -> str:
    """What is silent: `job=etl_* team=data`."""
    of = found["of"]
    parts = [f"{name}={of[name]}" for name in ("job", "group", "node") if of[name]]
    parts += [f"{tag}={value}" for tag, value in of["tags"].items()]
    if found["rule"]:
        parts.append(f"rule={found['rule']}")
    if found["alert"]:
        parts.append(f"alert={found['alert']}")
    return " ".join(parts) or user.out.say("everything")
