"""SQLite by Python's own driver, in a thread. Each run has a connection of its own: it costs next to nothing."""

import asyncio
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote

import msgspec

from foliot.worker.handlers.sql.errors import BadSqlConnection, ConnectionLost, StatementRefused
from foliot.worker.handlers.sql.session import Manner, Notice
from foliot.worker.handlers.sql.settings import SqlTarget
from foliot.worker.handlers.sql.statement import names_in, only_reads
from foliot.worker.handlers.sql.threads import OwnThread, stopped
from foliot.worker.handlers.sql.values import RowPreview

_OWN_STORE: Final = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('store_meta', 'job_versions')"
_INTERRUPTED: Final = "SQLITE_INTERRUPT"


async def connect(target: SqlTarget) -> "SqliteSession":
    """A connection with nothing begun. The file must be there: a wrong path makes no new database."""
    file = unquote(target.url.partition("://")[2].removeprefix("/").partition("?")[0])
    if file in ("", ":memory:"):
        raise BadSqlConnection(target.name, "a file is needed")
    mode = "ro" if target.read_only else "rw"
    thread = OwnThread(f"sql-{target.name}")
    try:
        connection = await thread.do(_opened, f"file:{quote(str(Path(file)))}?mode={mode}", target.connect_s)
    except sqlite3.Error as error:
        thread.end(lambda: None)
        raise ConnectionLost(_words(error)) from None
    return SqliteSession(connection, thread)


def _opened(address: str, busy_s: float) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True, timeout=busy_s, isolation_level=None, check_same_thread=False)
    connection.set_authorizer(_allow)
    return connection


def _allow(action: int, file: str | None, *_: object) -> int:
    """No other file than the connection's own: ATTACH and VACUUM INTO would reach all that the worker can read."""
    return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH and file else sqlite3.SQLITE_OK


class SqliteSession:
    """`session.SqlSession` on SQLite. Foliot's own timer ends a statement that takes too long."""

    limits_itself = False

    def __init__(self, connection: sqlite3.Connection, thread: OwnThread) -> None:
        self._connection = connection
        self._thread = thread

    async def is_own_store(self) -> bool:
        """Whether this file is a store of Foliot's."""
        [(found,)] = await self._do(_OWN_STORE)
        return bool(found == len(("store_meta", "job_versions")))

    async def begin(self, manner: Manner, notice: Notice) -> None:
        del notice
        if manner.read_only:
            await self._do("PRAGMA query_only = ON")
        if manner.is_transaction:
            await self._do("BEGIN" if manner.looks_harmless else "BEGIN IMMEDIATE")

    async def execute(self, text: str, values: Mapping[str, Any], fresh: Callable[[], RowPreview]) -> list[RowPreview]:
        bound = {name: _value(values[name]) for name in names_in(text)}

        def work() -> RowPreview:
            preview = fresh()
            cursor = self._connection.execute(text, bound)
            if cursor.description is not None:
                preview.columns = [column[0] for column in cursor.description]
            is_read = only_reads(text)
            for row in cursor:  # what a change returns is counted to its end
                if not preview.add(row) and is_read:
                    break
            else:
                preview.rows_affected = max(preview.seen, cursor.rowcount)
            cursor.close()
            return preview

        with _told():
            return [await self._thread.do(work)]

    def is_in_transaction(self) -> bool:
        try:
            return self._connection.in_transaction
        except sqlite3.ProgrammingError:  # closed
            return False

    async def commit(self) -> None:
        await self._do("COMMIT")

    async def rollback(self) -> None:
        await self._do("ROLLBACK")

    async def stop(self, work: "asyncio.Task[Any]") -> None:
        await stopped(work, self._interrupt)

    async def check(self) -> None:
        await self._do("SELECT 1")

    async def reset(self) -> None:
        raise ConnectionLost("each run has its own")

    def cut(self) -> None:
        self._interrupt()
        self._thread.end(self._connection.close)

    async def close(self) -> None:
        self.cut()

    def _interrupt(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # closed before
            self._connection.interrupt()

    async def _do(self, text: str) -> list[Any]:
        with _told():
            return await self._thread.do(lambda: self._connection.execute(text).fetchall())


class _told:  # noqa: N801  read as a verb: with _told()
    """What the driver raises, as this package's own errors. A file does not get lost: every error is a refusal."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, sqlite3.Error | sqlite3.Warning | OverflowError):
            state = getattr(error, "sqlite_errorname", "")
            raise StatementRefused(_words(error), state, is_timeout=state == _INTERRUPTED) from None


def _words(error: BaseException) -> str:
    return (str(error) or type(error).__name__).partition("\n")[0].rstrip(".")


def _value(value: Any) -> Any:
    """Lists and objects go as JSON text, which SQLite's functions read, and times as SQLite writes them: UTC."""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    return msgspec.json.encode(value).decode() if isinstance(value, list | dict) else value
