"""Clocks and chance that a test drives: time passes when the test says so."""

import asyncio
import heapq
import itertools
from datetime import UTC, datetime, timedelta

_START = datetime(2026, 1, 1, tzinfo=UTC)


class DrivenClock:
    """`ports.clock.Clock` whose time moves only by `advance`."""

    def __init__(self, start: datetime = _START) -> None:
        self._start = start
        self.wall_off_s = 0.0  # what a test makes the wall clock wrong by
        self._mono = 1000.0
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Event]] = []

    def monotonic(self) -> float:
        return self._mono

    def boottime(self) -> float:
        return self._mono

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._mono - 1000.0 + self.wall_off_s)

    async def wait(self, wake: asyncio.Event, *, for_s: float) -> bool:
        if wake.is_set() or for_s <= 0:
            await asyncio.sleep(0)
            return wake.is_set()
        rung = asyncio.Event()
        heapq.heappush(self._sleepers, (self._mono + for_s, next(self._order), rung))
        waits = [asyncio.ensure_future(wake.wait()), asyncio.ensure_future(rung.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        return wake.is_set()

    @property
    def sleepers(self) -> int:
        """How many are resting on this clock."""
        return sum(not event.is_set() for _, _, event in self._sleepers)

    async def advance(self, by_s: float) -> None:
        """Let time pass, waking sleepers in order, each getting its turn before the next."""
        until = self._mono + by_s
        await settle()
        while self._sleepers and self._sleepers[0][0] <= until:
            at, _, event = heapq.heappop(self._sleepers)
            self._mono = max(self._mono, at)
            event.set()
            await settle()
        self._mono = until
        await settle()


async def settle(turns: int = 20) -> None:
    """Let everything that can run now run."""
    for _ in range(turns):
        await asyncio.sleep(0)


class CountingChance:
    """`ports.chance.Chance` that counts instead of rolling dice."""

    def __init__(self) -> None:
        self._count = 0

    def fraction(self) -> float:
        return 0.5

    def token(self) -> str:
        self._count += 1
        return f"{self._count:032x}"

    def secret(self) -> str:
        self._count += 1
        return f"secret-{self._count}"
