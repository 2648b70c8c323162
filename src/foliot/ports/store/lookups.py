"""Reads for people beyond plain lists: filtered pages, ledgers, what a run waits for. Never used to decide.

Every list is paged by key and looks at a bounded number of rows for one page, so the last page costs what the first
does. A page may therefore hold fewer items than asked for and still name a next one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, Protocol, TypeVar

from foliot.domain.errors import InvalidInput, NotFound
from foliot.domain.fire import is_backfill, retry_of
from foliot.domain.instants import Instant, Micros
from foliot.domain.job import Lane
from foliot.domain.maintenance import Maintenance
from foliot.domain.run import shown_state
from foliot.domain.why.facts import LimitFacts
from foliot.domain.why.verdicts import HoldKind
from foliot.ports.store.days import CountedLookups
from foliot.ports.store.node_row import NodeRow
from foliot.ports.store.shard_logs import PieceKey, ShardEnd, ShardPiece
from foliot.ports.store.skips import SkipFilter, SkipPage, SkipRow
from foliot.ports.worker_link import LogChunk

if TYPE_CHECKING:
    from foliot.ports.store.changes import Changes
    from foliot.ports.store.glance import Glance

T = TypeVar("T")

TESTED: Final = "test"  # the source of a job that was never saved: somebody tested its definition
RETIRED: Final = "retired"
"""Asked for like a state of a job, in `JobFilter.states`: paused, because no live worker declares it."""


class BadCursor(InvalidInput):
    """A cursor that no list gave out."""

    code = "FOL-1062"

    def __init__(self) -> None:
        super().__init__("The cursor is not one that this list gave out.", hint="begin again without a cursor")


class VersionNotFound(NotFound):
    """The job has no such version."""

    code = "FOL-2004"

    def __init__(self, job: str, version: int) -> None:
        super().__init__(
            f"{job} has no version v{version}.",
            job=job,
            version=version,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing(Generic[T]):
    """One page of a list and the cursor of the next."""

    items: Sequence[T]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LastRun:
    """The newest run of a job, in short."""

    run_id: int
    state: str
    kind: str | None
    created_at: Instant
    started_at: Instant | None
    ended_at: Instant | None
    attempt: int
    cancel_at: Instant | None
    hold: HoldKind | None = None  # where it was asked for

    @property
    def shown(self) -> str:
        """Its state as people see it."""
        return _shown(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRank:
    """How a job's runs went, among the latest of the whole cluster."""

    runs: int
    failed: int
    p95_us: Micros | None  # of how long they took


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """A job as lists and pages show it. `document` is the definition of its present version."""

    job_id: int
    namespace: str
    name: str
    version: int
    hash: str
    source: str
    document: Mapping[str, Any]
    state: str
    next_at: Instant | None
    next_due_at: Instant | None
    remaining: int | None
    created_at: Instant
    updated_at: Instant
    updated_by: str
    paused_at: Instant | None
    paused_until: Instant | None
    pause_reason: str
    trouble: str | None
    paused_by: str | None = None  # not known of a pause by an older Foliot
    last_run: LastRun | None = None
    module: str | None = None  # that declares it in code
    retired_at: Instant | None = None  # paused because no live worker has declared it since
    renamed_to: str | None = None  # of a retired job: the nearest name its module declares
    rank: JobRank | None = None  # in a list sorted by it
    strip: Sequence[LastRun] | None = None  # its latest runs, oldest first, where they were asked for
    is_deleted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFilter:
    """Which jobs to list. An empty field lets everything through."""

    namespace: str | None = None
    states: tuple[str, ...] = ()
    owner: str | None = None
    group: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    text: str = ""  # in name, description or owner
    names: tuple[tuple[str, str], ...] = ()  # (namespace, name): only these jobs
    failing: bool = False  # the last finished run failed
    late: bool = False  # due, and not yet decided for a minute
    strip: int = 0  # how many of the latest runs of each job to read with it
    sort: str = "name"  # or "next"; "fails" and "p95": the worst of the latest runs first, others left out


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    """One version of a job."""

    version: int
    hash: str
    document: Mapping[str, Any]
    created_at: Instant
    created_by: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a running run says it is."""

    done: int
    total: int | None
    note: str
    told_at: Instant  # when its worker said so, by store time


class RunWait(NamedTuple):
    """For what a running run waits without a slot, and since when."""

    what: str  # callback, poll
    since: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A run as the store keeps it, with the names people know it by. Explanations go by `domain.why.facts.RunFacts`."""

    run_id: int
    job_id: int
    namespace: str
    job: str
    version: int
    fire_key: str
    shard: int
    parent_id: int | None
    open_children: int
    due_at: Instant
    not_before: Instant
    lane: int
    catch_up: bool
    is_surplus: bool  # of what its job has waiting beyond its share
    priority: int
    serial: bool
    place: int | None
    parked: bool
    state: str
    kind: str | None
    ver: int
    attempt: int
    failures: int
    deaths: int
    created_at: Instant
    cancel_at: Instant | None
    session: str | None
    node: str | None
    fence: int | None
    leased_at: Instant | None
    started_at: Instant | None
    deadline_at: Instant | None
    ended_at: Instant | None
    triggered_by: str | None
    reason: str | None
    params: str | None
    result: str | None
    error: str | None
    error_type: str | None
    progress: Progress | None = None  # of one that runs and says so, where it is asked for alone
    waits: RunWait | None = None  # of one that runs, where it is asked for alone
    by_callback_at: Instant | None = None  # of one that a callback has ended, where it is asked for alone
    is_pinned: bool = False  # its version was asked for
    is_own: bool = False  # a shard that is one worker's own: no other gets it
    cancelled_by: str | None = None  # the user who asked for it
    cancel_reason: str | None = None
    first_started_at: Instant | None = None  # of one that was tried more than once
    hold: HoldKind | None = None  # of one that is due and waits, where it was asked for
    assigned_to: str | None = None  # of one that waits: the session that its route named, or `*`
    assigned_until: Instant | None = None
    assigned_before: tuple[str, ...] = ()  # sessions that let their time pass

    @property
    def shown(self) -> str:
        """Its state as people see it."""
        return _shown(self)


def first_start_of(run: RunRow) -> Instant | None:
    """When the first attempt of a run started."""
    return run.first_started_at or run.started_at


def start_delay_of(run: RunRow) -> Micros | None:
    """From due to the first start. A retry or a backfill of a run long past is due when a user asks for it."""
    start_at = first_start_of(run)
    if start_at is None:
        return None
    is_of_the_past = retry_of(run.fire_key) is not None or is_backfill(run.fire_key, run.triggered_by)
    return start_at - (run.created_at if is_of_the_past else run.due_at)


def _shown(run: "RunRow | LastRun") -> str:
    is_held = run.hold is not None and run.hold.is_held
    is_asked_to_stop = run.cancel_at is not None
    return shown_state(run.state, attempt=run.attempt, is_held=is_held, is_asked_to_stop=is_asked_to_stop)


def is_sharded(run: RunRow) -> bool:
    """Whether a run stands for its shards: no worker ever had it, and yet it went on."""
    if run.attempt or run.parent_id is not None:  # a shard may end before anybody had it
        return False
    has_ended_itself = run.state == "SUCCEEDED" or (run.state == "FAILED" and run.kind != "rejected")
    return run.open_children > 0 or run.state == "RUNNING" or has_ended_itself


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """Which runs to list; children of sharded runs only when asked for."""

    namespace: str | None = None
    job_ids: tuple[int, ...] = ()  # of any of these jobs; none: of all
    states: tuple[str, ...] = ()  # as stored, or as shown
    kinds: tuple[str, ...] = ()
    since: Instant | None = None  # created not before
    until: Instant | None = None  # created before
    ended_since: Instant | None = None  # over, and not before
    ended_until: Instant | None = None  # over before
    node: str | None = None  # by its name, or one session of it
    labels: Mapping[str, str] = field(default_factory=dict)
    shards: bool = False
    tests: bool | None = None  # only tests, or none of them; None: both


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRow:
    """One try of a run that is over, or the one that is not."""

    attempt: int
    cause: str | None  # None: it runs, or it is the one that ended the run
    node: str | None
    session: str
    fence: int
    leased_at: Instant
    started_at: Instant | None
    ended_at: Instant | None
    error: str | None
    error_type: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerPage:
    """What became of a stretch of a job's instants, with what explains each: read in a few statements for all."""

    now: Instant
    runs: Sequence[RunRow]
    skips: Sequence[SkipRow]
    versions: Mapping[int, VersionRow]  # those of the runs and skips, without the one that is known
    tries: Mapping[int, AttemptRow]  # by run: the newest that ended without success
    shards: Mapping[int, Mapping[str, int]]  # by sharded run: how many are in which state
    waiting: "Mapping[int, Waiting]"  # by pending run
    obstacles: Sequence[RunRow]  # newest first: runs that may have been in the way of a skipped instant
    maintenance: Maintenance | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """What is recorded about one instant of a job."""

    now: Instant
    run: RunRow | None
    skip: SkipRow | None
    version: VersionRow | None  # in force at that instant; None: before the first
    first_version: VersionRow
    ahead: RunRow | None = None  # when the run waits in line: who is in front
    maintenance: Maintenance | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What a waiting run may be waiting for."""

    now: Instant
    ahead: RunRow | None  # the first live run of the job's line, if that is not the run itself
    ahead_count: int  # live runs in front of it, at most 1000
    lane: Lane
    limits: Sequence[LimitFacts]
    maintenance: Maintenance | None = None
    own: Mapping[str, int] = field(
        default_factory=dict
    )  # runs of the job by session, if somebody decides whose each is
    assigned: Mapping[str, int] = field(default_factory=dict)  # and runs of any job that wait for each session
    route_state: str | None = None  # what the route of its job keeps


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRow:
    """The cluster in one row."""

    now: Instant
    epoch: int
    leader: str | None  # name of the node
    leader_session: str | None
    term: int
    leader_until: Instant
    clock_suspect: bool
    store: str
    queue: int  # runs ready or waiting, at most 10 001
    running: int
    oldest_ready_at: Instant | None
    overdue_at: Instant | None  # the earliest wake time that has passed undecided
    clock_ahead_us: Micros | None = None  # while suspect: of the time most servers believe in
    maintenance: Maintenance | None = None
    leader_since: Instant | None = (
        None  # when its term was noted; None: nobody leads, or the note is not there (any more)
    )


class Lookups(CountedLookups, Protocol):
    """What the surfaces for people read."""

    async def now(self) -> Instant: ...

    async def jobs(self, wanted: JobFilter, *, limit: int, cursor: str | None = None) -> Listing[JobRow]: ...

    async def job(
        self, namespace: str, name: str, *, with_last_run: bool = True, with_hold: bool = False, strip: int = 0
    ) -> JobRow:
        """The job, or `JobNotFound` with the nearest name; `with_hold`, `strip`: with more, by more statements."""
        ...

    async def glance(self, namespace: str | None, *, limit: int, only: str | None = None) -> "Glance":
        """What needs somebody, what runs and what comes next: of one namespace, or of all.

        `only`: the one namespace that the reader sees.
        """
        ...

    async def job_ids(self, namespace: str, name: str, *, limit: int) -> Sequence[int]:
        """The jobs that have this name or had it: the present one, those deleted last, those only tested."""
        ...

    async def job_names(self, namespace: str | None, *, limit: int) -> Sequence[tuple[str, str]]:
        """(namespace, name), in order: for completion and did-you-mean."""
        ...

    async def versions(self, job_id: int, *, limit: int, before: int | None = None) -> Sequence[VersionRow]: ...

    async def version(self, job_id: int, version: int) -> VersionRow | None: ...

    async def runs(self, wanted: RunFilter, *, limit: int, cursor: str | None = None) -> Listing[RunRow]: ...

    async def run(self, run_id: int, *, with_hold: bool = False) -> RunRow | None: ...

    async def runs_of(self, run_ids: Sequence[int]) -> Sequence[RunRow]:
        """The runs of these ids, in one read; those that are gone are left out."""
        ...

    async def shards(self, run_id: int, *, limit: int = 10_000, with_holds: bool = False) -> Sequence[RunRow]: ...

    async def attempts(self, run_id: int) -> Sequence[AttemptRow]: ...

    async def logs(self, run_id: int, *, attempt: int | None = None, offset: int = 0) -> Sequence[LogChunk]:
        """A stretch of the log; go on at the end of its last chunk."""
        ...

    async def log_end(self, run_id: int, attempt: int) -> int:
        """How many bytes the log of an attempt goes on for by now; 0: there is none."""
        ...

    async def shard_log_bounds(self, run_id: int) -> tuple[Instant, Instant] | None:
        """When the first and the last piece of the logs of a run's shards were written; None: there is none."""
        ...

    async def shard_log_pieces(
        self, run_id: int, *, attempt: int | None, from_at: Instant, until: Instant, newest: bool, limit: int
    ) -> Sequence[ShardPiece]:
        """The newest or the oldest pieces written in [from, until], in that order; of one instant by run and offset."""
        ...

    async def shard_log_news(
        self, run_id: int, *, attempt: int | None, from_at: Instant, limit: int
    ) -> Sequence[ShardPiece]:
        """The oldest pieces written since an instant, in the order of time. It costs what it finds.

        A transaction that takes longer shows its pieces behind later ones, and those of an older Foliot are not found:
        who must not miss any compares `shard_log_ends` now and then.
        """
        ...

    async def shard_log_ends(self, run_id: int, *, attempt: int | None) -> Sequence[ShardEnd]:
        """How far the log of each shard goes, in the last attempt that wrote. The pieces of one appear in order."""
        ...

    async def shard_log_behind(self, places: Sequence[PieceKey], *, limit: int) -> Sequence[ShardPiece]:
        """The pieces of attempts from an offset on, by run, attempt and offset."""
        ...

    async def shard_log_texts(self, keys: Sequence[PieceKey]) -> Mapping[PieceKey, bytes]:
        """The text of each piece that is there."""
        ...

    async def fired(
        self, job_id: int, *, from_at: Instant, to_at: Instant, limit: int
    ) -> tuple[Sequence[RunRow], Sequence[SkipRow]]:
        """What became of the instants in [from, to): scheduled runs and skips, newest first."""
        ...

    async def skipped(self, wanted: SkipFilter, *, limit: int, before_id: int | None = None) -> SkipPage:
        """The skips of all jobs, the newest first. It looks at a bounded number of rows, so fewer may come."""
        ...

    async def ledger(self, job_id: int, at: Instant) -> Ledger: ...

    async def ledger_since(self, job_id: int, since: Instant, *, known_version: int, limit: int) -> LedgerPage:
        """The newest instants of a job since one that got a run or a skip; the number of statements is bounded.

        `known_version`: the caller has the document of this one.
        """
        ...

    async def waits(self, runs: Sequence[RunRow]) -> Mapping[int, Waiting]:
        """What each of these runs may be waiting for; what they share is read once."""
        ...

    async def nodes(self, *, include_dead_since: Instant | None = None) -> Sequence[NodeRow]: ...

    async def cluster(self) -> ClusterRow: ...

    async def search(self, text: str, *, namespace: str | None, limit: int) -> Sequence[JobRow]: ...

    async def changes(self, *, after_id: int, limit: int) -> "Changes":
        """What moved among runs: those newer than an id, and those that execute now."""
        ...
