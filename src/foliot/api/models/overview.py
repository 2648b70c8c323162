"""The overview as JSON."""

from pydantic import Field

from foliot.api.models.alerts import AlertCountsOut, AlertOut
from foliot.api.models.cluster import ClusterOut, EventOut
from foliot.api.models.common import ApiOutput, Moment, moment
from foliot.api.models.jobs import JobOut, WhyOut
from foliot.api.models.runs import RunOut
from foliot.operations.ahead import Ahead


class HeldRunOut(ApiOutput):
    """A run that something has kept from starting for a minute, and what."""

    run: RunOut
    why: WhyOut


class OverviewOut(ApiOutput):
    """What people look at first. Each list has at most 20 items, `held` at most 5."""

    now: Moment
    failing: list[JobOut] = Field(description="Whose newest run failed; those that failed most of late come first.")
    late: list[JobOut] = Field(description="Due for a minute and not decided.")
    alerts: list[AlertOut] = Field(description="That fire, the newest first.")
    alert_counts: AlertCountsOut
    held: list[HeldRunOut] = Field(description="One of each job.")
    running: list[RunOut] = Field(description="The newest first.")
    next: list[JobOut] = Field(description="The soonest first.")
    changes: list[EventOut] = Field(description="The newest first.")
    cluster: ClusterOut | None = Field(
        description="Null for a token that is limited to a namespace or group. Of the nodes, at most 50: servers, "
        "and those in trouble."
    )


class DueJobOut(ApiOutput):
    """A job that is due."""

    name: str
    namespace: str


class MinuteAheadOut(ApiOutput):
    """One minute in which something is due."""

    at: Moment = Field(description="When the minute begins.")
    fires: int
    jobs: list[DueJobOut] = Field(description="Some of the jobs that are due in it, at most 3.")


class AheadOut(ApiOutput):
    """How many instants are due in each of the next minutes."""

    now: Moment
    minutes: list[MinuteAheadOut] = Field(description="Without those in which nothing is due.")
    is_whole: bool = Field(description="False: there are more than are counted at once, and some were left out.")

    @classmethod
    def of(cls, ahead: Ahead) -> "AheadOut":
        minutes = [
            MinuteAheadOut(
                at=moment(minute.at) or "",
                fires=minute.fires,
                jobs=[DueJobOut(name=job.name, namespace=job.namespace) for job in minute.jobs],
            )
            for minute in ahead.minutes
        ]
        return cls(now=moment(ahead.now) or "", minutes=minutes, is_whole=ahead.is_whole)
