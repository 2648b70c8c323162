"""Coordination: which server bids for the next term, and how servers wake each other.

A backend makes elections quick and orderly, never safe. Whatever it chooses, the term is drawn from the store's row by
a guarded update (R16): a backend that is wrong or away grants nothing and keeps nothing (R15).

A backend beside the store lets only the server that it chose bid. When it has been silent for as long as a term lasts,
or the store's row has been free for two such times, `may_bid` says yes to everybody: the row decides among them.
"""

from dataclasses import dataclass
from typing import Final, Protocol

from foliot.domain.instants import Instant, Micros
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.store.nodes import NodeStore, Term
from foliot.ports.wakeups import Wakeups

ELECTION: Final = "election"
"""The topic of a wake-up that a coordinator sends to its own server: ask it again who may bid and how it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ElectionTimes:
    """How long a term lasts unless it is renewed, and how long a session lives (R8 goes by it)."""

    term_us: Micros
    session_us: Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class ElectionParts:
    """What a backend is made of: the store's row, the wake-ups that the store's database can send, if any, and time."""

    terms: NodeStore
    times: ElectionTimes
    wakeups: Wakeups | None
    clock: Clock
    chance: Chance


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderRow:
    """Who leads by the store's row, as this server saw it last."""

    session: str | None
    until: Instant
    now: Instant  # store time as this server reckons it


@dataclass(frozen=True, slots=True, kw_only=True)
class CoordinatorHealth:
    """How a backend beside the store is, as one server sees it."""

    is_up: bool  # it answered within the last term
    is_chosen: bool  # it chose this server
    latency_s: float | None  # of its last answer
    outages: int  # how often it has been silent for longer than a term
    silent_s: float = 0.0  # since its last answer

    def as_load(self) -> dict[str, float]:
        """As a part of what a server's beat says of its load, so that every server can show it."""
        load = {"coordinator_up": float(self.is_up), "coordinator_outages": float(self.outages)}
        if not self.is_up:
            load["coordinator_silent_s"] = round(self.silent_s, 3)
        if self.latency_s is not None:
            load["coordinator_latency_s"] = round(self.latency_s, 6)
        return load


class Coordinator(Wakeups, Protocol):
    """Holds elections among servers. It also carries their wake-ups, which tell when an election may be due."""

    def may_bid(self, session: str, row: LeaderRow | None) -> bool:
        """Whether this server should bid now. `row` None: nothing is known of it yet.

        A guess that saves statements and keeps servers out of each other's way; `campaign` decides.
        """
        ...

    def heir(self, session: str) -> str | None:
        """The session of another server that is to lead instead of this leader; None: this one is right."""
        ...

    def health(self) -> CoordinatorHealth | None:
        """How the backend is; None: there is none beside the store."""
        ...

    async def campaign(self, session: str) -> Term | None:
        """Win the next term, or renew the one that this session holds; None: another holds it."""
        ...

    async def transfer(self, heir: str, *, session: str, term: int) -> int | None:
        """Hand over to a live server's session, under the next term; the caller no longer trusts its own (I10).

        None: `session` does not hold this term any more, or the heir is not there.
        """
        ...

    async def resign(self, session: str, *, term: int) -> None:
        """Give the term up at once: the next campaign of another server wins (R18)."""
        ...

    def withdraw(self) -> None:
        """Be no candidate any more, until this server asks whether it may bid. It may be said again and again."""
        ...


class MakeCoordinator(Protocol):
    """How a backend is made.

    `url`: as the user wrote it (`--coord`). It is named by its scheme alone in whatever is shown.
    """

    def __call__(self, parts: ElectionParts, *, url: str) -> Coordinator: ...
