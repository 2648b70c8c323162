"""Where a benchmark works: an empty database for Foliot, one like it for the twin, and nothing left in them after."""

import sqlite3
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import sqlalchemy as sa

from foliot.domain.errors import InvalidInput
from foliot.store.sql.kernel.connect import PATIENT, open_database
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.dialects import mariadb_connect
from foliot.store.sql.kernel.dialects.mariadb_pools import mariadb_target
from foliot.store.sql.kernel.dialects.postgresql_pools import connect_postgresql
from foliot.store.sql.kernel.schema import VERSION_TABLE
from foliot.store.sql.kernel.tables import metadata
from foliot_bench.moments import CHANCE, CLOCK
from foliot_bench.troubles import DatabaseNotEmpty, NoTwinDatabase

CONNECT_WITHIN_S: Final = 5.0
MARIADB_FORM: Final = " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
_HELD: Final = {
    "postgresql": """
        SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname <> 'information_schema' AND n.nspname !~ '^pg_' AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
          AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
    """,
    "mysql": "SELECT count(*) FROM information_schema.tables WHERE table_schema = DATABASE()",
}
NO_LIMITS: Final = mariadb_connect.SessionLimits(statement_s=0, lock_s=60, idle_s=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Foliot's database, its twin's, and the database server's process if that is known."""

    foliot: str
    twin: str
    pid: int | None = None

    @property
    def is_sqlite(self) -> bool:
        return kind_of(self.foliot) == "sqlite"

    @property
    def pids(self) -> dict[str, int]:
        """What a cost is asked of beside Foliot's own processes."""
        return {} if self.pid is None else {"database": self.pid}


@asynccontextmanager
async def place(
    url: str | None, twin: str | None = None, *, pid: int | None = None, needs_twin: bool = True
) -> AsyncIterator[Place]:
    """The empty databases at these URLs; without any, two SQLite files. They are as empty after."""
    async with AsyncExitStack() as stack:
        if url is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="foliot-bench-"))
            url = f"sqlite:///{folder}/foliot.db"
        await stack.enter_async_context(_emptied(url))
        if not needs_twin:
            beside = url
        elif twin is not None:
            beside = await stack.enter_async_context(_emptied(twin))
        elif kind_of(url) == "sqlite":
            beside = await stack.enter_async_context(_emptied(f"{url.partition('?')[0]}-twin"))
        else:
            beside = await stack.enter_async_context(_made_beside(url))
        yield Place(foliot=url, twin=beside, pid=pid)


def kind_of(url: str) -> str:
    """sqlite, postgresql or mysql."""
    scheme = url.partition("://")[0].partition("+")[0].lower()
    return {"postgres": "postgresql", "mariadb": "mysql"}.get(scheme, scheme)


def sqlite_file(url: str) -> Path:
    """Where a SQLite database lies."""
    return Path(unquote(url.partition("://")[2].removeprefix("/").partition("?")[0]))


@asynccontextmanager
async def _emptied(url: str) -> AsyncIterator[str]:
    """A database that is empty before and after."""
    found = _held_by_file(sqlite_file(url)) if kind_of(url) == "sqlite" else await _with_tables(url, _held)
    if found:
        raise DatabaseNotEmpty(url, found)
    try:
        yield url
    finally:
        if kind_of(url) == "sqlite":
            file = sqlite_file(url)
            for end in ("", "-wal", "-shm"):
                file.with_name(file.name + end).unlink(missing_ok=True)
        else:
            await _with_tables(url, _drop_tables)


async def _with_tables(url: str, work: Any) -> Any:
    database = open_database(url, clock=CLOCK, chance=CHANCE, limits=PATIENT)
    try:
        return await database.transact(work)
    finally:
        await database.close()


def _held_by_file(file: Path) -> int:
    """How many tables, views and so on a SQLite file holds; looking changes nothing in it, not even its journal."""
    if not file.exists():
        return 0
    connection = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
    try:
        return int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    except sqlite3.DatabaseError:
        return 1  # somebody's file, of whatever kind
    finally:
        connection.close()


def _held(tx: Tx) -> int:
    """How many tables, views and so on there are, in every schema; what extensions brought does not count."""
    return int(tx.connection.exec_driver_sql(_HELD[tx.dialect.name]).scalar_one())


def _drop_tables(tx: Tx) -> None:
    """Foliot's, and no other that somebody made meanwhile."""
    quote = tx.connection.dialect.identifier_preparer.quote_identifier
    ours = {*metadata.tables, VERSION_TABLE}
    names = ", ".join(quote(name) for name in sa.inspect(tx.connection).get_table_names() if name in ours)
    if not names:
        return
    if tx.dialect.name == "postgresql":
        tx.connection.exec_driver_sql(f"DROP TABLE {names} CASCADE")
    else:
        tx.connection.exec_driver_sql("SET SESSION foreign_key_checks = 0")
        tx.connection.exec_driver_sql(f"DROP TABLE {names}")


@asynccontextmanager
async def _made_beside(url: str) -> AsyncIterator[str]:
    """A database of our own on the same server, as long as this block runs."""
    parts = urlsplit(url)
    name = f"{unquote(parts.path.removeprefix('/')) or 'foliot'}_twin_{CHANCE.token()[:8]}"
    quoted, form = (f'"{name}"', "") if kind_of(url) == "postgresql" else (f"`{name}`", MARIADB_FORM)
    try:
        await _say(url, f"CREATE DATABASE {quoted}{form}")
    except OSError:
        raise
    except Exception as error:  # each driver has a family of its own
        raise NoTwinDatabase(url, str(error).strip().rstrip(".")) from error
    try:
        yield parts._replace(path=f"/{name}").geturl()
    finally:
        await _say(url, f"DROP DATABASE {quoted}")


async def _say(url: str, text: str) -> None:
    async with connection_to(url) as connection:
        if kind_of(url) == "postgresql":
            await connection.execute(text)
        else:
            async with connection.cursor() as cursor:
                await cursor.execute(text)


@asynccontextmanager
async def connection_to(url: str) -> AsyncIterator[Any]:
    """A bare connection of the driver: asyncpg's or asyncmy's."""
    match kind_of(url):
        case "postgresql":
            connection = await connect_postgresql(url, {}, within_s=CONNECT_WITHIN_S)
            try:
                yield connection
            finally:
                await connection.close()
        case "mysql":
            connection = await mariadb_connect.connect(mariadb_target(url, connect_s=CONNECT_WITHIN_S), NO_LIMITS)
            try:
                yield connection
            finally:
                connection.close()
        case other:
            raise InvalidInput(f'"{other}" has no server to ask.')
