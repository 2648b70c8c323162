"""Backfill: instants of the past get a run after all. Previewed, confirmed, paced, idempotent by instant."""

import asyncio
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import BadField, Conflict, JobNotFound
from foliot.domain.instants import Instant, ceil_to_second, isoformat
from foliot.domain.job import DEFAULT_GROUP, Definition
from foliot.domain.schedule import Schedule
from foliot.operations.calendars import read_definition
from foliot.operations.names import find_job, group_of, namespace_of
from foliot.operations.notes import note_job
from foliot.operations.services import Services
from foliot.operations.trigger import checked_params
from foliot.ports.store.backfills import TAKEN_MAX, BackfillNotFound, BackfillRow, BackfillState, NewBackfill, Selection
from foliot.ports.store.lookups import JobRow
from foliot.ports.store.replies import KeyReused

INSTANTS_MAX: Final = 10_000
LOOKED_AT_MAX: Final = 100_000
LOOKED_AT_A_TURN: Final = 100  # less than a millisecond, mostly; then the others in the server have their turn
PARALLEL_MAX: Final = 100
PARALLEL_DEFAULT: Final = 4


class BackfillChanged(Conflict):
    """What was previewed is not what would be done now."""

    code = "FOL-3014"

    def __init__(self, job: str, *, count: int) -> None:
        super().__init__(
            f"The backfill of {job} is not what was previewed: it has {count} instants now. Nothing was started.",
            hint=f"preview it again: foliot job backfill {job} --dry-run",
            job=job,
            count=count,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillOrder:
    """Which instants of which job, and how."""

    namespace: str
    job: str
    from_at: Instant
    to_at: Instant
    selection: Selection = Selection.MISSING
    parallel: int = PARALLEL_DEFAULT
    newest_first: bool = False
    params: dict[str, object] | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The exact instants a backfill would run, in order, and the token that confirms just these."""

    job: JobRow
    instants: Sequence[Instant]
    parallel: int
    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A backfill that goes on; `created` False: the same request began it before."""

    backfill: BackfillRow
    created: bool


async def preview(services: Services, who: Principal, order: BackfillOrder) -> Preview:
    """What a backfill would do. Nothing changes."""
    job = await find_job(services, who, order.namespace, order.job)
    who.demand(Scope.RUN, group=group_of(job))
    await _demand_past(services, order)
    if not 1 <= order.parallel <= PARALLEL_MAX:
        raise BadField("parallel", f"it is not a number from 1 to {PARALLEL_MAX}")
    definition = await read_definition(services, job.document, job=job.name, is_saved=True)
    instants = await _chosen(services, job, definition, order)
    parallel = 1 if definition.is_serial else order.parallel
    return Preview(job=job, instants=instants, parallel=parallel, token=_token(job, order, instants))


async def present(services: Services) -> Instant:
    """Store time as the end of a backfill. Due instants are whole seconds: those before it are those before now."""
    now = await services.store.lookups.now()
    return ceil_to_second(now)


async def _demand_past(services: Services, order: BackfillOrder) -> None:
    """Refuse a range that is empty, or not past."""
    if order.to_at <= order.from_at:
        raise BadField("to", "it is not after from", hint="from is included, to is not")
    if order.to_at > await present(services):
        raise BadField("to", f"{isoformat(order.to_at)} is not past yet", hint="a backfill is about the past")


async def start(
    services: Services, who: Principal, order: BackfillOrder, *, token: str, request_key: str | None = None
) -> Started:
    """Begin what was previewed; `BackfillChanged` when it would not be the same instants any more.

    A request key that has a backfill gets that one: a client that sends its request again lost the answer (R5).
    """
    backfill = await _asked_before(services, who, order, request_key)
    is_new = backfill is None
    if backfill is None:
        backfill = await _begin(services, who, order, token=token, request_key=request_key)
    await note_job(
        services,
        who,
        "backfill.started",
        backfill.namespace,
        backfill.job,
        key=str(backfill.id),  # noted once, however often
        backfill=backfill.id,
        instants=backfill.total,
        reason=order.reason,
    )
    await advance(services)
    return Started(backfill=await services.store.backfills.get(backfill.id), created=is_new)


async def _asked_before(
    services: Services, who: Principal, order: BackfillOrder, request_key: str | None
) -> BackfillRow | None:
    if request_key is None:
        return None
    found = await services.store.backfills.asked(request_key)
    if found is None:
        return None
    job = await find_job(services, who, order.namespace, order.job)
    who.demand(Scope.RUN, group=group_of(job))
    wanted = (job.job_id, order.from_at, order.to_at, order.selection, order.newest_first)
    if (found.job_id, found.from_at, found.to_at, found.selection, found.newest_first) != wanted:
        raise KeyReused
    return found


async def _begin(
    services: Services, who: Principal, order: BackfillOrder, *, token: str, request_key: str | None
) -> BackfillRow:
    seen = await preview(services, who, order)
    if seen.token != token:
        raise BackfillChanged(order.job, count=len(seen.instants))
    params = await checked_params(services, seen.job, order.params)
    return await services.store.backfills.add(
        NewBackfill(
            job_id=seen.job.job_id,
            version=seen.job.version,
            from_at=order.from_at,
            to_at=order.to_at,
            selection=order.selection,
            parallel=seen.parallel,
            newest_first=order.newest_first,
            instants=seen.instants,
            created_by=who.name,
            reason=order.reason,
            params=params,
            request_key=request_key,
        )
    )


async def advance(services: Services) -> int:
    """One round over active backfills, as a server does every second; how many runs were made."""
    made = await services.store.backfills.advance(limit=20)
    if made:
        services.runs_may_be_ready()
    return made


async def find_backfill(services: Services, who: Principal, backfill_id: int) -> BackfillRow:
    """The backfill, or `BackfillNotFound`."""
    who.demand(Scope.READ)
    found = await services.store.backfills.get(backfill_id)
    if not who.sees(found.namespace):
        raise BackfillNotFound(backfill_id)
    return found


async def list_backfills(
    services: Services,
    who: Principal,
    *,
    namespace: str | None = None,
    job: str | None = None,
    limit: int = 50,
    before_id: int | None = None,
) -> Sequence[BackfillRow]:
    """Backfills, newest first."""
    who.demand(Scope.READ)
    if namespace is not None and not who.sees(namespace):
        return []
    within = namespace_of(who, namespace)
    job_id = None
    if job is not None:
        try:
            job_id = (await find_job(services, who, within or "default", job)).job_id
        except JobNotFound:
            return []
    return await services.store.backfills.list(namespace=within, job_id=job_id, limit=limit, before_id=before_id)


async def set_state(services: Services, who: Principal, backfill_id: int, state: BackfillState) -> BackfillRow:
    """Pause it, let it go on, or end it. Runs it has made already go on."""
    found = await find_backfill(services, who, backfill_id)
    try:
        group = group_of(await services.store.lookups.job(found.namespace, found.job))
    except JobNotFound:
        group = DEFAULT_GROUP
    who.demand(Scope.RUN, group=group)
    changed = await services.store.backfills.set_state(backfill_id, state)
    await note_job(services, who, f"backfill.{state}", found.namespace, found.job, backfill=backfill_id)
    return changed


async def _chosen(services: Services, job: JobRow, definition: Definition, order: BackfillOrder) -> Sequence[Instant]:
    """The instants of the range that the selection wants, in the order in which they get their runs."""
    schedule = definition.schedule
    if schedule is None or schedule.fixed_delay_us is not None:
        raise BadField("job", f"{job.name} has no instants of its own to fill", hint=f"foliot job trigger {job.name}")
    taken = await services.store.backfills.taken(job.job_id, from_at=order.from_at, to_at=order.to_at)
    if len(taken) >= TAKEN_MAX:
        raise _too_many(TAKEN_MAX, "runs")
    chosen: list[Instant] = []
    for looked_at, at in enumerate(_candidates(schedule, order, taken), start=1):
        if at is not None:
            chosen.append(at)
        if len(chosen) > INSTANTS_MAX:
            raise _too_many(INSTANTS_MAX, "instants")
        if looked_at > LOOKED_AT_MAX:
            raise _too_many(LOOKED_AT_MAX, "instants to look at")
        if looked_at % LOOKED_AT_A_TURN == 0:
            await services.clock.wait(asyncio.Event(), for_s=0)
    return chosen[::-1] if order.newest_first else chosen


def _candidates(schedule: Schedule, order: BackfillOrder, taken: Mapping[Instant, str]) -> Iterator[Instant | None]:
    """The instants of the range, one a step; None for one that was looked at and is not wanted."""
    if order.selection is Selection.FAILED:  # each has a run: no need to walk the whole range for them
        failed = sorted(at for at, state in taken.items() if _is_wanted(order.selection, state))
        for at in failed:
            is_of_schedule = schedule.next_allowed_after(at - 1) == at
            yield at if is_of_schedule else None
        return
    next_at = schedule.next_allowed_after(order.from_at - 1)
    while next_at is not None and next_at < order.to_at:
        is_wanted = _is_wanted(order.selection, taken.get(next_at))
        yield next_at if is_wanted else None
        next_at = schedule.next_allowed_after(next_at)


def _too_many(count: int, what: str) -> BadField:
    return BadField("to", f"the range has more than {count} {what}", hint="fill it in smaller pieces")


def _is_wanted(selection: Selection, state: str | None) -> bool:
    match selection:
        case Selection.MISSING:
            return state is None
        case Selection.FAILED:
            return state in ("FAILED", "CANCELLED")
        case Selection.ALL:
            return True


def _token(job: JobRow, order: BackfillOrder, instants: Sequence[Instant]) -> str:
    previewed = (job.job_id, job.version, order.selection, order.parallel, order.newest_first, *instants)
    digest = hashlib.sha256(repr(previewed).encode())
    return digest.hexdigest()[:32]
