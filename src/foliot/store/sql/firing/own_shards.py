"""Failed shards of a broadcast, made again: each for the worker of the same name that is live and fits now."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.job import Lane, LoadedJob, lane_of
from foliot.domain.run import RunState
from foliot.ports.store.runs import WorkersGone
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import TEXT, RowSet, Statement, keys
from foliot.store.sql.leasing.fitting_workers import labels_in, offers_in

SHARDS: Final = Statement(
    """
    SELECT r.shard, r.state, r.session_id, n.name FROM runs r LEFT JOIN nodes n ON n.id = r.session_id
    WHERE r.parent_id = :id AND r.shard >= 0 ORDER BY r.shard
    """
)

NAMED: Final = Statement(
    """
    SELECT n.id, n.name, n.group_name, n.namespace, n.labels, n.handlers FROM nodes n
    WHERE n.state = 'live' AND n.kind <> 'server' AND n.name IN (SELECT d.name FROM {d})
    """,
    RowSet("d", name=TEXT),
)
"""Live workers of these names. One whose beats are late is among them, as when a run is cut."""


class OwnShards(NamedTuple):
    """Shards to insert, each with the session that alone may have it; and whose shards are left out."""

    made: Sequence[tuple[int, str]]
    left_out: Sequence[str]


def made_again(tx: Tx, job: LoadedJob, earlier: int) -> OwnShards:
    """The shards of a run that did not succeed, with their numbers. `WorkersGone` when nobody is there for them."""
    shards = tx.rows(SHARDS, {"id": earlier})
    done = {shard.session_id for shard in shards if shard.state == RunState.SUCCEEDED}
    failed = [shard for shard in shards if shard.state != RunState.SUCCEEDED]
    sessions = _by_name(tx, job, failed, without=done)
    made: list[tuple[int, str]] = []
    left_out: list[str] = []
    for shard in sorted(failed, key=lambda one: one.session_id not in sessions.get(one.name, ())):  # who stayed, first
        named = sessions.get(shard.name, [])
        if not named:
            left_out.append(shard.name or f"shard {shard.shard}")
            continue
        session = shard.session_id if shard.session_id in named else named[0]
        named.remove(session)
        made.append((shard.shard, session))
    if not made:
        raise WorkersGone(earlier, sorted(left_out))
    return OwnShards(sorted(made), sorted(left_out))


def _by_name(tx: Tx, job: LoadedJob, shards: Sequence[Any], *, without: set[str | None]) -> Mapping[str, list[str]]:
    """The sessions that fit the job and have the names of these shards' workers."""
    lane = lane_of(job.job_id, job.definition, namespace=job.namespace)
    names = {shard.name for shard in shards if shard.name}
    sessions = defaultdict[str, list[str]](list)
    for row in tx.found(NAMED, d=keys(sorted(names))):
        if row.id in without:
            continue
        if _fits(lane, row):
            sessions[row.name].append(row.id)
    return sessions


def _fits(lane: Lane, row: Any) -> bool:
    offers, labels = offers_in(row.handlers), labels_in(row.labels)
    return lane.fits(group=row.group_name, offers=offers, labels=labels, namespace=row.namespace)
