"""PostgreSQL by asyncpg: statements are prepared, so there is one in each text, and values travel apart from it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import asyncpg
import msgspec

from foliot.worker.handlers.sql.errors import ConnectionLost, StatementRefused
from foliot.worker.handlers.sql.session import Manner, Notice
from foliot.worker.handlers.sql.settings import SqlTarget
from foliot.worker.handlers.sql.statement import first_words, in_order, names_in, only_reads, with_placeholders
from foliot.worker.handlers.sql.values import RowPreview

CHUNK: Final = 100  # rows that are brought at once

_LOST_STATES: Final = ("08", "57P")  # connection failures; the server stops or ends this connection
_TIMEOUT: Final = "57014"
_AS_TEXT: Final = ("date", "interval", "json", "jsonb", "numeric", "time", "timetz", "uuid", "inet", "cidr", "money")
_STAMPS: Final = ("timestamp", "timestamptz")
_TIME_LIMIT: Final = "SELECT set_config('statement_timeout', '{milliseconds}', false)"
# The server looks whether its client is there: when a worker is killed, its statement ends. DISCARD ALL forgets this.
_TIME_LIMIT_AND_CHECK: Final = _TIME_LIMIT + ", set_config('client_connection_check_interval', '2s', false)"
_OWN_STORE: Final = """
    SELECT count(*) FROM (VALUES ('store_meta'), ('job_versions')) AS wanted (name)
    WHERE CASE WHEN to_regclass(name) IS NULL THEN false ELSE has_table_privilege(to_regclass(name), 'SELECT') END
"""


async def connect(target: SqlTarget) -> "PostgreSqlSession":
    """A connection with nothing begun."""
    scheme, _, rest = target.url.partition("://")
    try:
        connection = await asyncpg.connect(
            dsn=f"{scheme.partition('+')[0]}://{rest}",
            password=target.password or None,
            timeout=target.connect_s,
            statement_cache_size=0,  # DISCARD ALL forgets prepared statements; so do poolers between us
            server_settings={"application_name": "foliot sql", "datestyle": "ISO", "intervalstyle": "iso_8601"},
        )
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, ValueError, TimeoutError) as error:
        raise ConnectionLost(target.hidden(_words(error))) from None
    session = PostgreSqlSession(connection)
    try:
        await session.set_up()
    except BaseException:
        connection.terminate()
        raise
    return session


class PostgreSqlSession:
    """`session.SqlSession` on PostgreSQL."""

    limits_itself = True

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._notice: Notice | None = None
        self._settings = _TIME_LIMIT
        connection.add_log_listener(self._heard)

    async def set_up(self) -> None:
        """Values of types that JSON does not have go and come as text, which the database reads and writes itself."""
        for name in _AS_TEXT:
            await self._connection.set_type_codec(
                name, schema="pg_catalog", encoder=_text, decoder=_decoders.get(name, str), format="text"
            )
        for name in _STAMPS:
            await self._connection.set_type_codec(
                name, schema="pg_catalog", encoder=_text, decoder=_stamp, format="text"
            )
        with suppress(StatementRefused):  # a server before 14 does not know it
            await self._do("SET client_connection_check_interval = '2s'")
            self._settings = _TIME_LIMIT_AND_CHECK

    async def is_own_store(self) -> bool:
        """Whether this user can read a store of Foliot's here."""
        return bool(await self._value(_OWN_STORE) == len(("store_meta", "job_versions")))

    async def begin(self, manner: Manner, notice: Notice) -> None:
        self._notice = notice
        milliseconds = max(1, round(manner.timeout_s * 1000))
        # With the first query of the transaction its access is settled: SET TRANSACTION READ WRITE is refused from now.
        first = self._settings.format(milliseconds=milliseconds)
        if manner.is_transaction:
            level = f" ISOLATION LEVEL {manner.isolation.upper()}" if manner.isolation else ""
            first = f"BEGIN{level}{' READ ONLY' if manner.read_only else ''}; {first}"
        await self._do(first)  # in one message: each is a way to the database and back

    async def execute(self, text: str, values: Mapping[str, Any], fresh: Callable[[], RowPreview]) -> list[RowPreview]:
        names = names_in(text)
        places = {name: f"${number}" for number, name in enumerate(names, start=1)}
        preview = fresh()
        with _told():
            prepared = await self._connection.prepare(with_placeholders(text, places.__getitem__))
            arguments = [
                _fitting(kind.name, value)
                for kind, value in zip(prepared.get_parameters(), in_order(names, values), strict=True)
            ]
            preview.columns = [attribute.name for attribute in prepared.get_attributes()]
            if not preview.columns or first_words(text).startswith("CALL"):
                for row in await prepared.fetch(*arguments):
                    preview.add(row)
                preview.rows_affected = _affected(prepared.get_statusmsg())
            elif self._connection.is_in_transaction():
                await self._read(text, prepared, arguments, preview)
            else:  # a cursor lives in a transaction alone
                async with self._connection.transaction():
                    await self._read(text, prepared, arguments, preview)
        return [preview]

    async def _read(self, text: str, prepared: Any, arguments: Sequence[Any], preview: RowPreview) -> None:
        """Bring rows a few at a time, and no more than are kept; of a change, count the rest."""
        cursor = await prepared.cursor(*arguments)
        is_last = False
        while not is_last:
            rows = await cursor.fetch(CHUNK)
            is_last = len(rows) < CHUNK
            for row in rows:
                preview.add(row)
            if preview.is_full and only_reads(text):
                return
        preview.rows_affected = preview.seen

    def is_in_transaction(self) -> bool:
        return not self._connection.is_closed() and bool(self._connection.is_in_transaction())

    async def commit(self) -> None:
        await self._do("COMMIT")

    async def rollback(self) -> None:
        await self._do("ROLLBACK")

    async def stop(self, work: "asyncio.Task[Any]") -> None:
        # asyncpg sends a cancel request for a statement that nobody waits for, and whatever comes next waits for it.
        self._notice = None
        work.cancel()
        await asyncio.wait({work})
        with suppress(StatementRefused):
            await self._do("ROLLBACK")

    async def check(self) -> None:
        await self._do("SELECT 1")

    async def reset(self) -> None:
        self._notice = None
        await self._do("DISCARD ALL")

    def cut(self) -> None:
        self._connection.terminate()

    async def close(self) -> None:
        with suppress(asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
            await self._connection.close()

    async def _do(self, text: str) -> None:
        with _told():
            await self._connection.execute(text)

    async def _value(self, text: str, *arguments: Any) -> Any:
        with _told():
            return await self._connection.fetchval(text, *arguments)

    def _heard(self, _connection: Any, message: Any) -> None:
        if self._notice is not None:
            self._notice(str(message.severity_en or message.severity), str(message.message))


class _told:  # noqa: N801  read as a verb: with _told()
    """What asyncpg raises, as this package's own errors."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, asyncpg.PostgresError):
            state = error.sqlstate or ""
            if state.startswith(_LOST_STATES) and state != _TIMEOUT:
                raise ConnectionLost(_words(error)) from None
            raise StatementRefused(_words(error), state, is_timeout=state == _TIMEOUT) from None
        if isinstance(error, asyncpg.DataError | ValueError | TypeError | OverflowError):
            raise StatementRefused(_words(error), "22000") from None
        if isinstance(error, asyncpg.InterfaceError | OSError):
            raise ConnectionLost(_words(error)) from None


def _words(error: BaseException) -> str:
    """The first line: what follows may quote data."""
    text = str(getattr(error, "message", None) or error) or type(error).__name__
    return text.partition("\n")[0].rstrip(".")


def _fitting(kind: str, value: Any) -> Any:
    """A value of JSON as asyncpg wants it for a parameter of this type."""
    if value is None or isinstance(value, list):
        return value
    if kind in ("int2", "int4", "int8", "oid"):
        return int(value) if isinstance(value, str) else value
    if kind in ("float4", "float8"):
        return float(value)
    if kind == "bool" or kind == "bytea":
        return value.encode() if isinstance(value, str) and kind == "bytea" else value
    return _text(value)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return msgspec.json.encode(value).decode() if isinstance(value, dict | list) else str(value)


def _stamp(text: str) -> str:
    """`2026-01-31 12:00:00+00` in ISO 8601."""
    shown = text.replace(" ", "T", 1)
    has_short_offset = len(shown) > 3 and shown[-3] in "+-" and "T" in shown
    return f"{shown}:00" if has_short_offset else shown


def _affected(status: str) -> int | None:
    """`DELETE 12` → 12; None of a statement that counts nothing."""
    number = status.rpartition(" ")[2]
    return int(number) if number.isdigit() else None


_decoders: Final[Mapping[str, Callable[[str], Any]]] = {"json": msgspec.json.decode, "jsonb": msgspec.json.decode}
