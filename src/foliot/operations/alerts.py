"""Alerts: list them, look at one, say that a person looks after it or that it is over."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from foliot.domain.access import Principal, Scope, ScopeMissing
from foliot.domain.alerts.alert import Alert
from foliot.domain.alerts.errors import AlertNotFound
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.errors import JobNotFound
from foliot.operations.names import actor, find_job, group_of, namespace_of
from foliot.operations.services import Services
from foliot.ports.store.alerts import AlertFilter, AlertPage
from foliot.ports.store.lookups import JobRow

OF_A_JOB_MAX: Final = 20
"""Open alerts that are shown beside one job."""


async def list_alerts(
    services: Services,
    who: Principal,
    wanted: AlertFilter,
    *,
    namespace: str | None = None,
    limit: int = 50,
    before_id: int | None = None,
) -> AlertPage:
    """A page of alerts, newest first; a token limited to a namespace sees those of it alone."""
    who.demand(Scope.READ)
    if namespace is not None and not who.sees(namespace):
        return AlertPage(items=[])
    within = replace(wanted, namespace=namespace_of(who, namespace))
    return await services.store.alerts.list(within, limit=limit, before_id=before_id)


async def find_alert(services: Services, who: Principal, alert_id: int) -> Alert:
    """One alert with the first subjects that it touches."""
    who.demand(Scope.READ)
    found = await services.store.alerts.find(alert_id)
    if found is None or who.namespace not in (None, found.namespace):
        raise AlertNotFound(alert_id)
    return found


async def count_alerts(services: Services, who: Principal, namespace: str | None = None) -> Mapping[AlertLevel, int]:
    """How many alerts fire, by level, as far as the token sees them."""
    who.demand(Scope.READ)
    if namespace is not None and not who.sees(namespace):
        return {}
    return await services.store.alerts.counts(namespace=namespace_of(who, namespace))


async def alerts_of_job(services: Services, job: JobRow) -> AlertPage:
    """The open alerts that a job is part of."""
    wanted = AlertFilter(namespace=job.namespace, job=job.name)
    return await services.store.alerts.list(wanted, limit=OF_A_JOB_MAX)


async def acknowledge(services: Services, who: Principal, alert_id: int, *, note: str = "") -> Alert:
    """A person looks after it: nobody is reminded, and nothing is escalated. `AlertIsOver`: it is too late."""
    by = actor(who, note)
    await _demand_on(services, who, alert_id)
    after = await services.store.alerts.acknowledge(alert_id, by=by)
    if after is None:
        raise AlertNotFound(alert_id)
    return after


async def resolve(services: Services, who: Principal, alert_id: int, *, reason: str = "") -> Alert:
    """A person says that it is over. When its trouble is seen again, that is another alert."""
    by = actor(who, reason)
    await _demand_on(services, who, alert_id)
    after = await services.store.alerts.resolve(alert_id, by=by)
    if after is None:
        raise AlertNotFound(alert_id)
    return after


async def _demand_on(services: Services, who: Principal, alert_id: int) -> None:
    """Raise what keeps the token from saying something about an alert."""
    who.demand(Scope.RUN)
    found = await find_alert(services, who, alert_id)
    await demand_group(services, who, found)


async def demand_group(services: Services, who: Principal, alert: Alert) -> None:
    """Raise `ScopeMissing` unless every subject of an alert is a job of the group that the token is limited to."""
    if who.group is None:
        return
    for subject in alert.subjects:
        if subject.namespace is None or subject.job_id is None:
            raise ScopeMissing(who, Scope.RUN, everywhere="on every group")
        try:
            job = await find_job(services, who, subject.namespace, subject.subject, with_last_run=False)
        except JobNotFound:
            raise ScopeMissing(who, Scope.RUN, everywhere="on every group") from None
        who.demand(Scope.RUN, group=group_of(job))
