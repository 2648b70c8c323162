"""Locks as the store keeps them: claims that wait and claims that hold (R21).

A claim has an id that its maker chose, so every call may be repeated when its answer was lost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol, TypeAlias

from foliot.domain.deadlocks import Deadlock
from foliot.domain.failover import Detected
from foliot.domain.instants import SECOND, Instant, Micros
from foliot.domain.lock_order import LocksTaken
from foliot.domain.locks import LockClaim, LockGrant

WANTED_US: Final[Micros] = 30 * SECOND
"""How long a waiting claim is believed to be wanted after it was asked for: the caller asks again earlier."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOwner:
    """An attempt of a run that claims a lock."""

    session: str
    run_id: int
    lease_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LockAsk:
    """A claim as it is asked for. Asked again, it goes on from where it is."""

    claim: str
    namespace: str  # of a program's lock; the locks of a run are in the namespace of its job
    name: str
    most: int
    ttl_us: Micros
    waits: bool = True  # False: if it cannot be granted at once, forget it
    run: RunOwner | None = None  # None: a person or a program
    line: str = ""  # of the token that asks: only it renews and releases the claim of a person
    by: str = ""  # for people


@dataclass(frozen=True, slots=True, kw_only=True)
class LockLeave:
    """Claims that are given back, held or waiting. Those of another owner stay as they are."""

    claims: Sequence[str]
    session: str | None = None  # of the worker whose runs have them
    line: str = ""  # without a session: of the token that claimed them
    lock: tuple[str, str] | None = None  # namespace and name of their lock; None: the caller does not know it


LockStep: TypeAlias = LockAsk | LockLeave


class LockState(StrEnum):
    """How far a claim is."""

    HELD = "held"
    WAITING = "waiting"
    TAKEN = "taken"  # another holds the lock, and this claim does not wait
    BROKEN = "broken"  # it was part of a deadlock, and its wait was ended
    FULL = "full"  # too many hold it or wait
    MANY = "many"  # the token or the worker that asks has too many claims
    OVER = "over"  # there is no such claim, or the attempt that asks is over


@dataclass(frozen=True, slots=True, kw_only=True)
class LockAnswer:
    """How far a claim is."""

    state: LockState
    token: int | None = None
    cycle: str = ""  # of a broken one: who waited for whom
    ttl_us: Micros = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LockRound:
    """What became of some steps that were carried out together."""

    answers: Sequence[LockAnswer | None]
    """For each step in turn. None: another decides about its lock just now, so it is to be carried out by itself."""
    granted: Sequence[LockGrant] = ()  # to claims of others


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimShown:
    """A claim for people."""

    id: str
    most: int
    token: int | None
    by: str
    line: str
    run_id: int | None
    job: str | None
    node: str | None
    asked_at: Instant
    granted_at: Instant | None
    until: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class LockShown:
    """A lock with its claims: those that hold it, and those that wait, in their order."""

    namespace: str
    name: str
    token: int  # the highest that was drawn
    holders: Sequence[ClaimShown] = field(default_factory=tuple)
    waiters: Sequence[ClaimShown] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocksSwept:
    """What a round of the sweep did and saw."""

    dropped: int = 0
    woken: Sequence[str] = ()
    waiting: int = 0  # claims that wait


@dataclass(frozen=True, slots=True, kw_only=True)
class LockWaits:
    """Claims of every lock that somebody waits for, and how people call their locks and owners."""

    claims: Sequence[LockClaim]
    locks: dict[int, tuple[str, str]]  # namespace and name
    owners: dict[str, str]  # by the owner of a claim


class LockStore(Protocol):
    """Keeps locks. A decision about a lock first raises its token, so two decisions come one after the other (R1)."""

    async def carry_out(self, steps: Sequence[LockStep], *, patient: bool = True) -> LockRound:
        """Carry out steps of several callers in one transaction, each as if they came one after the other.

        Asking claims a lock: it is held, or the claim waits in its line. A claim that was made before goes on from
        where it is. One call has one answer: a step that is refused changes nothing for the others.

        `patient` False: steps about a lock of which another decides just now are left out, and the others go on.
        """
        ...

    async def look(self, claims: Sequence[str]) -> dict[str, LockAnswer]:
        """How far these claims are. One that is missing is over."""
        ...

    async def renew(self, claims: Sequence[str], *, session: str | None = None, line: str = "") -> Sequence[str]:
        """Let these claims hold for another ttl; return those that do not hold any more.

        `session`: of the worker whose runs hold them; else `line` is that of the token that claimed them.
        """
        ...

    async def take_away(self, namespace: str, name: str, *, token: int) -> tuple[int, Sequence[str]]:
        """End a hold by force: how many claims had this token, and the claims of others that hold the lock now."""
        ...

    async def sweep(self, *, limit: int, term: int | None = None) -> LocksSwept:
        """Drop claims whose time, attempt or session is over, and grant what is free."""
        ...

    async def waits(self) -> LockWaits:
        """Who waits for whom, as of one moment."""
        ...

    async def break_waits(
        self,
        deadlocks: Sequence[tuple[Deadlock, str]],
        *,
        failures: Mapping[str, Detected] | None = None,
        term: int | None = None,
    ) -> tuple[Sequence[str], Sequence[str]]:
        """End the wait of each victim, unless it holds its lock by now.

        `failures`: by the claim of a victim, what is written down of its deadlock, as a failover that is over.

        Return the claims whose wait was ended, and the claims of others that hold their lock since.
        """
        ...

    async def list(self, *, namespace: str | None, after: tuple[str, str], limit: int) -> Sequence[LockShown]:
        """Locks that somebody holds or waits for, behind this namespace and name."""
        ...

    async def find(self, namespace: str, name: str) -> LockShown | None: ...

    async def awaited_by(self, run_id: int) -> Sequence[LockShown]:
        """The locks that a run waits for."""
        ...

    async def orders(self, namespace: str, name: str) -> Sequence[LocksTaken]:
        """Who holds this lock and waits for another, or waits for it and holds another."""
        ...

    async def forget(self, *, before: Instant, limit: int, term: int | None = None) -> int:
        """Delete locks that nobody used since; a later lock of the same name begins above their tokens."""
        ...
