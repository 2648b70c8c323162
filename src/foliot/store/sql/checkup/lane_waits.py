"""Which lanes have ready runs and since when, which lanes are needed soon, and how many jobs are overdue."""

from collections.abc import Sequence
from typing import Final

from foliot.domain.instants import Instant
from foliot.ports.store.checkup import WaitingLane
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement

OVERDUE: Final = Statement(
    "SELECT count(*) FROM (SELECT 1 AS one FROM cursors WHERE next_at <= {now} LIMIT :rows) late"
)

FIRST_OF_KIND: Final = Statement(
    """
    SELECT r.lane, r.class, r.priority, r.not_before, {now} AS now FROM runs r
    WHERE r.state = 'PENDING' AND r.parked = 0 AND (r.lane, r.class, r.priority) > (:lane, :class, :priority)
    ORDER BY r.lane, r.class, r.priority, r.not_before LIMIT 1
    """,
    mysql="""
    SELECT r.ready_lane AS lane, r.class, r.priority, r.not_before, {now} AS now FROM runs r FORCE INDEX (runs_ready)
    WHERE r.ready_lane > :lane OR (r.ready_lane = :lane AND r.class > :class)
          OR (r.ready_lane = :lane AND r.class = :class AND r.priority > :priority)
    ORDER BY r.ready_lane, r.class, r.priority, r.not_before LIMIT 1
    """,
)
"""The run that waits longest of the next (lane, class, priority): the index has it first, and no other is read."""

NEEDED_SOON: Final = Statement(
    """
    SELECT DISTINCT v.lane_id FROM (
      SELECT job_id, version FROM cursors WHERE next_at >= 0 ORDER BY next_at LIMIT :rows
    ) c JOIN job_versions v ON v.job_id = c.job_id AND v.version = c.version
    """
)


def overdue(tx: Tx, *, limit: int) -> int:
    """How many jobs have an instant that is due and undecided."""
    return int(tx.value(OVERDUE, {"rows": limit}))


def waiting_lanes(tx: Tx, known: Lanes, *, limit: int) -> Sequence[WaitingLane]:
    """Lanes with a ready run, and those of the jobs that are due next."""
    since = _ready_since(tx, limit)
    soon = [row.lane_id for row in tx.rows(NEEDED_SOON, {"rows": limit})]
    lanes = known.find(tx, {*since, *soon})
    return [WaitingLane(lane, since.get(lane_id)) for lane_id, lane in sorted(lanes.items())]


def _ready_since(tx: Tx, limit: int) -> dict[int, Instant]:
    """By lane, since when its oldest ready run may start. It steps from kind to kind, for a bounded number of them."""
    since: dict[int, Instant] = {}
    after = {"lane": -1, "class": -1, "priority": -1}
    for _ in range(limit):
        found = tx.rows(FIRST_OF_KIND, after)
        if not found:
            break
        lane, class_, priority, not_before, now = found[0]
        after = {"lane": lane, "class": class_, "priority": priority}
        if not_before <= now:
            since[lane] = min(not_before, since.get(lane, not_before))
    return since
