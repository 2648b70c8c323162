"""Generated jobs with seasons, trends, noise and outliers, and the faults that are put into them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Final

from foliot.domain.anomalies.anomaly import AnomalyKind
from foliot.domain.anomalies.history import WEEK
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, Instant, Micros
from foliot.domain.statistics.figures import EndedRun, RunFigures
from foliot.domain.statistics.resolution import Resolution

BEGAN: Final[Instant] = 20_510 * DAY + 4 * DAY  # a Monday
LEARNT: Final = 5 * WEEK
JUDGED: Final = 2 * WEEK
PATTERNS: Final = (
    ("minute",) * 2 + ("quarter",) * 10 + ("hour",) * 35 + ("day",) * 26 + ("weekday",) * 17 + ("user",) * 10
)
"""How often each of a hundred jobs runs."""
EVERY: Final = {"minute": MINUTE, "quarter": 15 * MINUTE, "hour": HOUR, "day": DAY, "weekday": DAY}


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Something goes wrong with a job for some time."""

    job: int
    kind: AnomalyKind
    from_at: Instant
    to_at: Instant

    def is_on(self, at: Instant) -> bool:
        return self.from_at <= at < self.to_at


@dataclass(kw_only=True)
class GeneratedJob:
    """A job, what it is like, and its figures."""

    number: int
    pattern: str
    random: Random
    fault: Fault | None = None
    hours: dict[Instant, RunFigures] = field(default_factory=dict)
    days: dict[Instant, RunFigures] = field(default_factory=dict)

    def __post_init__(self) -> None:
        random = self.random
        self.took_us: Micros = int(SECOND * 2 ** random.uniform(1.5, 9))
        self.noise = random.uniform(0.08, 0.3)  # of the logarithm
        self.season = random.uniform(0, 0.4)  # slower by day
        self.weekend = random.choice((1.0, 1.0, 1.6))
        self.trend = random.uniform(-0.002, 0.008)  # a day
        self.fails = random.choice((0.0, 0.0, 0.005, 0.02, 0.05))
        self.phase: Micros = random.randrange(0, min(EVERY.get(self.pattern, DAY), DAY))

    @property
    def is_scheduled(self) -> bool:
        return self.pattern != "user"

    def live(self) -> None:
        """Make the runs of all weeks."""
        for due_at in self._instants():
            times = 1
            if self._has(AnomalyKind.SILENCE, due_at):
                continue
            if self._has(AnomalyKind.COUNT, due_at):
                times = 12 if self.pattern in ("minute", "quarter") else 25
            for _ in range(times):
                self._run(due_at)

    def _instants(self) -> Iterator[Instant]:
        end_at = BEGAN + LEARNT + JUDGED
        if self.pattern == "user":
            yield from self._by_users(end_at)
            return
        at = BEGAN + self.phase
        while at < end_at:
            is_workday = at // DAY % 7 not in (2, 3)  # day 0 was a Thursday
            if self.pattern != "weekday" or is_workday:
                yield at
            at += EVERY[self.pattern]

    def _by_users(self, end_at: Instant) -> Iterator[Instant]:
        """Mostly in working hours, some by night, in no order."""
        at = BEGAN
        while at < end_at:
            rate = 6 if 8 <= at // HOUR % 24 < 18 else 0.4
            at += int(self.random.expovariate(rate) * HOUR)
            yield at

    def _run(self, due_at: Instant) -> None:
        random = self.random
        took = self.took_us * math.exp(random.gauss(0, self.noise))
        took *= 1 + self.season * math.sin(2 * math.pi * (due_at % DAY) / DAY)
        took *= 1 + self.trend * (due_at - BEGAN) / DAY
        took *= self.weekend if due_at // DAY % 7 in (2, 3) else 1
        if random.random() < 0.01:
            took *= random.uniform(2, 6)
        delay = 0.2 * SECOND * math.exp(random.gauss(0, 1))
        if random.random() < 0.01:
            delay += random.uniform(1, 40) * SECOND
        fails = self.fails
        if self._has(AnomalyKind.DURATION, due_at):
            took *= self.random.uniform(3, 6)
        if self._has(AnomalyKind.LATENESS, due_at):
            delay += random.uniform(2, 30) * MINUTE
        if self._has(AnomalyKind.FAILURES, due_at):
            fails = 1.0 if self.pattern in ("day", "weekday") else 0.9
        state = "FAILED" if random.random() < fails else "SUCCEEDED"
        started_at = due_at + int(delay)
        ended_at = started_at + int(took)
        self._count(EndedRun(self.number, 0, "w", state, None, 0, due_at, started_at, ended_at))

    def _has(self, kind: AnomalyKind, at: Instant) -> bool:
        return self.fault is not None and self.fault.kind is kind and self.fault.is_on(at)

    def _count(self, run: EndedRun) -> None:
        hour_at = Resolution.HOUR.start_of(run.ended_at)
        if hour_at not in self.hours:
            self.hours[hour_at] = RunFigures()
        self.hours[hour_at].add(run)

    def add_up(self) -> None:
        """Make days of the hours."""
        for hour_at, figures in self.hours.items():
            self.days.setdefault(Resolution.DAY.start_of(hour_at), RunFigures()).merge(figures)


def generated(seed: int, *, faults: bool = True) -> list[GeneratedJob]:
    """A hundred jobs; half of them have one fault in the weeks that are judged."""
    random = Random(seed)
    kinds = list(AnomalyKind)
    jobs: list[GeneratedJob] = []
    for number, pattern in enumerate(PATTERNS):
        job = GeneratedJob(number=number, pattern=pattern, random=Random(random.random()))
        if faults and number % 2:
            job.fault = _fault(random, number, pattern, kinds[number // 2 % len(kinds)], job.phase)
        job.live()
        job.add_up()
        jobs.append(job)
    return jobs


def _fault(random: Random, number: int, pattern: str, kind: AnomalyKind, phase: Micros) -> Fault | None:
    """A fault as long as people would notice it: some hours, or some days of a job that runs once a day."""
    if pattern == "user" and kind in (AnomalyKind.SILENCE, AnomalyKind.COUNT):
        kind = AnomalyKind.FAILURES
    is_daily = pattern in ("day", "weekday")
    from_at = BEGAN + LEARNT + random.randrange(7) * DAY + random.randrange(24) * HOUR
    lasts = 6 * HOUR
    if pattern == "user":
        from_at += 9 * HOUR - from_at % DAY
        from_at += DAY * (from_at // DAY % 7 == 2) * 2
        lasts = 8 * HOUR
    if is_daily:
        workday = random.randrange(2)  # Monday or Tuesday, so that a fault of days meets workdays
        from_at = BEGAN + LEARNT + workday * DAY + max(0, phase - HOUR)
        lasts = 3 * HOUR if kind in (AnomalyKind.SILENCE, AnomalyKind.COUNT) else 4 * DAY
    return Fault(job=number, kind=kind, from_at=from_at, to_at=from_at + lasts)
