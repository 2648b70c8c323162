"""Checks of jobs outside of Foliot in the store: what people define, and what was heard."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from foliot.domain.heartbeats.check import CheckState, CheckTrouble, HeartbeatCheck, PingKind
from foliot.domain.heartbeats.life import Heard, Ping, state_of, trouble_of
from foliot.domain.instants import Instant, Micros
from foliot.ports.store.actor import Actor

CHECKS_MAX: Final = 5000
PINGS_KEPT: Final = 100
"""The last pings of a check that are kept."""
DOWN_MAX: Final = 1000
"""Checks that one round of alerts sees down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedCheck:
    """A check and what was heard of it, at an instant of store time."""

    check: HeartbeatCheck
    heard: Heard
    is_paused: bool
    created_at: Instant
    updated_at: Instant
    updated_by: str
    reason: str
    now: Instant

    @property
    def state(self) -> CheckState:
        return state_of(self.heard, self.now, is_paused=self.is_paused)

    @property
    def trouble(self) -> CheckTrouble | None:
        return trouble_of(self.heard, self.now)


@dataclass(frozen=True, slots=True, kw_only=True)
class PingRow:
    """A ping that came. `number`: the how-manieth of its check."""

    number: int
    at: Instant
    kind: PingKind
    text: str
    exit_code: int | None
    took_us: Micros | None  # of an end whose start was heard of
    by: str


class HeartbeatStore(Protocol):
    """Keeps checks. Their state follows from store time; no statement is made when it changes by itself."""

    async def list(self, *, namespace: str | None) -> Sequence[WatchedCheck]:
        """By namespace and name; None: of every namespace."""
        ...

    async def find(self, name: str, *, namespace: str) -> WatchedCheck | None: ...

    async def save(self, check: HeartbeatCheck, *, by: Actor) -> WatchedCheck:
        """Keep it as its next version; `CheckChanged` when its version is not the present one any more."""
        ...

    async def remove(self, name: str, *, namespace: str, by: Actor) -> bool:
        """Forget it and its pings; whether it was there."""
        ...

    async def pause(self, name: str, *, namespace: str, is_paused: bool, by: Actor) -> WatchedCheck | None:
        """Wait for it no more, or again. Repeats are harmless. None: there is no such check."""
        ...

    async def ping(self, name: str, *, namespace: str, ping: Ping, by: str) -> WatchedCheck | None:
        """Write what was heard, guarded by the number of pings so far. None: there is no such check."""
        ...

    async def excuse(self, unheard: Sequence[tuple[Instant, Instant]], *, term: int) -> Sequence[int]:
        """Wait anew for the checks whose ping may have come in these times, in which nobody could hear it.

        Guarded by the number of pings. The ids of those checks; none when all of that is known already.
        """
        ...

    async def pings(self, name: str, *, namespace: str, limit: int) -> Sequence[PingRow]:
        """The last ones, newest first."""
        ...
