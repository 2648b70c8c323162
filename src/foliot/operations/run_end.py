"""The end of a run, for a client that waits for it. While it waits, the server holds nothing but the request."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from foliot.domain.access import Principal
from foliot.domain.run import LIVE, RunState
from foliot.operations.names import find_run
from foliot.operations.services import Services
from foliot.ports.store.lookups import RunRow

FIRST_LOOK_S: Final = 0.02
LOOK_EVERY_MAX_S: Final = 0.5


async def wait_for_end(
    services: Services,
    who: Principal,
    run_id: int,
    *,
    within_s: float,
    gone: Callable[[], Awaitable[bool]],
) -> RunRow:
    """Return the run when it has ended, or as it is when the time is over. The longer it takes, the rarer the looks."""
    clock = services.clock
    until = clock.monotonic() + within_s
    pause_s = FIRST_LOOK_S
    while True:
        run = await find_run(services, who, run_id)
        left_s = until - clock.monotonic()
        if RunState(run.state) not in LIVE or left_s <= 0 or await gone():
            return run
        await clock.wait(asyncio.Event(), for_s=min(pause_s, left_s))
        pause_s = min(pause_s * 1.5, LOOK_EVERY_MAX_S)
