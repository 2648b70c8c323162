"""What a worker and a server say to each other, in process or over HTTP.

The worker dials out. A *request* to lease is numbered by the worker, rising within its session; `settled = n` means:
each request up to n was answered or given up, and a later answer to it will be dropped. That and the leases named in
each beat are enough for the store to know which runs the worker has (guarantees R5, adopt).

Messages are msgspec structures: every run passes through here as several of them, and they cost a fraction of a
dataclass to make, to write and to read. What has its usual value is left out of what is sent.

What workers send is bounded where it is decoded: no number or name is beyond what the store can keep. What a run left
(its result, error, checkpoint, progress) is checked for itself, so that one bad run does not spoil a whole message.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, Protocol

import msgspec

from foliot.domain.drills import DrillNote, DrillOrder
from foliot.domain.handler import KIND_BYTES_MAX, kind_of
from foliot.domain.instants import Instant, Micros
from foliot.domain.run import Landing
from foliot.domain.sources import MODULE_MAX
from foliot.domain.texts import LABEL_BYTES_MAX, NAME_BYTES_MAX, OFFER_BYTES_MAX, SESSION_BYTES_MAX
from foliot.domain.verdict import Cause

SLOTS_MAX: Final = 100_000
WEIGHT_MAX: Final = 100
SESSIONS_MAX: Final = 5000  # live ones of a token, and of those that took its place

Small = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
Whole = Annotated[int, msgspec.Meta(ge=0, le=2**53)]  # numbers that rise by one, and microseconds
Signed = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]
SessionId = Annotated[str, msgspec.Meta(min_length=1, max_length=SESSION_BYTES_MAX, pattern=r"\A[!-~]+\Z")]
LeaseId = Annotated[str, msgspec.Meta(max_length=SESSION_BYTES_MAX)]  # compared, never kept
ONE_LINE: Final = r"\A[^\x00-\x1f\x7f]*\Z"  # people see it in lists and logs
Label = Annotated[str, msgspec.Meta(max_length=LABEL_BYTES_MAX, pattern=ONE_LINE)]
ModuleName = Annotated[str, msgspec.Meta(max_length=MODULE_MAX, pattern=ONE_LINE)]
KindWord = Annotated[str, msgspec.Meta(min_length=1, max_length=KIND_BYTES_MAX, pattern=ONE_LINE)]
VERSION_MAX: Final = 100
PackageWord = Annotated[str, msgspec.Meta(max_length=VERSION_MAX, pattern=ONE_LINE)]
WaitWord = Annotated[str, msgspec.Meta(max_length=20, pattern=r"\A[a-z_]+\Z")]
HANDLERS_MAX: Final = 10_000
KINDS_MAX: Final = 100
SCHEMA_BYTES_MAX: Final = 64 * 1024  # of one handler's parameters, or one kind's options
SCHEMAS_BYTES_MAX: Final = 4 * 1024 * 1024  # of all of a session
FAILURE_MAX: Final = 500  # characters
OFFERS_BYTES_MAX: Final = 64 * 1024 * 1024  # of a token's live sessions that offer much; the same offer counts once
OFFERS_BYTES_FEW: Final = 16 * 1024  # a session that says no more of its handlers always has room
DECLARED_MAX: Final = 20_000
DOCUMENT_MAX: Final = 256 * 1024
MODULES_MAX: Final = 20_000
HELD_MAX: Final = 2 * SLOTS_MAX
BATCH_MAX: Final = 10_000
DRILLS_MAX: Final = 9
LOCKS_MAX: Final = BATCH_MAX  # claims of one worker: a beat names them all


class HandlerOffer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A handler this worker can run."""

    name: Annotated[str, msgspec.Meta(max_length=OFFER_BYTES_MAX, pattern=ONE_LINE)]  # "python:jobs:tick"
    parameters: Mapping[str, Any] | None = None  # JSON Schema
    code_hash: Annotated[str, msgspec.Meta(max_length=200, pattern=ONE_LINE)] = ""


class KindOffer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A kind of handler that this worker has, as its package states it."""

    kind: KindWord
    version: PackageWord = ""
    options: Mapping[str, Any] | None = None  # JSON Schema of a job's options; None: the kind says nothing of them


class KindFailure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An installed package whose kind of handler this worker could not load."""

    kind: KindWord
    package: PackageWord = ""
    version: PackageWord = ""
    why: Annotated[str, msgspec.Meta(max_length=FAILURE_MAX, pattern=ONE_LINE)]


class StatedKinds(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a session says of its kinds of handlers. Workers with the same packages say the same."""

    loaded: tuple[KindOffer, ...] = ()
    failed: tuple[KindFailure, ...] = ()


NO_KINDS: Final = StatedKinds()


def stated_kinds(loaded: tuple[KindOffer, ...], failed: tuple[KindFailure, ...], offers: Iterable[str]) -> StatedKinds:
    """What a session says of its kinds. An older worker says nothing of them: its offers tell which it has."""
    if not loaded:
        words = dict.fromkeys(map(kind_of, offers))
        loaded = tuple(KindOffer(kind=word) for word in words)
    return StatedKinds(loaded=loaded, failed=failed)


class DeclaredJob(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A job that the worker's code declares: its definition document as JSON text."""

    namespace: Annotated[str, msgspec.Meta(max_length=NAME_BYTES_MAX)]
    name: Annotated[str, msgspec.Meta(max_length=1000)]
    document: Annotated[str, msgspec.Meta(max_length=DOCUMENT_MAX)]
    module: ModuleName = ""  # the one that was loaded, and declared it; empty: an older worker does not say


PROTOCOL: Final = 6
"""What this version speaks. It rises with what a node must know before it is used. docs/reference/compatibility.md."""
PROTOCOL_MAINTENANCE: Final = 2  # servers know maintenance
PROTOCOL_DRAINED_SERVER: Final = 3  # a server that is drained rests
PROTOCOL_ROUTES: Final = 4  # servers know routes, and the wishes of jobs
PROTOCOL_WEIGHTS: Final = 5  # servers know runs that take more than one of a limit
PROTOCOL_RATES: Final = 6  # servers know rates, limits of groups and namespaces, and limits by worker and by key


class Hello(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A worker session introduces itself."""

    session: SessionId
    name: Annotated[str, msgspec.Meta(max_length=NAME_BYTES_MAX, pattern=ONE_LINE)]
    group: Annotated[str, msgspec.Meta(max_length=100, pattern=ONE_LINE)]
    slots: Annotated[int, msgspec.Meta(ge=0, le=SLOTS_MAX)]
    weight: Annotated[int, msgspec.Meta(ge=1, le=WEIGHT_MAX)] = 1  # its share of work beside other workers
    handlers: Annotated[tuple[HandlerOffer, ...], msgspec.Meta(max_length=HANDLERS_MAX)]
    kinds: Annotated[tuple[KindOffer, ...], msgspec.Meta(max_length=KINDS_MAX)] = ()  # of `handlers`
    failed_kinds: Annotated[tuple[KindFailure, ...], msgspec.Meta(max_length=KINDS_MAX)] = ()
    labels: Annotated[Mapping[Label, Label], msgspec.Meta(max_length=50)] = msgspec.field(default_factory=dict)
    version: Annotated[str, msgspec.Meta(max_length=50, pattern=ONE_LINE)] = ""
    protocol: Small = 1  # one that does not say it speaks the first
    pid: Small = 0
    host: Annotated[str, msgspec.Meta(max_length=200, pattern=ONE_LINE)] = ""
    up_us: Whole = 0  # how long its process is up
    jobs: Annotated[
        tuple[DeclaredJob, ...], msgspec.Meta(max_length=DECLARED_MAX)
    ] = ()  # declared in the worker's code; saved with source "code"
    # Users' own modules that it has loaded, all of them without a problem: what they declare is in `jobs`.
    modules: Annotated[tuple[ModuleName, ...], msgspec.Meta(max_length=MODULES_MAX)] = ()
    takes_over: bool = False  # jobs that live workers of another module declare
    drills: Annotated[tuple[WaitWord, ...], msgspec.Meta(max_length=DRILLS_MAX)] = ()  # that it takes part in
    # By its token or its server; what the worker says of these does not count.
    address: str = ""  # of a server: where workers reach it
    namespace: str | None = None  # the only one it serves
    owner: str | None = None  # the line of the token that began it
    offer_hash: str | None = None  # of `handlers`, as the store keeps it: another one there says that they changed


class Welcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the server wants of the session."""

    session_ttl_us: Micros
    beat_every_us: Micros
    margin_us: Micros
    store_now: Instant
    refused: tuple[str, ...] = ()  # declared jobs that could not be saved, each with its reason
    warned: tuple[str, ...] = ()  # declared jobs that were saved and may not work, each with its reason
    again_after_us: Micros = 0  # ask again then: workers of another module may have gone; 0: no need to
    taken_over: Mapping[str, str] = msgspec.field(default_factory=dict)  # jobs, and the module each was of until now


class LeasePoll(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Ask for work: one long poll."""

    session: SessionId
    request_no: Whole
    free: Small  # no more than its slots count
    settled: Whole
    wait_us: Whole
    repeat: bool = False  # this request_no was sent before and its answer lost
    taken: Small | None = None  # slots that are; None: an older worker does not say, and all but `free` are
    ahead: Small = 0  # at-least-once runs it would take on top of `free`: its runs are short and slots free up quickly


class LeasedRun(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A run in a worker's hands: all it needs to execute it."""

    run_id: int
    job_id: int
    namespace: str
    job: str
    version: int
    handler: str  # the offer that its lane needs
    options: str | None = None  # of the handler, as JSON text; None: the offer says everything
    params: str | None = None  # JSON text, checked before it was stored
    attempt: int
    lease_id: str
    fence: int
    due_at: Instant
    leased_at: Instant
    timeout_us: Micros | None = None
    grace_us: Micros = 10_000_000
    at_most_once: bool = False
    exclusive: bool = False
    isolation: str | None = None
    shard: int = -1
    shards: int = 0
    checkpoint: str | None = None
    reason: str = ""
    tz: str = ""  # of the job's schedule; empty: it has none, and the handler's own counts
    # A traceparent. The server: of the trigger that made the run. The worker, where it sends traces: of the handler.
    trace: str = ""


class Leased(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answer to a poll; empty when nothing fitting came up in time."""

    request_no: int
    runs: tuple[LeasedRun, ...] = ()
    dead: bool = False  # the session is over by store time: stop everything, register anew
    draining: bool = False  # no more work for this session
    hurry: bool = False  # somebody asked a run to stop: beat now, the answer says which


class HeldLease(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A lease the worker knows and whose end is not yet acknowledged."""

    run_id: Whole
    lease_id: LeaseId
    started_us_ago: Whole | None = None  # None: not started yet
    progress: str | None = None  # JSON: done, total, note
    checkpoint: str | None = None
    waits_for: WaitWord | None = None  # it waits for somebody else, and takes no slot meanwhile: callback, poll
    waits_us_ago: Whole = 0


class Beat(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A sign of life; carries everything the store must know of the session."""

    session: SessionId
    beat_no: Whole  # rising; an older beat that arrives late changes nothing
    settled: Whole
    held: Annotated[tuple[HeldLease, ...], msgspec.Meta(max_length=HELD_MAX)]
    load: Annotated[Mapping[Label, float], msgspec.Meta(max_length=50)] = msgspec.field(default_factory=dict)
    draining: bool = False
    syncing: bool = False  # it has not asked for work yet
    clock_offset_us: Signed | None = None  # its wall clock is so far ahead of store time; None: not measured
    locks: Annotated[tuple[SessionId, ...], msgspec.Meta(max_length=LOCKS_MAX)] = ()  # claims that its runs hold
    drill: Whole = 0  # that it is ready to begin, or that is over; 0: none
    drill_over: bool = False
    drill_noticed_us: Whole | None = None  # how long after its beginning the node itself noticed what was broken


def drill_fields(note: DrillNote | None) -> dict[str, Any]:
    """What a beat says of a drill, as its fields."""
    if note is None:
        return {}
    return {"drill": note.id, "drill_over": note.over, "drill_noticed_us": note.noticed_us}


class BeatAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the store says back."""

    alive: bool  # False: the session is dead by store time; kill handlers, register anew
    cancel: tuple[str, ...] = ()  # lease ids asked to stop
    kill: tuple[str, ...] = ()  # of these, the ones to end at once, without asking
    invalid: tuple[str, ...] = ()  # lease ids that are no longer this session's: stop them, report nothing
    draining: bool = False
    store_now: Instant = 0  # for comparing clocks; 0: not said
    declare: bool = False  # declare the jobs again, in this session: the workers that some of them belong to are gone
    lost: tuple[str, ...] = ()  # claims that do not hold their lock any more
    health: str = ""  # the session's band, ONLINE or WARNING; empty: a server that knows no bands
    servers: tuple[str, ...] = ()  # where live servers are reached; empty: they do not advertise
    slots: Small | None = None  # for so many it gets runs, in that band
    renewed: tuple[str, ...] = ()  # claims that hold for another ttl; a server that knows no locks names none
    drill: DrillOrder | None = None  # what the node is asked to do to itself
    drill_begin: int = 0  # the drill that it may begin now
    role: str | None = None  # of a server's own session


class Report(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """How one attempt ended, by its worker."""

    run_id: Whole
    lease_id: LeaseId
    cause: Cause
    result: str | None = None  # JSON text
    error: str | None = None
    error_type: str | None = None
    started_us_ago: Whole | None = None  # from the sending of this report
    took_us: Whole | None = None
    checkpoint: str | None = None
    job: Annotated[str, msgspec.Meta(max_length=200)] = ""  # its name, for whoever watches


class Leaving(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A session ends in order. It names what it still has in hand; of a settled request it has nothing else.

    So a run that was leased into its last poll and never reached it goes back, an at-most-once one too: its worker says
    that it has not started it and will not.
    """

    session: SessionId
    settled: Whole | None = None  # None: an older worker does not say which polls it gave up
    held: Annotated[tuple[HeldLease, ...], msgspec.Meta(max_length=HELD_MAX)] = ()


class LogChunk(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Lines a run wrote, in order; `offset` is where the chunk begins, so a repeat is recognised."""

    run_id: Whole
    lease_id: LeaseId
    attempt: Small
    offset: Whole
    text: str


class CallbackAsked(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt wants an address where another system says how its work ended. Asked again: the first is void."""

    session: SessionId
    run_id: Whole
    lease_id: LeaseId


class CallbackAddress(msgspec.Struct, frozen=True, kw_only=True):
    """Where that system calls, and its one-time token."""

    url: str  # a path alone where no server knows under which address others reach it
    token: str


class LockAsked(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An attempt claims a lock. Asked again with the same claim, it goes on from where it is."""

    session: SessionId
    run_id: Whole
    lease_id: LeaseId
    namespace: Annotated[str, msgspec.Meta(max_length=NAME_BYTES_MAX)]
    name: Annotated[str, msgspec.Meta(max_length=NAME_BYTES_MAX)]
    claim: SessionId
    ttl_us: Whole
    wait_us: Whole = 0  # how long the server may hold the answer
    shared: bool = False
    slots: Small = 1
    queues: bool = True  # False: when the lock is taken, do not wait in line


class LockAnswered(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How far a claim is (`ports.store.locks.LockState`)."""

    state: str
    token: int | None = None
    cycle: str = ""  # of a broken one: who waited for whom
    ttl_us: Micros = 0  # how long it holds without a beat


class LocksLeft(msgspec.Struct, frozen=True, kw_only=True):
    """Claims that runs of a session give back."""

    session: SessionId
    claims: Annotated[tuple[SessionId, ...], msgspec.Meta(max_length=BATCH_MAX)]


class WorkerLink(Protocol):
    """The server, seen from a worker. Each call may be repeated when its answer was lost."""

    async def register(self, hello: Hello) -> Welcome: ...

    async def lease(self, poll: LeasePoll) -> Leased: ...

    async def complete(self, session: str, reports: Sequence[Report]) -> Sequence[Landing]: ...

    async def write_logs(self, session: str, chunks: Sequence[LogChunk]) -> None: ...

    async def open_callback(self, asked: CallbackAsked) -> CallbackAddress: ...

    async def claim_lock(self, asked: LockAsked) -> LockAnswered:
        """One long poll for a lock."""
        ...

    async def leave_locks(self, left: LocksLeft) -> None: ...

    async def leave(self, leaving: Leaving) -> None:
        """The session is over: whatever it still holds goes back at once."""
        ...

    def beat(self, beat: Beat) -> BeatAnswer:
        """Blocking: beats live in a thread of their own, with a connection of their own."""
        ...

    async def close(self) -> None: ...
