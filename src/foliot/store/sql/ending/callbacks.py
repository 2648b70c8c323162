"""Callbacks in SQL: who waits for them, how far the work is, and the end that one brings.

The end goes the way of every report (`ends`): guarded by the lease, with all that follows, in one transaction. That it
came by callback is written behind it in the same transaction: `callbacks` is locked after `runs`.
"""

from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from foliot.domain.instants import Instant
from foliot.domain.run import Landing
from foliot.domain.verdict import Judge
from foliot.ports.store.callbacks import Callback, CallbackLanding, NewCallback
from foliot.ports.worker_link import Report
from foliot.store.sql.ending.ends import Ending, with_locks_if_needed
from foliot.store.sql.ending.lease_owner import Speaker
from foliot.store.sql.kernel.database import Database, Pool, RefusedForData, Tx
from foliot.store.sql.kernel.statement import Statement

_LEAVE: Final = Statement("DELETE FROM callbacks WHERE run_id = :run_id AND lease_id = :lease_id")
_OPEN: Final = Statement(
    """
    INSERT INTO callbacks (id, run_id, lease_id, session_id, key_hash, made_at)
    SELECT :id, r.id, r.lease_id, r.session_id, :key_hash, {now} FROM runs r
    WHERE r.id = :run_id AND r.lease_id = :lease_id AND r.session_id = :session
    """
)
_IS_OPEN: Final = Statement("SELECT 1 FROM callbacks WHERE id = :id")
_FIND: Final = Statement(
    """
    SELECT c.id, c.key_hash, c.session_id, c.run_id, c.lease_id, c.made_at, r.cancel_at, j.namespace, j.name,
           {now} AS now
    FROM callbacks c JOIN runs r ON r.id = c.run_id JOIN jobs j ON j.id = r.job_id WHERE c.id = :id
    """
)
_PROGRESS: Final = Statement(
    """
    UPDATE callbacks SET progress = :progress, told_at = {now}, said_at = coalesce(:said_at, said_at)
    WHERE id = :id AND (said_at IS NULL OR :signed = 0 OR said_at < :said_at)
      AND EXISTS (SELECT 1 FROM runs r WHERE r.id = callbacks.run_id AND r.lease_id = callbacks.lease_id)
    """
)
_HOLDS: Final = Statement("SELECT 1 FROM runs WHERE id = :run_id AND lease_id = :lease_id")
_ENDED: Final = Statement("UPDATE callbacks SET end_hash = :end_hash, ended_at = {now} WHERE id = :id")
_HOW: Final = Statement("SELECT end_hash FROM callbacks WHERE id = :id")


class SqlCallbacks:
    """`ports.store.callbacks.CallbackStore` on SQL."""

    def __init__(self, database: Database, ending: Ending) -> None:
        self._database = database
        self._ending = ending

    async def open(self, new: NewCallback) -> bool:
        lease = {"run_id": new.run_id, "lease_id": new.lease_id}

        def work(tx: Tx) -> bool:
            tx.change(_LEAVE, lease)  # asked again, because the answer was lost: nobody has the first token
            tx.change(_OPEN, {**lease, "id": new.id, "key_hash": new.key_hash, "session": new.session})
            return bool(tx.rows(_IS_OPEN, {"id": new.id}))

        return await self._database.transact(work, pool=Pool.API)

    async def find(self, callback_id: str) -> Callback | None:
        rows = await self._database.read(lambda tx: tx.rows(_FIND, {"id": callback_id}), pool=Pool.API)
        return _callback(rows[0]) if rows else None

    async def progress(self, callback: Callback, progress: str, *, said_at: Instant | None) -> CallbackLanding:
        values = {"id": callback.id, "progress": progress, "said_at": said_at, "signed": int(said_at is not None)}

        def work(tx: Tx) -> CallbackLanding:
            if tx.change(_PROGRESS, values):
                return CallbackLanding.RECORDED
            is_held = tx.rows(_HOLDS, {"run_id": callback.run_id, "lease_id": callback.lease_id})
            return CallbackLanding.REPLAYED if is_held else CallbackLanding.OVER

        return await self._database.transact(work, pool=Pool.API)

    async def end(self, callback: Callback, report: Report, judge: Judge, *, end_hash: str) -> CallbackLanding:
        work = partial(self._end, callback=callback, judge=judge, end_hash=end_hash)
        try:
            return await with_locks_if_needed(self._database, partial(work, report=report), Pool.ENDING)
        except RefusedForData as refusal:  # its worker's report would be kept without the data, too
            bare = replace(report, result=None, error=f"What the callback said could not be stored: {refusal}"[:500])
            return await with_locks_if_needed(self._database, partial(work, report=bare), Pool.ENDING)

    def _end(
        self, tx: Tx, *, callback: Callback, report: Report, judge: Judge, end_hash: str, carefully: bool = False
    ) -> CallbackLanding:
        speaker = Speaker(callback.session)
        (landing,) = self._ending.settle_in(tx, [report], judge, speaker=speaker, carefully=carefully)
        if landing is Landing.RECORDED:
            tx.change(_ENDED, {"id": callback.id, "end_hash": end_hash})
            return CallbackLanding.RECORDED
        known = tx.rows(_HOW, {"id": callback.id})
        if not known or known[0].end_hash is None:
            return CallbackLanding.OVER
        return CallbackLanding.ALREADY if known[0].end_hash == end_hash else CallbackLanding.OTHERWISE


def _callback(row: Any) -> Callback:
    return Callback(
        id=row.id,
        key_hash=row.key_hash,
        session=row.session_id,
        run_id=row.run_id,
        lease_id=row.lease_id,
        made_at=row.made_at,
        is_cancelled=row.cancel_at is not None,
        namespace=row.namespace,
        job=row.name,
        now=int(row.now),
    )
