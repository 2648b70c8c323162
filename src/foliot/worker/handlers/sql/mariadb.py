"""MariaDB and MySQL by asyncmy.

asyncmy has no way to bind values: a value is written as a number, or as the hexadecimal digits of its bytes, a form in
which no value can end the literal it stands in, whatever the SQL mode. A text holds one statement: the connection tells
the server to refuse several.
"""

import asyncio
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

import asyncmy
import msgspec
from asyncmy.constants.COMMAND import COM_SET_OPTION
from asyncmy.cursors import SSCursor
from asyncmy.errors import Error, MySQLError

from foliot.worker.handlers.sql.errors import BadSqlConnection, ConnectionLost, StatementRefused
from foliot.worker.handlers.sql.session import Manner, Notice
from foliot.worker.handlers.sql.settings import SqlTarget
from foliot.worker.handlers.sql.statement import WITH_BACKSLASHES, with_placeholders
from foliot.worker.handlers.sql.values import RowPreview

_MULTI_STATEMENTS_OFF: Final = b"\x01\x00"
_RESET_CONNECTION: Final = 0x1F  # asyncmy has no name for it
_WARNINGS_MAX: Final = 20  # of one statement, in the run's log
_LOST: Final = frozenset({0, 1053, 1077, 1079, 1152, 1153, 1158, 1159, 1160, 1161, 1927, 2006, 2013, 2014, 2055})
_TIMEOUTS: Final = frozenset({1317, 1969, 3024})  # interrupted by KILL, by MariaDB's limit, by MySQL's
_TLS: Final = ("", "disable", "require", "verify-ca", "verify-full")
_OWN_STORE: Final = (
    "SELECT count(*) FROM information_schema.tables WHERE table_schema = database() "
    "AND table_name IN ('store_meta', 'job_versions')"
)


async def connect(target: SqlTarget) -> "MariaDbSession":
    """A connection with nothing begun."""
    session = MariaDbSession(target, await _connected(target))
    try:
        await session.set_up()
    except BaseException:
        session.cut()
        raise
    return session


async def _connected(target: SqlTarget) -> Any:
    url = target.parts()
    tls = url.options.get("sslmode", "")
    if tls not in _TLS:
        raise BadSqlConnection(target.name, f"its sslmode is not one of {', '.join(_TLS[1:])}")
    try:
        async with asyncio.timeout(target.connect_s):
            return await asyncmy.connect(
                host=url.host or "localhost",
                port=url.port or 3306,
                user=url.user,
                password=url.password,
                database=url.database or None,
                charset="utf8mb4",
                ssl=_tls(tls),
                autocommit=True,
                connect_timeout=max(1, round(target.connect_s)),
            )
    except (MySQLError, OSError, RuntimeError, TimeoutError) as error:
        raise ConnectionLost(target.hidden(_words(error))) from None


class MariaDbSession:
    """`session.SqlSession` on MariaDB and MySQL."""

    def __init__(self, target: SqlTarget, connection: Any) -> None:
        self._target = target
        self._connection = connection
        self._is_mariadb = "MariaDB" in connection.get_server_info()
        self._is_in_answer = False
        self._notice: Notice | None = None
        self.limits_itself = self._is_mariadb  # MySQL limits reads alone

    async def set_up(self) -> None:
        """One statement a text: asyncmy asks for the contrary."""
        await self._command(COM_SET_OPTION, _MULTI_STATEMENTS_OFF)

    async def is_own_store(self) -> bool:
        """Whether this user can read a store of Foliot's here."""
        return bool(await self._value(_OWN_STORE) == len(("store_meta", "job_versions")))

    async def begin(self, manner: Manner, notice: Notice) -> None:
        self._notice = notice
        if self._is_mariadb:
            await self._do(f"SET SESSION max_statement_time = {manner.timeout_s:.3f}")
        else:
            await self._do(f"SET SESSION max_execution_time = {max(1, round(manner.timeout_s * 1000))}")
        if manner.isolation:
            await self._do(f"SET SESSION TRANSACTION ISOLATION LEVEL {manner.isolation.upper()}")
        if manner.read_only:
            await self._do("SET SESSION TRANSACTION READ ONLY")  # also of whatever followed this transaction
        if manner.is_transaction:
            await self._do("START TRANSACTION" + (" READ ONLY" if manner.read_only else ""))

    async def execute(self, text: str, values: Mapping[str, Any], fresh: Callable[[], RowPreview]) -> list[RowPreview]:
        written = with_placeholders(text, lambda name: literal(_value_of(values, name)), WITH_BACKSLASHES)
        found: list[RowPreview] = []
        self._is_in_answer = True
        with _told():
            cursor = self._connection.cursor(_Cursor)
            cursor.told = self._notice
            await cursor.execute(written)  # no second argument: it formats nothing
            while True:
                preview = fresh()
                await self._read(cursor, preview)
                # The last answer to CALL is no result of its own: it says that the procedure is over.
                if not found or preview.columns:
                    found.append(preview)
                if not await cursor.nextset():
                    break
        self._is_in_answer = False
        return found

    async def _read(self, cursor: Any, preview: RowPreview) -> None:
        if cursor.description is None:
            preview.rows_affected = cursor.rowcount
            return
        preview.columns = [column[0] for column in cursor.description]
        while (row := await cursor.fetchone()) is not None:  # the server sends every row, wanted or not
            preview.add(row)
        preview.rows_affected = preview.seen

    def is_in_transaction(self) -> bool:
        return bool(self._connection.get_transaction_status())

    async def commit(self) -> None:
        await self._do("COMMIT")

    async def rollback(self) -> None:
        await self._do("ROLLBACK")

    async def stop(self, work: "asyncio.Task[Any]") -> None:
        # Cancelled, asyncmy would close the connection, and the server would go on: it is told by another connection.
        await self._kill_query()
        await asyncio.wait({work})

    async def _kill_query(self) -> None:
        other = await _connected(self._target)
        try:
            async with other.cursor() as cursor:
                await cursor.execute(f"KILL QUERY {int(self._connection.thread_id())}")
        finally:
            other.close()

    async def check(self) -> None:
        await self._value("SELECT 1")

    async def reset(self) -> None:
        self._notice = None
        await self._command(_RESET_CONNECTION, b"")
        await self._do("SET NAMES utf8mb4")
        await self.set_up()

    def cut(self) -> None:
        self._connection.close()

    async def close(self) -> None:
        with suppress(MySQLError, OSError, RuntimeError):
            await self._connection.ensure_closed()

    async def _command(self, number: int, data: bytes) -> None:
        self._check_sound()
        with _told():
            await self._connection._execute_command(number, data)  # noqa: SLF001  there is nothing public for it
            await self._connection.read_packet()

    def _check_sound(self) -> None:
        """Asyncmy waits for ever for the rest of an answer that ended in an error."""
        if self._is_in_answer:
            raise ConnectionLost("its last answer was not whole")

    async def _do(self, text: str) -> None:
        self._check_sound()
        with _told():
            await self._connection.query(text)

    async def _value(self, text: str) -> Any:
        with _told():
            async with self._connection.cursor() as cursor:
                await cursor.execute(text)
                return (await cursor.fetchone())[0]


class _Cursor(SSCursor):
    """Brings rows as they come, and tells warnings to the run instead of to the worker's log."""

    told: Notice | None = None
    _result: Any

    async def _show_warnings(self, connection: Any) -> None:
        if self.told is not None and not (self._result and self._result.has_next):
            for level, _number, text in (await connection.show_warnings() or ())[:_WARNINGS_MAX]:
                self.told(str(level), str(text))


def literal(value: Any) -> str:
    """A value in the text of a statement: NULL, a number, or hexadecimal digits."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float | Decimal):
        return repr(value) if not isinstance(value, Decimal) else format(value, "f")
    if isinstance(value, datetime):
        value = f"{value:%Y-%m-%d %H:%M:%S}"  # UTC; MariaDB reads no offset
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return f"_utf8mb4 0x{text.encode().hex()}" if text else "''"


def _value_of(values: Mapping[str, Any], name: str) -> Any:
    if name not in values:
        raise StatementRefused(f"the run has no parameter {name}")
    return values[name]


class _told:  # noqa: N801  read as a verb: with _told()
    """What asyncmy raises, as this package's own errors."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, Error):
            number = error.args[0] if error.args and isinstance(error.args[0], int) else 0
            if number in _LOST:
                raise ConnectionLost(_words(error)) from None
            raise StatementRefused(_words(error), str(number), is_timeout=number in _TIMEOUTS) from None
        if isinstance(error, OSError | RuntimeError | asyncio.IncompleteReadError):
            raise ConnectionLost(_words(error)) from None


def _words(error: BaseException) -> str:
    said = error.args[1] if len(error.args) > 1 else str(error)
    return str(said or type(error).__name__).partition("\n")[0].rstrip(".")


def _tls(mode: str) -> ssl.SSLContext | None:
    if mode in ("", "disable"):
        return None
    context = ssl.create_default_context()
    context.check_hostname = mode == "verify-full"
    if mode == "require":
        context.verify_mode = ssl.CERT_NONE
    return context
