"""Metrics of runs that ended, in all and of single jobs: the leader counts each run once, for its statistics.

Nothing here is on the way of a run. A server that leads no more keeps showing what it counted: the sum over the
servers is right. A page of metrics is made in another thread, so dicts are copied before a walk.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from prometheus_client.registry import Collector

from foliot.domain.instants import SECOND, Instant, Micros
from foliot.domain.metric_bounds import JOBS_SHOWN_MAX
from foliot.domain.statistics.figures import FigureKey, RunFigures
from foliot.observability.catalogue import OTHERS
from foliot.observability.families import Family, counts, gauges


class _JobSums:
    """What was counted of one job."""

    __slots__ = ("last_at", "states", "took_us")

    def __init__(self) -> None:
        self.states: Counter[str] = Counter()
        self.took_us: Micros = 0
        self.last_at: Instant = 0

    def add(self, figures: RunFigures) -> None:
        self.states.update(_states(figures))
        self.took_us += figures.took.sum_us
        self.last_at = max(self.last_at, figures.last_at)


class JobFigures(Collector):
    """`most` jobs have series of their own: those whose runs ended first. All others are added up."""

    def __init__(self, most: int) -> None:
        self._most = min(most, JOBS_SHOWN_MAX)
        self._ended: Counter[tuple[str, str]] = Counter()  # by state and kind
        self._jobs: dict[int, _JobSums] = {}
        self._others = _JobSums()
        self._names: dict[int, tuple[str, str]] = {}

    def counted(self, minutes: Mapping[FigureKey, RunFigures]) -> None:
        """The leader counted these minutes, each of one job on one node."""
        for key, figures in minutes.items():
            if key.is_part:
                continue
            self._count(figures)
            if self._most:
                self._sums_of(key.job_id).add(figures)

    def _count(self, figures: RunFigures) -> None:
        for state, count in _states(figures).items():
            if state != "FAILED":
                self._ended[state, ""] += count
        for kind, count in figures.kinds.items():
            self._ended["FAILED", kind] += count

    def _sums_of(self, job_id: int) -> _JobSums:
        found = self._jobs.get(job_id)
        if found is not None:
            return found
        if len(self._jobs) >= self._most:
            return self._others
        made = self._jobs[job_id] = _JobSums()
        return made

    def unnamed(self) -> list[int]:
        """Jobs whose names are not known yet: they are not shown until then."""
        return [job_id for job_id in self._jobs if job_id not in self._names]

    def learn_names(self, names: Mapping[int, tuple[str, str]]) -> None:
        """The namespace and the name of jobs, by id. One that is gone by now counts among the others."""
        self._names.update(names)
        for job_id in self.unnamed():
            gone = self._jobs.pop(job_id)
            self._others.states.update(gone.states)
            self._others.took_us += gone.took_us

    def describe(self) -> Iterator[Family]:
        yield from ()

    def collect(self) -> Iterator[Family]:
        ended = counts("foliot_runs_ended_total")
        for (state, kind), count in sorted(self._ended.copy().items()):
            ended.add_metric([state, kind], count)
        yield ended
        if self._most:
            yield from self._of_jobs()

    def _of_jobs(self) -> Iterator[Family]:
        ended, took = counts("foliot_job_runs_ended_total"), counts("foliot_job_run_seconds_total")
        last = gauges("foliot_job_last_end_timestamp_seconds")
        shown = [(self._names[job_id], sums) for job_id, sums in self._jobs.copy().items() if job_id in self._names]
        for named, sums in sorted(shown, key=lambda one: one[0]):
            last.add_metric(named, sums.last_at / SECOND)
        if self._others.states:
            shown.append(((OTHERS, OTHERS), self._others))
        for named, sums in shown:
            took.add_metric(named, sums.took_us / SECOND)
            for state, count in sorted(sums.states.copy().items()):
                ended.add_metric([*named, state], count)
        yield from (ended, took, last)


def _states(figures: RunFigures) -> dict[str, int]:
    found = {"SUCCEEDED": figures.succeeded, "FAILED": figures.failed, "CANCELLED": figures.cancelled}
    return {state: count for state, count in found.items() if count}
