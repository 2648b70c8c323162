"""Firing: the pulse, due cursors become runs, triggers for later are admitted, heads of lines un-parked."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from foliot.domain.clocks import ClockDoubt
from foliot.domain.fire import Cursor, Decide, DueJob, Plan
from foliot.domain.instants import Instant
from foliot.ports.store.assignment import Routing
from foliot.ports.store.firing import OVERDUE_US, SILENT_SOON_US, Decided, Pulse
from foliot.store.sql.cluster.maintenance import MAY_DECIDE
from foliot.store.sql.ending.ends import Ending
from foliot.store.sql.ending.settlement import Quit
from foliot.store.sql.firing.assigned_fires import record_assigned
from foliot.store.sql.firing.line import NOTHING_OPEN, situations
from foliot.store.sql.firing.queues import Queues
from foliot.store.sql.firing.record import Recorded, earlier, flag, joined, record, record_carefully, within_rows
from foliot.store.sql.firing.sweep import admit_due, unpark_heads
from foliot.store.sql.jobs.definitions import Definitions
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.kernel.database import Database, Pool, RefusedForData, Row, Tx
from foliot.store.sql.kernel.scans import ScanBound
from foliot.store.sql.kernel.statement import Statement
from foliot.store.sql.leasing.fire_routes import FireRoutes
from foliot.store.sql.leasing.key_waiters import wake_due

_EVER: Final = 2**63 - 1

PULSE: Final = Statement(
    """
    WITH RECURSIVE ready (lane, class, priority, not_before) AS (
      SELECT r.lane, r.class, r.priority, r.not_before FROM runs r
      WHERE r.id = (SELECT x.id FROM runs x WHERE x.state = 'PENDING' AND x.parked = 0
                    ORDER BY x.lane, x.class, x.priority, x.not_before, x.id LIMIT 1)
      UNION ALL
      SELECT r.lane, r.class, r.priority, r.not_before FROM ready
      JOIN runs r ON r.id = (SELECT x.id FROM runs x WHERE x.state = 'PENDING' AND x.parked = 0
                             AND (x.lane, x.class, x.priority) > (ready.lane, ready.class, ready.priority)
                             ORDER BY x.lane, x.class, x.priority, x.not_before, x.id LIMIT 1)
      WHERE ready.not_before > {now}
    )
    SELECT {now},
           (SELECT c.next_at FROM cursors c WHERE c.next_at >= :low ORDER BY c.next_at, c.job_id LIMIT 1),
           CASE WHEN EXISTS (SELECT 1 FROM ready WHERE not_before <= {now}) THEN 1 ELSE 0 END,
           (SELECT 1 FROM runs r WHERE r.state = 'PENDING' AND r.parked = 1 AND r.place IS NOT NULL
            ORDER BY r.job_id, r.place, r.id LIMIT 1),
           (SELECT 1 FROM runs r WHERE r.state = 'PENDING' AND r.place IS NULL AND r.not_before <= {now}
            ORDER BY r.not_before, r.id LIMIT 1),
           m.epoch, m.clock_suspect, m.lane_seq, l.holder_session, l.term, l.until, m.clock_ahead_us,
           CASE WHEN m.clock_suspect = 1 THEN m.last_good_time END,
           (SELECT h.holder_session FROM leases h WHERE h.name = 'heir' AND h.until > {now}),
           (SELECT 1 FROM failovers f WHERE f.ended_at IS NULL ORDER BY f.ended_at, f.id LIMIT 1),
           (SELECT 1 FROM nodes n WHERE n.state IN ('live', 'draining') AND n.until < {now} + :soon LIMIT 1),
           m.maintenance_until,
           (SELECT 1 FROM runs r WHERE r.state = 'PENDING' AND r.parked = 2 ORDER BY r.assigned_until, r.id LIMIT 1),
           (SELECT k.wake_at FROM limit_keys k WHERE k.wake_at > 0 ORDER BY k.wake_at LIMIT 1)
    FROM store_meta m JOIN leases l ON l.name = 'leader'
    WHERE m.id = 1
    """,
    mysql="""
    SELECT {now},
           (SELECT c.next_at FROM cursors c WHERE c.next_at >= :low ORDER BY c.next_at, c.job_id LIMIT 1),
           CASE WHEN EXISTS (SELECT 1 FROM runs r WHERE r.waits = 1 AND r.not_before <= {now}) THEN 1 ELSE 0 END,
           (SELECT 1 FROM runs r WHERE r.parked_job > -1 ORDER BY r.parked_job LIMIT 1),
           (SELECT 1 FROM runs r WHERE r.waits = 2 AND r.not_before <= {now} ORDER BY r.not_before LIMIT 1),
           m.epoch, m.clock_suspect, m.lane_seq, l.holder_session, l.term, l.until, m.clock_ahead_us,
           CASE WHEN m.clock_suspect = 1 THEN m.last_good_time END,
           (SELECT h.holder_session FROM leases h WHERE h.name = 'heir' AND h.until > {now}),
           (SELECT 1 FROM failovers f WHERE f.ended_at IS NULL ORDER BY f.ended_at, f.id LIMIT 1),
           (SELECT 1 FROM nodes n WHERE n.state IN ('live', 'draining') AND n.until < {now} + :soon LIMIT 1),
           m.maintenance_until,
           (SELECT 1 FROM runs r WHERE r.assigned_to > '' AND r.state = 'PENDING' ORDER BY r.assigned_to LIMIT 1),
           (SELECT k.wake_at FROM limit_keys k WHERE k.wake_at > 0 ORDER BY k.wake_at LIMIT 1)
    FROM store_meta m JOIN leases l ON l.name = 'leader'
    WHERE m.id = 1
    """,
)
"""R24. `ready` steps from one (lane, class, priority) to the next and stops at the first due run: future and parked
runs cost nothing, whatever their number. Each sub-select is ordered like its index, so that no plan walks the table."""

_COLUMNS: Final = f"{', '.join(Cursor._fields)}, trouble, {{now}}"
"""Of a taken cursor; `_taken` takes the rows apart."""

_LATER: Final = """(
      SELECT c.next_at FROM cursors c WHERE c.next_at > CASE WHEN :until < {now} THEN :until ELSE {now} END
      ORDER BY c.next_at, c.job_id LIMIT 1)"""
"""The first wake time behind those that are due. It refers to no row, so the database reads it once a statement."""

TAKE: Final = Statement(
    f"""
    SELECT {_COLUMNS}, {_LATER} AS later
    FROM cursors WHERE next_at <= {{now}} AND next_at >= :low AND next_at <= :until AND {MAY_DECIDE}
    ORDER BY next_at, job_id LIMIT :limit {{skip_locked}}
    """
)

TAKE_OVERDUE: Final = Statement(
    f"""
    WITH overdue AS {{materialized}} (
      SELECT c.job_id FROM cursors c WHERE c.next_at <= {{now}} - :overdue AND c.next_at <= :until
      ORDER BY c.next_at, c.job_id LIMIT :limit
    )
    SELECT {_COLUMNS}, NULL AS later
    FROM cursors WHERE job_id IN (SELECT o.job_id FROM overdue o) AND next_at + 0 <= {{now}} AND next_at + 0 <= :until
      AND {MAY_DECIDE}
    ORDER BY job_id {{for_update}}
    """
)
"""Waiting for the locks, so in the order of the primary key (R3); a cursor that moved meanwhile falls out. The `+ 0`
keeps that check away from the index: after an outage every cursor there is would match it."""


class _Taken(NamedTuple):
    """Due cursors that this transaction has locked."""

    now: Instant
    cursors: list[Cursor]
    flagged: frozenset[int]  # jobs whose cursor carries the trouble of an earlier plan
    later: Instant | None  # `_LATER`


class _Bounds(NamedTuple):
    """Which instants a scan is about."""

    low: Instant
    until: Instant


class _Fired(NamedTuple):
    """What a firing transaction did, and the least wake time it took; None: it took nothing."""

    decided: Decided
    least: Instant | None = None


class SqlFiringStore:
    """`ports.store.firing.FiringStore` on a SQL database."""

    def __init__(self, database: Database, definitions: Definitions, lanes: Lanes, ending: Ending) -> None:
        self._database = database
        self._definitions = definitions
        self._ending = ending
        self._routes = FireRoutes(lanes)
        self._pulse_bound = ScanBound()
        self._take_bound = ScanBound()  # apart: a take passes over what others hold, and the pulse must see just that

    @property
    def batches_at_once(self) -> int:
        return self._database.dialect.fires_at_once

    async def pulse(self) -> Pulse:
        values = {"low": self._pulse_bound.low, "soon": SILENT_SOON_US}
        rows = await self._database.read(lambda tx: tx.rows(PULSE, values), pool=Pool.CONTROL)
        pulse = _pulse(rows[0])
        least = pulse.now
        if pulse.next_at is not None:
            least = min(pulse.next_at, pulse.now)
        self._pulse_bound.saw(least, pulse.now)
        return pulse

    async def decide_due(
        self,
        decide: Decide,
        *,
        limit: int,
        waiting: bool = False,
        until: Instant | None = None,
        routing: Routing | None = None,
    ) -> Decided:
        bounds = _Bounds(self._take_bound.low, _EVER if until is None else until)
        work = partial(self._decide_due, decide, limit, bounds, waiting)
        try:
            fired = await self._database.transact(partial(work, False, routing))
        except RefusedForData:
            fired = await self._database.transact(partial(work, True, None))
        if fired.least is not None:
            self._take_bound.saw(fired.least, fired.decided.now)
        return fired.decided

    def _decide_due(
        self,
        decide: Decide,
        limit: int,
        bounds: _Bounds,
        waiting: bool,
        carefully: bool,
        routing: Routing | None,
        tx: Tx,
    ) -> _Fired:
        if waiting:
            rows = tx.tuples(TAKE_OVERDUE, {"overdue": OVERDUE_US, "limit": limit, "until": bounds.until})
        else:
            rows = tx.tuples(TAKE, {"low": bounds.low, "limit": limit, "until": bounds.until})
        if not rows:
            return _Fired(Decided(now=tx.now(), taken=0, created=0, skipped=0))
        taken = _taken(rows)
        cursors = taken.cursors
        now = min(taken.now, bounds.until)
        tx.learn_now(now)
        tx.point("firing.taken")
        due, broken = due_jobs(tx, self._definitions, cursors)
        plans = decide(now, due)
        count = within_rows(due, plans)
        if carefully:
            recorded = record_carefully(tx, now, due[:count], plans[:count], flagged=taken.flagged)
        else:
            recorded = self._record(tx, now, due[:count], plans[:count], taken.flagged, routing)
        if broken:
            recorded = joined(recorded, flag(tx, now, broken))
        tx.point("firing.recorded")
        # `TAKE` has them in this order; `TAKE_OVERDUE` by job.
        least = min(cursor.next_at or 0 for cursor in cursors) if waiting else cursors[0].next_at
        # Of those that are due `TAKE_OVERDUE` takes the oldest alone.
        is_more = waiting or len(rows) == limit or count < len(due)
        decided = Decided(
            now=now,
            taken=len(rows),
            created=recorded.created,
            skipped=recorded.skipped,
            duplicates=recorded.duplicates,
            troubled=recorded.troubled,
            lateness_us=recorded.lateness_us,
            next_at=now if is_more else earlier(recorded.next_at, taken.later),
        )
        return _Fired(decided, least)

    def _record(
        self,
        tx: Tx,
        now: Instant,
        due: Sequence[DueJob],
        plans: Sequence[Plan],
        flagged: frozenset[int],
        routing: Routing | None,
    ) -> Recorded:
        """Write what was decided; fires of jobs with a route go straight to the workers that these name."""
        if routing is None:
            return record(tx, now, due, plans, flagged=flagged)
        split = self._routes.split(tx, now, due, plans, routing, flagged=flagged)
        recorded = record(tx, now, split.due, split.plans, flagged=flagged)
        return joined(recorded, record_assigned(tx, now, split.assigned)) if split.assigned else recorded

    async def admit(self, *, limit: int, doubt: ClockDoubt | None = None) -> int:
        return await self._database.transact(lambda tx: admit_due(tx, self._definitions, limit=limit, doubt=doubt))

    async def unpark(self, *, limit: int, after_job: int = 0) -> tuple[int, int]:
        swept = await self._database.transact(lambda tx: unpark_heads(tx, limit=limit, after_job=after_job))
        return swept.unparked + await self._end(swept.replaced), swept.last_job

    async def unpark_keyed(self) -> tuple[int, bool]:
        return await self._database.transact(wake_due)

    async def _end(self, quits: Sequence[Quit]) -> int:
        if not quits:
            return 0
        return await self._ending.quit(self._database, quits, pool=Pool.CONTROL)


def _taken(rows: Sequence[Sequence[Any]]) -> _Taken:
    """The rows of `TAKE` with names. A row is a cursor, then its trouble, then store time, then what comes later."""
    # This is the hottest path: a named tuple's own constructor is written in Python, so `tuple`'s is called instead.
    new, size = tuple.__new__, len(Cursor._fields)
    return _Taken(
        now=int(rows[0][-2]),
        cursors=[new(Cursor, row[:size]) for row in rows],
        flagged=frozenset(row[0] for row in rows if row[size] is not None),
        later=rows[0][-1],
    )


def due_jobs(
    tx: Tx, definitions: Definitions, cursors: Sequence[Cursor], *, with_lines: bool = False
) -> tuple[list[DueJob], list[tuple[Cursor, Exception]]]:
    """Definitions and situations of locked cursors, read in statements of their own; and those that do not compile.

    `with_lines`: the situation of every job, also where a fire would not depend on it.
    """
    keys = [cursor[:2] for cursor in cursors]
    found = definitions.find(tx, keys)
    jobs = found.jobs
    looked_at = {key[0]: job for key, job in jobs.items() if job.needs_situation or with_lines}
    seen = situations(tx, looked_at)
    for job_id, queued in Queues.of(tx, looked_at).waiting.items():
        seen[job_id] = seen.get(job_id, NOTHING_OPEN)._replace(queued=queued)
    broken: list[tuple[Cursor, Exception]] = []
    if found.troubles:
        broken = [(cursor, found.troubles[key]) for cursor in cursors if (key := cursor[:2]) in found.troubles]
        cursors = [cursor for cursor in cursors if cursor[:2] in jobs]
        keys = [cursor[:2] for cursor in cursors]
    new, open_ = tuple.__new__, seen.get
    due = [
        new(DueJob, (cursor, jobs[key], open_(key[0], NOTHING_OPEN))) for cursor, key in zip(cursors, keys, strict=True)
    ]
    return due, broken


def _pulse(row: Row) -> Pulse:
    now, next_at, ready, parked, admissible, epoch, clock_suspect, lanes, leader, term, until, *rest = row
    ahead_us, good, heir, failing, silent, maintenance_until, assigned, keys_at = rest
    return Pulse(
        now=int(now),
        next_at=next_at,
        ready=bool(ready) or assigned is not None,
        parked=parked is not None,
        admissible=admissible is not None,
        epoch=epoch,
        leader=leader,
        term=term,
        leader_until=until,
        clock_suspect=bool(clock_suspect),
        lanes=lanes,
        clock_ahead_us=ahead_us,
        clock_good_until=good,
        heir=heir,
        failing=failing is not None,
        silent=silent is not None,
        maintenance_until=maintenance_until,
        assigned=assigned is not None,
        keys_at=keys_at,
    )
