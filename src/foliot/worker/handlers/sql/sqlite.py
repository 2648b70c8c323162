"""SQLite by Python's own driver, in a thread. Each run has a connection of its own: it costs next to nothing.

What costs is the way to a thread and back, and a new thread. So the thread stays for the next run. A transaction that
only reads is begun on the way of its first statement, and ended when its connection is closed.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import quote, unquote

import msgspec

from foliot.worker.handlers.sql.errors import BadSqlConnection, ConnectionLost, StatementRefused, leads_to_own_store
from foliot.worker.handlers.sql.session import Manner, Notice
from foliot.worker.handlers.sql.settings import SqlTarget
from foliot.worker.handlers.sql.statement import names_in, only_reads
from foliot.worker.handlers.sql.threads import OwnThread, stopped
from foliot.worker.handlers.sql.values import RowPreview

_OWN_STORE: Final = (
    "SELECT count(*) = 2 FROM sqlite_master WHERE type = 'table' AND name IN ('store_meta', 'job_versions')"
)
_INTERRUPTED: Final = "SQLITE_INTERRUPT"

T = TypeVar("T")


async def connect(target: SqlTarget) -> "SqliteSession":
    """A connection that is open from its first statement on. The file must be there: a wrong path makes no new one."""
    file = unquote(target.url.partition("://")[2].removeprefix("/").partition("?")[0])
    if file in ("", ":memory:"):
        raise BadSqlConnection(target.name, "a file is needed")
    mode = "ro" if target.read_only else "rw"
    return SqliteSession(target, f"file:{quote(str(Path(file)))}?mode={mode}")


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

    def __init__(self, target: SqlTarget, address: str) -> None:
        self._name = target.name
        self._open = partial(_opened, address, target.connect_s)
        self._connection: sqlite3.Connection | None = None  # of one run; the thread opens and closes it
        self._thread = OwnThread(f"sql-{target.name}")
        self._first: list[str] = []  # statements that come before those of the run
        self._only_reads = False

    async def is_own_store(self) -> bool:
        """Not known yet: whoever begins opens the file, and looks then."""
        return False

    async def begin(self, manner: Manner, notice: Notice) -> None:
        del notice
        self._first = ["PRAGMA query_only = ON"] if manner.read_only else []
        if manner.is_transaction:
            self._first.append("BEGIN" if manner.looks_harmless else "BEGIN IMMEDIATE")
        self._only_reads = manner.is_transaction and manner.looks_harmless
        if not self._only_reads:
            await self._do(self._begin)

    def _begin(self) -> sqlite3.Connection:
        """In the thread. Whatever goes wrong: no statement of the run was executed."""
        try:
            connection = self._connection = self._open()
            [(is_own_store,)] = connection.execute(_OWN_STORE)
            for text in self._first:
                connection.execute(text)
        except sqlite3.Error as error:
            raise ConnectionLost(_words(error)) from None
        if is_own_store:
            raise leads_to_own_store(self._name)
        return connection

    async def execute(self, text: str, values: Mapping[str, Any], fresh: Callable[[], RowPreview]) -> list[RowPreview]:
        bound = {name: _value(values[name]) for name in names_in(text)}

        def work() -> RowPreview:
            preview = fresh()
            cursor = (self._connection or self._begin()).execute(text, bound)
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

        return [await self._do(work)]

    @property
    def _begun(self) -> sqlite3.Connection:
        assert self._connection is not None, "nothing was begun"
        return self._connection

    def is_in_transaction(self) -> bool:
        connection = self._connection
        try:
            return connection is not None and connection.in_transaction
        except sqlite3.ProgrammingError:  # closed
            return False

    async def commit(self) -> None:
        has_only_read = self._only_reads and self._begun.total_changes == 0
        if not has_only_read:  # else there is nothing to keep
            await self._do(self._begun.execute, "COMMIT")

    async def rollback(self) -> None:
        await self._do(self._begun.execute, "ROLLBACK")

    async def stop(self, work: "asyncio.Task[Any]") -> None:
        await stopped(work, self._interrupt)

    async def check(self) -> None:
        """A thread without a connection lives."""

    async def reset(self) -> None:
        self._thread.soon(self._close)

    def cut(self) -> None:
        self._interrupt()
        self._thread.end(self._close)

    async def close(self) -> None:
        self.cut()

    def _close(self) -> None:
        """In the thread."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _interrupt(self) -> None:
        connection = self._connection
        with suppress(sqlite3.ProgrammingError):  # closed before
            if connection is not None:
                connection.interrupt()

    async def _do(self, work: Callable[..., T], *arguments: Any) -> T:
        with _told():
            return await self._thread.do(work, *arguments)


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
