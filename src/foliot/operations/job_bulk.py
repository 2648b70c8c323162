"""The same verb on many jobs: pause, resume, trigger, delete. Each job tells what became of it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import Conflict, FoliotError, InvalidInput, NotFound
from foliot.domain.instants import Instant
from foliot.operations import delete as deleting
from foliot.operations import pause as pausing
from foliot.operations.names import actor, group_of
from foliot.operations.services import Services
from foliot.operations.trigger import trigger
from foliot.ports.store.lookups import JobRow, RunRow
from foliot.ports.store.runs import TriggerRequest

PAUSED: Final = "paused"


class JobOutcome(StrEnum):
    """What became of one of many jobs."""

    DONE = "done"
    SAME = "same"  # it was as wanted before
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class TreatedJob:
    """One of many jobs, and what became of it."""

    job: JobRow
    outcome: JobOutcome
    error: FoliotError | None = None
    run: RunRow | None = None  # of a trigger


Treat = Callable[[JobRow], Awaitable[TreatedJob]]


async def pause_all(
    services: Services, who: Principal, jobs: Sequence[JobRow], *, until: Instant | None = None, reason: str = ""
) -> Sequence[TreatedJob]:
    """Stop their schedules. One that stands already keeps its own end and reason."""

    async def treat(job: JobRow) -> TreatedJob:
        if job.state == PAUSED:
            return TreatedJob(job=job, outcome=JobOutcome.SAME)
        after = await pausing.pause(services, who, job.namespace, job.name, until=until, reason=reason)
        return TreatedJob(job=after, outcome=JobOutcome.DONE)

    return await _each(who, jobs, treat, Scope.WRITE)


async def resume_all(
    services: Services, who: Principal, jobs: Sequence[JobRow], *, catch_up: bool = False, reason: str = ""
) -> Sequence[TreatedJob]:
    """Let their schedules go on."""

    async def treat(job: JobRow) -> TreatedJob:
        if job.state != PAUSED:
            return TreatedJob(job=job, outcome=JobOutcome.SAME)
        after = await pausing.resume(services, who, job.namespace, job.name, catch_up=catch_up, reason=reason)
        return TreatedJob(job=after, outcome=JobOutcome.DONE)

    return await _each(who, jobs, treat, Scope.WRITE)


async def trigger_all(
    services: Services, who: Principal, jobs: Sequence[JobRow], *, key: str, reason: str = ""
) -> Sequence[TreatedJob]:
    """One run of each with the parameters of its definition. The same key means the same runs (S4)."""
    request = TriggerRequest(namespace="", job="", by=actor(who, reason))

    async def treat(job: JobRow) -> TreatedJob:
        own = replace(request, namespace=job.namespace, job=job.name, key=f"{key}:{job.job_id}")
        made = await trigger(services, who, own)
        outcome = JobOutcome.DONE if made.created else JobOutcome.SAME
        return TreatedJob(job=job, outcome=outcome, run=made.run)

    return await _each(who, jobs, treat, Scope.RUN)


async def delete_all(
    services: Services, who: Principal, jobs: Sequence[JobRow], *, reason: str = ""
) -> Sequence[TreatedJob]:
    """Take them away, each in the version that was found."""

    async def treat(job: JobRow) -> TreatedJob:
        await deleting.delete(services, who, job.namespace, job.name, expected_version=job.version, reason=reason)
        return TreatedJob(job=job, outcome=JobOutcome.DONE)

    return await _each(who, jobs, treat, Scope.WRITE)


async def _each(who: Principal, jobs: Sequence[JobRow], treat: Treat, scope: Scope) -> Sequence[TreatedJob]:
    """Treat one job after the other: all rights are checked first; after that one refusal stops no other job."""
    for job in jobs:
        who.demand(scope, group=group_of(job))
    treated: list[TreatedJob] = []
    for job in jobs:
        try:
            treated.append(await treat(job))
        except (InvalidInput, NotFound, Conflict) as error:
            treated.append(TreatedJob(job=job, outcome=JobOutcome.FAILED, error=error))
    return treated
