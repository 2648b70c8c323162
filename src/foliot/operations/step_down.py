"""Step down: the cluster's housekeeping is handed to another server. Jobs fire and run meanwhile as always (S10).

Any server can be asked. It writes down who is wanted; the leader reads that with its pulse, stops to trust its term
and only then hands the next one over, so the two never overlap (I10).
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import Conflict
from foliot.domain.health import Health
from foliot.domain.instants import SECOND, Instant, Micros
from foliot.domain.names import nearest
from foliot.domain.roles import Role
from foliot.operations.nodes import ClusterState, Node, NodeNotFound, cluster_status
from foliot.operations.notes import note
from foliot.operations.services import Services
from foliot.ports.store.journal import Happening, Topic

WISH_US: Final[Micros] = 5 * SECOND
LOOK_EVERY_S: Final = 0.05
LOOKS_MAX: Final = 100


class CannotLead(Conflict):
    """Leadership cannot be handed over like this."""

    code = "FOL-3019"

    def __init__(self, why: str, *, hint: str = "see who is there: foliot node list") -> None:
        super().__init__(f"Leadership was not handed over: {why}.", hint=hint, why=why)


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """Who led, and who leads now."""

    before: str | None
    leader: str
    term: int


async def step_down(services: Services, who: Principal, *, to: str | None = None, reason: str = "") -> Handover:
    """Hand leadership to a server, or to the one that has been there longest. Any server can be asked."""
    who.demand_everywhere(Scope.ADMIN)
    seen = await cluster_status(services, who)
    heir = _heir(seen, to)
    await services.store.nodes.wish(heir.row.session, ttl_us=WISH_US)
    services.cursors_moved()  # wakes the pulse of every server, so that the leader learns of it
    term = await _handed(services, heir.row.session)
    handed = Handover(before=seen.row.leader, leader=heir.row.name, term=term)
    await note(services, _happening(who, handed, reason))
    return handed


async def _handed(services: Services, heir: str) -> int:
    """The term under which the heir leads, as soon as it does."""
    for _ in range(LOOKS_MAX):
        row = await services.store.lookups.cluster()
        if row.leader_session == heir and row.leader is not None:
            return row.term
        await services.clock.wait(asyncio.Event(), for_s=LOOK_EVERY_S)
    raise CannotLead("the leader did not let go in time", hint="look again: foliot cluster leader")


def _heir(seen: ClusterState, to: str | None) -> Node:
    """Return the server that is to lead: the one the user named, or the oldest of those that answer."""
    servers = [node for node in seen.nodes if node.row.kind == "server" and _can_lead(node)]
    if to is not None:
        return _named(seen, servers, to)
    others = [node for node in servers if not node.is_leader]
    if not others:
        raise CannotLead("no other server is there", hint="start one: foliot server --db URL")
    return min(others, key=_online_and_old)


def _online_and_old(node: Node) -> tuple[bool, Instant]:
    is_in_doubt = node.health is not Health.ONLINE
    return is_in_doubt, node.row.started_at


def _named(seen: ClusterState, servers: Sequence[Node], name: str) -> Node:
    own = [node for node in servers if name in (node.row.name, node.row.handle)]
    if own and own[-1].is_leader:
        raise CannotLead(f"{name} leads already")
    if own:
        return own[-1]
    known = {node.row.name: node for node in seen.nodes}
    if name not in known:
        raise NodeNotFound(name, nearest=nearest(name, known))
    if known[name].row.kind != "server":
        raise CannotLead(f"{name} is a worker")
    if known[name].row.role is Role.STANDBY:
        raise CannotLead(f"{name} is a standby", hint=f"foliot node promote {name}")
    raise CannotLead(f"{name} is not online")


def _can_lead(node: Node) -> bool:
    is_active = node.row.role is not Role.STANDBY
    return is_active and node.row.state == "live" and node.health in (Health.ONLINE, Health.WARNING)


def _happening(who: Principal, handed: Handover, reason: str) -> Happening:
    return Happening(
        key=f"leader.stepped_down:{handed.term}",
        topic=Topic.CLUSTER,
        kind="leader.stepped_down",
        subject=handed.before or "",
        by=who.name,
        data={"to": handed.leader, "term": handed.term} | ({"reason": reason} if reason else {}),
    )
