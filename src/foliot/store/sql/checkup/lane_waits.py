"""Which lanes have ready runs and since when, which lanes are needed soon, and how many jobs are overdue."""

from collections.abc import Mapping, Sequence
from typing import Final

from foliot.domain.checkup.facts import ShortLimit
from foliot.domain.instants import Instant
from foliot.domain.job import Lane
from foliot.domain.limits import limit_name, tokens_of
from foliot.ports.store.checkup import WaitingLane
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement, keys
from foliot.store.sql.leasing.assigned import ASSIGNED
from foliot.store.sql.people.limit_use import MOST

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

FIRST_OF_QUEUE: Final = Statement(
    f"""
    SELECT r.assigned_to, r.lane, r.not_before, {{now}} AS now FROM runs r
    WHERE {ASSIGNED} AND (r.assigned_to, r.lane) > (:session, :lane)
    ORDER BY r.assigned_to, r.lane, r.assigned_rank LIMIT 1
    """,
    mysql=f"""
    SELECT r.assigned_to, r.lane, r.not_before, {{now}} AS now FROM runs r FORCE INDEX (runs_assigned)
    WHERE {ASSIGNED} AND (r.assigned_to > :session OR (r.assigned_to = :session AND r.lane > :lane))
    ORDER BY r.assigned_to, r.lane, r.assigned_rank LIMIT 1
    """,
)
"""Of the runs that a route meant for the next (worker, lane) the one whose turn it is."""

SOON_MAX: Final = 100
NEEDED_SOON: Final = Statement(
    f"""
    SELECT DISTINCT v.lane_id FROM (
      SELECT job_id, version FROM cursors WHERE next_at >= 0 ORDER BY next_at LIMIT {SOON_MAX}
    ) c JOIN job_versions v ON v.job_id = c.job_id AND v.version = c.version
    """
)
"""With a limit that PostgreSQL does not know beforehand, it would read the versions of all jobs."""


def overdue(tx: Tx, *, limit: int) -> int:
    """How many jobs have an instant that is due and undecided."""
    return int(tx.value(OVERDUE, {"rows": limit}))


def waiting_lanes(tx: Tx, known: Lanes, *, limit: int) -> Sequence[WaitingLane]:
    """Lanes with a ready run, assigned or not, and those of the jobs that are due next."""
    since = _ready_since(tx, limit)
    for lane_id, waits_since in _assigned_since(tx, limit).items():
        since[lane_id] = min(waits_since, since.get(lane_id, waits_since))
    soon = [row.lane_id for row in tx.rows(NEEDED_SOON)]
    lanes = known.find(tx, {*since, *soon})
    short = _short_limits(tx, lanes)
    return [
        WaitingLane(
            lanes[lane_id],
            since.get(lane_id),
            short.get(lane_id),
        )
        for lane_id in sorted(lanes)
    ]


def _short_limits(tx: Tx, lanes: Mapping[int, Lane]) -> dict[int, ShortLimit]:
    """Lanes whose runs take more of a limit than there is. Nothing is read where every run takes one."""
    heavy = {lane_id: {key: n for key, n in tokens_of(lane.limits).items() if n > 1} for lane_id, lane in lanes.items()}
    names = {key for takes in heavy.values() for key in takes}
    if not names:
        return {}
    maxima = tx.pairs(MOST, d=keys(sorted(names)))
    return {
        lane_id: ShortLimit(limit_name(key), n, int(maxima[key]))
        for lane_id, takes in heavy.items()
        for key, n in takes.items()
        if key in maxima and n > maxima[key]
    }


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


def _assigned_since(tx: Tx, limit: int) -> dict[int, Instant]:
    """The same of runs that wait for the worker that their route named."""
    since: dict[int, Instant] = {}
    after: dict[str, str | int] = {"session": "", "lane": -1}
    for _ in range(limit):
        found = tx.rows(FIRST_OF_QUEUE, after)
        if not found:
            break
        session, lane, not_before, now = found[0]
        after = {"session": session, "lane": lane}
        if not_before <= now:
            since[lane] = min(not_before, since.get(lane, not_before))
    return since
