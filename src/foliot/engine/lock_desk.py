"""Claims that wait for a lock at this server. One look at the store serves all of them.

A claim that this server grants itself is answered at once, with its token. Another server may grant a claim that waits
here. It wakes this one and names the claim when it can; else the next look at all of them finds it. A server at which
nobody waits does not look.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final

from foliot.domain.locks import LockGrant
from foliot.engine.lock_groups import LockGroups
from foliot.ports.clock import Clock
from foliot.ports.store.locks import LockAnswer, LockState, LockStore

LOOK_EVERY_S: Final = 0.25
IDLE_REST_S: Final = 3600.0
EARLY_MAX: Final = 200


class _Seat:
    """One claim that waits."""

    __slots__ = ("answer", "event")

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self.answer: LockAnswer | None = None

    def answered(self, answer: LockAnswer) -> None:
        self.answer = answer
        self.event.set()


class LockWaiting:
    """A duty of every server (`ports.lock_desk.LockDesk`)."""

    name = "locks"

    def __init__(self, store: LockStore, *, clock: Clock, tell_others: Callable[[Sequence[str]], None]) -> None:
        """`tell_others`: name claims to the other servers, because they were granted and do not wait here."""
        self.wake = asyncio.Event()
        self._store = store
        self._clock = clock
        self._tell_others = tell_others
        self._seats: dict[str, _Seat] = {}
        self._named: set[str] = set()  # claims that wait here and may be granted
        # The last claims that were named and did not wait here, with their tokens if this server granted them.
        self._early: OrderedDict[str, int | None] = OrderedDict()
        self._all_at = 0.0  # when to look at all
        self.carry_out = LockGroups(store, clock=clock, on_granted=self._granted_here).carry_out

    @property
    def parked(self) -> int:
        """How many requests wait here."""
        return len(self._seats)

    async def wait(self, claim: str, *, for_s: float) -> LockAnswer:
        if not self._seats:  # the duty rests for long
            self._all_at = self._clock.monotonic() + LOOK_EVERY_S
            self.wake.set()
        seat = self._seats[claim] = _Seat()
        if claim in self._early:  # it was granted while its answer was on the way here
            self._tell(claim, self._early.pop(claim))
        try:
            await self._clock.wait(seat.event, for_s=for_s)
        finally:
            if self._seats.get(claim) is seat:
                del self._seats[claim]
        return seat.answer or LockAnswer(state=LockState.WAITING)

    def granted(self, claims: Sequence[str]) -> None:
        elsewhere = [claim for claim in claims if not self.heard(claim)]
        if elsewhere:
            self._tell_others(elsewhere)

    def _granted_here(self, grants: Sequence[LockGrant]) -> None:
        """A step that this server carried out granted these claims."""
        elsewhere = [claim for claim, token in grants if not self._tell(claim, token)]
        if elsewhere:
            self._tell_others(elsewhere)

    def heard(self, claim: str) -> bool:
        """Look at a claim that may be granted, if it waits here; return whether it does."""
        return self._tell(claim, None)

    def _tell(self, claim: str, token: int | None) -> bool:
        """Answer a claim that waits here, if its token is known; else look at it. Return whether it waits here."""
        seat = self._seats.get(claim)
        if seat is None:
            self._early[claim] = token
            if len(self._early) > EARLY_MAX:
                self._early.popitem(last=False)
            return False
        if token is not None:
            seat.answered(LockAnswer(state=LockState.HELD, token=token))
            return True
        self._named.add(claim)
        self.wake.set()
        return True

    def look_at_all(self) -> None:
        """Some claims were granted, nobody knows which."""
        self._all_at = 0.0
        self.wake.set()

    async def step(self) -> float:
        """Look once, at all who wait or at those that were named; return how long to rest."""
        if not self._seats:
            self._named.clear()
            return IDLE_REST_S
        now = self._clock.monotonic()
        if now >= self._all_at:
            self._all_at = now + LOOK_EVERY_S
            await self._look(list(self._seats))
        elif self._named:
            await self._look(list(self._named))
        return max(0.0, self._all_at - self._clock.monotonic())

    async def _look(self, waiting: Sequence[str]) -> None:
        self._named.difference_update(waiting)
        found = await self._store.look(waiting)
        for claim in waiting:
            answer = found.get(claim, LockAnswer(state=LockState.OVER))
            seat = self._seats.get(claim)
            if seat is not None and answer.state is not LockState.WAITING:
                seat.answered(answer)
