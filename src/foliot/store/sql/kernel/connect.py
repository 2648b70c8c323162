"""From a URL as people write it to a `Database`: drivers, pools, time limits, session settings (R3, R11)."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from foliot.domain.errors import InvalidInput
from foliot.domain.instants import Instant, to_instant
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.store.errors import StoreUnavailable
from foliot.store.sql.kernel.database import Database, GreenletRunner, Pool, ThreadRunner
from foliot.store.sql.kernel.dialects import mariadb_connect
from foliot.store.sql.kernel.dialects.mariadb import UNUSABLE, MariaDB, number_of
from foliot.store.sql.kernel.dialects.postgresql import PostgreSQL, is_refusal, timeline
from foliot.store.sql.kernel.dialects.sqlite import SQLite
from foliot.store.sql.kernel.hosts import Host, Hosts

POOL_SIZES: Final[Mapping[Pool, int]] = {Pool.RENEW: 1, Pool.CONTROL: 4, Pool.ENDING: 3, Pool.API: 5}

OF_DUTIES: Final = (Pool.CONTROL, Pool.ENDING)
"""Whose locks others wait for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLimits:
    """What a transaction may take before somebody ends it (R11). 0: no limit of the database's."""

    acquire_s: float = 2.0
    statement_s: float = 5.0
    lock_s: float = 1.0
    idle_control_s: float = 1.0  # in a transaction of a duty: its row locks delay others
    idle_s: float = 10.0
    transaction_s: float = 5.0  # by the node's clock; then the connection is ended and the outcome is unknown
    connect_s: float = 3.0


DEFAULT_LIMITS: Final = TimeLimits()
PATIENT: Final = TimeLimits(statement_s=0, lock_s=60, idle_control_s=0, idle_s=0, transaction_s=3600)
"""For schema upgrades: a table may take long to change, and is changed once."""


class BadStoreUrl(InvalidInput):
    """A store URL that cannot be used."""

    code = "FOL-1020"

    def __init__(self, url: str, why: str) -> None:
        shown = redacted(url)
        super().__init__(
            f'"{shown}" is not a store Foliot can use: {why}.',
            hint="sqlite:///FILE, postgresql://USER@HOST/DB or mariadb://USER@HOST/DB",
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
    limits: TimeLimits = DEFAULT_LIMITS,
    create: bool = True,
    postgresql: PostgreSQL | None = None,
    mariadb: MariaDB | None = None,
    point: Callable[[str], None] | None = None,
) -> Database:
    """Open the database behind a URL. Nothing is connected yet.

    `wall` is store time on SQLite (the host's clock unless a test drives it); the others have their own. `create`: make
    SQLite's file if there is none. `postgresql`, `mariadb`: a variant of its dialect.
    """
    scheme = url.partition("://")[0].partition("+")[0].lower()
    match scheme:
        case "sqlite":
            path = _sqlite_path(url, create=create)
            return _open_sqlite(path, clock, chance, wall or (lambda: to_instant(clock.now())), limits, point)
        case "postgresql" | "postgres":
            engines = {pool: _postgresql_engine(url, pool, size, limits) for pool, size in pool_sizes.items()}
            dialect = postgresql or PostgreSQL()
            runner = GreenletRunner(engines, dialect, limit_s=limits.transaction_s, point=point)
            return Database(dialect=dialect, runner=runner, clock=clock, chance=chance)
        case "mysql" | "mariadb":
            engines = {pool: _mariadb_engine(url, pool, size, limits) for pool, size in pool_sizes.items()}
            spoken = mariadb or MariaDB()
            runner = GreenletRunner(engines, spoken, limit_s=limits.transaction_s, point=point)
            return Database(dialect=spoken, runner=runner, clock=clock, chance=chance)
        case _:
            raise BadStoreUrl(url, f'"{scheme}" is not a known kind of store')


def _sqlite_path(url: str, *, create: bool) -> Path:
    written = url.partition("://")[2].removeprefix("/").partition("?")[0]
    if not written or written == ":memory:":
        raise BadStoreUrl(url, "a file is needed")
    path = Path(unquote(written))
    if not create and not path.exists():
        raise StoreUnavailable(f"There is no store at {path}.", hint="foliot db upgrade makes one", path=str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):  # it is there already, or SQLite says what is wrong
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))  # not for every reader
    return path


def _open_sqlite(
    path: Path,
    clock: Clock,
    chance: Chance,
    wall: Callable[[], Instant],
    limits: TimeLimits,
    point: Callable[[str], None] | None,
) -> Database:
    opening = chance.token()[:8]
    writer = _sqlite_engine(path, wall, limits, opening, begin="BEGIN IMMEDIATE")
    reader, people = (_sqlite_engine(path, wall, limits, opening, begin="BEGIN") for _ in range(2))
    dialect = SQLite()
    runner = ThreadRunner(writer, reader, people, dialect, point=point)
    return Database(dialect=dialect, runner=runner, clock=clock, chance=chance)


def _sqlite_engine(
    path: Path, wall: Callable[[], Instant], limits: TimeLimits, opening: str, *, begin: str
) -> sa.Engine:
    engine = sa.create_engine(
        sa.URL.create("sqlite+pysqlite", database=str(path)),
        poolclass=sa.pool.StaticPool,
        connect_args={"check_same_thread": False, "timeout": limits.lock_s},
    )

    began_at: list[Instant] = [0]  # one store time per transaction: a fresh one per row would split a batch

    @sa.event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves
        connection.create_function("foliot_now", 0, lambda: began_at[0], deterministic=True)
        connection.create_function("foliot_fingerprint", 0, lambda: _sqlite_fingerprint(path, opening))
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "temp_store = MEMORY"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def start(connection: sa.Connection) -> None:
        connection.exec_driver_sql(begin)
        began_at[0] = wall()  # after the lock is ours, so that a long wait does not age it

    return engine


def _sqlite_fingerprint(path: Path, opening: str) -> str:
    """The file, the machine's start, and the opening: on SQLite the process that opens the file is the server."""
    found = path.stat()
    boot = Path("/proc/sys/kernel/random/boot_id")
    booted = boot.read_text("ascii").strip() if boot.exists() else ""
    return f"sqlite/{found.st_dev}:{found.st_ino}/{booted}/{opening}"


def _postgresql_engine(url: str, pool: Pool, size: int, limits: TimeLimits) -> AsyncEngine:
    """One bounded pool with the time limits of R11."""
    idle_s = limits.idle_control_s if pool in OF_DUTIES else limits.idle_s
    settings = {
        "application_name": f"foliot {pool}",
        "statement_timeout": _milliseconds(limits.statement_s),
        "lock_timeout": _milliseconds(limits.lock_s),
        "idle_in_transaction_session_timeout": _milliseconds(idle_s),
        "default_transaction_isolation": "read committed",
        "timezone": "UTC",
        "jit": "off",
        # A plan made while a table was empty is kept while the table fills; and what is asked for in the order of an
        # index is wanted from its beginning, not all of it, sorted.
        "enable_seqscan": "off",
        "enable_bitmapscan": "off",
        "tcp_keepalives_idle": "5",
        "tcp_keepalives_interval": "2",
        "tcp_keepalives_count": "3",
        "tcp_user_timeout": "10000",
    }

    return create_async_engine(
        "postgresql+asyncpg://",
        async_creator=lambda: connect_postgresql(url, settings, within_s=limits.connect_s),
        pool_size=size,
        max_overflow=0,
        pool_timeout=limits.acquire_s,
        pool_use_lifo=True,
    )


async def connect_postgresql(url: str, settings: Mapping[str, str], *, within_s: float) -> Any:
    """A bare connection to the host that takes writes; if several think they do, to the one promoted last."""
    import asyncpg

    from foliot.store.sql.kernel.dialects.postgresql_connection import Uncancelled

    parts = urlsplit(url.replace("postgres://", "postgresql://", 1))
    hosts = [_host_and_port(host) for host in parts.netloc.rpartition("@")[2].split(",")]
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    options = dict(parse_qsl(parts.query))

    async def connect(at: Host) -> Any:
        host, port = at
        return await asyncpg.connect(
            host=host,
            port=port,
            user=unquote(user) or None,
            password=unquote(password) or None,
            database=unquote(parts.path.removeprefix("/")) or None,
            ssl=options.get("sslmode"),
            target_session_attrs=options.get("target_session_attrs", "read-write"),
            timeout=float(options.get("connect_timeout", within_s)),
            server_settings=dict(settings),
            connection_class=Uncancelled,
        )

    # One by one: given all of them, the driver has one time limit for all, and a silent host spends it alone.
    return await Hosts(hosts, connect, discard=lambda late: late.terminate(), is_final=is_refusal).highest(timeline)


def mariadb_target(url: str, *, connect_s: float) -> mariadb_connect.Target:
    """Where `mariadb://USER:PASSWORD@HOST:PORT,HOST:PORT/DB?sslmode=…` leads."""
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    return mariadb_connect.Target(
        hosts=[_host_and_port(host, mariadb_connect.PORT) for host in parts.netloc.rpartition("@")[2].split(",")],
        user=unquote(user),
        password=unquote(password),
        database=unquote(parts.path.removeprefix("/")),
        connect_s=float(options.get("connect_timeout", connect_s)),
        tls=options.get("sslmode", ""),
    )


def _mariadb_engine(url: str, pool: Pool, size: int, limits: TimeLimits) -> AsyncEngine:
    """One bounded pool; the first of the hosts that takes writes is used, so all share a writer."""
    target = mariadb_target(url, connect_s=limits.connect_s)
    session = mariadb_connect.SessionLimits(
        statement_s=limits.statement_s,
        lock_s=limits.lock_s,
        idle_s=limits.idle_control_s if pool in OF_DUTIES else limits.idle_s,
    )

    async def connect() -> Any:
        return await mariadb_connect.connect(target, session)

    engine = create_async_engine(
        "mysql+asyncmy://",
        async_creator=connect,
        pool_size=size,
        max_overflow=0,
        pool_timeout=limits.acquire_s,
        pool_use_lifo=True,
        pool_reset_on_return=None,  # every transaction is ended by name; a ROLLBACK more would cost a round trip
    )

    @sa.event.listens_for(engine.sync_engine, "handle_error")
    def judge(context: sa.engine.ExceptionContext) -> None:
        if number_of(context.original_exception) in UNUSABLE:
            context.is_disconnect = True

    return engine


def _milliseconds(seconds: float) -> str:
    return f"{round(seconds * 1000)}ms"


def _host_and_port(written: str, usual: int = 5432) -> tuple[str, int]:
    host, _, port = written.rpartition(":") if ":" in written.rpartition("]")[2] else (written, "", "")
    return (host or written).strip("[]"), int(port or usual)
