"""Firing: due instants become runs. Every server does it; none owns a job, so a dead server delays nothing."""

import asyncio
from collections.abc import Callable
from typing import Final

from foliot.domain.fire import Decide
from foliot.domain.instants import MILLISECOND, SECOND, Instant
from foliot.engine.pulse import Tide
from foliot.ports.clock import Clock
from foliot.ports.store import Decided, FiringStore, Pulse

BATCH_START: Final = 500
BATCH_MIN: Final = 50
BATCH_MAX: Final = 2000
TARGET_S: Final = 0.05
OVERDUE_US: Final = 500 * MILLISECOND
LOOK_BACK_US: Final = 10 * SECOND
FULL_SCAN_EVERY_S: Final = 60.0
REST_MAX_S: Final = 1.0
MISSED_REST_S: Final = 0.005


class Firing:
    """Decides due instants in adaptive batches and sleeps until the next one."""

    name = "firing"

    def __init__(
        self,
        store: FiringStore,
        decide: Decide,
        tide: Tide,
        *,
        clock: Clock,
        again: asyncio.Event,
        on_decided: Callable[[Decided], None],
    ) -> None:
        self.wake = asyncio.Event()
        self._store = store
        self._decide = decide
        self._tide = tide
        self._clock = clock
        self._again = again  # the pulse's wake-up: ask anew what comes next
        self._on_decided = on_decided
        self._low: Instant | None = None
        self._full_scan_at = 0.0
        self.batch = BATCH_START
        self.held_until = 0.0  # the step guard holds firing here (R7)

    def heard(self, pulse: Pulse) -> None:
        """A pulse came in: look again if it says something is due, or due sooner than planned."""
        if pulse.next_at is not None:
            self.wake.set()

    async def step(self) -> float:
        pulse = self._tide.pulse
        if pulse is None or pulse.next_at is None:
            return REST_MAX_S
        if self._clock.monotonic() < self.held_until:
            return self.held_until - self._clock.monotonic()
        due_in_s = self._tide.until_s(pulse.next_at)
        if due_in_s > 0:
            return min(due_in_s, REST_MAX_S)
        return await self._decide_due(pulse.next_at)

    async def _decide_due(self, next_at: Instant) -> float:
        began_at = self._clock.monotonic()
        decided = await self._store.decide_due(self._decide, limit=self.batch, low=self._lower_bound(began_at))
        if not decided.taken and decided.now - next_at > OVERDUE_US:
            decided = await self._store.decide_due(self._decide, limit=self.batch, waiting=True)
        took_s = self._clock.monotonic() - began_at
        self._on_decided(decided)
        if decided.lowest_at is not None:
            self._low = decided.lowest_at - LOOK_BACK_US
        if decided.taken >= self.batch:
            self._adapt(took_s)
            return 0
        self._again.set()
        return REST_MAX_S if decided.taken else MISSED_REST_S

    def _lower_bound(self, mono: float) -> Instant | None:
        """R9: skip the dead entries of the index; once a minute look at all of it."""
        if mono >= self._full_scan_at:
            self._full_scan_at = mono + FULL_SCAN_EVERY_S
            return None
        return self._low

    def _adapt(self, took_s: float) -> None:
        """Grow or shrink full batches towards the time a transaction may take."""
        if took_s > TARGET_S * 1.5:
            self.batch = max(BATCH_MIN, self.batch * 3 // 4)
        elif took_s < TARGET_S * 0.7:
            self.batch = min(BATCH_MAX, self.batch * 3 // 2)
