"""What the leader needs of the store for its rounds of alerts: few statements while nothing is wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from foliot.domain.alerts.decision import Decision, KnownAlert
from foliot.domain.anomalies.anomaly import AnomalyKind, Facts
from foliot.domain.instants import Instant, Micros
from foliot.domain.policies.alert import AlertPolicy
from foliot.ports.store.heartbeats import WatchedCheck

LIVE_MAX: Final = 500
"""Jobs with late or slow runs that one look brings."""


class AlertMarks(NamedTuple):
    """How far rules, silences, channels and the wishes of jobs are. Equal marks: nothing of it changed."""

    rules: tuple[int, int]
    silences: tuple[int, int]
    channels: tuple[int, int]
    jobs: tuple[int, int]  # the second: when the newest was saved


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureSeen:
    """A run that failed for good, and whose sign nobody took yet."""

    run_id: int
    job_id: int
    at: Instant
    kind: str
    error_type: str
    error: str
    node: str  # that had it last; empty: none


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRuns:
    """Runs of one job that wait, or that run, for too long."""

    job_id: int
    is_running: bool
    run_id: int  # the oldest
    runs: int
    since: Instant  # when the oldest was to start, or started
    is_parked: bool  # an earlier run of the job is before it
    is_assigned: bool  # it waits for one worker


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectJob:
    """A job as rules ask of it."""

    job_id: int
    name: str
    namespace: str
    group: str
    tags: Mapping[str, str]
    is_deleted: bool


class AnomalySeen(NamedTuple):
    """A job differs from what is usual for it, and this goes on."""

    job: SubjectJob
    kind: AnomalyKind
    began_at: Instant
    facts: Facts


class CheckDown(NamedTuple):
    """A check of something outside of Foliot that is down."""

    id: int
    seen: WatchedCheck


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundLook:
    """What one look brought."""

    now: Instant
    marks: AlertMarks
    signs: Sequence[FailureSeen] = ()
    known: Sequence[KnownAlert] = ()
    live: Sequence[LiveRuns] = ()
    down: Sequence[CheckDown] = ()  # at most `DOWN_MAX`
    in_maintenance: bool = False


class FailureQuestion(NamedTuple):
    """How many runs of a job failed: among its last ones, or within a time."""

    job_id: int
    of_last: int  # 0: within the time
    within_us: Micros


class EndedLately(NamedTuple):
    """What the statistics of the last hour say: of one job, or of all."""

    job: tuple[str, str] | None  # namespace and name; None: all jobs together
    succeeded: int
    failed: int
    retries: int
    delay_max_us: Micros  # the longest wait for a start


class JobPolicy(NamedTuple):
    """What the present version of a job asks for."""

    job_id: int
    namespace: str
    policy: AlertPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertsRecorded:
    """How a round landed. Not `is_kept`: another leader, or a person, was quicker, and nothing was written."""

    is_kept: bool
    ids: Mapping[str, int] = field(default_factory=dict)  # of alerts, by key


class AlertRoundStore(Protocol):
    """Reads for a round of alerts, and the one transaction that writes it. `now`: store time, as the round read it."""

    async def look(self, *, asks_jobs: bool, signs_max: int) -> RoundLook:
        """One statement says what there is to read; the others are asked for that alone.

        `asks_jobs`: some job wants to hear of late or slow runs.
        """
        ...

    async def live(self, *, late_us: Micros | None, slower_us: Micros | None) -> Sequence[LiveRuns]:
        """Runs of any job that wait or run for longer."""
        ...

    async def undecided(self) -> Sequence[LiveRuns]:
        """Jobs whose next instant is late by what they allow, and nobody has decided it. `run_id` is 0."""
        ...

    async def jobs(self, job_ids: Sequence[int]) -> Mapping[int, SubjectJob]: ...

    async def silent(self, *, for_us: Micros, now: Instant) -> Sequence[tuple[int, Instant | None]]:
        """Active jobs older than that without a success for so long, and when the last one was, if that is known."""
        ...

    async def anomalies(self, *, limit: int) -> Sequence[AnomalySeen]:
        """Anomalies that go on, of jobs that are there; the oldest first. One statement."""
        ...

    async def failures(self, asked: Sequence[FailureQuestion]) -> Mapping[FailureQuestion, int]:
        """How many failed, for each question."""
        ...

    async def percentiles(
        self, job_ids: Sequence[int], *, since: Instant, now: Instant
    ) -> Mapping[int, Mapping[int, Micros]]:
        """What runs of these jobs take, by the statistics: by job, by percentile. Jobs with few runs are left out."""
        ...

    async def ended_lately(self, names: Sequence[str], *, now: Instant) -> Sequence[EndedLately]:
        """What ended in the last hour: of all jobs, and of those with these names in any namespace."""
        ...

    async def policies(self) -> Sequence[JobPolicy]:
        """What every job asks for."""
        ...

    async def repair_policies(self, *, after: int, window: int, term: int) -> int | None:
        """Write what servers of an older Foliot did not, for some jobs by id; where to go on, None: that was all."""
        ...

    async def acted_lately(self, rules: Sequence[str]) -> Mapping[str, int]:
        """How often Foliot did something by itself in the last hour, by rule."""
        ...

    async def record(self, decision: Decision, *, signs: Sequence[int], term: int) -> AlertsRecorded:
        """Write a round as one: signs taken away, alerts and what they touch, notices, the journal."""
        ...

    async def forget(self, *, before: Instant, limit: int, term: int) -> int:
        """Delete alerts that were resolved before an instant, silences that ended before it, signs nobody took."""
        ...
