"""Named limits for people, in SQL: listed, and those of the whole cluster made, changed and taken away."""

from collections.abc import Sequence
from typing import Any, Final

from foliot.domain.limits import limit_key, limit_name
from foliot.ports.store.limits import LimitHeld, LimitInUse, LimitNotFound, LimitUse, NamedLimit
from foliot.store.sql.firing.queues import QUEUED
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.kernel.statement import Statement, keys
from foliot.store.sql.leasing.limits import MAXIMA, SET_MAX, Limit, count_anew, make
from foliot.store.sql.people.limit_use import USERS, WAITING_MAX, counting_lanes, use_of

USERS_TOLD: Final = 20
_FIRST: Final = "res:"
_BEYOND: Final = "res;"  # the keys of named limits lie between these two
_COLUMNS: Final = "name, namespace, max, used"
LIST_LIMITS: Final = Statement(
    f"SELECT {_COLUMNS} FROM limits WHERE name > :after AND name < '{_BEYOND}' ORDER BY name LIMIT :rows"
)
_LIST_IN: Final = Statement(
    f"SELECT {_COLUMNS} FROM limits WHERE name > :after AND name < '{_BEYOND}' "
    "AND (namespace IS NULL OR namespace = :namespace) ORDER BY name LIMIT :rows"
)
_FIND: Final = Statement(f"SELECT {_COLUMNS} FROM limits WHERE name = :name")
_REMOVE: Final = Statement("DELETE FROM limits WHERE name = :name")


class SqlLimits:
    """`ports.store.limits.LimitStore` on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, *, namespace: str | None, after: str, limit: int) -> Sequence[NamedLimit]:
        values = {"after": max(after, _FIRST), "rows": limit}

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
    return NamedLimit(
        key=row.name, name=limit_name(row.name), namespace=row.namespace, max=int(row.max), used=int(row.used)
    )
