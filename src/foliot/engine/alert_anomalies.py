"""Anomalies of jobs, as a source of alerts: what the store has open is seen, once a minute."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from foliot.domain.alerts.causes import plain_cause
from foliot.domain.alerts.condition import ConditionKind
from foliot.domain.alerts.observation import Observation
from foliot.domain.instants import Instant
from foliot.engine.alerting import AlertSource
from foliot.ports.store.alert_rounds import AlertRoundStore, AnomalySeen

OPEN_MAX: Final = 1000
"""Anomalies that one look brings, the oldest first: when there are more, no alert ends for want of room."""


def anomaly_source(rounds: AlertRoundStore) -> AlertSource:
    """Open anomalies. The store has them, so the next leader sees the same."""

    async def look(now: Instant) -> Sequence[Observation]:
        del now
        return list(of_anomalies(await rounds.anomalies(limit=OPEN_MAX)))

    return AlertSource(frozenset({ConditionKind.ANOMALY}), look)


def of_anomalies(found: Iterable[AnomalySeen]) -> Iterator[Observation]:
    """Each kind of anomaly of a job is a trouble of its own."""
    for one in found:
        job = one.job
        yield Observation(
            kind=ConditionKind.ANOMALY,
            subject_key=f"job:{job.job_id}:{one.kind}",
            subject=job.name,
            namespace=job.namespace,
            cause=plain_cause("anomaly", str(job.job_id), one.kind, **{**one.facts, "anomaly": str(one.kind)}),
            at=one.began_at,
            job_id=job.job_id,
            group=job.group,
            tags=job.tags,
            word=one.kind,
            data={"group": job.group, "tags": dict(job.tags)},
        )
