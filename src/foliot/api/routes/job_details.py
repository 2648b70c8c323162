"""`/jobs/{name}/…`: versions, fires, why, days, parameters."""

from datetime import date
from typing import Annotated, Final

from fastapi import APIRouter, Query

from foliot.api.errors import BadRequest
from foliot.api.language import zone_of
from foliot.api.models.common import Page, moment
from foliot.api.models.job_days import DaysOut
from foliot.api.models.jobs import (
    CandidateOut,
    ChangeOut,
    DiffOut,
    FireOut,
    FiresOut,
    ParametersOut,
    VersionOut,
    WhyListOut,
    WhyOut,
)
from foliot.api.pages import AnyLimit, number_of_cursor, page_of
from foliot.api.request_parts import (
    PREFIX,
    READS,
    Cursor,
    Limit,
    Namespace,
    Reader,
    Services,
    Speaks,
    When,
    needed_moment,
    read_moment,
)
from foliot.api.route import FoliotRoute
from foliot.domain.why import Explanation
from foliot.operations.diff import diff as diff_versions
from foliot.operations.diff import find_version
from foliot.operations.fires import fires as list_fires
from foliot.operations.job_days import DAYS_DEFAULT, DAYS_MAX, job_days
from foliot.operations.names import find_job, home_of
from foliot.operations.trigger import lane_of_job, parameters_of
from foliot.operations.why import why_instant, why_since
from foliot.operations.why import zone_of as job_zone
from foliot.words.language import Language
from foliot.words.why import CODES, hint, sentence

router: Final = APIRouter(prefix=PREFIX + "/jobs/{name}", tags=["jobs"], route_class=FoliotRoute)
VersionNumber = Annotated[int, Query(ge=1, le=2**31 - 1)]


@router.get("/versions", responses=READS, summary="Versions of a job")
async def list_job_versions(
    services: Services, who: Reader, name: str, namespace: Namespace = None, limit: Limit = 50, cursor: Cursor = None
) -> Page[VersionOut]:
    """Newest first, each with who, when and why."""
    job = await find_job(services, who, home_of(who, namespace), name)
    before = number_of_cursor(cursor, digits_max=9)
    rows = await services.store.lookups.versions(job.job_id, limit=limit, before=before)
    next_cursor = None
    if len(rows) == limit and rows[-1].version > 1:
        next_cursor = str(rows[-1].version)
    items = [VersionOut.of(row) for row in rows]
    return Page(items=items, next_cursor=next_cursor)


@router.get("/versions/{version}", responses=READS, summary="One version of a job")
async def get_job_version(
    services: Services, who: Reader, name: str, version: int, namespace: Namespace = None
) -> VersionOut:
    """Its definition, hash, who, when and why."""
    job = await find_job(services, who, home_of(who, namespace), name)
    storable = max(0, min(version, 2**31 - 1))  # a number beyond it is no version, and no column takes it
    return VersionOut.of(await find_version(services, job, storable))


@router.get("/diff", responses=READS, summary="What changed between two versions")
async def diff_job_versions(
    services: Services, who: Reader, name: str, before: VersionNumber, after: VersionNumber, namespace: Namespace = None
) -> DiffOut:
    """Field by field."""
    home = home_of(who, namespace)
    changes = await diff_versions(services, who, home, name, before=before, after=after)
    items = [ChangeOut.of(change) for change in changes]
    return DiffOut(before=before, after=after, changes=items)


@router.get("/fires", responses=READS, summary="Past and future fires of a job")
async def list_job_fires(
    services: Services,
    who: Reader,
    name: str,
    namespace: Namespace = None,
    from_: Annotated[str | None, Query(alias="from", max_length=64, description="RFC 3339. Included.")] = None,
    to: Annotated[str | None, Query(max_length=64, description="RFC 3339. Not included.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> FiresOut:
    """What became of due instants, and which come next; a day back and the next ones when nothing is said.

    With the cursor it goes on into the past, without the future.
    """
    before = number_of_cursor(cursor, digits_max=18)
    found = await list_fires(
        services,
        who,
        home_of(who, namespace),
        name,
        from_at=read_moment(from_, "from"),
        to_at=read_moment(to, "to"),
        before=before,
        limit=limit,
    )
    return FiresOut(
        now=moment(found.now) or "",
        past=[FireOut.of(fire) for fire in found.past],
        future=[FireOut.of(fire) for fire in found.future],
        next_cursor=None if found.more_before is None else str(found.more_before),
    )


@router.get("/why", responses=READS, summary="Why a job did or did not run")
async def explain_job(
    services: Services,
    who: Reader,
    language: Speaks,
    name: str,
    namespace: Namespace = None,
    at: When = None,
    since: When = None,
    tz: Annotated[str | None, Query(max_length=100, description="Zone of the times; the job's own.")] = None,
    limit: AnyLimit = None,
    cursor: Cursor = None,
) -> WhyListOut:
    """`at`: one instant, explained in a sentence. `since`: what became of all instants since then."""
    home = home_of(who, namespace)
    if (at is None) == (since is None):
        raise BadRequest("Give either at or since.", hint="?at=2026-03-02T02:00:00Z")
    asked_zone = zone_of(tz, "UTC")  # before the job is looked up: a zone that does not exist is refused first
    job = await find_job(services, who, home, name)
    usual_zone = asked_zone if tz else job_zone(job.document, job.name)
    if at is not None:
        instant = needed_moment(at, "at", tz=usual_zone)
        explanation, zone = await why_instant(services, who, home, job.name, instant)
        shown = why_out(explanation, tz=zone_of(tz, zone), language=language)
        return WhyListOut(items=[shown])
    begin = needed_moment(since or "", "since", tz=usual_zone)
    explanations, zone = await why_since(services, who, home, job.name, begin)
    page, more = page_of(explanations, lambda one: f"{one.at or 0}-{one.verdict}", limit=limit, cursor=cursor)
    shown_zone = zone_of(tz, zone)
    items = [why_out(one, tz=shown_zone, language=language) for one in page]
    return WhyListOut(items=items, next_cursor=more)


@router.get("/days", responses=READS, summary="How a job's runs of each day ended")
async def get_job_days(
    services: Services,
    who: Reader,
    name: str,
    namespace: Namespace = None,
    to: Annotated[date | None, Query(description="The last day; today when it is not said.")] = None,
    days: Annotated[int, Query(ge=1, le=DAYS_MAX, description="How many days, up to the last one.")] = DAYS_DEFAULT,
    tz: Annotated[str | None, Query(max_length=100, description="Zone of the days; the job's own.")] = None,
) -> DaysOut:
    """Runs by the day on which they were due, and skipped instants. Days without any are left out."""
    found = await job_days(services, who, home_of(who, namespace), name, tz=tz, last=to, count=days)
    return DaysOut.of(found)


@router.get("/parameters", responses=READS, summary="What a job's handler takes")
async def get_job_parameters(services: Services, who: Reader, name: str, namespace: Namespace = None) -> ParametersOut:
    """The job's own JSON Schema, or that which live workers offer; null while none does."""
    job = await find_job(services, who, home_of(who, namespace), name)
    schema = await parameters_of(services, job)
    parameters = None if schema is None else dict(schema)
    return ParametersOut(handler=lane_of_job(job).offer, parameters=parameters)


def why_out(explanation: Explanation, *, tz: str, language: Language) -> WhyOut:
    """Return an explanation in words."""
    skip = explanation.skip if explanation.is_range else None
    return WhyOut(
        verdict=explanation.verdict,
        sentence=sentence(explanation, tz=tz, language=language),
        hint=hint(explanation, language),
        code=CODES.get(explanation.verdict),
        at=moment(explanation.at),
        from_at=moment(skip.from_at) if skip else None,
        count=skip.count if skip else None,
        job=explanation.job,
        run=explanation.run.id if explanation.run else None,
        timezone=tz,
        candidates=_candidates(explanation),
    )


def _candidates(explanation: Explanation) -> list[CandidateOut]:
    route = explanation.hold.route if explanation.hold is not None else None
    if route is None:
        return []
    return [CandidateOut(node=one.name, score=one.score, chosen=one.is_chosen) for one in route.candidates]
