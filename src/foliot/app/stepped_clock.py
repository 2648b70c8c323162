"""A clock whose wall time a drill sets ahead or back. What never jumps is left alone."""

import asyncio
from datetime import datetime, timedelta

from foliot.domain.drills import DrillType, Faults
from foliot.ports.clock import Clock


class SteppedClock:
    """`ports.clock.Clock` around another."""

    def __init__(self, clock: Clock, faults: Faults) -> None:
        self._clock = clock
        self._faults = faults

    def monotonic(self) -> float:
        return self._clock.monotonic()

    def boottime(self) -> float:
        return self._clock.boottime()

    def now(self) -> datetime:
        return self._clock.now() + timedelta(microseconds=self._faults.size_us(DrillType.CLOCK_STEP))

    async def wait(self, wake: asyncio.Event, *, for_s: float) -> bool:
        return await self._clock.wait(wake, for_s=for_s)
