"""Where a benchmark works: an empty database for Foliot, one like it for the twin, and nothing left in them after."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import sqlalchemy as sa

from foliot.bench.moments import CHANCE, CLOCK
from foliot.bench.troubles import DatabaseNotEmpty, NoTwinDatabase
from foliot.domain.errors import InvalidInput
from foliot.store.sql.connect import PATIENT, connect_postgresql, mariadb_target, open_database
from foliot.store.sql.database import Tx
from foliot.store.sql.dialects import mariadb_connect

CONNECT_WITHIN_S: Final = 5.0
MARIADB_FORM: Final = " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
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
    tables = await _with_tables(url, lambda tx: len(_tables(tx)))
    if tables:
        raise DatabaseNotEmpty(url, tables)
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


def _tables(tx: Tx) -> list[str]:
    return sa.inspect(tx.connection).get_table_names()


def _drop_tables(tx: Tx) -> None:
    """All of them: none was there before us."""
    quote = tx.connection.dialect.identifier_preparer.quote_identifier
    names = ", ".join(quote(name) for name in _tables(tx))
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
