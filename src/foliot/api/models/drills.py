"""Drills as JSON."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import Field

from foliot.api.models.common import ApiInput, ApiOutput, Moment, Name, Reason, Seconds, moment, one_of, seconds
from foliot.api.models.states import DrillWord
from foliot.domain.drill_sizes import SIZE_BOUNDS
from foliot.domain.drills import BREAKS, USUAL_SIZES, DrillType
from foliot.domain.instants import SECOND
from foliot.domain.run import format_run_id
from foliot.operations.drills import DrillPreview
from foliot.ports.store.drills import Drill
from foliot.words.drills import DrillTarget, breaks, consequences
from foliot.words.language import Language

TYPES: Final = tuple(str(type_) for type_ in DrillType)
RUNS_SHOWN: Final = 20
_TIMES: Final = ("detected_us", "failed_over_us", "recovered_us", "worst_delay_us")


class DrillSizeOut(ApiOutput):
    """What the size of a drill may be. Below 0: the clock goes back."""

    usual_s: Seconds
    least_s: Seconds
    most_s: Seconds

    @classmethod
    def of(cls, type_: DrillType) -> "DrillSizeOut | None":
        bounds = SIZE_BOUNDS.get(type_)
        if bounds is None:
            return None
        usual = USUAL_SIZES[type_]
        return cls(usual_s=usual / SECOND, least_s=bounds.least / SECOND, most_s=bounds.most / SECOND)


class DrillTypeOut(ApiOutput):
    """A type of drill."""

    type: str = one_of(*TYPES)
    breaks: str = Field(description="What is broken, in words.")
    on: list[str] = Field(description="On which kinds of nodes.", examples=[["server", "worker"]])
    size: DrillSizeOut | None = Field(description="How much can be broken; null: the type has no size.")

    @classmethod
    def of(cls, type_: DrillType, language: Language) -> "DrillTypeOut":
        size = DrillSizeOut.of(type_)
        return cls(type=str(type_), breaks=breaks(type_, language), on=sorted(BREAKS[type_]), size=size)


class DrillTypesOut(ApiOutput):
    """Every type of drill, and the nodes that take part."""

    items: list[DrillTypeOut]
    nodes: list[str] = Field(description="Live nodes that were started with --allow-drills.")


class DrillIn(ApiInput):
    """What is to be broken, where and for how long."""

    type: str = Field(max_length=40, examples=["crash"])
    on: Name = Field(description="The node.", examples=["w-3"])
    for_: str | float = Field("30s", alias="for", description="How long.", examples=["30s", 30])
    size: str | float | None = Field(
        None,
        description="How far the clock is ahead (clock_step; below 0: back), or what each transaction takes longer "
        "(slow_store). The usual size unless you say it: an hour, half a second.",
        examples=["2h", "-90s", 0.25],
    )


class DrillAskIn(DrillIn):
    """A drill that is to be run."""

    alone: bool = Field(False, description="Also when no other node can do the work of this one.")
    reason: Reason = ""


class DrillPreviewOut(ApiOutput):
    """What a drill would break."""

    type: str = one_of(*TYPES)
    node: str
    kind: str = one_of("server", "worker")
    for_s: Seconds
    size_s: Seconds | None = Field(description="How much is broken; null: the type has no size.")
    is_leader: bool
    running: int = Field(description="Runs that the node executes.")
    run_ids: list[str]
    jobs: list[str] = Field(description="Of these runs.")
    others: int = Field(description="Nodes that can do its work meanwhile.")
    consequences: list[str] = Field(description="What will happen, in words.")

    @classmethod
    def of(cls, one: DrillPreview, language: Language) -> "DrillPreviewOut":
        row = one.node.row
        jobs = sorted({run.job for run in one.runs})
        target = DrillTarget(row.name, row.kind, len(one.runs), jobs, one.node.is_leader, one.others)
        return cls(
            type=str(one.type),
            node=row.name,
            kind=row.kind,
            for_s=seconds(one.for_us) or 0.0,
            size_s=seconds(one.size_us),
            is_leader=one.node.is_leader,
            running=len(one.runs),
            run_ids=[format_run_id(run.run_id) for run in one.runs[:RUNS_SHOWN]],
            jobs=jobs,
            others=one.others,
            consequences=consequences(one.type, target, one.for_us, one.size_us, language),
        )


class DrillFiresOut(ApiOutput):
    """What became of the instants that were due while the node was broken."""

    jobs: int = Field(description="That were judged.")
    due: int
    created: int
    skipped: int
    lost: int = Field(description="Neither a run nor a skip.")
    doubled: int = Field(description="Two runs, or a run and a skip.")
    early: int = Field(description="A run that was there before its instant.")
    late: int = Field(description="Not decided when the drill was judged.")
    named: list[str] = Field(description="Some of those that were lost, doubled or early.")


class DrillOut(ApiOutput):
    """One drill, from its beginning to its report. Times of the report count from its beginning."""

    id: int
    type: str = one_of(*TYPES)
    node: str
    state: DrillWord
    for_s: Seconds
    size_s: Seconds | None = Field(description="How much is broken; null: the type has no size.")
    by: str
    reason: str
    asked_at: Moment
    began_at: Moment | None = Field(description="The node said that it begins.")
    ended_at: Moment | None = Field(description="It was judged, stopped or lost.")
    detected_s: Seconds | None = Field(description="Somebody noticed; null: nobody did.")
    failed_over_s: Seconds | None = Field(description="Other nodes had taken over.")
    recovered_s: Seconds | None = Field(description="Everything was well again.")
    worst_delay_s: Seconds | None = Field(description="The longest from an instant to its run.")
    fires: DrillFiresOut | None
    rerun: int | None = Field(description="Runs of the node that went to others.")
    every_job: bool | None = Field(description="false: there are too many jobs; those that fire most were judged.")
    failovers: list[int] = Field(description="What the cluster noted.")
    compared: dict[str, str] = Field(
        description="Each time against the usual one of earlier drills of this type and size: better, same, worse.",
        examples=[{"recovered_s": "same"}],
    )

    @classmethod
    def of(cls, one: Drill, compared: Mapping[str, str] | None = None) -> "DrillOut":
        report = one.report
        return cls(
            id=one.id,
            type=str(one.type),
            node=one.node,
            state=str(one.state),
            for_s=seconds(one.for_us) or 0.0,
            size_s=seconds(one.size_us),
            by=one.by,
            reason=one.reason,
            asked_at=moment(one.asked_at) or "",
            began_at=moment(one.began_at),
            ended_at=moment(one.ended_at),
            **{_in_seconds(name): seconds(report.get(name)) for name in _TIMES},
            fires=_fires(report.get("fires")),
            rerun=report.get("rerun"),
            every_job=report.get("every_job"),
            failovers=list(report.get("failovers", ())),
            compared={_in_seconds(name): word for name, word in (compared or {}).items()},
        )


def _in_seconds(name: str) -> str:
    return name.removesuffix("_us") + "_s"


def _fires(found: Mapping[str, Any] | None) -> DrillFiresOut | None:
    if found is None:
        return None
    return DrillFiresOut(**{name: found[name] for name in DrillFiresOut.model_fields})
