"""Tokens that nobody knows yet: looked up in turn, and slowly answered when they are wrong too often (SEC-32).

Anybody can make up tokens, and each costs a look at the store. So few are looked up at once, each address has its turn
after the others', and who sends wrong ones too often waits for the answer. A good token waits in the same line once, is
known then, and never waits again: wrong ones of the same address do not lock it out. A store that is away makes nobody
wrong.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from weakref import WeakValueDictionary

from foliot.api.auth.tally import Tally
from foliot.api.errors import TooManyRequests
from foliot.domain.shares import Shares
from foliot.ports.clock import Clock

LOOKS_AT_ONCE: Final = 2
WAITING_MAX: Final = 512
WRONG_MAX: Final = 10
WINDOW_S: Final = 60.0
SLOW_S: Final = 1.0
SLOWED_MAX: Final = 128
STRANGERS: Final = "strangers"
WRONG_TOKENS: Final = "wrong_tokens"


class Strangers:
    """Whoever comes with a token that was not good lately."""

    def __init__(self, clock: Clock, refused: Counter[str]) -> None:
        self._clock = clock
        self._refused = refused
        self._waiting = Shares(WAITING_MAX)
        self._slowed = Shares(SLOWED_MAX)
        self._looks = asyncio.Semaphore(LOOKS_AT_ONCE)
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._wrong = Tally(clock, window_s=WINDOW_S)

    @asynccontextmanager
    async def turn(self, address: str) -> AsyncIterator[None]:
        """A turn to look something up. One of each address stands in line, so that none waits behind a crowd."""
        if not self._waiting.take(address):
            self._refused[STRANGERS] += 1
            raise TooManyRequests(STRANGERS)
        try:
            turns = self._turns.get(address) or self._turns.setdefault(address, asyncio.Lock())
            async with turns, self._looks:
                yield
        finally:
            self._waiting.give_back(address)

    async def was_wrong(self, address: str) -> None:
        """A token of this address was wrong: after too many, the answer takes its time."""
        self._wrong.add(address)
        if self._wrong.count(address) <= WRONG_MAX:
            return
        self._refused[WRONG_TOKENS] += 1
        if not self._slowed.take(address):
            raise TooManyRequests(WRONG_TOKENS)
        try:
            await self._clock.wait(asyncio.Event(), for_s=SLOW_S)
        finally:
            self._slowed.give_back(address)
