"""The days of a job as JSON."""

from pydantic import Field

from foliot.api.models.common import ApiOutput, Moment, moment
from foliot.operations.job_days import JobDays


class JobDayOut(ApiOutput):
    """One day of a job."""

    day: str = Field(examples=["2026-03-02"])
    counts: dict[str, int] = Field(examples=[{"SUCCEEDED": 288, "FAILED": 1, "SKIPPED": 3}])


class DaysOut(ApiOutput):
    """How a job's runs of each day ended."""

    timezone: str
    first: str = Field(examples=["2025-03-03"])
    last: str = Field(examples=["2026-03-02"])
    days: list[JobDayOut] = Field(description="In order, without those on which nothing was due.")
    whole_since: Moment | None = Field(description="Older runs are too many to be counted; null: all are counted.")

    @classmethod
    def of(cls, found: JobDays) -> "DaysOut":
        days = [JobDayOut(day=day.day.isoformat(), counts=dict(day.counts)) for day in found.days]
        return cls(
            timezone=found.timezone,
            first=found.first.isoformat(),
            last=found.last.isoformat(),
            days=days,
            whole_since=moment(found.whole_since),
        )
