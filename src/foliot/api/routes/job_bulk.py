"""`/jobs:pause` and its like: one verb on many jobs, named or filtered, with the number that the user saw."""

from collections.abc import Sequence
from typing import Final

from fastapi import APIRouter, Request

from foliot.api.errors import BadRequest, CountDiffers
from foliot.api.models.job_bulk import (
    BULK_JOBS_MAX,
    BulkJobs,
    JobFilterIn,
    PauseJobs,
    ResumeJobs,
    TreatedJobsOut,
)
from foliot.api.request_parts import (
    PREFIX,
    WRITES,
    EveryNamespace,
    Runner,
    Services,
    Speaks,
    Writer,
    read_labels,
    read_moment,
    read_words,
)
from foliot.api.route import FoliotRoute, request_key
from foliot.api.routes.jobs import STATES
from foliot.domain.access import Principal
from foliot.operations import job_bulk
from foliot.operations.names import find_job, home_of, namespace_of
from foliot.operations.services import Services as ServicesHere
from foliot.ports.store.lookups import JobFilter, JobRow

router: Final = APIRouter(prefix=PREFIX + "/jobs", tags=["jobs"], route_class=FoliotRoute)
PAGE: Final = 200


@router.post(":pause", responses=WRITES, summary="Pause the schedules of many jobs")
async def pause_jobs(
    services: Services, who: Writer, language: Speaks, body: PauseJobs, namespace: EveryNamespace = None
) -> TreatedJobsOut:
    """By names, or by a filter with the number that is expected. Those that are paused already stay as they are."""
    jobs = await _chosen(services, who, body, namespace)
    until = read_moment(body.until, "until")
    done = await job_bulk.pause_all(services, who, jobs, until=until, reason=body.reason)
    return TreatedJobsOut.of(done, language)


@router.post(":resume", responses=WRITES, summary="Let the schedules of many jobs go on")
async def resume_jobs(
    services: Services, who: Writer, language: Speaks, body: ResumeJobs, namespace: EveryNamespace = None
) -> TreatedJobsOut:
    """By names, or by a filter with the number that is expected."""
    jobs = await _chosen(services, who, body, namespace)
    done = await job_bulk.resume_all(services, who, jobs, catch_up=body.catch_up, reason=body.reason)
    return TreatedJobsOut.of(done, language)


@router.post(":trigger", responses=WRITES, summary="Run many jobs")
async def trigger_jobs(
    request: Request,
    services: Services,
    who: Runner,
    language: Speaks,
    body: BulkJobs,
    namespace: EveryNamespace = None,
) -> TreatedJobsOut:
    """One run of each, with the parameters of its definition. By names, or by a filter with the number expected."""
    jobs = await _chosen(services, who, body, namespace)
    key = request_key(request, who) or services.chance.token()
    done = await job_bulk.trigger_all(services, who, jobs, key=key, reason=body.reason)
    return TreatedJobsOut.of(done, language)


@router.post(":delete", responses=WRITES, summary="Delete many jobs")
async def delete_jobs(
    services: Services, who: Writer, language: Speaks, body: BulkJobs, namespace: EveryNamespace = None
) -> TreatedJobsOut:
    """Soft: history stays, the names are free again. By names, or by a filter with the number that is expected."""
    jobs = await _chosen(services, who, body, namespace)
    done = await job_bulk.delete_all(services, who, jobs, reason=body.reason)
    return TreatedJobsOut.of(done, language)


async def _chosen(services: ServicesHere, who: Principal, body: BulkJobs, namespace: str | None) -> Sequence[JobRow]:
    """Return the jobs that a verb is about; raise `CountDiffers` when they are not as many as the user saw."""
    if (body.jobs is None) == (body.filter is None):
        raise BadRequest("Give either jobs or a filter.", hint="a filter needs expected: how many jobs you saw")
    if body.jobs is not None:
        once_each = dict.fromkeys((home_of(who, one.namespace or namespace), one.name) for one in body.jobs)
        return [await find_job(services, who, home, name) for home, name in once_each]
    if body.expected is None:
        raise BadRequest("A filter needs expected: how many jobs you saw.")
    assert body.filter is not None
    found = await _filtered(services, who, body.filter, namespace)
    if len(found) != body.expected:
        raise CountDiffers(expected=body.expected, found=len(found))
    return found


async def _filtered(
    services: ServicesHere, who: Principal, asked: JobFilterIn, namespace: str | None
) -> Sequence[JobRow]:
    """Every job that the filter lets through; one more than a verb takes says that there are too many."""
    if namespace is not None and not who.sees(namespace):
        return []
    wanted = JobFilter(
        namespace=namespace_of(who, namespace),
        states=read_words(asked.state, "state", STATES),
        owner=asked.owner,
        group=asked.group,
        labels=read_labels(asked.label),
        text=asked.q,
        failing=asked.failing,
        late=asked.late,
    )
    found: list[JobRow] = []
    cursor: str | None = None
    while True:
        page = await services.store.lookups.jobs(wanted, limit=PAGE, cursor=cursor)
        found += page.items
        cursor = page.next_cursor
        if cursor is None or len(found) > BULK_JOBS_MAX:
            return found[: BULK_JOBS_MAX + 1]
