"""Several hosts behind one URL: the first in order that takes writes, however the others fail to.

A host that is down or a standby says so at once and the next is asked. One that says nothing, frozen or cut off while
its port is open, must not cost the others their turn: after a moment the next is asked beside it, and whoever is ready
first serves. The order still counts, so that servers with the same URL write to the same host while all is well.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, TypeAlias

Host: TypeAlias = tuple[str, int]

PATIENCE_S: Final = 1.0
"""How long a silent host is waited for before the next is asked too."""


class NoWritableHost(ConnectionError):
    """None of the hosts answers and takes writes."""


async def first_writable(
    hosts: Sequence[Host],
    connect: Callable[[Host], Awaitable[Any]],
    *,
    discard: Callable[[Any], object],
    is_final: Callable[[Exception], bool],
    patience_s: float = PATIENCE_S,
) -> Any:
    """A connection to the first host that gives one.

    `connect` raises where there is none to be had; `is_final` says of its error that no other host will do better.
    `discard` ends a connection that came too late.
    """
    if len(hosts) == 1:
        return await connect(hosts[0])
    waiting = list(hosts)
    asked: dict[asyncio.Task[Any], Host] = {}
    troubles: dict[Host, Exception] = {}
    try:
        while waiting or asked:
            if waiting:
                host = waiting.pop(0)
                asked[asyncio.ensure_future(connect(host))] = host
            done, _ = await asyncio.wait(
                asked, timeout=patience_s if waiting else None, return_when=asyncio.FIRST_COMPLETED
            )
            for task in sorted(done, key=lambda task: hosts.index(asked[task])):
                host = asked[task]
                error = task.exception()
                if error is None:
                    del asked[task]
                    return task.result()
                del asked[task]
                if not isinstance(error, Exception) or is_final(error):
                    raise error
                troubles[host] = error
        raise NoWritableHost("; ".join(_said(host, troubles[host]) for host in hosts))
    finally:
        for task in asked:
            task.add_done_callback(lambda late: _end(late, discard))
            task.cancel()


def _end(late: asyncio.Task[Any], discard: Callable[[Any], object]) -> None:
    if not late.cancelled() and late.exception() is None:
        discard(late.result())


def _said(host: Host, error: Exception) -> str:
    name, port = host
    return f"{name}:{port}: {str(error) or type(error).__name__}"
