"""Stopping one client in the middle of its transaction, and seeing that another really waits for it."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import asyncmy
import asyncpg
from sqlalchemy.util import await_only

from foliot.store.sql.kernel.dialects.mariadb import DEADLOCK
from foliot.store.sql.store import SqlStore
from tests.eventually import soon
from tests.sql.interleavings.naive_mariadb import NaiveMariaDB
from tests.sql.world import World

T = TypeVar("T")

BLOCKED = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0
"""


BLOCKED_MARIADB = "SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"


class Halt:
    """A client that stops when its transaction comes to a named place, once, until it is told to go on."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.store: SqlStore
        self._reached = asyncio.Event()
        self._go_on = asyncio.Event()
        self._task: asyncio.Task[Any] | None = None

    def __call__(self, name: str) -> None:
        if name == self.place and not self._reached.is_set():
            self._reached.set()
            await_only(self._go_on.wait())

    async def start(self, work: Coroutine[Any, Any, T]) -> None:
        """Let the client work until it stands at the place."""
        self._task = asyncio.create_task(work)
        reached = asyncio.create_task(self._reached.wait())
        done, _ = await asyncio.wait({self._task, reached}, return_when=asyncio.FIRST_COMPLETED)
        if self._task in done:
            reached.cancel()
            raise AssertionError(f"it never came to {self.place}: {self._task.result()!r}")

    async def finish(self) -> Any:
        """Let it go on to its end; what its work returned."""
        assert self._task is not None
        self._go_on.set()
        return await self._task


async def halting(world: World, place: str) -> Halt:
    """A client of its own that will stop at this place."""
    halt = Halt(place)
    halt.store = await world.open(point=halt)
    return halt


async def patient(world: World) -> SqlStore:
    """A client that waits for locks as long as it takes."""
    return await world.open()


async def until_blocked(world: World, *waiting: "asyncio.Task[Any]", blocked: int = 1) -> None:
    """Wait until so many clients of this database really wait for another's lock."""

    async def waits() -> bool:
        for task in waiting:
            assert not task.done(), f"it did not wait: {task.result()!r}"
        return bool(await world.value(BLOCKED if world.engine == "postgresql" else BLOCKED_MARIADB) >= blocked)

    # MariaDB shows its transactions from a cache, renewed only when nobody has looked for a tenth of a second.
    await soon(
        waits, step_s=0.02 if world.engine == "postgresql" else 0.15, within_s=60, what="a client waiting for a lock"
    )


def is_deadlock(outcome: object) -> bool:
    """Whether the database ended a circle of waiting here."""
    if isinstance(outcome, asyncpg.DeadlockDetectedError):
        return True
    return isinstance(outcome, asyncmy.errors.Error) and outcome.args[0] == DEADLOCK


@asynccontextmanager
async def naive(world: World) -> AsyncIterator[Any]:
    """A bare connection, for the statement somebody might have written instead."""
    bare = asyncpg if world.engine == "postgresql" else NaiveMariaDB
    connection = await bare.connect(world.url)
    try:
        yield connection
    finally:
        await connection.close()
