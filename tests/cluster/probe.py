"""Writes to the store past Foliot, again and again: when it took writes, and when it did not."""

import asyncio
import contextlib
import time
from collections.abc import Sequence
from itertools import pairwise
from types import TracebackType
from typing import Any, NamedTuple, Self

from foliot.store.sql.kernel.dialects import mariadb_connect
from foliot.store.sql.kernel.dialects.mariadb_pools import mariadb_target
from foliot.store.sql.kernel.dialects.postgresql_pools import connect_postgresql

STEP_S = 0.05
ANSWER_WITHIN_S = 2.0
LIMITS = mariadb_connect.SessionLimits(statement_s=ANSWER_WITHIN_S, lock_s=1, idle_s=10)


class Outage(NamedTuple):
    """The longest time without an acknowledged write, in seconds since the epoch."""

    began_at: float
    ended_at: float

    @property
    def lasted_s(self) -> float:
        return self.ended_at - self.began_at


class Probe:
    """One writer; `async with Probe(url) as probe`."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Any = None
        self._over = asyncio.Event()
        self.written_at: list[float] = []

    async def __aenter__(self) -> Self:
        await self._open()
        await self._do("CREATE TABLE probe (n INT NOT NULL)")
        await self._do("INSERT INTO probe VALUES (0)")
        self._task = asyncio.create_task(self._write())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        await self._task
        self._drop()

    def outage(self, since: float) -> Outage:
        """The longest from just before `since` on."""
        before = [at for at in self.written_at if at < since][-1:] or [since]
        times: Sequence[float] = [*before, *(at for at in self.written_at if at >= since)]
        gaps = [Outage(earlier, later) for earlier, later in pairwise(times)]
        return max(gaps, key=lambda gap: gap.lasted_s)

    async def _write(self) -> None:
        while not self._over.is_set():
            try:
                async with asyncio.timeout(ANSWER_WITHIN_S):
                    if self._connection is None:
                        await self._open()
                    await self._do("UPDATE probe SET n = n + 1")
                self.written_at.append(time.time())
            except Exception:
                self._drop()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), STEP_S)

    async def _open(self) -> None:
        if self._url.startswith("mysql"):
            target = mariadb_target(self._url, connect_s=ANSWER_WITHIN_S)
            self._connection = await mariadb_connect.connect(target, LIMITS)
        else:
            self._connection = await connect_postgresql(self._url, {}, within_s=ANSWER_WITHIN_S)

    async def _do(self, sql: str) -> None:
        if self._url.startswith("mysql"):
            async with self._connection.cursor() as cursor:
                await cursor.execute(sql)
            await self._connection.commit()
        else:
            await self._connection.execute(sql)

    def _drop(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(Exception):
                self._connection.close() if self._url.startswith("mysql") else self._connection.terminate()
            self._connection = None
