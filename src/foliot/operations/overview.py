"""The overview: what needs somebody, what runs, what comes next and what changed, for the first page people see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from foliot.domain.access import Principal, Scope
from foliot.domain.alerts.alert import Alert
from foliot.domain.alerts.level import AlertLevel, AlertState
from foliot.domain.why import Explanation
from foliot.operations.alerts import count_alerts, list_alerts
from foliot.operations.events import list_events
from foliot.operations.names import namespace_of
from foliot.operations.nodes import ClusterState, cluster_status
from foliot.operations.services import Services
from foliot.operations.why import why_run
from foliot.ports.store.alerts import AlertFilter
from foliot.ports.store.glance import Glance
from foliot.ports.store.journal import Event, EventFilter
from foliot.ports.store.lookups import RunRow

SHOWN_MAX: Final = 20
EXPLAINED_MAX: Final = 5
"""Held runs that are explained: each takes some statements."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldRun:
    """A run that something keeps from starting, and what."""

    run: RunRow
    why: Explanation
    tz: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What people look at first. `cluster` is None for a token that is limited to a part of it."""

    glance: Glance
    held: Sequence[HeldRun]
    changes: Sequence[Event]
    cluster: ClusterState | None
    alerts: Sequence[Alert] = ()  # that fire, newest first
    alert_counts: Mapping[AlertLevel, int] = field(default_factory=dict)


async def overview(services: Services, who: Principal, namespace: str | None) -> Overview | None:
    """Of one namespace, or of all that the token sees; None of one that it does not see."""
    who.demand(Scope.READ)
    if namespace is not None and not who.sees(namespace):
        return None
    about = namespace_of(who, namespace)
    glance = await services.store.lookups.glance(about, limit=SHOWN_MAX, only=who.namespace)
    held = [await _explained(services, who, run) for run in _one_of_each_job(glance.held)[:EXPLAINED_MAX]]
    changes = await list_events(services, who, EventFilter(), namespace=namespace, limit=SHOWN_MAX)
    cluster = None if who.is_limited else await cluster_status(services, who)
    firing = AlertFilter(states=frozenset({AlertState.FIRING}))
    alerts = await list_alerts(services, who, firing, namespace=namespace, limit=SHOWN_MAX)
    return Overview(
        glance=glance,
        held=held,
        changes=changes.items,
        cluster=cluster,
        alerts=alerts.items,
        alert_counts=await count_alerts(services, who, namespace),
    )


def _one_of_each_job(runs: Sequence[RunRow]) -> list[RunRow]:
    """The oldest run of each job: what keeps that one keeps the others behind it."""
    by_job = {run.job_id: run for run in runs}  # the newest come first, so the oldest stays
    return list(by_job.values())


async def _explained(services: Services, who: Principal, run: RunRow) -> HeldRun:
    why, tz = await why_run(services, who, run.run_id)
    return HeldRun(run=run, why=why, tz=tz)
