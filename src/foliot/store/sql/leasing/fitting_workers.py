"""The live workers as routes see them: which lanes each fits, its health, its load and what it has to do."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from foliot.domain.health import Health, HealthRules, worse
from foliot.domain.instants import SECOND, Instant, Micros
from foliot.domain.job import Lane
from foliot.domain.routing import FittingWorker
from foliot.ports.store.assignment import ANYONE
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.leasing.assigned import ASSIGNED
from foliot.store.sql.statistics.ranges import paces as paces_of

PACES_FOR_US: Final[Micros] = 10 * SECOND

WORKERS: Final = Statement(
    """
    SELECT n.id, n.name, n.slots, n.weight, n.group_name, n.namespace, n.labels, n.load, n.band, n.until,
           coalesce(n.offer_hash, n.id) AS text_of, m.reap_after, m.last_tick_at, m.scopes_ver, {now} AS now
    FROM nodes n JOIN store_meta m ON m.id = 1
    WHERE n.state = 'live' AND n.kind <> 'server' AND m.maintenance_until <= {now}
    """
)
"""Also those that are silent and not yet declared dead. None while the cluster is in a maintenance: then nobody
decides."""

HANDLERS: Final = Statement("SELECT n.id, n.handlers FROM nodes n WHERE n.id IN (SELECT d.id FROM {d})",
                            RowSet("d", id=TEXT))  # fmt: skip

_RUNNING: Final = """
    SELECT r.session_id, NULL, count(*) FROM runs r WHERE r.state = 'RUNNING' AND r.{held_by} > '' GROUP BY r.session_id
"""
BUSY: Final = Statement(
    f"""
    {_RUNNING} UNION ALL
    SELECT r.assigned_to, r.lane, count(*) FROM runs r WHERE {ASSIGNED} AND r.assigned_to > ''
    GROUP BY r.assigned_to, r.lane
    """,
    mysql=f"""
    {_RUNNING} UNION ALL
    SELECT r.assigned_to, r.lane, count(*) FROM runs r FORCE INDEX (runs_assigned) WHERE r.assigned_to > ''
    GROUP BY r.assigned_to, r.lane
    """,
)
"""The runs that each session executes, and those that wait for it in each lane. On MariaDB the index has all that is
asked for; a run that is not assigned any more has no worker there."""

ASSIGNED_TO: Final = Statement(
    f"SELECT r.assigned_to, count(*) FROM runs r WHERE {ASSIGNED} AND r.assigned_to > '' GROUP BY r.assigned_to",
    mysql="""
    SELECT r.assigned_to, count(*) FROM runs r FORCE INDEX (runs_assigned) WHERE r.assigned_to > ''
    GROUP BY r.assigned_to
    """,
)
"""The runs that wait for each session, for people who ask why."""

OWN: Final = Statement(
    f"""
    SELECT r.job_id, r.session_id AS session, count(*) FROM runs r
    WHERE r.state = 'RUNNING' AND r.{{held_by}} > '' AND r.job_id + 0 IN (SELECT d.job_id FROM {{d}})
    GROUP BY r.job_id, r.session_id
    UNION ALL
    SELECT r.job_id, r.assigned_to AS session, count(*) FROM runs r
    WHERE {ASSIGNED} AND r.assigned_to > '{ANYONE}' AND r.job_id + 0 IN (SELECT d.job_id FROM {{d}})
    GROUP BY r.job_id, r.assigned_to
    """,
    RowSet("d", job_id=BIGINT),
)
"""The same for some jobs alone. No session comes before `ANYONE`. With `+ 0` no index of jobs is taken: a job may have
millions of runs, and these indexes have few."""


class _Offer(msgspec.Struct):
    name: str


class LiveWorker(NamedTuple):
    """A live worker, and what it offers."""

    row: Any
    offers: frozenset[str]
    labels: Mapping[str, str]
    is_in_warning: bool
    load: float | None
    given: int  # slots that it gets runs for: fewer than it has while it is in WARNING
    is_late: bool = False  # nothing was heard of it for too long: no route chooses it

    @property
    def kind(self) -> tuple[str, str | None, str | None, str]:
        """Workers of one kind fit the same lanes: thousands of them are of few kinds."""
        row = self.row
        return row.group_name, row.namespace, row.labels, row.text_of

    def fits(self, lane: Lane) -> bool:
        """Whether it may run what is in this lane."""
        row = self.row
        return lane.fits(group=row.group_name, offers=self.offers, labels=self.labels, namespace=row.namespace)


class KnownOffers:
    """What workers offer, remembered: thousands of them say the same, and it may be long."""

    def __init__(self) -> None:
        self._known: dict[str, frozenset[str]] = {}

    def of(self, tx: Tx, rows: Sequence[Any]) -> dict[str, frozenset[str]]:
        """The offers of these workers, by `text_of`."""
        unknown = {row.text_of: row.id for row in rows if row.text_of not in self._known}
        if unknown:
            self._learn(tx, unknown, still={row.text_of for row in rows})
        known = self._known
        return {row.text_of: known.get(row.text_of, frozenset()) for row in rows}

    def _learn(self, tx: Tx, unknown: Mapping[str, str], *, still: Collection[str]) -> None:
        """Read these texts, each from a session that says it; what no live worker says any more is forgotten."""
        texts = tx.pairs(HANDLERS, d=keys(unknown.values()))
        known = {text_of: offers for text_of, offers in self._known.items() if text_of in still}
        for text_of, session in unknown.items():
            known[text_of] = offers_in(texts.get(session))
        self._known = known  # a new mapping: another thread may read the old one


def live_workers(tx: Tx, offers: KnownOffers, rules: HealthRules) -> list[LiveWorker]:
    """Those that do not drain and were not declared dead."""
    rows = tx.rows(WORKERS)
    offered = offers.of(tx, rows)
    workers: list[LiveWorker] = []
    for row in rows:
        band = _band(row, rules)
        is_late = band is Health.OFFLINE or row.until < row.now
        load = msgspec.json.decode(row.load, type=dict[str, float]) if row.load else {}
        labels = labels_in(row.labels)
        given = rules.slots_given(row.slots, band)
        is_in_warning = band is Health.WARNING
        workers.append(LiveWorker(row, offered[row.text_of], labels, is_in_warning, load.get("score"), given, is_late))
    return workers


class Business:
    """How much each worker has to do, counting what is assigned in this step."""

    def __init__(self, tx: Tx) -> None:
        self._runs: dict[str, int] = {}
        self._waiting: dict[int, int] = {}  # assigned runs, by lane
        self._candidates: dict[str, FittingWorker] = {}  # by session: workers that got no run since
        for session, lane, count in tx.tuples(BUSY):
            self._runs[session] = self._runs.get(session, 0) + int(count)
            if lane is not None:
                self._waiting[lane] = self._waiting.get(lane, 0) + int(count)

    @property
    def most_waiting(self) -> int:
        """The assigned runs of the lane that has most of them."""
        return max(self._waiting.values(), default=0)

    def waiting_in(self, lane: int) -> int:
        """The assigned runs of a lane."""
        return self._waiting.get(lane, 0)

    def is_idle(self, worker: "LiveWorker") -> bool:
        """Whether a worker has free slots and no run waits for them."""
        return not worker.is_late and self._runs.get(worker.row.id, 0) < worker.given

    def add(self, lane: int, sessions: Collection[str | None]) -> None:
        """These got a run of this lane each."""
        self._waiting[lane] = self._waiting.get(lane, 0) + len(sessions)
        for session in sessions:
            if session is not None:
                self._runs[session] = self._runs.get(session, 0) + 1
                self._candidates.pop(session, None)

    def as_candidates(
        self, workers: Iterable[LiveWorker], without: Sequence[str], paces: Mapping[str, Micros]
    ) -> list[FittingWorker]:
        """The workers as routes see them, without some sessions. `paces`: at the job, by name."""
        candidates: list[FittingWorker] = []
        for worker in workers:
            session = worker.row.id
            if worker.is_late or session in without:
                continue
            candidate = self._candidates.get(session) or self._as_candidate(worker)
            candidates.append(candidate._replace(pace_us=paces.get(candidate.name)) if paces else candidate)
        return candidates

    def _as_candidate(self, worker: LiveWorker) -> FittingWorker:
        """A worker as routes see it now. It is kept until the worker gets a run: a step asks for thousands of jobs."""
        row = worker.row
        running = self._runs.get(row.id, 0)
        free = max(0, worker.given - running)
        self._candidates[row.id] = candidate = FittingWorker(
            row.id, row.name, free, row.slots, running, row.weight, worker.is_in_warning, worker.load, worker.labels
        )
        return candidate


class KnownPaces:
    """How quick workers are at some jobs, remembered for a while: the leader counts runs once a minute."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Instant, Mapping[str, Micros]]] = {}

    def of(self, tx: Tx, jobs: Collection[int], now: Instant) -> dict[int, Mapping[str, Micros]]:
        """By job, then by the name of the worker."""
        if not jobs:
            return {}
        fresh = {job_id: known for job_id, known in self._known.items() if 0 <= now - known[0] < PACES_FOR_US}
        unknown = [job_id for job_id in jobs if job_id not in fresh]
        if unknown:
            fresh |= {job_id: (now, found) for job_id, found in paces_of(tx, unknown).items()}
            self._known = fresh  # a new mapping: another thread may read the old one
        return {job_id: fresh[job_id][1] for job_id in jobs}


class OwnRuns:
    """How many runs of some jobs each session has, counting what is assigned in this step."""

    def __init__(self, tx: Tx, jobs: Collection[int]) -> None:
        self._runs: dict[int, dict[str, int]] = {job_id: {} for job_id in jobs}
        for job_id, session, count in tx.tuples(OWN, d=keys(sorted(jobs))) if jobs else ():
            of_job = self._runs[job_id]
            of_job[session] = of_job.get(session, 0) + int(count)

    def of(self, job_id: int) -> Mapping[str, int]:
        """The runs of one job, by session."""
        return self._runs.get(job_id, {})

    def add(self, job_id: int, sessions: Iterable[str | None]) -> None:
        """These got a run of this job each."""
        of_job = self._runs.get(job_id, {})
        for session in sessions:
            if session is not None:
                of_job[session] = of_job.get(session, 0) + 1


def labels_in(text: str | None) -> dict[str, str]:
    """`nodes.labels` as a mapping."""
    return msgspec.json.decode(text, type=dict[str, str]) if text else {}


def offers_in(text: str | None) -> frozenset[str]:
    """The names in `nodes.handlers`."""
    offers = msgspec.json.decode(text, type=list[_Offer]) if text else []
    return frozenset(offer.name for offer in offers)


def _band(row: Any, rules: HealthRules) -> Health:
    """The worse of what its beats said and of its silence."""
    now: Instant = int(row.now)
    by_beats = Health(row.band or Health.ONLINE)
    if not rules.minds_silence(now, reap_after=row.reap_after, last_tick_at=row.last_tick_at):
        return by_beats
    return worse(by_beats, rules.by_quiet(rules.quiet_us(row.until, now)))
