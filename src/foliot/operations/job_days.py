"""Days of a job: how many of its runs ended in which way on each day, and how many instants were skipped."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from foliot.domain.access import Principal, Scope
from foliot.domain.instants import SECOND, Instant
from foliot.domain.schedule.zones import zone as known_zone
from foliot.operations.names import find_job
from foliot.operations.services import Services
from foliot.operations.why import zone_of
from foliot.ports.store.days import Quarter

DAYS_MAX: Final = 400
DAYS_DEFAULT: Final = 366
FIRST_DAY: Final = date(1972, 1, 1)
LAST_DAY: Final = date(9990, 12, 31)
"""Days between these have instants on both sides, whatever the zone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobDay:
    """One day: how many instants came to which outcome."""

    day: date
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobDays:
    """Some days of a job, without those on which nothing was due."""

    timezone: str
    first: date
    last: date
    days: Sequence[JobDay]
    whole_since: Instant | None  # older runs were not looked at; None: all were


async def job_days(
    services: Services, who: Principal, namespace: str, name: str, *, tz: str | None, last: date | None, count: int
) -> JobDays:
    """The days up to `last`, or up to today; in the job's own zone unless another is asked for."""
    who.demand(Scope.READ)
    job = await find_job(services, who, namespace, name)
    zone_name = tz or zone_of(job.document, job.name)
    zone = ZoneInfo(known_zone(zone_name).name)
    if last is None:
        last = _day_of(await services.store.lookups.now(), zone)
    last = min(max(last, FIRST_DAY), LAST_DAY)
    first = last - timedelta(days=count - 1)
    found = await services.store.lookups.quarters(
        job.job_id, from_at=_begin(first, zone), to_at=_begin(last + timedelta(days=1), zone)
    )
    days = days_of(found.items, zone)
    return JobDays(timezone=zone_name, first=first, last=last, days=days, whole_since=found.whole_since)


def days_of(quarters: Sequence[Quarter], zone: tzinfo) -> Sequence[JobDay]:
    """Add quarters of an hour up to days of a zone, in order."""
    counts: dict[date, Counter[str]] = defaultdict(Counter)
    for quarter in quarters:
        counts[_day_of(quarter.from_at, zone)][quarter.outcome] += quarter.instants
    return [JobDay(day=day, counts=counts[day]) for day in sorted(counts)]


def _day_of(at: Instant, zone: tzinfo) -> date:
    return datetime.fromtimestamp(at // SECOND, zone).date()


def _begin(day: date, zone: tzinfo) -> Instant:
    begin = datetime(day.year, day.month, day.day, tzinfo=zone)
    return int(begin.timestamp()) * SECOND
