"""The history that test databases keep: triggers that copy every change of a row. Production pays nothing for it."""

import asyncio
import sqlite3
from collections.abc import Sequence

import asyncpg

from tests.servers.mariadb import connected
from tests.servers.sql import apart

RECORDED = {
    "runs": None,
    "cursors": None,
    "leases": None,
    "store_meta": None,
    "limits": ("name", "max", "used", "ver", "pace_us", "burst"),
    "nodes": ("id", "name", "kind", "state", "until", "last_beat_at", "beat_no", "settled", "ended_at", "band"),
}
HEAVY = {"params", "result", "error", "checkpoint", "reason"}  # not needed to judge, and large


def record(url: str) -> None:
    """Put the triggers into a store that is a database server."""
    if url.startswith("mysql"):
        record_mariadb(url)
    else:
        apart(lambda: asyncio.wait_for(record_postgresql(url), 30))


def record_sqlite(path: str) -> None:
    """Put the triggers into a SQLite store."""
    connection = sqlite3.connect(path)
    try:
        for statement in sqlite_statements(connection):
            connection.execute(statement)
        connection.commit()
    finally:
        connection.close()


def sqlite_statements(connection: sqlite3.Connection) -> Sequence[str]:
    table = (
        "CREATE TABLE foliot_history (seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL,"
        " table_name TEXT NOT NULL, op TEXT NOT NULL, body TEXT NOT NULL)"
    )
    statements = [table]
    now = "CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER)"
    for recorded, only in RECORDED.items():
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({recorded})")]
        kept = [column for column in columns if (only is None or column in only) and column not in HEAVY]
        body = ", ".join(f"'{column}', NEW.\"{column}\"" for column in kept)
        statements += [
            f"CREATE TRIGGER record_{recorded}_{op.lower()} AFTER {op} ON {recorded} BEGIN"
            f" INSERT INTO foliot_history (at, table_name, op, body)"
            f" VALUES ({now}, '{recorded}', '{op}', json_object({body})); END"
            for op in ("INSERT", "UPDATE")
        ]
    return statements


async def record_postgresql(url: str) -> None:
    """Put the triggers into a PostgreSQL store."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(
            "CREATE TABLE foliot_history (seq BIGSERIAL PRIMARY KEY, at BIGINT NOT NULL, table_name TEXT NOT NULL,"
            " op TEXT NOT NULL, body TEXT NOT NULL)"
        )
        for table, only in RECORDED.items():
            body = "to_jsonb(NEW)" + "".join(f" - '{column}'" for column in sorted(HEAVY))
            if only is not None:
                pairs = ", ".join(f"'{column}', NEW.{column}" for column in only)
                body = f"jsonb_build_object({pairs})"
            await connection.execute(
                f"CREATE FUNCTION record_{table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                f" INSERT INTO foliot_history (at, table_name, op, body) VALUES"
                f" ((extract(epoch FROM clock_timestamp()) * 1000000)::bigint, '{table}', TG_OP, ({body})::text);"
                f" RETURN NULL; END $$"
            )
            await connection.execute(
                f"CREATE TRIGGER record_{table} AFTER INSERT OR UPDATE ON {table}"
                f" FOR EACH ROW EXECUTE FUNCTION record_{table}()"
            )
    finally:
        await connection.close()


def record_mariadb(url: str) -> None:
    """Put the triggers into a MariaDB store."""
    connection = connected(url, autocommit=True)
    with connection, connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE foliot_history (seq BIGINT AUTO_INCREMENT PRIMARY KEY, at BIGINT NOT NULL,"
            " table_name VARCHAR(50) NOT NULL, op VARCHAR(10) NOT NULL, body LONGTEXT NOT NULL)"
        )
        now = "TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))"
        for table, only in RECORDED.items():
            cursor.execute(f"SHOW COLUMNS FROM {table}")
            columns = [row[0] for row in cursor.fetchall()]
            kept = [column for column in columns if (only is None or column in only) and column not in HEAVY]
            body = ", ".join(f"'{column}', NEW.`{column}`" for column in kept)
            for op in ("INSERT", "UPDATE"):
                cursor.execute(
                    f"CREATE TRIGGER record_{table}_{op.lower()} AFTER {op} ON {table} FOR EACH ROW"
                    f" INSERT INTO foliot_history (at, table_name, op, body)"
                    f" VALUES ({now}, '{table}', '{op}', JSON_OBJECT({body}))"
                )
