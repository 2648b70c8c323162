"""Connections of a worker: `[handlers.sql.connections.NAME]`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from foliot.domain.errors import BadDuration
from foliot.domain.instants import SECOND, parse_duration
from foliot.domain.payload import RESULT_BYTES_MAX
from foliot.worker.handlers.sql.errors import BadSqlConnection, SqlDriverMissing

ROWS_MAX: Final = 1000
BYTES_MAX: Final = RESULT_BYTES_MAX // 2
KEPT: Final = 1000  # durations that were read before: each run asks for some

FAMILIES: Final[Mapping[str, str]] = {
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "mysql": "mariadb",
    "mariadb": "mariadb",
    "sqlite": "sqlite",
}
"""Scheme of a URL → the databases that this package speaks to itself; for every other, SQLAlchemy does."""

_NEEDS: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    "postgresql": (("asyncpg",), "foliot[postgres]"),
    "mariadb": (("asyncmy", "cryptography"), "foliot[mysql]"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlConnection:
    """One database and what jobs may do there. The user it names should have the rights that the jobs need, no more."""

    url: str = field(default="", repr=False)
    url_file: str = ""
    password: str = field(default="", repr=False)
    password_file: str = ""
    read_only: bool = False
    namespaces: tuple[str, ...] = ()  # whose jobs may use it; none named: all
    timeout: str = "10m"  # of a statement that does not say
    timeout_max: str = "1h"  # of any
    connect_timeout: str = "5s"
    pool_size: int = 4
    idle: str = "5m"  # a connection that nobody used for so long is closed
    rows_max: int = ROWS_MAX
    bytes_max: int = BYTES_MAX


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlSettings:
    """What a worker is told of the kind."""

    connections: Mapping[str, SqlConnection] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlTarget:
    """A connection whose secrets are filled in: it lives in the worker's memory alone."""

    name: str
    url: str = field(repr=False)
    password: str = field(repr=False)
    connect_s: float = 5.0
    read_only: bool = False

    @property
    def family(self) -> str:
        return family_of(self.url)

    def parts(self) -> "UrlParts":
        """The URL taken apart; a password of its own file wins."""
        try:
            parts = read_url(self.url)
        except ValueError:
            raise BadSqlConnection(self.name, "its URL cannot be read") from None  # the cause shows the URL
        return replace(parts, password=self.password) if self.password else parts

    def hidden(self, text: str) -> str:
        """The text without the URL and without its password, as it is written or as it is meant."""
        access = self.url.partition("://")[2].rpartition("@")[0]
        written = access.partition(":")[2]
        for secret in (self.url, self.password, written, unquote(written)):
            text = text.replace(secret, "***") if secret else text
        return text


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlParts:
    """`SCHEME://USER:PASSWORD@HOST:PORT/DATABASE?OPTION=VALUE`."""

    user: str
    password: str = field(repr=False)
    host: str
    port: int | None
    database: str
    options: Mapping[str, str]


def read_url(url: str) -> UrlParts:
    """A URL taken apart, or `ValueError`. A password may hold what a URL should not."""
    access, _, place = url.partition("://")[2].rpartition("@")
    user, _, password = access.partition(":")
    parts = urlsplit(f"//{place}")
    return UrlParts(
        user=unquote(user),
        password=unquote(password),
        host=parts.hostname or "",
        port=parts.port,
        database=unquote(parts.path.removeprefix("/")),
        options=dict(parse_qsl(parts.query)),
    )


def family_of(url: str) -> str:
    """`postgresql`, `mariadb`, `sqlite`, or "" for whatever SQLAlchemy knows beside them."""
    return FAMILIES.get(url.partition("://")[0].partition("+")[0].lower(), "")


def check_connection(name: str, connection: SqlConnection) -> None:
    """Refuse what could never work. Nothing is connected: a database may be away when its worker starts."""
    if bool(connection.url) == bool(connection.url_file):
        raise BadSqlConnection(name, "exactly one of url and url_file is needed")
    if connection.password and connection.password_file:
        raise BadSqlConnection(name, "it has both password and password_file")
    if connection.pool_size < 1 or connection.rows_max < 0 or connection.bytes_max < 0:
        raise BadSqlConnection(name, "pool_size, rows_max or bytes_max is too small")
    for written in (connection.timeout, connection.timeout_max, connection.connect_timeout, connection.idle):
        seconds(name, written)
    if connection.url and "${" not in connection.url.partition("://")[0]:
        _check_url(name, connection.url)


@lru_cache(KEPT)
def seconds(name: str, written: str) -> float:
    """A duration of the settings."""
    try:
        found = parse_duration(written) / SECOND
    except BadDuration as error:
        raise BadSqlConnection(name, error.sentence.rstrip(".")) from None
    if found <= 0:
        raise BadSqlConnection(name, f"{written} is not longer than nothing")
    return found


def written_url(name: str, connection: SqlConnection) -> tuple[str, str]:
    """URL and password as they are written, in the settings or in files of their own. Blocks."""
    return (
        connection.url or _read(name, connection.url_file),
        _read(name, connection.password_file) if connection.password_file else connection.password,
    )


def _read(name: str, file: str) -> str:
    try:
        return Path(file).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadSqlConnection(name, f"{file} cannot be read ({type(error).__name__})") from None


def _check_url(name: str, url: str) -> None:
    scheme, mark, _ = url.partition("://")
    if not mark:
        raise BadSqlConnection(name, "its URL has no scheme")
    family = family_of(url)
    modules, package = _NEEDS.get(family, ((), ""))
    for module in modules:
        if find_spec(module) is None:
            raise SqlDriverMissing(name, module, package)
    if not family:
        _check_dialect(name, scheme)


def _check_dialect(name: str, scheme: str) -> None:
    """Whether SQLAlchemy knows the kind of database, and its driver is installed."""
    import sqlalchemy as sa  # slow to import, and seldom needed here

    try:
        dialect: Any = sa.make_url(f"{scheme}://").get_dialect()
        dialect.import_dbapi()
    except sa.exc.NoSuchModuleError:
        raise BadSqlConnection(name, f'SQLAlchemy knows no database "{scheme}"') from None
    except ImportError as error:
        raise SqlDriverMissing(name, error.name or scheme, error.name or scheme) from None
