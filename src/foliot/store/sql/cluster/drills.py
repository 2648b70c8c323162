"""Drills in SQL (`ports.store.drills.DrillStore`), and what the beats of nodes say of them.

`drills.slot` is unique: `open` for the one drill that is open, and a word of its own for each that is over. A node
reads its order in the statement of its beat; a beat that says nothing of drills costs no statement more.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

import msgspec

from foliot.domain.drills import USUAL_SIZES, DrillOrder, DrillState, DrillType, DrillUnderWay
from foliot.domain.fire import schedule_key
from foliot.domain.instants import Instant
from foliot.ports.store.drills import Drill, DrillAsk, FireSeen, LedgerSeen, SkipSeen
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.worker_link import Beat
from foliot.store.sql.cluster.failover_rows import json_text
from foliot.store.sql.kernel.database import Database, Pool, TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.people.journal import note

KEPT: Final = 1000
"""Drills that are kept; older ones are forgotten."""
SEEN_MAX: Final = 100_000
OPEN: Final = "open"
_ID_MAX: Final = 2**63 - 1
_TYPES: Final = frozenset(map(str, DrillType))

COLUMNS: Final = (
    "id, type, node, session_id, for_us, made_by, reason, state, asked_at, began_at, over_at, noticed_us, ended_at, "
    "report, size_us"
)
ASK: Final = Statement(
    """
    {insert_ignore} drills (slot, type, node, session_id, for_us, made_by, reason, size_us, state, asked_at)
    SELECT d.slot, d.type, d.node, d.session, d.for_us, d.made_by, d.reason, d.size_us, 'asked', {now}
    FROM {d} WHERE true
    {ignore_duplicates}
    """,
    RowSet(
        "d", slot=TEXT, type=TEXT, node=TEXT, session=TEXT, for_us=BIGINT, made_by=TEXT, reason=TEXT, size_us=BIGINT
    ),
)
IN_SLOT: Final = Statement(f"SELECT {COLUMNS} FROM drills WHERE slot = :slot")
ONE: Final = Statement(f"SELECT {COLUMNS} FROM drills WHERE id = :id")
BEFORE: Final = Statement(f"SELECT {COLUMNS} FROM drills WHERE id < :before ORDER BY id DESC LIMIT :rows")
ORDER: Final = Statement("UPDATE nodes SET drill = :written WHERE id = :session AND state <> 'dead'")
TAKE_BACK: Final = Statement("UPDATE nodes SET drill = NULL WHERE id = :session AND drill = :written")
"""Only the order of this drill: the node may have that of the next one by now."""
FORGET: Final = Statement("DELETE FROM drills WHERE id <= :before AND ended_at IS NOT NULL")
BEGIN: Final = Statement(
    "UPDATE drills SET state = 'running', began_at = {now} WHERE id = :id AND session_id = :session AND state = 'asked'"
)
IS_RUNNING: Final = Statement(
    "SELECT id FROM drills WHERE id = :id AND session_id = :session AND state = 'running' AND over_at IS NULL"
)
OVER: Final = Statement(
    """
    UPDATE drills SET over_at = {now}, noticed_us = :noticed
    WHERE id = :id AND session_id = :session AND state = 'running' AND over_at IS NULL
    """
)
SETTLE: Final = Statement(
    """
    UPDATE drills SET state = :state, report = :report, ended_at = {now}, slot = :slot
    WHERE id = :id AND state = :before
    """
)
"""Lost is only what has not begun: its node may begin it while a server thinks that it never will."""
STOP_ASKED: Final = Statement(
    """
    UPDATE drills SET state = 'stopped', ended_at = {now}, slot = :slot
    WHERE id = :id AND state = 'asked'
    """
)
FIRED: Final = Statement(
    """
    SELECT r.job_id, r.due_at, r.created_at FROM {d} JOIN runs r
    ON r.job_id = d.id AND r.fire_key >= :low AND r.fire_key < :high AND r.shard = -1 LIMIT :rows
    """,
    RowSet("d", id=BIGINT),
)
SKIPPED: Final = Statement(
    """
    SELECT s.job_id, s.from_at, s.to_at FROM {d} JOIN skips s
    ON s.job_id = d.id AND s.to_at >= :from_at AND s.from_at < :to_at LIMIT :rows
    """,
    RowSet("d", id=BIGINT),
)


class SqlDrills:
    """`ports.store.drills.DrillStore` on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ask(self, wanted: DrillAsk) -> Drill:
        return await self._database.transact(partial(_ask, wanted=wanted), pool=Pool.API)

    async def stop(self, drill_id: int) -> Drill | None:
        return await self._database.transact(partial(_stop, drill_id=drill_id), pool=Pool.API)

    async def settle(self, drill_id: int, state: DrillState, report: Mapping[str, Any]) -> bool:
        work = partial(_settle, drill_id=drill_id, state=state, report=report)
        return await self._database.transact(work)

    async def find(self, drill_id: int) -> Drill | None:
        return await self._database.read(partial(_find, drill_id=drill_id))

    async def open(self) -> Sequence[Drill]:
        rows = await self._database.read(lambda tx: tx.rows(IN_SLOT, {"slot": OPEN}), pool=Pool.CONTROL)
        return [_drill(row) for row in rows if row.type in _TYPES]

    async def list(
        self, *, type_: DrillType | None = None, limit: int, before_id: int | None = None
    ) -> Sequence[Drill]:
        values = {"before": _ID_MAX if before_id is None else before_id, "rows": KEPT}
        rows = await self._database.read(lambda tx: tx.rows(BEFORE, values))
        known = [_drill(row) for row in rows if row.type in _TYPES]
        return [drill for drill in known if type_ in (None, drill.type)][:limit]

    async def fires(self, job_ids: Sequence[int], *, from_at: Instant, to_at: Instant) -> LedgerSeen:
        return await self._database.read(partial(_fires, jobs=sorted(job_ids), from_at=from_at, to_at=to_at))


def _fires(tx: Tx, *, jobs: Sequence[int], from_at: Instant, to_at: Instant) -> LedgerSeen:
    between = {"low": schedule_key(from_at), "high": schedule_key(to_at), "rows": SEEN_MAX}
    runs = tx.found(FIRED, between, d=keys(jobs))
    span = {"from_at": from_at, "to_at": to_at, "rows": SEEN_MAX}
    skips = tx.found(SKIPPED, span, d=keys(jobs))
    return LedgerSeen(
        runs=[FireSeen(*row) for row in runs],
        skips=[SkipSeen(*row) for row in skips],
        is_cut=max(len(runs), len(skips)) >= SEEN_MAX,
    )


# -------------------------------------------------------------------------------------------------------------- beats


def order_in(written: str | None) -> DrillOrder | None:
    """`nodes.drill` as its node gets it; None: no order, or a newer Foliot wrote one that this one cannot read."""
    if written is None:
        return None
    try:
        return msgspec.json.decode(written, type=DrillOrder)
    except msgspec.MsgspecError:
        return None


def heard(tx: Tx, beat: Beat) -> int:
    """A beat speaks of its drill; return the one that the node may begin now, or 0."""
    values = {"id": beat.drill, "session": beat.session}
    spoken_of = _find(tx, beat.drill)
    if spoken_of is None or spoken_of.session != beat.session:
        return 0
    _take_back(tx, spoken_of)
    if beat.drill_over:
        _take_back(tx, spoken_of, stop=True)
        tx.change(OVER, {**values, "noticed": beat.drill_noticed_us})
        return 0
    is_new = tx.change(BEGIN, values) == 1
    drill = _find(tx, beat.drill) if tx.rows(IS_RUNNING, values) else None
    if drill is None:
        return 0
    if is_new:
        data = {"drill": drill.id, "type": str(drill.type), "for_us": drill.for_us}
        key = f"drill.began:{drill.id}"
        note(tx, [Happening(key=key, topic=Topic.CLUSTER, kind="drill.began", subject=drill.node, data=data)])
    return drill.id


# ------------------------------------------------------------------------------------------------------------- people


def _ask(tx: Tx, *, wanted: DrillAsk) -> Drill:
    of_node = (OPEN, str(wanted.type), wanted.node, wanted.session)
    row = (*of_node, wanted.for_us, wanted.by, wanted.reason, wanted.size_us)
    is_new = tx.change(ASK, d=[row]) == 1
    (found,) = tx.rows(IN_SLOT, {"slot": OPEN}) or (None,)
    if found is None:
        raise TryAgain("the other drill ended meanwhile")
    if not is_new:
        raise DrillUnderWay(found.id, type_=found.type, node=found.node)
    drill = _drill(found)
    tx.change(ORDER, {"session": drill.session, "written": _written(drill)})
    tx.change(FORGET, {"before": drill.id - KEPT})
    return drill


def _stop(tx: Tx, *, drill_id: int) -> Drill | None:
    before = _find(tx, drill_id)
    if before is None or not before.is_open:
        return before
    if tx.change(STOP_ASKED, {"id": drill_id, "slot": _over_slot(drill_id)}):
        _take_back(tx, before)
    else:
        tx.change(ORDER, {"session": before.session, "written": _written(before, stop=True)})
    return _find(tx, drill_id)


def _settle(tx: Tx, *, drill_id: int, state: DrillState, report: Mapping[str, Any]) -> bool:
    before = _find(tx, drill_id)
    if before is None:
        return False
    _take_back(tx, before)
    if state is DrillState.ENDED:
        _take_back(tx, before, stop=True)
    settled = {
        "id": drill_id,
        "before": str(DrillState.ASKED if state is DrillState.LOST else DrillState.RUNNING),
        "state": str(state),
        "report": json_text(report),
        "slot": _over_slot(drill_id),
    }
    return tx.change(SETTLE, settled) == 1


def _take_back(tx: Tx, drill: Drill, *, stop: bool = False) -> None:
    """Take the order to begin from its node, or the one to stop."""
    tx.change(TAKE_BACK, {"session": drill.session, "written": _written(drill, stop=stop)})


def _written(drill: Drill, *, stop: bool = False) -> str:
    """The order of a drill as its node's row has it. The usual size is left out: an older Foliot writes none."""
    order: dict[str, Any] = {"id": drill.id, "type": str(drill.type), "for_us": drill.for_us, "stop": stop}
    if drill.size_us != USUAL_SIZES.get(drill.type):
        order["size_us"] = drill.size_us
    return json_text(order)


def _over_slot(drill_id: int) -> str:
    return f"d:{drill_id}"


def _find(tx: Tx, drill_id: int) -> Drill | None:
    rows = tx.rows(ONE, {"id": drill_id})
    return _drill(rows[0]) if rows and rows[0].type in _TYPES else None


def _drill(row: Any) -> Drill:
    type_ = DrillType(row.type)
    return Drill(
        id=row.id,
        type=type_,
        node=row.node,
        session=row.session_id,
        for_us=row.for_us,
        by=row.made_by,
        reason=row.reason,
        state=DrillState(row.state),
        asked_at=row.asked_at,
        began_at=row.began_at,
        over_at=row.over_at,
        noticed_us=row.noticed_us,
        ended_at=row.ended_at,
        report={} if row.report is None else msgspec.json.decode(row.report),
        size_us=USUAL_SIZES.get(type_) if row.size_us is None else row.size_us,
    )
