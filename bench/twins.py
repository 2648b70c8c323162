"""The raw twins end to end: fire, lease and end as bare set-based SQL on one connection, batch 500.

They decide nothing and check nothing; each is the limit that its database and its driver set. Same migrated tables,
same indexes, same columns filled, same durability as Foliot's.
"""

import json
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

import asyncpg
import pymysql

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
    if url.startswith("mysql:"):
        raw_mariadb = MariaDbTwin(url, place)
        try:
            yield raw_mariadb
        finally:
            raw_mariadb.close()
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


class MariaDbTwin:
    """The same on MariaDB: one connection, rows of a batch as one JSON text."""

    TAKE: Final = """
        SELECT job_id, version, next_due_at, cursor_ver FROM cursors
        WHERE next_at <= %s ORDER BY next_at, job_id LIMIT %s FOR UPDATE SKIP LOCKED
    """
    MOVE: Final = """
        UPDATE JSON_TABLE(%s, '$[*]' COLUMNS (job_id INT PATH '$[0]', seen BIGINT PATH '$[1]',
                                              next_at BIGINT PATH '$[2]')) AS d
        STRAIGHT_JOIN cursors ON cursors.job_id = d.job_id
        SET cursors.next_at = d.next_at, cursors.next_due_at = d.next_at, cursors.cursor_ver = cursors.cursor_ver + 1
        WHERE cursors.cursor_ver = d.seen
    """
    INSERT: Final = """
        INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                          parked, follow, state, ver, created_at)
        VALUES (%s, %s, %s, -1, %s, %s, %s, 0, 5, %s, %s, 0, %s, 'PENDING', 1, %s)
    """
    READY: Final = """
        SELECT id, job_id, version, attempt, due_at, params, checkpoint FROM runs
        WHERE ready_lane = %s AND class = 0 AND priority = 5 AND not_before <= %s
        ORDER BY not_before, id LIMIT %s FOR UPDATE SKIP LOCKED
    """
    LEASE: Final = """
        UPDATE JSON_TABLE(%s, '$[*]' COLUMNS (id BIGINT PATH '$[0]', lease_id VARCHAR(32) PATH '$[1]',
                                              fence BIGINT PATH '$[2]')) AS d
        STRAIGHT_JOIN runs ON runs.id = d.id
        SET runs.state = 'RUNNING', runs.ver = runs.ver + 1, runs.attempt = runs.attempt + 1,
            runs.lease_id = d.lease_id, runs.session_id = %s, runs.request_no = %s, runs.fence = d.fence,
            runs.leased_at = %s, runs.deadline_at = %s
    """
    END: Final = """
        UPDATE JSON_TABLE(%s, '$[*]' COLUMNS (id BIGINT PATH '$[0]', lease_id VARCHAR(32) PATH '$[1]')) AS d
        STRAIGHT_JOIN runs ON runs.id = d.id
        SET runs.state = 'SUCCEEDED', runs.ver = runs.ver + 1, runs.last_lease_id = runs.lease_id,
            runs.lease_id = NULL, runs.ended_at = %s, runs.started_at = %s, runs.deadline_at = NULL,
            runs.result = 'null'
        WHERE runs.lease_id = d.lease_id
    """

    def __init__(self, url: str, place: Ground) -> None:
        parts = urlsplit(url)
        self._traits = (place.lane, place.serial, place.follow)
        self._connection = pymysql.connect(
            host=parts.hostname, port=parts.port or 3306, user=parts.username, password=parts.password or "",
            database=parts.path.strip("/"), autocommit=False, charset="utf8mb4",
        )  # fmt: skip
        self._cursor = self._connection.cursor()
        self._cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")

    def close(self) -> None:
        self._connection.close()

    async def fire(self, at: Instant) -> float:
        began_at = time.perf_counter()
        while self._fire_batch(at):
            pass
        return time.perf_counter() - began_at

    def _fire_batch(self, at: Instant) -> int:
        lane, serial, follow = self._traits
        cursor = self._cursor
        cursor.execute(self.TAKE, (at, BATCH))
        rows = cursor.fetchall()
        if rows:
            cursor.execute(self.MOVE, (json.dumps([(job, seen, due + HOUR) for job, _, due, seen in rows]),))
            cursor.executemany(
                self.INSERT,
                [
                    (job, version, f"s:{due}", due, due, lane, serial, seen + 1, follow, at)
                    for job, version, due, seen in rows
                ],
            )
        self._connection.commit()
        return len(rows)

    async def lease_and_end(self) -> float:
        began_at = time.perf_counter()
        number = 0
        while self._lease_batch(number := number + 1):
            pass
        return time.perf_counter() - began_at

    def _lease_batch(self, number: int) -> int:
        now = int(time.time() * 1_000_000)
        cursor = self._cursor
        cursor.execute(self.READY, (self._traits[0], now, BATCH))
        rows = cursor.fetchall()
        leases = sorted((row[0], f"{row[0]:032x}", (now // 1_000_000 << 28) + row[3] + 1) for row in rows)
        if rows:
            cursor.execute(self.LEASE, (json.dumps(leases), SESSION, number, now, now + 60_000_000))
        self._connection.commit()
        if rows:
            cursor.execute(self.END, (json.dumps([lease[:2] for lease in leases]), now, now))
            self._connection.commit()
        return len(rows)


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
