"""`foliot cluster`: the cluster at a glance, its leader, what happened."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import click

from foliot.cli import EXIT_CODES
from foliot.cli.ahead import ahead
from foliot.cli.cluster_settings import settings
from foliot.cli.completion import node_name
from foliot.cli.crews import GONE
from foliot.cli.doctor import doctor
from foliot.cli.failovers import failovers, policy
from foliot.cli.groups import Group
from foliot.cli.maintenance import maintenance, told
from foliot.cli.node import columns as node_columns
from foliot.cli.server_access import User, remote
from foliot.cli.stats import cluster_stats
from foliot.cli.table import Column
from foliot.cli.terminal import echo
from foliot.cli.time_options import TypedTime, time_option
from foliot.cli.times import Times
from foliot.client.streams import StreamEvent
from foliot.domain.visible import visible_line

SAID_BEFORE: Final = frozenset({"at", "subject", "job", "namespace", "topic"})  # in front of a change's details
QUEUE_COUNTED_MAX: Final = 10_000  # the server counts no further


@click.group(cls=Group, epilog=EXIT_CODES)
def cluster() -> None:
    """The cluster: status, leader, events, health.

    \b
    Examples:
      foliot cluster status
      foliot cluster doctor
      foliot cluster step-down --reason "kernel update"
      foliot cluster maintenance on --for 30m
      foliot cluster events --since 1h
      foliot cluster stats --from 24h
    """


cluster.add_command(ahead)
cluster.add_command(doctor)
cluster.add_command(failovers)
cluster.add_command(policy)
cluster.add_command(maintenance)
cluster.add_command(settings)
cluster.add_command(cluster_stats)


@cluster.command()
@remote
def status(user: User) -> None:
    """Show leader, term, queue, lag and every node.

    \b
    Examples:
      foliot cluster status
      foliot cluster status -o json
    """
    found = user.client.cluster.status()
    if not user.out.is_for_people:
        user.out.item(found, (), name="leader")
        return
    user.out.item(found, _lines(user, found), name="leader")
    for trouble in found["troubles"]:
        echo(user.out.mark("warn"), trouble["message"])
        echo(user.out.dim(f"  {trouble['hint']}  [{trouble['code']}]"))
    echo("")
    user.out.items(found["nodes"], node_columns(user, found["nodes"]))


def _since(user: User, found: Mapping[str, Any]) -> str | None:
    """Since when the leader leads; a server of an older version does not say."""
    since = found.get("leader_since")
    return user.times.told(since) if since else None


def _lines(user: User, found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    times, say = user.times, user.out.say
    yield "leader", say("leader_now", leader=found["leader"] or "-", term=found["term"], since=_since(user, found))
    if found.get("maintenance"):
        yield "maintenance", say("maintenance_now", **told(user, found["maintenance"]))
    servers = [node for node in found["nodes"] if node["kind"] == "server" and node["health"] not in GONE]
    standbys = sum(node.get("role") == "STANDBY" for node in servers)
    drained = sum(node["state"] == "DRAINING" for node in servers)
    counts = {"standbys": standbys or None, "drained": drained or None}
    yield "servers", say("servers_now", online=found["servers_online"], known=len(servers), **counts)
    workers = say("workers_now", online=found["workers_online"], slots=found["slots"])
    if found["workers_warning"]:
        workers += say("workers_unwell", count=found["workers_warning"])
    yield "workers", workers
    counted = f"{found['queue']:,}".replace(",", " ") if found["queue"] <= QUEUE_COUNTED_MAX else "10 000+"
    queue = say("queue_now", queue=counted, running=found["running"])
    if found["oldest_ready_s"]:
        queue += say("oldest", lasting=times.lasting(found["oldest_ready_s"]))
    yield "queue", queue
    firing = found.get("alerts") or {}  # a server of an older version counts none
    if any(firing.values()):
        yield "alerts", say("alerts_now", **{level: count or None for level, count in firing.items()})
    if found["overdue_s"]:
        yield "lag", say("overdue", lasting=times.lasting(found["overdue_s"]))
    yield "store", say("store_now", store=found["store"], epoch=found["epoch"])
    for one in found["coordinators"]:
        yield "coordinator", _coordinator(user, one)
    if found.get("replica"):
        yield "replica", _replica(user, found["replica"])
    if found["clock_suspect"]:
        yield "clock", _in_doubt(user, found)


def _coordinator(user: User, found: Mapping[str, Any]) -> str:
    told = user.out.say("coordinator_now", **found)
    if found["latency_s"] is None:
        return told
    return told + user.out.say("coordinator_latency", ms=f"{found['latency_s'] * 1000:.1f}")


def _replica(user: User, found: Mapping[str, Any]) -> str:
    age_s = found["age_s"]
    age = None if age_s is None else user.times.lasting(age_s)
    return user.out.say("replica_now", fit=found["fit"], servers=found["servers"], age=age)


def _in_doubt(user: User, found: Mapping[str, Any]) -> str:
    ahead_s = found["clock_ahead_s"]
    if not ahead_s:
        return user.out.say("clock_apart")
    ahead = user.times.lasting(ahead_s)
    return user.out.say("clock_jumped", by=ahead)


@cluster.command()
@remote
def leader(user: User) -> None:
    """Show who does the cluster's housekeeping.

    \b
    Examples:
      foliot cluster leader
      foliot cluster leader -q
    """
    found = user.client.cluster.status()
    told = {"leader": found["leader"], "term": found["term"], "since": found.get("leader_since")}
    if user.out.is_for_people:
        name = found["leader"] or user.out.say("none")
        echo(user.out.say("leader_line", leader=name, term=found["term"], since=_since(user, found)))
    else:
        user.out.item(told, (), name="leader")


@cluster.command("step-down")
@click.option(
    "--to", metavar="NODE", shell_complete=node_name, help="Which server is to lead; unless said, the oldest."
)
@click.option("--reason", default="", metavar="TEXT")
@remote
def step_down(user: User, *, to: str | None, reason: str) -> None:
    """Hand the cluster's housekeeping to another server. Jobs fire and run meanwhile.

    \b
    Examples:
      foliot cluster step-down
      foliot cluster step-down --to s-2 --reason "kernel update"
    """
    handed = user.client.cluster.step_down(to=to, reason=reason)
    user.out.talk(
        "stepped_down", mark="good", before=handed["before"] or "-", leader=handed["leader"], term=handed["term"]
    )
    if not user.out.is_for_people:
        user.out.item(handed, (), name="leader")


@cluster.command()
@click.option("--topic", metavar="TOPICS", help="jobs, runs, nodes, cluster; several with commas.")
@click.option("--subject", metavar="NAME", help="About one job, run or node.")
@time_option("cluster events --since", help="From then on.")
@click.option("-f", "--follow", is_flag=True, help="Go on with what happens.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@remote
def events(
    user: User, *, topic: str | None, subject: str | None, since: TypedTime | None, follow: bool, limit: int
) -> None:
    """Show what happened: changes of jobs, nodes that came and went, elections, tokens.

    \b
    Examples:
      foliot cluster events --since 1h
      foliot cluster events --subject settle
      foliot cluster events -f -o jsonl
    """
    if follow:
        _follow(user, topic, subject)
        return
    times = user.times
    which = {"topic": topic, "subject": subject, "since": times.read(since), "namespace": user.namespace}
    answer = user.listed(user.client.events.list, limit=limit, **which)
    columns = [
        Column(times.title("AT"), times.instant("at"), least=8),
        Column("WHAT", "kind", least=10),
        Column("SUBJECT", "subject", least=10),
        Column("BY", "by", empty="-"),
        Column("DETAIL", lambda row: _detail(row["data"]), least=10),
    ]
    user.out.items(answer["items"], columns, name="id", answer=answer)


def event_line(times: Times, event: StreamEvent) -> str:
    """A change as it happens: when, what, of whom, and the rest."""
    data = event.data
    subject = data.get("subject") or ""
    at = times.show(data.get("at")) or "-"
    rest = {key: value for key, value in data.items() if key not in SAID_BEFORE}
    return f"{at:<8}  {event.kind:<16}  {subject}  {_detail(rest)}".rstrip()


def _detail(data: Mapping[str, Any]) -> str:
    known = {key: _listed(value) for key, value in data.items() if value is not None}
    return "  ".join(f"{key}={value}" for key, value in known.items())


def _listed(value: Any) -> Any:
    return ",".join(map(str, value)) if isinstance(value, list) else value


def _follow(user: User, topic: str | None, subject: str | None) -> None:
    """The stream of changes, until the reader has seen enough."""
    topics = (topic or "jobs,runs,nodes,cluster").split(",")
    if subject:
        topics = [f"{one}/{subject}" for one in topics]
    for event in user.client.events.follow(topics):
        if user.out.is_for_people:
            echo(visible_line(event_line(user.times, event)))
        else:
            echo(json.dumps({"event": event.kind, "event_id": event.id, **event.data}, ensure_ascii=False))
