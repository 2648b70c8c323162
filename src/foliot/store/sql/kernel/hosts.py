"""Several hosts behind one URL: one that takes writes, however the others fail to.

A host that is down or a standby says so at once. One that says nothing, frozen or cut off while its port is open, must
not cost the others their turn: after a moment the next is asked beside it. The first in order serves, so that servers
with the same URL write to the same host. Where hosts can be ranked all are asked and the highest serves: a primary that
was replaced and does not know it still takes writes, and is not the one to use.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, TypeAlias

Host: TypeAlias = tuple[str, int]
Rank: TypeAlias = Callable[[Any], Awaitable[int]]

PATIENCE_S: Final = 1.0
"""How long a silent host is waited for before the others go on without it."""


class NoWritableHost(ConnectionError):
    """None of the hosts answers and takes writes."""


class Hosts:
    """How connections to some hosts are made, judged and let go.

    `connect` raises where there is none to be had; `is_final` says of its error that no other host will do better.
    `discard` ends a connection that is not wanted.
    """

    def __init__(
        self,
        hosts: Sequence[Host],
        connect: Callable[[Host], Awaitable[Any]],
        *,
        discard: Callable[[Any], object],
        is_final: Callable[[Exception], bool],
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._hosts = hosts
        self._connect = connect
        self._discard = discard
        self._is_final = is_final
        self._patience_s = patience_s

    async def first(self) -> Any:
        """A connection to the first host, in order, that gives one."""
        if len(self._hosts) == 1:
            return await self._connect(self._hosts[0])
        waiting = list(self._hosts)
        asked: dict[asyncio.Future[Any], Host] = {}
        troubles: dict[Host, Exception] = {}
        try:
            while waiting or asked:
                if waiting:
                    host = waiting.pop(0)
                    asked[asyncio.ensure_future(self._connect(host))] = host
                done, _ = await asyncio.wait(
                    asked, timeout=self._patience_s if waiting else None, return_when=asyncio.FIRST_COMPLETED
                )
                for task in sorted(done, key=lambda task: self._hosts.index(asked[task])):
                    host = asked.pop(task)
                    if (found := self._connection(task, host, troubles)) is not None:
                        return found
            raise self._none(troubles)
        finally:
            self._let_go(asked)

    async def highest(self, rank: Rank) -> Any:
        """A connection to the host of the highest rank among those that give one; in doubt the first in order."""
        if len(self._hosts) == 1:
            return await self._connect(self._hosts[0])
        asked: dict[asyncio.Future[Any], Host] = {
            asyncio.ensure_future(self._ranked(host, rank)): host for host in self._hosts
        }
        found: list[tuple[int, int, Any]] = []
        troubles: dict[Host, Exception] = {}
        try:
            while asked:
                done, _ = await asyncio.wait(
                    asked, timeout=self._patience_s if found else None, return_when=asyncio.FIRST_COMPLETED
                )
                if not done:
                    break  # whoever still says nothing is not waited for
                for task in done:
                    host = asked.pop(task)
                    if (error := task.exception()) is None:
                        rank_of, connection = task.result()
                        found.append((rank_of, -self._hosts.index(host), connection))
                    elif isinstance(error, Exception):
                        troubles[host] = error
                    else:
                        raise error
            if not found:
                raise next(filter(self._is_final, troubles.values()), None) or self._none(troubles)
            found.sort(key=lambda one: one[:2])
            return found.pop()[2]
        finally:
            for _, _, connection in found:
                self._discard(connection)
            self._let_go(asked, lambda ranked: self._discard(ranked[1]))

    async def _ranked(self, host: Host, rank: Rank) -> tuple[int, Any]:
        connection = await self._connect(host)
        try:
            return await rank(connection), connection
        except BaseException:
            self._discard(connection)
            raise

    def _connection(self, task: asyncio.Future[Any], host: Host, troubles: dict[Host, Exception]) -> Any:
        """What a host gave; None, and why, if nothing."""
        error = task.exception()
        if error is None:
            return task.result()
        if not isinstance(error, Exception) or self._is_final(error):
            raise error
        troubles[host] = error
        return None

    def _let_go(self, asked: dict[asyncio.Future[Any], Host], discard: Callable[[Any], object] | None = None) -> None:
        def end(late: asyncio.Future[Any]) -> None:
            if not late.cancelled() and late.exception() is None:
                (discard or self._discard)(late.result())

        for task in asked:
            task.add_done_callback(end)
            task.cancel()

    def _none(self, troubles: dict[Host, Exception]) -> NoWritableHost:
        return NoWritableHost("; ".join(_said(host, troubles[host]) for host in self._hosts))


def _said(host: Host, error: Exception) -> str:
    name, port = host
    return f"{name}:{port}: {str(error) or type(error).__name__}"


def host_and_port(written: str, usual: int = 5432) -> Host:
    """A host as written in a URL: `db1`, `db1:5433`, `[::1]:5433`."""
    host, _, port = written.rpartition(":") if ":" in written.rpartition("]")[2] else (written, "", "")
    return (host or written).strip("[]"), int(port or usual)
