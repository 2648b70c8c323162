"""Stop signals: the first asks for a drain, the second ends the process."""

import asyncio
import os
import signal
from typing import Final

HURRIED_EXIT: Final = 130
SAME_WISH_S: Final = 2.0
"""systemd signals a supervisor and its child, and the supervisor forwards: two signals so close are one wish."""


def stop_on_signals(stop: asyncio.Event, *, is_supervised: bool = False) -> None:
    """Set `stop` on SIGINT or SIGTERM; a second one exits at once (reaping covers what was left, R18).

    `is_supervised`: a second one that comes just after the first is the same wish.
    """
    loop = asyncio.get_running_loop()
    hurried_from = 0.0

    def asked() -> None:
        nonlocal hurried_from
        now = loop.time()
        if not stop.is_set():
            hurried_from = now + SAME_WISH_S if is_supervised else now
            stop.set()
        elif now >= hurried_from:
            os._exit(HURRIED_EXIT)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, asked)
