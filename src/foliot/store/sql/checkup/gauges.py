"""Gauges on SQL (`ports.store.gauges.GaugeStore`): jobs by state, queues by group, claims on locks, names of jobs."""

from collections.abc import Mapping, Sequence
from typing import Final

from foliot.domain.instants import Instant, Micros
from foliot.domain.limits import limit_name
from foliot.ports.store.gauges import ClusterGauges, GroupQueue
from foliot.ports.store.limits import NamedLimit
from foliot.store.sql.checkup.lane_waits import FIRST_OF_KIND
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.kernel.database import Database, Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement
from foliot.store.sql.leasing.assigned import ASSIGNED
from foliot.store.sql.people.limit_use import WAITING, WAITING_MAX
from foliot.store.sql.people.named_limits import LIST_LIMITS

JOBS_BY_STATE: Final = Statement(
    """
    SELECT c.state, count(*) FROM cursors c JOIN jobs j ON j.id = c.job_id WHERE j.deleted_at = 0 GROUP BY c.state
    """
)

ASSIGNED_BY_LANE: Final = Statement(
    f"""
    SELECT q.lane, count(*), min(q.not_before) FROM (
      SELECT r.lane, r.not_before FROM runs r WHERE {ASSIGNED} LIMIT :rows
    ) q WHERE q.not_before <= {{now}} GROUP BY q.lane
    """,
    mysql=f"""
    SELECT q.lane, count(*), min(q.not_before) FROM (
      SELECT r.lane, r.not_before FROM runs r FORCE INDEX (runs_assigned)
      WHERE r.assigned_to > '' AND {ASSIGNED} LIMIT :rows
    ) q WHERE q.not_before <= {{now}} GROUP BY q.lane
    """,
)

SUMMARY: Final = Statement(
    """
    SELECT {now} AS now, coalesce((SELECT max(e.id) FROM events e), 0) AS newest_event,
           (SELECT count(*) FROM alerts a WHERE a.state = 'firing' AND a.silence_id IS NULL AND a.level = 'critical')
             AS critical,
           (SELECT count(*) FROM alerts a WHERE a.state = 'firing' AND a.silence_id IS NULL AND a.level = 'warning')
             AS warning,
           (SELECT count(*) FROM alerts a WHERE a.state = 'firing' AND a.silence_id IS NULL AND a.level = 'info')
             AS info,
           (SELECT count(*) FROM (SELECT o.id FROM outbox o WHERE o.next_at > 0 LIMIT :rows) w) AS notices,
           (SELECT min(w.created_at) FROM (SELECT o.created_at FROM outbox o WHERE o.next_at > 0 LIMIT :rows) w)
             AS oldest_notice_at,
           (SELECT count(*) FROM heartbeats) AS checks,
           (SELECT count(*) FROM heartbeats h WHERE h.alarm_at <= {now}) AS checks_down,
           count(q.token) AS held, count(*) - count(q.token) AS waiting
    FROM (SELECT c.token FROM lock_claims c LIMIT :rows) q
    """
)

NAMES: Final = Statement(
    "SELECT j.id, j.namespace, j.name FROM jobs j WHERE j.id IN (SELECT d.id FROM {d})", RowSet("d", id=BIGINT)
)


class SqlGauges:
    """Every statement looks at a bounded number of rows, but `JOBS_BY_STATE`."""

    def __init__(self, database: Database, lanes: Lanes) -> None:
        self._database = database
        self._lanes = lanes

    async def jobs(self) -> Mapping[str, int]:
        return await self._database.read(lambda tx: tx.pairs(JOBS_BY_STATE))

    async def read(self, jobs: Mapping[str, int], *, kinds: int, limits: int) -> ClusterGauges:
        def work(tx: Tx) -> ClusterGauges:
            found = tx.rows(SUMMARY, {"rows": WAITING_MAX})[0]
            tx.learn_now(int(found.now))
            return ClusterGauges(
                jobs=jobs,
                queues=self._queues(tx, kinds),
                limits=_limits(tx, limits),
                claims_held=int(found.held),
                claims_waiting=int(found.waiting),
                newest_event=int(found.newest_event),
                alerts={"critical": int(found.critical), "warning": int(found.warning), "info": int(found.info)},
                notices_waiting=int(found.notices),
                notice_oldest_us=_age_us(found.oldest_notice_at, int(found.now)),
                checks=int(found.checks),
                checks_down=int(found.checks_down),
            )

        return await self._database.read(work)

    async def names(self, job_ids: Sequence[int]) -> Mapping[int, tuple[str, str]]:
        def work(tx: Tx) -> Mapping[int, tuple[str, str]]:
            rows = tx.found(NAMES, d=[(job_id,) for job_id in sorted(job_ids)])
            return {row.id: (row.namespace, row.name) for row in rows}

        return await self._database.read(work)

    def _queues(self, tx: Tx, kinds: int) -> Sequence[GroupQueue]:
        if not kinds:
            return ()
        now = tx.now()
        waiting: dict[int, tuple[int, Instant]] = {}
        for lane, count, since in (*_ready(tx, kinds, now), *tx.tuples(ASSIGNED_BY_LANE, {"rows": WAITING_MAX})):
            before, earliest = waiting.get(lane, (0, since))
            waiting[lane] = (before + int(count), min(earliest, since))
        by_group: dict[str, GroupQueue] = {}
        for lane_id, lane in self._lanes.find(tx, waiting.keys()).items():
            count, since = waiting[lane_id]
            before = by_group.get(lane.group, GroupQueue(lane.group, 0, 0))
            by_group[lane.group] = GroupQueue(lane.group, before.ready + count, max(before.oldest_us, now - since, 0))
        return list(by_group.values())


def _age_us(since: Instant | None, now: Instant) -> Micros:
    return 0 if since is None else max(0, now - int(since))


def _ready(tx: Tx, kinds: int, now: Instant) -> list[tuple[int, int, Instant]]:
    """By lane: how many runs are ready, and since when the first is. It steps from kind to kind, of each to a bound."""
    found: list[tuple[int, int, Instant]] = []
    after = {"lane": -1, "class": -1, "priority": -1}
    for _ in range(kinds):
        rows = tx.tuples(FIRST_OF_KIND, after)
        if not rows:
            break
        lane, class_, priority, not_before, _ = rows[0]
        after = {"lane": lane, "class": class_, "priority": priority}
        if not_before <= now:
            count = tx.value(WAITING, {**after, "now": now, "rows": WAITING_MAX})
            found.append((lane, int(count), not_before))
    return found


def _limits(tx: Tx, limits: int) -> Sequence[NamedLimit]:
    rows = tx.rows(LIST_LIMITS, {"after": "res:", "rows": limits})
    return [
        NamedLimit(
            key=row.name, name=limit_name(row.name), namespace=row.namespace, max=int(row.max), used=int(row.used)
        )
        for row in rows
    ]
