"""Verbs on many jobs as JSON."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from foliot.api.models.common import ApiInput, ApiOutput, Moment, Name, Reason, one_of
from foliot.domain.run import format_run_id
from foliot.operations.job_bulk import JobOutcome, TreatedJob
from foliot.words.errors import tell
from foliot.words.language import Language

BULK_JOBS_MAX = 500


class JobRef(ApiInput):
    """A job by its name."""

    name: Name
    namespace: Name | None = None


class JobFilterIn(ApiInput):
    """Which jobs: the filters of `GET /jobs`. An empty one lets every job through."""

    state: str | None = Field(None, max_length=50, examples=["active"])
    owner: Name | None = None
    group: Name | None = None
    label: list[str] = Field([], max_length=20, examples=[["team=data"]])
    q: str = Field("", max_length=200)
    failing: bool = False
    late: bool = False


class BulkJobs(ApiInput):
    """Many jobs: by their names, or all that a filter lets through, with the number that is expected."""

    jobs: list[JobRef] | None = Field(None, max_length=BULK_JOBS_MAX)
    filter: JobFilterIn | None = None
    expected: int | None = Field(None, ge=0, le=BULK_JOBS_MAX, description="How many jobs of the filter you saw.")
    reason: Reason = ""


class PauseJobs(BulkJobs):
    """Jobs whose schedules are to stand still."""

    until: Moment | None = None


class ResumeJobs(BulkJobs):
    """Jobs whose schedules are to go on."""

    catch_up: bool = False


class TreatedJobOut(ApiOutput):
    """One of many jobs, and what became of it."""

    name: str
    namespace: str
    outcome: Annotated[str, one_of(*JobOutcome)] = Field(description="`same`: it was as wanted before.")
    run: str | None = Field(description="Of a trigger.")
    code: str | None
    message: str | None = Field(description="Why it was refused.")
    hint: str | None

    @classmethod
    def of(cls, treated: TreatedJob, language: Language) -> "TreatedJobOut":
        error = treated.error
        message, hint = (None, None) if error is None else tell(error, language)
        return cls(
            name=treated.job.name,
            namespace=treated.job.namespace,
            outcome=treated.outcome.value,
            run=None if treated.run is None else format_run_id(treated.run.run_id),
            code=None if error is None else error.code,
            message=message,
            hint=hint,
        )


class TreatedJobsOut(ApiOutput):
    """What became of each job; `count`: how many were changed."""

    count: int
    items: list[TreatedJobOut]

    @classmethod
    def of(cls, treated: Sequence[TreatedJob], language: Language) -> "TreatedJobsOut":
        done = [one for one in treated if one.outcome is JobOutcome.DONE]
        return cls(count=len(done), items=[TreatedJobOut.of(one, language) for one in treated])
