"""Stray jobs: the leader asks live workers to declare them again.

A stray job belongs to a module that no live worker declares it from, while workers of another module declare it: the
worker that took it over is gone. Nothing executes its runs until a worker declares it again.
"""

from typing import Final

import structlog

from foliot.ports.clock import Clock
from foliot.ports.store.code import CodeStore, LiveCodes

ASKED_AT_ONCE: Final = 100
REST_MAX_S: Final = 3600.0

log = structlog.get_logger("foliot.engine")


class AskingAgain:
    """Looks for stray jobs when a worker came or went: no statement while none does."""

    def __init__(self, store: CodeStore, clock: Clock, *, ttl_s: float) -> None:
        self._store = store
        self._clock = clock
        self._ttl_s = ttl_s
        self._seen: LiveCodes | None = None
        self._asked: tuple[str, ...] = ()  # at the last look
        self._rest_s = ttl_s
        self._not_before = 0.0  # by the server's clock

    async def look(self, live: LiveCodes, term: int) -> None:
        """Ask for the code that declares stray jobs. Whoever is asked gets some time to answer."""
        now = self._clock.monotonic()
        is_same = live == self._seen and not self._asked
        if is_same or now < self._not_before:
            return
        asked = tuple(await self._store.ask_again(limit=ASKED_AT_ONCE, term=term))
        # A worker that is asked for the same code again and again has a job that the server refuses: it is asked ever
        # more rarely.
        self._rest_s = min(2 * self._rest_s, REST_MAX_S) if asked and asked == self._asked else self._ttl_s
        self._seen, self._asked = live, asked
        if asked:
            self._not_before = now + self._rest_s
            log.info("code.asked_again", codes=len(asked))
