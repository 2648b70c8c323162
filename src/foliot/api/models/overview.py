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
    namespaces: list[str] = Field(description="That have or had jobs and that the token sees; at most 100.")
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
    slots: float = Field(
        default=0,
        description="Slots that what is due keeps busy in it, on average, by how long runs took in the last week.",
    )


class GroupAheadOut(ApiOutput):
    """A group of workers that something is due for, and its fullest minute."""

    group: str
    slots: int = Field(description="Of its live workers that are not draining.")
    needs: float = Field(description="Slots that its fullest minute keeps busy.")
    at: Moment = Field(description="When that minute begins.")
    is_short: bool = Field(description="Less than three tenths of the slots would be free.")


class AheadOut(ApiOutput):
    """How many instants are due in each of the next minutes."""

    now: Moment
    minutes: list[MinuteAheadOut] = Field(description="Without those in which nothing is due.")
    is_whole: bool = Field(description="False: there are more than are counted at once, and some were left out.")
    groups: list[GroupAheadOut] = Field(default_factory=list, description="A forecast of slots, by group.")

    @classmethod
    def of(cls, ahead: Ahead) -> "AheadOut":
        minutes = [
            MinuteAheadOut(
                at=moment(minute.at) or "",
                fires=minute.fires,
                jobs=[DueJobOut(name=job.name, namespace=job.namespace) for job in minute.jobs],
                slots=round(minute.slots, 2),
            )
            for minute in ahead.minutes
        ]
        groups = [
            GroupAheadOut(
                group=one.group,
                slots=one.slots,
                needs=round(one.needs, 2),
                at=moment(one.at) or "",
                is_short=one.is_short,
            )
            for one in ahead.groups
        ]
        return cls(now=moment(ahead.now) or "", minutes=minutes, is_whole=ahead.is_whole, groups=groups)
