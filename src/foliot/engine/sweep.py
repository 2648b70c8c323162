"""The sweep: triggers for later get their place when due, heads of lines and runs whose rate has a token are un-parked.

Hints, never rights.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from foliot.domain.clocks import ClockDoubt
from foliot.domain.instants import SECOND
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
        self._keys_in_s: float | None = None  # when the rate of a key lets a run start; None: none does before a pulse

    def heard(self, pulse: Pulse) -> None:
        self._admissible = pulse.admissible
        self._parked = pulse.parked
        self._keys_in_s = None
        if pulse.keys_at is not None and pulse.keys_at < pulse.now + SECOND:
            self._keys_in_s = max(0.0, (pulse.keys_at - pulse.now) / SECOND)
        if pulse.admissible or pulse.parked or self._keys_in_s is not None:
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
        if self._keys_in_s == 0:
            unparked, has_more = await self._store.unpark_keyed()
            self._keys_in_s = 0 if has_more else None
            moved += unparked
        if moved:
            self._on_moved()
        if self._admissible or self._parked or self._keys_in_s == 0:
            return 0
        return self._rest_s()

    def _rest_s(self) -> float:
        """Until the first key has a token, if that is before the next pulse: then this duty goes on."""
        if self._keys_in_s is None:
            return REST_MAX_S
        rest_s, self._keys_in_s = self._keys_in_s, 0
        return rest_s
