"""Maintenance: stop deciding, keep serving. Before a database is upgraded or moved, nothing new begins.

While it is on, no server decides a due instant and no run is leased. Running runs go on; their results, beats and logs
are recorded; the API answers and takes changes; triggered runs wait. When it is over, each job's misfire policy says
what becomes of the instants that passed, as after an outage.
"""

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import BadField, Conflict
from foliot.domain.instants import Micros, isoformat
from foliot.domain.maintenance import Maintenance
from foliot.operations.names import actor
from foliot.operations.nodes import cluster_nodes
from foliot.operations.notes import note
from foliot.operations.services import Services
from foliot.ports.store.journal import Happening, Topic


class ServersTooOld(Conflict):
    """A live server is of a version that would go on deciding."""

    code = "FOL-3056"

    def __init__(self, server: str, version: str) -> None:
        super().__init__(
            f"{server} (foliot {version}) does not know maintenance and would go on deciding.",
            hint=f"upgrade or stop {server}, then try again",
            server=server,
            version=version,
        )


async def begin_maintenance(
    services: Services, who: Principal, *, lasts_us: Micros | None = None, reason: str = ""
) -> Maintenance:
    """Let no server decide, for so long or until somebody ends it. When it is on already, its end and reason change."""
    who.demand_everywhere(Scope.ADMIN)
    if lasts_us is not None and lasts_us <= 0:
        raise BadField("lasts", "it must last some time", hint="leave it out, and it lasts until somebody ends it")
    by = actor(who, reason)
    for node in (await cluster_nodes(services, who)).nodes:
        if node.row.ignores_maintenance and not node.health.is_gone:
            raise ServersTooOld(node.row.name, node.row.version)
    begun = await services.store.nodes.begin_maintenance(lasts_us=lasts_us, by=by)
    services.cursors_moved()  # wakes the pulse of every server
    until = {} if begun.until is None else {"until": isoformat(begun.until)}
    await _note(services, who, "maintenance.on", {"reason": reason, **until} if reason else until)
    return begun


async def end_maintenance(services: Services, who: Principal, *, reason: str = "") -> Maintenance | None:
    """Let servers decide again; the maintenance that was on, None: there was none."""
    who.demand_everywhere(Scope.ADMIN)
    actor(who, reason)  # refuses a reason that is too long
    was = await services.store.nodes.end_maintenance()
    if was is None:
        return None
    services.cursors_moved()
    services.runs_may_be_ready()
    await _note(services, who, "maintenance.off", {"reason": reason} if reason else {})
    return was


async def _note(services: Services, who: Principal, kind: str, data: dict[str, str]) -> None:
    key = f"{kind}:{services.chance.token()[:16]}"
    await note(services, Happening(key=key, topic=Topic.CLUSTER, kind=kind, subject="", by=who.name, data=data))
