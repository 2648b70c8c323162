"""Saved views in SQL."""

from collections.abc import Sequence
from typing import Any, Final

from foliot.ports.store.views import View
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.kernel.statement import TEXT, RowSet, Statement, keys

_COLUMNS: Final = "v.owner, v.name, v.path, v.saved_at, v.saved_by"
OF_OWNERS: Final = Statement(
    f"SELECT {_COLUMNS} FROM {{d}} JOIN views v ON v.owner = d.owner ORDER BY v.name, v.owner",
    RowSet("d", owner=TEXT),
)
ONE: Final = Statement(f"SELECT {_COLUMNS} FROM views v WHERE v.owner = :owner AND v.name = :name")
COUNT: Final = Statement("SELECT count(*) AS found FROM views WHERE owner = :owner AND name <> :name")
CHANGE: Final = Statement(
    "UPDATE views SET path = :path, saved_at = {now}, saved_by = :by WHERE owner = :owner AND name = :name"
)
INSERT: Final = Statement(
    "{insert_ignore} views (owner, name, path, saved_at, saved_by) VALUES (:owner, :name, :path, {now}, :by) "
    "{ignore_duplicates}"
)
REMOVE: Final = Statement("DELETE FROM views WHERE owner = :owner AND name = :name")


class SqlViews:
    """`ports.store.views.ViewStore` on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, owners: Sequence[str]) -> Sequence[View]:
        def work(tx: Tx) -> Sequence[View]:
            return [_view(row) for row in tx.found(OF_OWNERS, d=keys(owners))]

        return await self._database.read(work)

    async def save(self, owner: str, name: str, path: str, *, by: str, most: int) -> View | None:
        values = {"owner": owner, "name": name, "path": path, "by": by}

        def work(tx: Tx) -> View | None:
            if tx.rows(COUNT, {"owner": owner, "name": name})[0].found >= most:
                return None
            tx.change(INSERT, values)
            tx.change(CHANGE, values)
            return _view(tx.rows(ONE, {"owner": owner, "name": name})[0])

        return await self._database.transact(work, pool=Pool.API)

    async def remove(self, owner: str, name: str) -> bool:
        def work(tx: Tx) -> bool:
            return tx.change(REMOVE, {"owner": owner, "name": name}) > 0

        return await self._database.transact(work, pool=Pool.API)


def _view(row: Any) -> View:
    return View(owner=row.owner, name=row.name, path=row.path, saved_at=int(row.saved_at), saved_by=row.saved_by)
