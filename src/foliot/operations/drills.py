"""Drills: look at what one would break, ask a node for it, stop it, and see how it went."""

from collections.abc import Sequence
from dataclasses import dataclass

from foliot.domain.access import Principal, Scope
from foliot.domain.drill_judge import compare
from foliot.domain.drill_sizes import check_size
from foliot.domain.drills import (
    STOPPABLE,
    DrillNotFound,
    DrillOver,
    DrillState,
    DrillType,
    NobodyElse,
    check_for,
    check_node,
)
from foliot.domain.errors import Conflict
from foliot.domain.health import Health
from foliot.domain.instants import Micros
from foliot.domain.texts import actor_name, check_reason
from foliot.operations.drill_report import settle
from foliot.operations.nodes import Node, find_node, list_nodes
from foliot.operations.notes import note
from foliot.operations.services import Services
from foliot.ports.store.drills import Drill, DrillAsk
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.store.lookups import RunRow

COMPARED_WITH = 10
"""Earlier drills of the same type and size that one is compared with."""
LOOKED_THROUGH = 200
"""Earlier drills of the same type, of any size."""


class CannotStop(Conflict):
    """A node that is killed, stopped or cut off hears of no wish."""

    code = "FOL-3069"

    def __init__(self, drill: Drill) -> None:
        super().__init__(
            f"{drill.node} cannot hear that drill {drill.id} is to stop: {drill.type} ends by itself.",
            id=drill.id,
            node=drill.node,
            type=str(drill.type),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillPreview:
    """What a drill would break."""

    type: DrillType
    node: Node
    for_us: Micros
    runs: Sequence[RunRow]  # that the node executes
    others: int  # nodes that can do its work meanwhile
    size_us: Micros | None = None  # how much is broken; None: its type has no size


async def preview_drill(
    services: Services, who: Principal, type_: DrillType, *, on: str, for_us: Micros, size_us: Micros | None = None
) -> DrillPreview:
    """What the drill would break; the same refusals as for the drill itself, but for a node that is alone."""
    who.demand_everywhere(Scope.ADMIN)
    check_for(for_us)
    node, runs = await find_node(services, who, on)
    check_node(type_, node=node.row.name, kind=node.row.kind, taken=node.row.drills)
    size_us = check_size(type_, size_us, node=node.row.name, taken=node.row.drills)
    others = [one for one in await list_nodes(services, who) if _can_replace(one, node)]
    return DrillPreview(type=type_, node=node, for_us=for_us, runs=runs, others=len(others), size_us=size_us)


def _can_replace(one: Node, node: Node) -> bool:
    """Whether a node does the work of another meanwhile."""
    row, wanted = one.row, node.row
    is_well = one.health in (Health.ONLINE, Health.WARNING) and row.state == "live"
    if row.name == wanted.name or row.kind != wanted.kind or not is_well:
        return False
    if row.kind == "server":
        return True
    return row.group == wanted.group and wanted.handlers.keys() <= row.handlers.keys()


async def ask_drill(
    services: Services,
    who: Principal,
    type_: DrillType,
    *,
    on: str,
    for_us: Micros,
    size_us: Micros | None = None,
    alone: bool = False,
    reason: str = "",
) -> Drill:
    """Ask a node to break itself. `alone`: also when no other node can do its work. `size_us`: None is the usual."""
    check_reason(reason)
    preview = await preview_drill(services, who, type_, on=on, for_us=for_us, size_us=size_us)
    row = preview.node.row
    if not preview.others and not alone:
        raise NobodyElse(row.name, kind=row.kind)
    await settle_open(services)
    wanted = DrillAsk(
        type=type_,
        node=row.name,
        session=row.session,
        for_us=for_us,
        by=actor_name(who.name),
        reason=reason,
        size_us=preview.size_us,
    )
    drill = await services.store.drills.ask(wanted)
    services.cancels_asked()  # calls for beats: a worker hears of it soon
    services.drill_told(type_, DrillState.ASKED, {})
    data: dict[str, object] = {"drill": drill.id, "type": str(type_), "for_us": for_us}
    data |= {"size_us": drill.size_us} if drill.size_us is not None else {}
    data |= {"reason": reason} if reason else {}
    await note(
        services,
        Happening(
            key=f"drill.asked:{drill.id}",
            topic=Topic.CLUSTER,
            kind="drill.asked",
            subject=drill.node,
            by=who.name,
            data=data,
        ),
    )
    return drill


async def stop_drill(services: Services, who: Principal, drill_id: int) -> Drill:
    """End a drill that has not begun, or one whose node can still hear of it; `DrillOver`, `CannotStop`."""
    who.demand_everywhere(Scope.ADMIN)
    found = await _find(services, drill_id)
    if not found.is_open:
        raise DrillOver(drill_id, state=found.state)
    if found.state is DrillState.RUNNING and found.type not in STOPPABLE:
        raise CannotStop(found)
    stopped = await services.store.drills.stop(drill_id)
    assert stopped is not None
    if stopped.state is DrillState.STOPPED:
        services.drill_told(stopped.type, stopped.state, {})
    services.cancels_asked()
    return stopped


async def find_drill(services: Services, who: Principal, drill_id: int) -> tuple[Drill, dict[str, str]]:
    """One drill, judged as soon as it is over; and how its times compare with those of earlier ones of its type."""
    who.demand_everywhere(Scope.READ)
    drill = await _find(services, drill_id)
    if drill.is_open and await settle(services, drill):
        drill = await _find(services, drill_id)
    if drill.state is not DrillState.ENDED:
        return drill, {}
    before = await services.store.drills.list(type_=drill.type, limit=LOOKED_THROUGH, before_id=drill.id)
    alike = [one for one in before if one.size_us == drill.size_us][:COMPARED_WITH]
    return drill, compare(drill.report, [one.report for one in alike if one.state is DrillState.ENDED])


async def list_drills(
    services: Services, who: Principal, *, type_: DrillType | None, limit: int, before_id: int | None
) -> Sequence[Drill]:
    """The drills there were, newest first."""
    who.demand_everywhere(Scope.READ)
    await settle_open(services)
    return await services.store.drills.list(type_=type_, limit=limit, before_id=before_id)


async def nodes_taking_part(services: Services, who: Principal) -> Sequence[str]:
    """The names of live nodes that take part in drills."""
    nodes = await list_nodes(services, who)
    return sorted({node.row.name for node in nodes if node.row.drills and not node.health.is_gone})


async def settle_open(services: Services) -> None:
    """Judge the drill that is open, if it is over. The leader does it, too: nobody need look at a drill."""
    for drill in await services.store.drills.open():
        await settle(services, drill)


async def _find(services: Services, drill_id: int) -> Drill:
    drill = await services.store.drills.find(drill_id)
    if drill is None:
        raise DrillNotFound(drill_id)
    return drill
