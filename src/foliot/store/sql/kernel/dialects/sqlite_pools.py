"""A SQLite file opened as a `Database`: one connection that writes and two that read."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import sqlalchemy as sa

from foliot.domain.instants import Instant, to_instant
from foliot.ports.store.errors import StoreUnavailable
from foliot.store.sql.kernel.connect import BadStoreUrl, Opening
from foliot.store.sql.kernel.database import Database, ThreadRunner
from foliot.store.sql.kernel.dialects.sqlite import SQLite


def open_sqlite(url: str, how: Opening) -> Database:
    """`sqlite:///FILE`. The file is made if there is none, unless `how` says otherwise."""
    path = _path(url, create=how.create)
    opening = how.chance.token()[:8]
    writer = _engine(path, how, opening, begin="BEGIN IMMEDIATE")
    reader = _engine(path, how, opening, begin="BEGIN")
    people = _engine(path, how, opening, begin="BEGIN")
    dialect = how.dialect or SQLite()
    runner = ThreadRunner(writer, reader, people, dialect, point=how.point)
    return Database(dialect=dialect, runner=runner, clock=how.clock, chance=how.chance)


def _path(url: str, *, create: bool) -> Path:
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


def _engine(path: Path, how: Opening, opening: str, *, begin: str) -> sa.Engine:
    engine = sa.create_engine(
        sa.URL.create("sqlite+pysqlite", database=str(path)),
        poolclass=sa.pool.StaticPool,
        connect_args={"check_same_thread": False, "timeout": how.limits.lock_s},
    )

    began_at: list[Instant] = [0]  # one store time per transaction: a fresh one per row would split a batch

    def wall() -> Instant:
        return how.wall() if how.wall is not None else to_instant(how.clock.now())

    @sa.event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves
        connection.create_function("foliot_now", 0, lambda: began_at[0], deterministic=True)
        connection.create_function("foliot_fingerprint", 0, lambda: _fingerprint(path, opening))
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "temp_store = MEMORY"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def start(connection: sa.Connection) -> None:
        connection.exec_driver_sql(begin)
        began_at[0] = wall()  # after the lock is ours, so that a long wait does not age it

    return engine


def _fingerprint(path: Path, opening: str) -> str:
    """The file, the machine's start, and the opening: on SQLite the process that opens the file is the server."""
    found = path.stat()
    boot = Path("/proc/sys/kernel/random/boot_id")
    booted = boot.read_text("ascii").strip() if boot.exists() else ""
    return f"sqlite/{found.st_dev}:{found.st_ino}/{booted}/{opening}"
