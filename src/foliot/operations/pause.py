"""Pause and resume: a job's schedule stands still; triggers go on working."""

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import BadField
from foliot.domain.instants import Instant, isoformat
from foliot.operations.names import actor, find_job, group_of
from foliot.operations.notes import note_job
from foliot.operations.services import Services
from foliot.ports.store.lookups import JobRow


async def pause(
    services: Services,
    who: Principal,
    namespace: str,
    name: str,
    *,
    until: Instant | None = None,
    reason: str = "",
) -> JobRow:
    """Stop the schedule, for good or until an instant. What is due by now is decided first."""
    job = await find_job(services, who, namespace, name)
    who.demand(Scope.WRITE, group=group_of(job))
    if until is not None:
        now = await services.store.lookups.now()
        if until <= now:
            raise BadField("until", f"{isoformat(until)} is past", hint="give a time that is still to come")
    by = actor(who, reason)
    await services.store.jobs.pause(namespace, job.name, by=by, plans=services.plans, until=until)
    shown_until = until and isoformat(until)
    await note_job(services, who, "job.paused", namespace, job.name, reason=reason, until=shown_until)
    services.cursors_moved()
    return await find_job(services, who, namespace, job.name)


async def resume(
    services: Services,
    who: Principal,
    namespace: str,
    name: str,
    *,
    catch_up: bool = False,
    reason: str = "",
) -> JobRow:
    """Let the schedule go on. Paused time is left out as one skip, or caught up by the misfire policy."""
    job = await find_job(services, who, namespace, name)
    who.demand(Scope.WRITE, group=group_of(job))
    await services.store.jobs.resume(namespace, job.name, plans=services.plans, catch_up=catch_up)
    await note_job(services, who, "job.resumed", namespace, job.name, reason=reason, catch_up=catch_up or None)
    services.cursors_moved()
    services.runs_may_be_ready()
    return await find_job(services, who, namespace, job.name)
