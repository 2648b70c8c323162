"""What a limit is used for: the runs that hold it, those that wait for it, the jobs that count in it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from foliot.domain.job import PRIORITY_MAX, Lane
from foliot.domain.late_work import CATCH_UP, ON_TIME, SURPLUS
from foliot.domain.limits import tokens_of
from foliot.ports.store.limits import LimitHolder, LimitUse, LimitUser, LimitWaiter, NamedLimit
from foliot.store.sql.firing.follow import COUNTED
from foliot.store.sql.jobs.definitions import lanes_after
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.leasing.scopes import held_by

SHOWN_MAX: Final = 200
"""Runs that hold it, and jobs that count in it."""
WAITING_MAX: Final = 10_000
"""How far those that wait are counted."""

STUCK_TOLD: Final = 20

MOST: Final = Statement(
    "SELECT limits.name, limits.max FROM {d} JOIN limits ON limits.name = d.name", RowSet("d", name=TEXT)
)

HOLDERS: Final = Statement(
    """
    SELECT r.id, r.lane, r.leased_at, j.namespace, j.name, n.name AS worker
    FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id
    WHERE r.state = 'RUNNING' AND r.{held_by} > '' AND r.lease_id IS NOT NULL AND r.lane IN (SELECT d.lane FROM {d})
    ORDER BY r.leased_at, r.id LIMIT :rows
    """,
    RowSet("d", lane=BIGINT),
)

ASSIGNED: Final = Statement(
    """
    SELECT r.id, r.not_before FROM runs r
    WHERE r.assigned_to > '' AND r.state = 'PENDING' AND r.parked = 2 AND r.lane IN (SELECT d.lane FROM {d})
          AND r.not_before <= :now
    ORDER BY r.not_before, r.id LIMIT :rows
    """,
    RowSet("d", lane=BIGINT),
)
"""What a route meant for some worker stands outside the ready ones."""

FIRSTS: Final = Statement(
    """
    SELECT r.lane, r.class, r.priority, r.id, r.not_before FROM runs r WHERE r.id IN (
      SELECT (SELECT e.id FROM runs e
              WHERE e.lane = d.lane AND e.class = d.class AND e.priority = d.priority AND e.state = 'PENDING'
                    AND e.parked = 0
              ORDER BY e.not_before, e.id LIMIT 1)
      FROM {d})
      AND r.not_before <= :now
    """,
    RowSet("d", lane=BIGINT, **{"class": BIGINT}, priority=BIGINT),
    mysql="""
    SELECT r.lane, r.class, r.priority, r.id, r.not_before FROM {d} STRAIGHT_JOIN runs r ON r.id = (
      SELECT e.id FROM runs e FORCE INDEX (runs_ready)
      WHERE e.ready_lane = d.lane AND e.class = d.class AND e.priority = d.priority
      ORDER BY e.not_before, e.id LIMIT 1)
    WHERE r.not_before <= :now
    """,
)
"""The first of each kind of run that is ready: one step of the index each, however many wait."""

WAITING: Final = Statement(
    """
    SELECT count(*) FROM (
      SELECT r.id FROM runs r
      WHERE r.{ready_lane} = :lane AND r.class = :class AND r.priority = :priority AND r.state = 'PENDING'
            AND r.parked = 0 AND r.not_before <= :now
      LIMIT :rows
    ) q
    """
)
"""Of one kind. In one statement for all kinds MariaDB would read what is not due yet, too."""

RUN_OF: Final = Statement("SELECT j.namespace, j.name FROM runs r JOIN jobs j ON j.id = r.job_id WHERE r.id = :id")

USERS: Final = Statement(
    """
    SELECT j.namespace, j.name, v.lane_id, v.merge_lane_id
    FROM jobs j JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
    WHERE j.deleted_at = 0 AND (v.lane_id IN (SELECT d.lane FROM {d}) OR v.merge_lane_id IN (SELECT d.lane FROM {d}))
    ORDER BY j.namespace, j.name LIMIT :rows
    """,
    RowSet("d", lane=BIGINT),
)

_KINDS: Final = [
    (class_, priority) for class_ in (ON_TIME, CATCH_UP, SURPLUS) for priority in range(1, PRIORITY_MAX + 1)
]


def use_of(tx: Tx, limit: NamedLimit) -> LimitUse:
    """Who holds a limit, who waits for it, what counts in it."""
    lanes = counting_lanes(tx, limit.key)
    return LimitUse(
        limit=limit, holders=_holders(tx, limit.key, lanes), users=_users(tx, limit.key, lanes), **_waiting(tx, lanes)
    )


def counting_lanes(tx: Tx, key: str) -> Mapping[int, Lane]:
    """The lanes whose runs count in this limit."""
    every = lanes_after(tx, 0)
    return {lane_id: lane for lane_id, lane in every.items() if key in held_by(lane, COUNTED)}


def stuck_users(tx: Tx, known: Lanes, limit_keys: Sequence[str]) -> Sequence[LimitUser]:
    """Jobs whose runs take more of one of these limits than there is. Nothing is read where every run takes one."""
    heavy: dict[int, dict[str, int]] = {}
    for lane_id, lane in known.all(tx).items():
        takes = {key: n for key, n in tokens_of(lane.limits).items() if n > 1 and key in limit_keys}
        if takes:
            heavy[lane_id] = takes
    if not heavy:
        return []
    maxima = tx.pairs(MOST, d=keys(sorted(limit_keys)))
    stuck = {lane_id: n for lane_id, takes in heavy.items() for key, n in takes.items() if n > maxima.get(key, n)}
    rows = tx.found(USERS, {"rows": STUCK_TOLD}, d=keys(sorted(stuck)))
    return [
        LimitUser(
            namespace=row.namespace,
            job=row.name,
            takes=stuck[row.lane_id if row.lane_id in stuck else row.merge_lane_id],
        )
        for row in rows
    ]


def _holders(tx: Tx, key: str, lanes: Mapping[int, Lane]) -> Sequence[LimitHolder]:
    rows = tx.found(HOLDERS, {"rows": SHOWN_MAX}, d=keys(sorted(lanes)))
    return [
        LimitHolder(
            run_id=row.id,
            namespace=row.namespace,
            job=row.name,
            worker=row.worker,
            since=row.leased_at,
            takes=held_by(lanes[row.lane], COUNTED).count(key),
        )
        for row in rows
    ]


def _users(tx: Tx, key: str, lanes: Mapping[int, Lane]) -> Sequence[LimitUser]:
    """Of a job whose merge runs alone count in it, they say how much they take."""
    rows = tx.found(USERS, {"rows": SHOWN_MAX}, d=keys(sorted(lanes)))
    users: list[LimitUser] = []
    for row in rows:
        lane = lanes.get(row.lane_id) or lanes[row.merge_lane_id]
        users.append(LimitUser(namespace=row.namespace, job=row.name, takes=held_by(lane, COUNTED).count(key)))
    return users


def _waiting(tx: Tx, lanes: Mapping[int, Lane]) -> dict[str, Any]:
    """How many runs are due and wait in these lanes, and the one that does so longest."""
    if not lanes:
        return {"waiting": 0, "oldest": None}
    now = tx.now()
    assigned = tx.rows(ASSIGNED, {"now": now, "rows": WAITING_MAX}, d=keys(sorted(lanes)))
    kinds = [(lane_id, *kind) for lane_id in sorted(lanes) for kind in _KINDS]
    firsts = tx.rows(FIRSTS, {"now": now}, d=kinds)
    found = [*assigned[:1], *firsts]
    if not found:
        return {"waiting": 0, "oldest": None}
    waiting = len(assigned)
    for lane, class_, priority, *_ in firsts:
        if waiting < WAITING_MAX:
            kind = {"lane": lane, "class": class_, "priority": priority}
            waiting += int(tx.rows(WAITING, {**kind, "now": now, "rows": WAITING_MAX})[0][0])
    first = min(found, key=lambda row: (row.not_before, row.id))
    job = tx.rows(RUN_OF, {"id": first.id})[0]
    oldest = LimitWaiter(run_id=first.id, namespace=job.namespace, job=job.name, since=first.not_before)
    return {"waiting": min(waiting, WAITING_MAX), "oldest": oldest}
