"""Assigning: the route of a job says for which worker each of its ready runs is meant (design §4).

A run of a job with a route becomes ready like any other: by an insert, an admission, its turn in line, a retry. It then
stands in `runs_ready`, in a lane that is marked as routed, from which nobody leases. When workers ask for runs, the
server first assigns what stands there: the run moves to `runs_assigned`, where its worker finds it.

Order of locks (R3): cursors, which keep what routes must know exactly, then runs. Rows that another server holds are
passed over: it is assigning them.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from foliot.domain.clocks import ClockDoubt
from foliot.domain.health import HealthRules
from foliot.domain.instants import Instant
from foliot.domain.job import Lane
from foliot.ports.store.assignment import ANYONE, AskRoute, Assigned
from foliot.store.sql.jobs.definitions import Definitions, StoredJob
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.leasing.assigned import ASSIGNED, WALK, WALK_MARIADB, assigned_rank
from foliot.store.sql.leasing.broadcast import Whole, cut
from foliot.store.sql.leasing.broadcast import within_reach as wholes_within_reach
from foliot.store.sql.leasing.fitting_workers import Business, KnownOffers, KnownPaces, LiveWorker, live_workers
from foliot.store.sql.leasing.full_lanes import may_be_full_soon, open_lanes
from foliot.store.sql.leasing.lane_room import LaneRoom
from foliot.store.sql.leasing.route_step import (
    ASSIGNED_FOR_US,
    TRIES_MAX,
    Alike,
    ReadyRun,
    RouteStep,
    fitting_by_lane,
    together,
    within_reach,
)
from foliot.store.sql.leasing.scopes import Scopes
from foliot.store.sql.leasing.unassigned import Unassigned
from foliot.store.sql.leasing.unreadable import put_off
from foliot.store.sql.people.journal import note

STATES: Final = Statement(
    """
    SELECT c.job_id, c.cursor_ver, c.route_state FROM cursors c WHERE c.job_id IN (SELECT d.job_id FROM {d})
    ORDER BY c.job_id {skip_locked}
    """,
    RowSet("d", job_id=BIGINT),
)

AS_SEEN: Final = Statement(
    """
    SELECT r.id, r.ver FROM runs r WHERE r.id IN (SELECT d.id FROM {d}) AND r.state = 'PENDING' AND r.parked = 0
    ORDER BY r.id {skip_locked}
    """,
    RowSet("d", id=BIGINT),
    postgresql="""
    SELECT s.id, s.ver FROM {d} CROSS JOIN LATERAL (
      SELECT r.id, r.ver FROM runs r WHERE r.id = d.id AND r.state = 'PENDING' AND r.parked = 0 {skip_locked}) s
    """,
)
"""In the order of their ids (R3). A planner that takes the table for a small one would else compare every ready run
with every id."""

KEEP: Final = Statement(
    """
    UPDATE cursors SET route_state = d.state, cursor_ver = cursors.cursor_ver + 1
    FROM {d} WHERE cursors.job_id = d.job_id AND cursors.cursor_ver = d.seen
    """,
    RowSet("d", job_id=BIGINT, seen=BIGINT, state=TEXT),
)
"""A write with a guard, and no lock alone: Galera does not replicate locks."""

ASSIGN: Final = Statement(
    """
    UPDATE runs SET parked = 2, assigned_to = d.session, assigned_until = d.until, assigned_rank = d.rank_,
           ver = runs.ver + 1
    FROM {d} WHERE runs.id = d.id AND runs.ver = d.ver
    """,
    RowSet("d", id=BIGINT, ver=BIGINT, session=TEXT, until=BIGINT, rank_=BIGINT),
)


MOMENT: Final = Statement(
    """
    SELECT m.maintenance_at, m.maintenance_until, m.reap_after, m.scopes_ver, {now} AS now FROM store_meta m
    WHERE m.id = 1
    """
)

_NOT_LIVE: Final = f"""
    LEFT JOIN nodes n ON n.id = walk.session AND n.state = 'live' AND (n.until >= {{now}} OR :amnesty = 1)
    WHERE walk.session IS NOT NULL AND walk.session <> '{ANYONE}' AND n.id IS NULL
"""

LOST: Final = Statement(
    f"{WALK} SELECT walk.session FROM walk {_NOT_LIVE}",
    mysql=f"SELECT walk.session FROM {WALK_MARIADB} {_NOT_LIVE}",
)
"""Sessions that drain, are silent or are over, and for which runs wait. In an amnesty (R8) nobody's silence counts."""

_WAITS: Final = "r.id, r.ver, r.assigned_to, r.assigned_before, r.assigned_until, r.lane"

OF_LOST: Final = Statement(
    f"""
    SELECT {_WAITS} FROM runs r WHERE r.assigned_to IN (SELECT d.session FROM {{d}}) AND {ASSIGNED}
           AND r.assigned_until IS NOT NULL
    ORDER BY r.id LIMIT :limit {{skip_locked}}
    """,
    RowSet("d", session=TEXT),
)
"""A shard that is one worker's own has no such time: it is for nobody else (`leasing.broadcast`)."""

OVERDUE: Final = Statement(
    f"""
    SELECT {_WAITS} FROM runs r WHERE {ASSIGNED} AND r.assigned_until <= {{now}}
    ORDER BY r.assigned_until, r.id LIMIT :limit {{skip_locked}}
    """,
    mysql=f"""
    SELECT {_WAITS} FROM runs r FORCE INDEX (runs_assigned)
    WHERE r.assigned_to > '' AND {ASSIGNED} AND r.assigned_until <= {{now}} LIMIT :limit {{skip_locked}}
    """,
)
"""MariaDB looks at every run that is assigned: another index would cost each insert of any run there is."""

TAKE_BACK: Final = Statement(
    """
    UPDATE runs SET parked = 0, assigned_to = NULL, assigned_until = NULL, assigned_before = d.before_,
           ver = runs.ver + 1
    FROM {d} WHERE runs.id = d.id AND runs.ver = d.ver
    """,
    RowSet("d", id=BIGINT, ver=BIGINT, before_=TEXT),
)


EXCUSES_MAX: Final = 2
"""So often a run comes back from workers because its limits were short, before the next of them counts as tried: else
it would be meant for one that hangs as long as its limits are busy."""
_EXCUSED_KEPT: Final = 10_000  # runs


class Assignment:
    """Assigning of one server. Between calls it remembers what workers offer and how quick they are, which limits there
    are, which lanes may be full or were short of their limits, and which runs came back for that.
    """

    def __init__(self, definitions: Definitions, lanes: Lanes) -> None:
        self._definitions = definitions
        self._lanes = lanes
        self._offers = KnownOffers()
        self._paces = KnownPaces()
        self._unassigned = Unassigned()
        self._scopes = Scopes()
        self._short_at: dict[int, Instant] = {}  # when the limits of a lane were last seen to let no run through
        self._excused: dict[int, int] = {}  # by run, how often it came back for that; what came last is at the end
        self._excusing: dict[int, int] = {}  # the same of runs that a transaction takes back, which may not commit
        self._counts_first = False  # a lane may be full: what is assigned is counted before more is read

    def assign(
        self,
        tx: Tx,
        ask: AskRoute,
        lanes: Sequence[int],
        limit: int,
        rules: HealthRules,
        doubt: ClockDoubt | None = None,
    ) -> Assigned:
        """Ask the routes of runs that wait in these lanes."""
        workers = live_workers(tx, self._offers, rules)
        known = self._lanes.find(tx, lanes)
        fitting: Mapping[int, Sequence[LiveWorker]] = fitting_by_lane(known, workers)
        business = None
        if self._counts_first:
            business = Business(tx)
            self._counts_first = may_be_full_soon(business, step=limit)
            fitting = open_lanes(fitting, business)
        if not fitting:
            return Assigned()
        now = int(workers[0].row.now)
        room = _Room(tx, known, LaneRoom(tx, self._scopes, int(workers[0].row.scopes_ver), now), business)
        found, is_cut = self._unassigned.first(tx, fitting, limit, room.of, now=now, doubt=doubt)
        self._note_short(room.lanes, now)
        waiting = [run for run in found if room.lanes.take(run)]
        if not waiting:
            return Assigned()
        tx.point("assigning.seen")
        step = _Step(tx, ask, fitting)
        locked = together(step.locked(waiting, room.counted))
        groups = dict(islice(locked.items(), within_reach(locked, fitting)))
        runs = [run for some in groups.values() for run in some]
        jobs = self._definitions.find(tx, {(run.job_id, run.version) for run in runs}).jobs
        step.learn(jobs.values(), self._paces, now)
        for alike, some in groups.items():
            step.decide_or_cut(jobs.get((alike.job_id, alike.version)), alike, some)
        sessions = step.write(now)
        self._counts_first = may_be_full_soon(step.business, step=limit)
        is_full = len(groups) < len(locked) or (is_cut and bool(runs))
        return Assigned(runs=len(runs) - step.left, sessions=sessions, more=is_full or step.left > 0)

    def take_back(self, tx: Tx, limit: int) -> int:
        """Let routes decide again about runs whose worker let its time pass, drains or is gone; how many runs.

        Only a worker that let a run wait although it could have taken it counts as one that was tried. `taken_back` is
        to follow when this is committed.
        """
        self._excusing = {}
        moment = tx.rows(MOMENT)[0]
        now = int(moment.now)
        if moment.maintenance_until > now:
            return 0  # nobody could take anything
        is_amnesty = now < moment.reap_after
        lost = tx.tuples(LOST, {"amnesty": int(is_amnesty)})
        rows = {row.id: (row, row.assigned_before) for row in tx.found(OF_LOST, {"limit": limit}, d=lost)}
        late = () if is_amnesty else tx.rows(OVERDUE, {"limit": limit})
        overdue = [row for row in late if row.id not in rows]
        self._look_at_limits(tx, {row.lane for row in overdue}, int(moment.scopes_ver), now)
        for row in overdue:
            rows[row.id] = (row, _tried(row) if self._is_at_fault(row, moment) else row.assigned_before)
        back = [(row.id, row.ver, before) for row, before in rows.values()]
        return tx.change(TAKE_BACK, d=sorted(back)) if back else 0

    def taken_back(self) -> None:
        """What `take_back` did is committed: its excuses count."""
        for run_id, excuses in self._excusing.items():
            self._excused.pop(run_id, None)
            if excuses:
                self._excused[run_id] = excuses
        self._excusing = {}
        for run_id in list(islice(self._excused, max(0, len(self._excused) - _EXCUSED_KEPT))):
            del self._excused[run_id]

    def _is_at_fault(self, row: Any, moment: Any) -> bool:
        """Whether the worker of an overdue run could have taken it, all the time that it had."""
        assigned_at = row.assigned_until - ASSIGNED_FOR_US
        if assigned_at < max(moment.maintenance_at or 0, moment.reap_after):
            return False
        return assigned_at >= self._short_at.get(row.lane, 0) or not self._excuse(row.id)

    def _excuse(self, run_id: int) -> bool:
        """Whether it may once more be the limits of a run that kept its worker from taking it."""
        excuses = self._excused.get(run_id, 0)
        self._excusing[run_id] = 0 if excuses == EXCUSES_MAX else excuses + 1
        return excuses < EXCUSES_MAX

    def _look_at_limits(self, tx: Tx, lanes: Collection[int], scopes_ver: int, now: Instant) -> None:
        self._short_at = {lane: at for lane, at in self._short_at.items() if at + ASSIGNED_FOR_US > now}
        if lanes:
            room = LaneRoom(tx, self._scopes, scopes_ver, now)
            room.look(self._lanes.find(tx, lanes))
            self._note_short(room, now)

    def _note_short(self, room: LaneRoom, now: Instant) -> None:
        self._short_at |= dict.fromkeys(room.short, now)


class _Room:
    """How many runs of lanes may be assigned in one step."""

    def __init__(self, tx: Tx, known: Mapping[int, Lane], lanes: LaneRoom, counted: Business | None) -> None:
        self.lanes = lanes
        self.counted = counted  # what workers have to do; None: it was not needed yet
        self._tx = tx
        self._known = known

    def of(self, lane_ids: Collection[int]) -> Mapping[int, int]:
        """How many of each."""
        self.lanes.look({lane_id: self._known[lane_id] for lane_id in lane_ids})
        return {lane_id: self._of_one(lane_id) for lane_id in lane_ids}

    def _of_one(self, lane_id: int) -> int:
        room = self.lanes.of(lane_id)
        if room > 0 or not self.lanes.may_claim(lane_id):
            return room
        self.counted = self.counted or Business(self._tx)
        return int(self.counted.waiting_in(lane_id) == 0)  # one that claims what comes free


def _tried(row: Any) -> str:
    """The sessions that had their time, the last `TRIES_MAX` of them."""
    before = row.assigned_before.split(",") if row.assigned_before else []
    return ",".join([*before, row.assigned_to][-TRIES_MAX:])


class _Step(RouteStep):
    """One transaction of assigning: what is locked, decided and to be written."""

    def __init__(self, tx: Tx, ask: AskRoute, fitting: Mapping[int, Sequence[LiveWorker]]) -> None:
        super().__init__(tx, ask, fitting)
        self._seen: dict[int, tuple[int, str | None]] = {}  # of each locked cursor: its version and state before
        self._whole: list[Whole] = []
        self._unreadable: list[tuple[int, int]] = []  # id and version of the row

    def locked(self, waiting: Sequence[ReadyRun], business: Business | None) -> list[ReadyRun]:
        """Those that this transaction may decide: it holds their cursors, and they are as they were seen.

        `business`: None: it is not counted yet.
        """
        self._lock_cursors({run.job_id for run in waiting})
        mine = [run for run in waiting if run.job_id in self._seen]
        ids = sorted(run.id for run in mine)
        vers: dict[int, int] = self.tx.pairs(AS_SEEN, d=keys(ids))
        self.count(business)
        return [run for run in mine if vers.get(run.id) == run.ver]

    def _lock_cursors(self, jobs: Collection[int]) -> None:
        """Those that nobody else holds."""
        rows = self.tx.tuples(STATES, d=keys(sorted(jobs)))
        for job_id, cursor_ver, state in rows:
            self._seen[job_id] = (cursor_ver, state)
            self.states[job_id] = state

    def decide_or_cut(self, job: StoredJob | None, alike: Alike, runs: Sequence[ReadyRun]) -> None:
        """Ask the route about runs of one job, or note that they are to be cut for every worker."""
        if job is None:  # it may be a broadcast: only who can read it knows for whom it is
            self._unreadable += [(run.id, run.ver) for run in runs]
        elif job.definition.is_broadcast:
            self._broadcast(job, self.fitting[alike.lane], runs)
        else:
            self.decide(job, alike, runs)

    def _broadcast(self, job: StoredJob, workers: Sequence[LiveWorker], runs: Sequence[ReadyRun]) -> None:
        """Every worker gets a shard, a late one too.

        A shard is ready here if its run had to line up anew: it stays its worker's.
        """
        for run in runs:
            if run.own_worker is not None:
                self.decided.append((run, run.own_worker))
            else:
                self._whole.append(Whole(run.id, run.ver, job, workers))

    @property
    def left(self) -> int:
        """How many runs are to be cut in a later step."""
        return len(self._whole) - wholes_within_reach(self._whole)

    def write(self, now: Instant) -> frozenset[str]:
        """Write what was decided; the sessions that got something."""
        kept = [
            (job_id, cursor_ver, self.states[job_id])
            for job_id, (cursor_ver, state) in sorted(self._seen.items())
            if self.states[job_id] != state
        ]
        if kept and self.tx.change(KEEP, d=kept) != len(kept):
            raise TryAgain("a cursor moved although it was locked")
        until = now + ASSIGNED_FOR_US
        rows: list[tuple[Any, ...]] = []
        for run, session in self.decided:
            rank = assigned_rank(run.not_before, run.priority, run.class_)
            is_for_good = session in (ANYONE, run.own_worker)
            rows.append((run.id, run.ver, session, None if is_for_good else until, rank))
        if rows and self.tx.change(ASSIGN, d=sorted(rows)) != len(rows):
            raise TryAgain("a run changed although it was locked")
        if self._unreadable:
            put_off(self.tx, self._unreadable, now)
        whole = self._whole[: wholes_within_reach(self._whole)]
        cut_for = cut(self.tx, now, whole) if whole else frozenset()
        self.tx.point("assigning.assigned")
        note(self.tx, [*self.moves, *(run.happening for run in whole)])
        return cut_for.union(session for _, session in self.decided)
