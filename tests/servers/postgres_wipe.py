"""A used database of PostgreSQL as new: what holds rows is emptied, which is quicker than a new database."""

import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

OURS = 16384
"""Object ids below are PostgreSQL's own."""

SHAPE = f"""
SELECT md5(string_agg(line, '|' ORDER BY line)) FROM (
  SELECT (oid, relname, relkind, relowner, relacl, reloptions)::text AS line FROM pg_class WHERE oid >= {OURS}
  UNION ALL SELECT (attrelid, attnum, attname, atttypid, atttypmod, attnotnull)::text FROM pg_attribute
    WHERE attrelid >= {OURS}
  UNION ALL SELECT (oid, convalidated)::text FROM pg_constraint WHERE oid >= {OURS}
  UNION ALL SELECT (oid, adbin)::text FROM pg_attrdef WHERE oid >= {OURS}
  UNION ALL SELECT (oid, tgenabled)::text FROM pg_trigger WHERE oid >= {OURS}
  UNION ALL SELECT (oid, prosrc)::text FROM pg_proc WHERE oid >= {OURS}
  UNION ALL SELECT (oid, nspname)::text FROM pg_namespace WHERE oid >= {OURS}
  UNION ALL SELECT (indexrelid, indisvalid)::text FROM pg_index WHERE indexrelid >= {OURS}
  UNION ALL SELECT (setrole, setconfig)::text FROM pg_db_role_setting
  ) AS catalogue
"""
"""What tables, columns, keys, functions and settings there are, as one value."""

TABLES = """
SELECT quote_ident(relname) FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname
"""
COUNTERS = "SELECT quote_ident(sequencename), last_value FROM pg_sequences WHERE schemaname = 'public'"


@dataclass(frozen=True)
class Wiper:
    """Knows what a database was like when it was new."""

    shape: str
    tables: tuple[str, ...]
    counters: dict[str, int | None]
    rows: dict[str, bytes]

    async def wipe(self, connection: Any) -> bool:
        """Empty what is not as it was; whether that was possible. A changed table or setting stays changed."""
        if await connection.fetchval(SHAPE) != self.shape:
            return False
        await connection.execute("SET session_replication_role = replica")  # rows come back in any order
        used = {*await _filled(connection, self.tables), *self.rows}
        if used:
            await connection.execute(f"TRUNCATE {', '.join(sorted(used))} CASCADE")
        for table, rows in self.rows.items():
            await connection.copy_to_table(table, source=io.BytesIO(rows), format="binary")
        for counter, value in await connection.fetch(COUNTERS):
            if value != self.counters[counter]:
                await self._turn_back(connection, counter)
        return True

    async def _turn_back(self, connection: Any, counter: str) -> None:
        value = self.counters[counter]
        if value is None:
            await connection.execute(f"ALTER SEQUENCE {counter} RESTART")
        else:
            await connection.execute(f"SELECT setval('{counter}', {value})")


async def wiper_of(connection: Any) -> Wiper:
    """For the database of this connection, which is new."""
    tables = tuple(name for (name,) in await connection.fetch(TABLES))
    return Wiper(
        shape=await connection.fetchval(SHAPE),
        tables=tables,
        counters=dict(await connection.fetch(COUNTERS)),
        rows={table: await _rows(connection, table) for table in await _filled(connection, tables)},
    )


async def _filled(connection: Any, tables: Iterable[str]) -> list[str]:
    """The tables that hold rows."""
    found = await connection.fetch(
        " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT FROM {table})" for table in tables)
    )
    return [name for (name,) in found]


async def _rows(connection: Any, table: str) -> bytes:
    kept = io.BytesIO()
    await connection.copy_from_table(table, output=kept, format="binary")
    return kept.getvalue()
