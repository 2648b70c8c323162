"""Nodes: servers and workers, how they are, and taking one out of service."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from foliot.domain.access import Principal, Scope
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.errors import ClusterTrouble, Conflict, NotFound
from foliot.domain.health import Band, BandCause, Health, HealthRules, band_cause, worse
from foliot.domain.instants import MINUTE, Instant, Micros
from foliot.domain.load import strain
from foliot.domain.names import nearest
from foliot.domain.roles import SeenServers
from foliot.operations.cluster_troubles import (
    CLOCK_OFF_US,
    ClockOff,
    CoordinatorAway,
    FailoverEscalated,
    IgnoresMaintenance,
    KindFailed,
    NoLeader,
    ReplicasUnfit,
    SchedulesAhead,
    TooFewActive,
)
from foliot.operations.names import actor
from foliot.operations.notes import note
from foliot.operations.services import Looking, Services
from foliot.ports.store.failovers import Failover
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.store.lookups import ClusterRow, RunFilter, RunRow
from foliot.ports.store.node_row import NodeRow
from foliot.ports.store.rescheduling import AheadJob
from foliot.ports.worker_link import PROTOCOL_DRAINED_SERVER, KindFailure

DEAD_SHOWN_US: Final[Micros] = 10 * MINUTE
RUNS_SHOWN: Final = 200
FAILED_SHOWN: Final = 20  # kinds of handlers that do not work somewhere
ESCALATED_LOOKED_AT: Final = 500
ESCALATED_SHOWN: Final = 5
FARTHEST_LOOKED_AT: Final = 100
"""How many of the jobs whose next fire is farthest. Those that a wrong clock sent ahead by years are among them."""


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


class CannotDrain(Conflict):
    """A node that cannot be drained, or taken back, like this."""

    code = "FOL-3020"

    def __init__(self, name: str, why: str, *, hint: str) -> None:
        super().__init__(f"{name} {why}.", hint=hint, name=name, why=why)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node and how it is."""

    row: NodeRow
    health: Health
    beat_age_us: Micros
    is_leader: bool
    slots_given: int  # of its slots: for so many it gets runs, in its band
    cause: BandCause | None = None  # of its band, when it lives and is not ONLINE


@dataclass(frozen=True, slots=True, kw_only=True)
class CoordinatorState:
    """A coordination service beside the store, as the servers see it."""

    name: str
    servers: int  # that elect by it
    reached_by: int  # of them
    latency_s: float | None  # of its last answer, to the server that waited longest


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaState:
    """Replicas of the store that answer reads while it is away, as the servers see them."""

    servers: int  # that have one
    fit: int  # of them: it can answer
    age_s: float | None  # of the oldest of their answers, by the last beats


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterState:
    """The cluster at a glance."""

    row: ClusterRow
    nodes: Sequence[Node]
    ahead: Sequence[AheadJob] = ()  # jobs that stand ahead of their schedules
    escalated: Sequence[Failover] = ()  # failures that need a person
    servers: SeenServers | None = None  # with their roles, and how many there are to be
    alerts: Mapping[AlertLevel, int] = field(default_factory=dict)  # how many fire

    def troubles(self) -> list[ClusterTrouble]:
        """What is not well though it works."""
        return [
            *self._without_leader(),
            *self._too_few_active(),
            *(IgnoresMaintenance(row.name, row.version) for row in self.ignoring_maintenance()),
            *(FailoverEscalated(one) for one in self.escalated[:ESCALATED_SHOWN]),
            *self._coordinators_away(),
            *self._replicas_unfit(),
            *self._clocks_off(),
            *self._ahead(),
            *self._kinds_failed(),
        ]

    def ignoring_maintenance(self) -> list[NodeRow]:
        """Servers that go on deciding although a maintenance is on."""
        if self.row.maintenance is None:
            return []
        return [node.row for node in self.nodes if node.row.ignores_maintenance and not node.health.is_gone]

    def coordinators(self) -> list[CoordinatorState]:
        """The coordination services beside the store by which live servers elect, and who reaches them."""
        found: list[CoordinatorState] = []
        servers = [node.row for node in self.nodes if node.row.coordinator is not None and not node.health.is_gone]
        for name in sorted({row.coordinator or "" for row in servers}):
            own = [row for row in servers if row.coordinator == name]
            reaching = [row for row in own if row.reaches_coordinator]
            latencies = [row.load["coordinator_latency_s"] for row in reaching if "coordinator_latency_s" in row.load]
            slowest_s = max(latencies, default=None)
            found.append(CoordinatorState(name=name, servers=len(own), reached_by=len(reaching), latency_s=slowest_s))
        return found

    def _coordinators_away(self) -> list[ClusterTrouble]:
        return [
            CoordinatorAway(one.name, away=one.servers - one.reached_by, servers=one.servers)
            for one in self.coordinators()
            if one.reached_by < one.servers
        ]

    def replica(self) -> ReplicaState | None:
        """How the replicas of live servers are; None: no server has one."""
        loads = [node.row.load for node in self.nodes if "replica_fit" in node.row.load and not node.health.is_gone]
        if not loads:
            return None
        ages = [load["replica_age_s"] for load in loads if "replica_age_s" in load]
        return ReplicaState(servers=len(loads), fit=len(ages), age_s=max(ages, default=None))

    def _replicas_unfit(self) -> list[ClusterTrouble]:
        found = self.replica()
        if found is None or found.fit == found.servers:
            return []
        return [ReplicasUnfit(unfit=found.servers - found.fit, servers=found.servers)]

    def _without_leader(self) -> list[ClusterTrouble]:
        if self.row.leader is not None:
            return []
        servers = [node for node in self.nodes if node.row.kind == "server" and not node.health.is_gone]
        online = sum(node.health is Health.ONLINE for node in servers)
        for_us = None
        if 0 < self.row.leader_until < self.row.now:
            for_us = self.row.now - self.row.leader_until
        return [NoLeader(online=online, known=len(servers), for_us=for_us)]

    def _too_few_active(self) -> list[ClusterTrouble]:
        seen = self.servers
        if seen is None or seen.active >= seen.rules.active_min:
            return []
        return [TooFewActive(active=seen.active, least=seen.rules.active_min, standbys=len(seen.standbys))]

    def _clocks_off(self) -> list[ClusterTrouble]:
        """Return one trouble for each name: several sessions of one node have the same clock."""
        offsets: dict[str, Micros] = {}
        for node in self.nodes:
            offset_us = node.row.clock_offset_us or 0
            if not node.health.is_gone and abs(offset_us) >= CLOCK_OFF_US:
                offsets[node.row.name] = offset_us
        return [ClockOff(name, ahead_us=offset_us) for name, offset_us in offsets.items()]

    def _ahead(self) -> list[ClusterTrouble]:
        found: list[ClusterTrouble] = []
        for namespace in dict.fromkeys(job.namespace for job in self.ahead):
            own = [job for job in self.ahead if job.namespace == namespace]
            first = own[0]
            found.append(SchedulesAhead(first.name, namespace=namespace, count=len(own), next_due_at=first.next_due_at))
        return found

    def _kinds_failed(self) -> list[ClusterTrouble]:
        """Return one trouble for each failure, however many nodes have it."""
        nodes: dict[KindFailure, dict[str, None]] = {}
        for node in self.nodes:
            if not node.health.is_gone:
                for failed in node.row.kinds.failed:
                    nodes.setdefault(failed, {})[node.row.name] = None
        return [KindFailed(failed, list(names)) for failed, names in islice(nodes.items(), FAILED_SHOWN)]


async def list_nodes(services: Services, who: Principal) -> Sequence[Node]:
    """Every node session that lives, and those that died or left in the last ten minutes."""
    return (await cluster_nodes(services, who)).nodes


async def cluster_status(services: Services, who: Principal) -> ClusterState:
    """Leader, term, queue, every node, and what is not well."""
    cluster = await cluster_nodes(services, who)
    ahead = await services.store.jobs.farthest_ahead(plans=services.plans, limit=FARTHEST_LOOKED_AT)
    servers = await services.store.nodes.servers()
    alerts = await services.store.alerts.counts(namespace=None)
    return replace(cluster, ahead=ahead, escalated=await escalated(services), servers=servers, alerts=alerts)


async def escalated(services: Looking) -> list[Failover]:
    """Failures that need a person and are not over, or not for long."""
    found = await services.store.failovers.open(limit=ESCALATED_LOOKED_AT, within_us=DEAD_SHOWN_US)
    return [one for one in found if one.escalated_at is not None]


async def cluster_nodes(services: Looking, who: Principal) -> ClusterState:
    """The same without a look at schedules."""
    who.demand_everywhere(Scope.READ)
    row = await services.store.lookups.cluster()
    rows = await services.store.lookups.nodes(include_dead_since=row.now - DEAD_SHOWN_US)
    nodes = [_node(node, row, services.health) for node in rows]
    return ClusterState(row=row, nodes=nodes)


async def find_node(services: Services, who: Principal, name: str) -> tuple[Node, Sequence[RunRow]]:
    """Return the newest live session of this name (or the newest that is gone), and the runs it executes."""
    nodes = await list_nodes(services, who)
    own = [node for node in nodes if _has_name(node, name)]
    if not own:
        known = [node.row.name for node in nodes]
        raise NodeNotFound(name, nearest=nearest(name, known))
    own.sort(key=_live_and_new)
    node = own[-1]
    wanted = RunFilter(states=("RUNNING",), node=node.row.session)
    page = await services.store.lookups.runs(wanted, limit=RUNS_SHOWN)
    return node, page.items


def _has_name(node: Node, name: str) -> bool:
    return name in (node.row.name, node.row.handle)


def _live_and_new(node: Node) -> tuple[bool, Instant]:
    is_live = not node.health.is_gone
    return is_live, node.row.started_at


async def drain(services: Services, who: Principal, name: str, *, reason: str = "") -> Node:
    """Ask every live session of a node to take no more work; what it holds goes on to its end.

    A server fires, leases and leads no more from its next beat on, and goes on to serve users; `TooFewLeft`.
    """
    who.demand_everywhere(Scope.ADMIN)
    by = actor(who, reason)
    nodes = await _live(services, who, name)
    for one in nodes:
        if one.row.kind != "server":
            await services.store.nodes.drain(one.row.session, by=by)
            continue
        if one.row.protocol < PROTOCOL_DRAINED_SERVER:
            old = f"has foliot {one.row.version}, which knows no drain of a server"
            raise CannotDrain(name, old, hint="stop it: the other servers go on")
        await services.store.nodes.drain_server(one.row.session, by=by)
    services.roles_changed()
    await _note(services, who, "node.drain_asked", nodes[-1], reason)
    return await _again(services, who, nodes[-1])


async def undrain(services: Services, who: Principal, name: str, *, reason: str = "") -> Node:
    """Let a node that was asked to drain take work again."""
    who.demand_everywhere(Scope.ADMIN)
    nodes = await _live(services, who, name)
    taken_back = [node for node in nodes if await services.store.nodes.undrain(node.row.session)]
    if not taken_back:
        is_stopping = any(node.row.state == "draining" for node in nodes)
        if is_stopping:
            raise CannotDrain(name, "is stopping by itself and takes no more work", hint="start it again")
        raise CannotDrain(name, "is not draining", hint="see how it is: foliot node show " + name)
    await _note(services, who, "node.undrained", taken_back[-1], reason)
    services.roles_changed()
    services.runs_may_be_ready()
    return await _again(services, who, taken_back[-1])


async def _live(services: Services, who: Principal, name: str) -> Sequence[Node]:
    """The live worker sessions of this name, oldest first; without any, the live server. `NodeNotFound`.

    `foliot up` has a worker and a server of one name: the worker is meant.
    """
    await find_node(services, who, name)
    nodes = await list_nodes(services, who)
    live = [one for one in nodes if _has_name(one, name) and not one.health.is_gone]
    if not live:
        raise CannotDrain(name, "is gone already", hint="see who is there: foliot node list")
    workers = [one for one in live if one.row.kind != "server"]
    return sorted(workers or live, key=lambda one: one.row.started_at)


async def _again(services: Services, who: Principal, node: Node) -> Node:
    services.offers.forget()
    found, _ = await find_node(services, who, node.row.handle)
    return found


async def _note(services: Services, who: Principal, kind: str, node: Node, reason: str) -> None:
    await note(
        services,
        Happening(
            key=f"{kind}:{node.row.session}:{services.chance.token()[:8]}",
            topic=Topic.NODES,
            kind=kind,
            subject=node.row.name,
            by=who.name,
            data={"reason": reason} if reason else {},
        ),
    )


def health_of(node: NodeRow, now: Instant, rules: HealthRules) -> Health:
    """The worse of the age of its last beat and of what its beats said."""
    if node.state == "dead" or node.ended_at is not None:
        return Health.LEFT if node.has_left else Health.DEAD
    return worse(node.band, rules.by_quiet(rules.quiet_us(node.until, now)))


def _node(node: NodeRow, cluster: ClusterRow, rules: HealthRules) -> Node:
    health = health_of(node, cluster.now, rules)
    return Node(
        row=node,
        health=health,
        beat_age_us=max(0, cluster.now - node.last_beat_at),
        is_leader=cluster.leader_session == node.session and cluster.leader is not None,
        slots_given=0 if node.state == "draining" else rules.slots_given(node.slots, health),
        cause=None if health.is_gone else cause_of(node, cluster.now, rules),
    )


def cause_of(node: NodeRow, now: Instant, rules: HealthRules) -> BandCause | None:
    """Why a live node is not ONLINE."""
    quiet = rules.by_quiet(rules.quiet_us(node.until, now))
    band = Band(node.band, fell_by=node.fell_by)
    of_load = strain(node.load, node.load.get("score"))
    return band_cause(band, quiet, of_load, rules, memory=node.load.get("memory"))
