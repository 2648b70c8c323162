"""`time_travel`: schedules fired by the real planner on virtual time. Nobody's clock is patched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any, Self
from zoneinfo import ZoneInfo

from foliot.domain.errors import JobNotFound
from foliot.domain.instants import Instant, Micros, parse_duration, to_datetime
from foliot.domain.names import nearest
from foliot.domain.schedule.moments import read_instant
from foliot.domain.schedule.zones import zone
from foliot.sdk.job import JobFunction
from foliot.testing.inline import InlineRun, run_inline
from foliot.testing.voyage import Voyage

Duration = str | float | timedelta


@dataclass(frozen=True, slots=True)
class Fire:
    """A due instant that created a run."""

    at: datetime  # the due instant, in the traveller's zone
    job: str
    created_at: datetime  # when the run came to be: later than `at` after an outage or with jitter
    is_late: bool  # caught up after an outage, rather than fired on time
    function: JobFunction[..., ..., Any] = field(repr=False)

    def run(self, **params: Any) -> InlineRun:
        """Run the job inline as this fire would."""
        return run_inline(self.function, due=self.at, params=params)


@dataclass(frozen=True, slots=True)
class Skip:
    """Due instants that got no run: from the first to the last of them, how many, and why."""

    at: datetime
    until: datetime
    count: int
    reason: str  # overlap, misfire, calendar, blackout, paused, edited or limit
    why: str
    job: str


def time_travel(
    start: datetime | str,
    *,
    jobs: Sequence[JobFunction[..., ..., Any]],
    tz: str = "UTC",
    took: Mapping[str, Duration] | Duration = 0,
) -> TimeTravel:
    """Stand at `start` with these jobs, then `advance`: what fires, and what is skipped and why.

    `took` is how long runs take, for all jobs or by name; a run that takes long gets in the way of the next.
    """
    return TimeTravel(start, jobs=jobs, tz=tz, took=took)


class TimeTravel:
    """A stretch of virtual time."""

    def __init__(
        self,
        start: datetime | str,
        *,
        jobs: Sequence[JobFunction[..., ..., Any]],
        tz: str = "UTC",
        took: Mapping[str, Duration] | Duration = 0,
    ) -> None:
        self._zone = ZoneInfo(zone(tz).name)
        self._now: Instant = read_instant(start, tz=tz)
        self._functions = {function.name: function for function in jobs}
        self._voyages = {
            function.name: Voyage(number, function, self._now, took_us=_took_us(took, function.name))
            for number, function in enumerate(jobs, start=1)
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    @property
    def now(self) -> datetime:
        """Where in time this is, in the zone it was begun with."""
        return self._shown(self._now)

    def advance(self, duration: Duration) -> None:
        """Let time pass; everything due meanwhile is decided at its instant."""
        self._now += parse_duration(duration)
        for voyage in self._voyages.values():
            voyage.sail_to(self._now)

    def outage(self, duration: Duration) -> None:
        """Let time pass with no server there; then they are back, and the misfire policy decides what was missed."""
        self._now += parse_duration(duration)
        for voyage in self._voyages.values():
            voyage.leap_to(self._now)

    def pause(self, job: str) -> None:
        """Pause a job's schedule."""
        self._voyage(job).pause(self._now)

    def resume(self, job: str, *, catch_up: bool = False) -> None:
        """Let it go on; paused time is skipped, or follows the misfire policy with `catch_up`."""
        self._voyage(job).resume(self._now, catch_up=catch_up)

    def fires(self, job: str) -> list[Fire]:
        """The instants that created runs, in order."""
        voyage = self._voyage(job)
        function = self._functions.get(job)
        assert function is not None, job
        shown = self._shown
        return [Fire(shown(run.due_at), job, shown(at), run.catch_up, function) for run, at in voyage.runs]

    def skips(self, job: str) -> list[Skip]:
        """The instants that did not, in order."""
        return [
            Skip(self._shown(skip.from_at), self._shown(skip.to_at), skip.count, str(skip.reason), skip.why, job)
            for skip in self._voyage(job).skips
        ]

    def next(self, job: str) -> datetime | None:
        """The next due instant; None when there is none (any more)."""
        at = self._voyage(job).next_due_at
        return None if at is None else self._shown(at)

    def _voyage(self, job: str) -> Voyage:
        found = self._voyages.get(job)
        if found is None:
            raise JobNotFound(job, nearest=nearest(job, self._voyages))
        return found

    def _shown(self, instant: Instant) -> datetime:
        return to_datetime(instant).astimezone(self._zone)


def _took_us(took: Mapping[str, Duration] | Duration, job: str) -> Micros:
    return parse_duration(took.get(job, 0) if isinstance(took, Mapping) else took)
