"""Connections to one database that runs take in turns; one that was idle is asked for a sign of life first."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from foliot.worker.handlers.sql.errors import ConnectionLost, StatementRefused
from foliot.worker.handlers.sql.session import SqlSession

RESET_WITHIN_S: Final = 2.0


class SqlPool:
    """At most `size` connections; those idle for `idle_s` are closed. It belongs to one event loop."""

    def __init__(self, connect: Callable[[], Awaitable[SqlSession]], *, size: int, idle_s: float) -> None:
        self._connect = connect
        self._room = asyncio.Semaphore(size)
        self._idle_s = idle_s
        self._idle: list[tuple[float, SqlSession]] = []  # since when, on the loop's clock; the freshest last
        self._timer: asyncio.TimerHandle | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()

    @property
    def idle(self) -> int:
        """How many connections nobody uses."""
        return len(self._idle)

    async def take(self) -> SqlSession:
        """A connection for one run; waits while all are in use. Raises what connecting raises."""
        await self._room.acquire()
        try:
            while self._idle:
                _, session = self._idle.pop()
                if await self._is_alive(session):
                    return session
                session.cut()
            return await self._connect()
        except BaseException:
            self._room.release()
            raise

    async def give_back(self, session: SqlSession) -> None:
        """Another run may have it, as if it were new; if that cannot be, it is dropped."""
        try:
            async with asyncio.timeout(RESET_WITHIN_S):
                await session.reset()
        except (ConnectionLost, StatementRefused, TimeoutError):
            self.drop(session)
        except BaseException:
            self.drop(session)
            raise
        else:
            self._idle.append((self._loop.time(), session))
            self._room.release()
            self._watch()

    async def abandon(self, session: SqlSession) -> None:
        """Its run has failed: take back what was not committed, now, and use it no more."""
        try:
            async with asyncio.timeout(RESET_WITHIN_S):
                if session.is_in_transaction():
                    await session.rollback()
        except (ConnectionLost, StatementRefused, TimeoutError):
            pass  # the database finds the connection closed, and rolls back by itself
        finally:
            self.drop(session)

    def drop(self, session: SqlSession) -> None:
        """It is in no state to be used again."""
        session.cut()
        self._room.release()

    async def close(self) -> None:
        """Close what is idle; what runs still use, they end themselves."""
        if self._timer is not None:
            self._timer.cancel()
        idle, self._idle = self._idle, []
        await asyncio.gather(*(session.close() for _, session in idle), *self._closing, return_exceptions=True)

    async def _is_alive(self, session: SqlSession) -> bool:
        try:
            async with asyncio.timeout(RESET_WITHIN_S):
                await session.check()
        except (ConnectionLost, StatementRefused, TimeoutError):
            return False
        except BaseException:
            session.cut()
            raise
        return True

    def _watch(self) -> None:
        if self._timer is None and self._idle:
            oldest, _ = self._idle[0]
            self._timer = self._loop.call_at(oldest + self._idle_s, self._close_oldest)

    def _close_oldest(self) -> None:
        self._timer = None
        now = self._loop.time()
        while self._idle and self._idle[0][0] + self._idle_s <= now:
            _, session = self._idle.pop(0)
            task = self._loop.create_task(self._closed(session), name="sql.close")
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)
        self._watch()

    async def _closed(self, session: SqlSession) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(RESET_WITHIN_S):
                await session.close()
