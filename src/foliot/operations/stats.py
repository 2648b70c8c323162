"""Stats: how the runs of a job, a node or the cluster went in a range of time, and how loaded nodes were meanwhile.

All of it comes from the figures that the leader keeps.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from foliot.domain.access import Principal, Scope
from foliot.domain.anomalies.anomaly import Anomaly
from foliot.domain.errors import BadField
from foliot.domain.instants import DAY, Instant, Micros
from foliot.domain.statistics.figures import RunFigures
from foliot.domain.statistics.node_load import WHOLE_CLUSTER, LoadPoint
from foliot.domain.statistics.resolution import POINTS_MAX, Resolution, usual_resolution
from foliot.operations.names import find_job
from foliot.operations.nodes import find_node
from foliot.operations.services import Services
from foliot.operations.side_thread import in_side_thread
from foliot.ports.store.anomalies import AnomalyFilter
from foliot.ports.store.statistics import FigurePoint, FigurePoints

RANGE_DEFAULT: Final[Micros] = 7 * DAY
CLUSTER: Final = "cluster"
"""What the whole of it is called."""
ANOMALIES_MAX: Final = 50
FIGURES_MAX: Final = 20_000
"""Figures that one answer is made of: a job that ran on many workers gets a coarser resolution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedRange:
    """The range that a user asks for: a week up to now, with the resolution that suits it, when nothing is said."""

    from_at: Instant | None = None
    to_at: Instant | None = None
    resolution: Resolution | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsOfRange:
    """Figures of a range, which is widened to whole points."""

    name: str
    from_at: Instant
    to_at: Instant
    resolution: Resolution
    total: RunFigures
    points: Mapping[Instant, RunFigures]  # in order, without those in which nothing ended
    nodes: Mapping[str, RunFigures]  # of a job: by the worker that had the runs; of a sharded one, its shards
    load: Sequence[LoadPoint] = ()  # of a node or the cluster, in the order of time
    anomalies: Sequence[Anomaly] = ()  # of a job, the newest first


async def job_stats(services: Services, who: Principal, namespace: str, name: str, asked: AskedRange) -> StatsOfRange:
    """Figures of a job. A sharded run counts once; its shards are in the figures of its workers."""
    who.demand(Scope.READ)
    job = await find_job(services, who, namespace, name)
    resolution, starts = await _range(services, asked)
    found = await _of_job(services, job.job_id, resolution, starts)
    while not found.is_whole and asked.resolution is None and resolution is not Resolution.DAY:
        resolution = Resolution(resolution + 1)
        starts = resolution.starts(starts[0], starts[-1] + 1)
        found = await _of_job(services, job.job_id, resolution, starts)
    if not found.is_whole:
        hint = "ask for a shorter range, or a longer step"
        raise BadField("step", "the range has more figures than one answer holds", hint=hint)
    # Thousands of figures take the better part of a second: the server fires and leases meanwhile.
    answer = await in_side_thread(_answer_of_job, job.name, resolution, starts, found.points)
    wanted = AnomalyFilter(job_id=job.job_id, since=answer.from_at, until=answer.to_at)
    anomalies = await services.store.statistics.anomalies(wanted, before_id=None, limit=ANOMALIES_MAX)
    return replace(answer, anomalies=anomalies)


async def node_stats(services: Services, who: Principal, name: str, asked: AskedRange) -> StatsOfRange:
    """Figures of a node over all jobs, and its load. A node that left has them, too, as long as they are kept."""
    who.demand_everywhere(Scope.READ)
    resolution, starts = await _range(services, asked)
    found = await _of_node(services, name, resolution, starts)
    if found.is_empty:
        node, _ = await find_node(services, who, name)
        name = node.row.name
        found = await _of_node(services, name, resolution, starts)
    return _answer(name, resolution, starts, found.runs, nodes={}, load=found.load)


async def cluster_stats(services: Services, who: Principal, asked: AskedRange) -> StatsOfRange:
    """Figures of all runs of the cluster, and the load of all nodes together."""
    who.demand_everywhere(Scope.READ)
    resolution, starts = await _range(services, asked)
    found = await _of_node(services, WHOLE_CLUSTER, resolution, starts)
    return _answer(CLUSTER, resolution, starts, found.runs, nodes={}, load=found.load)


class _NodeFigures(NamedTuple):
    runs: Sequence[FigurePoint]
    load: Sequence[LoadPoint]

    @property
    def is_empty(self) -> bool:
        return not self.runs and not self.load


async def _of_node(services: Services, name: str, resolution: Resolution, starts: range) -> _NodeFigures:
    """Of a node, or of `WHOLE_CLUSTER`."""
    statistics = services.store.statistics
    runs = await statistics.of_node(name, resolution, starts)
    return _NodeFigures(runs, await statistics.load_of(name, resolution, starts))


async def _range(services: Services, asked: AskedRange) -> tuple[Resolution, range]:
    now = await services.store.lookups.now()
    to_at = now + 1 if asked.to_at is None else asked.to_at
    from_at = to_at - RANGE_DEFAULT if asked.from_at is None else asked.from_at
    if to_at <= from_at:
        raise BadField("to", "it is not after from", hint="from is included, to is not")
    resolution = asked.resolution
    if resolution is None:
        resolution = usual_resolution(from_at, to_at, now)
    starts = resolution.starts(from_at, to_at)
    if len(starts) > POINTS_MAX:
        hint = "ask for a shorter range, or a longer step"
        raise BadField("step", f"the range has more than {POINTS_MAX} steps", hint=hint)
    return resolution, starts


async def _of_job(services: Services, job_id: int, resolution: Resolution, starts: range) -> FigurePoints:
    return await services.store.statistics.of_job(job_id, resolution, starts, limit=FIGURES_MAX)


def _answer_of_job(name: str, resolution: Resolution, starts: range, points: Sequence[FigurePoint]) -> StatsOfRange:
    whole = [point for point in points if not point.is_part]
    on_workers = [point for point in points if point.node]
    return _answer(name, resolution, starts, whole, nodes=_by_node(on_workers))


def _answer(
    name: str,
    resolution: Resolution,
    starts: range,
    points: Sequence[FigurePoint],
    *,
    nodes: Mapping[str, RunFigures],
    load: Sequence[LoadPoint] = (),
) -> StatsOfRange:
    total = RunFigures()
    by_start: dict[Instant, RunFigures] = {}
    for point in points:
        total.merge(point.figures)
        by_start.setdefault(point.start_at, RunFigures()).merge(point.figures)
    return StatsOfRange(
        name=name,
        from_at=starts[0],
        to_at=starts[-1] + resolution.length_us,
        resolution=resolution,
        total=total,
        points={start_at: by_start[start_at] for start_at in sorted(by_start)},
        nodes=nodes,
        load=load,
    )


def _by_node(points: Iterable[FigurePoint]) -> Mapping[str, RunFigures]:
    nodes: dict[str, RunFigures] = {}
    for point in points:
        nodes.setdefault(point.node, RunFigures()).merge(point.figures)
    return {node: nodes[node] for node in sorted(nodes)}
