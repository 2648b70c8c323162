"""The raw twins end to end: fire, lease and end as bare set-based SQL on one connection, batch 500.

They decide nothing and check nothing; each is the limit that its database and its driver set. Same migrated tables,
same indexes, same columns filled, same durability as Foliot's.
"""

import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final, Protocol

import asyncpg

from bench.ground import Ground
from bench.leasing_twin import LeasingTwin
from bench.twin import BATCH, Twin
from foliot.domain.instants import HOUR, Instant

SESSION: Final = "b" * 32


class RawTwin(Protocol):
    """What a benchmark asks of a twin."""

    async def fire(self, at: Instant) -> float:
        """Fire everything due by `at`; seconds."""
        ...

    async def lease_and_end(self) -> float:
        """Lease and end whatever is ready; seconds."""
        ...


@asynccontextmanager
async def twin_of(url: str, place: Ground) -> AsyncIterator[RawTwin]:
    """The twin on a database that holds the same jobs as Foliot's."""
    if url.startswith("sqlite:"):
        raw = SqliteTwin(url.partition(":///")[2], place)
        try:
            yield raw
        finally:
            raw.close()
        return
    connection = await asyncpg.connect(url)
    try:
        yield PostgresTwin(connection, place)
    finally:
        await connection.close()


class PostgresTwin:
    """`Twin` and `LeasingTwin` one after the other."""

    def __init__(self, connection: Any, place: Ground) -> None:
        self._fire = Twin(connection, lane=place.lane, serial=place.serial, follow=place.follow)
        self._lease = LeasingTwin(connection, lane=place.lane, session=SESSION)

    async def fire(self, at: Instant) -> float:
        return await self._fire.fire_all(at, HOUR)

    async def lease_and_end(self) -> float:
        return sum(await self._lease.lease_and_end())


class SqliteTwin:
    """The same on SQLite: one connection, `BEGIN IMMEDIATE`, WAL, synchronous FULL, rows as one JSON text."""

    TAKE: Final = """
        SELECT job_id, version, next_due_at, cursor_ver FROM cursors
        WHERE next_at <= ? ORDER BY next_at, job_id LIMIT ?
    """
    MOVE: Final = """
        UPDATE cursors SET next_at = ?, next_due_at = ?, cursor_ver = cursor_ver + 1
        WHERE job_id = ? AND cursor_ver = ?
    """
    INSERT: Final = """
        INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                          parked, follow, state, ver, created_at)
        VALUES (?, ?, ?, -1, ?, ?, ?, 0, 5, ?, ?, 0, ?, 'PENDING', 1, ?)
    """
    READY: Final = """
        SELECT id, job_id, version, attempt, due_at, params, checkpoint FROM runs
        WHERE state = 'PENDING' AND parked = 0 AND lane = ? AND class = 0 AND priority = 5 AND not_before <= ?
        ORDER BY not_before, id LIMIT ?
    """
    LEASE: Final = """
        UPDATE runs SET state = 'RUNNING', ver = ver + 1, attempt = attempt + 1, lease_id = ?, session_id = ?,
               request_no = ?, fence = ?, leased_at = ?, deadline_at = ?
        WHERE id = ?
    """
    END: Final = """
        UPDATE runs SET state = 'SUCCEEDED', ver = ver + 1, last_lease_id = lease_id, lease_id = NULL, ended_at = ?,
               started_at = ?, deadline_at = NULL, result = 'null'
        WHERE id = ? AND lease_id = ?
    """

    def __init__(self, path: str, place: Ground) -> None:
        self._traits = (place.lane, place.serial, place.follow)
        self._connection = sqlite3.connect(path, isolation_level=None)
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "temp_store = MEMORY"):
            self._connection.execute(f"PRAGMA {pragma}")

    def close(self) -> None:
        self._connection.close()

    async def fire(self, at: Instant) -> float:
        began_at = time.perf_counter()
        while self._fire_batch(at):
            pass
        return time.perf_counter() - began_at

    def _fire_batch(self, at: Instant) -> int:
        lane, serial, follow = self._traits
        execute = self._connection.execute
        execute("BEGIN IMMEDIATE")
        rows = execute(self.TAKE, (at, BATCH)).fetchall()
        self._connection.executemany(self.MOVE, [(due + HOUR, due + HOUR, job, seen) for job, _, due, seen in rows])
        self._connection.executemany(
            self.INSERT,
            [
                (job, version, f"s:{due}", due, due, lane, serial, seen + 1, follow, at)
                for job, version, due, seen in rows
            ],
        )
        execute("COMMIT")
        return len(rows)

    async def lease_and_end(self) -> float:
        began_at = time.perf_counter()
        number = 0
        while self._lease_batch(number := number + 1):
            pass
        return time.perf_counter() - began_at

    def _lease_batch(self, number: int) -> int:
        now = int(time.time() * 1_000_000)
        execute = self._connection.execute
        execute("BEGIN IMMEDIATE")
        rows = execute(self.READY, (self._traits[0], now, BATCH)).fetchall()
        leases = [(f"{row[0]:032x}", row[0], (now // 1_000_000 << 28) + row[3] + 1) for row in rows]
        self._connection.executemany(
            self.LEASE, [(lease, SESSION, number, fence, now, now + 60_000_000, run) for lease, run, fence in leases]
        )
        execute("COMMIT")
        if not rows:
            return 0
        execute("BEGIN IMMEDIATE")
        self._connection.executemany(self.END, [(now, now, run, lease) for lease, run, _ in leases])
        execute("COMMIT")
        return len(rows)
