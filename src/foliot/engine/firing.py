"""Firing: due instants become runs. Every server does it; none owns a job, so a dead server delays nothing."""

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from foliot.domain.fire import Decide
from foliot.domain.instants import MILLISECOND, SECOND, Instant
from foliot.domain.step_gap import StepGap
from foliot.engine.pulse import Tide
from foliot.ports.clock import Clock
from foliot.ports.store.assignment import Routing
from foliot.ports.store.firing import OVERDUE_US, Decided, FiringStore, Pulse

BATCH_START: Final = 500
BATCH_MIN: Final = 200
BATCH_MAX: Final = 2000
TARGET_S: Final = 0.05
REST_MAX_S: Final = 1.0
AHEAD_US: Final = 100 * MILLISECOND
"""Of store time by dead reckoning: instants beyond it are left, in case the store's clock has just jumped (R7)."""
GAP_MAX_S: Final = 0.014
"""What comes within so long is decided together: this much lateness is worth a transaction less."""
MISSED_REST_S: Final = 0.005
MISSED_REST_MAX_S: Final = 0.1


class FiringBounds(Protocol):
    """What keeps firing back while the store's clock is in doubt (R7)."""

    @property
    def firing_held_until(self) -> float:
        """Nothing is decided before this time of the monotonic clock."""

    def due_until(self, store_now: Instant) -> Instant | None:
        """Instants after this one are not due, whatever the store's clock says; None: it is trusted."""


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
        bounds: FiringBounds | None = None,
        routing: Routing | None = None,
    ) -> None:
        """`bounds` None: firing always trusts the store's clock. `routing` None: routes are asked by leasing alone."""
        self.wake = asyncio.Event()
        self._store = store
        self._decide = decide
        self._tide = tide
        self._clock = clock
        self._again = again  # the pulse's wake-up: the pulse asks the store what comes next
        self._on_decided = on_decided
        self._gap = StepGap(GAP_MAX_S)
        self._missed_until = 0.0
        self._missed = 0  # tries in a row that got nothing: other servers hold the due jobs
        self._look_at = 0.0  # monotonic: when the next step is planned
        self._is_crowded = False  # the last step found as much as it could decide
        self.batch = BATCH_START
        self._bounds = bounds
        self._routing = routing

    def heard(self, pulse: Pulse) -> None:
        """A pulse came in: look sooner if it says so."""
        if pulse.next_at is None:
            return
        due_at = self._clock.monotonic() + self._due_in_s(pulse.next_at)
        if due_at < self._look_at - 0.0005:
            self.wake.set()

    async def step(self) -> float:
        rest_s = await self._looked()
        self._look_at = self._clock.monotonic() + rest_s
        return rest_s

    async def _looked(self) -> float:
        pulse = self._tide.pulse
        if pulse is None or pulse.next_at is None:
            return REST_MAX_S
        due_in_s = self._due_in_s(pulse.next_at)
        if due_in_s > 0:
            return min(due_in_s, REST_MAX_S)
        return await self._decide_due(pulse.next_at)

    def _due_in_s(self, next_at: Instant) -> float:
        """Return the seconds until a look is worth it: until the instant itself, or until firing is held no longer.

        Firing rests in a maintenance, too; the store itself sees to it that nothing is decided then.
        """
        held_until = 0.0 if self._bounds is None else self._bounds.firing_held_until
        now = self._clock.monotonic()
        held_s = max(max(held_until, self._missed_until) - now, self._gap.left_s(now))
        store_now = self._tide.store_now()
        believed_now = self._due_until(store_now)
        if believed_now is None:  # the store's clock is trusted
            believed_now = store_now
        until_s = (next_at - believed_now) / SECOND
        pulse = self._tide.pulse
        maintained_s = 0.0 if pulse is None else (pulse.maintenance_until - store_now) / SECOND
        return max(until_s, held_s, maintained_s)

    def _due_until(self, store_now: Instant) -> Instant | None:
        return None if self._bounds is None else self._bounds.due_until(store_now)

    async def _decide_due(self, next_at: Instant) -> float:
        began_at = self._clock.monotonic()
        pulse = self._tide.pulse
        store_now = self._tide.store_now()
        believed = self._due_until(store_now)
        until = store_now + AHEAD_US if believed is None else believed
        # While the store's clock is in doubt, leasing decides which runs are due indeed (R7).
        routing = self._routing if believed is None else None
        batches = await self._batches(until, routing)
        if not any(one.taken for one in batches) and min(batches[0].now, until) - next_at > OVERDUE_US:
            waited_for = await self._store.decide_due(self._decide, limit=self.batch, waiting=True, until=until)
            self._on_decided(waited_for)
            batches = [waited_for]
        ended_at = self._clock.monotonic()
        self._is_crowded = all(one.taken >= self.batch for one in batches)
        if self._is_crowded:
            self._adapt(ended_at - began_at)
            self._gap.full()
            return 0
        self._gap.thin(began_at=began_at, ended_at=ended_at)
        if any(one.taken for one in batches):
            self._missed = 0
            if len(batches) == 1 and self._tide.pulse is pulse:
                return self._rest_until_next(batches[0].next_at)
            # A pulse came in meanwhile, or one batch did not see what the other left: nobody knows what comes next.
            self._again.set()
            return REST_MAX_S
        self._again.set()
        rest_s = min(MISSED_REST_MAX_S, MISSED_REST_S * 2.0**self._missed)
        self._missed = min(self._missed + 1, 10)
        self._missed_until = self._clock.monotonic() + rest_s
        return rest_s

    async def _batches(self, until: Instant, routing: Routing | None) -> list[Decided]:
        """Decide due instants: one batch, and in a crowd as many at a time as help the store.

        While one transaction waits for the disk, another decides: each passes over the cursors of the others. When one
        fails, what the others decided counts all the same.
        """
        count = self._store.batches_at_once if self._is_crowded else 1
        if count == 1:
            return [await self._one_batch(until, routing)]
        outcomes = await asyncio.gather(
            *(self._one_batch(until, routing) for _ in range(count)), return_exceptions=True
        )
        failures = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
        if failures:
            raise failures[0]
        return [outcome for outcome in outcomes if isinstance(outcome, Decided)]

    async def _one_batch(self, until: Instant, routing: Routing | None) -> Decided:
        decided = await self._store.decide_due(self._decide, limit=self.batch, until=until, routing=routing)
        self._on_decided(decided)
        return decided

    def _rest_until_next(self, next_at: Instant | None) -> float:
        """The transaction has seen what comes next, so nobody need ask for it."""
        self._tide.expect(next_at)
        if next_at is None:
            return REST_MAX_S
        return min(max(self._due_in_s(next_at), 0.0), REST_MAX_S)

    def _adapt(self, took_s: float) -> None:
        """Grow or shrink full batches towards the time a transaction may take."""
        if took_s > TARGET_S * 1.5:
            self.batch = max(BATCH_MIN, self.batch * 3 // 4)
        elif took_s < TARGET_S * 0.7:
            self.batch = min(BATCH_MAX, self.batch * 3 // 2)
