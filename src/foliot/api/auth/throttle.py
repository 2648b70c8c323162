"""Wrong login codes, by address: after some in a minute, the next must wait (SEC-08).

A client that guesses must not lock others out. Many users may share an address (a proxy, an office), so the server does
not shut out an address with too many wrong codes: it looks at one code of it every few seconds. The same wrong code
again is no further guess, and the server does not look it up again.
"""

import math
from collections import OrderedDict
from typing import Final, TypeVar

from foliot.api.auth.tally import Tally
from foliot.domain.access import BadLoginCode, TooManyTries
from foliot.operations.tokens import hash_of
from foliot.ports.clock import Clock

TRIES_MAX: Final = 10
WINDOW_S: Final = 60.0
SLOW_EVERY_S: Final = 3.0
REMEMBERED_MAX: Final = 10_000

Value = TypeVar("Value")


class Throttle:
    """Counts wrong codes of this server."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._wrong = Tally(clock, window_s=WINDOW_S)
        self._wrong_codes: OrderedDict[str, None] = OrderedDict()  # digests; a wrong code never becomes right
        self._next_at: OrderedDict[str, float] = OrderedDict()  # of slow addresses

    def check(self, address: str, code: str) -> None:
        """`TooManyTries` while it is not this address's turn; `BadLoginCode` for one that was wrong before."""
        if hash_of(code) in self._wrong_codes:
            raise BadLoginCode
        if self._wrong.count(address) < TRIES_MAX:
            return
        now = self._clock.monotonic()
        wait_s = self._next_at.get(address, now) - now
        if wait_s > 0:
            raise TooManyTries(retry_after_s=math.ceil(wait_s))
        _remember(self._next_at, address, now + SLOW_EVERY_S)

    def wrong(self, address: str, code: str) -> None:
        """A code was wrong; `TooManyTries` when that was one too many."""
        _remember(self._wrong_codes, hash_of(code), None)
        self._wrong.add(address)
        if self._wrong.count(address) > TRIES_MAX:
            rest_s = WINDOW_S - self._wrong.oldest_ago_s(address)
            raise TooManyTries(retry_after_s=max(1, math.ceil(rest_s)))


def _remember(known: OrderedDict[str, Value], key: str, value: Value) -> None:
    known[key] = value
    known.move_to_end(key)
    if len(known) > REMEMBERED_MAX:
        known.popitem(last=False)
