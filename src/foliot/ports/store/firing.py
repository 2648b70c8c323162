"""Firing: due instants become runs."""

from dataclasses import dataclass
from typing import Final, Protocol

from foliot.domain.clocks import ClockDoubt
from foliot.domain.fire import Decide
from foliot.domain.instants import MILLISECOND, SECOND, Instant, Micros
from foliot.ports.store.assignment import Routing

OVERDUE_US: Final[Micros] = 500 * MILLISECOND

SILENT_SOON_US: Final[Micros] = 2 * SECOND
"""Longer than from one pulse to the next: who reaps knows of a session before its time is over."""


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
    clock_good_until: Instant | None = None  # while suspect: about the last store time that was right
    heir: str | None = None  # the session somebody wants to lead: whoever leads hands over to it
    failing: bool = False  # some failover is open
    silent: bool = True  # some session is past its time, or will be within `SILENT_SOON_US`
    maintenance_until: Instant = 0  # before then no server decides
    assigned: bool = False  # some run waits for the worker that its route named
    keys_at: Instant | None = None  # runs wait for the rate of their key: then the first of them may start


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
    next_at: Instant | None = None  # the earliest wake time after these; told when fewer were taken than allowed


class FiringStore(Protocol):
    """Due instants become runs, exactly once."""

    @property
    def batches_at_once(self) -> int:
        """How many calls of `decide_due` at the same time are quicker than one after the other."""
        ...

    async def pulse(self) -> Pulse: ...

    async def decide_due(
        self,
        decide: Decide,
        *,
        limit: int,
        waiting: bool = False,
        until: Instant | None = None,
        routing: Routing | None = None,
    ) -> Decided:
        """Take due cursors, read the situation in a second statement, decide, record: one transaction (S1, S2).

        `waiting`: take only cursors that are overdue by `OVERDUE_US`, waiting for their locks.
        `until`: the time to go by instead of a store time that is later (R7).
        `routing`: ask the routes of due jobs at once; None: they are asked when workers ask for runs.
        """
        ...

    async def admit(self, *, limit: int, doubt: ClockDoubt | None = None) -> int:
        """Give due triggers of serial jobs their place in line (R23); how many. `doubt`: the store's clock jumped."""
        ...

    async def unpark(self, *, limit: int, after_job: int = 0) -> tuple[int, int]:
        """Un-park heads of lines and cancel waiting runs that a later one replaces: (changed, last job looked at)."""
        ...

    async def unpark_keyed(self) -> tuple[int, bool]:
        """Un-park runs whose key has tokens of its rate again: (how many, whether there may be more)."""
        ...
