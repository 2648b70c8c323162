"""Claims that wait for a lock at this server. One look at the store serves all of them.

Another server may grant a claim that waits here. It wakes this one when it can; else the next look finds it. A server
at which nobody waits does not look.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from foliot.ports.clock import Clock
from foliot.ports.store.locks import LockAnswer, LockState, LockStore

LOOK_EVERY_S: Final = 0.25
IDLE_REST_S: Final = 3600.0


class _Seat:
    """One claim that waits."""

    __slots__ = ("answer", "event")

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self.answer: LockAnswer | None = None


class LockWaiting:
    """A duty of every server (`ports.lock_desk.LockDesk`)."""

    name = "locks"

    def __init__(self, store: LockStore, *, clock: Clock, tell_others: Callable[[], None]) -> None:
        self.wake = asyncio.Event()
        self._store = store
        self._clock = clock
        self._tell_others = tell_others
        self._seats: dict[str, _Seat] = {}

    async def wait(self, claim: str, *, for_s: float) -> LockAnswer:
        seat = self._seats[claim] = _Seat()
        self.wake.set()  # it may have been granted before it sat down here
        try:
            await self._clock.wait(seat.event, for_s=for_s)
        finally:
            if self._seats.get(claim) is seat:
                del self._seats[claim]
        return seat.answer or LockAnswer(state=LockState.WAITING)

    def granted(self, claims: Sequence[str]) -> None:
        here = [claim for claim in claims if claim in self._seats]
        if here:
            self.wake.set()
        if len(here) < len(claims):
            self._tell_others()

    async def step(self) -> float:
        """Look once for all who wait; return how long to rest."""
        waiting = list(self._seats)
        if not waiting:
            return IDLE_REST_S
        found = await self._store.look(waiting)
        for claim in waiting:
            answer = found.get(claim, LockAnswer(state=LockState.OVER))
            seat = self._seats.get(claim)
            if seat is not None and answer.state is not LockState.WAITING:
                seat.answer = answer
                seat.event.set()
        return LOOK_EVERY_S
