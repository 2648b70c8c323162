"""The step guard: a store clock that jumps ahead must not fire the hours in between (R7).

At each pulse store time is compared with the machine's own time since boot. A forward step without an outage holds this
server's firing for one beat and is reported; when most servers saw it, the store flags its clock as suspect, and due is
judged by the time they believe in: store time less the step. It ends when the clock steps back, or a person trusts it.
A step back only delays; deadlines from the future are clamped by the leader's next tick.
"""

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from foliot.domain.instants import SECOND, Instant, Micros
from foliot.engine.presence import OwnSession
from foliot.ports.clock import Clock
from foliot.ports.store import NodeStore, Pulse

STEP_US: Final[Micros] = 5 * SECOND
OUTAGE_S: Final = 3.0
"""Between two pulses; after a longer gap nothing can be said about the clock."""
REST_S: Final = 5.0

log = structlog.get_logger("foliot.engine")


class StepGuard:
    """Watches the store's clock, and says up to when instants are due."""

    name = "step guard"

    def __init__(
        self,
        store: NodeStore,
        session: OwnSession,
        *,
        clock: Clock,
        boottime: Callable[[], float],
        hold_s: float,
        hold: Callable[[float], None],
    ) -> None:
        self.wake = asyncio.Event()
        self._store = store
        self._session = session
        self._clock = clock
        self._boottime = boottime
        self._hold_s = hold_s
        self._hold = hold  # firing, until this time of the monotonic clock
        self._last: tuple[Instant, float] | None = None
        self._held_until = 0.0
        self._ahead_us: Micros = 0  # store time's lead over our own reckoning
        self._reported: tuple[str, Micros] | None = None
        self.is_suspect = False
        self._is_blind = False  # it did not see the step that made the clock suspect, so it cannot tell the time
        self.steps = 0  # forward ones seen

    def heard(self, pulse: Pulse) -> None:
        """A pulse came in."""
        before, self._last = self._last, (pulse.now, self._boottime())
        if before is not None:
            self._compare(before, self._last)
        else:
            self.wake.set()
        self._mind_flag(pulse)
        if self._is_blind:
            self._hold(self._clock.monotonic() + self._hold_s)

    def due_until(self, store_now: Instant) -> Instant | None:
        """While the clock is suspect: instants after this one are not due, whatever the store's clock says."""
        return store_now - self._ahead_us if self.is_suspect else None

    async def step(self) -> float:
        """Report the lead, and forget it when nobody else saw it."""
        if self._last is None or self._is_blind:
            return REST_S
        if self._ahead_us and not self.is_suspect and self._clock.monotonic() >= self._held_until:
            log.warning("clock.step_accepted", step_s=self._ahead_us / SECOND)
            self._ahead_us = 0
        told = (self._session.id, self._ahead_us)
        if told != self._reported:
            self.is_suspect = await self._store.report_clock(self._session.id, ahead_us=self._ahead_us)
            self._reported = told
        return min(REST_S, self._hold_s) if self._ahead_us else REST_S

    def _compare(self, before: tuple[Instant, float], now: tuple[Instant, float]) -> None:
        elapsed_s = now[1] - before[1]
        step_us = now[0] - before[0] - int(elapsed_s * SECOND)
        if elapsed_s <= OUTAGE_S and abs(step_us) > STEP_US:
            self._stepped(step_us)

    def _stepped(self, step_us: Micros) -> None:
        if step_us > 0:
            self.steps += 1
            self._ahead_us += step_us
            self._held_until = self._clock.monotonic() + self._hold_s
            self._hold(self._held_until)
            log.error("clock.stepped_forward", step_s=step_us / SECOND, held_s=self._hold_s)
        else:
            log.warning("clock.stepped_back", step_s=step_us / SECOND)
            self._ahead_us = max(0, self._ahead_us + step_us)
            if self._ahead_us <= STEP_US:
                self._ahead_us = 0
        self.wake.set()

    def _mind_flag(self, pulse: Pulse) -> None:
        if pulse.clock_suspect and not self.is_suspect:
            log.error("clock.suspect", ahead_s=self._ahead_us / SECOND, hint="foliot db trust-clock, if it is right")
            self._is_blind = not self._ahead_us
        elif self.is_suspect and not pulse.clock_suspect:
            log.info("clock.trusted")
            self._ahead_us = 0
            self._is_blind = False
            self.wake.set()
        self.is_suspect = pulse.clock_suspect
