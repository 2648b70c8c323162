"""The sweep: triggers for later get their place when due, heads of lines are un-parked. Hints, never rights."""

import asyncio
from collections.abc import Callable
from typing import Final

from foliot.domain.clocks import ClockDoubt
from foliot.ports.store.firing import FiringStore, Pulse

BATCH: Final = 500
REST_MAX_S: Final = 1.0


class Sweeping:
    """Acts only when the pulse says that there is something to sweep."""

    name = "sweeping"

    def __init__(
        self,
        store: FiringStore,
        *,
        on_moved: Callable[[], None],
        doubt: Callable[[], ClockDoubt | None] = lambda: None,
    ) -> None:
        """`doubt`: what is thought of the store's clock at this moment; None: it is trusted."""
        self.wake = asyncio.Event()
        self._store = store
        self._on_moved = on_moved
        self._doubt = doubt
        self._admissible = False
        self._parked = False
        self._after_job = 0

    def heard(self, pulse: Pulse) -> None:
        self._admissible = pulse.admissible
        self._parked = pulse.parked
        if pulse.admissible or pulse.parked:
            self.wake.set()

    async def step(self) -> float:
        moved = 0
        if self._admissible:
            admitted = await self._store.admit(limit=BATCH, doubt=self._doubt())
            self._admissible = admitted >= BATCH
            moved += admitted
        if self._parked:
            unparked, self._after_job = await self._store.unpark(limit=BATCH, after_job=self._after_job)
            self._parked = self._after_job != 0  # 0: the whole round is done
            moved += unparked
        if moved:
            self._on_moved()
        return 0 if self._admissible or self._parked else REST_MAX_S
