"""Deadlines: one heap and one task for everything that falls due for an attempt, by the worker's clock."""

import asyncio
import heapq
from collections.abc import Callable
from itertools import count
from typing import Final, TypeAlias

from foliot.ports.clock import Clock
from foliot.worker.attempt import Attempt

_IDLE_S: Final = 60.0
_CROWD: Final = 1000


Due: TypeAlias = Callable[[Attempt], None]


class Deadlines:
    """Does what is due for attempts that are still in the worker's hands then."""

    def __init__(self, clock: Clock, is_current: Callable[[Attempt], bool]) -> None:
        self._clock = clock
        self._is_current = is_current
        self._heap: list[tuple[float, int, Attempt, Due]] = []
        self._ties = count()
        self._crowd = _CROWD
        self._wake = asyncio.Event()

    def add(self, attempt: Attempt, at: float, due: Due) -> None:
        """Do this then, by the monotonic clock, unless the attempt is over."""
        heapq.heappush(self._heap, (at, next(self._ties), attempt, due))
        if self._heap[0][2] is attempt:
            self._wake.set()
        if len(self._heap) > self._crowd:
            self._forget_ended()

    async def work(self, closing: asyncio.Event) -> None:
        """Watch until closed; `close` wakes it."""
        while not closing.is_set():
            self._wake.clear()
            await self._clock.wait(self._wake, for_s=self.step())

    def close(self) -> None:
        """Wake the task so that it sees that it is closing."""
        self._wake.set()

    def step(self) -> float:
        """Do what is due; how long nothing else is."""
        now = self._clock.monotonic()
        while self._heap and self._heap[0][0] <= now:
            _, _, attempt, due = heapq.heappop(self._heap)
            if self._is_current(attempt):
                due(attempt)
        return min(self._heap[0][0] - now, _IDLE_S) if self._heap else _IDLE_S

    def _forget_ended(self) -> None:
        """Runs end long before their deadlines: without this the heap would hold an hour of them."""
        self._heap = [entry for entry in self._heap if self._is_current(entry[2])]
        heapq.heapify(self._heap)
        self._crowd = max(_CROWD, 2 * len(self._heap))
