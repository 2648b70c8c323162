"""Tokens and login codes in SQL. The secret is never here: only its hash is."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from foliot.domain.access import Scope, TokenNameTaken, TokenNotFound
from foliot.domain.instants import Instant, Micros
from foliot.ports.store.tokens import NewToken, TokenRecord
from foliot.store.sql.kernel.database import Database, Pool, RefusedForData, Tx
from foliot.store.sql.kernel.statement import Statement

T = TypeVar("T")

LIST_MAX: Final = 1000
_SCOPES: Final = frozenset(Scope)  # what a newer Foliot allows besides is nothing to this one


class _TokenRow(NamedTuple):
    """The columns of `_COLUMNS`. Every request reads one: a row of SQLAlchemy's would be felt."""

    id: str
    name: str
    hash: str
    scopes: str
    namespace: str | None
    group_name: str | None
    created_at: Instant
    created_by: str | None
    expires_at: Instant
    last_used_at: Instant | None
    revoked_at: Instant
    line: str | None


_COLUMNS: Final = ", ".join(_TokenRow._fields)
_BY_HASH: Final = Statement(f"SELECT {_COLUMNS}, {{now}} AS now FROM tokens WHERE hash = :hash")
_ANY: Final = Statement("SELECT 1 FROM tokens LIMIT 1")
_BY_NAME: Final = Statement(
    f"SELECT {_COLUMNS} FROM tokens WHERE name = :name AND revoked_at = 0 AND expires_at > {{now}}"
)
_BY_ID: Final = Statement(f"SELECT {_COLUMNS} FROM tokens WHERE id = :id")
_OF_NAME: Final = Statement(
    f"SELECT {_COLUMNS} FROM tokens WHERE name = :name AND expires_at > {{now}} "
    "AND (revoked_at = 0 OR revoked_at > {now}) ORDER BY created_at DESC, id"
)
_ALL: Final = Statement(f"SELECT {_COLUMNS} FROM tokens ORDER BY created_at DESC, id LIMIT {LIST_MAX}")
_ADD: Final = Statement(
    "INSERT INTO tokens (id, name, hash, scopes, namespace, group_name, created_at, created_by, expires_at, "
    "revoked_at, line) "
    "VALUES (:id, :name, :hash, :scopes, :namespace, :group_name, :now, :created_by, :expires_at, 0, :line)"
)
_END: Final = Statement(
    "UPDATE tokens SET revoked_at = :at WHERE id = :id AND (revoked_at = 0 OR revoked_at > :at) AND expires_at > :at"
)
_ENDS_THEN: Final = Statement(
    "SELECT 1 FROM tokens mine JOIN tokens other ON other.name = mine.name AND other.revoked_at = :at "
    "WHERE mine.id = :id AND other.id <> :id"
)
# A name whose token ran out is free again: its row steps aside as if revoked when it ran out.
_STEP_ASIDE: Final = Statement(
    "UPDATE tokens SET revoked_at = expires_at WHERE name = :name AND revoked_at = 0 AND expires_at <= {now}"
)
_USED: Final = Statement("UPDATE tokens SET last_used_at = {now} WHERE id = :id")
_ADD_CODE: Final = Statement(
    "INSERT INTO login_codes (hash, created_by, expires_at) VALUES (:hash, :created_by, :expires_at)"
)
_FORGET_CODES: Final = Statement("DELETE FROM login_codes WHERE expires_at <= {now}")
_USE_CODE: Final = Statement("DELETE FROM login_codes WHERE hash = :hash AND expires_at > {now}")


class SqlTokens:
    """`ports.store.tokens.TokenStore` on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, token: NewToken, *, only_if_none: bool = False) -> TokenRecord | None:
        def work(tx: Tx) -> TokenRecord | None:
            if only_if_none and tx.rows(_ANY):
                return None
            return _add(tx, token)

        try:
            return await self._change(work)
        except (RefusedForData, TokenNameTaken):  # another server was first, perhaps in the same instant
            if only_if_none:
                return None
            raise TokenNameTaken(token.name) from None

    async def find(self, token_hash: str, *, urgent: bool = False) -> tuple[TokenRecord | None, Instant]:
        def work(tx: Tx) -> tuple[TokenRecord | None, Instant]:
            rows = tx.tuples(_BY_HASH, {"hash": token_hash})
            if rows:
                *columns, now = rows[0]
                return _record(_TokenRow._make(columns)), int(now)
            return None, tx.now()

        pool = Pool.CONTROL if urgent else Pool.API
        return await self._database.read(work, pool=pool)

    async def by_id(self, token_id: str) -> TokenRecord | None:
        def work(tx: Tx) -> TokenRecord | None:
            rows = tx.rows(_BY_ID, {"id": token_id})
            return _record(rows[0]) if rows else None

        return await self._database.read(work)

    async def named(self, name_or_id: str) -> TokenRecord:
        return await self._database.read(lambda tx: _named(tx, name_or_id))

    async def list(self, *, include_gone: bool = False) -> Sequence[TokenRecord]:
        def work(tx: Tx) -> Sequence[TokenRecord]:
            now = tx.now()
            records = map(_record, tx.rows(_ALL))
            return [record for record in records if include_gone or record.is_good(now)]

        return await self._database.read(work)

    async def revoke(self, token_id: str, *, in_us: Micros = 0) -> TokenRecord:
        def work(tx: Tx) -> TokenRecord:
            _end(tx, token_id, tx.now() + in_us)
            rows = tx.rows(_BY_ID, {"id": token_id})
            if not rows:
                raise TokenNotFound(token_id)
            return _record(rows[0])

        return await self._change(work)

    async def revoke_all(self, name: str) -> Sequence[TokenRecord]:
        def work(tx: Tx) -> Sequence[TokenRecord]:
            now = tx.now()
            ended = [str(row.id) for row in tx.rows(_OF_NAME, {"name": name})]
            for token_id in ended:
                _end(tx, token_id, now)
            return [_record(row) for token_id in ended for row in tx.rows(_BY_ID, {"id": token_id})]

        return await self._change(work)

    async def replace(self, old_id: str, new: NewToken, *, grace_us: Micros) -> TokenRecord:
        def work(tx: Tx) -> TokenRecord:
            if not _end(tx, old_id, tx.now() + grace_us):
                raise TokenNotFound(old_id)
            return _add(tx, new)

        return await self._change(work)

    async def used(self, token_id: str) -> None:
        await self._change(lambda tx: tx.change(_USED, {"id": token_id}))

    async def add_code(self, code_hash: str, *, lives_us: Micros, created_by: str) -> Instant:
        def work(tx: Tx) -> Instant:
            expires_at = tx.now() + lives_us
            tx.change(_FORGET_CODES)
            tx.change(_ADD_CODE, {"hash": code_hash, "created_by": created_by, "expires_at": expires_at})
            return expires_at

        return await self._change(work)

    async def redeem(self, code_hash: str, token: NewToken) -> TokenRecord | None:
        def work(tx: Tx) -> TokenRecord | None:
            if tx.change(_USE_CODE, {"hash": code_hash}) != 1:  # the delete is what makes it one-time
                return None
            return _add(tx, token)

        return await self._change(work)

    async def _change(self, work: Callable[[Tx], T]) -> T:
        return await self._database.transact(work, pool=Pool.API)


def _end(tx: Tx, token_id: str, at: Instant) -> int:
    """Let a token end then; of two of one name one ends a microsecond earlier, so that names stay unique."""
    while tx.rows(_ENDS_THEN, {"id": token_id, "at": at}):
        at -= 1
    return tx.change(_END, {"id": token_id, "at": at})


def _named(tx: Tx, name_or_id: str) -> TokenRecord:
    now = tx.now()
    for statement, values in ((_BY_NAME, {"name": name_or_id}), (_BY_ID, {"id": name_or_id})):
        for row in tx.rows(statement, values):
            record = _record(row)
            if record.is_good(now):
                return record
    raise TokenNotFound(name_or_id)


def _add(tx: Tx, token: NewToken) -> TokenRecord:
    now = tx.now()
    tx.change(_STEP_ASIDE, {"name": token.name})
    if tx.rows(_BY_NAME, {"name": token.name}):
        raise TokenNameTaken(token.name)
    tx.change(
        _ADD,
        {
            "id": token.id,
            "name": token.name,
            "hash": token.hash,
            "scopes": ",".join(sorted(token.scopes)),
            "namespace": token.namespace,
            "group_name": token.group,
            "now": now,
            "created_by": token.created_by,
            "expires_at": now + token.lives_us,
            "line": token.line or token.id,
        },
    )
    return _record(tx.rows(_BY_ID, {"id": token.id})[0])


def _record(row: Any) -> TokenRecord:
    return TokenRecord(
        id=row.id,
        name=row.name,
        hash=row.hash,
        scopes=frozenset(Scope(scope) for scope in row.scopes.split(",") if scope in _SCOPES),
        namespace=row.namespace,
        group=row.group_name,
        created_at=row.created_at,
        created_by=row.created_by,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        revoked_at=row.revoked_at or None,
        line=row.line or row.id,  # an older Foliot does not write it
    )
