"""What the leader sees, as observations: runs, nodes, checks, failovers, metrics. No I/O and no rule here."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from foliot.domain.alerts.causes import failure_cause, late_cause, plain_cause
from foliot.domain.alerts.condition import ConditionKind
from foliot.domain.alerts.decision import KnownAlert
from foliot.domain.alerts.observation import Observation
from foliot.domain.checkup import Finding, Grade
from foliot.domain.failover import FailoverType
from foliot.domain.health import Health
from foliot.domain.instants import DAY, Instant, Micros
from foliot.domain.run import format_run_id
from foliot.engine.alert_metrics import MetricValue
from foliot.ports.store.alert_rounds import FailureSeen, LiveRuns, SubjectJob
from foliot.ports.store.failovers import Failover
from foliot.ports.store.node_row import NodeRow

DEAD_KEPT_US: Final[Micros] = DAY
"""A dead node that does not come back is told of for so long."""
OF_SHARDS: Final = "shards failed."
BandOf = Callable[[NodeRow], Health]

_BANDS: Final = {Health.WARNING: "warning", Health.OFFLINE: "offline", Health.DEAD: "dead"}


def of_failures(signs: Iterable[FailureSeen], jobs: Mapping[int, SubjectJob]) -> Iterator[Observation]:
    """Runs that failed for good. A job that was deleted meanwhile is nobody's trouble."""
    for sign in signs:
        job = jobs.get(sign.job_id)
        if job is None or job.is_deleted:
            continue
        is_of_shards = not sign.error_type and sign.error.endswith(OF_SHARDS)
        cause = failure_cause(
            kind="rejected" if is_of_shards else sign.kind,
            error_type=sign.error_type,
            error=sign.error,
            node=sign.node,
            job=job.name,
        )
        yield Observation(
            kind=ConditionKind.FAILED,
            subject_key=f"job:{sign.job_id}",
            subject=job.name,
            namespace=job.namespace,
            cause=cause,
            at=sign.at,
            job_id=sign.job_id,
            run_id=sign.run_id,
            group=job.group,
            tags=job.tags,
            data={
                "run": format_run_id(sign.run_id),
                "error": cause.data["error"],
                "node": sign.node,
                **_of_job(job),
            },
        )


def of_live(
    runs: Iterable[LiveRuns],
    jobs: Mapping[int, SubjectJob],
    *,
    now: Instant,
    served: frozenset[str],
    percentiles: Mapping[int, Mapping[int, Micros]],
) -> Iterator[Observation]:
    """Runs that wait or run for long. `served`: groups with a worker that takes runs."""
    for one in runs:
        job = jobs.get(one.job_id)
        if job is None or job.is_deleted:
            continue
        lasts_us = max(0, now - one.since)
        about = {"run": format_run_id(one.run_id) if one.run_id else "", "runs": one.runs, "lasts_us": lasts_us}
        reason, of = _why_it_waits(one, job, served)
        cause = plain_cause("slower", str(one.job_id)) if one.is_running else late_cause(reason=reason, of=of)
        yield Observation(
            kind=ConditionKind.SLOWER if one.is_running else ConditionKind.LATE,
            subject_key=f"job:{one.job_id}",
            subject=job.name,
            namespace=job.namespace,
            cause=cause,
            at=one.since,
            job_id=one.job_id,
            run_id=one.run_id or None,
            group=job.group,
            tags=job.tags,
            lasts_us=lasts_us,
            percentiles=percentiles.get(one.job_id, {}),
            data={**about, **_of_job(job)},
        )


def of_queues(runs: Iterable[LiveRuns], jobs: Mapping[int, SubjectJob], *, now: Instant) -> Iterator[Observation]:
    """Of each group the run that waits longest and that nothing of its own job holds back."""
    oldest: dict[str, LiveRuns] = {}
    for one in runs:
        job = jobs.get(one.job_id)
        if job is None or one.is_running or one.is_parked or not one.run_id:
            continue
        if job.group not in oldest or one.since < oldest[job.group].since:
            oldest[job.group] = one
    for group, one in sorted(oldest.items()):
        yield Observation(
            kind=ConditionKind.QUEUE,
            subject_key=f"group:{group}",
            subject=group,
            cause=plain_cause("queue", group, group=group),
            at=one.since,
            group=group,
            lasts_us=max(0, now - one.since),
            data={"group": group, "run": format_run_id(one.run_id), "lasts_us": max(0, now - one.since)},
        )


def of_silent(silent: Mapping[int, Micros], jobs: Mapping[int, SubjectJob], *, now: Instant) -> Iterator[Observation]:
    """Jobs without a success, and for how long at least."""
    for job_id, for_us in silent.items():
        job = jobs.get(job_id)
        if job is None or job.is_deleted:
            continue
        yield Observation(
            kind=ConditionKind.SILENT,
            subject_key=f"job:{job_id}",
            subject=job.name,
            namespace=job.namespace,
            cause=plain_cause("silent", str(job_id)),
            at=now,
            job_id=job_id,
            group=job.group,
            tags=job.tags,
            lasts_us=for_us,
            data={"lasts_us": for_us, **_of_job(job)},
        )


def of_nodes(
    nodes: Sequence[NodeRow], known: Iterable[KnownAlert], *, band_of: BandOf, now: Instant
) -> Iterator[Observation]:
    """Nodes that are unwell. A dead one is dead until a node of its name lives again, or a day has passed."""
    living = {node.name for node in nodes if node.state != "dead"}
    told: set[str] = set()
    for node in nodes:
        health = band_of(node)
        if health not in _BANDS or node.name in told or (health is Health.DEAD and node.name in living):
            continue
        told.add(node.name)
        yield _node(node.name, _BANDS[health], node.group, at=node.band_at or node.until, kind=node.kind)
    has_left = {node.name for node in nodes if node.state == "dead" and node.name not in told}
    for alert in known:
        if alert.alert.kind is not ConditionKind.NODE:
            continue
        for subject in alert.open_subjects:
            is_seen = subject.subject in living | told | has_left
            if not is_seen and subject.data.get("band") == "dead" and now - subject.first_at < DEAD_KEPT_US:
                told.add(subject.subject)
                group, kind = str(subject.data.get("group", "")), str(subject.data.get("node_kind", ""))
                yield _node(subject.subject, "dead", group, at=subject.first_at, kind=kind)


def _node(name: str, band: str, group: str, *, at: Instant, kind: str) -> Observation:
    return Observation(
        kind=ConditionKind.NODE,
        subject_key=f"node:{name}",
        subject=name,
        cause=plain_cause("node", name, band, band=band),
        at=at,
        group=group,
        word=band,
        data={"band": band, "group": group, "node_kind": kind},
    )


def groups_without_workers(nodes: Sequence[NodeRow], band_of: BandOf) -> tuple[frozenset[str], frozenset[str]]:
    """Groups with a worker that takes runs; groups whose workers died, and no other is there."""
    workers = [node for node in nodes if node.kind != "server"]
    served = frozenset(node.group for node in workers if node.state == "live" and band_of(node) is not Health.DEAD)
    died = frozenset(node.group for node in workers if band_of(node) is Health.DEAD)
    return served, died - served


def has_server_since(nodes: Iterable[NodeRow], at: Instant) -> bool:
    """Whether a server is there that was there then."""
    return any(node.kind == "server" and node.state != "dead" and node.started_at <= at for node in nodes)


def of_checks(findings: Iterable[Finding], grades: Mapping[str, Grade], *, now: Instant) -> Iterator[Observation]:
    """Checks of `foliot cluster doctor`, by their steady grade."""
    for finding in findings:
        grade = grades.get(finding.check, finding.grade)
        yield Observation(
            kind=ConditionKind.CHECK,
            subject_key=f"check:{finding.check}",
            subject=finding.check,
            cause=plain_cause("check", finding.check, check=finding.check),
            at=now,
            word=finding.check,
            grade=str(grade).lower(),
            number=finding.value,
            data={
                "check": finding.check,
                "grade": str(grade).lower(),
                "value": finding.value,
                "unit": str(finding.unit),
                "about": finding.subject,
            },
        )


def of_failovers(found: Iterable[Failover], *, now: Instant) -> Iterator[Observation]:
    """Failovers that their policy escalates, and times without the store."""
    for one in found:
        data = {
            "failover": one.id,
            "type": str(one.type),
            "of": one.subject,
            "lasts_us": one.lasted_us(now),
            "runs": one.affected.runs,
            "urgency": str(one.level or ""),
            "channel": one.channel,
        }
        if one.is_open and one.escalated_at is not None:
            yield Observation(
                kind=ConditionKind.FAILOVER,
                subject_key=f"failover:{one.id}",
                subject=one.subject,
                namespace=one.namespace,
                cause=plain_cause("failover", str(one.type), one.subject, type=str(one.type)),
                at=one.began_at,
                word=str(one.type),
                data=data,
            )
        if one.type is FailoverType.STORE_UNREACHABLE:
            yield Observation(
                kind=ConditionKind.STORE,
                subject_key="store",
                subject="store",
                cause=plain_cause("store"),
                at=one.began_at,
                lasts_us=int(one.evidence.get("away_us", one.lasted_us(now))),
                data=data,
            )


def of_leader(gap_us: Micros, *, now: Instant) -> Iterator[Observation]:
    """How long nobody led before this leader."""
    if gap_us > 0:
        yield Observation(
            kind=ConditionKind.LEADER,
            subject_key="leader",
            subject="leader",
            cause=plain_cause("leader"),
            at=now - gap_us,
            lasts_us=gap_us,
            data={"lasts_us": gap_us},
        )


def of_metrics(values: Iterable[MetricValue], *, now: Instant) -> Iterator[Observation]:
    """Figures that rules compare with a number."""
    for one in values:
        labels = ",".join(f"{name}={value}" for name, value in sorted(one.labels.items()))
        yield Observation(
            kind=ConditionKind.METRIC,
            subject_key=f"metric:{one.name}:{labels}"[:250],
            subject=f"{one.name}{{{labels}}}"[:250],
            cause=plain_cause("metric", one.name, labels, metric=one.name),
            at=now,
            word=one.name,
            number=one.value,
            labels=one.labels,
            group=one.labels.get("group", ""),
            data={"metric": one.name, "labels": dict(one.labels), "value": one.value},
        )


def _why_it_waits(one: LiveRuns, job: SubjectJob, served: frozenset[str]) -> tuple[str, str]:
    """The reason, and of what. Runs of one group without workers wait for one reason."""
    if not one.run_id:
        return "undecided", job.name
    if one.is_parked:
        return "earlier_run", job.name
    if job.group not in served:
        return "no_worker", job.group
    return ("assigned", job.name) if one.is_assigned else ("busy", job.group)


def _of_job(job: SubjectJob) -> dict[str, object]:
    return {"group": job.group, "tags": dict(job.tags)}
