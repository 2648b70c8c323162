"""Every other database that SQLAlchemy has a dialect for, by the driver its URL names: in a thread, or async."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, Final, TypeVar

import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from foliot.worker.handlers.sql.errors import BadSqlConnection, ConnectionLost, StatementRefused
from foliot.worker.handlers.sql.session import Manner, Notice
from foliot.worker.handlers.sql.settings import SqlTarget
from foliot.worker.handlers.sql.statement import in_order, names_in, with_placeholders
from foliot.worker.handlers.sql.threads import OwnThread, stopped
from foliot.worker.handlers.sql.values import RowPreview

T = TypeVar("T")

_BY_NAME: Final[Mapping[str, str]] = {"named": ":{}", "pyformat": "%({})s"}
_BY_PLACE: Final[Mapping[str, str]] = {"qmark": "?", "format": "%s", "numeric": ":{}", "numeric_dollar": "${}"}
_FORMATS: Final = ("format", "pyformat")
_OWN_STORE: Final = frozenset({"store_meta", "job_versions"})


async def connect(target: SqlTarget) -> "OtherSession":
    """A connection with nothing begun."""
    url = _read(target)
    thread = OwnThread(f"sql-{target.name}")
    try:
        async with asyncio.timeout(target.connect_s):
            if url.get_dialect().is_async:
                engine = create_async_engine(url, poolclass=sa.NullPool)
                return OtherSession(target, await engine.connect(), thread)
            blocking = sa.create_engine(url, poolclass=sa.NullPool)
            return OtherSession(target, await thread.do(blocking.connect), thread)
    except (sa.exc.SQLAlchemyError, OSError, TimeoutError) as error:
        thread.end(lambda: None)
        raise ConnectionLost(target.hidden(_words(error))) from None


def _read(target: SqlTarget) -> sa.URL:
    try:
        url = sa.make_url(target.url)
    except (sa.exc.ArgumentError, ValueError):
        raise BadSqlConnection(target.name, "its URL cannot be read") from None  # the cause shows the URL
    return url.set(password=target.password) if target.password else url


class OtherSession:
    """`session.SqlSession` by SQLAlchemy. Foliot's own timer ends statements, where the driver has a way to."""

    limits_itself = False

    def __init__(self, target: SqlTarget, connection: sa.Connection | AsyncConnection, thread: OwnThread) -> None:
        self._target = target
        self._connection = connection
        self._thread = thread

    async def is_own_store(self) -> bool:
        """Whether a store of Foliot's is here."""
        tables = await self._do(lambda connection: sa.inspect(connection).get_table_names())
        await self.rollback()
        return set(tables) >= _OWN_STORE

    async def begin(self, manner: Manner, notice: Notice) -> None:
        del notice
        level = "AUTOCOMMIT" if not manner.is_transaction else (manner.isolation or "").upper()
        if level:
            await self._do(lambda connection: connection.execution_options(isolation_level=level))

    async def execute(self, text: str, values: Mapping[str, Any], fresh: Callable[[], RowPreview]) -> list[RowPreview]:
        def work(connection: sa.Connection) -> RowPreview:
            style = connection.dialect.paramstyle
            written, bound = _bound(text, values, style)
            preview = fresh()
            result = connection.execution_options(stream_results=True).exec_driver_sql(written, bound)
            if not result.returns_rows:
                preview.rows_affected = result.rowcount if result.rowcount >= 0 else None
                return preview
            preview.columns = list(result.keys())
            for row in result:
                if not preview.add(row):
                    break
            else:
                preview.rows_affected = len(preview.rows)
            result.close()
            return preview

        return [await self._do(work)]

    def is_in_transaction(self) -> bool:
        return self._connection.in_transaction()

    async def commit(self) -> None:
        await self._do(lambda connection: connection.commit())

    async def rollback(self) -> None:
        await self._do(lambda connection: connection.rollback())

    async def stop(self, work: "asyncio.Task[Any]") -> None:
        held: Any = (
            self._connection.sync_connection if isinstance(self._connection, AsyncConnection) else self._connection
        )
        raw = held.connection.dbapi_connection
        ask = getattr(raw, "cancel", None) or getattr(raw, "interrupt", None)
        if ask is None or asyncio.iscoroutinefunction(ask):
            raise ConnectionLost("its driver cannot end a statement")
        await stopped(work, ask)

    async def check(self) -> None:
        await self._do(lambda connection: connection.exec_driver_sql("SELECT 1").close())

    async def reset(self) -> None:
        raise ConnectionLost("each run has its own")

    def cut(self) -> None:
        if isinstance(self._connection, AsyncConnection):
            with suppress(sa.exc.SQLAlchemyError):
                self._connection.sync_connection.invalidate()  # type: ignore[union-attr]
            self._thread.end(lambda: None)
        else:
            self._thread.end(self._connection.close)

    async def close(self) -> None:
        if isinstance(self._connection, AsyncConnection):
            await self._connection.close()
        self.cut()

    async def _do(self, work: Callable[[sa.Connection], T]) -> T:
        try:
            if isinstance(self._connection, AsyncConnection):
                return await self._connection.run_sync(work)
            return await self._thread.do(work, self._connection)
        except sa.exc.DBAPIError as error:
            words = self._target.hidden(_words(error))
            if error.connection_invalidated:
                raise ConnectionLost(words) from None
            raise StatementRefused(words, type(error).__name__) from None
        except sa.exc.SQLAlchemyError as error:
            raise StatementRefused(self._target.hidden(_words(error)), type(error).__name__) from None


def _bound(text: str, values: Mapping[str, Any], style: str) -> tuple[str, Any]:
    """Text and values in the style of the driver."""
    names = names_in(text)
    has_percent = style in _FORMATS
    plain = {name: _value(values[name]) for name in names}
    if style in _BY_NAME:
        return with_placeholders(text, _BY_NAME[style].format, percent=has_percent), plain
    order: list[str] = []

    def place(name: str) -> str:
        order.append(name)
        return _BY_PLACE[style].format(len(order))

    written = with_placeholders(text, place, percent=has_percent)
    return written, tuple(in_order(order, plain))


def _value(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)  # most databases have no other
    return msgspec.json.encode(value).decode() if isinstance(value, list | dict) else value


def _words(error: BaseException) -> str:
    """The driver's own words: SQLAlchemy's show the statement with its values."""
    original = getattr(error, "orig", None) or error
    return (str(original) or type(error).__name__).partition("\n")[0].rstrip(".")
