"""The raw twin on MariaDB and MySQL: one asyncmy connection, the rows of a batch as one text."""

import json
import time
from typing import Any, Final

from foliot.domain.instants import HOUR, SECOND, Instant
from foliot_bench.moments import now as instant_now
from foliot_bench.twins.raw import BATCH, SESSION

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
                      parked, follow, state, ver, created_at) VALUES
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
    UPDATE JSON_TABLE(%s, '$[*]' COLUMNS (id BIGINT PATH '$[0]',
                                          lease_id VARCHAR(32) COLLATE utf8mb4_bin PATH '$[1]')) AS d
    STRAIGHT_JOIN runs ON runs.id = d.id
    SET runs.state = 'SUCCEEDED', runs.ver = runs.ver + 1, runs.last_lease_id = runs.lease_id,
        runs.lease_id = NULL, runs.ended_at = %s, runs.started_at = %s, runs.deadline_at = NULL, runs.result = 'null'
    WHERE runs.lease_id = d.lease_id
"""


class MariaDbTwin:
    """Bare SQL on one connection."""

    def __init__(self, connection: Any, *, lane: int, serial: int, follow: int) -> None:
        self._connection = connection
        self._traits = (lane, serial, follow)

    async def fire(self, at: Instant) -> float:
        began_at = time.perf_counter()
        async with self._connection.cursor() as cursor:
            while await self._fire_batch(cursor, at):
                pass
        return time.perf_counter() - began_at

    async def _fire_batch(self, cursor: Any, at: Instant) -> int:
        lane, serial, follow = self._traits
        await cursor.execute(TAKE, (at, BATCH))
        rows = await cursor.fetchall()
        if rows:
            await cursor.execute(MOVE, (json.dumps([(job, seen, due + HOUR) for job, _, due, seen in rows]),))
            # All are whole numbers: one statement of many rows, which is the quickest way in there is.
            values = ", ".join(
                f"({job}, {version}, 's:{due}', -1, {due}, {due}, {lane}, 0, 5, {serial}, {seen + 1}, 0, {follow}, "
                f"'PENDING', 1, {at})"
                for job, version, due, seen in rows
            )
            await cursor.execute(INSERT + values)
        await self._connection.commit()
        return len(rows)

    async def lease_and_end(self) -> float:
        began_at = time.perf_counter()
        number = 0
        async with self._connection.cursor() as cursor:
            while await self._lease_batch(cursor, number := number + 1):
                pass
        return time.perf_counter() - began_at

    async def _lease_batch(self, cursor: Any, number: int) -> int:
        now = instant_now()
        await cursor.execute(READY, (self._traits[0], now, BATCH))
        rows = await cursor.fetchall()
        leases = sorted((row[0], f"{row[0]:032x}", (now // SECOND << 28) + row[3] + 1) for row in rows)
        if rows:
            await cursor.execute(LEASE, (json.dumps(leases), SESSION, number, now, now + 60 * SECOND))
        await self._connection.commit()
        if rows:
            await cursor.execute(END, (json.dumps([lease[:2] for lease in leases]), now, now))
            await self._connection.commit()
        return len(rows)
