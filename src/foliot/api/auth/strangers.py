"""Tokens that this server does not know yet: looked up in turn, and answered slowly when too many are wrong (SEC-32).

Anybody can make up tokens, and each costs a look at the store. So the server looks up few at once, lets addresses take
turns, and answers an address late that sends too many wrong ones. A good token waits in this line once. Then the server
knows it and it never waits again: wrong tokens of the same address do not lock it out. No token counts as wrong because
the store is away.
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
    """Lets requests take turns whose token was not good lately."""

    def __init__(self, clock: Clock, refused: Counter[str]) -> None:
        self._clock = clock
        self._refused = refused
        self._waiting = Shares(WAITING_MAX)
        self._slowed = Shares(SLOWED_MAX)
        self._looks = asyncio.Semaphore(LOOKS_AT_ONCE)
        # One lock for each address. It lives while a request holds it or waits for it, so this table cannot grow.
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._wrong = Tally(clock, window_s=WINDOW_S)

    @asynccontextmanager
    async def turn(self, address: str) -> AsyncIterator[None]:
        """Wait for a turn to look at the store. One request of each address stands in line: a crowd blocks nobody."""
        if not self._waiting.take(address):
            self._refused[STRANGERS] += 1
            raise TooManyRequests(STRANGERS)
        try:
            own_turn = self._turns.get(address) or self._turns.setdefault(address, asyncio.Lock())
            # First the address's own lock, then one of the few looks: an address with many requests uses one place in
            # the line for looks, however many of its requests wait here.
            async with own_turn, self._looks:
                yield
        finally:
            self._waiting.give_back(address)

    async def was_wrong(self, address: str) -> None:
        """Count a wrong token of this address; after too many, wait before the answer."""
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
