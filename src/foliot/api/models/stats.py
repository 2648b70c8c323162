"""Figures of runs as JSON."""

from pydantic import Field

from foliot.api.models.common import ApiOutput, Moment, Seconds, moment, one_of, seconds
from foliot.domain.instants import Instant
from foliot.domain.statistics.figures import RunFigures, Spell
from foliot.domain.statistics.resolution import Resolution
from foliot.operations.stats import StatsOfRange

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


def _outcomes(figures: RunFigures) -> dict[str, int]:
    by_kind = {f"FAILED:{kind}": count for kind, count in sorted(figures.kinds.items())}
    counts = {"SUCCEEDED": figures.succeeded, **by_kind, "CANCELLED": figures.cancelled}
    return {outcome: count for outcome, count in counts.items() if count}
