"""Routes for the answer to "why?": what that of a waiting run says, and by which one a run came to its worker."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from foliot.domain.errors import FoliotError
from foliot.domain.health import Health, HealthRules
from foliot.domain.instants import Instant, Micros
from foliot.domain.job import EACH_WORKER, Lane
from foliot.domain.own_parameters import default_params
from foliot.domain.routing import ANY, BY_PACE, FittingWorker
from foliot.domain.routing.choice import RouteChoice, key_of, route_from
from foliot.domain.routing.reasons import AskedRoute, tell
from foliot.domain.routing.wishes import Wishes, prefer_from
from foliot.domain.run import RunState
from foliot.domain.why.facts import CandidateFacts, MoveFacts, RouteFacts, RunFacts, WentFacts
from foliot.operations.nodes import cause_of
from foliot.operations.services import Services
from foliot.ports.store.assignment import ANYONE
from foliot.ports.store.journal import EventFilter, Topic
from foliot.ports.store.lookups import RunRow, Waiting
from foliot.ports.store.node_row import NodeRow

TELLING: Final = frozenset({"least_load"})
"""Routes that tell of each move of a job."""
MOVED: Final = "job.moved"
MOVES_LOOKED_AT: Final = 20  # events of the job


def route_of(
    run: RunRow,
    document: Mapping[str, Any],
    waiting: Waiting,
    nodes: Sequence[NodeRow],
    rules: HealthRules,
    paces: Mapping[str, Micros] | None = None,
) -> RouteFacts | None:
    """The route of a run that waits, as things stand; None: its job has none, and no wishes.

    `paces`: how quick each worker is at the job, by name, where its route goes by that; None: nobody looked.
    """
    lane = waiting.lane
    if not lane.routed:
        return None
    names = {node.session: node.name for node in nodes}
    is_broadcast = document.get("shards") == EACH_WORKER
    alive_at = None if is_broadcast else waiting.now  # a broadcast counts who is late, too
    tried = () if run.assigned_to == ANYONE else run.assigned_before
    found = (node for node in nodes if node.session not in tried and _fits(node, lane, alive_at))
    fitting = sorted(found, key=_by_name)
    facts = RouteFacts(
        name=_choice(document).name,
        worker=None if run.assigned_to is None else names.get(run.assigned_to, run.assigned_to),
        until=run.assigned_until,
        before=_names(run, names),
        candidates=_candidates(fitting, run, document, waiting, rules, paces or {}),
        wishes=_wishes(document),
        is_broadcast=is_broadcast,
    )
    if is_broadcast or (facts.name in BY_PACE and paces is None):
        return facts
    return _told(facts, fitting, run, document, waiting, rules)


async def paces_for(services: Services, run: RunRow, document: Mapping[str, Any]) -> Mapping[str, Micros] | None:
    """How quick workers are at the job of a run, where its route goes by that."""
    if _choice(document).name not in BY_PACE:
        return None
    return (await services.store.statistics.paces([run.job_id])).get(run.job_id, {})


async def with_way(services: Services, run: RunRow, facts: RunFacts, document: Mapping[str, Any]) -> RunFacts:
    """The same with how a run came to the worker that has or had it, where its job has a route."""
    went = way_of(run, document)
    if went is None:
        return facts
    if run.assigned_before:
        names = {node.session: node.name for node in await services.store.lookups.nodes()}
        went = replace(went, before=_names(run, names))
    if went.route in TELLING:
        went = replace(went, moved=await _move(services, run))
    return replace(facts, went=went)


def way_of(run: RunRow, document: Mapping[str, Any]) -> WentFacts | None:
    """By which route a run came to its worker, as far as its row and its definition tell."""
    is_merge = run.parent_id is not None and run.shard < 0
    if run.node is None or run.is_own or is_merge or run.state == RunState.PENDING:
        return None
    try:
        route, wishes = _choice(document).name, _wishes(document)
    except FoliotError:  # a version of a newer Foliot: the rest can still be explained
        return None
    return None if route == ANY and wishes.is_none else WentFacts(route=route)


async def _move(services: Services, run: RunRow) -> MoveFacts | None:
    """The last move of its job to its worker before the run came there, as the journal tells of it."""
    until = None if run.leased_at is None else run.leased_at + 1
    wanted = EventFilter(topics=frozenset({Topic.JOBS}), subject=run.job, namespace=run.namespace, until=until)
    page = await services.store.journal.newest(wanted, limit=MOVES_LOOKED_AT)
    move = next((event for event in page.items if event.kind == MOVED), None)
    if move is None or move.data.get("to") != run.node:
        return None
    return MoveFacts(
        before=str(move.data["from"]),
        at=move.at,
        score_before=move.data.get("score_from"),
        score_after=move.data["score_to"],
    )


def _choice(document: Mapping[str, Any]) -> RouteChoice:
    return route_from((document.get("place") or {}).get("route", ANY), "place.route")


def _wishes(document: Mapping[str, Any]) -> Wishes:
    place = document.get("place") or {}
    return Wishes(
        prefer=prefer_from(place.get("prefer"), "place.prefer"),
        avoid=place.get("avoid") or {},
        spread=place.get("spread"),
    )


def _names(run: RunRow, names: Mapping[str, str]) -> list[str]:
    """The workers that let a run wait; of one that nobody knows any more the session."""
    return [names.get(session, session[:8]) for session in run.assigned_before]


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
    return max(0, waiting.assigned.get(node.session, 0) - (run.assigned_to == node.session))


def _candidates(
    fitting: Sequence[NodeRow],
    run: RunRow,
    document: Mapping[str, Any],
    waiting: Waiting,
    rules: HealthRules,
    paces: Mapping[str, Micros],
) -> list[CandidateFacts]:
    """The workers between which the route chooses, and what is to be said of each."""
    wishes = _wishes(document)
    own: dict[str, int] = {}
    for node in fitting:
        part = wishes.part(node.labels)
        own[part] = own.get(part, 0) + waiting.own.get(node.session, 0)
    return [
        CandidateFacts(
            name=node.name,
            slots=node.slots,
            running=node.running,
            weight=node.weight,
            load=node.load.get("score"),
            is_in_warning=node.band is Health.WARNING,
            is_chosen=node.session == run.assigned_to,
            cause=cause_of(node, waiting.now, rules),
            preferred=wishes.score(node.labels),
            is_avoided=wishes.avoided(node.labels) > 0,
            part=f"{wishes.spread}={wishes.part(node.labels)}" if wishes.spread else None,
            own=own[wishes.part(node.labels)],
            waiting=_waiting_for(node, run, waiting),
            pace_us=paces.get(node.name),
        )
        for node in fitting
    ]


def _told(
    facts: RouteFacts,
    fitting: Sequence[NodeRow],
    run: RunRow,
    document: Mapping[str, Any],
    waiting: Waiting,
    rules: HealthRules,
) -> RouteFacts:
    """The same with what the route compares, and why it named its worker."""
    seen = [
        _as_seen(node, candidate, rules.slots_given(node.slots, node.band))
        for node, candidate in zip(fitting, facts.candidates, strict=True)
    ]
    key = _key(run, document, _choice(document).by)
    told = tell(AskedRoute(facts.name, facts.wishes, waiting.route_state, key), seen, run.assigned_to)
    scored = [
        replace(candidate, score=told.scores.get(node.session))
        for node, candidate in zip(fitting, facts.candidates, strict=True)
    ]
    return replace(facts, candidates=scored, reason=told.reason)


def _as_seen(node: NodeRow, facts: CandidateFacts, given: int) -> FittingWorker:
    """A worker as its route sees it. `given`: slots that it gets runs for."""
    running = facts.running + facts.waiting
    return FittingWorker(
        session=node.session,
        name=node.name,
        free=max(0, given - running),
        slots=node.slots,
        running=running,
        weight=node.weight,
        is_in_warning=facts.is_in_warning,
        load=facts.load,
        labels=node.labels,
        pace_us=facts.pace_us,
    )


def _key(run: RunRow, document: Mapping[str, Any], by: str) -> str | None:
    """The value of the parameter by which a job is routed, as a text; None: it is routed by itself."""
    if not by:
        return None
    usual = {**default_params(document.get("parameters") or {}), **(document.get("params") or {})}
    params = usual if run.params is None else msgspec.json.decode(run.params)
    return key_of(params, by)
