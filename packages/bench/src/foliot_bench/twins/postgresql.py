"""The raw twin on PostgreSQL: what Foliot writes for a fire, a lease and an end, on one asyncpg connection.

It decides nothing and checks nothing; it is the limit that the database and the driver set. Same tables, same indexes,
same columns filled, same batch, same durability.
"""

import time
from typing import Any, Final

from foliot.domain.instants import HOUR, SECOND, Instant
from foliot_bench.moments import now as instant_now
from foliot_bench.twins.raw import BATCH, SESSION

TAKE: Final = """
    SELECT job_id, version, next_due_at, cursor_ver FROM cursors
    WHERE next_at <= $1 ORDER BY next_at, job_id LIMIT $2 FOR UPDATE SKIP LOCKED
"""
MOVE: Final = """
    UPDATE cursors SET next_at = d.next_at, next_due_at = d.next_at, cursor_ver = cursor_ver + 1
    FROM unnest($1::int[], $2::bigint[], $3::bigint[]) AS d(job_id, seen, next_at)
    WHERE cursors.job_id = d.job_id AND cursors.cursor_ver = d.seen
"""
INSERT: Final = """
    INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                      parked, follow, state, ver, created_at)
    SELECT job_id, version, 's:' || due_at, -1, due_at, due_at, $5, 0, 5, $6, place, 0, $7, 'PENDING', 1, $8
    FROM unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[]) AS d(job_id, version, due_at, place)
"""
LEASE: Final = """
    WITH ready AS MATERIALIZED (
      SELECT id FROM runs WHERE state = 'PENDING' AND parked = 0 AND lane = $1 AND class = 0 AND priority = 5
             AND not_before <= $2
      ORDER BY not_before, id LIMIT $3 FOR UPDATE SKIP LOCKED
    )
    UPDATE runs SET state = 'RUNNING', ver = ver + 1, attempt = attempt + 1,
           lease_id = replace(gen_random_uuid()::text, '-', ''), session_id = $4, request_no = $5,
           fence = ($6::bigint << 28) + attempt + 1, leased_at = $2, deadline_at = $2 + 60000000
    FROM ready WHERE runs.id = ready.id
    RETURNING runs.id, job_id, version, attempt, lease_id, fence, due_at, params, checkpoint
"""
END: Final = """
    UPDATE runs SET state = 'SUCCEEDED', ver = ver + 1, last_lease_id = runs.lease_id, lease_id = NULL, ended_at = $3,
           started_at = $3, deadline_at = NULL, result = 'null'
    FROM unnest($1::bigint[], $2::text[]) AS d(id, lease_id)
    WHERE runs.id = d.id AND runs.lease_id = d.lease_id
"""


class FiringTwin:
    """Bare SQL on one connection: firing."""

    def __init__(self, connection: Any, *, lane: int, serial: int, follow: int) -> None:
        self._connection = connection
        self._traits = (lane, serial, follow)

    async def fire_all(self, now: int, interval_us: int, *, batch: int = BATCH) -> float:
        """Fire everything due by `now`, batch by batch; seconds it took."""
        take = await self._connection.prepare(TAKE)
        move = await self._connection.prepare(MOVE)
        insert = await self._connection.prepare(INSERT)
        lane, serial, follow = self._traits
        began_at = time.perf_counter()
        while True:
            async with self._connection.transaction():
                rows = await take.fetch(now, batch)
                if not rows:
                    return time.perf_counter() - began_at
                jobs, versions, dues, seen = (list(column) for column in zip(*rows, strict=True))
                await move.fetch(jobs, seen, [due + interval_us for due in dues])
                places = [ver + 1 for ver in seen]
                await insert.fetch(jobs, versions, dues, places, lane, serial, follow, now)


class LeasingTwin:
    """Bare SQL on one connection: leasing and ending."""

    def __init__(self, connection: Any, *, lane: int, session: str) -> None:
        self._connection = connection
        self._lane = lane
        self._session = session

    async def lease_and_end(self, *, batch: int = BATCH) -> tuple[float, float]:
        """Lease and end whatever is ready, batch by batch: seconds spent leasing, and ending."""
        lease = await self._connection.prepare(LEASE)
        end = await self._connection.prepare(END)
        leasing = ending = 0.0
        request_no = 0
        while True:
            request_no += 1
            now = instant_now()
            began_at = time.perf_counter()
            rows = await lease.fetch(self._lane, now, batch, self._session, request_no, now // SECOND)
            leased_at = time.perf_counter()
            leasing += leased_at - began_at
            if not rows:
                return leasing, ending
            await end.fetch([row["id"] for row in rows], [row["lease_id"] for row in rows], now)
            ending += time.perf_counter() - leased_at


class PostgresTwin:
    """One after the other."""

    def __init__(self, connection: Any, *, lane: int, serial: int, follow: int) -> None:
        self._fire = FiringTwin(connection, lane=lane, serial=serial, follow=follow)
        self._lease = LeasingTwin(connection, lane=lane, session=SESSION)

    async def fire(self, at: Instant) -> float:
        return await self._fire.fire_all(at, HOUR)

    async def lease_and_end(self) -> float:
        return sum(await self._lease.lease_and_end())
