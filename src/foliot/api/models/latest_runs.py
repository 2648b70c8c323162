"""A job's latest runs as JSON: the newest, a strip of them, and how they went."""

from collections.abc import Sequence

from pydantic import Field

from foliot.api.models.common import ApiOutput, Moment, Seconds, moment, seconds
from foliot.api.models.states import RunWord, ShownWord
from foliot.domain.instants import Micros
from foliot.domain.run import format_run_id
from foliot.domain.statistics.sketch import percentile
from foliot.ports.store.lookups import JobRow, LastRun


class LastRunOut(ApiOutput):
    """One of a job's latest runs that are no tests, in short."""

    id: str
    state: RunWord
    shown: ShownWord = Field(description="The state as people see it.")
    kind: str | None = None
    created_at: Moment
    ended_at: Moment | None = None
    duration_s: Seconds | None = None

    @classmethod
    def of_job(cls, job: JobRow) -> "LastRunOut | None":
        return None if job.last_run is None else cls.of(job.last_run)

    @classmethod
    def of(cls, run: LastRun) -> "LastRunOut":
        return cls(
            id=format_run_id(run.run_id),
            state=run.state,
            shown=run.shown,
            kind=run.kind,
            created_at=moment(run.created_at) or "",
            ended_at=moment(run.ended_at),
            duration_s=seconds(_took(run)),
        )


class RankOut(ApiOutput):
    """How a job's runs went, among the latest 10 000 of the cluster; tests do not count."""

    runs: int
    failed: int
    p95_s: Seconds | None = Field(description="95 of 100 took no longer.")

    @classmethod
    def of_job(cls, job: JobRow) -> "RankOut | None":
        rank = job.rank
        if rank is None:
            return None
        return cls(runs=rank.runs, failed=rank.failed, p95_s=seconds(rank.p95_us))


class StripRunOut(ApiOutput):
    """One of a job's latest runs, as a bar shows it; a page has thousands. `GET /runs?job=` tells more."""

    id: str
    shown: ShownWord = Field(description="The state as people see it.")
    duration_s: Seconds | None

    @classmethod
    def of(cls, run: LastRun) -> "StripRunOut":
        return cls(id=format_run_id(run.run_id), shown=run.shown, duration_s=seconds(_took(run)))


class StripOut(ApiOutput):
    """A job's latest runs, oldest first, and figures of those that succeeded or failed."""

    runs: list[StripRunOut]
    p50_s: Seconds | None = Field(description="Half of them took no longer.")
    p95_s: Seconds | None = Field(description="95 of 100 took no longer.")
    success_rate: float | None

    @classmethod
    def of(cls, runs: Sequence[LastRun]) -> "StripOut":
        ended = [run for run in runs if run.state in ("SUCCEEDED", "FAILED")]
        took = [took for took in map(_took, ended) if took is not None]
        succeeded = sum(run.state == "SUCCEEDED" for run in ended)
        return cls(
            runs=[StripRunOut.of(run) for run in runs],
            p50_s=seconds(percentile(took, 0.5)),
            p95_s=seconds(percentile(took, 0.95)),
            success_rate=succeeded / len(ended) if ended else None,
        )


def _took(run: LastRun) -> Micros | None:
    return run.ended_at - run.started_at if run.ended_at and run.started_at else None
