"""Shards that were one worker's own and were lost with it: one event of their run tells of all that ended together."""

from collections.abc import Mapping, Sequence
from typing import Final

from foliot.domain.run import FailureKind, format_run_id
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.store.runs import NAMES_TOLD
from foliot.store.sql.ending.parents import EndedChild
from foliot.store.sql.ending.settlement import Jobs
from foliot.store.sql.firing.follow import OWN
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import TEXT, RowSet, Statement, keys
from foliot.store.sql.people.journal import note

NAMES: Final = Statement("SELECT n.id, n.name FROM nodes n WHERE n.id IN (SELECT d.id FROM {d})", RowSet("d", id=TEXT))


def note_lost(tx: Tx, children: Sequence[EndedChild], jobs: Jobs) -> None:
    """Write down which shards were lost with their workers, in the transaction that ends them. Mostly none was."""
    lost: dict[int, list[EndedChild]] = {}
    for child in children:
        if child.run.follow & OWN and child.end.kind is FailureKind.LOST:
            lost.setdefault(child.run.parent_id or 0, []).append(child)
    if not lost:
        return
    sessions = {child.run.session_id or "" for some in lost.values() for child in some}
    names: Mapping[str, str] = tx.pairs(NAMES, d=keys(sorted(sessions)))
    note(tx, [_happening(parent_id, some, jobs, names) for parent_id, some in lost.items()])


def _happening(parent_id: int, lost: Sequence[EndedChild], jobs: Jobs, names: Mapping[str, str]) -> Happening:
    first = min(lost, key=lambda child: child.run.id).run
    job = jobs[first.job_id, first.version]
    sessions = {child.run.session_id or "" for child in lost}
    workers = sorted(names.get(session, session[:8]) for session in sessions)
    return Happening(
        key=f"run.shards_lost:{first.id}",  # a shard ends once
        topic=Topic.RUNS,
        kind="run.shards_lost",
        subject=format_run_id(parent_id),
        namespace=job.namespace,
        data={"job": job.name, "shards": len(lost), "workers": workers[:NAMES_TOLD]},
    )
