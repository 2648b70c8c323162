"""Promote and demote: a user changes what a server does; and how many servers a cluster is to have."""

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import Conflict
from foliot.domain.failover import FailoverType, check_timeout
from foliot.domain.roles import (
    Role,
    RulesChanged,
    ServerRules,
    ServerRulesChange,
    changed_rules,
)
from foliot.domain.texts import check_reason
from foliot.operations.names import actor
from foliot.operations.nodes import Node, find_node
from foliot.operations.notes import note
from foliot.operations.services import Services
from foliot.ports.store.journal import Happening, Topic


class CannotPromote(Conflict):
    """A server that cannot change its role like this."""

    code = "FOL-3060"

    def __init__(self, name: str, why: str, *, hint: str = "see who is there: foliot node list") -> None:
        super().__init__(f"{name} {why}.", hint=hint, name=name, why=why)


async def promote(services: Services, who: Principal, name: str, *, reason: str = "") -> Node:
    """Make a standby active. It works from its next beat on."""
    server = await _server(services, who, name, reason)
    if server.row.role is Role.ACTIVE:
        raise CannotPromote(name, "is active already")
    return await _changed(services, who, server, Role.ACTIVE, reason)


async def demote(services: Services, who: Principal, name: str, *, reason: str = "") -> Node:
    """Make an active server a standby; `TooFewLeft`. It fires, leases and leads no more from its next beat on."""
    server = await _server(services, who, name, reason)
    if server.row.role is Role.STANDBY:
        raise CannotPromote(name, "is a standby already")
    return await _changed(services, who, server, Role.STANDBY, reason)


async def _server(services: Services, who: Principal, name: str, reason: str) -> Node:
    """The live server of this name."""
    who.demand_everywhere(Scope.ADMIN)
    check_reason(reason)
    node, _ = await find_node(services, who, name)
    if node.row.kind != "server":
        raise CannotPromote(name, "is a worker: only servers have roles")
    if node.health.is_gone:
        raise CannotPromote(name, "is gone already")
    return node


async def _changed(services: Services, who: Principal, server: Node, role: Role, reason: str) -> Node:
    if not await services.store.nodes.set_role(server.row.session, role):
        raise CannotPromote(server.row.name, "changed meanwhile, or it drains")
    services.roles_changed()
    kind = "node.promoted" if role is Role.ACTIVE else "node.demoted"
    data = {"reason": reason} if reason else {}
    key = f"{kind}:{server.row.session}:{services.chance.token()[:8]}"
    subject = server.row.name
    await note(services, Happening(key=key, topic=Topic.NODES, kind=kind, subject=subject, by=who.name, data=data))
    found, _ = await find_node(services, who, server.row.handle)
    return found


async def set_server_rules(
    services: Services,
    who: Principal,
    change: ServerRulesChange,
    *,
    version: int | None = None,
    reason: str = "",
) -> ServerRules:
    """Say how many servers the cluster is to have. `version`: that the user saw; None: any."""
    who.demand_everywhere(Scope.ADMIN)
    check_reason(reason)
    before = await services.store.failovers.server_rules()
    if version is not None and version != before.version:
        raise RulesChanged(version=before.version)
    wanted = changed_rules(before, change)
    policies = await services.store.failovers.policies()
    has_standbys = wanted.standby_count > 0
    check_timeout(policies[FailoverType.SERVER_CRASH], services.cluster_times, has_standbys=has_standbys)
    kept = await services.store.failovers.set_server_rules(wanted, by=actor(who, reason))
    await note(services, _rules_set(who, before, kept, reason))
    return kept


def _rules_set(who: Principal, before: ServerRules, after: ServerRules, reason: str) -> Happening:
    data: dict[str, object] = {"version": after.version}
    for name in ("active_min", "standby_count"):
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            data[name] = f"{old} -> {new}"
    if reason:
        data["reason"] = reason
    key = f"policy.set:servers:{after.version}"
    return Happening(key=key, topic=Topic.CLUSTER, kind="policy.set", subject="servers", by=who.name, data=data)
