"""Runs, from the trigger to the end."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol, TypeAlias

from foliot.domain.clocks import ClockDoubt
from foliot.domain.errors import Conflict, InvalidInput
from foliot.domain.health import USUAL_RULES, HealthRules
from foliot.domain.instants import Instant, Micros
from foliot.domain.policies.windows import StandsFor
from foliot.domain.run import Landing, format_run_id
from foliot.domain.verdict import Judge
from foliot.ports.store.actor import Actor
from foliot.ports.store.assignment import AskRoute, Assigned
from foliot.ports.store.nodes import GRACE_US, SESSION_TTL_US
from foliot.ports.worker_link import Leased, LogChunk, Report

Reckon: TypeAlias = Callable[[], Instant]
"""What store time can be at most at this moment, as a server reckons it. The store may ask in a thread of its own."""


NAMES_TOLD: Final = 20
"""An event or a refusal names so many workers at most."""


class BadTrigger(InvalidInput):
    """A trigger that asks for something that cannot be."""

    code = "FOL-1021"


class WorkersGone(Conflict):
    """No worker whose shard of a broadcast failed is there to execute it again."""

    code = "FOL-3081"

    def __init__(self, run_id: int, workers: Sequence[str]) -> None:
        shown, names = format_run_id(run_id), some_of(workers)
        super().__init__(
            f"No worker whose shard of {shown} failed is live and fits now: {names}.",
            hint=f"run it again as a whole, for the workers of now: foliot run retry {shown}",
            run=shown,
            workers=names,
        )


def some_of(names: Sequence[str]) -> str:
    """These names in one line, as many as somebody reads."""
    more = len(names) - NAMES_TOLD
    return ", ".join(names[:NAMES_TOLD]) + (f" (+{more})" if more > 0 else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerRequest:
    """Ask for one run of a job now or later. `operations.trigger` checks it; the store asserts that."""

    namespace: str
    job: str
    by: Actor
    key: str = ""  # idempotency key; the operation draws one for a request that has none
    params: str | None = None  # of the run, as JSON text; None: those of the definition
    at: Instant | None = None  # or `delay_us`, not both
    delay_us: Micros | None = None
    allow_overlap: bool = False
    priority: int | None = None
    version: int | None = None  # a retry of an earlier run keeps its version; None: the present one
    due_at: Instant | None = None  # and its nominal instant, which the handler gets; None: when it may start
    keeps_shards_of: int | None = None  # a sharded run that is over: its shards that succeeded count as done
    is_test: bool = False  # a user tests the job: one attempt, in no statistics, and no fire is skipped for it
    asked: str | None = None  # a hash of what its user wrote, kept with the key where triggers share a run
    trace: str = ""  # the traceparent of what caused it, for the worker; empty: nobody's trace did
    is_drawn: bool = False  # the server drew the key: nobody else knows it


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggered:
    """The run of a trigger; `created` False: it was there, and stands for the trigger."""

    run_id: int
    created: bool
    not_before: Instant
    stands_for: StandsFor | None = None  # why, when it was there
    asked: str | None = None  # of a repeat: what the first trigger with the key asked; None: not kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Poll:
    """One worker's parked poll, as leasing sees it."""

    session: str
    request_no: int
    free: int
    lanes: Sequence[int]
    free_in_warning: int | None = None  # of `free`, when the session is in that band; None: all
    repeat: bool = False
    namespace: str | None = None  # the only one its session serves; None: every
    offer_hash: str | None = None  # of the offers that `lanes` are made of; None: not known, and not compared
    is_routed: bool = False  # routes assign runs in some of its lanes


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """What a leasing transaction did."""

    now: Instant
    grants: tuple[Leased, ...]  # what each poll gets, in the order of the polls
    more: bool  # the batch was full: there may be more to lease at once
    changed: frozenset[str] = frozenset()  # sessions that offer something else by now: they got nothing by old lanes
    is_beyond: bool = False  # store time was later than `not_after`: nothing was leased
    waits_us: tuple[Micros, ...] = ()  # of each run leased now: since it may start
    longest_wait: tuple[int, Micros] | None = None  # the run that waited longest
    again_at: Instant | None = None  # a rate is used up: it lets the next run start then


class CancelOutcome(StrEnum):
    """How a cancel landed."""

    ENDED = "ended"  # it was waiting and is CANCELLED now
    ASKED = "asked"  # it is running and its worker will be asked to stop
    FINAL = "final"  # it was over already


class RunStore(Protocol):
    """From PENDING to the end."""

    async def trigger(self, request: TriggerRequest) -> Triggered:
        """Make the run, or find that of the key. `QueueFull` when the job may not have another that waits."""
        ...

    async def lease(
        self,
        polls: Sequence[Poll],
        *,
        limit: int,
        not_after: Reckon | None = None,
        doubt: ClockDoubt | None = None,
        health: HealthRules = USUAL_RULES,
    ) -> Granted:
        """Once for all parked polls: due runs by rank, serial and limits respected, marked RUNNING (design §4).

        `not_after`: when store time is later, nothing is leased: the clock may just have jumped. It is asked after
        store time was read, so that no wait for a connection, a lock or another try counts. `doubt`: it jumped (R7).
        `health`: when a session whose last beat is old gets less or nothing.
        """
        ...

    async def assign(
        self,
        ask: AskRoute,
        *,
        lanes: Sequence[int],
        limit: int,
        again: bool = False,
        doubt: ClockDoubt | None = None,
        health: HealthRules = USUAL_RULES,
    ) -> Assigned:
        """Ask the routes of ready runs in these lanes for which worker each is meant, in one transaction.

        `again`: first take back what is meant for a worker that let its time pass, drains or is gone.
        `doubt`: what is thought of the store's clock (R7).
        """
        ...

    async def complete(
        self,
        session: str,
        reports: Sequence[Report],
        judge: Judge,
        *,
        owner: str | None = None,
        heard_at: float | None = None,
        on_room: Callable[[], None] = lambda: None,
    ) -> Sequence[Landing]:
        """Record how attempts ended, with every follow-up, in one transaction; one landing per report.

        `session`: known to be the speaker's own; empty: none is. A report counts when its lease is of that session, or
        of another with the same `owner`: a worker that was restarted reports for its last session, too (R17).
        `heard_at`: when the reports came in, by the monotonic clock of this process; None: now. How long ago a run
        started counts from then.
        `on_room`: called when it is recorded, if other runs waited for these ends or may have: the next of a line, or
        runs that a limit held up.
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
        silent: bool = True,
        strays: bool = True,
    ) -> int:
        """Declare silent sessions dead (with amnesty, R8) and resolve their runs; how many runs moved.

        `silent`: look for sessions that fell silent. `strays`: look for runs also of sessions that died earlier (a
        lease that was under way then, or more than the limit).
        """
        ...

    async def end_orphans(
        self, *, limit: int, term: int, grace_us: Micros = GRACE_US, session_ttl_us: Micros = SESSION_TTL_US
    ) -> int:
        """End shards of broadcasts, FAILED/lost, whose own worker drains, is gone or cannot execute them; how many.

        A worker that changed what it offers has as long to offer the handler again as a silent one has to speak.
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

    async def forget(self, *, before: Instant, after_id: int, limit: int, term: int | None = None) -> tuple[int, int]:
        """Delete runs that ended before an instant, walking ids upwards: (deleted, last id looked at or 0 at the end).

        One step deletes or walks over only so many; whoever goes on from that id comes to the end. R12.
        """
        ...

    async def recount_limits(self, *, term: int | None = None) -> int:
        """Watchdog: set each limit's `used` to what is really running; how many were off."""
        ...

    async def write_logs(
        self, session: str, chunks: Sequence[LogChunk], *, owner: str | None = None
    ) -> Sequence[Landing]:
        """Append to the logs of attempts; who may is decided as in `complete`."""
        ...
