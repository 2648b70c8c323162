"""The raw twin on SQLite: one connection, `BEGIN IMMEDIATE`, WAL, synchronous FULL, the rows of a batch in one call."""

import sqlite3
import time
from typing import Final

from foliot.domain.instants import HOUR, SECOND, Instant
from foliot_bench.moments import now as instant_now
from foliot_bench.twins.raw import BATCH, SESSION

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


class SqliteTwin:
    """Bare SQL on one connection."""

    def __init__(self, path: str, *, lane: int, serial: int, follow: int) -> None:
        self._traits = (lane, serial, follow)
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
        rows = execute(TAKE, (at, BATCH)).fetchall()
        self._connection.executemany(MOVE, [(due + HOUR, due + HOUR, job, seen) for job, _, due, seen in rows])
        self._connection.executemany(
            INSERT,
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
        now = instant_now()
        execute = self._connection.execute
        execute("BEGIN IMMEDIATE")
        rows = execute(READY, (self._traits[0], now, BATCH)).fetchall()
        leases = [(f"{row[0]:032x}", row[0], (now // SECOND << 28) + row[3] + 1) for row in rows]
        self._connection.executemany(
            LEASE, [(lease, SESSION, number, fence, now, now + 60 * SECOND, run) for lease, run, fence in leases]
        )
        execute("COMMIT")
        if not rows:
            return 0
        execute("BEGIN IMMEDIATE")
        self._connection.executemany(END, [(now, now, run, lease) for lease, run, _ in leases])
        execute("COMMIT")
        return len(rows)
