"""Stop signals: the first asks for a drain, the second ends the process."""

import asyncio
import os
import signal
from typing import Final

HURRIED_EXIT: Final = 130


def stop_on_signals(stop: asyncio.Event) -> None:
    """Set `stop` on SIGINT or SIGTERM; a second one exits at once (reaping covers what was left, R18)."""
    loop = asyncio.get_running_loop()

    def asked() -> None:
        if stop.is_set():
            os._exit(HURRIED_EXIT)
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, asked)
