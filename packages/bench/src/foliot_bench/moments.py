"""The clock a benchmark goes by: the machine's, on which its processes and mostly its database run too."""

import asyncio
from typing import Final

from foliot.app.system import SystemChance, SystemClock
from foliot.domain.instants import SECOND, Instant, to_instant

CLOCK: Final = SystemClock()
CHANCE: Final = SystemChance()


def now() -> Instant:
    """Microseconds since the epoch."""
    return to_instant(CLOCK.now())


def now_s() -> float:
    """Seconds since the epoch."""
    return CLOCK.now().timestamp()


def this_second() -> Instant:
    """The second that has begun."""
    return now() // SECOND * SECOND


def next_second(*, ahead_s: float) -> Instant:
    """The first whole second at least so far from now."""
    return (int(now_s() + ahead_s) + 1) * SECOND


async def until(instant: Instant) -> None:
    """Wait for an instant."""
    await pause((instant - now()) / SECOND)


async def pause(for_s: float) -> None:
    """Wait so long."""
    await CLOCK.wait(asyncio.Event(), for_s=for_s)
