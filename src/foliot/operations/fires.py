"""Fires: what became of a job's due instants, and which come next."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final

from foliot.domain.access import Principal, Scope
from foliot.domain.definition import from_document
from foliot.domain.errors import BadField
from foliot.domain.instants import DAY, Instant
from foliot.domain.schedule import Schedule
from foliot.operations.calendars import read_definition
from foliot.operations.names import find_job
from foliot.operations.services import Services
from foliot.ports.store.lookups import JobRow, RunRow
from foliot.ports.store.skips import SkipRow

RANGE_DEFAULT: Final = DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class FireEntry:
    """One due instant, or a range of skipped ones."""

    due_at: Instant
    decision: str  # created, skipped, planned
    run: RunRow | None = None
    skip: SkipRow | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fires:
    """Past and future of a job, newest first; `now` parts them."""

    job: JobRow
    now: Instant
    past: Sequence[FireEntry]
    future: Sequence[FireEntry]
    more_before: Instant | None = None  # there is more of the past in front of this instant


async def fires(
    services: Services,
    who: Principal,
    namespace: str,
    name: str,
    *,
    from_at: Instant | None = None,
    to_at: Instant | None = None,
    before: Instant | None = None,
    limit: int = 100,
) -> Fires:
    """The instants in [from, to): a day back and the next ones when nothing is said.

    `before`: a further page of the past, in front of this instant; the future was on the first.
    """
    who.demand(Scope.READ)
    job = await find_job(services, who, namespace, name)
    now = await services.store.lookups.now()
    begin = now - RANGE_DEFAULT if from_at is None else from_at
    if to_at is not None and to_at <= begin:
        raise BadField("to", "it is not after from", hint="from is included, to is not")
    ends = [at for at in (now + 1, to_at, before) if at is not None]
    past = await _past(services, job, begin, max(min(ends), begin), limit=limit + 1, before=before)
    future: list[FireEntry] = []
    if before is None:
        future = await _future(services, job, after=max(now, begin - 1), until=to_at, limit=limit)
    more_before = None
    if len(past) > limit:
        more_before = past[limit - 1].due_at
    return Fires(job=job, now=now, past=past[:limit], future=future, more_before=more_before)


async def _past(
    services: Services, job: JobRow, begin: Instant, end: Instant, *, limit: int, before: Instant | None
) -> Sequence[FireEntry]:
    """Return what became of the instants in [begin, end), newest first. A skipped range stands at its last instant."""
    lookups = services.store.lookups
    runs, skips = await lookups.fired(job.job_id, from_at=begin, to_at=end, limit=limit + 1)
    found = [FireEntry(due_at=run.due_at, decision="created", run=run) for run in runs]
    found += [FireEntry(due_at=skip.to_at, decision="skipped", skip=skip) for skip in skips]
    if before is not None:  # a range that reaches beyond it was on the page before
        found = [fire for fire in found if fire.due_at < before]
    found.sort(key=attrgetter("due_at"), reverse=True)
    return found


async def _future(
    services: Services, job: JobRow, *, after: Instant, until: Instant | None, limit: int
) -> list[FireEntry]:
    definition = await read_definition(services, job.document, job=job.name, is_saved=True)
    instants = upcoming(job, definition.schedule, after, until, limit)
    return [FireEntry(due_at=at, decision="planned") for at in instants]


def upcoming(
    job: JobRow, schedule: Schedule | None, after: Instant, before: Instant | None, limit: int
) -> Iterator[Instant]:
    """The planned instants after one, as the server would decide them."""
    if schedule is None or job.state == "done":
        return
    if job.remaining is not None and job.remaining <= 0:
        return
    if job.state == "paused":  # one that is due when the pause ends by itself fires
        if job.paused_until is None or schedule.fixed_delay_us is not None:
            return
        after = max(after, job.paused_until - 1)
    elif job.next_due_at is not None:  # what lies before it was decided, also by a clock that was ahead
        after = max(after, job.next_due_at - 1)
    most = limit if job.remaining is None else min(limit, job.remaining)
    instants = _next_after(job.next_due_at, after)
    if schedule.fixed_delay_us is None:
        instants = schedule.upcoming(after)
    for number, at in enumerate(instants):
        if number >= most or (before is not None and at >= before):
            return
        yield at


def _next_after(next_due_at: Instant | None, after: Instant) -> Iterator[Instant]:
    """Return the one known instant of a schedule with a fixed delay: the others depend on when runs end."""
    if next_due_at is not None and next_due_at > after:
        yield next_due_at


def schedule_of(document: Mapping[str, Any], name: str) -> Schedule | None:
    """The schedule of a stored definition, for its words: calendars people defined stay names."""
    return from_document(document, job=name, is_saved=True).schedule
