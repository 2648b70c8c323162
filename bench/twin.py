"""The raw twin: what Foliot writes for a fire, as bare set-based SQL on one asyncpg connection.

It decides nothing and checks nothing; it is the limit that the database and the driver set. Same tables, same indexes,
same columns filled, same batch, same durability. Other benchmarks add their steps here.
"""

import time
from typing import Any

BATCH = 500

TAKE = """
    SELECT job_id, version, next_due_at, cursor_ver FROM cursors
    WHERE next_at <= $1 ORDER BY next_at, job_id LIMIT $2 FOR UPDATE SKIP LOCKED
"""

MOVE = """
    UPDATE cursors SET next_at = d.next_at, next_due_at = d.next_at, cursor_ver = cursor_ver + 1
    FROM unnest($1::int[], $2::bigint[], $3::bigint[]) AS d(job_id, seen, next_at)
    WHERE cursors.job_id = d.job_id AND cursors.cursor_ver = d.seen
"""

INSERT = """
    INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                      parked, follow, state, ver, created_at)
    SELECT job_id, version, 's:' || due_at, -1, due_at, due_at, $5, 0, 5, $6, place, 0, $7, 'PENDING', 1, $8
    FROM unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[]) AS d(job_id, version, due_at, place)
"""


class Twin:
    """Bare SQL on one connection."""

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
