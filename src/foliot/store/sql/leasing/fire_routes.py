"""Routes of due jobs are asked in the transaction of their fires, which locks and writes their cursors anyway.

That saves a run two writes: it is inserted as assigned, and what its route keeps goes to the cursor with the next
instant. What is not decided here stands in `runs_ready` and is decided when workers ask (`leasing.assignment`): fires
that are more than one plain run, lanes that nobody fits or that are full, and all else that makes runs ready.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Final, NamedTuple

import structlog

from foliot.domain.fire import DueJob, Plan
from foliot.domain.instants import Instant
from foliot.domain.late_work import ON_TIME
from foliot.ports.store.assignment import Routing
from foliot.store.sql.firing.record import is_plain_step
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement, keys
from foliot.store.sql.leasing.fitting_workers import Business, KnownOffers, KnownPaces, LiveWorker, live_workers
from foliot.store.sql.leasing.full_lanes import open_to_fires
from foliot.store.sql.leasing.lane_room import LaneRoom
from foliot.store.sql.leasing.route_step import (
    ReadyRun,
    RouteStep,
    fitting_by_lane,
    together,
    within_reach,
)
from foliot.store.sql.leasing.scopes import Scopes
from foliot.store.sql.people.journal import note

log = structlog.get_logger("foliot.store")

KEPT: Final = Statement(
    "SELECT c.job_id, c.route_state FROM cursors c WHERE c.job_id IN (SELECT d.job_id FROM {d})",
    RowSet("d", job_id=BIGINT),
)
"""What routes keep. This transaction holds the cursors, so nobody changes it meanwhile."""


class AssignedFire(NamedTuple):
    """A fire of one plain run, and the worker that its route named."""

    due: DueJob
    plan: Plan
    session: str  # or `ANYONE` that fits
    state: str | None  # what the route keeps


class Split(NamedTuple):
    """Fires whose routes said for whom they are, and the others."""

    assigned: list[AssignedFire]
    due: Sequence[DueJob]
    plans: Sequence[Plan]


class FireRoutes:
    """Asks routes for one server. It remembers what workers offer and how quick they are."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        self._scopes = Scopes()
        self._offers = KnownOffers()
        self._paces = KnownPaces()

    def split(
        self,
        tx: Tx,
        now: Instant,
        due: Sequence[DueJob],
        plans: Sequence[Plan],
        routing: Routing,
        *,
        flagged: AbstractSet[int] = frozenset(),
    ) -> Split:
        """Ask the routes of fires that can be assigned at once. Where no job has a route, this costs no statement.

        `flagged`: jobs whose cursor carries the trouble of an earlier plan: more about it changes than its instant.
        """
        fires = [
            _as_ready(item, plan)
            for item, plan in zip(due, plans, strict=True)
            if item.job.asks_route and item.job.job_id not in flagged and _fits(item, plan, now)
        ]
        step = self._asked(tx, fires, due, routing) if fires else None
        if step is None:
            return Split([], due, plans)
        note(tx, step.moves)
        return _split(due, plans, step)

    def _asked(self, tx: Tx, fires: Sequence[ReadyRun], due: Sequence[DueJob], routing: Routing) -> RouteStep | None:
        """Ask the routes of these fires; None: there is nobody that they could be for."""
        workers = live_workers(tx, self._offers, routing.health)
        known = self._lanes.find(tx, {fire.lane for fire in fires})
        fitting: Mapping[int, Sequence[LiveWorker]] = fitting_by_lane(known, workers)
        if not fitting:
            return None
        now = int(workers[0].row.now)
        business = Business(tx)
        fitting = open_to_fires(fitting, business)
        room = LaneRoom(tx, self._scopes, int(workers[0].row.scopes_ver), now)
        room.look({lane_id: known[lane_id] for lane_id in fitting})
        open_ = [fire for fire in fires if fire.lane in fitting]
        groups = together([fire for fire in open_ if room.take(fire, may_claim=not business.waiting_in(fire.lane))])
        if not groups:
            return None
        step = RouteStep(tx, routing.ask, fitting)
        step.count(business)
        asked = {alike.job_id for alike in groups}
        step.states = tx.pairs(KEPT, d=keys(sorted(asked)))
        jobs = {item.job.job_id: item.job for item in due if item.job.job_id in asked}
        step.learn(jobs.values(), self._paces, now)
        for alike, some in islice(groups.items(), within_reach(groups, fitting)):
            try:
                step.decide(jobs[alike.job_id], alike, some)
            except Exception:  # a fire must not fail for its route: workers will ask for it
                log.exception("routing.failed", job=jobs[alike.job_id].name)
        return step


def _fits(item: DueJob, plan: Plan, now: Instant) -> bool:
    """Whether a fire is one run that may start now, and its cursor only goes on to the next instant."""
    if len(plan.runs) != 1 or not is_plain_step(item.cursor, plan):
        return False
    run = plan.runs[0]
    return not run.parked and not run.catch_up and run.not_before <= now


def _as_ready(item: DueJob, plan: Plan) -> ReadyRun:
    """The run of a fire, as routes see it. It has no id yet."""
    job, run = item.job, plan.runs[0]
    # This is a hot path: a named tuple's own constructor is written in Python, so `tuple`'s is called instead.
    own = (
        *(job.job_id, job.version, run.fire_key, -1, 0),
        *(job.lane_id, ON_TIME, job.definition.priority, run.not_before),
    )
    return tuple.__new__(ReadyRun, (0, 1, *own, None, None, 0, None))


def _split(due: Sequence[DueJob], plans: Sequence[Plan], step: RouteStep) -> Split:
    """Each fire that was asked about, with what was said; a transaction has one plan of a job."""
    said = {run.job_id: session for run, session in step.decided}
    assigned: list[AssignedFire] = []
    other_due: list[DueJob] = []
    other_plans: list[Plan] = []
    for item, plan in zip(due, plans, strict=True):
        job_id = item.job.job_id
        session = said.get(job_id)
        if session is None:
            other_due.append(item)
            other_plans.append(plan)
        else:
            assigned.append(AssignedFire(item, plan, session, step.states[job_id]))
    return Split(assigned, other_due, other_plans)
