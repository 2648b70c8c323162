"""Assigning: the route of a job says for which worker each of its ready runs is meant (design §4).

A run of a job with a route becomes ready like any other: by an insert, an admission, its turn in line, a retry. It then
stands in `runs_ready`, in a lane that is marked as routed, from which nobody leases. When workers ask for runs, the
server first assigns what stands there: the run moves to `runs_assigned`, where its worker finds it.

Order of locks (R3): cursors, which keep what routes must know exactly, then runs. Rows that another server holds are
passed over: it is assigning them.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from foliot.domain.clocks import ClockDoubt
from foliot.domain.health import HealthRules
from foliot.domain.instants import SECOND, Instant, Micros
from foliot.domain.payload import canonical_json
from foliot.domain.routing import BY_PACE, FittingWorker, Move, Ready, Routed
from foliot.domain.routing.placement import placed
from foliot.ports.store.assignment import AskRoute, Assigned
from foliot.ports.store.journal import Happening, Topic
from foliot.store.sql.firing.follow import OWN
from foliot.store.sql.jobs.definitions import Definitions, StoredJob
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.leasing.assigned import ANYONE, ASSIGNED, WALK, WALK_MARIADB
from foliot.store.sql.leasing.broadcast import Whole, cut, within_reach
from foliot.store.sql.leasing.candidates import DUE_INDEED
from foliot.store.sql.leasing.fitting_workers import (
    Business,
    KnownOffers,
    KnownPaces,
    LiveWorker,
    OwnRuns,
    live_workers,
)
from foliot.store.sql.leasing.full_lanes import may_be_full_soon, open_lanes
from foliot.store.sql.leasing.run_kinds import STEP_US
from foliot.store.sql.leasing.unreadable import put_off
from foliot.store.sql.people.journal import note

ASSIGNED_FOR_US: Final[Micros] = 30 * SECOND
TRIES_MAX: Final = 3
"""So many workers may let a run wait; then anyone that fits may lease it."""
WORK_MAX: Final = 50_000
"""Candidates that one step shows to routes, or those of one job if they are more: cursors are locked meanwhile."""

_COLUMNS: Final = """
    r.id, r.ver, r.job_id, r.version, r.fire_key, r.shard, r.attempt, r.lane, r.priority, r.not_before, r.params,
    r.assigned_before, r.follow, r.session_id
"""
_READY: Final = "r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= {now}"
_LANES: Final = RowSet("l", lane=BIGINT)


def _unassigned(doubt: str = "") -> Statement:
    return Statement(
        f"""
    SELECT {_COLUMNS} FROM runs r WHERE r.lane IN (SELECT l.lane FROM {{l}}) AND {_READY} {doubt}
    ORDER BY r.lane, r.class, r.priority, r.not_before, r.id LIMIT :limit
    """,
        _LANES,
        postgresql=f"""
    SELECT f.* FROM {{l}} CROSS JOIN LATERAL (
      SELECT {_COLUMNS} FROM runs r WHERE r.lane = l.lane AND {_READY} {doubt}
      ORDER BY r.class, r.priority, r.not_before, r.id LIMIT :limit) f
    LIMIT :limit
    """,
        mysql=f"""
    SELECT {_COLUMNS} FROM {{l}} STRAIGHT_JOIN runs r FORCE INDEX (runs_ready) ON r.ready_lane = l.lane
    WHERE {_READY} {doubt} LIMIT :limit
    """,
    )


UNASSIGNED: Final = _unassigned()
"""What waits for its route, in lanes that some live worker fits: where nobody fits there is nothing to decide."""
UNASSIGNED_DOUBTING: Final = _unassigned(DUE_INDEED)
"""The same while the store's clock is in doubt. What is not due indeed must not be written before it is: the row would
look as if its start had been set since the jump."""

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


_NOT_LIVE: Final = f"""
    LEFT JOIN nodes n ON n.id = walk.session AND n.state = 'live' AND n.until >= {{now}}
    WHERE walk.session IS NOT NULL AND walk.session <> '{ANYONE}' AND n.id IS NULL
"""

LOST: Final = Statement(
    f"{WALK} SELECT walk.session FROM walk {_NOT_LIVE}",
    mysql=f"SELECT walk.session FROM {WALK_MARIADB} {_NOT_LIVE}",
)
"""Sessions that drain, are silent or are over, and for which runs wait."""

_WAITS: Final = "r.id, r.ver, r.assigned_to, r.assigned_before"

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


class _Run(NamedTuple):
    """A ready run that waits for its route."""

    id: int
    ver: int
    job_id: int
    version: int
    fire_key: str
    shard: int
    attempt: int
    lane: int
    priority: int
    not_before: Instant
    params: str | None
    assigned_before: str | None
    follow: int
    session_id: str | None

    @property
    def own_worker(self) -> str | None:
        """The session that alone may have it."""
        return self.session_id if self.follow & OWN else None

    @property
    def tried(self) -> list[str]:
        return self.assigned_before.split(",") if self.assigned_before else []

    @property
    def key(self) -> str:
        """What no other run, shard or attempt of the job has."""
        return f"{self.fire_key}#{self.shard}@{self.attempt}"


class _Alike(NamedTuple):
    """What runs have in common that are decided together."""

    job_id: int
    version: int
    lane: int
    assigned_before: str | None


class Assignment:
    """Assigning of one server. It remembers nothing between calls but what workers offer and how quick they are, and
    whether lanes may be full.
    """

    def __init__(self, definitions: Definitions, lanes: Lanes) -> None:
        self._definitions = definitions
        self._lanes = lanes
        self._offers = KnownOffers()
        self._paces = KnownPaces()
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
        fitting: Mapping[int, Sequence[LiveWorker]] = _fitting(self._lanes.find(tx, lanes), workers)
        business = None
        if self._counts_first:
            business = Business(tx)
            self._counts_first = may_be_full_soon(business, step=limit)
            fitting = open_lanes(fitting, business)
        waiting = _waiting(tx, fitting, limit, doubt) if fitting else []
        if not waiting:
            return Assigned()
        tx.point("assigning.seen")
        step = _Step(tx, ask, fitting, business)
        locked = _together(step.locked(waiting))
        groups = dict(islice(locked.items(), _within_reach(locked, fitting)))
        runs = [run for together in groups.values() for run in together]
        jobs = self._definitions.find(tx, {(run.job_id, run.version) for run in runs}).jobs
        step.count_own({job_id for (job_id, _), job in jobs.items() if job.definition.spread is not None})
        by_pace = {job_id for (job_id, _), job in jobs.items() if job.definition.route.name in BY_PACE}
        step.paces = self._paces.of(tx, by_pace, int(workers[0].row.now))
        for alike, together in groups.items():
            step.decide(jobs.get((alike.job_id, alike.version)), alike, together)
        sessions = step.write(int(workers[0].row.now))
        self._counts_first = may_be_full_soon(step.business, step=limit)
        is_full = len(groups) < len(locked) or (len(waiting) >= limit and bool(runs))
        return Assigned(runs=len(runs) - step.left, sessions=sessions, more=is_full or step.left > 0)


def _waiting(tx: Tx, lanes: Collection[int], limit: int, doubt: ClockDoubt | None) -> list[_Run]:
    """What waits for its route in these lanes, by the clock or by what is thought of it (R7)."""
    values: dict[str, Any] = {"limit": limit}
    statement = UNASSIGNED
    if doubt is not None:
        statement = UNASSIGNED_DOUBTING
        values |= {"believed": doubt.believed, "good": doubt.good_until, "landed": doubt.landed}
    return [_Run._make(row) for row in tx.tuples(statement, values, l=keys(lanes))]


def take_back(tx: Tx, limit: int) -> int:
    """Let routes decide again about runs whose worker let its time pass, drains or is gone; how many runs."""
    rows = {row.id: row for row in tx.found(OF_LOST, {"limit": limit}, d=tx.tuples(LOST))}
    for row in tx.rows(OVERDUE, {"limit": limit}):
        rows[row.id] = row
    back = [(row.id, row.ver, _tried(row)) for row in rows.values()]
    return tx.change(TAKE_BACK, d=sorted(back)) if back else 0


def _tried(row: Any) -> str:
    """The sessions that had their time, the last `TRIES_MAX` of them."""
    before = row.assigned_before.split(",") if row.assigned_before else []
    return ",".join([*before, row.assigned_to][-TRIES_MAX:])


def _fitting(lanes: Mapping[int, Any], workers: Sequence[LiveWorker]) -> dict[int, list[LiveWorker]]:
    """Of each lane the workers that fit it. Where all of these are late there is nothing to decide yet."""
    alike: dict[Any, list[LiveWorker]] = {}
    for worker in workers:
        alike.setdefault(worker.kind, []).append(worker)
    by_lane = {
        lane_id: [worker for some in alike.values() if some[0].fits(lane) for worker in some]
        for lane_id, lane in lanes.items()
    }
    return {lane_id: found for lane_id, found in by_lane.items() if not all(worker.is_late for worker in found)}


def _together(runs: Sequence[_Run]) -> dict[_Alike, list[_Run]]:
    """Runs that are decided together, oldest first: those of a job before the next job's."""
    groups: dict[_Alike, list[_Run]] = {}
    for run in sorted(runs, key=_by_job):
        alike = _Alike(run.job_id, run.version, run.lane, run.assigned_before)
        groups.setdefault(alike, []).append(run)
    return groups


def _within_reach(groups: Collection[_Alike], fitting: Mapping[int, Sequence[LiveWorker]]) -> int:
    """How many of these groups one step decides about, the first of them in any case."""
    left = WORK_MAX
    for count, alike in enumerate(groups):
        left -= len(fitting[alike.lane])
        if left < 0:
            return max(1, count)
    return len(groups)


def _by_job(run: _Run) -> tuple[int, Instant, int]:
    return run.job_id, run.not_before, run.id


class _Step:
    """One transaction of assigning: what is locked, decided and to be written."""

    def __init__(
        self, tx: Tx, ask: AskRoute, fitting: Mapping[int, Sequence[LiveWorker]], business: Business | None
    ) -> None:
        """`business`: None: it is not counted yet."""
        self._tx = tx
        self._ask = ask
        self._fitting = fitting
        self._states: dict[int, str | None] = {}  # of each job whose cursor is locked
        self._seen: dict[int, tuple[int, str | None]] = {}  # its version and state before
        self._decided: list[tuple[_Run, str]] = []
        self._whole: list[Whole] = []
        self._unreadable: list[tuple[int, int]] = []  # id and version of the row
        self._moves: list[Happening] = []
        self._business = business
        self._own: OwnRuns | None = None
        self.paces: Mapping[int, Mapping[str, Micros]] = {}  # of jobs whose route goes by them

    def locked(self, waiting: Sequence[_Run]) -> list[_Run]:
        """Those that this transaction may decide: it holds their cursors, and they are as they were seen."""
        self._lock_cursors({run.job_id for run in waiting})
        mine = [run for run in waiting if run.job_id in self._seen]
        ids = sorted(run.id for run in mine)
        vers: dict[int, int] = self._tx.pairs(AS_SEEN, d=keys(ids))
        if self._business is None:
            self._business = Business(self._tx)
        return [run for run in mine if vers.get(run.id) == run.ver]

    @property
    def business(self) -> Business:
        assert self._business is not None, "nothing was locked"
        return self._business

    def _lock_cursors(self, jobs: Collection[int]) -> None:
        """Those that nobody else holds."""
        rows = self._tx.tuples(STATES, d=keys(sorted(jobs)))
        for job_id, cursor_ver, state in rows:
            self._seen[job_id] = (cursor_ver, state)
            self._states[job_id] = state

    def count_own(self, jobs: Collection[int]) -> None:
        """Count the runs of jobs that are spread over a label."""
        self._own = OwnRuns(self._tx, jobs)

    def decide(self, job: StoredJob | None, alike: _Alike, runs: Sequence[_Run]) -> None:
        """Ask the route about runs of one job. One that nobody is named for is for anyone that fits."""
        if job is None:  # it may be a broadcast: only who can read it knows for whom it is
            self._unreadable += [(run.id, run.ver) for run in runs]
            return
        if job.definition.is_broadcast:
            self._broadcast(job, self._fitting[alike.lane], runs)
            return
        tried = runs[0].tried
        fitting = self._fitting[alike.lane]
        paces = self.paces.get(alike.job_id, {})
        candidates = self.business.as_candidates(fitting, without=tried, paces=paces)
        if not candidates or len(tried) >= TRIES_MAX:
            self._decided += [(run, ANYONE) for run in runs]
            self.business.add(alike.lane, [None] * len(runs))
            return
        choice = job.definition.route
        keys_ = [_key(run, job, choice.by) for run in runs] if choice.by else []
        names = [worker.row.name for worker in fitting if worker.row.id in tried] if tried else []
        ready = Ready(alike.job_id, [run.key for run in runs], self._states[alike.job_id], keys_, names)
        routed = self._routed(job, ready, candidates)
        self._states[alike.job_id] = routed.state
        self.business.add(alike.lane, routed.sessions)
        for run, session in zip(runs, routed.sessions, strict=True):
            self._decided.append((run, ANYONE if session is None else session))
        self._moves += [_moved(job, choice.name, runs[0], move) for move in routed.moves]

    def _routed(self, job: StoredJob, ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
        """What the route says, of all candidates or of those that the wishes of the job leave."""
        route, wishes = job.definition.route.name, job.definition.wishes
        if wishes.is_none:
            return self._ask(route, ready, candidates)
        assert self._own is not None
        routed = placed(wishes, route, ready, candidates, self._ask, self._own.of(ready.job_id))
        self._own.add(ready.job_id, routed.sessions)
        return routed

    def _broadcast(self, job: StoredJob, workers: Sequence[LiveWorker], runs: Sequence[_Run]) -> None:
        """Every worker gets a shard, a late one too.

        A shard is ready here if its run had to line up anew: it stays its worker's.
        """
        for run in runs:
            if run.own_worker is not None:
                self._decided.append((run, run.own_worker))
            else:
                self._whole.append(Whole(run.id, run.ver, job, workers))

    @property
    def left(self) -> int:
        """How many runs are to be cut in a later step."""
        return len(self._whole) - within_reach(self._whole)

    def write(self, now: Instant) -> frozenset[str]:
        """Write what was decided; the sessions that got something."""
        kept = [
            (job_id, cursor_ver, self._states[job_id])
            for job_id, (cursor_ver, state) in sorted(self._seen.items())
            if self._states[job_id] != state
        ]
        if kept and self._tx.change(KEEP, d=kept) != len(kept):
            raise TryAgain("a cursor moved although it was locked")
        until = now + ASSIGNED_FOR_US
        rows: list[tuple[Any, ...]] = []
        for run, session in self._decided:
            rank = run.not_before - run.priority * STEP_US
            is_for_good = session in (ANYONE, run.own_worker)
            rows.append((run.id, run.ver, session, None if is_for_good else until, rank))
        if rows and self._tx.change(ASSIGN, d=sorted(rows)) != len(rows):
            raise TryAgain("a run changed although it was locked")
        if self._unreadable:
            put_off(self._tx, self._unreadable, now)
        whole = self._whole[: within_reach(self._whole)]
        cut_for = cut(self._tx, now, whole) if whole else frozenset()
        self._tx.point("assigning.assigned")
        note(self._tx, [*self._moves, *(run.happening for run in whole)])
        return cut_for.union(session for _, session in self._decided)


def _key(run: _Run, job: StoredJob, by: str) -> str:
    """The value of the parameter that the job is routed by, as a text."""
    params = job.definition.params if run.params is None else json.loads(run.params)
    value = params.get(by) if isinstance(params, Mapping) else None
    return value if isinstance(value, str) else canonical_json(value)


def _moved(job: StoredJob, route: str, run: _Run, move: Move) -> Happening:
    """A move for the journal, with both scores."""
    return Happening(
        key=f"route:{run.id}:{run.ver}",
        topic=Topic.JOBS,
        kind="job.moved",
        subject=job.name,
        by=route,
        namespace=job.namespace,
        data={
            "from": move.before,
            "to": move.after,
            "score_from": round(move.score_before, 3),
            "score_to": round(move.score_after, 3),
        },
    )
