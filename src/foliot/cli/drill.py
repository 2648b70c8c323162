"""`foliot drill`: break a node on purpose, and see what the cluster does."""

import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final

import click

from foliot.cli import EXIT_CODES
from foliot.cli.completion import node_name
from foliot.cli.groups import Group
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column
from foliot.cli.terminal import echo
from foliot.domain.drills import DrillType
from foliot.domain.errors import FoliotError

TYPES: Final = click.Choice([str(type_) for type_ in DrillType])


@click.group(cls=Group, epilog=EXIT_CODES)
def drill() -> None:
    """Drills: break a node on purpose for a short time, and see what the cluster does.

    Only nodes that were started with --allow-drills take part. At most one drill is under way.

    \b
    Examples:
      foliot drill list
      foliot drill run crash --on w-3 --dry-run
      foliot drill run hang --on s-2 --for 30s
      foliot drill history
    """


@drill.command("list")
@remote
def list_types(user: User) -> None:
    """List what can be broken, and the nodes that take part.

    \b
    Examples:
      foliot drill list
    """
    found = user.client.drills.types()
    columns = [
        Column("TYPE", "type"),
        Column("ON", lambda row: ", ".join(row["on"])),
        Column("BREAKS", "breaks", least=20),
    ]
    user.out.items(found["items"], columns, name="type", answer=found)
    if user.out.is_for_people:
        echo("")
        nodes = ", ".join(found["nodes"]) or user.out.say("drill_no_nodes")
        user.out.item(found, [("take part", nodes)])


@drill.command("run")
@click.argument("type_", metavar="KIND", type=TYPES)
@click.option("--on", required=True, metavar="NODE", shell_complete=node_name, help="The node that is broken.")
@click.option("--for", "for_", default="30s", show_default=True, metavar="DURATION", help="How long; at most 10m.")
@click.option(
    "--size",
    metavar="DURATION",
    help="How far the clock is ahead (clock_step; -1h: back), or what each transaction takes longer (slow_store).",
)
@click.option("--alone", is_flag=True, help="Also when no other node can do its work.")
@click.option("--dry-run", is_flag=True, help="Say what would be broken, and break nothing.")
@click.option("--no-wait", is_flag=True, help="Do not wait for the end; foliot drill show tells it.")
@click.option("--reason", default="", metavar="TEXT")
@remote
def run_drill(
    user: User,
    *,
    type_: str,
    on: str,
    for_: str,
    size: str | None,
    alone: bool,
    dry_run: bool,
    no_wait: bool,
    reason: str,
) -> None:
    """Break a node: say what will be broken, ask, break it, wait, and tell how the cluster took it.

    The drill fails (exit code 1) when a fire was lost, doubled or early.

    \b
    Examples:
      foliot drill run crash --on w-3
      foliot drill run hang --on s-2 --for 20s --yes
      foliot drill run clock_step --on w-3 --size 2h
    """
    preview = user.client.drills.preview(type_, on=on, for_=for_, size=size)
    if dry_run:
        user.out.item(preview, _preview_lines(preview), name="node")
        return
    user.confirm(preview["consequences"])
    asked = user.client.drills.run(type_, on=on, for_=for_, size=size, alone=alone, reason=reason)
    if no_wait:
        user.out.talk("drill_asked", mark="run", id=asked["id"], type=type_, node=asked["node"])
        if not user.out.is_for_people:
            user.out.item(asked, (), name="id")
        return
    user.out.talk("drill_asked", mark="run", id=asked["id"], type=type_, node=asked["node"])
    try:
        ended = user.client.drills.wait(asked["id"])
    except KeyboardInterrupt:
        _stop_early(user, asked["id"])
        raise
    _tell_end(user, ended)


def _stop_early(user: User, number: int) -> None:
    """Ctrl-C: end the drill, where its node can hear of it."""
    try:
        user.client.drills.stop(number)
        user.out.talk("drill_stopping", mark="note", id=number)
    except FoliotError as error:
        user.out.talk("drill_goes_on", mark="warn", id=number, why=str(error))


def _tell_end(user: User, ended: Mapping[str, Any]) -> None:
    user.look_at_the_clock()
    user.out.item(ended, _lines(user, ended), name="id")
    if not _is_clean(ended):
        sys.exit(1)


def _is_clean(ended: Mapping[str, Any]) -> bool:
    """It was run to its end, and no fire was lost, doubled or early."""
    fires = ended["fires"]
    return ended["state"] == "ENDED" and not (fires["lost"] or fires["doubled"] or fires["early"])


@drill.command("show")
@click.argument("number", metavar="ID", type=click.IntRange(1))
@remote
def show_drill(user: User, *, number: int) -> None:
    """Show a drill: how far it is, or what the cluster did, compared with earlier drills of its type.

    \b
    Examples:
      foliot drill show 7
    """
    found = user.client.drills.get(number)
    user.out.item(found, _lines(user, found), name="id")


@drill.command("stop")
@click.argument("number", metavar="ID", type=click.IntRange(1))
@remote
def stop_drill(user: User, *, number: int) -> None:
    """End a drill early. A node that is killed, stopped or cut off cannot hear of it: then the drill ends by itself.

    \b
    Examples:
      foliot drill stop 7
    """
    found = user.client.drills.stop(number)
    user.out.talk("drill_stopping", mark="good", id=number)
    if not user.out.is_for_people:
        user.out.item(found, (), name="id")


@drill.command("history")
@click.option("--type", "of_type", type=TYPES, metavar="KIND", help="Of one type; foliot drill list names them.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@remote
def history(user: User, *, of_type: str | None, limit: int) -> None:
    """List the drills there were, with their times, newest first.

    \b
    Examples:
      foliot drill history
      foliot drill history --type crash
    """
    times = user.times
    answer = user.listed(user.client.drills.list, limit=limit, type=of_type)
    columns = [
        Column("ID", "id"),
        Column(times.title("ASKED"), times.instant("asked_at"), least=8),
        Column("TYPE", "type"),
        Column("NODE", "node", least=6),
        Column("SIZE", lambda row: times.lasting(row.get("size_s")), empty="-"),
        Column("STATE", lambda row: row["state"].lower()),
        Column("DETECTED", times.duration("detected_s"), empty="-"),
        Column("FAILED OVER", times.duration("failed_over_s"), empty="-"),
        Column("RECOVERED", times.duration("recovered_s"), empty="-"),
        Column("LOST", lambda row: _count(row, "lost")),
        Column("DOUBLED", lambda row: _count(row, "doubled")),
        Column("EARLY", lambda row: _count(row, "early")),
    ]
    user.out.items(answer["items"], columns, name="id", answer=answer)


def _count(row: Mapping[str, Any], name: str) -> str:
    return "-" if row["fires"] is None else str(row["fires"][name])


def _preview_lines(preview: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "type", preview["type"]
    yield "node", preview["node"]
    for sentence in preview["consequences"]:
        yield "breaks", sentence
    if preview["run_ids"]:
        yield "run ids", ", ".join(preview["run_ids"])


def _lines(user: User, found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    times, say = user.times, user.out.say
    yield "drill", str(found["id"])
    yield "type", found["type"]
    yield "node", found["node"]
    yield "size", times.lasting(found.get("size_s"))
    yield "state", found["state"].lower()
    yield "asked", times.full(found["asked_at"])
    yield "by", found["by"]
    yield "reason", found["reason"]
    fires = found["fires"]
    if fires is None:
        return
    yield "detected", _took(user, found, "detected_s")
    yield "failed over", _took(user, found, "failed_over_s")
    yield "recovered", _took(user, found, "recovered_s")
    yield "fires", say("drill_fires", **{name: str(fires[name]) for name in ("due", "lost", "doubled", "early")})
    yield "worst delay", times.lasting(found["worst_delay_s"])
    yield "rerun", str(found["rerun"])
    if fires["late"]:
        yield "not decided", str(fires["late"])
    if fires["named"]:
        yield "look at", ", ".join(fires["named"])
    if not found["every_job"]:
        yield "judged", say("drill_some_jobs", jobs=fires["jobs"])
    if found["failovers"]:
        yield "failovers", ", ".join(f"#{failover}" for failover in found["failovers"])


def _took(user: User, found: Mapping[str, Any], name: str) -> str:
    """A time of the report, and how it compares with the usual one."""
    if found[name] is None:
        return user.out.say("drill_never")
    took = user.times.lasting(found[name])
    compared = found["compared"].get(name)
    return took if compared is None else f"{took}  ({user.out.say(f'drill_{compared}')})"
