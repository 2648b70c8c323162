"""A maintenance of the cluster as JSON."""

from pydantic import Field

from foliot.api.models.common import ApiInput, ApiOutput, Moment, Reason, moment
from foliot.domain.maintenance import Maintenance


class SetMaintenance(ApiInput):
    """Whether servers are to stop deciding."""

    on: bool
    lasts: str | float | None = Field(None, description="Left out: until it is ended.", examples=["30m", 1800])
    reason: Reason = ""


class MaintenanceOut(ApiOutput):
    """A time in which no instant is decided and no run is leased."""

    since: Moment
    until: Moment | None = Field(None, description="When it ends by itself; null: when somebody ends it.")
    by: str
    reason: str

    @classmethod
    def of(cls, found: Maintenance | None) -> "MaintenanceOut | None":
        if found is None:
            return None
        return cls(since=moment(found.since) or "", until=moment(found.until), by=found.by, reason=found.reason)


class MaintenanceChangeOut(ApiOutput):
    """What is on now, and what was until now."""

    maintenance: MaintenanceOut | None
    ended: MaintenanceOut | None = None
