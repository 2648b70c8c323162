"""The machine's own clock and randomness: the only place that touches them."""

import asyncio
import random
import secrets
import time
from datetime import UTC, datetime
from typing import Final

_STEADY: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)  # counts on while the machine is suspended


class SystemClock:
    """The clock of this machine (`ports.clock.Clock`)."""

    def monotonic(self) -> float:
        return time.clock_gettime(_STEADY)

    def now(self) -> datetime:
        return datetime.now(UTC)

    def boottime(self) -> float:
        """Seconds that go on while the machine sleeps, and never jump."""
        return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()

    async def wait(self, wake: asyncio.Event, *, for_s: float) -> bool:
        if wake.is_set():
            return True
        if for_s <= 0:
            await asyncio.sleep(0)  # still let others run: a duty that never rests must not starve the loop
            return wake.is_set()
        try:
            async with asyncio.timeout(for_s):
                await wake.wait()
        except TimeoutError:
            return False
        return True


class SystemChance:
    """Randomness of this machine (`ports.chance.Chance`)."""

    def fraction(self) -> float:
        return random.random()  # noqa: S311  for spreading load, not for secrets

    def token(self) -> str:
        return secrets.token_hex(16)

    def secret(self) -> str:
        return secrets.token_urlsafe(32)
