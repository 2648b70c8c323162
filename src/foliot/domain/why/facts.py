"""What is known when a user asks why: the operation gathers it, `explanation` judges it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from foliot.domain.health import BandCause
from foliot.domain.instants import Instant, Micros
from foliot.domain.job import Lane
from foliot.domain.maintenance import Maintenance
from foliot.domain.routing.reasons import RouteReason
from foliot.domain.routing.wishes import Wishes
from foliot.domain.run import RunState
from foliot.domain.schedule import Schedule
from foliot.domain.skips import SkipCause
from foliot.domain.why.verdicts import HoldKind, WhyVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """A run as explanations need it.

    A type beside `ports.store.lookups.RunRow`, for two reasons: the domain does not know what a store returns, and an
    explanation needs more than a row has (the last try, states of shards, the version it keeps) and little of what it
    has: the id as people write it, one line of the error, no parameters and no result.
    """

    id: str
    job: str
    state: RunState
    kind: str | None
    due_at: Instant
    created_at: Instant
    not_before: Instant
    leased_at: Instant | None
    started_at: Instant | None
    ended_at: Instant | None
    cancel_at: Instant | None
    attempt: int
    deaths: int
    node: str | None
    error: str | None
    is_scheduled: bool
    is_backfill: bool
    is_in_line: bool  # False: a trigger for later that has no place yet
    catch_up: bool
    triggered_by: str | None
    reason: str | None
    retry_of: str | None = None  # the run that it runs again
    is_test: bool = False
    is_surplus: bool = False  # its job has more waiting than its share
    cancelled_by: str | None = None
    cancel_reason: str | None = None
    isolation: str | None = None  # what its job asks for
    debounce: str | None = None  # the quiet time that it waits for, when triggers are collected
    waits_for: str | None = None  # of one that waits for another system: callback, poll
    waits_since: Instant | None = None
    by_callback: bool = False  # a callback ended its last attempt
    last_try: "TryFacts | None" = None  # the newest try that ended without success
    shards: Mapping[str, int] = field(default_factory=dict)  # of a sharded run: how many are in which state
    shard: int | None = None  # of a part of one: which; None with a parent: the merge
    is_own: bool = False  # a shard that was for one worker alone
    parent: str | None = None
    kept: "KeptFacts | None" = None  # of one that waits with an older version than its job has
    lock: "LockWaitFacts | None" = None  # of one that runs: the lock that its code waits for
    went: "WentFacts | None" = None  # of one that a worker has or had: how it came there, if its job has a route


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFacts:
    """A waiting run keeps a version that is not its job's newest."""

    version: int
    newest: int
    reason: str  # one of `domain.edits.Keeps`; begun: the run was tried before


@dataclass(frozen=True, slots=True, kw_only=True)
class LockWaitFacts:
    """A lock that a run waits for, and who holds it."""

    name: str
    since: Instant
    ahead: int  # claims that wait before it
    holder: str | None = None
    holder_run: str | None = None
    token: int | None = None
    held_since: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TryFacts:
    """A try that ended without success."""

    attempt: int
    cause: str
    node: str | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerFacts:
    """A live worker."""

    name: str
    group: str
    handlers: frozenset[str]
    labels: Mapping[str, str]
    slots: int
    running: int
    is_draining: bool
    cause: BandCause | None = None  # why it gets less work or none


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitFacts:
    """A limit of a lane, and how much of it is taken."""

    name: str
    max: int
    used: int
    takes: int = 1  # of it by a run of the lane
    is_kept: bool = False  # for a run of another lane, which needs more than there is
    rate: str | None = None  # so many starts in a time
    next_in_us: Micros | None = None  # the rate is used up: it lets the next run start then
    said: str | None = None  # of a limit by key: the value
    holder: int | None = None  # of a limit by key: a run that has it
    full_on: int | None = None  # of a limit by worker: workers that have as many runs of the job as may be

    @property
    def free(self) -> int:
        """How much of it is left."""
        return max(0, self.max - self.used)

    @property
    def holds_up(self) -> bool:
        """Whether a run of the lane waits for it."""
        return self.is_kept or self.free < self.takes or self.next_in_us is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateFacts:
    """A worker that a route may choose, and what routes go by."""

    name: str
    slots: int
    running: int
    weight: int
    load: float | None  # of its machine
    is_in_warning: bool
    score: float | None = None  # what the route compares; None: it compares none
    is_chosen: bool = False
    cause: BandCause | None = None  # why
    preferred: int = 0  # the sum of the weights that it meets
    is_avoided: bool = False
    part: str | None = None  # its value of the label that runs are spread over, with the label
    own: int = 0  # runs of the job that workers with this value have
    waiting: int = 0  # other runs that are meant for it and wait
    pace_us: Micros | None = None  # of a route that goes by it: how long the job takes there of late


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteFacts:
    """What the route of a waiting run said, and between whom it chooses."""

    name: str
    worker: str | None  # the run is meant for it; `*`: for anyone that fits; None: the route was not asked yet
    until: Instant | None
    before: Sequence[str]  # workers that let their time pass
    candidates: Sequence[CandidateFacts]
    wishes: Wishes = field(default_factory=Wishes)
    reason: RouteReason | None = None  # why it named this worker
    is_broadcast: bool = False  # no route chooses: each of the candidates gets a shard


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveFacts:
    """A move of a job by the figures of two workers."""

    before: str
    at: Instant
    score_before: float | None
    score_after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WentFacts:
    """By which route a run came to its worker."""

    route: str
    before: Sequence[str] = ()  # workers that had let their time pass
    moved: MoveFacts | None = None  # how its job came to that worker, where the route tells of it


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFacts:
    """What a waiting run may wait for."""

    lane: Lane
    overlap: str
    ahead: RunFacts | None = None
    ahead_count: int = 0
    limits: Sequence[LimitFacts] = ()
    workers: Sequence[WorkerFacts] = ()
    maintenance: Maintenance | None = None
    route: RouteFacts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipFacts:
    """A range of instants that got no run."""

    from_at: Instant
    to_at: Instant
    count: int
    reason: str
    why: str
    cause: SkipCause
    decided_at: Instant
    overlap: str
    open_run: RunFacts | None = None  # for an overlap: who was in the way


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFacts:
    """The job, its schedule then, and where its cursor stands now."""

    name: str
    created_at: Instant
    schedule: Schedule | None  # of the version in force at the instant asked about
    state: str
    next_due_at: Instant | None
    remaining: int | None
    paused_at: Instant | None
    paused_until: Instant | None
    pause_reason: str
    trouble: str | None
    servers_alive: int
    paused_by: str | None = None
    retired_at: Instant | None = None  # paused because no live worker has declared it since
    module: str | None = None
    renamed_to: str | None = None
    maintenance: Maintenance | None = None  # of the cluster, now


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """An instant of the job before or after the one asked about, and what became of it."""

    at: Instant
    run: RunFacts | None = None
    skip_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InstantFacts:
    """Everything about one instant of a job."""

    at: Instant
    now: Instant
    job: JobFacts
    run: RunFacts | None = None
    queue: QueueFacts | None = None  # when the run waits
    skip: SkipFacts | None = None
    first: Neighbour | None = None  # the job's first instant
    before: Neighbour | None = None
    after: Neighbour | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """What a waiting run waits for."""

    kind: HoldKind
    held_us: Micros = 0
    ahead: RunFacts | None = None
    ahead_for_us: Micros | None = None
    overlap: str = ""
    handler: str = ""
    group: str = ""
    needs: Sequence[tuple[str, str]] = ()
    online: int = 0
    fitting: int = 0
    nearest: tuple[str, str] | None = None  # handler, worker
    limit: LimitFacts | None = None
    slots: int = 0
    running: int = 0
    strained: Sequence[tuple[str, BandCause]] = ()  # of the workers that can run it, those that get less work, and why
    maintenance: Maintenance | None = None
    route: RouteFacts | None = None  # of a job with a route


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The answer: a verdict, and all it rests on. The room `words` says it in a language."""

    verdict: WhyVerdict
    now: Instant
    at: Instant | None = None
    job: str = ""
    run: RunFacts | None = None
    hold: Hold | None = None
    skip: SkipFacts | None = None
    facts: JobFacts | None = None
    first: Neighbour | None = None
    before: Neighbour | None = None
    after: Neighbour | None = None
    late_us: Micros | None = None
    is_range: bool = False  # about all the instants of its skip, not about one of them
    since: Instant | None = None  # of an answer about a job as a whole: from when on it was asked about
