"""The user's own process, as a client needs it: it measures, pauses between tries, and draws keys.

A client stands outside the cluster and is part of no simulation, so these are the machine's own. Tests give another.
"""

import asyncio
import secrets  # noqa: TID251  see above
import socket
import ssl
import threading
import time
from typing import Final
from urllib.parse import urlsplit

PROBE_WITHIN_S: Final = 2.0


class Machine:
    """Time and randomness of this process."""

    def monotonic(self) -> float:
        return time.monotonic()  # noqa: TID251  see above

    def pause(self, seconds: float) -> None:
        threading.Event().wait(seconds)

    async def pause_async(self, seconds: float) -> None:
        await asyncio.sleep(seconds)  # noqa: TID251  see above

    def wait(self, event: threading.Event, seconds: float) -> None:
        """Until the event is set, or the time is over."""
        event.wait(seconds)

    async def wait_async(self, event: asyncio.Event, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await event.wait()
        except TimeoutError:
            return

    def speaks_tls(self, url: str) -> bool:
        """Whether whoever listens there answers in TLS, whatever certificate they have."""
        parts = urlsplit(url)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # nothing is sent
        try:
            plain = socket.create_connection((parts.hostname or "", parts.port or 80), PROBE_WITHIN_S)
            with plain, context.wrap_socket(plain):
                return True
        except OSError:
            return False

    async def speaks_tls_async(self, url: str) -> bool:
        return await asyncio.to_thread(self.speaks_tls, url)

    def token(self) -> str:
        return secrets.token_hex(16)
