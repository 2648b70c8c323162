"""Checkup: how the cluster is, check by check, and the repairs that are safe. Nothing here is on the way of a run."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from foliot.domain.access import INTERNAL, Principal, Scope
from foliot.domain.checkup import Finding, Grade, examine, worst_of
from foliot.domain.checkup.facts import EscalatedFailure, Facts, LaneWait, NodeFigures, Reading, TokenLife
from foliot.domain.health import Health
from foliot.domain.instants import DAY, SECOND, Instant, Micros
from foliot.operations.nodes import ClusterState, Node, cluster_nodes, escalated
from foliot.operations.notes import note
from foliot.operations.services import Looking, Services
from foliot.operations.tokens import SESSION_LIVES
from foliot.ports.store.checkup import WaitingLane
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.ports.store.failovers import Failover
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.store.tokens import TokenRecord

LATENCY_TRIES: Final = 2
LANES_MAX: Final = 100
FAILING_MAX: Final = 10
OVERDUE_COUNTED_MAX: Final = 1000
REPAIRED_MAX: Final = 500
TOKENS_FROM_US: Final[Micros] = 2 * DAY
"""A token that was made for a shorter time is meant to end soon."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkup:
    """What the checks found at one moment."""

    at: Instant
    findings: Sequence[Finding]

    @property
    def grade(self) -> Grade:
        return worst_of(self.findings)


class FixDone(NamedTuple):
    """What a repair changed, or why it could not be done."""

    name: str
    changed: int
    why: str | None = None


async def check_up(services: Services, who: Principal) -> Checkup:
    """Look at everything now. It takes about a dozen short statements."""
    who.demand_everywhere(Scope.READ)
    cluster = await cluster_nodes(services, who)
    facts = await gather(services, cluster, await services.store.checkup.readings())
    if who == INTERNAL or Scope.ADMIN not in who.may:  # what Foliot finds by itself is told to every reader
        unnamed = [TokenLife(name="", left_us=token.left_us) for token in facts.tokens]
        facts = replace(facts, tokens=unnamed)
    return Checkup(at=cluster.row.now, findings=examine(facts))


async def gather(services: Looking, cluster: ClusterState, readings: Mapping[str, Reading]) -> Facts:
    """Everything that the checks look at. `readings`: what the database says of itself."""
    row, checkup = cluster.row, services.store.checkup
    leaderless_us = max(0, row.now - row.leader_until) if row.leader_until > 0 else 0
    return Facts(
        engine=row.store,
        latency_us=await _latency_us(services),
        readings=readings,
        has_leader=row.leader is not None,
        leaderless_us=leaderless_us,
        overdue_us=None if row.overdue_at is None else row.now - row.overdue_at,
        overdue_jobs=0 if row.overdue_at is None else await checkup.overdue(limit=OVERDUE_COUNTED_MAX),
        is_maintenance=row.maintenance is not None,
        ignoring_maintenance=[one.name for one in cluster.ignoring_maintenance()],
        is_clock_suspect=row.clock_suspect,
        clock_ahead_us=row.clock_ahead_us,
        servers=await services.store.nodes.servers(),
        escalations=[_escalated(one, row.now) for one in await escalated(services)],
        nodes=[_figures(node, row.now) for node in cluster.nodes if node.health is not Health.LEFT],
        lanes=[_wait(wait, cluster) for wait in await checkup.lanes(limit=LANES_MAX)],
        outcomes=await checkup.outcomes(limit=FAILING_MAX),
        tokens=await _tokens(services, row.now),
    )


async def _latency_us(services: Looking) -> Micros:
    """How long the store takes for a statement that reads no table: the best of some tries, so that no pause counts."""
    took: list[float] = []
    for _ in range(LATENCY_TRIES):
        began = services.clock.monotonic()
        await services.store.lookups.now()
        took.append(services.clock.monotonic() - began)
    return round(min(took) * SECOND)


def _escalated(failover: Failover, now: Instant) -> EscalatedFailure:
    since_us = max(0, now - (failover.escalated_at or now))
    return EscalatedFailure(id=failover.id, type=str(failover.type), subject=failover.subject, since_us=since_us)


def _figures(node: Node, now: Instant) -> NodeFigures:
    row = node.row
    return NodeFigures(
        name=row.name,
        kind=row.kind,
        is_gone=node.health.is_gone,
        is_silent=node.health is Health.OFFLINE,
        is_strained=node.health is Health.WARNING,
        version=row.version,
        uptime_us=max(0, now - row.started_at),
        clock_offset_us=row.clock_offset_us,
        coordinator=row.coordinator,
        load=row.load,
        schema=row.labels.get("schema", "") if row.kind == "server" else "",
    )


def _wait(wait: WaitingLane, cluster: ClusterState) -> LaneWait:
    since, now = wait.since, cluster.row.now
    fitting = any(
        wait.lane.fits(
            group=node.row.group, offers=node.row.handlers, labels=node.row.labels, namespace=node.row.namespace
        )
        for node in cluster.nodes
        if node.row.kind != "server" and node.row.state == "live" and not node.health.is_gone
    )
    waited_us = None if since is None else max(0, now - since)
    return LaneWait(lane=wait.lane, waited_us=waited_us, has_worker=fitting, short=wait.short)


async def _tokens(services: Looking, now: Instant) -> list[TokenLife]:
    """Tokens of people and programs. One that was rotated is followed by another, and meant to end."""
    tokens = await services.store.tokens.list()
    return [
        TokenLife(name=token.name, left_us=token.expires_at - now)
        for token in tokens
        if not token.revoked_at and _is_meant_to_last(token)
    ]


def _is_meant_to_last(token: TokenRecord) -> bool:
    """Not a login, and not a token that Foliot renews by itself."""
    lives_us = token.expires_at - token.created_at
    is_own = token.created_by == INTERNAL.name and lives_us <= SESSION_LIVES
    return lives_us >= TOKENS_FROM_US and not is_own


# ------------------------------------------------------------------------------------------------------------ repairs


async def _cursors(services: Services) -> int:
    services.cursors_moved()  # wakes the pulse of every server
    return await services.store.jobs.repair(limit=REPAIRED_MAX)


async def _limits(services: Services) -> int:
    return await services.store.runs.recount_limits()


async def _locks(services: Services) -> int:
    swept = await services.store.locks.sweep(limit=REPAIRED_MAX)
    if swept.woken:
        services.lock_desk.granted(swept.woken)
    return swept.dropped


async def _write_ahead_log(services: Services) -> int:
    return await services.store.checkup.empty_log()


FIXES: Final[Mapping[str, Callable[[Services], Awaitable[int]]]] = {
    "cursors": _cursors,
    "limits": _limits,
    "locks": _locks,
    "write_ahead_log": _write_ahead_log,
}
"""Repairs that are right whoever does them and however often: each finds by itself what is wrong, if anything is."""


async def fix(services: Services, who: Principal, *, reason: str = "") -> Sequence[FixDone]:
    """Do every safe repair; the journal keeps who asked for it and what each changed."""
    who.demand_everywhere(Scope.ADMIN)
    done = [await _fixed(services, name) for name in FIXES]
    changed = {one.name: one.changed for one in done if one.changed}
    failed = {f"{one.name}_failed": one.why for one in done if one.why is not None}
    await note(
        services,
        Happening(
            key=f"health.fixed:{services.chance.token()}",
            topic=Topic.CLUSTER,
            kind="health.fixed",
            subject="cluster",
            by=who.name,
            data={**changed, **failed, **({"reason": reason} if reason else {})},
        ),
    )
    return done


async def _fixed(services: Services, name: str) -> FixDone:
    try:
        return FixDone(name, await FIXES[name](services))
    except (StoreBusy, StoreUnavailable, TimeoutError) as error:
        return FixDone(name, 0, str(error))
