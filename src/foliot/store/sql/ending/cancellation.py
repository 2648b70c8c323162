"""Cancelling: what waits ends at once, what runs is asked to stop, and the shards of a run go with it."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from foliot.domain.errors import RunNotFound
from foliot.domain.run import RunState, format_run_id
from foliot.ports.store.actor import Actor
from foliot.ports.store.runs import CancelOutcome
from foliot.store.sql.ending.ends import Ending
from foliot.store.sql.ending.locked_runs import Seen, hold, lock, lock_cursors, see
from foliot.store.sql.ending.settlement import Quit
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement, keys

OPEN_CHILDREN: Final = Statement(
    "SELECT r.id FROM runs r WHERE r.parent_id IN (SELECT d.id FROM {d}) AND r.state IN ('PENDING', 'RUNNING')",
    RowSet("d", id=BIGINT),
)

ASK: Final = Statement(
    """
    UPDATE runs SET cancel_at = {now}, error = :error, ver = runs.ver + 1 FROM {d}
    WHERE runs.id = d.id AND runs.state = 'RUNNING' AND runs.cancel_at IS NULL
    """,
    RowSet("d", id=BIGINT),
)

FORCE: Final = Statement(
    """
    UPDATE runs SET cancel_at = coalesce(runs.cancel_at, {now}), error = :error, ver = runs.ver + 1,
           deadline_at = CASE WHEN runs.deadline_at < {now} THEN runs.deadline_at ELSE {now} END
    FROM {d}
    WHERE runs.id = d.id AND runs.state = 'RUNNING'
    """,
    RowSet("d", id=BIGINT),
)
"""Its time is over as if it had timed out: its worker is told to end it at once, and after the usual grace the leader
takes it out of hands that do not."""


NOTE: Final = Statement(
    """
    UPDATE runs SET cancelled_by = :by, cancel_reason = :reason, ver = runs.ver + 1 FROM {d}
    WHERE runs.id = d.id AND runs.state IN ('PENDING', 'RUNNING')
    """,
    RowSet("d", id=BIGINT),
)
"""For people: nothing is decided by it. It is written before the end of a run: what is over never changes."""


class _Plan(NamedTuple):
    """What a cancel does to each of the runs."""

    waiting: Sequence[Quit]  # these end at once
    ended: frozenset[int]  # these are over when the cancel is: what waits, and parents none of whose shards runs
    asked: Sequence[int]  # their workers are asked to stop them


def cancel(tx: Tx, ending: Ending, run_ids: Sequence[int], *, by: Actor, force: bool = False) -> list[CancelOutcome]:
    """Cancel these runs; all or none of them, when one does not exist."""
    found = see(tx, sorted(set(run_ids)))
    for run_id in run_ids:
        if run_id not in found:
            raise RunNotFound(format_run_id(run_id))
    children = _children(tx, [run for run in found.values() if _is_parent(run)])
    every = {**children, **found}
    said = f"Cancelled by {by.name}: {by.reason}." if by.reason else f"Cancelled by {by.name}."
    plan = _planned(every.values(), said, force=force)
    noted = plan.ended.union(plan.asked)
    if noted:
        hold(tx, [every[run_id] for run_id in noted])
        tx.change(NOTE, {"by": by.name, "reason": by.reason or None}, d=keys(sorted(noted)))
    if plan.waiting and len(ending.quit_in(tx, plan.waiting, carefully=True)) < len(plan.waiting):
        raise TryAgain("a run was leased while it was being cancelled")
    ask = FORCE if force else ASK
    if plan.asked and tx.change(ask, {"error": said}, d=keys(plan.asked)) != len(plan.asked):
        raise TryAgain("a run came to its end while it was being cancelled")
    return [_outcome(found[run_id], plan.ended) for run_id in run_ids]


def _planned(runs: Collection[Seen], said: str, *, force: bool) -> _Plan:
    """What waits ends, what runs is asked; a parent none of whose shards runs ends with its last shard."""
    # One version later than they were seen: the note comes first.
    pending = [run for run in runs if run.state == RunState.PENDING]
    waiting = [Quit(run.id, run.ver + 1, said) for run in pending]
    running = [run for run in runs if run.state == RunState.RUNNING]
    with_running_shards = {run.parent_id for run in running}
    idle_parents = _parents(running) - with_running_shards
    askable = {run.id for run in running if force or run.cancel_at is None}
    asked = sorted(askable - idle_parents)
    ended = idle_parents.union(run.id for run in pending)
    return _Plan(waiting, frozenset(ended), asked)


def _parents(runs: Iterable[Seen]) -> set[int]:
    return {run.id for run in runs if _is_parent(run)}


def _children(tx: Tx, parents: Sequence[Seen]) -> dict[int, Seen]:
    """The open children of these parents, complete: with cursor and parent locked nobody makes the merge run now."""
    if not parents:
        return {}
    lock_cursors(tx, {parent.job_id for parent in parents})
    lock(tx, {parent.id for parent in parents})
    rows = tx.rows(OPEN_CHILDREN, d=keys(parent.id for parent in parents))
    return see(tx, [row.id for row in rows])


def _is_parent(run: Seen) -> bool:
    return run.state == RunState.RUNNING and run.lease_id is None


def _outcome(run: Seen, ended: Collection[int]) -> CancelOutcome:
    if run.id in ended:
        return CancelOutcome.ENDED
    return CancelOutcome.ASKED if run.state == RunState.RUNNING else CancelOutcome.FINAL
