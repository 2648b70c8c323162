"""The pulse: one cheap statement a second. It says to every other duty whether there is anything to do (R24)."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

from foliot.domain.instants import SECOND, Instant, Micros
from foliot.ports.clock import Clock
from foliot.ports.store.errors import StoreUnavailable
from foliot.ports.store.firing import SILENT_SOON_US, FiringStore, Pulse
from foliot.ports.store.runs import Reckon

PULSE_EVERY_S: Final = 1.0


class Tide:
    """What is known of the store right now: the last pulse, and store time carried on by the monotonic clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen_at = 0.0
        self.pulse: Pulse | None = None
        self.ready = False  # some run may be leasable; cleared by leasing when it found nothing
        self.took_s = 0.0  # the last pulse

    def learn(self, pulse: Pulse, *, seen_at: float) -> None:
        """Take in a pulse. `seen_at`: the middle of the call on the monotonic clock, about when the store answered."""
        self.pulse = pulse
        self._seen_at = seen_at
        self.ready = self.ready or pulse.ready

    def expect(self, next_at: Instant | None) -> None:
        """A transaction after the last pulse saw the earliest wake time."""
        if self.pulse is not None:
            self.pulse = replace(self.pulse, next_at=next_at)

    def store_now(self) -> Instant:
        """Store time by dead reckoning: good enough to sleep by, never to judge by."""
        assert self.pulse is not None, "no pulse yet"
        return _carried_on(self._clock, self.pulse.now, self._seen_at)

    def age_s(self) -> float:
        """How long ago the store answered last; 0: not yet."""
        return 0.0 if self.pulse is None else self._clock.monotonic() - self._seen_at

    def may_be_silent(self) -> bool:
        """Whether some session may be past its time now: the last pulse says so, or it is too old to know."""
        pulse = self.pulse
        return pulse is None or pulse.silent or self.store_now() - pulse.now >= SILENT_SOON_US

    def may_be_ready(self) -> bool:
        """Whether some run may be due and wait for a worker."""
        return self.pulse is None or self.pulse.ready or self.pulse.assigned

    def may_be_assigned(self) -> bool:
        """Whether some run may wait for a worker that it is meant for."""
        return self.pulse is None or self.pulse.assigned

    def reckoning(self, *, and_us: Micros) -> Reckon | None:
        """Store time as `store_now` says it, and so much later, to be asked at any time; None: no pulse yet.

        It goes by this pulse for good, because a thread of the store may ask it while the next one is taken in.
        """
        if self.pulse is None:
            return None
        return partial(_carried_on, self._clock, self.pulse.now + and_us, self._seen_at)


def _carried_on(clock: Clock, then: Instant, seen_at: float) -> Instant:
    return then + int((clock.monotonic() - seen_at) * SECOND)


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
        self.on_missed: Callable[[], None] = lambda: None  # called when the store could not be reached

    def on_pulse(self, listener: Callable[[Pulse], None]) -> None:
        """Call the listener after each pulse."""
        self._listeners.append(listener)

    async def step(self) -> float:
        sent_at = self._clock.monotonic()
        try:
            pulse = await self._store.pulse()
        except StoreUnavailable:
            self.on_missed()
            raise
        answered_at = self._clock.monotonic()
        self._tide.learn(pulse, seen_at=(sent_at + answered_at) / 2)
        self._tide.took_s = answered_at - sent_at
        for listener in self._listeners:
            listener(pulse)
        return self._every_s
