"""A driver that blocks, in a thread of its own: the loop goes on, and other work finds its threads free."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from foliot.worker.daemon_threads import DaemonThreads
from foliot.worker.handlers.sql.errors import ConnectionLost

T = TypeVar("T")


class OwnThread:
    """One thread that does one thing after the other."""

    def __init__(self, name: str) -> None:
        self._executor = DaemonThreads(1, name)

    async def do(self, work: Callable[..., T], *arguments: Any) -> T:
        try:
            waiting = asyncio.get_running_loop().run_in_executor(self._executor, work, *arguments)
        except RuntimeError:
            raise ConnectionLost("it is closed") from None
        return await waiting

    def soon(self, work: Callable[[], None]) -> None:
        """Do this before whatever comes next. Does not wait."""
        try:
            self._executor.submit(work)
        except RuntimeError:
            raise ConnectionLost("it is closed") from None

    def end(self, last: Callable[[], None]) -> None:
        """Do one last thing when the thread comes to it, and nothing after it. Does not wait."""
        try:
            self._executor.submit(last)
        except RuntimeError:
            return  # it has ended before
        self._executor.shutdown(wait=False)


async def stopped(work: "asyncio.Task[Any]", ask: Callable[[], None], *, every_s: float = 0.05) -> None:
    """Ask until the work is over: a driver forgets what it is asked before its statement has begun."""
    while not work.done():
        ask()
        await asyncio.wait({work}, timeout=every_s)
