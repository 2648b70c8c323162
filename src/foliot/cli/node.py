"""`foliot node`: servers and workers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import click

from foliot.cli import EXIT_CODES
from foliot.cli.completion import node_name
from foliot.cli.crews import GONE, Node, crews, kinds_of
from foliot.cli.groups import Group
from foliot.cli.node_drain import drain, undrain
from foliot.cli.server_access import User, remote
from foliot.cli.stats import node_stats
from foliot.cli.table import Column
from foliot.cli.terminal import Line
from foliot.domain.restarts import WEDGED, Restarts

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
      foliot node promote s-3
    """


for command in (drain, undrain, node_stats):
    node.add_command(command)


@node.command("list")
@remote
def list_nodes(user: User) -> None:
    """List nodes.

    \b
    Examples:
      foliot node list
      foliot node list -o wide
    """
    found = user.client.nodes.list()
    user.out.page(found, columns(user, found))


def columns(user: User, nodes: Sequence[Node]) -> list[Column]:
    """How these nodes are listed."""
    times, in_crews = user.times, crews(nodes)
    return [
        Column("NODE", name_of, least=10),
        Column("KIND", kind_of),
        Column("HEALTH", health_of, state=True, least=8),
        Column("BEAT", times.duration("beat_age_s")),
        Column("SLOTS", lambda node: slots_of(node, shows_kinds=node["id"] in in_crews), empty="-"),
        Column("WEIGHT", weight_of, empty="-", wide=True),
        Column("GROUP", "group", empty="-"),
        Column("LABELS", labels_of, empty="-"),
        Column("SCORE", score_of, empty="-", wide=True),
        Column("LIFE", lambda node: node.get("life", ""), state=True, wide=True),
        Column("VERSION", "version"),
        Column("HOST", lambda node: f"{node['host']}:{node['pid']}", wide=True),
        Column("CLOCK", lambda node: clock_of(user, node), empty="-", wide=True),
        Column(times.title("SINCE"), times.instant("started_at"), wide=True),
        Column("HANDLERS", "handlers", wide=True),
    ]


def name_of(node: Node) -> str:
    """A node's name; the leader's has a star, and one where a kind of handler does not work has a mark."""
    star = " ★" if node["is_leader"] else ""
    failed = " ▲" if node.get("failed_kinds") else ""
    return f"{node['name']}{star}{failed}"


def kind_of(node: Node) -> str:
    """Whether it is a worker, an active server or a standby."""
    return "standby" if node.get("role") == "STANDBY" else str(node["kind"])


def slots_of(node: Node, *, shows_kinds: bool) -> str:
    """How many of its slots are taken, for how many it gets runs if not for all, and by which kinds."""
    if not node["slots"]:
        return ""
    taken = f"{node['running']}/{node['slots']}"
    if (given := _given(node)) < node["slots"]:
        taken = f"{taken} ≤{given}"
    return f"{taken} {kinds_of(node)}" if shows_kinds else taken


def weight_of(node: Node) -> str:
    """The share of work that a worker gets beside others; a server has none, and an older one does not say."""
    weight = node.get("weight")
    return "" if weight is None else str(weight)


def score_of(node: Node) -> str:
    """How loaded a node is; empty when it does not say."""
    score = node.get("score")
    return "" if score is None else f"{score:.2f}"


def labels_of(node: Node, *, between: str = ",") -> str:
    """What a worker says of itself."""
    labels = node["labels"].items()
    pairs = [f"{key}={value}" for key, value in labels]
    return between.join(pairs)


def health_of(node: Node) -> str:
    """How a node is; one that drains is well, and still takes no work."""
    health = str(node["health"])
    is_well = health in ("ONLINE", "WARNING")
    is_draining = is_well and node["state"].upper() == "DRAINING"
    return "DRAINING" if is_draining else health


def clock_of(user: User, node: Node) -> str:
    """How far a node's wall clock is from the store's, in words; empty when it has not been measured."""
    offset_s = node["clock_offset_s"]
    if offset_s is None:
        return ""
    if abs(offset_s) < CLOCK_SHOWN_S:
        return user.out.say("clock_right")
    return user.out.say("clock_ahead" if offset_s > 0 else "clock_behind", by=user.times.lasting(abs(offset_s)))


@node.command()
@click.argument("name", shell_complete=node_name)
@remote
def show(user: User, *, name: str) -> None:
    """Show a node and what runs on it.

    \b
    Examples:
      foliot node show w-3
      foliot node show w-3 -o json
    """
    found = user.client.nodes.get(name)
    if not user.out.is_for_people:
        user.out.item(found, ())
        return
    nodes = user.client.nodes.list()
    crew = crews(nodes).get(found["id"], [])
    user.out.item(found, _lines(user, found, crew))
    _tell_others(user, name, found, [one for one in nodes if one not in crew])


def _tell_others(user: User, name: str, shown: Node, nodes: Sequence[Node]) -> None:
    """Say that other live nodes have the same name, and how each is asked for."""
    others = [one for one in nodes if one["name"] == name and one["id"] != shown["id"] and one["health"] not in GONE]
    if others:
        named = ", ".join(f"{one['kind']} {one['id']}" for one in others)
        user.out.talk("node_ambiguous", mark="warn", count=len(others) + 1, node=name, id=shown["id"], others=named)


def _lines(user: User, node: Node, crew: Sequence[Node]) -> Iterator[tuple[str, Line]]:
    yield from _state_lines(user, node)
    yield from _process_lines(user, node, crew)
    yield from _work_lines(user, node)


def _state_lines(user: User, node: Node) -> Iterator[tuple[str, Line]]:
    """How the node is, and how much work it has."""
    times, out = user.times, user.out
    yield "node", (f"{node['name']}  {kind_of(node)}  ", out.state(health_of(node)))
    yield "why", node.get("health_why") or ""
    yield "role", _role(user, node)
    yield "beat", out.say("ago", lasting=times.lasting(node["beat_age_s"]))
    yield "group", node["group"]
    yield "labels", labels_of(node, between=", ")
    yield "slots", out.say("slots_taken", running=_busy(node), slots=node["slots"]) if node["slots"] else ""
    yield "weight", weight_of(node)
    yield "work", _work(user, node)
    if waiting := _waiting(node):
        yield "waits", out.say("waiting_runs", count=waiting)
    yield "drained", _drained(node["drained_by"])


def _process_lines(user: User, node: Node, crew: Sequence[Node]) -> Iterator[tuple[str, Line]]:
    """Its process, where it is reached, and since when."""
    times, out = user.times, user.out
    yield "process", f"{node['host']} pid {node['pid']}, foliot {node['version']}"
    for one in crew:
        taken = out.say("slots_of_kind", kinds=kinds_of(one), running=_busy(one), slots=one["slots"], id=one["id"])
        yield "process", taken
    yield "restarts", _restarts(user, node)
    yield "address", node.get("address") or ""
    yield "since", times.full(node["started_at"])
    for life, at in node.get("life_times", {}).items():
        yield "life", (out.state(life), f"  {times.show(at)}")
    yield "clock", clock_of(user, node)


def _work_lines(user: User, node: Node) -> Iterator[tuple[str, Line]]:
    """Its load, what it can execute, and what it executes."""
    yield "load", _shares(user, node)
    yield "load", _counts(user, node)
    yield "handlers", ", ".join(node["handlers"])
    yield "kinds", ", ".join(f"{one['kind']} {one['version']}".strip() for one in node.get("kinds", ()))
    for failed in node.get("failed_kinds", ()):
        yield "failed", _failed(failed)
    for run in node["runs"] or ():
        yield "runs", (f"{run['id']}  {run['job']}  ", user.out.state(run["shown"]))


def _role(user: User, node: Node) -> str:
    """What a server does, if it was ever promoted or demoted, and since when."""
    since = node.get("role_since")
    return "" if since is None else user.out.say("role_since", role=node["role"].lower(), since=user.times.show(since))


def _restarts(user: User, node: Node) -> str:
    """How often its supervisor started it again, and why the last time; empty: never."""
    restarts = Restarts.of(node["load"])
    if not restarts.count:
        return ""
    case = "restarts_wedged" if restarts.after == WEDGED else "restarts_code"
    return user.out.say(case, count=restarts.count, code=restarts.after)


def _given(node: Node) -> int:
    """For how many slots it gets runs; an older server does not say, and gives runs for all."""
    return int(node.get("slots_given", node["slots"]))


def _work(user: User, node: Node) -> str:
    """For how many of its slots a worker gets runs, when not for all."""
    slots, given = node["slots"], _given(node)
    return user.out.say("slots_given", given=given, slots=slots) if given < slots else ""


def _shares(user: User, node: Node) -> str:
    load = node["load"]
    if "cpu" not in load:
        return ""
    shares = {name: f"{load.get(name, 0):.0%}" for name in ("cpu", "memory", "disk")}
    return user.out.say("load_shares", **shares, score=score_of(node) or "-")


def _counts(user: User, node: Node) -> str:
    load = node["load"]
    if "threads" not in load:
        return ""
    counts = {name: int(load.get(name, 0)) for name in ("threads", "files", "connections", "queue")}
    return user.out.say("load_counts", **counts)


def _failed(kind: Mapping[str, str]) -> str:
    """A kind of handler that does not work there, and why."""
    package = f"{kind['package']} {kind['version']}".strip()
    return f"{kind['kind']}  {package}: {kind['why']}"


def _waiting(node: Node) -> int:
    """Runs that wait for other systems, and take no slot."""
    return int(node["load"].get("waiting", 0))


def _busy(node: Node) -> int:
    return max(0, int(node["running"]) - _waiting(node))


def _drained(written: str | None) -> str:
    """Who asked for it, and why."""
    import json

    said = json.loads(written) if written else {}
    return "  ".join(str(said[key]) for key in ("by", "reason") if said.get(key))


@node.command()
@click.argument("name", shell_complete=node_name)
@click.option("--reason", default="", metavar="TEXT")
@remote
def promote(user: User, *, name: str, reason: str) -> None:
    """Make a standby active: it fires, leases and may lead from its next beat on.

    \b
    Examples:
      foliot node promote s-3
      foliot node promote s-3 --reason "s-1 goes into repair"
    """
    user.out.done("promoted", user.client.nodes.promote(name, reason=reason), node=name)


@node.command()
@click.argument("name", shell_complete=node_name)
@click.option("--reason", default="", metavar="TEXT")
@remote
def demote(user: User, *, name: str, reason: str) -> None:
    """Make a server a standby: it serves users, and fires and leases nothing.

    \b
    Examples:
      foliot node demote s-3
      foliot node demote s-3 --reason "s-1 is back"
    """
    user.out.done("demoted", user.client.nodes.demote(name, reason=reason), node=name)
