"""Broadcast: a run of a job with `shards: each_worker` is cut for the workers that are live when they ask for runs.

Each shard is one worker's own (`OWN`), from its first moment to its end: it is inserted as assigned, without a time by
which that worker must take it, and a retry goes back to the same worker. When the worker drains, is gone or cannot
execute the job any more, its shard ends as lost: no other could do what it was for.
docs/decisions/a-broadcast-is-cut-when-workers-ask.md.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.bounds import SHARDS_MAX
from foliot.domain.instants import Instant, Micros
from foliot.domain.job import LoadedJob
from foliot.domain.run import FailureKind, format_run_id
from foliot.ports.store.assignment import ANYONE
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.store.runs import NAMES_TOLD
from foliot.store.sql.cluster.leadership import IN_TERM
from foliot.store.sql.cluster.reaper import NO_AMNESTY
from foliot.store.sql.ending.settlement import Quit
from foliot.store.sql.firing.follow import CHILD, LIMITS, OWN, PAST, PINNED, TRIAL, follow_of
from foliot.store.sql.firing.line import bump
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.leasing.assigned import ASSIGNED, RANK, WALK, WALK_MARIADB
from foliot.store.sql.leasing.fitting_workers import LiveWorker, labels_in, offers_in

CUT_MAX: Final = 2000
"""Shards that one step inserts, or those of one run if they are more."""

CUT: Final = Statement(
    f"""
    UPDATE runs SET state = 'RUNNING', open_children = d.shards, follow = runs.follow - (runs.follow & {LIMITS}),
           ver = runs.ver + 1
    FROM {{d}} WHERE runs.id = d.id AND runs.ver = d.ver
    """,
    RowSet("d", id=BIGINT, ver=BIGINT, shards=BIGINT),
)
"""A parent is never leased, so it takes no limits."""

INSERT_SHARDS: Final = Statement(
    f"""
    {{insert_ignore}} runs (job_id, version, fire_key, shard, parent_id, due_at, not_before, lane, class, priority,
                          serial, place, parked, assigned_to, session_id, assigned_rank, follow, state, ver, created_at,
                          triggered_by, reason, params)
    SELECT p.job_id, p.version, p.fire_key, d.shard, p.id, p.due_at, p.not_before, p.lane, p.class, p.priority,
           p.serial, p.place, 2, d.session, d.session, {RANK},
           d.follow | (p.follow & {PAST | PINNED | TRIAL}), 'PENDING', 1, :now, p.triggered_by, p.reason, p.params
    FROM {{d}} JOIN runs p ON p.id = d.parent WHERE true
    {{ignore_duplicates}}
    """,
    RowSet("d", parent=BIGINT, shard=BIGINT, session=TEXT, follow=BIGINT),
)

_WORKER: Final = "walk.session, n.name, n.group_name, n.namespace, n.labels, n.handlers"
_IN_VAIN: Final = f"""
    LEFT JOIN nodes n ON n.id = walk.session AND n.state = 'live' AND n.until >= {{now}}
    WHERE walk.session IS NOT NULL AND walk.session <> '{ANYONE}'
          AND (n.id IS NULL
               OR n.offers_at < {{now}} - :session_ttl - :grace AND {NO_AMNESTY}
                  AND EXISTS (SELECT 1 FROM runs r
                              WHERE r.assigned_to = walk.session AND {ASSIGNED} AND (r.follow & {OWN}) <> 0))
"""

ORPHANING: Final = Statement(
    f"{WALK} SELECT {_WORKER} FROM walk {_IN_VAIN}", mysql=f"SELECT {_WORKER} FROM {WALK_MARIADB} {_IN_VAIN}"
)
"""Sessions that runs wait for, perhaps in vain: those that drain, are silent or are over (they have no name here), and
those that changed what they offer. The latter have as long to change it back as a silent one has to speak again.

One statement, so that runs of routes cost none more.
"""

OF_GONE: Final = Statement(
    f"""
    SELECT r.id, r.ver, r.assigned_to, n.name, n.state FROM runs r LEFT JOIN nodes n ON n.id = r.assigned_to
    WHERE r.assigned_to IN (SELECT d.session FROM {{d}}) AND {ASSIGNED} AND (r.follow & {OWN}) <> 0
          AND (n.id IS NULL OR n.state <> 'live') AND {IN_TERM}
    LIMIT :limit
    """,
    RowSet("d", session=TEXT),
)
"""Shards that wait for a worker that drains, left or was declared dead. One that is only silent may speak again."""

LANES_OF: Final = Statement(
    f"""
    SELECT DISTINCT r.assigned_to, r.lane FROM runs r
    WHERE r.assigned_to IN (SELECT d.session FROM {{d}}) AND {ASSIGNED} AND (r.follow & {OWN}) <> 0
    """,
    RowSet("d", session=TEXT),
)
"""In which lanes shards wait that are these workers' own."""

OF_LANES: Final = Statement(
    f"""
    SELECT r.id, r.ver, r.assigned_to, r.lane FROM {{d}} JOIN runs r ON r.assigned_to = d.session AND r.lane = d.lane
    WHERE {ASSIGNED} AND (r.follow & {OWN}) <> 0 AND {IN_TERM}
    LIMIT :limit
    """,
    RowSet("d", session=TEXT, lane=BIGINT),
)

COUNTS: Final = Statement(
    """
    SELECT r.id, (SELECT s.shard + 1 FROM runs s WHERE s.job_id = r.job_id AND s.fire_key = r.fire_key
                  ORDER BY s.shard DESC LIMIT 1)
    FROM runs r WHERE r.id IN (SELECT d.id FROM {d})
    """,
    RowSet("d", id=BIGINT),
)
"""Of how many each shard is one: a step of the index of fires, however many there are."""


class Whole(NamedTuple):
    """A ready run that is to be cut for workers; its row and its cursor are locked."""

    id: int
    ver: int
    job: LoadedJob
    workers: Sequence[LiveWorker]

    @property
    def owners(self) -> list[tuple[str, str]]:
        """Whose each shard is, name and session: by name, so that a worker mostly keeps its number from run to run."""
        return sorted((worker.row.name, worker.row.id) for worker in self.workers)[:SHARDS_MAX]

    @property
    def happening(self) -> Happening:
        """That it is cut, for the journal."""
        owners = self.owners
        return Happening(
            key=f"run.cut:{self.id}",
            topic=Topic.RUNS,
            kind="run.cut",
            subject=format_run_id(self.id),
            namespace=self.job.namespace,
            data={
                "job": self.job.name,
                "shards": len(owners),
                "workers": [name for name, _ in owners[:NAMES_TOLD]],
            },
        )


def within_reach(runs: Sequence[Whole], left: int = CUT_MAX) -> int:
    """How many of these runs one step cuts, the first of them in any case."""
    for count, run in enumerate(runs):
        left -= len(run.workers)
        if left < 0 and count:
            return count
    return len(runs)


def cut(tx: Tx, now: Instant, runs: Sequence[Whole]) -> frozenset[str]:
    """Cut these runs, each into a shard for each of its workers; the sessions that got one."""
    parents: list[tuple[int, int, int]] = []
    shards: list[tuple[Any, ...]] = []
    for run in runs:
        follow = CHILD | OWN | (follow_of(run.job, scheduled=False) & LIMITS)
        owners = run.owners
        parents.append((run.id, run.ver, len(owners)))
        shards += [(run.id, shard, session, follow) for shard, (_, session) in enumerate(owners)]
    jobs = sorted({run.job.job_id for run in runs})
    bump(tx, dict.fromkeys(jobs, 1))  # like every insert of a run (R23); the place of a shard is its parent's
    if tx.change(CUT, d=sorted(parents)) != len(parents):
        raise TryAgain("a run changed although it was locked")
    tx.change(INSERT_SHARDS, {"now": now}, d=shards)
    return frozenset(session for _, _, session, _ in shards)


def orphans(tx: Tx, lanes: Lanes, *, term: int, limit: int, session_ttl_us: Micros, grace_us: Micros) -> list[Quit]:
    """Shards whose own worker will not take them any more, to be ended."""
    sessions = tx.rows(ORPHANING, {"session_ttl": session_ttl_us, "grace": grace_us})
    page = {"term": term, "limit": limit}
    over = [row.session for row in sessions if row.name is None]
    changed = {row.session: row for row in sessions if row.name is not None}
    gone = tx.found(OF_GONE, page, d=keys(over))
    quits = [_lost(row, _what_it_did(row)) for row in gone]
    unfit = _unfit(tx, lanes, changed)
    unserved = tx.found(OF_LANES, page, d=sorted(unfit))
    quits += [_lost(row, unfit[row.assigned_to, row.lane]) for row in unserved]
    return quits


def _what_it_did(row: Any) -> str:
    """What became of the worker of a shard."""
    return f"{row.name or row.assigned_to[:8]} {_went(row.state)}"


def _unfit(tx: Tx, lanes: Lanes, workers: Mapping[str, Any]) -> dict[tuple[str, int], str]:
    """Of live workers that changed what they offer: the lanes that they fit no more, by session, and what each did."""
    waits = tx.tuples(LANES_OF, d=keys(sorted(workers))) if workers else []
    known = lanes.find(tx, {lane_id for _, lane_id in waits})
    told: dict[tuple[str, int], str] = {}
    for session, lane_id in waits:
        lane, worker = known[lane_id], workers[session]
        offers, labels = offers_in(worker.handlers), labels_in(worker.labels)
        if lane.offer not in offers:
            told[session, lane_id] = f"{worker.name} no longer offers {lane.offer}"
        elif not lane.fits(group=worker.group_name, offers=offers, labels=labels, namespace=worker.namespace):
            told[session, lane_id] = f"{worker.name} no longer has the labels that the job requires"
    return told


def _went(state: str | None) -> str:
    return "drains" if state == "draining" else "is gone"


def _lost(row: Any, worker_did: str) -> Quit:
    return Quit(row.id, row.ver, f"Its worker {worker_did}, and this shard was for no other.", FailureKind.LOST)


def counts_of(tx: Tx, run_ids: Collection[int]) -> dict[int, int]:
    """Of how many shards each of these is one."""
    counts = tx.pairs(COUNTS, d=keys(sorted(run_ids))) if run_ids else {}
    return {run_id: int(count) for run_id, count in counts.items()}
