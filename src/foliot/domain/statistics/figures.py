"""Figures of runs: what is known of the runs that ended in one stretch of time, and how figures are added up."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from foliot.domain.instants import Instant, Micros
from foliot.domain.statistics.resolution import KEPT_US, Resolution
from foliot.domain.statistics.sketch import Sketch

EVERY_JOB: Final = 0
"""In the place of a job: the figures of a node, over all jobs."""
EVERY_NODE: Final = ""
"""Beside `EVERY_JOB` in the place of a node: the figures of the whole cluster. A sharded run counts once there."""


class EndedRun(NamedTuple):
    """What statistics need of a run that ended. A run ends once, so this never changes."""

    job_id: int
    is_part: int  # 1: a shard or the merge of a sharded run
    node: str  # of its last attempt; empty: no worker had it, or the worker is forgotten
    state: str
    kind: str | None  # of a failure
    failures: int  # attempts that failed before
    ready_at: Instant  # from then on it waited for a worker
    started_at: Instant | None
    ended_at: Instant


class FigureKey(NamedTuple):
    """What figures are of."""

    resolution: int
    start_at: Instant
    job_id: int
    is_part: int
    node: str


class Spell:
    """Durations of one kind: how many, their sum, the longest, and their sketch."""

    __slots__ = ("count", "longest_us", "sketch", "sum_us")

    def __init__(self, count: int = 0, sum_us: Micros = 0, longest_us: Micros = 0, sketch: str = "") -> None:
        self.count = count
        self.sum_us = sum_us
        self.longest_us = longest_us
        self.sketch = Sketch.read(sketch)

    @property
    def mean_us(self) -> Micros | None:
        """The mean; None: there are none."""
        return self.sum_us // self.count if self.count else None

    def at(self, fraction: float) -> Micros | None:
        """The duration that this fraction does not exceed. It is no longer than the longest, which is exact."""
        found = self.sketch.at(fraction)
        return None if found is None else min(found, self.longest_us)

    def add(self, duration: Micros) -> None:
        """Count one. A clock that stepped back makes no negative duration."""
        duration = max(0, duration)
        self.count += 1
        self.sum_us += duration
        self.longest_us = max(self.longest_us, duration)
        self.sketch.add(duration)

    def merge(self, other: "Spell") -> None:
        """Count all of another's."""
        self.count += other.count
        self.sum_us += other.sum_us
        self.longest_us = max(self.longest_us, other.longest_us)
        self.sketch.merge(other.sketch)


class RunFigures:
    """How runs went."""

    __slots__ = ("delay", "failed", "kinds", "last_at", "retries", "runs", "succeeded", "took")

    def __init__(self, took: Spell | None = None, delay: Spell | None = None) -> None:
        self.runs = 0
        self.succeeded = 0
        self.failed = 0
        self.retries = 0
        self.last_at: Instant = 0  # the latest end
        self.kinds: Counter[str] = Counter()  # of failures
        self.took = took or Spell()  # from the start to the end
        self.delay = delay or Spell()  # from being ready to the start

    @property
    def cancelled(self) -> int:
        """Runs that neither succeeded nor failed."""
        return self.runs - self.succeeded - self.failed

    @property
    def success_rate(self) -> float | None:
        """The part that succeeded, of the runs that succeeded or failed; None: there are none."""
        judged = self.succeeded + self.failed
        return self.succeeded / judged if judged else None

    def add(self, run: EndedRun) -> None:
        """Count one run."""
        self.runs += 1
        self.succeeded += run.state == "SUCCEEDED"
        self.retries += run.failures
        self.last_at = max(self.last_at, run.ended_at)
        if run.state == "FAILED":
            self.failed += 1
            self.kinds[run.kind or "error"] += 1
        if run.started_at is not None:
            self.took.add(run.ended_at - run.started_at)
            self.delay.add(run.started_at - run.ready_at)

    def merge(self, other: "RunFigures") -> None:
        """Count all of another's."""
        self.runs += other.runs
        self.succeeded += other.succeeded
        self.failed += other.failed
        self.retries += other.retries
        self.last_at = max(self.last_at, other.last_at)
        self.kinds.update(other.kinds)
        self.took.merge(other.took)
        self.delay.merge(other.delay)


Minutes: TypeAlias = dict[FigureKey, RunFigures]


def count(minutes: Minutes, runs: Iterable[EndedRun]) -> None:
    """Add runs to the minutes in which they ended."""
    for run in runs:
        start_at = Resolution.MINUTE.start_of(run.ended_at)
        key = FigureKey(Resolution.MINUTE, start_at, run.job_id, run.is_part, run.node)
        _sum_of(minutes, key).add(run)


def rolled_up(
    minutes: Minutes, *, now: Instant, kept_us: Mapping[Resolution, Micros] = KEPT_US
) -> dict[FigureKey, RunFigures]:
    """The minutes, their hours and days, and the same of nodes and of the cluster over all jobs.

    What is too old to be kept is left out.
    """
    sums: dict[FigureKey, RunFigures] = {}
    roll_up(sums, minutes.items(), now=now, kept_us=kept_us)
    return sums


def roll_up(
    sums: dict[FigureKey, RunFigures],
    minutes: Iterable[tuple[FigureKey, RunFigures]],
    *,
    now: Instant,
    kept_us: Mapping[Resolution, Micros] = KEPT_US,
) -> None:
    """Add some minutes to sums of minutes, hours and days: `rolled_up` in steps, for who must not be busy for long."""
    for key, figures in minutes:
        owners = [(key.job_id, key.is_part, key.node)]
        if key.node:
            owners.append((EVERY_JOB, 0, key.node))
        if not key.is_part:
            owners.append((EVERY_JOB, 0, EVERY_NODE))
        for resolution in Resolution:
            start_at = resolution.start_of(key.start_at)
            if start_at < now - kept_us[resolution]:
                continue
            for job_id, is_part, node in owners:
                _sum_of(sums, FigureKey(resolution, start_at, job_id, is_part, node)).merge(figures)


def _sum_of(sums: dict[FigureKey, RunFigures], key: FigureKey) -> RunFigures:
    """The figures of a key. Not `setdefault`: it would make new figures each time, which costs more than the rest."""
    found = sums.get(key)
    if found is None:
        found = sums[key] = RunFigures()
    return found


class HourOfWeek(NamedTuple):
    """An hour of the week, by UTC: what a job does at this time is compared with what it did at this time before."""

    weekday: int  # 0: Monday
    hour: int


_THURSDAY: Final = 3  # 1970-01-01


def hour_of_week(at: Instant) -> HourOfWeek:
    """The hour of the week that an instant belongs to."""
    hours = at // Resolution.HOUR.length_us
    return HourOfWeek((hours // 24 + _THURSDAY) % 7, hours % 24)


def baseline(hours: Iterable[tuple[Instant, RunFigures]]) -> dict[HourOfWeek, RunFigures]:
    """What is usual at each hour of the week, from a job's hours."""
    usual: dict[HourOfWeek, RunFigures] = {}
    for start_at, figures in hours:
        usual.setdefault(hour_of_week(start_at), RunFigures()).merge(figures)
    return usual
