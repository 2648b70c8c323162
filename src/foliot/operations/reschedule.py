"""Reschedule: set schedules right that stand further ahead than they may, after the store's clock was ahead."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import BadField, JobNotFound
from foliot.domain.instants import Instant, isoformat
from foliot.operations.names import find_job, group_of
from foliot.operations.notes import note_job
from foliot.operations.services import Services
from foliot.ports.store.lookups import JobRow
from foliot.ports.store.rescheduling import Rescheduled

LOOKED_AT_MAX: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class RescheduledJob:
    """A job, and what became of its cursor."""

    job: JobRow
    done: Rescheduled
    dry_run: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RescheduledJobs:
    """Those of a stretch of jobs that stood ahead; `after`: where the next stretch begins, None at the end."""

    items: Sequence[RescheduledJob]
    after: int | None


async def reschedule(
    services: Services, who: Principal, namespace: str, name: str, *, dry_run: bool = False, reason: str = ""
) -> RescheduledJob:
    """Decide what is due, and let the schedule go on at the first instant to come. `dry_run`: only look."""
    job = await find_job(services, who, namespace, name)
    who.demand(Scope.WRITE, group=group_of(job))
    done = await services.store.jobs.reschedule(namespace, job.name, plans=services.plans, dry_run=dry_run)
    if not dry_run and done.is_changed:
        await _note(services, who, namespace, job.name, done, reason)
        services.cursors_moved()
        services.runs_may_be_ready()
    after = await find_job(services, who, namespace, job.name)
    return RescheduledJob(job=after, done=done, dry_run=dry_run)


async def reschedule_all(
    services: Services,
    who: Principal,
    namespace: str,
    *,
    after: int = 0,
    limit: int = LOOKED_AT_MAX,
    dry_run: bool = False,
    reason: str = "",
) -> RescheduledJobs:
    """Look at a stretch of the namespace's jobs, and set right those that stand ahead and are in reach of the token."""
    who.demand(Scope.WRITE)
    if not who.sees(namespace):
        who.demand_everywhere(Scope.WRITE)
    if not 1 <= limit <= LOOKED_AT_MAX:
        raise BadField("limit", f"{limit} is not between 1 and {LOOKED_AT_MAX}")
    found, last = await services.store.jobs.ahead(namespace, plans=services.plans, after=after, limit=limit)
    items = []
    for job in found:
        if who.group is not None and who.group != job.group:
            continue
        try:
            done = await reschedule(services, who, namespace, job.name, dry_run=dry_run, reason=reason)
        except JobNotFound:  # a user deleted it meanwhile
            continue
        items.append(done)
    return RescheduledJobs(items=items, after=last)


async def _note(services: Services, who: Principal, namespace: str, name: str, done: Rescheduled, reason: str) -> None:
    await note_job(
        services,
        who,
        "job.rescheduled",
        namespace,
        name,
        reason=reason,
        before=_shown(done.before.next_due_at),
        after=_shown(done.after.next_due_at),
        instants=done.instants or None,
        cancelled=done.runs or None,
        retries=done.retries or None,
    )


def _shown(instant: Instant | None) -> str | None:
    return None if instant is None else isoformat(instant)
