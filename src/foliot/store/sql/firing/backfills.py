"""Backfills in SQL: chosen instants get their runs a few at a time, each once (R10, R23).

A backfill's row names its live runs; a round counts those that ended and inserts the next. The row's version guards it,
so two servers that try the same round make one of it. Backfill runs stand in the job's line (a serial job stays serial)
but are not open for overlap: class 1 with a `triggered_by` tells them apart.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

import msgspec
import structlog

from foliot.domain.fire import schedule_key
from foliot.domain.instants import Instant
from foliot.domain.job import LoadedJob
from foliot.ports.store.backfills import TAKEN_MAX, BackfillNotFound, BackfillRow, BackfillState, NewBackfill, Selection
from foliot.store.sql.cluster.leadership import UNDER_TERM
from foliot.store.sql.cluster.maintenance import MAY_DECIDE
from foliot.store.sql.firing.follow import serial_of
from foliot.store.sql.firing.line import bump
from foliot.store.sql.firing.new_runs import NewRun, insert_runs
from foliot.store.sql.jobs.definitions import Definitions
from foliot.store.sql.kernel.database import Database, Pool, TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys

_TAKEN_A_PAGE: Final = 5000
_DIGITS_CHANGED_AT: Final[Instant] = 10**15  # 9 September 2001
_ID_MAX: Final = 2**63 - 1
_LIVE: Final = frozenset({"PENDING", "RUNNING"})
_FAILED: Final = frozenset({"FAILED", "CANCELLED"})

log = structlog.get_logger("foliot.store")

_COLUMNS: Final = """
    b.id, b.job_id, j.namespace, j.name, j.deleted_at, b.version, b.from_at, b.to_at, b.selection, b.parallel,
    b.newest_first, b.state, b.ver, b.instants, b.total, b.inserted, b.succeeded, b.failed, b.live, b.params,
    b.created_at, b.created_by, b.reason, b.ended_at"""
_FROM: Final = "FROM backfills b JOIN jobs j ON j.id = b.job_id"

ADD: Final = Statement(
    """
    {insert_ignore} backfills (job_id, version, from_at, to_at, selection, parallel, newest_first, state, ver, instants,
                               total, inserted, succeeded, failed, live, params, created_at, created_by, reason,
                               request_key)
    VALUES (:job_id, :version, :from_at, :to_at, :selection, :parallel, :newest_first, 'active', 1, :instants,
            :total, 0, 0, 0, '[]', :params, {now}, :created_by, :reason, :request_key)
    {ignore_duplicates}
    RETURNING id
    """
)
ASKED: Final = Statement(f"SELECT {_COLUMNS} {_FROM} WHERE b.request_key = :request_key")
ONE: Final = Statement(f"SELECT {_COLUMNS} {_FROM} WHERE b.id = :id")
PAGE: Final = Statement(
    f"SELECT {_COLUMNS} {_FROM} WHERE b.id < :before AND (:any_namespace = 1 OR j.namespace = :namespace) "
    "ORDER BY b.id DESC LIMIT :rows"
)
PAGE_OF_JOB: Final = Statement(
    f"SELECT {_COLUMNS} {_FROM} WHERE b.job_id = :job_id AND b.id < :before ORDER BY b.id DESC LIMIT :rows"
)
TO_GO_ON: Final = Statement(
    f"SELECT {_COLUMNS} {_FROM} WHERE b.id = :id AND b.state = 'active' AND {UNDER_TERM} AND {MAY_DECIDE}"
)
ACTIVE: Final = Statement("SELECT id FROM backfills WHERE state = 'active' AND id > :after ORDER BY id LIMIT :rows")
SET_STATE: Final = Statement(
    "UPDATE backfills SET state = :state, ver = ver + 1, ended_at = :ended_at "
    "WHERE id = :id AND state IN ('active', 'paused')"
)
WENT_ON: Final = Statement(
    "UPDATE backfills SET inserted = :inserted, succeeded = :succeeded, failed = :failed, live = :live, "
    f"state = :state, ended_at = :ended_at, ver = ver + 1 WHERE id = :id AND ver = :seen AND {UNDER_TERM}"
)
STATES: Final = Statement("SELECT runs.id, runs.state FROM {d} JOIN runs ON runs.id = d.id", RowSet("d", id=BIGINT))
BY_KEY: Final = Statement(
    "SELECT runs.id, runs.fire_key, runs.triggered_by FROM {d} "
    "JOIN runs ON runs.job_id = d.job_id AND runs.fire_key = d.fire_key AND runs.shard = -1",
    RowSet("d", job_id=BIGINT, fire_key=TEXT),
)
SCHEDULED: Final = Statement(
    "SELECT due_at, state, id, fire_key FROM runs WHERE job_id = :job_id AND fire_key > :after AND fire_key < :past "
    f"AND shard = -1 AND due_at >= :from_at AND due_at < :to_at ORDER BY fire_key LIMIT {_TAKEN_A_PAGE}"
)
BACKFILLED: Final = Statement(
    "SELECT due_at, state, id FROM runs WHERE job_id = :job_id AND fire_key >= 'b:' AND fire_key < 'b;' "
    f"AND shard = -1 AND due_at >= :from_at AND due_at < :to_at ORDER BY id DESC LIMIT {TAKEN_MAX}"
)


class _Unreadable(Exception):
    """The job's present definition does not compile on this server; another may know more."""


class SqlBackfills:
    """`ports.store.backfills.BackfillStore` on SQL."""

    def __init__(self, database: Database, definitions: Definitions) -> None:
        self._database = database
        self._definitions = definitions
        self._after = 0
        self._told: set[int] = set()  # backfills of jobs that cannot be read here: each is logged once

    async def add(self, new: NewBackfill) -> BackfillRow:
        values = {
            "job_id": new.job_id,
            "version": new.version,
            "from_at": new.from_at,
            "to_at": new.to_at,
            "selection": str(new.selection),
            "parallel": new.parallel,
            "newest_first": int(new.newest_first),
            "instants": msgspec.json.encode(list(new.instants)).decode(),
            "total": len(new.instants),
            "params": new.params,
            "created_by": new.created_by,
            "reason": new.reason,
            "request_key": new.request_key,
        }

        def work(tx: Tx) -> BackfillRow:
            made = tx.rows(ADD, values)
            if new.request_key is None:
                return _found(tx, int(made[0][0]))
            return _row(tx.rows(ASKED, {"request_key": new.request_key})[0])  # read back by key (R4)

        return await self._database.transact(work, pool=Pool.API)

    async def asked(self, request_key: str) -> BackfillRow | None:
        rows = await self._database.read(lambda tx: tx.rows(ASKED, {"request_key": request_key}))
        return _row(rows[0]) if rows else None

    async def get(self, backfill_id: int) -> BackfillRow:
        return await self._database.read(lambda tx: _found(tx, backfill_id))

    async def list(
        self, *, namespace: str | None, job_id: int | None = None, limit: int, before_id: int | None = None
    ) -> Sequence[BackfillRow]:
        before = _ID_MAX if before_id is None else before_id

        def work(tx: Tx) -> Sequence[BackfillRow]:
            if job_id is not None:
                rows = tx.rows(PAGE_OF_JOB, {"job_id": job_id, "before": before, "rows": limit})
            else:
                wanted = {"any_namespace": int(namespace is None), "namespace": namespace or ""}
                rows = tx.rows(PAGE, {"before": before, "rows": limit, **wanted})
            return [_row(row) for row in rows]

        return await self._database.read(work)

    async def set_state(self, backfill_id: int, state: BackfillState) -> BackfillRow:
        def work(tx: Tx) -> BackfillRow:
            ended_at = tx.now() if state is BackfillState.CANCELLED else None
            tx.change(SET_STATE, {"id": backfill_id, "state": str(state), "ended_at": ended_at})
            return _found(tx, backfill_id)

        return await self._database.transact(work, pool=Pool.API)

    async def taken(self, job_id: int, *, from_at: Instant, to_at: Instant) -> dict[Instant, str]:
        """In pages: a large range takes no thread and no connection from others for long."""
        states: dict[Instant, str] = {}
        ids: dict[Instant, int] = {}
        between = {"job_id": job_id, "from_at": from_at, "to_at": to_at}
        after, past = _keys_between(from_at, to_at)
        is_more = True
        while is_more and len(states) < TAKEN_MAX:
            values = {**between, "after": after, "past": past}
            rows = await self._database.read(partial(_rows, statement=SCHEDULED, values=values))
            states |= {row.due_at: row.state for row in rows}
            ids |= {row.due_at: row.id for row in rows}
            is_more = len(rows) == _TAKEN_A_PAGE
            after = rows[-1].fire_key if rows else after
        for row in await self._database.read(partial(_rows, statement=BACKFILLED, values=between)):
            if row.id > ids.get(row.due_at, 0):
                states[row.due_at], ids[row.due_at] = row.state, row.id
        return states

    async def advance(self, *, limit: int, term: int | None = None) -> int:
        values = {"after": self._after, "rows": limit}
        ids = await self._database.read(lambda tx: [row.id for row in tx.rows(ACTIVE, values)], pool=Pool.CONTROL)
        self._after = ids[-1] if len(ids) == limit else 0
        made = 0
        for backfill_id in ids:
            try:
                made += await self._database.transact(partial(self._go_on, backfill_id=backfill_id, term=term))
            except _Unreadable as unreadable:  # holds up no other
                if backfill_id not in self._told:
                    log.warning("backfill.job_unreadable", backfill=backfill_id, why=str(unreadable))
                self._told.add(backfill_id)
        return made

    def _go_on(self, tx: Tx, *, backfill_id: int, term: int | None) -> int:
        rows = tx.rows(TO_GO_ON, {"id": backfill_id, "term": term})
        if not rows:
            return 0
        row = rows[0]
        live, succeeded, failed = _counted(tx, row)
        instants: list[Instant] = msgspec.json.decode(row.instants)
        room = min(row.parallel - len(live), row.total - row.inserted) if not row.deleted_at else 0
        chosen = instants[row.inserted : row.inserted + max(room, 0)]
        made = self._insert(tx, row, chosen) if chosen else []
        inserted = row.inserted + len(chosen)
        is_over = not made and not live and (inserted >= row.total or bool(row.deleted_at))
        values = {
            "id": backfill_id,
            "seen": row.ver,
            "term": term,
            "inserted": inserted,
            "succeeded": succeeded,
            "failed": failed,
            "live": msgspec.json.encode([*live, *made]).decode(),
            "state": str(BackfillState.DONE if is_over else BackfillState.ACTIVE),
            "ended_at": tx.now() if is_over else None,
        }
        is_news = chosen or is_over or len(live) != len(msgspec.json.decode(row.live))
        if is_news and tx.change(WENT_ON, values) != 1:
            raise TryAgain("another server went on with this backfill, or leads now")
        return len(made)

    def _insert(self, tx: Tx, row: Any, instants: Sequence[Instant]) -> Sequence[int]:
        """Runs for these instants; one that has a run of its own meanwhile keeps that and is not ours."""
        tx.point("backfill.chosen")
        places = bump(tx, {row.job_id: len(instants)})  # the write before every insert of a run
        place = places[row.job_id]
        if place.deleted_at:
            raise TryAgain("the job was deleted while the cursor was waited for")
        found = self._definitions.find(tx, {(row.job_id, place.version)})
        job = found.jobs.get((row.job_id, place.version))
        if job is None:
            trouble = found.troubles[row.job_id, place.version]
            raise _Unreadable(f"{type(trouble).__name__}: {trouble}") from trouble
        first = place.last - len(instants) + 1
        by = f"backfill {row.id}"
        runs = [_run(job, row, at, first + n, by=by, now=tx.now()) for n, at in enumerate(instants)]
        insert_runs(tx, tx.now(), runs)
        keys = [(row.job_id, run.fire_key) for run in runs]
        return [int(made.id) for made in tx.rows(BY_KEY, d=keys) if made.triggered_by == by]


def _rows(tx: Tx, *, statement: Statement, values: Mapping[str, Any]) -> Sequence[Any]:
    return tx.rows(statement, values)


def _keys_between(from_at: Instant, to_at: Instant) -> tuple[str, str]:
    """Between which keys the scheduled runs of a range are. Keys compare as text, and 2001 gained a digit."""
    if from_at > _DIGITS_CHANGED_AT:
        return schedule_key(from_at - 1), schedule_key(to_at)
    return "s:", "s;"


def _run(job: LoadedJob, row: Any, at: Instant, place: int, *, by: str, now: Instant) -> NewRun:
    is_missing = row.selection == Selection.MISSING
    return NewRun(
        job=job,
        fire_key=schedule_key(at) if is_missing else f"b:{row.id}:{at}",
        due_at=at,
        not_before=now,
        place=place,
        parked=False,
        serial=serial_of(job),
        catch_up=True,
        triggered_by=by,
        reason=row.reason or None,
        params=row.params,
        is_past=True,
    )


def _counted(tx: Tx, row: Any) -> tuple[list[int], int, int]:
    """The runs that still live, and the counts with those that ended since. Forgotten ones count as ended well."""
    ids: list[int] = msgspec.json.decode(row.live)
    if not ids:
        return [], row.succeeded, row.failed
    states = tx.pairs(STATES, d=keys(ids))
    live = [run_id for run_id in ids if states.get(run_id) in _LIVE]
    failed = [run_id for run_id in ids if states.get(run_id) in _FAILED]
    succeeded = len(ids) - len(live) - len(failed)
    return live, row.succeeded + succeeded, row.failed + len(failed)


def _found(tx: Tx, backfill_id: int) -> BackfillRow:
    rows = tx.rows(ONE, {"id": backfill_id})
    if not rows:
        raise BackfillNotFound(backfill_id)
    return _row(rows[0])


def _row(row: Any) -> BackfillRow:
    return BackfillRow(
        id=row.id,
        job_id=row.job_id,
        namespace=row.namespace,
        job=row.name,
        version=row.version,
        from_at=row.from_at,
        to_at=row.to_at,
        selection=Selection(row.selection),
        parallel=row.parallel,
        newest_first=bool(row.newest_first),
        state=BackfillState(row.state),
        total=row.total,
        inserted=row.inserted,
        succeeded=row.succeeded,
        failed=row.failed,
        live=msgspec.json.decode(row.live),
        created_at=row.created_at,
        created_by=row.created_by,
        reason=row.reason,
        ended_at=row.ended_at,
    )
