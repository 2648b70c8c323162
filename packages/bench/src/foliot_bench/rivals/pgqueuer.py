"""PgQueuer, a queue in PostgreSQL for Python: as many entries as Foliot has runs, drained by one worker process.

Its worker takes entries from the database itself, in batches of 500, executes an `async def` that does nothing, and
records each end in its log table. Time runs from the first entry it picked until another connection sees its queue
empty. Its tables are durable, as Foliot's are.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from foliot_bench.cost import Cost
from foliot_bench.moments import CLOCK, now_s, pause
from foliot_bench.places import connection_to
from foliot_bench.troubles import BenchFailed

NAME: Final = "pgqueuer"
BATCH: Final = 500
ENTRYPOINT: Final = "noop"
WITHIN_S: Final = 300.0
START_WITHIN_S: Final = 60.0
LOOK_EVERY_S: Final = 0.01
SLICE: Final = 10_000

_LEFT: Final = "SELECT EXISTS (SELECT 1 FROM pgqueuer)"
_FIRST_PICKED: Final = "SELECT extract(epoch FROM min(created)) FROM pgqueuer_log WHERE status = 'picked'"
_SUCCESSFUL: Final = "SELECT count(*) FROM pgqueuer_log WHERE status = 'successful'"


def installed_version() -> str | None:
    """Which PgQueuer is installed here; None: none."""
    try:
        return version(NAME)
    except PackageNotFoundError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class PgQueuer:
    """Its queue, and a worker process that waits for the word."""

    connection: Any
    queries: Any
    worker: asyncio.subprocess.Process
    database: dict[str, int]  # the database server's process, if that is known

    async def drain(self, entries: int) -> tuple[float, dict[str, float]]:
        """The seconds in which it empties a queue of so many entries, and the CPU seconds of its processes."""
        await self.queries.clear_queue()
        await self.queries.clear_queue_log()
        for first in range(0, entries, SLICE):
            some = min(SLICE, entries - first)
            await self.queries.enqueue([ENTRYPOINT] * some, [None] * some, [0] * some)
        await self.connection.execute("VACUUM ANALYZE pgqueuer")
        cost = Cost({NAME: self.worker.pid, **self.database})
        ended_at = await self._emptied()
        spent = cost.spent()
        first_at = float(await self.connection.fetchval(_FIRST_PICKED))
        await self.heard("over", within_s=WITHIN_S)
        ended = await self.connection.fetchval(_SUCCESSFUL)
        if ended != entries:
            raise BenchFailed(f"PgQueuer executed {ended} of {entries} entries.")
        return ended_at - first_at, spent

    async def _emptied(self) -> float:
        """Give the worker the word; the time by the clock when its queue is empty, in seconds."""
        assert self.worker.stdin is not None
        self.worker.stdin.write(b"go\n")
        deadline = CLOCK.monotonic() + WITHIN_S
        while await self.connection.fetchval(_LEFT):
            if self.worker.returncode is not None or CLOCK.monotonic() > deadline:
                raise BenchFailed("PgQueuer's worker did not empty its queue.")
            await pause(LOOK_EVERY_S)
        return now_s()

    async def heard(self, word: str, *, within_s: float) -> None:
        """Wait until the worker says this word."""
        assert self.worker.stdout is not None
        async with asyncio.timeout(within_s):
            said = await self.worker.stdout.readline()
        if said.decode().strip() != word:
            raise BenchFailed(f"PgQueuer's worker said {said!r}, and not {word!r}.")


@asynccontextmanager
async def pgqueuer(url: str, *, database: dict[str, int]) -> AsyncIterator[PgQueuer]:
    """PgQueuer's tables in a database, and its worker, as long as this block runs."""
    from pgqueuer.queries import Queries

    async with connection_to(url) as connection:
        queries = Queries.from_asyncpg_connection(connection)
        await queries.install()
        worker = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "foliot_bench.rivals.pgqueuer_worker", url, str(BATCH)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        try:
            rival = PgQueuer(connection=connection, queries=queries, worker=worker, database=database)
            await rival.heard("ready", within_s=START_WITHIN_S)
            yield rival
        finally:
            if worker.returncode is None:
                worker.kill()
            await worker.wait()
            await queries.uninstall()
