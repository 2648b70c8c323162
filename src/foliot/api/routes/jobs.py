"""`/jobs`: list, create, read, change, delete, and what can be done with one."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse

from foliot.api.models.alerts import AlertOut
from foliot.api.models.common import Page, located, moment
from foliot.api.models.jobs import (
    ChangeOut,
    CheckJob,
    CloneJob,
    DryRunOut,
    JobChange,
    JobOut,
    JobPatch,
    MaybePauseJob,
    MaybeResumeJob,
    MaybeTriggerJob,
    NewJob,
    RollbackJob,
    TryJob,
    ValidOut,
    WarningOut,
)
from foliot.api.models.reschedule import (
    MaybeRescheduleJob,
    MaybeRescheduleJobs,
    RescheduledListOut,
    RescheduledOut,
)
from foliot.api.models.runs import RunOut, made_run
from foliot.api.request_parts import (
    PREFIX,
    READS,
    WRITES,
    Cursor,
    EveryNamespace,
    IfMatch,
    IfNoneMatch,
    LabelFilter,
    Limit,
    NameFilter,
    NamesFilter,
    Namespace,
    Reader,
    Runner,
    Services,
    Speaks,
    Writer,
    etag,
    expected_version,
    read_duration,
    read_labels,
    read_moment,
    read_names,
    read_words,
)
from foliot.api.route import FoliotRoute, request_key
from foliot.domain.access import Principal
from foliot.domain.errors import VersionConflict
from foliot.domain.instants import to_instant
from foliot.domain.texts import REASON_BYTES_MAX
from foliot.operations import clone as cloning
from foliot.operations import delete as deleting
from foliot.operations import pause as pausing
from foliot.operations import reschedule as rescheduling
from foliot.operations import rollback as rolling_back
from foliot.operations import save as saving
from foliot.operations.alerts import alerts_of_job
from foliot.operations.diff import changes_between
from foliot.operations.job_warnings import schedule_warnings
from foliot.operations.kinds import what_runs
from foliot.operations.limits import waiting_of
from foliot.operations.names import actor, find_job, home_of, namespace_of
from foliot.operations.save import SavedJob
from foliot.operations.trial import try_out
from foliot.operations.trigger import check as check_trigger
from foliot.operations.trigger import parameters_of
from foliot.operations.trigger import trigger as trigger_run
from foliot.operations.unserved import unserved
from foliot.operations.validate import DefinitionWarning, validate
from foliot.ports.store.jobs import SaveOutcome
from foliot.ports.store.lookups import RETIRED, JobFilter
from foliot.ports.store.runs import TriggerRequest
from foliot.words.alert_rules import alerting_of
from foliot.words.humane import human_duration
from foliot.words.language import Language

TRACEPARENT_MAX: Final = 200  # characters; later versions of it may be longer than the first
router: Final = APIRouter(prefix=PREFIX + "/jobs", tags=["jobs"], route_class=FoliotRoute)
STATES: Final = ("active", "paused", "done", RETIRED)
SORTS: Final = ("name", "next", "fails", "p95")
Sort = Annotated[
    str, Query(max_length=10, description="name, next; fails, p95: the worst of late first.", examples=["next"])
]

STRIP_MAX: Final = 60
Strip = Annotated[int, Query(ge=0, le=STRIP_MAX, description="How many of the latest runs to give with each job.")]


@router.get("", responses=READS, summary="List jobs")
async def list_jobs(
    services: Services,
    who: Reader,
    language: Speaks,
    namespace: EveryNamespace = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    state: Annotated[str | None, Query(max_length=50, examples=["active,paused"])] = None,
    owner: NameFilter = None,
    group: NameFilter = None,
    label: LabelFilter = None,
    name: NamesFilter = None,
    q: Annotated[str, Query(max_length=200, description="In name, description or owner.")] = "",
    failing: Annotated[bool, Query(description="Whose last run failed.")] = False,
    late: Annotated[bool, Query(description="Due for a minute and not decided.")] = False,
    sort: Sort = "name",
    strip: Strip = 0,
) -> Page[JobOut]:
    """One page of jobs: by name, by their next instant, or by how their latest runs went."""
    if namespace is not None and not who.sees(namespace):
        return Page(items=[])
    wanted = JobFilter(
        namespace=namespace_of(who, namespace),
        states=read_words(state, "state", STATES),
        owner=owner,
        group=group,
        labels=read_labels(label),
        names=read_names(name, home=home_of(who, namespace)),
        text=q,
        failing=failing,
        late=late,
        sort=_sort_of(sort),
        strip=strip,
    )
    page = await services.store.lookups.jobs(wanted, limit=limit, cursor=cursor)
    items = [JobOut.of(job, language=language, full=False) for job in page.items]
    return Page(items=items, next_cursor=page.next_cursor)


@router.post("", responses=WRITES, status_code=201, summary="Create a job")
async def create_job(
    services: Services, who: Writer, language: Speaks, body: NewJob, response: Response, namespace: Namespace = None
) -> JobOut:
    """A job that must not exist yet."""
    home = home_of(who, namespace)
    saved = await saving.create(services, who, home, body.name, body.definition, reason=body.reason)
    return _saved(saved, response, language)


@router.post(":validate", responses=WRITES, summary="Look at a definition without saving it")
async def validate_job(
    services: Services, who: Reader, language: Speaks, body: CheckJob, namespace: Namespace = None
) -> ValidOut:
    """The canonical form, the next instants, warnings, and what would change."""
    found = await validate(services, who, home_of(who, namespace), body.name, body.definition, language=language)
    return ValidOut(
        definition=dict(found.document),
        hash=found.hash,
        schedule=found.in_words,
        next=[moment(at) or "" for at in found.next_instants],
        warnings=[_warning(warning) for warning in found.warnings],
        exists_at_version=found.exists_at_version,
        changes=[ChangeOut.of(change) for change in found.changes],
        is_offered=found.is_offered,
    )


@router.post(":test", responses=WRITES, status_code=201, summary="Execute a definition once without saving it")
async def try_definition(
    services: Services, who: Writer, body: TryJob, response: Response, namespace: Namespace = None
) -> RunOut:
    """A test run, now: one attempt, which no statistics count. Nothing is saved, and no job is changed."""
    asked = TriggerRequest(namespace=home_of(who, namespace), job=body.name, by=actor(who, body.reason), is_test=True)
    run = await try_out(services, who, asked, body.definition, body.params)
    return made_run(run, response)


@router.get("/{name}", responses=READS, summary="Read a job")
async def get_job(
    services: Services,
    who: Reader,
    language: Speaks,
    name: str,
    response: Response,
    namespace: Namespace = None,
    strip: Strip = 0,
) -> JobOut:
    """The job with its definition; its ETag is what a change must be made from."""
    job = await find_job(services, who, home_of(who, namespace), name, with_hold=True, strip=strip)
    response.headers["ETag"] = etag(job.version)
    executes = what_runs(services.kinds, job.document)
    parameters = await parameters_of(services, job)
    waiting = await waiting_of(services, job)
    found = JobOut.of(job, language=language, executes=executes, parameters=parameters, waiting=waiting)
    open_alerts = await alerts_of_job(services, job)
    found.alerting = alerting_of(job.document, language)
    found.alerts = [AlertOut.of(one, language) for one in open_alerts.items]
    now = to_instant(services.clock.now())  # by the day: no right hangs on it
    found.warnings = [
        WarningOut(code=one.code, message=one.sentence, hint=one.hint or None)
        for one in await schedule_warnings(services, job, now=now, language=language)
    ]
    hold = await unserved(services, job)
    found.unserved = None if hold is None else WarningOut.of_hold(hold, language)
    return found


@router.put(
    "/{name}",
    responses={**WRITES, 201: {"model": JobOut, "description": "It is new."}},
    summary="Save a definition as a whole",
)
async def put_job(
    services: Services,
    who: Writer,
    language: Speaks,
    name: str,
    body: JobChange,
    response: Response,
    namespace: Namespace = None,
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
) -> JobOut:
    """With `If-Match` a new version of the job; with `If-None-Match: *` a new job."""
    home = home_of(who, namespace)
    expected = expected_version(if_match, name, if_none_match=if_none_match)
    try:
        saved = await saving.replace(
            services, who, home, name, body.definition, expected_version=expected, reason=body.reason
        )
    except VersionConflict as stale:
        raise await _explained(services, who, home, name, stale, body.definition, language) from stale
    return _saved(saved, response, language)


@router.patch("/{name}", responses=WRITES, summary="Change some fields of a definition")
async def patch_job(
    services: Services,
    who: Writer,
    language: Speaks,
    name: str,
    body: JobPatch,
    response: Response,
    namespace: Namespace = None,
    if_match: IfMatch = None,
) -> JobOut:
    """A merge patch: null takes a field away, mappings are merged."""
    home = home_of(who, namespace)
    expected = expected_version(if_match, name)
    try:
        saved = await saving.patch(
            services, who, home, name, body.definition, expected_version=expected, reason=body.reason
        )
    except VersionConflict as stale:
        raise await _explained(services, who, home, name, stale, None, language) from stale
    return _saved(saved, response, language)


@router.delete("/{name}", responses=WRITES, status_code=204, summary="Delete a job")
async def delete_job(
    services: Services,
    who: Writer,
    language: Speaks,
    name: str,
    namespace: Namespace = None,
    reason: Annotated[str, Query(max_length=REASON_BYTES_MAX)] = "",
    if_match: IfMatch = None,
) -> None:
    """Soft: history stays, the name is free again."""
    home = home_of(who, namespace)
    expected = expected_version(if_match, name)
    try:
        await deleting.delete(services, who, home, name, expected_version=expected, reason=reason)
    except VersionConflict as stale:
        raise await _explained(services, who, home, name, stale, None, language) from stale


@router.post("/{name}:pause", responses=WRITES, summary="Pause a job's schedule")
async def pause_job(
    services: Services, who: Writer, language: Speaks, name: str, body: MaybePauseJob, namespace: Namespace = None
) -> JobOut:
    """For good, or until an instant. Triggers go on working."""
    job = await pausing.pause(
        services,
        who,
        home_of(who, namespace),
        name,
        until=read_moment(body.until, "until"),
        reason=body.reason,
    )
    return JobOut.of(job, language=language)


@router.post("/{name}:resume", responses=WRITES, summary="Let a job's schedule go on")
async def resume_job(
    services: Services, who: Writer, language: Speaks, name: str, body: MaybeResumeJob, namespace: Namespace = None
) -> JobOut:
    """Paused time is left out, or caught up by the misfire policy."""
    home = home_of(who, namespace)
    job = await pausing.resume(services, who, home, name, catch_up=body.catch_up, reason=body.reason)
    return JobOut.of(job, language=language)


@router.post(":reschedule", responses=WRITES, summary="Set schedules right that stand too far ahead")
async def reschedule_jobs(
    services: Services, who: Writer, language: Speaks, body: MaybeRescheduleJobs, namespace: Namespace = None
) -> RescheduledListOut:
    """Look at a stretch of jobs; those that stand ahead of their schedules go on at their first instant to come."""
    found = await rescheduling.reschedule_all(
        services,
        who,
        home_of(who, namespace),
        after=body.after,
        limit=body.limit,
        dry_run=body.dry_run,
        reason=body.reason,
    )
    return RescheduledListOut.of(found, language)


@router.post("/{name}:reschedule", responses=WRITES, summary="Set a schedule right that stands too far ahead")
async def reschedule_job(
    services: Services, who: Writer, language: Speaks, name: str, body: MaybeRescheduleJob, namespace: Namespace = None
) -> RescheduledOut:
    """Decide what is due; then go on at the first instant to come. `dry_run`: only say what would be done."""
    done = await rescheduling.reschedule(
        services, who, home_of(who, namespace), name, dry_run=body.dry_run, reason=body.reason
    )
    return RescheduledOut.of(done, language)


@router.post(
    "/{name}:trigger",
    response_model=RunOut,
    responses={
        **WRITES,
        200: {
            "model": RunOut | DryRunOut,
            "description": "The run that stands for the trigger (`stands_for` says why), or what `dry_run` checked.",
        },
    },
    status_code=201,
    summary="Run a job",
)
async def trigger_job(
    request: Request,
    services: Services,
    who: Runner,
    name: str,
    body: MaybeTriggerJob,
    response: Response,
    namespace: Namespace = None,
) -> RunOut | Response:
    """A run now or later. The same key means the same run; so do triggers that a debounce or a throttle joins."""
    asked = TriggerRequest(
        namespace=home_of(who, namespace),
        job=name,
        by=actor(who, body.reason),
        key=body.key or request_key(request, who) or "",
        at=read_moment(body.at, "at"),
        delay_us=read_duration(body.delay, "delay"),
        allow_overlap=body.overlap == "allow",
        priority=body.priority,
        is_test=body.test,
        trace=request.headers.get("traceparent", "")[:TRACEPARENT_MAX],
    )
    if body.dry_run:
        job, _ = await check_trigger(services, who, asked, body.params)
        checked = DryRunOut(dry_run=True, job=job.name, version=job.version)
        return JSONResponse(checked.model_dump())
    triggered = await trigger_run(services, who, asked, body.params)
    return made_run(triggered.run, response, is_new=triggered.created, stands_for=triggered.stands_for)


@router.post("/{name}:clone", responses=WRITES, status_code=201, summary="Make a new job from this one")
async def clone_job(
    services: Services,
    who: Writer,
    language: Speaks,
    name: str,
    body: CloneJob,
    response: Response,
    namespace: Namespace = None,
) -> JobOut:
    """The present definition under another name, with some fields changed."""
    saved = await cloning.clone(
        services,
        who,
        home_of(who, namespace),
        name,
        body.name,
        new_namespace=body.namespace,
        changes=body.changes,
        reason=body.reason,
    )
    return _saved(saved, response, language)


@router.post("/{name}:rollback", responses=WRITES, summary="Go back to an earlier version")
async def rollback_job(
    services: Services,
    who: Writer,
    language: Speaks,
    name: str,
    body: RollbackJob,
    response: Response,
    namespace: Namespace = None,
    if_match: IfMatch = None,
) -> JobOut:
    """A new version with the content of an old one. `If-Match` is heeded when it is sent."""
    expected = None
    if if_match is not None:
        expected = expected_version(if_match, name)
    saved = await rolling_back.rollback(
        services,
        who,
        home_of(who, namespace),
        name,
        to_version=body.to,
        expected_version=expected,
        reason=body.reason,
    )
    return _saved(saved, response, language)


def _sort_of(written: str) -> str:
    if not written:
        return "name"
    return read_words(written, "sort", SORTS)[0]


def _warning(warning: DefinitionWarning) -> WarningOut:
    return WarningOut(code=warning.code, message=warning.sentence, hint=warning.hint)


def _saved(saved: SavedJob, response: Response, language: Language) -> JobOut:
    """Return the job that was saved; its version and its address go into the headers of the answer."""
    job = saved.job
    response.headers["ETag"] = etag(job.version)
    response.headers["Foliot-Outcome"] = saved.outcome.value
    if saved.outcome is SaveOutcome.CREATED:
        response.status_code = 201
        response.headers["Location"] = located("jobs", job.name, namespace=job.namespace)
    return JobOut.of(job, language=language, warnings=saved.warnings)


async def _explained(
    services: Services,
    who: Principal,
    namespace: str,
    name: str,
    stale: VersionConflict,
    wanted: dict[str, Any] | None,
    language: Language,
) -> VersionConflict:
    """Return the conflict with the present job, and with how it differs from the definition that the client sent.

    `wanted`: the whole definition that was sent; None: compare with the version that the client had read.
    """
    if not stale.found:
        return stale
    lookups = services.store.lookups
    job = await find_job(services, who, namespace, name)
    age_us = max(0, await lookups.now() - job.updated_at)
    ago = human_duration(age_us, language)
    conflict = VersionConflict(name, expected=stale.expected, found=job.version, by=job.updated_by, ago=ago)
    conflict.data["current"] = {
        "version": job.version,
        "updated_by": job.updated_by,
        "definition": dict(job.document),
    }
    before: Mapping[str, Any] | None = wanted
    if before is None:
        version = await lookups.version(job.job_id, stale.expected)
        before = version.document if version else {}
    changes = changes_between(before, job.document)
    conflict.data["changes"] = [ChangeOut.of(change).model_dump() for change in changes]
    return conflict
