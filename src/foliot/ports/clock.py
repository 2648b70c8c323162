"""The node's own time: it waits, measures and stops early; it never gives a right (that is store time's)."""

import asyncio
from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The only way to wait or to measure."""

    def monotonic(self) -> float:
        """Seconds that never jump: durations, trust windows."""
        ...

    def boottime(self) -> float:
        """Seconds that never jump and go on while the machine sleeps: what the store's clock is compared with (R7)."""
        ...

    def now(self) -> datetime:
        """Wall time in UTC, for log lines only."""
        ...

    async def wait(self, wake: asyncio.Event, *, for_s: float) -> bool:
        """Rest until woken or `for_s` has passed; True when woken. The event is left as it is."""
        ...
