"""The raw twin of leasing and ending: one statement each per batch, on one asyncpg connection."""

import time
from typing import Any

from bench.twin import BATCH

LEASE = """
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

END = """
    UPDATE runs SET state = 'SUCCEEDED', ver = ver + 1, last_lease_id = runs.lease_id, lease_id = NULL, ended_at = $3,
           started_at = $3, deadline_at = NULL, result = 'null'
    FROM unnest($1::bigint[], $2::text[]) AS d(id, lease_id)
    WHERE runs.id = d.id AND runs.lease_id = d.lease_id
"""


class LeasingTwin:
    """Bare SQL on one connection."""

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
            now = int(time.time() * 1_000_000)
            began_at = time.perf_counter()
            rows = await lease.fetch(self._lane, now, batch, self._session, request_no, now // 1_000_000)
            leased_at = time.perf_counter()
            leasing += leased_at - began_at
            if not rows:
                return leasing, ending
            await end.fetch([row["id"] for row in rows], [row["lease_id"] for row in rows], now)
            ending += time.perf_counter() - leased_at
