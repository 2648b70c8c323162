"""Failovers: what failed, when and with what outcome; and the policies that say when a failure needs a person."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from foliot.domain.access import Principal, Scope
from foliot.domain.failover import (
    ClusterTimes,
    FailoverNotFound,
    FailoverPolicy,
    FailoverType,
    PolicyChange,
    PolicyChanged,
    changed_policy,
)
from foliot.domain.instants import Instant
from foliot.domain.roles import SeenServers
from foliot.domain.texts import check_reason
from foliot.operations.names import actor, namespace_of
from foliot.operations.notes import note
from foliot.operations.services import Services
from foliot.ports.store.failovers import Failover, FailoverFilter, FailoverPage
from foliot.ports.store.journal import Happening, Topic


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """What is done about each type of failure, and the times of the cluster that policies must fit."""

    items: Mapping[FailoverType, FailoverPolicy]
    times: ClusterTimes
    servers: SeenServers


async def list_failovers(
    services: Services,
    who: Principal,
    wanted: FailoverFilter,
    *,
    namespace: str | None = None,
    limit: int = 50,
    before_id: int | None = None,
) -> tuple[FailoverPage, Instant]:
    """A page of what failed, newest first, and store time; a token limited to a namespace sees nothing else."""
    who.demand(Scope.READ)
    now = await services.store.lookups.now()
    if namespace is not None and not who.sees(namespace):
        return FailoverPage(items=[]), now
    within = replace(wanted, namespace=namespace_of(who, namespace))
    return await services.store.failovers.list(within, limit=limit, before_id=before_id), now


async def find_failover(services: Services, who: Principal, failover_id: int) -> tuple[Failover, Instant]:
    """One failure, and store time."""
    who.demand(Scope.READ)
    found = await services.store.failovers.find(failover_id)
    own = namespace_of(who, None)
    if found is None or own not in (None, found.namespace):
        raise FailoverNotFound(failover_id)
    return found, await services.store.lookups.now()


async def list_policies(services: Services, who: Principal) -> Policies:
    """The policy of every type."""
    who.demand_everywhere(Scope.READ)
    items = await services.store.failovers.policies()
    servers = await services.store.nodes.servers()
    return Policies(items=items, times=services.cluster_times, servers=servers)


async def set_policy(
    services: Services,
    who: Principal,
    type_: FailoverType,
    change: PolicyChange,
    *,
    version: int | None = None,
    reason: str = "",
) -> FailoverPolicy:
    """Say when a type of failure needs a person, and whom to tell. `version`: that the user saw; None: any."""
    who.demand_everywhere(Scope.ADMIN)
    check_reason(reason)
    before = (await services.store.failovers.policies())[type_]
    if version is not None and version != before.version:
        raise PolicyChanged(type_, version=before.version)
    rules = await services.store.failovers.server_rules()
    wanted = changed_policy(before, change, services.cluster_times, has_standbys=rules.standby_count > 0)
    kept = await services.store.failovers.set_policy(wanted, by=actor(who, reason))
    await note(
        services,
        Happening(
            key=f"policy.set:{type_}:{kept.version}",
            topic=Topic.CLUSTER,
            kind="policy.set",
            subject=str(type_),
            by=who.name,
            data=_changes(before, kept, reason),
        ),
    )
    return kept


def _changes(before: FailoverPolicy, after: FailoverPolicy, reason: str) -> dict[str, Any]:
    """What was changed, for the journal: from what to what, and why."""
    changes: dict[str, Any] = {"version": after.version}
    for name in ("timeout_us", "attempts", "level", "channel"):
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            changes[name] = f"{old} -> {new}"
    if reason:
        changes["reason"] = reason
    return changes
