"""What is known of a job when it is judged: the last hours, the same hours of past weeks, and the last days."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from foliot.domain.instants import DAY, HOUR, Instant
from foliot.domain.statistics.figures import RunFigures
from foliot.domain.statistics.resolution import Resolution

WEEK: Final = 7 * DAY
WEEKS: Final = 6
"""How many weeks back the same hours are compared."""
SAME_HOURS: Final = 3
"""Hours of a past week: the one that is judged and those before it."""
LAST_HOURS: Final = 6
DAYS: Final = 35
"""How many days back figures of days are compared."""
LATELY_DAYS: Final = 14
OLDER_FROM_DAYS: Final = 8
"""What is older than a week is compared with the last days: a fault of some days is not its own baseline."""
WINDOW_HOURS: Final = (1, 3, LAST_HOURS)
WINDOW_DAYS: Final = (4, 6)


def hours_needed(hour_at: Instant) -> list[Instant]:
    """The starts of the hours that judging an hour needs."""
    last = [hour_at - back * HOUR for back in range(LAST_HOURS)]
    return last + [hour_at - week * WEEK - back * HOUR for week in range(1, WEEKS + 1) for back in range(SAME_HOURS)]


def days_needed(hour_at: Instant) -> list[Instant]:
    """The starts of the days that judging an hour needs. Today is not among them: it is not over."""
    today = Resolution.DAY.start_of(hour_at)
    return [today - back * DAY for back in range(1, DAYS + 1)]


def merged(some: Iterable[RunFigures | None]) -> RunFigures:
    """All of them together."""
    total = RunFigures()
    for figures in some:
        if figures is not None:
            total.merge(figures)
    return total


class Usual:
    """Figures of the days before today. They change once a day: who judges hour after hour keeps them."""

    def __init__(self, days: Mapping[Instant, RunFigures], today: Instant) -> None:
        self._days = days
        self._today = today
        self._last: dict[int, RunFigures] = {}
        self._same: dict[int, RunFigures] = {}

    def _between(self, first: int, last: int) -> list[RunFigures]:
        found = (self._days.get(self._today - back * DAY) for back in range(first, last + 1))
        return [figures for figures in found if figures is not None]

    @cached_property
    def lately(self) -> RunFigures:
        """The last two weeks."""
        return merged(self._between(1, LATELY_DAYS))

    @cached_property
    def older(self) -> RunFigures:
        """The weeks before the last one."""
        return merged(self._between(OLDER_FROM_DAYS, DAYS))

    @cached_property
    def busiest_day(self) -> int:
        """The most runs of one day."""
        return max((figures.runs for figures in self._between(1, DAYS)), default=0)

    @cached_property
    def active_days(self) -> int:
        """On how many days a run ended."""
        return len(self._between(1, DAYS))

    def last_days(self, count: int) -> RunFigures:
        """The last days."""
        if count not in self._last:
            self._last[count] = merged(self._between(1, count))
        return self._last[count]

    def same_days(self, count: int) -> RunFigures:
        """The days of the week that today and the last days are, of the weeks before the last one."""
        if count not in self._same:
            weeks = range(2, DAYS // 7 + 1)
            self._same[count] = merged(one for week in weeks for one in self._between(7 * week, 7 * week + count))
        return self._same[count]


@dataclass(frozen=True, kw_only=True)  # no slots: what it merged it keeps
class JobHistory:
    """A job and its figures. Shards are left out: a sharded run counts once."""

    job_id: int
    hour_at: Instant  # the hour that is judged begins here
    hours: Mapping[Instant, RunFigures]
    usual: Usual
    is_active: bool = True  # neither paused nor over
    is_scheduled: bool = True  # a schedule makes its runs; else users and other jobs do
    since_at: Instant = 0  # when its present version was saved: before, it may have had another schedule

    @property
    def end_at(self) -> Instant:
        """The end of the hour that is judged."""
        return self.hour_at + HOUR

    @property
    def latest(self) -> RunFigures | None:
        """The hour that is judged; None: no run ended in it."""
        return self.hours.get(self.hour_at)

    def runs(self, week: int, back: int) -> int:
        """How many runs ended in an hour: so many weeks ago, and so many hours before the one that is judged."""
        figures = self.hours.get(self.hour_at - week * WEEK - back * HOUR)
        return 0 if figures is None else figures.runs

    @cached_property
    def weeks(self) -> Sequence[int]:
        """The past weeks at this hour in which the job had its present version."""
        first_at = self.since_at + SAME_HOURS * HOUR
        return [week for week in range(1, WEEKS + 1) if self.hour_at - week * WEEK >= first_at]

    def windows(self) -> Iterator["RecentRuns"]:
        """The last hour, hours and days, the shortest first. Each has the hour that is judged in it."""
        for count in WINDOW_HOURS:
            yield RecentHours(self, count)
        for count in WINDOW_DAYS:
            yield RecentDays(self, count)


class RecentRuns:
    """Some runs of late, and what they are compared with. Merging takes time: a part is made when it is asked for."""

    def __init__(self, history: JobHistory, count: int) -> None:
        self._history = history
        self._count = count

    @property
    def begin_at(self) -> Instant:
        """When it begins."""
        raise NotImplementedError

    @property
    def figures(self) -> RunFigures:
        """The runs of late."""
        raise NotImplementedError

    @property
    def usual(self) -> RunFigures:
        """The baseline of days."""
        raise NotImplementedError

    @property
    def same(self) -> RunFigures:
        """The baseline of the same time of past weeks."""
        raise NotImplementedError


class RecentHours(RecentRuns):
    """The last hours."""

    @property
    def begin_at(self) -> Instant:
        return self._history.end_at - self._count * HOUR

    @cached_property
    def figures(self) -> RunFigures:
        history = self._history
        if self._count == 1:
            return history.latest or RunFigures()
        return merged(history.hours.get(history.hour_at - back * HOUR) for back in range(self._count))

    @property
    def usual(self) -> RunFigures:
        return self._history.usual.lately

    @cached_property
    def same(self) -> RunFigures:
        history = self._history
        backs = range(min(self._count, SAME_HOURS))
        starts = (history.hour_at - week * WEEK - back * HOUR for week in range(1, WEEKS + 1) for back in backs)
        return merged(history.hours.get(start_at) for start_at in starts)


class RecentDays(RecentRuns):
    """The last days and the hour that is judged: for jobs that run some times a day or less."""

    @property
    def begin_at(self) -> Instant:
        return Resolution.DAY.start_of(self._history.hour_at) - self._count * DAY

    @cached_property
    def figures(self) -> RunFigures:
        return merged([self._history.usual.last_days(self._count), self._history.latest])

    @property
    def usual(self) -> RunFigures:
        return self._history.usual.older

    @property
    def same(self) -> RunFigures:
        return self._history.usual.same_days(self._count)
