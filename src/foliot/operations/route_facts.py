"""What the route of a waiting run said, and between which workers it chooses: for the answer to "why?"."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from foliot.domain.health import Health, HealthRules
from foliot.domain.instants import Instant
from foliot.domain.job import EACH_WORKER, Lane
from foliot.domain.routing import BY_PACE
from foliot.domain.routing.choice import route_from
from foliot.domain.routing.wishes import Wishes, prefer_from
from foliot.domain.why.facts import CandidateFacts, RouteFacts
from foliot.operations.nodes import cause_of
from foliot.operations.services import Services
from foliot.ports.store.lookups import RunRow, Waiting
from foliot.ports.store.node_row import NodeRow


def route_of(
    run: RunRow, document: Mapping[str, Any], waiting: Waiting, nodes: Sequence[NodeRow], rules: HealthRules
) -> RouteFacts | None:
    """The route of a run that waits, as things stand; None: its job has none, and no wishes."""
    lane = waiting.lane
    if not lane.routed:
        return None
    names = {node.session: node.name for node in nodes}
    is_broadcast = document.get("shards") == EACH_WORKER
    alive_at = None if is_broadcast else waiting.now  # a broadcast counts who is late, too
    fitting = [node for node in nodes if _fits(node, lane, alive_at)]
    place = document.get("place") or {}
    wishes = Wishes(
        prefer=prefer_from(place.get("prefer"), "place.prefer"),
        avoid=place.get("avoid") or {},
        spread=place.get("spread"),
    )
    own: dict[str, int] = {}
    for node in fitting:
        part = wishes.part(node.labels)
        own[part] = own.get(part, 0) + waiting.own.get(node.session, 0)
    return RouteFacts(
        name=route_from(place.get("route", "any"), "place.route").name,
        worker=None if run.assigned_to is None else names.get(run.assigned_to, run.assigned_to),
        until=run.assigned_until,
        before=[names.get(session, session[:8]) for session in run.assigned_before],
        candidates=[
            _candidate(node, wishes, own, waiting.now, rules, waiting=_waiting_for(node, run, waiting))
            for node in sorted(fitting, key=_by_name)
        ],
        wishes=wishes,
        is_broadcast=is_broadcast,
    )


async def with_paces(services: Services, run: RunRow, route: RouteFacts | None) -> RouteFacts | None:
    """The same with how quick each candidate is at the job, where the route goes by it."""
    if route is None or route.name not in BY_PACE:
        return route
    paces = (await services.store.statistics.paces([run.job_id])).get(run.job_id, {})
    candidates = [replace(worker, pace_us=paces.get(worker.name)) for worker in route.candidates]
    return replace(route, candidates=candidates)


def _fits(node: NodeRow, lane: Lane, now: Instant | None) -> bool:
    """Whether a live worker fits. `now`: and whether its session has not run out by then."""
    return (
        node.kind != "server"
        and node.state == "live"
        and (now is None or node.until > now)
        and lane.fits(group=node.group, offers=node.handlers.keys(), labels=node.labels, namespace=node.namespace)
    )


def _by_name(node: NodeRow) -> tuple[str, str]:
    return node.name, node.session


def _waiting_for(node: NodeRow, run: RunRow, waiting: Waiting) -> int:
    """How many runs wait for a worker beside this one: routes count them."""
    return waiting.assigned.get(node.session, 0) - (run.assigned_to == node.session)


def _candidate(
    node: NodeRow, wishes: Wishes, own: Mapping[str, int], now: Instant, rules: HealthRules, *, waiting: int
) -> CandidateFacts:
    part = wishes.part(node.labels)
    return CandidateFacts(
        name=node.name,
        slots=node.slots,
        running=node.running,
        weight=node.weight,
        score=node.load.get("score"),
        is_in_warning=node.band is Health.WARNING,
        cause=cause_of(node, now, rules),
        preferred=wishes.score(node.labels),
        is_avoided=wishes.avoided(node.labels) > 0,
        part=f"{wishes.spread}={part}" if wishes.spread else None,
        own=own[part],
        waiting=max(0, waiting),
    )
