"""Names of hosts: looked up in threads of their own, once for all who ask at the same time.

The loop's own threads are few and others use them: a name server that does not answer must not stop those.
"""

import asyncio
import ipaddress
import socket
from typing import Final

from foliot.domain.egress import Address
from foliot.worker.daemon_threads import DaemonThreads

KEPT_S: Final = 5.0
KEPT_MAX: Final = 10_000


class HostNames:
    """Looks names up for one loop."""

    def __init__(self, threads: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._threads = DaemonThreads(threads, "http-names")
        self._found: dict[str, tuple[float, asyncio.Future[tuple[Address, ...]]]] = {}

    async def addresses(self, host: str) -> tuple[Address, ...]:
        """The addresses of a name, in the order in which the machine prefers them; `OSError`: it has none."""
        until, lookup = self._found.get(host, (0.0, None))
        now = self._loop.time()
        if lookup is None or (lookup.done() and (now >= until or lookup.cancelled() or lookup.exception())):
            if len(self._found) >= KEPT_MAX:
                self._found.clear()
            lookup = self._loop.run_in_executor(self._threads, looked_up, host)
            self._found[host] = (now + KEPT_S, lookup)
        return await asyncio.shield(lookup)  # others may wait for the same answer

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


def looked_up(host: str) -> tuple[Address, ...]:
    """Ask the machine for the addresses of a name. Blocks."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    addresses = [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    return tuple(dict.fromkeys(addresses))
