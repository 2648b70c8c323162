"""Broadcast: a run of a job with `shards: each_worker` is cut for the workers that are live when they ask for runs.

Each shard is one worker's own (`OWN`), from its first moment to its end: it is inserted as assigned, without a time by
which that worker must take it, and a retry goes back to the same worker. When the worker drains or is gone, its shard
ends as lost: no other could do what it was for. docs/decisions/a-broadcast-is-cut-when-workers-ask.md.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.bounds import SHARDS_MAX
from foliot.domain.instants import Instant
from foliot.domain.job import LoadedJob
from foliot.domain.run import FailureKind
from foliot.store.sql.cluster.leadership import IN_TERM
from foliot.store.sql.ending.settlement import Quit
from foliot.store.sql.firing.follow import CHILD, LIMITS, OWN, PAST, PINNED, TRIAL, follow_of
from foliot.store.sql.firing.line import bump
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.leasing.assigned import ASSIGNED
from foliot.store.sql.leasing.fitting_workers import LiveWorker
from foliot.store.sql.leasing.run_kinds import STEP_US

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
           p.serial, p.place, 2, d.session, d.session, p.not_before - p.priority * {STEP_US},
           d.follow | (p.follow & {PAST | PINNED | TRIAL}), 'PENDING', 1, :now, p.triggered_by, p.reason, p.params
    FROM {{d}} JOIN runs p ON p.id = d.parent WHERE true
    {{ignore_duplicates}}
    """,
    RowSet("d", parent=BIGINT, shard=BIGINT, session=TEXT, follow=BIGINT),
)

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
    def sessions(self) -> list[str]:
        """Whose each shard is: by name, so that a worker mostly keeps its number from run to run."""
        rows = sorted((worker.row.name, worker.row.id) for worker in self.workers)
        return [session for _, session in rows[:SHARDS_MAX]]


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
        sessions = run.sessions
        parents.append((run.id, run.ver, len(sessions)))
        shards += [(run.id, shard, session, follow) for shard, session in enumerate(sessions)]
    jobs = sorted({run.job.job_id for run in runs})
    bump(tx, dict.fromkeys(jobs, 1))  # like every insert of a run (R23); the place of a shard is its parent's
    if tx.change(CUT, d=sorted(parents)) != len(parents):
        raise TryAgain("a run changed although it was locked")
    tx.change(INSERT_SHARDS, {"now": now}, d=shards)
    return frozenset(session for _, _, session, _ in shards)


def shards_of_gone(tx: Tx, sessions: Sequence[str], *, term: int, limit: int) -> list[Quit]:
    """Shards whose own worker will not take them any more, to be ended. `sessions`: those that are not heard of."""
    rows = tx.found(OF_GONE, {"term": term, "limit": limit}, d=keys(sessions))
    return [Quit(row.id, row.ver, _told(row), FailureKind.LOST) for row in rows]


def _told(row: Any) -> str:
    name = row.name or row.assigned_to[:8]
    did = "drains" if row.state == "draining" else "is gone"
    return f"Its worker {name} {did}, and this shard was for no other."


def counts_of(tx: Tx, run_ids: Collection[int]) -> dict[int, int]:
    """Of how many shards each of these is one."""
    counts = tx.pairs(COUNTS, d=keys(sorted(run_ids))) if run_ids else {}
    return {run_id: int(count) for run_id, count in counts.items()}
