"""The overview as JSON."""

from pydantic import Field

from foliot.api.models.cluster import ClusterOut, EventOut
from foliot.api.models.common import ApiOutput, Moment
from foliot.api.models.jobs import JobOut, WhyOut
from foliot.api.models.runs import RunOut


class HeldRunOut(ApiOutput):
    """A run that something has kept from starting for a minute, and what."""

    run: RunOut
    why: WhyOut


class OverviewOut(ApiOutput):
    """What people look at first. Each list has at most 20 items, `held` at most 5."""

    now: Moment
    failing: list[JobOut] = Field(description="Whose newest run failed; those that failed most of late come first.")
    late: list[JobOut] = Field(description="Due for a minute and not decided.")
    held: list[HeldRunOut] = Field(description="One of each job.")
    running: list[RunOut] = Field(description="The newest first.")
    next: list[JobOut] = Field(description="The soonest first.")
    changes: list[EventOut] = Field(description="The newest first.")
    cluster: ClusterOut | None = Field(description="Null for a token that is limited to a namespace or group.")
