"""The crowd ahead: how many instants are due in each of the next minutes, and of which jobs."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from foliot.domain.access import Principal, Scope
from foliot.domain.definition import from_document
from foliot.domain.errors import FoliotError
from foliot.domain.instants import MINUTE, Instant
from foliot.domain.schedule import Calendar
from foliot.operations.calendars import calendars_of_all
from foliot.operations.fires import upcoming
from foliot.operations.names import namespace_of
from foliot.operations.services import Services
from foliot.operations.side_thread import in_side_thread
from foliot.ports.store.lookups import JobRow

MINUTES_MAX: Final = 180
JOBS_MAX: Final = 1000
INSTANTS_MAX: Final = 20_000
"""Instants that are worked out for one answer: about half a second beside the loop."""
NAMED_MAX: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class MinuteAhead:
    """One minute in which something is due."""

    at: Instant
    fires: int
    jobs: Sequence[JobRow]  # some of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """The minutes in which something is due. `is_whole`: no job was left out for the sake of time."""

    now: Instant
    minutes: Sequence[MinuteAhead]
    is_whole: bool


async def ahead(services: Services, who: Principal, namespace: str | None, *, minutes: int) -> Ahead:
    """The next minutes of one namespace, or of all that the token sees."""
    who.demand(Scope.READ)
    now = await services.store.lookups.now()
    if namespace is not None and not who.sees(namespace):
        return Ahead(now=now, minutes=(), is_whole=True)
    until = now - now % MINUTE + minutes * MINUTE
    wanted = namespace_of(who, namespace)
    jobs = await services.store.lookups.due_until(wanted, until=until, limit=JOBS_MAX + 1)
    calendars = await calendars_of_all(services, [job.document for job in jobs])
    found, is_whole = await in_side_thread(minutes_of, jobs[:JOBS_MAX], calendars, now, until)
    return Ahead(now=now, minutes=found, is_whole=is_whole and len(jobs) <= JOBS_MAX)


def minutes_of(
    jobs: Sequence[JobRow], calendars: Mapping[str, Calendar], now: Instant, until: Instant
) -> tuple[Sequence[MinuteAhead], bool]:
    """Count the instants of these jobs by the minute; say whether all were counted."""
    fires: dict[Instant, int] = defaultdict(int)
    named: dict[Instant, list[JobRow]] = defaultdict(list)
    left = INSTANTS_MAX
    for job in jobs:
        for at in islice(_instants(job, calendars, now, until), left):
            minute = at - at % MINUTE
            fires[minute] += 1
            left -= 1
            if job not in named[minute] and len(named[minute]) < NAMED_MAX:
                named[minute].append(job)
        if left == 0:
            break
    found = [MinuteAhead(at=at, fires=fires[at], jobs=named[at]) for at in sorted(fires)]
    return found, left > 0


def _instants(job: JobRow, calendars: Mapping[str, Calendar], now: Instant, until: Instant) -> Iterator[Instant]:
    document: Mapping[str, Any] = job.document
    try:
        schedule = from_document(document, job=job.name, calendars=calendars, is_saved=True).schedule
    except FoliotError:  # its page says what is wrong with it
        return iter(())
    return upcoming(job, schedule, now, until, INSTANTS_MAX)
