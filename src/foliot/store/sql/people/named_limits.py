"""Limits for people, in SQL: listed, and those that an admin makes are made, changed and taken away."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from foliot.domain.limits import LimitChange, LimitKind, kind_of, limit_key, limit_name, scope_key
from foliot.domain.rates import Bucket, Rate, refill_at
from foliot.ports.store.limits import (
    KeyBounds,
    KeyUse,
    LimitHeld,
    LimitInUse,
    LimitNotFound,
    LimitUse,
    LimitUser,
    NamedLimit,
    ScopeLimitNotFound,
)
from foliot.store.sql.firing.queues import QUEUED
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.leasing.limits import ANY_NUMBER, MAXIMA, SET_MAX, SET_RATE, Limit, count_anew, make
from foliot.store.sql.leasing.scopes import CHANGED
from foliot.store.sql.people.key_use import full_keys
from foliot.store.sql.people.limit_use import USERS, WAITING_MAX, counting_lanes, stuck_users, use_of

USERS_TOLD: Final = 20
_BETWEEN: Final = " OR ".join(f"(name > '{prefix}:' AND name < '{prefix};')" for prefix in ("grp", "ns", "res"))
_COLUMNS: Final = "name, namespace, max, used, rate, rate_per_us, pace_us, burst, spent_until, {now} AS seen_at"
LIST_LIMITS: Final = Statement(
    f"SELECT {_COLUMNS} FROM limits WHERE name > :after AND ({_BETWEEN}) ORDER BY name LIMIT :rows"
)
_LIST_IN: Final = Statement(
    f"SELECT {_COLUMNS} FROM limits WHERE name > :after AND ({_BETWEEN}) "
    "AND (namespace IS NULL OR namespace = :namespace) ORDER BY name LIMIT :rows"
)
_NAMESAKES: Final = Statement(
    "SELECT count(*) FROM limits "
    "WHERE name > 'res:' AND name < 'res;' AND namespace IS NOT NULL AND name LIKE :pattern ESCAPE '!'"
)
_MAKE_SCOPE: Final = Statement(
    """
    {insert_ignore} limits (name, max, used, ver, namespace)
    SELECT d.name, d.max, 0, 1, d.namespace FROM {d} WHERE true {ignore_duplicates}
    """,
    RowSet("d", name=TEXT, max=BIGINT, namespace=TEXT),
)
_SET_SCOPE: Final = Statement("UPDATE limits SET max = :max, ver = ver + 1 WHERE name = :name")
_FIND: Final = Statement(f"SELECT {_COLUMNS} FROM limits WHERE name = :name")
_REMOVE: Final = Statement("DELETE FROM limits WHERE name = :name")


class SqlLimits:
    """`ports.store.limits.LimitStore` on SQL."""

    def __init__(self, database: Database, lanes: Lanes) -> None:
        self._database = database
        self._lanes = lanes

    async def list(self, *, namespace: str | None, after: str, limit: int) -> Sequence[NamedLimit]:
        values = {"after": after, "rows": limit}

        def work(tx: Tx) -> Sequence[NamedLimit]:
            if namespace is None:
                return [_named(row) for row in tx.rows(LIST_LIMITS, values)]
            return [_named(row) for row in tx.rows(_LIST_IN, {**values, "namespace": namespace})]

        return await self._database.read(work)

    async def find(self, keys: Sequence[str]) -> Sequence[NamedLimit]:
        def work(tx: Tx) -> Sequence[NamedLimit]:
            return [_named(row) for key in keys for row in tx.rows(_FIND, {"name": key})]

        return await self._database.read(work)

    async def use(self, keys: Sequence[str]) -> LimitUse | None:
        def work(tx: Tx) -> LimitUse | None:
            found = [row for key in keys for row in tx.rows(_FIND, {"name": key})]
            return use_of(tx, _named(found[0])) if found else None

        return await self._database.read(work)

    async def waiting(self, job_id: int) -> int:
        values = {"most": WAITING_MAX, "with_later": 1}
        found = await self._database.read(lambda tx: tx.pairs(QUEUED, values, d=[(job_id,)]))
        return int(found[job_id])

    async def full_keys(self, job_id: int, bounds: KeyBounds) -> Sequence[KeyUse]:
        return await self._database.read(lambda tx: full_keys(tx, job_id, bounds))

    async def set_shared(self, name: str, max_: int) -> NamedLimit:
        key = limit_key(name, None)

        def work(tx: Tx) -> NamedLimit:
            is_made = make(tx, [Limit(key, max_, name, None)])
            if is_made:
                count_anew(tx, Lanes(), key)
            tx.change(SET_MAX, d=[(key, max_)])
            rows = tx.rows(_FIND, {"name": key})
            return _named(rows[0])

        return await self._database.transact(work, pool=Pool.API)

    async def set_own(self, namespace: str, name: str, max_: int, check: Callable[[LimitChange], None]) -> NamedLimit:
        key = limit_key(name, namespace)

        def work(tx: Tx) -> NamedLimit:
            before = tx.pairs(MAXIMA, d=[(key,)])
            if not before:
                raise LimitNotFound(name, namespace=namespace)
            check(LimitChange(name=name, namespace=namespace, max=int(before[key]), wanted=max_))
            tx.change(SET_MAX, d=[(key, max_)])
            return _named(tx.rows(_FIND, {"name": key})[0])

        return await self._database.transact(work, pool=Pool.API)

    async def stuck(self, keys: Sequence[str]) -> Sequence[LimitUser]:
        return await self._database.read(lambda tx: stuck_users(tx, self._lanes, keys))

    async def namesakes(self, name: str) -> int:
        pattern = f"%/{name.replace('_', '!_').replace('%', '!%')}"
        rows = await self._database.read(lambda tx: tx.rows(_NAMESAKES, {"pattern": pattern}))
        return int(rows[0][0])

    async def set_scope(
        self,
        kind: LimitKind,
        name: str,
        *,
        max_: int | None,
        bucket: Bucket | None,
        is_rate_kept: bool,
        is_max_kept: bool = True,
    ) -> NamedLimit:
        key = scope_key(kind, name)
        namespace = name if kind is LimitKind.NAMESPACE else None

        def make_it(tx: Tx) -> None:
            tx.change(CHANGED)
            tx.change(_MAKE_SCOPE, d=[(key, ANY_NUMBER, namespace)])
            if max_ is not None or not is_max_kept:
                tx.change(_SET_SCOPE, {"name": key, "max": ANY_NUMBER if max_ is None else max_})
            if not is_rate_kept:
                tx.change(SET_RATE, {"name": key, **_rate_columns(bucket)})

        def count(tx: Tx) -> NamedLimit:
            count_anew(tx, Lanes(), key)
            rows = tx.rows(_FIND, {"name": key})
            if not rows:
                raise ScopeLimitNotFound(kind, name)  # another admin took it away
            return _named(rows[0])

        # Two transactions: leases that begin now see the limit, so only those count that began before.
        await self._database.transact(make_it, pool=Pool.API)
        return await self._database.transact(count, pool=Pool.API)

    async def remove_scope(self, kind: LimitKind, name: str) -> None:
        def work(tx: Tx) -> None:
            tx.change(CHANGED)
            if not tx.change(_REMOVE, {"name": scope_key(kind, name)}):
                raise ScopeLimitNotFound(kind, name)

        await self._database.transact(work, pool=Pool.API)

    async def remove_shared(self, name: str) -> None:
        key = limit_key(name, None)

        def work(tx: Tx) -> None:
            if not tx.rows(MAXIMA, d=[(key,)]):  # locked: a job that is saved with it now comes before or after
                raise LimitNotFound(name)
            users = _users(tx, key)
            if users:
                raise LimitInUse(name, jobs=users)
            held = int(tx.rows(_FIND, {"name": key})[0].used)
            if held:
                raise LimitHeld(name, runs=held)
            tx.change(_REMOVE, {"name": key})

        await self._database.transact(work, pool=Pool.API)


def _users(tx: Tx, key: str) -> list[str]:
    """Jobs whose present version counts in this limit."""
    rows = tx.found(USERS, {"rows": USERS_TOLD}, d=keys(sorted(counting_lanes(tx, key))))
    return [row.name for row in rows]


def _named(row: Any) -> NamedLimit:
    bucket = next_at = None
    if row.pace_us is not None:
        bucket = Bucket(Rate(int(row.rate), int(row.rate_per_us)), int(row.burst))
        at = refill_at(row.pace_us, row.burst, row.spent_until, row.seen_at)
        next_at = at if at > row.seen_at else None
    return NamedLimit(
        key=row.name,
        name=limit_name(row.name),
        namespace=row.namespace,
        max=None if row.max == ANY_NUMBER else int(row.max),
        used=int(row.used),
        kind=kind_of(row.name),
        bucket=bucket,
        next_at=next_at,
    )


def _rate_columns(bucket: Bucket | None) -> dict[str, int | None]:
    if bucket is None:
        return {"rate": None, "per_us": None, "pace_us": None, "burst": None}
    rate = bucket.rate
    return {"rate": rate.starts, "per_us": rate.per_us, "pace_us": rate.pace_us, "burst": bucket.burst}
