"""Retry: a new run for what a finished one was about. A finished run itself never changes (S6)."""

from foliot.domain.access import Principal
from foliot.domain.errors import Conflict, InvalidInput, JobNotFound
from foliot.domain.fire import retry_key
from foliot.domain.run import LIVE, RunState, format_run_id
from foliot.operations.cancel import demand_run
from foliot.operations.names import actor, find_run
from foliot.operations.notes import note
from foliot.operations.refused_triggers import queue
from foliot.operations.services import Services
from foliot.operations.trigger import TriggeredRun
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.store.lookups import RunRow
from foliot.ports.store.runs import TriggerRequest


class RunNotOver(Conflict):
    """Only a finished run can be run again."""

    code = "FOL-3012"

    def __init__(self, run: RunRow, *, part: RunRow | None = None) -> None:
        """`part`: the shard or merge run that was asked for; it is run again with its whole run only."""
        shown = format_run_id(run.run_id)
        said = f"{shown} is still {run.state}; only a finished run can be run again."
        if part is not None:
            said = f"{format_run_id(part.run_id)} is a part of {shown}, and {said}"
        super().__init__(
            said,
            hint=f"wait for it: foliot run watch {shown}; or foliot run cancel {shown}",
            run=shown,
            state=run.state,
            part=format_run_id(part.run_id) if part is not None else "",
        )


class JobGone(Conflict):
    """The job of a run was deleted."""

    code = "FOL-3013"

    def __init__(self, run: RunRow) -> None:
        super().__init__(
            f"{format_run_id(run.run_id)} belongs to {run.job}, which was deleted; it cannot be run again.",
            hint=f"create the job again, then foliot job trigger {run.job}",
            run=format_run_id(run.run_id),
            job=run.job,
        )


class NoFailedShards(Conflict):
    """A run of which no shard can be executed again alone."""

    code = "FOL-3080"

    def __init__(self, run: RunRow) -> None:
        shown = format_run_id(run.run_id)
        super().__init__(
            f"{shown} has no failed shards.", hint=f"run it again as a whole: foliot run retry {shown}", run=shown
        )


class OtherVersion(InvalidInput):
    """Shards that succeeded belong to the version that executed them."""

    code = "FOL-1225"

    def __init__(self) -> None:
        super().__init__(
            "Failed shards alone are executed again in the version of their run.",
            hint="leave out version latest, or run all of it again",
        )


async def retry(
    services: Services,
    who: Principal,
    run_id: int,
    *,
    latest_version: bool = False,
    failed_shards: bool = False,
    request_key: str | None = None,
    reason: str = "",
) -> TriggeredRun:
    """A new run with the parameters, the due instant and (unless told `latest`) the version of a finished one.

    `failed_shards`: shards that succeeded count as done, with their results; only the others are executed. Those of a
    broadcast go to the workers of the same names; the reason of the new run says who was left out.
    One run and one request key make one new run, however often they come (S4).
    """
    run = await find_run(services, who, run_id)
    await demand_run(services, who, [run])
    if RunState(run.state) in LIVE:
        raise RunNotOver(run)
    if run.parent_id is not None:  # a shard: the whole run is executed again
        part = run
        run = await find_run(services, who, run.parent_id)
        if RunState(run.state) in LIVE:  # other shards still execute
            raise RunNotOver(run, part=part)
    if failed_shards and latest_version:
        raise OtherVersion
    left = await _failed_shards(services, run) if failed_shards else 0
    await _check_job(services, run)
    shown = format_run_id(run.run_id)
    wanted = TriggerRequest(
        namespace=run.namespace,
        job=run.job,
        key=retry_key(shown, request_key or services.chance.token()),
        by=actor(who, reason),
        params=run.params,
        version=None if latest_version else run.version,
        due_at=run.due_at,
        keeps_shards_of=run.run_id if failed_shards else None,
    )
    triggered = await queue(services, who, wanted)
    services.runs_may_be_ready()
    made = await find_run(services, who, triggered.run_id)
    if triggered.created:
        await note(services, _happening(run, made, who, made.reason or "", left))
    return TriggeredRun(run=made, created=triggered.created)


async def _failed_shards(services: Services, run: RunRow) -> int:
    """How many shards did not succeed."""
    children = await services.store.lookups.shards(run.run_id)
    failed = sum(child.shard >= 0 and child.state != RunState.SUCCEEDED for child in children)
    if not failed:
        raise NoFailedShards(run)
    return failed


def _happening(run: RunRow, made: RunRow, who: Principal, reason: str, failed_shards: int) -> Happening:
    data: dict[str, object] = {"job": run.job, "run": format_run_id(made.run_id)}
    if failed_shards:
        data["failed_shards"] = failed_shards
    if reason:
        data["reason"] = reason
    return Happening(
        key=f"run.retried:{made.run_id}",
        topic=Topic.RUNS,
        kind="run.retried",
        subject=format_run_id(run.run_id),
        by=who.name,
        namespace=run.namespace,
        data=data,
    )


async def _check_job(services: Services, run: RunRow) -> None:
    try:
        job = await services.store.lookups.job(run.namespace, run.job)
    except JobNotFound:
        raise JobGone(run) from None
    if job.job_id != run.job_id:  # another job took the name
        raise JobGone(run)
