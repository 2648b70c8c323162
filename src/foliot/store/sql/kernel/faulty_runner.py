"""A runner that a drill cuts off from its database, or slows down."""

import asyncio
from typing import TypeVar

from foliot.domain.drills import DrillType, Faults
from foliot.domain.instants import SECOND
from foliot.ports.clock import Clock
from foliot.ports.store.errors import StoreUnavailable
from foliot.store.sql.kernel.database import Mode, Pool, Runner, Work

T = TypeVar("T")


class FaultyRunner:
    """`database.Runner` around another."""

    def __init__(self, runner: Runner, faults: Faults, clock: Clock) -> None:
        self._runner = runner
        self._faults = faults
        self._clock = clock

    @property
    def greet(self) -> Work[None] | None:
        return self._runner.greet

    @greet.setter
    def greet(self, work: Work[None] | None) -> None:
        self._runner.greet = work

    async def once(self, work: Work[T], pool: Pool, mode: Mode) -> T:
        if self._faults.has(DrillType.PARTITION):
            raise StoreUnavailable("A drill cuts this server off from the store.", hint="it is over soon")
        if late_us := self._faults.size_us(DrillType.SLOW_STORE):
            await self._clock.wait(asyncio.Event(), for_s=late_us / SECOND)
        return await self._runner.once(work, pool, mode)

    async def close(self) -> None:
        await self._runner.close()
