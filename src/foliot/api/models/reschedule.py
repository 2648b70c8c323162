"""Schedules set right, as JSON."""

from typing import Annotated

from fastapi import Body
from pydantic import Field

from foliot.api.models.common import ApiInput, ApiOutput, Moment, Reason, moment
from foliot.api.models.jobs import JobOut
from foliot.api.models.states import JobWord
from foliot.domain.changes import Stand
from foliot.operations.reschedule import LOOKED_AT_MAX, RescheduledJob, RescheduledJobs
from foliot.words.language import Language


class RescheduleJob(ApiInput):
    """How to set a schedule right."""

    dry_run: bool = Field(False, description="Only say what would be done.")
    reason: Reason = ""


class RescheduleJobs(RescheduleJob):
    """Which stretch of the namespace's jobs to look at."""

    after: int = Field(0, ge=0, le=2**31 - 1, description="The `after` of the answer before; 0 to begin.")
    limit: int = Field(LOOKED_AT_MAX, ge=1, le=LOOKED_AT_MAX, description="How many jobs to look at.")


MaybeRescheduleJob = Annotated[RescheduleJob, Body(default_factory=RescheduleJob)]
MaybeRescheduleJobs = Annotated[RescheduleJobs, Body(default_factory=RescheduleJobs)]


class StandOut(ApiOutput):
    """Where a schedule stands."""

    state: JobWord
    next_at: Moment | None
    next_due_at: Moment | None

    @classmethod
    def of(cls, stand: Stand) -> "StandOut":
        return cls(state=stand.state, next_at=moment(stand.next_at), next_due_at=moment(stand.next_due_at))


class RescheduledOut(ApiOutput):
    """A job whose schedule was set right, or would be."""

    name: str = Field(examples=["settle"])
    changed: bool
    dry_run: bool
    before: StandOut
    after: StandOut
    instants: int = Field(description="Instants to come that were skipped, and are open again.")
    cancelled: int = Field(description="Runs that waited for instants to come, and were cancelled.")
    retries: int = Field(description="Runs whose next try waited for years, and is due now.")
    job: JobOut

    @classmethod
    def of(cls, rescheduled: RescheduledJob, language: Language) -> "RescheduledOut":
        done = rescheduled.done
        return cls(
            name=rescheduled.job.name,
            changed=done.is_changed,
            dry_run=rescheduled.dry_run,
            before=StandOut.of(done.before),
            after=StandOut.of(done.after),
            instants=done.instants,
            cancelled=done.runs,
            retries=done.retries,
            job=JobOut.of(rescheduled.job, language=language),
        )


class RescheduledListOut(ApiOutput):
    """Those of the jobs looked at that stood ahead of their schedules."""

    items: list[RescheduledOut]
    after: int | None = Field(description="Where to go on; null: every job was looked at.")

    @classmethod
    def of(cls, found: RescheduledJobs, language: Language) -> "RescheduledListOut":
        return cls(items=[RescheduledOut.of(item, language) for item in found.items], after=found.after)
