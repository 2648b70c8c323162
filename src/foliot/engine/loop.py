"""The one loop that drives every duty: step, then rest until the time is over or `wake` is set.

A duty has a `step()`: one bounded round that returns how long to rest. The loop clears `wake` *before* the step, so a
wake-up that comes during the step is not lost. While the store is away the loop waits with jitter. It logs and counts a
bug in one duty and lets that duty rest, so that a broken retention never stops firing.
"""

import asyncio
from collections.abc import Sequence
from typing import Final, Protocol

import structlog

from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.store.errors import StoreBusy, StoreUnavailable

OUTAGE_REST_S: Final = 1.0
BUG_REST_S: Final = 5.0

log = structlog.get_logger("foliot.engine")


class Duty(Protocol):
    """Something a server does again and again."""

    @property
    def name(self) -> str: ...

    @property
    def wake(self) -> asyncio.Event: ...

    async def step(self) -> float:
        """Do one bounded round; return how many seconds to rest unless woken."""
        ...


class DutyLoop:
    """Drives duties until told to stop."""

    def __init__(self, duties: Sequence[Duty], *, clock: Clock, chance: Chance) -> None:
        self._duties = list(duties)
        self._clock = clock
        self._chance = chance
        names = [duty.name for duty in duties]
        self.failures = dict.fromkeys(names, 0)
        self.outages = dict.fromkeys(names, 0)

    async def run(self, stop: asyncio.Event) -> None:
        """Run every duty in a task of its own until `stop` is set; a step in progress is finished."""
        async with asyncio.TaskGroup() as group:
            for duty in self._duties:
                group.create_task(self._drive(duty, stop), name=f"duty {duty.name}")
            await stop.wait()
            for duty in self._duties:
                duty.wake.set()

    async def _drive(self, duty: Duty, stop: asyncio.Event) -> None:
        while not stop.is_set():
            duty.wake.clear()
            if stop.is_set():
                return
            rest_s = await self._stepped(duty)
            if not stop.is_set():
                await self._clock.wait(duty.wake, for_s=rest_s)

    async def _stepped(self, duty: Duty) -> float:
        try:
            return await duty.step()
        except StoreBusy as busy:
            log.warning("duty.given_up", duty=duty.name, why=str(busy))
            return 0.05 + 0.2 * self._chance.fraction()
        except StoreUnavailable as away:
            self.outages[duty.name] += 1
            if self.outages[duty.name] % 30 == 1:
                log.warning("store.away", duty=duty.name, why=str(away))
            return OUTAGE_REST_S * (0.5 + self._chance.fraction())
        except Exception:  # one duty's bug must not stop the others
            self.failures[duty.name] += 1
            log.exception("duty.failed", duty=duty.name, times=self.failures[duty.name])
            return BUG_REST_S
