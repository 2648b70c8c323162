"""Asking routes: for which worker each of some ready runs is meant. Nothing is written here.

Who asks holds the cursors of these jobs, on which routes keep what they must know exactly: a server whose workers ask
for runs (`leasing.assignment`), or the transaction of a fire (`leasing.fire_routes`).
"""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.instants import SECOND, Instant, Micros
from foliot.domain.job import LoadedJob
from foliot.domain.own_parameters import usual_params
from foliot.domain.routing import BY_PACE, FittingWorker, Move, Ready, Routed
from foliot.domain.routing.choice import key_of
from foliot.domain.routing.placement import placed
from foliot.ports.store.assignment import ANYONE, AskRoute
from foliot.ports.store.journal import Happening, Topic
from foliot.store.sql.firing.follow import OWN
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.leasing.fitting_workers import Business, KnownPaces, LiveWorker, OwnRuns

ASSIGNED_FOR_US: Final[Micros] = 30 * SECOND
TRIES_MAX: Final = 3
"""So many workers may let a run wait; then anyone that fits may lease it."""
WORK_MAX: Final = 50_000
"""Candidates that one step shows to routes, or those of one job if they are more: cursors are locked meanwhile."""


class ReadyRun(NamedTuple):
    """A ready run that waits for its route."""

    id: int
    ver: int
    job_id: int
    version: int
    fire_key: str
    shard: int
    attempt: int
    lane: int
    class_: int
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

    @property
    def mark(self) -> str:
        """What no other decision of a route has. A fire that is being decided has no id yet, and is assigned once."""
        return f"{self.id}:{self.ver}" if self.id else f"{self.job_id}:{self.fire_key}"


class Alike(NamedTuple):
    """What runs have in common that are decided together."""

    job_id: int
    version: int
    lane: int
    assigned_before: str | None


def fitting_by_lane(lanes: Mapping[int, Any], workers: Sequence[LiveWorker]) -> dict[int, list[LiveWorker]]:
    """Of each lane the workers that fit it. Where all of these are late there is nothing to decide yet."""
    alike: dict[Any, list[LiveWorker]] = {}
    for worker in workers:
        alike.setdefault(worker.kind, []).append(worker)
    by_lane = {
        lane_id: [worker for some in alike.values() if some[0].fits(lane) for worker in some]
        for lane_id, lane in lanes.items()
    }
    return {lane_id: found for lane_id, found in by_lane.items() if not all(worker.is_late for worker in found)}


def together(runs: Sequence[ReadyRun]) -> dict[Alike, list[ReadyRun]]:
    """Runs that are decided together, oldest first: those of a job before the next job's."""
    groups: dict[Alike, list[ReadyRun]] = {}
    for run in sorted(runs, key=_by_job):
        alike = Alike(run.job_id, run.version, run.lane, run.assigned_before)
        groups.setdefault(alike, []).append(run)
    return groups


def within_reach(groups: Collection[Alike], fitting: Mapping[int, Sequence[LiveWorker]]) -> int:
    """How many of these groups one step decides about, the first of them in any case."""
    left = WORK_MAX
    for count, alike in enumerate(groups):
        left -= len(fitting[alike.lane])
        if left < 0:
            return max(1, count)
    return len(groups)


def _by_job(run: ReadyRun) -> tuple[int, Instant, int]:
    return run.job_id, run.not_before, run.id


class RouteStep:
    """What routes said in one transaction. Later decisions of a step know of the earlier ones."""

    def __init__(self, tx: Tx, ask: AskRoute, fitting: Mapping[int, Sequence[LiveWorker]]) -> None:
        """`fitting`: the workers that fit each lane."""
        self.tx = tx
        self.fitting = fitting
        self.states: dict[int, str | None] = {}  # what the route of each job keeps on its cursor
        self.decided: list[tuple[ReadyRun, str]] = []
        self.moves: list[Happening] = []
        self._ask = ask
        self._business: Business | None = None
        self._own = OwnRuns(tx, ())
        self._paces: Mapping[int, Mapping[str, Micros]] = {}  # of jobs whose route goes by them

    @property
    def business(self) -> Business:
        assert self._business is not None, "nobody counted what workers have to do"
        return self._business

    def count(self, business: Business | None = None) -> None:
        """Learn what workers have to do; None: it is not counted yet."""
        self._business = self._business or business or Business(self.tx)

    def learn(self, jobs: Collection[LoadedJob], known: KnownPaces, now: Instant) -> None:
        """Read what the routes and wishes of these jobs go by."""
        self._own = OwnRuns(self.tx, {job.job_id for job in jobs if job.definition.spread is not None})
        self._paces = known.of(self.tx, {job.job_id for job in jobs if job.definition.route.name in BY_PACE}, now)

    def decide(self, job: LoadedJob, alike: Alike, runs: Sequence[ReadyRun]) -> None:
        """Ask the route about runs of one job. One that nobody is named for is for anyone that fits."""
        tried = runs[0].tried
        fitting = self.fitting[alike.lane]
        paces = self._paces.get(alike.job_id, {})
        candidates = self.business.as_candidates(fitting, without=tried, paces=paces)
        if not candidates or len(tried) >= TRIES_MAX:
            self.decided += [(run, ANYONE) for run in runs]
            self.business.add(alike.lane, [None] * len(runs))
            return
        choice = job.definition.route
        keys_ = [_key(run, job, choice.by) for run in runs] if choice.by else []
        names = [worker.row.name for worker in fitting if worker.row.id in tried] if tried else []
        ready = Ready(alike.job_id, [run.key for run in runs], self.states[alike.job_id], keys_, names)
        routed = self._routed(job, ready, candidates)
        self.states[alike.job_id] = routed.state
        self.business.add(alike.lane, routed.sessions)
        for run, session in zip(runs, routed.sessions, strict=True):
            self.decided.append((run, ANYONE if session is None else session))
        self.moves += [_moved(job, choice.name, runs[0], nth, move) for nth, move in enumerate(routed.moves)]

    def _routed(self, job: LoadedJob, ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
        """What the route says, of all candidates or of those that the wishes of the job leave."""
        route, wishes = job.definition.route.name, job.definition.wishes
        if wishes.is_none:
            return self._ask(route, ready, candidates)
        routed = placed(wishes, route, ready, candidates, self._ask, self._own.of(ready.job_id))
        self._own.add(ready.job_id, routed.sessions)
        return routed


def _key(run: ReadyRun, job: LoadedJob, by: str) -> str:
    """The value of the parameter that the job is routed by, as a text."""
    return key_of(usual_params(job.definition) if run.params is None else json.loads(run.params), by)


def _moved(job: LoadedJob, route: str, run: ReadyRun, nth: int, move: Move) -> Happening:
    """A move for the journal, with both scores; of a worker that is no candidate any more there is none.

    `run`, `nth`: the first run of the decision, and which of its moves this is: wishes ask a route several times.
    """
    left = {} if move.score_before is None else {"score_from": round(move.score_before, 3)}
    return Happening(
        key=f"route:{run.mark}#{nth}",
        topic=Topic.JOBS,
        kind="job.moved",
        subject=job.name,
        by=route,
        namespace=job.namespace,
        data={
            "from": move.before,
            "to": move.after,
            **left,
            "score_to": round(move.score_after, 3),
        },
    )
