"""Statistics in the store: runs that ended are counted once each, and figures of any stretch of time are read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from foliot.domain.instants import Instant, Micros
from foliot.domain.statistics.figures import EndedRun, FigureKey, RunFigures
from foliot.domain.statistics.resolution import Resolution
from foliot.ports.store.anomalies import AnomalyStore
from foliot.ports.store.node_loads import NodeLoadStore


@dataclass(frozen=True, slots=True, kw_only=True)
class CountProgress:
    """How far runs are counted: every run up to `counted_id` is, but those that are left behind."""

    ver: int  # rises with every change of it
    counted_id: int
    newest_id: int  # of all runs
    now: Instant
    has_left: bool  # a page of left runs is due


class LeftPage(NamedTuple):
    """Runs that had not ended when the leader passed them. It looks at them again, ever more rarely."""

    first_id: int  # its key
    run_ids: Sequence[int]
    left_at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsPassed:
    """Some runs in the order of their ids: those that ended, and the ids of the others."""

    ended: Sequence[EndedRun]
    unended: Sequence[int]
    last_id: int  # the last that was looked at
    is_last: bool  # nothing is behind it


class Counted(NamedTuple):
    """One round of counting: what is written together."""

    figures: Mapping[FigureKey, RunFigures]  # to be added to those that are there
    counted_id: int
    left: Sequence[LeftPage]  # new pages, and pages looked at again with what is left of them
    gone: Sequence[int]  # keys of pages with nothing left


class FigurePoint(NamedTuple):
    """Figures of one stretch of time, on one node."""

    start_at: Instant
    is_part: bool
    node: str  # empty: no worker had the runs, or nobody knows which one
    figures: RunFigures


class FigurePoints(NamedTuple):
    """All of them, in no order. Not `is_whole`: there were more than the limit, and none are here."""

    points: Sequence[FigurePoint]
    is_whole: bool


class StatisticsStore(NodeLoadStore, AnomalyStore, Protocol):
    """Keeps figures by resolution, start, job and node.

    Runs are counted by one leader. It reads them in the order of their ids, with no lock: a run that ended never
    changes. Then it adds the figures and moves `CountProgress.counted_id` in one transaction.
    """

    async def progress(self) -> CountProgress:
        """How far runs are counted. One statement."""
        ...

    async def passed(self, *, after_id: int, until_id: int, limit: int) -> RunsPassed:
        """The next runs above `after_id`, up to `until_id`. Tests are left out."""
        ...

    async def left(self, *, limit: int) -> Sequence[LeftPage]:
        """Pages of left runs that are due to be looked at, the longest due first."""
        ...

    async def found(self, run_ids: Sequence[int]) -> RunsPassed:
        """These runs. Those that retention has deleted are in neither list."""
        ...

    async def add(self, seen: CountProgress, counted: Counted, *, term: int | None) -> bool:
        """Add figures, if nobody has changed the progress since it was seen; False: nothing was added.

        So a run is counted once, also when two servers believe that they lead, and when an answer was lost.
        """
        ...

    async def forget(self, resolution: Resolution, *, before: Instant, limit: int, term: int | None) -> bool:
        """Delete about `limit` of the oldest figures that begin before an instant; whether there are more."""
        ...

    async def of_job(self, job_id: int, resolution: Resolution, starts: range, *, limit: int) -> FigurePoints:
        """Figures of a job, with its runs that ended and are not counted yet."""
        ...

    async def of_node(self, node: str, resolution: Resolution, starts: range) -> Sequence[FigurePoint]:
        """Figures of a node over all jobs."""
        ...

    async def paces(self, job_ids: Sequence[int]) -> Mapping[int, Mapping[str, Micros]]:
        """The pace of each worker at these jobs, by job and by its name. One statement for all jobs."""
        ...

    async def slot_times(self, job_ids: Sequence[int]) -> Mapping[int, Micros]:
        """How long a run of each of these jobs keeps slots, its shards together: the mean of the last week.

        Jobs without a counted run are left out.
        """
        ...
