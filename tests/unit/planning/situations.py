"""What the planning tests are made of: jobs, cursors, and schedules that count how often they are asked."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

from foliot.domain.fire import Cursor, DueJob, Plan, Situation, open_skip_after
from foliot.domain.handler import python_function
from foliot.domain.instants import Instant, isoformat, parse_duration, to_instant
from foliot.domain.job import Definition, LoadedJob
from foliot.domain.policies import misfire
from foliot.domain.policies.misfire import Misfire
from foliot.domain.policies.overlap import Overlap
from foliot.domain.schedule import At, Calendar, Cron, Every, FixedDelay, Schedule
from foliot.domain.schedule.calendars import MONDAY_TO_FRIDAY, ClosedHours


def at(text: str, tz: str = "UTC") -> Instant:
    """`2026-03-02 09:00` or with seconds, as an instant."""
    return to_instant(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(tz)))


def every(interval: str, **rest: Any) -> Schedule:
    return Schedule(triggers=(Every(interval_us=parse_duration(interval)),), **rest)


def cron(text: str, tz: str = "UTC", **rest: Any) -> Schedule:
    return Schedule(triggers=(Cron.parse(text, tz=tz),), **rest)


def fixed_delay(delay: str, **rest: Any) -> Schedule:
    return Schedule(triggers=(FixedDelay(delay_us=parse_duration(delay)),), **rest)


def once(*moments: str, **rest: Any) -> Schedule:
    return Schedule(triggers=(At(instants=tuple(at(moment) for moment in moments)),), **rest)


def job(
    schedule: Schedule | None,
    *,
    overlap: Overlap = Overlap.ALLOW,
    misfire: Misfire = misfire.latest(),  # noqa: B008  a constant
    version: int = 1,
    max_waiting: int | None = None,
) -> LoadedJob:
    definition = Definition(
        handler=python_function("jobs:tick"),
        schedule=schedule,
        overlap=overlap,
        misfire=misfire,
        max_waiting=max_waiting,
    )
    return LoadedJob(job_id=1, version=version, namespace="default", name="tick", definition=definition, lane_id=1)


def due(
    loaded: LoadedJob,
    first: Instant | None,
    *,
    next_at: Instant | None = None,
    state: str = "active",
    remaining: int | None = None,
    skip_from: Instant | None = None,
    skip_reason: str | None = None,
    skip_why: str | None = None,
    **seen: int,
) -> DueJob:
    """The job with its cursor at `first`, awake since then unless told otherwise."""
    awake_at = first if next_at is None and state == "active" else next_at
    cursor = Cursor(1, loaded.version, state, awake_at, first, 7, remaining, skip_from, skip_reason, skip_why)
    return DueJob(cursor, loaded, Situation(**seen))


def carried_on(before: DueJob, plan: Plan, *, job: LoadedJob | None = None, **seen: int) -> DueJob:
    """The job after a plan was recorded."""
    loaded = job or before.job
    cursor = Cursor(
        1,
        loaded.version,
        plan.state,
        plan.next_at,
        plan.next_due_at,
        before.cursor.cursor_ver + 1,
        plan.remaining,
        *open_skip_after(before.cursor, plan),
    )
    return DueJob(cursor, loaded, Situation(**seen))


def instants(schedule: Schedule, first: Instant, last: Instant) -> Iterator[Instant]:
    """The nominal instants from `first` to `last`, one by one: the oracle of small stretches."""
    found = schedule.next_after(first - 1)
    while found is not None and found <= last:
        yield found
        found = schedule.next_after(found)


def times(plan: Plan) -> list[str]:
    """The runs of a plan as times of day, catch-up ones marked."""
    return [isoformat(run.due_at)[11:-1] + ("+" if run.catch_up else "") for run in plan.runs]


def ranges(plan: Plan) -> list[tuple[str, int, str]]:
    """The skips of a plan: reason, count, from-to as times of day."""
    return [
        (str(skip.reason), skip.count, f"{isoformat(skip.from_at)[11:-1]}-{isoformat(skip.to_at)[11:-1]}")
        for skip in plan.skips
    ]


def accounted(schedule: Schedule, plan: Plan, first: Instant, last: Instant) -> None:
    """Runs and skips of the plan cover the instants from `first` to `last`, each once, with the right counts."""
    covered: Counter[Instant] = Counter(run.due_at for run in plan.runs)
    for skip in plan.skips:
        inside = list(instants(schedule, skip.from_at, skip.to_at))
        assert len(inside) == skip.count, skip
        assert inside[0] == skip.from_at, skip
        assert inside[-1] == skip.to_at, skip
        covered.update(inside)
    assert covered == Counter(instants(schedule, first, last))


@dataclass(frozen=True)
class Counting:
    """A schedule that counts the questions it is asked."""

    schedule: Schedule
    asked: Counter[str]

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.schedule, name)
        if not callable(value):
            return value

        def counted(*args: Any) -> Any:
            self.asked[name] += 1
            return value(*args)

        return counted


def counting(schedule: Schedule) -> tuple[Schedule, Counter[str]]:
    asked: Counter[str] = Counter()
    return cast("Schedule", Counting(schedule, asked)), asked


def weekdays() -> Calendar:
    """Monday to Friday."""
    return Calendar(name="weekdays", weekdays=MONDAY_TO_FRIDAY)


def lunch() -> Calendar:
    """Closed from noon to one, every day."""
    return Calendar(name="lunch", closed_hours=(ClosedHours(start=12 * 3600, end=13 * 3600, why="lunch"),))


def missed(count: int, span: str) -> tuple[str, int, str]:
    return ("misfire", count, span)


def overlapped(count: int, span: str) -> tuple[str, int, str]:
    return ("overlap", count, span)


MINUTELY = cron("* * * * *")
HOURLY = cron("0 * * * *")
MORNING = "2026-03-02 09:00"
