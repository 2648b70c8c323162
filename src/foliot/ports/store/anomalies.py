"""Anomalies in the store: the leader judges the jobs page by page, once an hour, and keeps what it finds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from foliot.domain.anomalies.anomaly import Anomaly, AnomalyKind
from foliot.domain.instants import Instant
from foliot.domain.statistics.figures import RunFigures

ALL_JOBS: Final = 2**31
"""Above every job's id: an hour is judged when it is reached."""


class JudgingProgress(NamedTuple):
    """Which hour is judged, and up to which job."""

    ver: int
    hour_at: Instant  # 0: none was judged so far
    after_id: int


class ComparedJob(NamedTuple):
    """What judging needs of a job beside its figures."""

    job_id: int
    namespace: str
    name: str
    is_active: bool
    is_scheduled: bool
    since_at: Instant  # its present version was saved
    is_excused: bool = False  # lately it skipped an instant because it was to: by calendar, blackout, pause


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingPage:
    """Some jobs in the order of their ids, with their figures and their open anomalies."""

    jobs: Sequence[ComparedJob]
    hours: Mapping[int, Mapping[Instant, RunFigures]]  # by job and start
    days: Mapping[int, Mapping[Instant, RunFigures]]
    open: Mapping[int, Sequence[Anomaly]]
    is_last: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AnomalyFilter:
    """Which anomalies are asked for."""

    namespace: str | None = None  # None: every one
    job_id: int | None = None
    kind: AnomalyKind | None = None
    only_open: bool = False
    since: Instant | None = None  # seen then or later
    until: Instant | None = None  # began before


class AnomalyStore(Protocol):
    """Keeps anomalies of jobs."""

    async def judging_progress(self) -> JudgingProgress:
        """Which hour is judged, and up to which job. One statement."""
        ...

    async def judging_page(self, hour_at: Instant, *, after_id: int, limit: int, excused_since: Instant) -> JudgingPage:
        """The next jobs and all that judging the hour needs of them. One statement for any number of jobs.

        A job that skipped an instant since `excused_since`, because it was to, is excused.
        """
        ...

    async def keep_course(
        self,
        seen: JudgingProgress,
        *,
        hour_at: Instant,
        after_id: int,
        opened: Sequence[Anomaly],
        changed: Sequence[Anomaly],
        term: int | None,
    ) -> bool:
        """Write down what a page changed, and how far the hour is judged, in one transaction.

        Two statements for any number of anomalies. One that was over and begins again at the same instant goes on.

        False: another leader has judged since the progress was seen, or the term is over; then nothing was written.
        """
        ...

    async def anomalies(self, wanted: AnomalyFilter, *, before_id: int | None, limit: int) -> Sequence[Anomaly]:
        """Anomalies with the names of their jobs, the newest first."""
        ...

    async def forget_anomalies(self, *, before: Instant, limit: int, term: int | None) -> int:
        """Delete up to `limit` anomalies that were last seen before an instant; how many."""
        ...
