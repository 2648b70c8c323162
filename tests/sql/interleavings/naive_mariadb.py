"""A bare MariaDB connection that is asked like asyncpg's, so that one test serves both databases."""

import re
from typing import Any

import asyncmy

from foliot.store.sql.kernel.dialects.mariadb_pools import mariadb_target

_NUMBERED = re.compile(r"\$(\d+)")


class NaiveMariaDB:
    """Statements with `$1`, each committed by itself outside a `transaction()`."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    @classmethod
    async def connect(cls, url: str) -> "NaiveMariaDB":
        target = mariadb_target(url, connect_s=5)
        host, port = target.hosts[0]
        connection = await asyncmy.connect(
            host=host,
            port=port,
            user=target.user,
            password=target.password,
            database=target.database,
            autocommit=True,
            charset="utf8mb4",
            init_command="SET SESSION tx_isolation = 'READ-COMMITTED', SESSION innodb_lock_wait_timeout = 60",
        )
        return cls(connection)

    def transaction(self) -> "NaiveTransaction":
        return NaiveTransaction(self)

    async def execute(self, sql: str, *values: Any) -> str:
        """As asyncpg says it: "UPDATE 1"."""
        count, _ = await self._run(sql, values)
        return f"{sql.split(maxsplit=1)[0].upper()} {count}"

    async def fetch(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        return (await self._run(sql, values))[1]

    async def fetchrow(self, sql: str, *values: Any) -> tuple[Any, ...] | None:
        rows = await self.fetch(sql, *values)
        return rows[0] if rows else None

    async def fetchval(self, sql: str, *values: Any) -> Any:
        row = await self.fetchrow(sql, *values)
        return row[0] if row else None

    async def close(self) -> None:
        self._connection.close()

    async def _run(self, sql: str, values: tuple[Any, ...]) -> tuple[int, list[tuple[Any, ...]]]:
        order = [int(found) - 1 for found in _NUMBERED.findall(sql)]
        text = _NUMBERED.sub("%s", sql.replace("%", "%%"))
        async with self._connection.cursor() as cursor:
            await cursor.execute(text, tuple(values[at] for at in order))
            rows = list(await cursor.fetchall()) if cursor.description else []
            return cursor.rowcount, rows


class NaiveTransaction:
    """Begun and ended by hand."""

    def __init__(self, naive: NaiveMariaDB) -> None:
        self._naive = naive

    async def start(self) -> None:
        await self._naive.execute("START TRANSACTION")

    async def commit(self) -> None:
        await self._naive.execute("COMMIT")

    async def rollback(self) -> None:
        await self._naive.execute("ROLLBACK")
