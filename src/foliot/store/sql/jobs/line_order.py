"""Lining up anew: an edit forbids an overlap, and everything of the job that has not begun goes to the end of its line.

In the transaction of the edit, under the cursor's lock: whatever is leased from then on goes by the new rule, also when
the server dies before the runs took the new version (`store.sql.moving`). Order of locks as everywhere: the cursor,
parents, runs.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.job import LoadedJob
from foliot.domain.run import RunState
from foliot.store.sql.firing.follow import SERIAL, serial_of
from foliot.store.sql.firing.line import bump
from foliot.store.sql.firing.line_heads import unpark
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement, keys

STEP_OUT: Final = Statement(
    """
    UPDATE runs SET place = NULL, parked = 1, ver = ver + 1
    WHERE {line_job} = :job_id AND state IN ('PENDING', 'RUNNING') AND shard = -1 AND place IS NOT NULL
          AND state = 'PENDING' AND attempt = 0 AND parent_id IS NULL AND fire_key >= 'm:' AND fire_key < 'm;'
          AND not_before > {now}
    """
)
"""Triggers for later that got a place at once, as they do where runs go side by side and whole."""

NOT_BEGUN: Final = Statement(
    """
    SELECT r.id, r.ver, r.place, r.open_children FROM runs r
    WHERE r.{line_job} = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
          AND r.attempt = 0 AND r.parent_id IS NULL AND r.lease_id IS NULL
    ORDER BY r.id {for_update}
    """
)
PARTS: Final = Statement(
    """
    SELECT r.id, r.ver, r.parent_id, r.attempt, r.state FROM runs r WHERE r.parent_id IN (SELECT d.id FROM {d})
    ORDER BY r.id {for_update}
    """,
    RowSet("d", id=BIGINT),
)

LINE_UP: Final = Statement(
    """
    UPDATE runs SET place = d.place, serial = :serial, parked = d.parked, follow = runs.follow | d.follow,
           ver = runs.ver + 1
    FROM {d} WHERE runs.id = d.id AND runs.ver = d.ver
    """,
    RowSet("d", id=BIGINT, ver=BIGINT, place=BIGINT, parked=BIGINT, follow=BIGINT),
)


def step_out(tx: Tx, job_id: int) -> None:
    """Triggers for later stand outside the line from now on, until they are due."""
    tx.change(STEP_OUT, {"job_id": job_id})


def line_up(tx: Tx, new: LoadedJob) -> None:
    """Everything that has not begun takes a new place, in its order; the head of the line may go."""
    waiting = _not_begun(tx, new.job_id)
    if not waiting:
        return
    end = bump(tx, {new.job_id: len(waiting)})[new.job_id]
    first = end.last - len(waiting) + 1
    rows: list[tuple[Any, ...]] = []
    for place, run in enumerate(waiting, first):
        rows += _rows(run, place)
    tx.change(LINE_UP, {"serial": serial_of(new)}, d=sorted(rows))
    unpark(tx, [new.job_id])


class _Run(NamedTuple):
    """A run in line, with the parts it was cut into."""

    row: Any
    parts: Sequence[Any]

    @property
    def has_begun(self) -> bool:
        return any(part.attempt for part in self.parts)


def _not_begun(tx: Tx, job_id: int) -> list[_Run]:
    """The runs of the job that nobody was ever leased, nor a part of them, in the order of their places; locked."""
    rows = tx.rows(NOT_BEGUN, {"job_id": job_id})
    parts = _parts(tx, [row.id for row in rows if row.open_children])
    waiting: list[_Run] = []
    for row in rows:
        run = _Run(row, parts.get(row.id, ()))
        if not run.has_begun:
            waiting.append(run)
    return sorted(waiting, key=_by_place)


def _by_place(run: _Run) -> tuple[int, int]:
    return run.row.place, run.row.id


def _parts(tx: Tx, parent_ids: Sequence[int]) -> dict[int, list[Any]]:
    """The parts of these runs, locked: none of them is leased any more before this edit is done."""
    parts: dict[int, list[Any]] = {}
    for row in tx.found(PARTS, d=keys(parent_ids)):
        parts.setdefault(row.parent_id, []).append(row)
    return parts


def _rows(run: _Run, place: int) -> list[tuple[Any, ...]]:
    """What is written of a run and its parts. Whoever can be leased is parked: the head is un-parked by itself."""
    row = run.row
    is_leased_whole = not run.parts
    own = (row.id, row.ver, place, int(is_leased_whole), SERIAL)
    waiting = [part for part in run.parts if part.state == RunState.PENDING]
    parts = [(part.id, part.ver, place, 1, 0) for part in waiting]
    return [own, *parts]
