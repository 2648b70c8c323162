"""Anomalies: in what jobs differ from their own baselines, as the leader found."""

from collections.abc import Sequence

from foliot.domain.access import Principal, Scope
from foliot.domain.anomalies.anomaly import Anomaly, AnomalyKind
from foliot.domain.instants import Instant
from foliot.operations.names import find_job, home_of, namespace_of
from foliot.operations.services import Services
from foliot.ports.store.anomalies import AnomalyFilter


async def list_anomalies(
    services: Services,
    who: Principal,
    *,
    namespace: str | None,
    job: str | None,
    kind: AnomalyKind | None,
    only_open: bool,
    since: Instant | None,
    before_id: int | None,
    limit: int,
) -> Sequence[Anomaly]:
    """Anomalies of one namespace, or of all that the token sees, the newest first."""
    who.demand(Scope.READ)
    wanted = namespace_of(who, namespace)
    if wanted is not None and not who.sees(wanted):
        return []
    job_id = None
    if job is not None:
        job_id = (await find_job(services, who, home_of(who, namespace), job)).job_id
    asked = AnomalyFilter(namespace=wanted, job_id=job_id, kind=kind, only_open=only_open, since=since)
    return await services.store.statistics.anomalies(asked, before_id=before_id, limit=limit)
