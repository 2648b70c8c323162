"""Nodes: servers and workers, how they are, and taking one out of service."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import NotFound
from foliot.domain.instants import MINUTE, Instant, Micros
from foliot.domain.names import nearest
from foliot.operations.finding import actor
from foliot.operations.notes import note
from foliot.operations.people import PeopleServices
from foliot.ports.journal import Happening, Topic
from foliot.ports.lookups import ClusterRow, NodeRow, RunFilter, RunRow

DEAD_SHOWN_US: Final[Micros] = 10 * MINUTE
RUNS_SHOWN: Final = 200


class Health(StrEnum):
    """How a node is, by the age of its last beat."""

    ONLINE = "ONLINE"
    WARNING = "WARNING"  # gets less work
    OFFLINE = "OFFLINE"  # gets none
    DEAD = "DEAD"  # its runs were moved


class NodeNotFound(NotFound):
    """No node has this name."""

    code = "FOL-2007"

    def __init__(self, name: str, *, nearest: str | None = None) -> None:
        super().__init__(
            f'No node "{name[:100]}".',
            hint=f"did you mean {nearest}?" if nearest else "see all: foliot node list",
            name=name,
            nearest=nearest,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node and how it is."""

    row: NodeRow
    health: Health
    beat_age_us: Micros
    is_leader: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """The cluster at a glance."""

    row: ClusterRow
    nodes: Sequence[Node]


async def list_nodes(services: PeopleServices, who: Principal) -> Sequence[Node]:
    """Every node session that lives, and those that died in the last ten minutes."""
    return (await cluster_status(services, who)).nodes


async def cluster_status(services: PeopleServices, who: Principal) -> Cluster:
    """Leader, term, queue, and every node."""
    who.demand_everywhere(Scope.READ)
    row = await services.lookups.cluster()
    nodes = await services.lookups.nodes(include_dead_since=row.now - DEAD_SHOWN_US)
    ttl_us = services.times.ttl_us
    return Cluster(row=row, nodes=[_node(node, row, ttl_us) for node in nodes])


async def find_node(services: PeopleServices, who: Principal, name: str) -> tuple[Node, Sequence[RunRow]]:
    """The live session of this name (or the newest), and what runs on it."""
    nodes = await list_nodes(services, who)
    own = [node for node in nodes if node.row.name == name or node.row.session == name]
    if not own:
        raise NodeNotFound(name, nearest=nearest(name, (node.row.name for node in nodes)))
    own.sort(key=lambda node: (node.health is not Health.DEAD, node.row.started_at))
    runs = await services.lookups.runs(RunFilter(states=("RUNNING",), node=own[-1].row.name), limit=RUNS_SHOWN)
    return own[-1], [run for run in runs.items if run.session == own[-1].row.session]


async def drain(services: PeopleServices, who: Principal, name: str, *, reason: str = "") -> Node:
    """Ask every live session of a node to take no more work; what it holds goes on to its end."""
    who.demand_everywhere(Scope.ADMIN)
    node, _ = await find_node(services, who, name)
    sessions = [one for one in await list_nodes(services, who) if one.row.name == node.row.name]
    for one in sessions:
        if one.health is not Health.DEAD:
            await services.store.nodes.drain(one.row.session, by=actor(who, reason))
    await note(
        services,
        Happening(
            key=f"node.drain_asked:{node.row.session}",
            topic=Topic.NODES,
            kind="node.drain_asked",
            subject=node.row.name,
            by=who.name,
            data={"reason": reason} if reason else {},
        ),
    )
    services.offers.forget()
    return (await find_node(services, who, name))[0]


def health_of(node: NodeRow, now: Instant, ttl_us: Micros) -> Health:
    """WARNING beyond half a session's time without a beat, OFFLINE beyond three quarters."""
    if node.state == "dead" or node.ended_at is not None:
        return Health.DEAD
    age = now - node.last_beat_at
    if age > ttl_us * 3 // 4:
        return Health.OFFLINE
    return Health.WARNING if age > ttl_us // 2 else Health.ONLINE


def _node(node: NodeRow, cluster: ClusterRow, ttl_us: Micros) -> Node:
    return Node(
        row=node,
        health=health_of(node, cluster.now, ttl_us),
        beat_age_us=max(0, cluster.now - node.last_beat_at),
        is_leader=cluster.leader_session == node.session and cluster.leader is not None,
    )
