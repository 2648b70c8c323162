"""`foliot node`: servers and workers."""

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote

import click

from foliot.cli import EXIT_CODES
from foliot.cli.asking import Desk, Group, remote
from foliot.cli.completing import node_name
from foliot.cli.output import Column
from foliot.cli.speaking import Line
from foliot.cli.watching import Bar

GONE: Final = ("DEAD", "LEFT")
CLOCK_SHOWN_S: Final = 0.1
"""Less is the way there and back, not the clock."""


@click.group(cls=Group, epilog=EXIT_CODES)
def node() -> None:
    """Nodes: servers and workers, how they are, taking one out of service.

    \b
    Examples:
      foliot node list
      foliot node show w-3
      foliot node drain w-3 --reason "kernel update"
      foliot node undrain w-3
    """


@node.command("list")
@remote
def list_nodes(desk: Desk) -> None:
    """List nodes.

    \b
    Examples:
      foliot node list
      foliot node list -o wide
    """
    answer = desk.get("/nodes")
    desk.out.items(answer["items"], columns(desk), answer=answer)


def columns(desk: Desk) -> list[Column]:
    """How nodes are listed."""
    times = desk.times
    return [
        Column(title="NODE", of=lambda row: row["name"] + (" ★" if row["is_leader"] else ""), least=10),
        Column(title="KIND", of=lambda row: row["kind"]),
        Column(title="HEALTH", of=health_of, state=True, least=8),
        Column(title="BEAT", of=lambda row: times.lasting(row["beat_age_s"])),
        Column(title="SLOTS", of=lambda row: f"{row['running']}/{row['slots']}" if row["slots"] else "-"),
        Column(title="GROUP", of=lambda row: row["group"] or "-"),
        Column(title="LABELS", of=lambda row: ",".join(f"{k}={v}" for k, v in row["labels"].items()) or "-"),
        Column(title="STATE", of=lambda row: row["state"], wide=True),
        Column(title="VERSION", of=lambda row: row["version"]),
        Column(title="HOST", of=lambda row: f"{row['host']}:{row['pid']}", wide=True),
        Column(title="CLOCK", of=lambda row: clock_of(desk, row) or "-", wide=True),
        Column(title=f"SINCE ({times.zone_word})", of=lambda row: times.show(row["started_at"]), wide=True),
        Column(title="HANDLERS", of=lambda row: ", ".join(row["handlers"]), wide=True),
    ]


def health_of(node: Mapping[str, Any]) -> str:
    """How a node is; one that drains is well, and still takes no work."""
    is_draining = node["state"] == "draining" and node["health"] in ("ONLINE", "WARNING")
    return "draining" if is_draining else str(node["health"])


def clock_of(desk: Desk, node: Mapping[str, Any]) -> str:
    """How far a node's wall clock is from the store's, in words; empty when it has not been measured."""
    offset_s = node["clock_offset_s"]
    if offset_s is None:
        return ""
    if abs(offset_s) < CLOCK_SHOWN_S:
        return desk.out.say("clock_right")
    return desk.out.say("clock_ahead" if offset_s > 0 else "clock_behind", by=desk.times.lasting(abs(offset_s)))


@node.command()
@click.argument("name", shell_complete=node_name)
@remote
def show(desk: Desk, *, name: str) -> None:
    """Show a node and what runs on it.

    \b
    Examples:
      foliot node show w-3
      foliot node show w-3 -o json
    """
    found = desk.get(f"/nodes/{quote(name, safe='')}")
    desk.out.item(found, _lines(desk, found))


def _lines(desk: Desk, node: Mapping[str, Any]) -> Iterator[tuple[str, Line]]:
    times, out = desk.times, desk.out
    yield "node", (f"{node['name']}  {node['kind']}  ", out.state(health_of(node)))
    yield "beat", out.say("ago", lasting=times.lasting(node["beat_age_s"]))
    yield "group", node["group"]
    yield "labels", ", ".join(f"{key}={value}" for key, value in node["labels"].items())
    yield "slots", out.say("slots_taken", running=node["running"], slots=node["slots"]) if node["slots"] else ""
    yield "drained", _drained(node["drained_by"])
    yield "process", f"{node['host']} pid {node['pid']}, foliot {node['version']}"
    yield "since", times.full(node["started_at"])
    yield "clock", clock_of(desk, node)
    yield "handlers", ", ".join(node["handlers"])
    for run in node["runs"] or ():
        yield "runs", (f"{run['id']}  {run['job']}  ", out.state(run["shown"]))


def _drained(written: str | None) -> str:
    """Who asked for it, and why."""
    import json

    said = json.loads(written) if written else {}
    return "  ".join(str(said[key]) for key in ("by", "reason") if said.get(key))


@node.command()
@click.argument("name", shell_complete=node_name, required=False)
@click.option("--self", "is_self", is_flag=True, help="The worker on this machine.")
@click.option("--reason", default="", metavar="TEXT")
@click.option("--no-wait", is_flag=True, help="Do not wait for its runs.")
@click.option("--wait-for", "within", metavar="DURATION", default="10m", show_default=True, help="How long to wait.")
@remote
def drain(desk: Desk, *, name: str | None, is_self: bool, reason: str, no_wait: bool, within: str) -> None:
    """Take a node out of service: it takes no more work, what it runs goes on to its end.

    \b
    Examples:
      foliot node drain w-3 --reason "kernel update"
      foliot node drain --self --no-wait
      foliot node drain w-3 --wait-for 30m
      foliot node drain w-3 --no-wait
    """
    from foliot.domain.instants import SECOND, parse_duration

    if bool(name) == is_self:
        raise click.UsageError("Say which node: a name, or --self.")
    name = name or _on_this_machine(desk)
    asked = desk.post(f"/nodes/{quote(name, safe='')}:drain", {"reason": reason})
    path = f"/nodes/{quote(asked['id'], safe='')}"  # a server may have the same name
    out = desk.out
    out.talk("draining", mark="good", node=name, running=asked["running"])
    if not out.is_for_people:
        out.item(asked, ())
    if no_wait or not asked["running"]:
        return
    left_s, total = parse_duration(within) / SECOND, asked["running"]
    try:
        with Bar(out, total=total) as bar:
            while left_s > 0:
                running = desk.get(path)["running"]
                bar.tell(total - running, out.say("drain_progress", node=name, done=total - running, total=total))
                if not running:
                    out.talk("drained", mark="good", node=name)
                    return
                bar.pause(1.0)
                left_s -= 1.0
    except KeyboardInterrupt:
        out.talk("drain_goes_on", mark="warn", node=name)
        raise
    raise SystemExit(9)


def _on_this_machine(desk: Desk) -> str:
    """The name of the one worker that runs here."""
    import socket

    host = socket.gethostname()
    here = [one for one in desk.get("/nodes")["items"] if one["kind"] != "server" and one["host"] == host]
    names = sorted({one["name"] for one in here if one["health"] not in GONE})
    if len(names) != 1:
        found = f"these are: {', '.join(names)}" if names else "none is"
        raise click.UsageError(f"Exactly one worker must run on {host} for --self; {found}.")
    return str(names[0])


@node.command()
@click.argument("name", shell_complete=node_name)
@click.option("--reason", default="", metavar="TEXT")
@remote
def undrain(desk: Desk, *, name: str, reason: str) -> None:
    """Take a drained node back into service.

    \b
    Examples:
      foliot node undrain w-3
      foliot node undrain w-3 --reason "done"
    """
    back = desk.post(f"/nodes/{quote(name, safe='')}:undrain", {"reason": reason})
    desk.out.talk("undrained", mark="good", node=name)
    if not desk.out.is_for_people:
        desk.out.item(back, ())
