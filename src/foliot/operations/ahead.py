"""What comes: how many instants are due in each of the next minutes, of which jobs, and how many slots they need.

Instants come from the schedules, and how long runs keep a slot comes from the statistics of the last week.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from foliot.domain.access import Principal, Scope
from foliot.domain.definition import from_document
from foliot.domain.errors import FoliotError
from foliot.domain.instants import MINUTE, Instant, Micros
from foliot.domain.schedule import Calendar
from foliot.domain.statistics.forecast import SlotForecast, is_short
from foliot.operations.calendars import calendars_of_all
from foliot.operations.fires import upcoming
from foliot.operations.names import group_of, namespace_of
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
    slots: float  # that are busy with what is due, on average; runs of minutes before it count as long as they last


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupAhead:
    """A group of workers that something is due for."""

    group: str
    slots: int  # of live workers that are not draining
    needs: float  # in its fullest minute
    at: Instant  # that minute

    @property
    def is_short(self) -> bool:
        """Less than the reserve is left."""
        return is_short(self.needs, self.slots)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """The minutes in which something is due. `is_whole`: no job was left out for the sake of time."""

    now: Instant
    minutes: Sequence[MinuteAhead]
    is_whole: bool
    groups: Sequence[GroupAhead] = ()  # by name


async def ahead(services: Services, who: Principal, namespace: str | None, *, minutes: int) -> Ahead:
    """The next minutes of one namespace, or of all that the token sees."""
    who.demand(Scope.READ)
    now = await services.store.lookups.now()
    if namespace is not None and not who.sees(namespace):
        return Ahead(now=now, minutes=(), is_whole=True)
    until = now - now % MINUTE + minutes * MINUTE
    wanted = namespace_of(who, namespace)
    jobs = await services.store.lookups.due_until(wanted, until=until, limit=JOBS_MAX + 1)
    counted = jobs[:JOBS_MAX]
    calendars = await calendars_of_all(services, [job.document for job in jobs])
    lasting = await services.store.statistics.slot_times([job.job_id for job in counted])
    crowd = CountedAhead(now, until, lasting)
    await in_side_thread(crowd.count, counted, calendars)
    there = await _slots_of(services, wanted)
    return Ahead(
        now=now,
        minutes=crowd.minutes(),
        is_whole=crowd.is_whole and len(jobs) <= JOBS_MAX,
        groups=crowd.groups(there),
    )


async def _slots_of(services: Services, namespace: str | None) -> Mapping[str, int]:
    """The slots of the live workers of each group; those of a kind with slots of its own count, too."""
    slots: dict[str, int] = defaultdict(int)
    for worker in await services.offers.workers(namespace):
        if not worker.is_draining:
            slots[worker.group] += worker.slots
    return slots


@dataclass(slots=True)
class CountedAhead:
    """The instants of some jobs, counted by the minute."""

    now: Instant
    until: Instant
    lasting: Mapping[int, Micros]  # how long a run of each job keeps slots
    is_whole: bool = True
    _fires: dict[Instant, int] = field(default_factory=lambda: defaultdict(int))
    _named: dict[Instant, list[JobRow]] = field(default_factory=lambda: defaultdict(list))
    _needs: dict[str, SlotForecast] = field(default_factory=dict)  # by group

    def count(self, jobs: Sequence[JobRow], calendars: Mapping[str, Calendar]) -> None:
        """Count the instants of these jobs, as far as there is time."""
        left = INSTANTS_MAX
        for job in jobs:
            forecast = self._needs_of(group_of(job))
            lasts_us = self.lasting.get(job.job_id, 0)
            for at in islice(_instants(job, calendars, self.now, self.until), left):
                self._count_one(job, at)
                forecast.add(at, lasts_us)
                left -= 1
            if left == 0:
                break
        self.is_whole = left > 0

    def _count_one(self, job: JobRow, at: Instant) -> None:
        minute = at - at % MINUTE
        self._fires[minute] += 1
        named = self._named[minute]
        if job not in named and len(named) < NAMED_MAX:
            named.append(job)

    def minutes(self) -> Sequence[MinuteAhead]:
        """Those in which something is due."""
        of_groups = [forecast.slots() for forecast in self._needs.values()]
        return [
            MinuteAhead(
                at=at,
                fires=self._fires[at],
                jobs=self._named[at],
                slots=sum(busy[at] for busy in of_groups),
            )
            for at in sorted(self._fires)
        ]

    def groups(self, slots: Mapping[str, int]) -> Sequence[GroupAhead]:
        """The fullest minute of each group. `slots`: those that there are."""
        found = []
        for group, forecast in sorted(self._needs.items()):
            busy = forecast.slots()
            at = max(busy, key=busy.__getitem__)
            found.append(GroupAhead(group=group, slots=slots.get(group, 0), needs=busy[at], at=at))
        return found

    def _needs_of(self, group: str) -> SlotForecast:
        if group not in self._needs:
            self._needs[group] = SlotForecast(self.now - self.now % MINUTE, self.until)
        return self._needs[group]


def _instants(job: JobRow, calendars: Mapping[str, Calendar], now: Instant, until: Instant) -> Iterator[Instant]:
    document: Mapping[str, Any] = job.document
    try:
        schedule = from_document(document, job=job.name, calendars=calendars, is_saved=True).schedule
    except FoliotError:  # its page says what is wrong with it
        return iter(())
    return upcoming(job, schedule, now, until, INSTANTS_MAX)
