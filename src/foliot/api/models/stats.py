"""Figures of runs and of load as JSON."""

from pydantic import Field

from foliot.api.models.anomalies import AnomalyOut
from foliot.api.models.common import ApiOutput, Moment, Seconds, moment, one_of, seconds
from foliot.domain.instants import Instant
from foliot.domain.statistics.figures import RunFigures, Spell
from foliot.domain.statistics.node_load import LoadPoint, NodeLoad
from foliot.domain.statistics.resolution import Resolution
from foliot.operations.stats import StatsOfRange
from foliot.words.language import Language

STEPS = tuple(resolution.word for resolution in Resolution)


class SpreadOut(ApiOutput):
    """How a duration is spread, in seconds. Percentiles are right to 2 %; mean and longest are exact."""

    mean: Seconds
    p50: Seconds
    p95: Seconds
    p99: Seconds
    max: Seconds

    @classmethod
    def of(cls, spell: Spell) -> "SpreadOut | None":
        if not spell.count:
            return None
        return cls(
            mean=seconds(spell.mean_us) or 0.0,
            p50=seconds(spell.at(0.5)) or 0.0,
            p95=seconds(spell.at(0.95)) or 0.0,
            p99=seconds(spell.at(0.99)) or 0.0,
            max=seconds(spell.longest_us) or 0.0,
        )


class FiguresOut(ApiOutput):
    """How some runs went."""

    runs: int = Field(description="Runs that ended.")
    succeeded: int
    failed: int
    cancelled: int
    success_rate: float | None = Field(description="Of those that succeeded or failed.")
    duration_s: SpreadOut | None = Field(description="From the start to the end.")
    queue_delay_s: SpreadOut | None = Field(description="How long runs waited until they started.")
    last_ended_at: Moment | None

    @classmethod
    def parts_of(cls, figures: RunFigures) -> "FiguresOut":
        return FiguresOut(
            runs=figures.runs,
            succeeded=figures.succeeded,
            failed=figures.failed,
            cancelled=figures.cancelled,
            success_rate=figures.success_rate,
            duration_s=SpreadOut.of(figures.took),
            queue_delay_s=SpreadOut.of(figures.delay),
            last_ended_at=moment(figures.last_at or None),
        )


class PointOut(FiguresOut):
    """Runs that ended in one minute, hour or day."""

    start: Moment

    @classmethod
    def of(cls, start_at: Instant, figures: RunFigures) -> "PointOut":
        return cls(start=moment(start_at) or "", **dict(FiguresOut.parts_of(figures)))


class NodeFiguresOut(FiguresOut):
    """A job's runs on one node; of a sharded job, its shards."""

    node: str

    @classmethod
    def of(cls, node: str, figures: RunFigures) -> "NodeFiguresOut":
        return cls(node=node, **dict(FiguresOut.parts_of(figures)))


class StatsOut(FiguresOut):
    """Figures of a job or a node in a range of time."""

    name: str
    from_at: Moment = Field(description="The range is widened to whole steps. Included.")
    to_at: Moment = Field(description="Not included.")
    step: str = one_of(*STEPS)
    outcomes: dict[str, int] = Field(examples=[{"SUCCEEDED": 197, "FAILED:timeout": 3}])
    retries: int = Field(description="Attempts that failed and were followed by another.")
    points: list[PointOut] = Field(description="In order, without those in which no run ended.")
    nodes: list[NodeFiguresOut] = Field(description="Of a job: by the worker that had its runs.")

    @classmethod
    def of(cls, stats: StatsOfRange) -> "StatsOut":
        total = stats.total
        return cls(
            name=stats.name,
            from_at=moment(stats.from_at) or "",
            to_at=moment(stats.to_at) or "",
            step=stats.resolution.word,
            outcomes=_outcomes(total),
            retries=total.retries,
            points=[PointOut.of(start_at, figures) for start_at, figures in stats.points.items()],
            nodes=[NodeFiguresOut.of(node, figures) for node, figures in stats.nodes.items()],
            **dict(FiguresOut.parts_of(total)),
        )


class JobStatsOut(StatsOut):
    """Figures of a job in a range of time, and in what it differed from its own baseline."""

    anomalies: list[AnomalyOut] = Field(description="Those of the range, the newest first, 50 at most.")

    @classmethod
    def of_job(cls, stats: StatsOfRange, language: Language) -> "JobStatsOut":
        found = [AnomalyOut.of(one, language) for one in stats.anomalies]
        return cls(**dict(StatsOut.of(stats)), anomalies=found)


class ReadingOut(ApiOutput):
    """One figure of a node over some time."""

    mean: float
    max: float

    @classmethod
    def of(cls, figures: NodeLoad, name: str) -> "ReadingOut | None":
        mean, most = figures.mean(name), figures.most(name)
        if mean is None or most is None:
            return None
        return cls(mean=round(mean, 4), max=round(most, 4))


class LoadOut(ApiOutput):
    """How loaded a node was, by the looks of the leader; of the cluster: all nodes together.

    A figure is null when the node did not say it. The runs, slots and nodes of the cluster are added up; its shares and
    threads are the mean of its nodes.
    """

    samples: int = Field(description="Looks of the leader at the node.")
    cpu: ReadingOut | None = Field(description="Share in use, from 0 to 1; so are memory, disk and score.")
    memory: ReadingOut | None
    disk: ReadingOut | None
    score: ReadingOut | None = Field(description="The weighted load that least-load routes go by.")
    threads: ReadingOut | None
    running: ReadingOut | None = Field(description="Runs of a worker.")
    slots: ReadingOut | None
    bands: dict[str, float] = Field(
        description="Of a node: the share of looks that found it in each band. Of the cluster: how many nodes.",
        examples=[{"ONLINE": 0.98, "WARNING": 0.02}],
    )
    scheduled: int = Field(description="Of a server: fires that made a run.")
    skipped: int = Field(description="Of a server: fires that made none.")
    leased: int = Field(description="Of a server: runs that it gave to workers.")

    @classmethod
    def parts_of(cls, figures: NodeLoad) -> "LoadOut":
        return LoadOut(
            samples=figures.samples,
            bands=_bands(figures),
            cpu=ReadingOut.of(figures, "cpu"),
            memory=ReadingOut.of(figures, "memory"),
            disk=ReadingOut.of(figures, "disk"),
            score=ReadingOut.of(figures, "score"),
            threads=ReadingOut.of(figures, "threads"),
            running=ReadingOut.of(figures, "running"),
            slots=ReadingOut.of(figures, "slots"),
            scheduled=figures.tallies["scheduled"],
            skipped=figures.tallies["skipped"],
            leased=figures.tallies["leased"],
        )


class LoadPointOut(LoadOut):
    """The load of one minute, hour or day."""

    start: Moment

    @classmethod
    def of(cls, point: LoadPoint) -> "LoadPointOut":
        return cls(start=moment(point.start_at) or "", **dict(LoadOut.parts_of(point.figures)))


class NodeStatsOut(StatsOut):
    """Figures of a node or of the whole cluster in a range of time: its runs, and its load."""

    load: LoadOut | None = Field(description="Over the whole range; null: the leader did not see the node.")
    load_points: list[LoadPointOut] = Field(description="In order, without those in which the leader saw nothing.")

    @classmethod
    def of_node(cls, stats: StatsOfRange) -> "NodeStatsOut":
        total = NodeLoad()
        for point in stats.load:
            total.merge(point.figures)
        return cls(
            **dict(StatsOut.of(stats)),
            load=LoadOut.parts_of(total) if stats.load else None,
            load_points=[LoadPointOut.of(point) for point in stats.load],
        )


def _outcomes(figures: RunFigures) -> dict[str, int]:
    by_kind = {f"FAILED:{kind}": count for kind, count in sorted(figures.kinds.items())}
    counts = {"SUCCEEDED": figures.succeeded, **by_kind, "CANCELLED": figures.cancelled}
    return {outcome: count for outcome, count in counts.items() if count}


def _bands(figures: NodeLoad) -> dict[str, float]:
    """Of a server that died before the leader saw it there are counts and no looks."""
    looks_in_all = max(1, figures.samples)
    return {band: round(looks / looks_in_all, 4) for band, looks in figures.bands.items() if looks}
