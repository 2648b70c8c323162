"""From a URL as people write it to a `Database`: drivers, pools, time limits, session settings (R3, R11)."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from foliot.domain.errors import InvalidInput
from foliot.domain.instants import Instant, to_instant
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.store.sql.database import Database, GreenletRunner, Pool, ThreadRunner
from foliot.store.sql.dialects.postgresql import PostgreSQL
from foliot.store.sql.dialects.sqlite import SQLite

POOL_SIZES: Final[Mapping[Pool, int]] = {Pool.RENEW: 1, Pool.CONTROL: 4, Pool.API: 5}
_ACQUIRE_WITHIN_S: Final = 2.0


class BadStoreUrl(InvalidInput):
    """A store URL that cannot be used."""

    code = "FOL-1020"

    def __init__(self, url: str, why: str) -> None:
        shown = redacted(url)
        super().__init__(
            f'"{shown}" is not a store Foliot can use: {why}.',
            hint="sqlite:///FILE or postgresql://USER@HOST/DB",
            url=shown,
        )


def redacted(url: str) -> str:
    """The URL without its password."""
    head, at, tail = url.rpartition("@")
    scheme, slashes, user = head.partition("://")
    return f"{scheme}{slashes}{user.partition(':')[0]}{at}{tail}" if at else url


def open_database(
    url: str,
    *,
    clock: Clock,
    chance: Chance,
    wall: Callable[[], Instant] | None = None,
    pool_sizes: Mapping[Pool, int] = POOL_SIZES,
    point: Callable[[str], None] | None = None,
) -> Database:
    """Open the database behind a URL. Nothing is connected yet.

    `wall` is store time on SQLite (the host's clock unless a test drives it); the others have their own.
    """
    scheme = url.partition("://")[0].partition("+")[0].lower()
    match scheme:
        case "sqlite":
            return _open_sqlite(url, clock, chance, wall or (lambda: to_instant(clock.now())), point)
        case "postgresql" | "postgres":
            engines = {pool: _postgresql_engine(url, pool, size) for pool, size in pool_sizes.items()}
            dialect = PostgreSQL()
            return Database(
                dialect=dialect, runner=GreenletRunner(engines, dialect, point=point), clock=clock, chance=chance
            )
        case _:
            raise BadStoreUrl(url, f'"{scheme}" is not a known kind of store')


def _open_sqlite(
    url: str, clock: Clock, chance: Chance, wall: Callable[[], Instant], point: Callable[[str], None] | None
) -> Database:
    path = url.partition("://")[2].removeprefix("/")
    if not path or path == ":memory:":
        raise BadStoreUrl(url, "a file is needed")
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    writer = _sqlite_engine(path, wall, begin="BEGIN IMMEDIATE")
    reader = _sqlite_engine(path, wall, begin="BEGIN")
    dialect = SQLite()
    return Database(
        dialect=dialect, runner=ThreadRunner(writer, reader, dialect, point=point), clock=clock, chance=chance
    )


def _sqlite_engine(path: str, wall: Callable[[], Instant], *, begin: str) -> sa.Engine:
    engine = sa.create_engine(
        sa.URL.create("sqlite+pysqlite", database=path),
        poolclass=sa.pool.StaticPool,
        connect_args={"check_same_thread": False, "timeout": 1.0},
    )

    began_at: list[Instant] = [0]  # one store time per transaction: a fresh one per row would split a batch

    @sa.event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves
        connection.create_function("foliot_now", 0, lambda: began_at[0])
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "temp_store = MEMORY"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def start(connection: sa.Connection) -> None:
        connection.exec_driver_sql(begin)
        began_at[0] = wall()  # after the lock is ours, so that a long wait does not age it

    return engine


def _postgresql_engine(url: str, pool: Pool, size: int) -> AsyncEngine:
    """One bounded pool with the time limits of R11; several hosts are tried in turn, a writable one is taken."""
    parts = urlsplit(url.replace("postgres://", "postgresql://", 1))
    hosts = [_host_and_port(host) for host in parts.netloc.rpartition("@")[2].split(",")]
    options = dict(parse_qsl(parts.query))
    idle_limit = "1s" if pool is Pool.CONTROL else "10s"
    settings = {
        "application_name": f"foliot {pool}",
        "statement_timeout": "5s",
        "lock_timeout": "1s",
        "idle_in_transaction_session_timeout": idle_limit,
        "default_transaction_isolation": "read committed",
        "timezone": "UTC",
        "jit": "off",
        "tcp_keepalives_idle": "5",
        "tcp_keepalives_interval": "2",
        "tcp_keepalives_count": "3",
        "tcp_user_timeout": "10000",
    }

    async def connect() -> Any:
        import asyncpg

        user, _, password = parts.netloc.rpartition("@")[0].partition(":")
        return await asyncpg.connect(
            host=[host for host, _ in hosts],
            port=[port for _, port in hosts],
            user=unquote(user) or None,
            password=unquote(password) or None,
            database=unquote(parts.path.removeprefix("/")) or None,
            ssl=options.get("sslmode"),
            target_session_attrs=options.get("target_session_attrs", "read-write"),
            timeout=float(options.get("connect_timeout", "3")),
            server_settings=settings,
        )

    return create_async_engine(
        "postgresql+asyncpg://",
        async_creator=connect,
        pool_size=size,
        max_overflow=0,
        pool_timeout=_ACQUIRE_WITHIN_S,
        pool_use_lifo=True,
    )


def _host_and_port(written: str) -> tuple[str, int]:
    host, _, port = written.rpartition(":") if ":" in written.rpartition("]")[2] else (written, "", "")
    return (host or written).strip("[]"), int(port or 5432)
