"""The store: the one truth. Claims and outcomes, not rows.

Each method is one transaction (or a bounded series of them) in store time. Stores keep, they never decide: where a
policy is needed the caller hands in a pure function that runs inside the transaction. Every write is guarded (R1) and
says how it landed. An answer that was lost raises `OutcomeUnknown`: repeat the same call (R5). A store that cannot be
reached raises `StoreUnavailable`; a tick given up after R3's retries raises `StoreBusy`, nothing changed.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Protocol

from foliot.domain.errors import ClusterTrouble, Unanswered
from foliot.domain.fire import Decide
from foliot.domain.instants import SECOND, Instant, Micros
from foliot.domain.job import Definition, Lane, LoadedJob
from foliot.domain.limits import LimitChange
from foliot.domain.run import Landing
from foliot.domain.verdict import Judge
from foliot.ports.rescheduling import AheadJob, Rescheduled
from foliot.ports.worker_link import Beat, BeatAnswer, Hello, LeasedRun, Leaving, LogChunk, Report

GRACE_US: Final[Micros] = 2 * SECOND
SESSION_TTL_US: Final[Micros] = 15 * SECOND


class DataRefused(Exception):
    """The store takes no such data, such as text with the character NUL. Nothing of the call was kept."""


class StoreUnavailable(Unanswered):
    """The store cannot be reached or is not writable."""


class StoreBusy(ClusterTrouble):
    """Locks, pool or time limits did not let this transaction through; nothing changed."""

    code = "FOL-5011"


class OutcomeUnknown(StoreUnavailable):
    """The answer to a commit was lost: it may or may not have happened."""

    code = "FOL-5012"


# ---------------------------------------------------------------------------------------------------------- firing


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """What one cheap statement says about everything (R24)."""

    now: Instant
    next_at: Instant | None  # the earliest wake time of an active cursor
    ready: bool  # some run may be leased now
    parked: bool  # some run is parked behind another
    admissible: bool  # some trigger for later of a serial job is due now
    epoch: int
    leader: str | None
    term: int
    leader_until: Instant
    clock_suspect: bool
    lanes: int  # highest lane id: when it rises, learn the new ones
    clock_ahead_us: Micros | None = None  # while suspect: so far ahead of the time most believe in; None: unknown
    heir: str | None = None  # the session somebody wants to lead: whoever leads hands over to it


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What a firing transaction did."""

    now: Instant
    taken: int  # cursors taken
    created: int
    skipped: int  # instants, not rows
    duplicates: int = 0  # runs that were there already: the old row was kept
    troubled: tuple[int, ...] = ()  # jobs whose plan could not be made
    lateness_us: tuple[Micros, ...] = ()  # of each run created: now − wake time
    lowest_at: Instant | None = None  # least next_at seen, the next scan's lower bound (R9)


class FiringStore(Protocol):
    """Due instants become runs, exactly once."""

    async def pulse(self) -> Pulse: ...

    async def decide_due(
        self,
        decide: Decide,
        *,
        limit: int,
        low: Instant | None = None,
        waiting: bool = False,
        until: Instant | None = None,
    ) -> Decided:
        """Take due cursors, read the situation in a second statement, decide, record: one transaction (S1, S2).

        `low`: lower bound of the scan. `waiting`: take only cursors overdue by 0.5 s, waiting for their locks.
        `until`: the time to go by instead of a store time that is later (R7).
        """
        ...

    async def admit(self, *, limit: int) -> int:
        """Give due triggers of serial jobs their place in line (R23); how many."""
        ...

    async def unpark(self, *, limit: int, after_job: int = 0) -> tuple[int, int]:
        """Un-park heads of lines and cancel waiting runs that a later one replaces: (changed, last job looked at)."""
        ...


# ------------------------------------------------------------------------------------------------------------ jobs


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who asks, and why."""

    name: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRecord:
    """A job as the store knows it."""

    job_id: int
    namespace: str
    name: str
    version: int
    hash: str
    definition: Definition
    state: str
    next_at: Instant | None
    next_due_at: Instant | None
    created_at: Instant
    updated_at: Instant
    paused_until: Instant | None = None
    pause_reason: str = ""
    trouble: str | None = None
    source: str = ""  # "code", "file", "api"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is asked of a job before its definition is replaced."""

    source: str  # who wrote its present version: "code", "file", "api"
    group: str


class SaveOutcome(StrEnum):
    """How a definition landed."""

    CREATED = "created"
    CHANGED = "changed"
    SAME = "same"


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A saved definition."""

    outcome: SaveOutcome
    job: JobRecord


class JobStore(Protocol):
    """Definitions and their cursors. An edit, pause or resume first decides the past under the old version."""

    async def save(
        self,
        namespace: str,
        name: str,
        definition: Definition,
        *,
        by: Actor,
        decide: Decide,
        expected_version: int | None = None,
        create: bool = True,
        source: str = "api",
        allow: Callable[[Standing], None] | None = None,
        check_limit: Callable[[LimitChange], None] | None = None,
    ) -> Saved:
        """Create the job or add a version (same hash: nothing changes, but what code declares is of source "code").

        `expected_version` 0: must not exist; n: must be at version n, else `VersionConflict` (A3); None: no matter.
        `allow` is asked with the job as it is before a version is added, and raises to refuse.
        `check_limit` is asked for each named limit whose maximum the save would change, and raises to refuse.
        """
        ...

    async def pause(
        self, namespace: str, name: str, *, by: Actor, decide: Decide, until: Instant | None = None
    ) -> JobRecord: ...

    async def resume(
        self, namespace: str, name: str, *, by: Actor, decide: Decide, catch_up: bool = False
    ) -> JobRecord:
        """Paused time becomes one `paused` skip, unless `catch_up`: then the misfire policy decides it."""
        ...

    async def delete(self, namespace: str, name: str, *, by: Actor, decide: Decide) -> None:
        """Soft: definitions and history stay, the name is free again.

        What waits ends CANCELLED, at once or (when the store fails) soon; what is in progress finishes.
        """
        ...

    async def reschedule(self, namespace: str, name: str, *, decide: Decide, dry_run: bool = False) -> Rescheduled:
        """Decide what is due; then let the cursor go on at the first instant to come, where it stands further ahead.

        What was decided early, for instants to come, is taken back. `dry_run`: only say what that would do.
        """
        ...

    async def ahead(self, namespace: str, *, after: int = 0, limit: int) -> tuple[Sequence[AheadJob], int | None]:
        """Of the next `limit` jobs those that stand ahead of their schedules; where to go on, None at the end."""
        ...

    async def farthest_ahead(self, *, limit: int) -> Sequence[AheadJob]:
        """Of the `limit` jobs whose next fire is farthest those that stand ahead of their schedules."""
        ...

    async def find(self, namespace: str, name: str) -> JobRecord:
        """The job, or `JobNotFound` with the nearest name."""
        ...

    async def unknown_of(self, namespace: str, names: Collection[str], *, count_max: int) -> tuple[frozenset[str], int]:
        """Which of these names no job has; if any, how many jobs of the namespace code declared, to `count_max`."""
        ...

    async def load(self, keys: Sequence[tuple[int, int]]) -> Sequence[LoadedJob]:
        """Compiled versions by (job_id, version), through the cache."""
        ...

    async def lanes(self, *, after: int = 0) -> Mapping[int, Lane]:
        """Lanes with an id above `after`."""
        ...

    async def repair(self, *, limit: int) -> int:
        """Watchdog: a fixed-delay cursor with no next instant and no live scheduled run gets one."""
        ...


# ------------------------------------------------------------------------------------------------------------ runs


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerRequest:
    """Ask for one run of a job now or later."""

    namespace: str
    job: str
    key: str  # idempotency key; a fresh token when the caller has none
    by: Actor
    params: str | None = None  # JSON text, already validated
    at: Instant | None = None
    delay_us: Micros | None = None
    allow_overlap: bool = False
    priority: int | None = None
    version: int | None = None  # a retry of an earlier run keeps its version; None: the present one
    due_at: Instant | None = None  # and its nominal instant, which the handler gets; None: when it may start


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggered:
    """The run of a trigger; `created` False: the key was used before and this is its run."""

    run_id: int
    created: bool
    not_before: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Poll:
    """One worker's parked poll, as leasing sees it."""

    session: str
    request_no: int
    free: int
    lanes: Sequence[int]
    repeat: bool = False
    namespace: str | None = None  # the only one its session serves; None: every


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What one poll gets."""

    session: str
    request_no: int
    runs: tuple[LeasedRun, ...] = ()
    dead: bool = False
    draining: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """What a leasing transaction did."""

    now: Instant
    grants: tuple[Grant, ...]
    more: bool  # the batch was full: there may be more to lease at once


class CancelOutcome(StrEnum):
    """How a cancel landed."""

    ENDED = "ended"  # it was waiting and is CANCELLED now
    ASKED = "asked"  # it is running and its worker will be asked to stop
    FINAL = "final"  # it was over already


class RunStore(Protocol):
    """From PENDING to the end."""

    async def trigger(self, request: TriggerRequest) -> Triggered: ...

    async def lease(self, polls: Sequence[Poll], *, limit: int) -> Granted:
        """Once for all parked polls: due runs by rank, serial and limits respected, marked RUNNING (design §4)."""
        ...

    async def complete(
        self, session: str, reports: Sequence[Report], judge: Judge, *, owner: str | None = None
    ) -> Sequence[Landing]:
        """Record how attempts ended, with every follow-up, in one transaction; one landing per report.

        `session`: known to be the speaker's own; empty: none is. A report counts when its lease is of that session, or
        of another with the same `owner`: a worker that was restarted reports for its last session, too (R17).
        """
        ...

    async def own_leases(self, session: str, leases: Sequence[tuple[int, str]], *, owner: str | None) -> frozenset[str]:
        """Those of the leases (run and lease id) of which `complete` would hear this session and owner."""
        ...

    async def cancel(self, run_ids: Sequence[int], *, by: Actor, force: bool = False) -> Sequence[CancelOutcome]:
        """End what waits, ask what runs to stop. `force`: its time is over now, so that it is ended without asking."""
        ...

    async def reap(
        self,
        judge: Judge,
        *,
        limit: int,
        term: int,
        grace_us: Micros = GRACE_US,
        session_ttl_us: Micros = SESSION_TTL_US,
        strays: bool = True,
    ) -> int:
        """Declare silent sessions dead (with amnesty, R8) and resolve their runs; how many runs moved.

        `strays`: also of sessions that died earlier (a lease that was under way then, or more than the limit).
        """
        ...

    async def time_out(
        self,
        judge: Judge,
        *,
        limit: int,
        term: int,
        grace_us: Micros = GRACE_US,
        session_ttl_us: Micros = SESSION_TTL_US,
        until: Instant | None = None,
    ) -> int:
        """End or return runs whose deadline passed by store time, or that were not started in time.

        A start counts as missing when a beat that came after its deadline says so; or when no beat told anything of
        the run for a session's time. `until`: the time to go by instead of a store time that is later (R7).
        """
        ...

    async def forget(self, *, before: Instant, after_id: int, limit: int) -> tuple[int, int]:
        """Delete runs that ended before an instant, walking ids upwards: (deleted, last id looked at or 0 at the end).

        One step deletes or walks over only so many; whoever goes on from that id comes to the end. R12.
        """
        ...

    async def recount_limits(self) -> int:
        """Watchdog: set each limit's `used` to what is really running; how many were off."""
        ...

    async def write_logs(
        self, session: str, chunks: Sequence[LogChunk], *, owner: str | None = None
    ) -> Sequence[Landing]:
        """Append to the logs of attempts; who may is decided as in `complete`."""
        ...


# ----------------------------------------------------------------------------------------------------------- nodes


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """Leadership: a number that only rises, trusted until store time `until` (the holder trusts less, R16)."""

    number: int
    until: Instant
    now: Instant


class NodeStore(Protocol):
    """Sessions of servers and workers, and who leads."""

    async def register(self, hello: Hello, *, kind: str, ttl_us: Micros) -> Instant:
        """A new session, live until now + ttl; returns store time. Again: the same session says so of itself anew.

        `ForeignSession` when it is of another kind or owner: it stays as it is. `TooManySessions` when it would be one
        more of its owner than there may be.
        """
        ...

    async def hello_of(self, session: str) -> Hello | None:
        """What a worker's live session said of itself, so that any server can serve it."""
        ...

    async def adopt(self, session: str, *, owner: str) -> bool:
        """A worker's session that began before owners were recorded becomes this one's; False: it is another's."""
        ...

    async def beat(self, beat: Beat, *, ttl_us: Micros, judge: Judge) -> BeatAnswer:
        """Renew the session, note starts, adopt what the worker does not know; say what to stop."""
        ...

    async def undrain(self, session: str) -> bool:
        """Let a session that was asked to drain take work again; False: it was not asked to, it drains by itself."""
        ...

    async def wish(self, heir: str, *, ttl_us: Micros) -> None:
        """Somebody wants this session to lead: the pulse tells everybody for so long, and whoever leads hands over."""
        ...

    async def appoint(self, heir: str, *, session: str, term: int, ttl_us: Micros) -> int | None:
        """The leader of this term, which it no longer trusts, hands over to a live server's session, under the next.

        None: it does not lead any more, or the heir is not there.
        """
        ...

    async def drain(self, session: str, *, by: Actor) -> bool:
        """Ask a session to take no more work."""
        ...

    async def leave(self, leaving: Leaving, judge: Judge) -> int:
        """End a session in peace; what it holds goes back without a death. How many runs.

        An at-most-once run goes back only if it was certainly never started (S7); else it ends FAILED/lost.
        """
        ...

    async def campaign(self, session: str, *, ttl_us: Micros, session_ttl_us: Micros = SESSION_TTL_US) -> Term | None:
        """Take or renew leadership (R16); None: another holds it. The winner's tick (R8) is written with it."""
        ...

    async def resign(self, session: str, *, term: int) -> None: ...

    async def report_clock(
        self, session: str, *, ahead_us: Micros | None, offset_us: Micros | None = None, suspect: bool = False
    ) -> bool:
        """A server's reckoning of how far store time has run ahead; whether the store's clock is suspect now (R7).

        `ahead_us` None: it has its lead from the store, and saw no step. `offset_us`: how far its wall clock is ahead
        of store time; None: as it said before. `suspect`: it goes by a clock that was flagged; if it no longer is,
        somebody trusted it meanwhile, and the lead counts for nothing.
        """
        ...


# --------------------------------------------------------------------------------------------------------- queries


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of a list and the cursor of the next."""

    items: Sequence[Mapping[str, Any]]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """Which runs to list."""

    namespace: str | None = None
    job: str | None = None
    states: tuple[str, ...] = ()
    since: Instant | None = None
    until: Instant | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


class Queries(Protocol):
    """Reads for people: lists and details. Never used to decide."""

    async def list_jobs(self, namespace: str | None, *, limit: int, cursor: str | None = None) -> Page: ...

    async def list_runs(self, wanted: RunFilter, *, limit: int, cursor: str | None = None) -> Page: ...

    async def run(self, run_id: int) -> Mapping[str, Any] | None: ...

    async def attempts(self, run_id: int) -> Sequence[Mapping[str, Any]]: ...

    async def skips(
        self, job_id: int, *, from_at: Instant, to_at: Instant, limit: int
    ) -> Sequence[Mapping[str, Any]]: ...

    async def nodes(self) -> Sequence[Mapping[str, Any]]: ...

    async def logs(self, run_id: int, *, attempt: int | None = None, offset: int = 0) -> Sequence[LogChunk]: ...


class Store(Protocol):
    """All of it."""

    @property
    def firing(self) -> FiringStore: ...
    @property
    def jobs(self) -> JobStore: ...
    @property
    def runs(self) -> RunStore: ...
    @property
    def nodes(self) -> NodeStore: ...
    @property
    def queries(self) -> Queries: ...

    async def close(self) -> None: ...
