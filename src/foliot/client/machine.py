"""The user's own process, as a client needs it: it measures, pauses between tries, and draws keys.

A client stands outside the cluster and is part of no simulation, so these are the machine's own. Tests give another.
"""

import asyncio
import secrets  # noqa: TID251  see above
import threading
import time


class Machine:
    """Time and randomness of this process."""

    def monotonic(self) -> float:
        return time.monotonic()  # noqa: TID251  see above

    def pause(self, seconds: float) -> None:
        threading.Event().wait(seconds)

    async def pause_async(self, seconds: float) -> None:
        await asyncio.sleep(seconds)  # noqa: TID251  see above

    def token(self) -> str:
        return secrets.token_hex(16)
