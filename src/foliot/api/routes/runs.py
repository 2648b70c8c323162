"""`/runs`: list, read (and wait for), cancel, retry, attempts, shards, result, timeline, why."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Query, Request, Response

from foliot.api.errors import BadRequest, CountDiffers
from foliot.api.language import zone_of
from foliot.api.models.common import Page
from foliot.api.models.jobs import WhyOut, WhyRunsOut
from foliot.api.models.runs import (
    AttemptOut,
    AttemptsOut,
    BulkOut,
    BulkRuns,
    CancelledOut,
    MaybeCancelRun,
    MaybeRetryRun,
    RefusedRunOut,
    ResultOut,
    RetriedOut,
    RunOut,
    ShardsOut,
    TimelineOut,
    made_run,
    timeline_of,
)
from foliot.api.pages import AnyLimit, page_of
from foliot.api.request_parts import (
    PREFIX,
    READS,
    WRITES,
    Cursor,
    EveryNamespace,
    LabelFilter,
    Limit,
    NameFilter,
    Namespace,
    Reader,
    Runner,
    Services,
    Speaks,
    When,
    read_labels,
    read_moment,
    read_since,
    read_words,
    run_id_of,
)
from foliot.api.route import FoliotRoute, request_key
from foliot.api.routes.job_details import why_out
from foliot.api.streams import until_gone
from foliot.domain.access import Principal
from foliot.domain.errors import BadField, Conflict, RunNotFound
from foliot.domain.run import DERIVED, LIVE, RunState
from foliot.operations.cancel import CancelledRun, cancel
from foliot.operations.explained_runs import EXPLAINED_MAX, why_runs
from foliot.operations.kinds import what_run_executes
from foliot.operations.names import find_job, find_job_ids, find_run, home_of, namespace_of
from foliot.operations.retry import retry
from foliot.operations.run_end import wait_for_end
from foliot.operations.shard_times import slowest_of
from foliot.operations.why import why_run
from foliot.ports.store.lookups import RunFilter, RunRow

router: Final = APIRouter(prefix=PREFIX + "/runs", tags=["runs"], route_class=FoliotRoute)
STATES: Final = (*(str(state) for state in RunState), *DERIVED)
KINDS: Final = ("error", "timeout", "lost", "rejected", "poison")
RunStates = Annotated[
    str | None, Query(max_length=100, examples=["failed,running"], description="Also as shown: held, retrying.")
]
BULK_MAX: Final = 200
WAIT_MAX_S: Final = 30.0


@router.get("", responses=READS, summary="List runs")
async def list_runs(
    services: Services,
    who: Reader,
    namespace: EveryNamespace = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    job: Annotated[NameFilter, Query(description="Its name, also of one that was deleted.")] = None,
    state: RunStates = None,
    kind: Annotated[str | None, Query(max_length=100, examples=["timeout"])] = None,
    since: When = None,
    until: When = None,
    ended_since: When = None,
    ended_until: When = None,
    node: NameFilter = None,
    label: LabelFilter = None,
    shards: Annotated[bool, Query(description="Also the shards of sharded runs.")] = False,
    tests: Annotated[
        Literal["only", "none"] | None, Query(description="only: of jobs that users tested; none: all but those.")
    ] = None,
) -> Page[RunOut]:
    """One page of runs, newest first, without their parameters and results.

    `since` and `until` go by when they were created, `ended_since` and `ended_until` by when they were over.
    What is over since an instant may have been created at any time before: `ended_since` alone leads page by page to
    the oldest run, `since` as well ends the walk there.
    """
    if namespace is not None and not who.sees(namespace):
        return Page(items=[])
    job_ids: tuple[int, ...] = ()
    if job is not None:
        job_ids = await find_job_ids(services, who, home_of(who, namespace), job)
    wanted = RunFilter(
        namespace=namespace_of(who, namespace),
        job_ids=job_ids,
        states=read_words(state, "state", STATES),
        kinds=read_words(kind, "kind", KINDS),
        since=read_since(since),
        until=read_moment(until, "until"),
        ended_since=read_since(ended_since, "ended_since"),
        ended_until=read_moment(ended_until, "ended_until"),
        node=node,
        labels=read_labels(label),
        shards=shards,
        tests=None if tests is None else tests == "only",
    )
    page = await services.store.lookups.runs(wanted, limit=limit, cursor=cursor)
    return Page(items=_briefly(page.items), next_cursor=page.next_cursor)


@router.get("/{run}", responses=READS, summary="Read a run, or wait for its end")
async def get_run(
    request: Request,
    services: Services,
    who: Reader,
    run: str,
    wait: Annotated[float, Query(ge=0, le=WAIT_MAX_S, description="Seconds to wait for its end.")] = 0,
) -> RunOut:
    """The run with parameters and result. With `wait` the answer is held until the run is over or the time is."""
    found = await find_run(services, who, run_id_of(run), with_hold=not wait)
    if wait and RunState(found.state) in LIVE:
        found = await wait_for_end(services, who, found.run_id, within_s=wait, gone=until_gone(request))
    if wait and found.state == RunState.PENDING:
        found = await find_run(services, who, found.run_id, with_hold=True)
    executes = None if wait else await what_run_executes(services, found)
    return RunOut.of(found, executes=executes)


@router.get(":why", responses=READS, summary="Where several runs stand, and what they wait for")
async def explain_runs(
    services: Services,
    who: Reader,
    language: Speaks,
    ids: Annotated[str, Query(min_length=1, max_length=2000, examples=["r-8k2f,r-8k31"], description="At most 50.")],
    tz: Annotated[str | None, Query(max_length=100)] = None,
) -> WhyRunsOut:
    """In one sentence each, with the next step, in the order asked. A run that is not there is left out."""
    wanted = [run_id_of(written.strip()) for written in ids.split(",")]
    if len(wanted) > EXPLAINED_MAX:
        raise BadField("ids", f"{len(wanted)} runs; at most {EXPLAINED_MAX} are explained at a time")
    explained = await why_runs(services, who, wanted)
    items = [why_out(one.why, tz=zone_of(tz, one.tz), language=language) for one in explained]
    return WhyRunsOut(items=items)


@router.post("/{run}:cancel", responses=WRITES, summary="Cancel a run")
async def cancel_run(services: Services, who: Runner, run: str, body: MaybeCancelRun) -> RunOut:
    """A waiting run ends at once; a running one is asked to stop, or ended; one that is over stays as it is."""
    cancelled = await cancel(services, who, [run_id_of(run)], reason=body.reason, force=body.force)
    return RunOut.of(cancelled[0].run)


@router.post("/{run}:retry", responses=WRITES, status_code=201, summary="Run a finished run again")
async def retry_run(
    request: Request, services: Services, who: Runner, run: str, body: MaybeRetryRun, response: Response
) -> RunOut:
    """A new run with the same parameters, due instant and (unless `latest`) version."""
    retried = await retry(
        services,
        who,
        run_id_of(run),
        latest_version=body.version == "latest",
        failed_shards=body.failed_shards,
        request_key=request_key(request, who),
        reason=body.reason,
    )
    return made_run(retried.run, response)


@router.post(":cancel", responses=WRITES, summary="Cancel many runs")
async def cancel_runs(services: Services, who: Runner, body: BulkRuns, namespace: Namespace = None) -> BulkOut:
    """By ids, or all live runs of a job, with the number that is expected; at most 200 at a time."""
    runs = await _chosen(services, who, body, namespace, states=("PENDING", "RUNNING"))
    if not runs:
        return BulkOut(count=0, items=[])
    ids = [run.run_id for run in runs]
    cancelled = await cancel(services, who, ids, reason=body.reason, force=body.force)
    items = [_cancelled(one) for one in cancelled]
    return BulkOut(count=len(items), items=items)


@router.post(":retry", responses=WRITES, summary="Run many finished runs again")
async def retry_runs(
    request: Request, services: Services, who: Runner, language: Speaks, body: BulkRuns, namespace: Namespace = None
) -> RetriedOut:
    """By ids, or all failed runs of a job, with the number that is expected; at most 200 at a time.

    One that cannot be run again (its job was deleted) stops no other. When none can, that is the answer.
    """
    runs = await _chosen(services, who, body, namespace, states=("FAILED",))
    key = request_key(request, who) or services.chance.token()
    made: dict[int, RunRow] = {}  # by id: several shards of one run make one new run together
    refused: list[tuple[RunRow, Conflict]] = []
    for run in runs:
        try:
            retried = await retry(services, who, run.run_id, request_key=key, reason=body.reason)
        except Conflict as error:
            refused.append((run, error))
        else:
            made[retried.run.run_id] = retried.run
    if refused and not made:
        raise refused[0][1]
    told = [RefusedRunOut.of(run, error, language) for run, error in refused]
    return RetriedOut(count=len(made), items=_briefly(made.values()), refused=told)


@router.get("/{run}/attempts", responses=READS, summary="Every try of a run")
async def list_run_attempts(
    services: Services, who: Reader, run: str, limit: AnyLimit = None, cursor: Cursor = None
) -> AttemptsOut:
    """Oldest first."""
    found = await find_run(services, who, run_id_of(run))
    rows = await services.store.lookups.attempts(found.run_id)
    page, more = page_of(rows, lambda row: str(row.attempt), limit=limit, cursor=cursor)
    return AttemptsOut(items=[AttemptOut.of(row) for row in page], next_cursor=more)


@router.get("/{run}/shards", responses=READS, summary="The shards of a run")
async def list_run_shards(
    services: Services, who: Reader, run: str, limit: AnyLimit = None, cursor: Cursor = None
) -> ShardsOut:
    """In order, with a count per state of all of them, and which takes longest."""
    found = await find_run(services, who, run_id_of(run))
    rows = await services.store.lookups.shards(found.run_id, with_holds=True)
    counts = Counter(row.state for row in rows)
    page, more = page_of(rows, lambda row: str(row.run_id), limit=limit, cursor=cursor)
    slowest = slowest_of(rows, await services.store.lookups.now())
    shown = None if slowest is None else RunOut.of(slowest, full=False)
    return ShardsOut(items=_briefly(page), counts=dict(counts), slowest=shown, next_cursor=more)


@router.get("/{run}/result", responses=READS, summary="What a run returned")
async def get_run_result(services: Services, who: Reader, run: str) -> ResultOut:
    """The result as JSON; null while there is none."""
    found = RunOut.of(await find_run(services, who, run_id_of(run)))
    return ResultOut(id=found.id, state=found.state, result=found.result)


@router.get("/{run}/timeline", responses=READS, summary="A run's life")
async def get_run_timeline(
    services: Services, who: Reader, run: str, limit: AnyLimit = None, cursor: Cursor = None
) -> TimelineOut:
    """Due, created, leased, started, ended: every moment, oldest first."""
    found = await find_run(services, who, run_id_of(run))
    attempts = await services.store.lookups.attempts(found.run_id)
    entries = timeline_of(found, list(attempts))
    page, more = page_of(entries, lambda entry: f"{entry.at} {entry.what}", limit=limit, cursor=cursor)
    return TimelineOut(items=page, next_cursor=more)


@router.get("/{run}/why", responses=READS, summary="Where a run stands, and what it waits for")
async def explain_run(
    services: Services,
    who: Reader,
    language: Speaks,
    run: str,
    tz: Annotated[str | None, Query(max_length=100)] = None,
) -> WhyOut:
    """In one sentence."""
    explanation, zone = await why_run(services, who, run_id_of(run))
    return why_out(explanation, tz=zone_of(tz, zone), language=language)


def _briefly(runs: Iterable[RunRow]) -> list[RunOut]:
    """Return the runs without their parameters and results."""
    return [RunOut.of(run, full=False) for run in runs]


def _cancelled(cancelled: CancelledRun) -> CancelledOut:
    return CancelledOut(outcome=cancelled.outcome.value, run=RunOut.of(cancelled.run, full=False))


async def _find(services: Services, who: Principal, written: str) -> RunRow:
    """Return one of several runs. The error says the id as the user wrote it."""
    try:
        return await find_run(services, who, run_id_of(written))
    except RunNotFound:
        raise RunNotFound(written) from None


async def _chosen(
    services: Services, who: Principal, body: BulkRuns, namespace: str | None, *, states: tuple[str, ...]
) -> Sequence[RunRow]:
    """Return the runs that a bulk action is about; raise `CountDiffers` when they are not as many as the user saw."""
    if (body.ids is None) == (body.job is None):
        raise BadRequest("Give either ids or a job.", hint="a job needs expected: how many runs you saw")
    if body.ids is not None:
        once_each = dict.fromkeys(body.ids)
        return [await _find(services, who, written) for written in once_each]
    if body.expected is None:
        raise BadRequest("A bulk action on a job needs expected: how many runs you saw.")
    assert body.job is not None
    job = await find_job(services, who, home_of(who, namespace), body.job)
    wanted = RunFilter(
        job_ids=(job.job_id,),
        states=tuple(body.states) if body.states else states,
        since=read_moment(body.since, "since"),
        until=read_moment(body.until, "until"),
    )
    page = await services.store.lookups.runs(wanted, limit=BULK_MAX + 1)
    if len(page.items) != body.expected:
        raise CountDiffers(expected=body.expected, found=len(page.items))
    return page.items
