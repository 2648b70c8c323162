"""The pulse: one cheap statement a second. It says to every other duty whether there is anything to do (R24)."""

import asyncio
from collections.abc import Callable
from typing import Final

from foliot.domain.instants import SECOND, Instant
from foliot.ports.clock import Clock
from foliot.ports.store.firing import FiringStore, Pulse

PULSE_EVERY_S: Final = 1.0


class Tide:
    """What is known of the store right now: the last pulse, and store time carried on by the monotonic clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen_at = 0.0
        self.pulse: Pulse | None = None
        self.ready = False  # some run may be leasable; cleared by leasing when it found nothing

    def learn(self, pulse: Pulse, *, seen_at: float) -> None:
        """Take in a pulse. `seen_at`: the middle of the call on the monotonic clock, about when the store answered."""
        self.pulse = pulse
        self._seen_at = seen_at
        self.ready = self.ready or pulse.ready

    def store_now(self) -> Instant:
        """Store time by dead reckoning: good enough to sleep by, never to judge by."""
        assert self.pulse is not None, "no pulse yet"
        return self.pulse.now + int((self._clock.monotonic() - self._seen_at) * SECOND)


class Pulsing:
    """The duty that takes the pulse and wakes the duties that have something to do."""

    name = "pulse"

    def __init__(self, store: FiringStore, tide: Tide, *, clock: Clock, every_s: float = PULSE_EVERY_S) -> None:
        self.wake = asyncio.Event()
        self._store = store
        self._tide = tide
        self._clock = clock
        self._every_s = every_s
        self._listeners: list[Callable[[Pulse], None]] = []

    def on_pulse(self, listener: Callable[[Pulse], None]) -> None:
        """Call the listener after each pulse."""
        self._listeners.append(listener)

    async def step(self) -> float:
        sent_at = self._clock.monotonic()
        pulse = await self._store.pulse()
        self._tide.learn(pulse, seen_at=(sent_at + self._clock.monotonic()) / 2)
        for listener in self._listeners:
            listener(pulse)
        return self._every_s
