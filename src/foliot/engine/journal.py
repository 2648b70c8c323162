"""The journal: the leader notes which nodes came and went, and removes old notes."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from foliot.domain.instants import DAY, MINUTE, Instant, Micros
from foliot.domain.restarts import Restarts
from foliot.engine.pulse import Tide
from foliot.ports.store.failovers import FailoverStore
from foliot.ports.store.journal import Happening, Journal, Topic, election_key
from foliot.ports.store.lookups import ClusterRow, Lookups
from foliot.ports.store.node_row import NodeRow
from foliot.ports.store.replies import ReplyStore

CLEARED_PER_ROUND: Final = 1000
JOURNAL_KEEP: Final[Micros] = 90 * DAY
REPLIES_KEEP: Final[Micros] = DAY
LOOK_BACK: Final[Micros] = 10 * MINUTE


class NodeNotes:
    """Notes in the journal which nodes came and went and who leads. Keys make each note unique, on any server."""

    def __init__(
        self,
        lookups: Lookups,
        journal: Journal,
        *,
        tide: Tide,
        on_nodes: Callable[[Sequence[NodeRow]], None] = lambda _nodes: None,
    ) -> None:
        """`on_nodes`: called with every node, at each look."""
        self._lookups = lookups
        self._journal = journal
        self._tide = tide
        self._on_nodes = on_nodes
        self._noted: set[str] = set()
        self._noted_in: int | None = None  # the term under which they were noted
        self._term: int | None = None

    async def chronicle(self, term: int) -> None:
        if self._tide.pulse is None:
            return
        if term != self._noted_in:  # a note after the end of its term did not land
            self._noted = set()
            self._noted_in = term
        election = await self._election(term)
        happenings = [*election, *await self._of_nodes()]
        seen = {happening.key: happening for happening in happenings}
        fresh = [happening for key, happening in seen.items() if key not in self._noted]
        if fresh:
            await self._journal.note(fresh, term=term)
        self._noted = set(seen)
        if election:  # only now: a note that failed is tried again in the next round
            self._term = term

    async def _election(self, term: int) -> list[Happening]:
        """The election of this term, until it is noted: the whole cluster costs several statements to look at."""
        if term == self._term:
            return []
        cluster = await self._lookups.cluster()
        if cluster.leader is None:
            return []
        return [_elected(cluster, cluster.leader)]

    async def _of_nodes(self) -> list[Happening]:
        since = self._tide.store_now() - LOOK_BACK
        nodes = await self._lookups.nodes(include_dead_since=since)
        self._on_nodes(nodes)
        happenings = [happening for node in nodes for happening in _of_node(node)]
        if self._is_maintenance():
            happenings += [_about(node, "maintenance.ignored") for node in nodes if node.ignores_maintenance]
        return happenings

    def _is_maintenance(self) -> bool:
        pulse = self._tide.pulse
        return pulse is not None and pulse.maintenance_until > self._tide.store_now()


class OldNotes:
    """Removes old notes, failovers and answers, in small steps (R12)."""

    def __init__(self, lookups: Lookups, journal: Journal, replies: ReplyStore, failovers: FailoverStore) -> None:
        self._lookups = lookups
        self._journal = journal
        self._replies = replies
        self._failovers = failovers

    async def clear(self, term: int) -> float | None:
        now = await self._lookups.now()
        notes = await self._journal.forget(before=now - JOURNAL_KEEP, limit=CLEARED_PER_ROUND, term=term)
        replies = await self._replies.forget(older_us=REPLIES_KEEP, limit=CLEARED_PER_ROUND, term=term)
        failovers = await self._failovers.forget(before=now - JOURNAL_KEEP, limit=CLEARED_PER_ROUND, term=term)
        may_be_more = notes + replies + failovers >= CLEARED_PER_ROUND
        return 0.5 if may_be_more else None


def _elected(cluster: ClusterRow, leader: str) -> Happening:
    return Happening(
        key=election_key(cluster.epoch, cluster.term),
        topic=Topic.CLUSTER,
        kind="leader.elected",
        subject=leader,
        data={"term": cluster.term},
    )


def _of_node(node: NodeRow) -> Iterator[Happening]:
    yield _about(node, "node.joined")
    yield from _restarted(node)
    if node.state == "draining":
        yield _about(node, "node.draining")
    elif node.state == "dead":
        yield _about(node, "node.left" if node.ended_at is None or node.has_left else "node.dead")
    if node.band_at is not None:
        yield _in_band(node, node.band_at)
    yield from _of_coordinator(node)


def _restarted(node: NodeRow) -> Iterator[Happening]:
    """A supervisor started its process again. A new session of the same process, or a second one of it, is no restart:
    the key goes by the process, and by the minute in which it began, because numbers of processes come back.
    """
    restarts = Restarts.of(node.load)
    if not restarts.count:
        return
    began = (node.begun_at or 0) // MINUTE
    data = {"id": node.handle, "kind": node.kind, "restarts": restarts.count, "after": restarts.after}
    key = f"node.restarted:{node.name}:{node.host}:{node.pid}:{restarts.count}:{began}"
    yield Happening(key=key, topic=Topic.NODES, kind="node.restarted", subject=node.name, data=data)


def _in_band(node: NodeRow, band_at: Instant) -> Happening:
    """Its beats changed its band. A change that another follows within a look is not noted."""
    data = {"id": node.handle, "band": node.band.value, "score": node.load.get("score")}
    if node.fell_by is not None:
        data["cause"] = node.fell_by.value
        data |= {figure: node.load[figure] for figure in ("memory", "starved") if figure in node.load}
    return Happening(
        key=f"node.band:{node.session}:{band_at}",
        topic=Topic.NODES,
        kind="node.band",
        subject=node.name,
        data=data,
    )


def _of_coordinator(node: NodeRow) -> Iterator[Happening]:
    """The last time that a server's coordination service fell silent, and its return. The beat says it."""
    outages = node.coordinator_outages
    if outages == 0:
        return
    yield _about_coordinator(node, "coordinator.away", outages)
    if node.reaches_coordinator:
        yield _about_coordinator(node, "coordinator.back", outages)


def _about_coordinator(node: NodeRow, kind: str, outages: int) -> Happening:
    return Happening(
        key=f"{kind}:{node.session}:{outages}",
        topic=Topic.CLUSTER,
        kind=kind,
        subject=node.name,
        data={"coordinator": node.labels.get("coordinator", "")},
    )


def _about(node: NodeRow, kind: str) -> Happening:
    return Happening(
        key=f"{kind}:{node.session}",
        topic=Topic.NODES,
        kind=kind,
        subject=node.name,
        data={"id": node.handle, "kind": node.kind, "group": node.group},
    )
