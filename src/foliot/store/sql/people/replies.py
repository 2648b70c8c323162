"""Remembered answers in SQL."""

from typing import Any, Final

import msgspec

from foliot.domain.instants import Micros
from foliot.ports.store.replies import Claimed, OtherRequest, Replayed, Reply, StillRunning
from foliot.store.sql.cluster.leadership import holds_term
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.kernel.statement import TEXT, RowSet, Statement

_CLAIM: Final = Statement(
    "{insert_ignore} replies (hash, request_hash, claim, made_at) VALUES (:hash, :request_hash, :claim, {now}) "
    "{ignore_duplicates}"
)
_FIND: Final = Statement(
    "SELECT request_hash, claim, status, headers, body, made_at FROM replies WHERE hash = :hash {for_update}"
)
_TAKE_OVER: Final = Statement(
    "UPDATE replies SET request_hash = :request_hash, claim = :claim, made_at = {now}, status = NULL, headers = NULL, "
    "body = NULL WHERE hash = :hash AND claim = :seen"
)
_KEEP: Final = Statement(
    "UPDATE replies SET status = :status, headers = :headers, body = :body "
    "WHERE hash = :hash AND claim = :claim AND status IS NULL"
)
_RELEASE: Final = Statement("DELETE FROM replies WHERE hash = :hash AND claim = :claim AND status IS NULL")
_OLD: Final = Statement("SELECT hash FROM replies WHERE made_at < :before ORDER BY made_at LIMIT :rows")
_FORGET: Final = Statement(
    "DELETE FROM replies WHERE hash IN (SELECT d.hash FROM {d}) AND made_at < :before", RowSet("d", hash=TEXT)
)


class SqlReplies:
    """`ports.store.replies.ReplyStore` on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(
        self, key_hash: str, request_hash: str, claim: str, *, keep_us: Micros, give_up_us: Micros
    ) -> Claimed | Replayed | StillRunning | OtherRequest:
        def work(tx: Tx) -> Claimed | Replayed | StillRunning | OtherRequest:
            tx.change(_CLAIM, {"hash": key_hash, "request_hash": request_hash, "claim": claim})
            row = tx.rows(_FIND, {"hash": key_hash})[0]  # read back by key: insert counts are not trusted (R4)
            if row.claim == claim:
                return Claimed(claim=claim)
            if tx.now() - row.made_at > (give_up_us if row.status is None else keep_us):
                values = {"hash": key_hash, "request_hash": request_hash, "claim": claim, "seen": row.claim}
                return Claimed(claim=claim) if tx.change(_TAKE_OVER, values) == 1 else StillRunning()
            if row.request_hash != request_hash:
                return OtherRequest()
            return StillRunning() if row.status is None else _replayed(row)

        return await self._database.transact(work, pool=Pool.API)

    async def keep(self, key_hash: str, claim: str, reply: Reply) -> None:
        values = {
            "hash": key_hash,
            "claim": claim,
            "status": reply.status,
            "headers": msgspec.json.encode(reply.headers).decode(),
            "body": reply.body,
        }
        await self._database.transact(lambda tx: tx.change(_KEEP, values), pool=Pool.API)

    async def release(self, key_hash: str, claim: str) -> None:
        values = {"hash": key_hash, "claim": claim}
        await self._database.transact(lambda tx: tx.change(_RELEASE, values), pool=Pool.API)

    async def forget(self, *, older_us: Micros, limit: int, term: int | None = None) -> int:
        def work(tx: Tx) -> int:
            before = tx.now() - older_us
            old = sorted((row.hash,) for row in tx.rows(_OLD, {"before": before, "rows": limit}))
            if not old or not holds_term(tx, term):
                return 0
            return tx.change(_FORGET, {"before": before}, d=old)

        return await self._database.transact(work)


def _replayed(row: Any) -> Replayed:
    headers = msgspec.json.decode(row.headers)
    return Replayed(reply=Reply(status=row.status, headers=headers, body=row.body))
