"""Private, durable database servers, each with two empty databases; PostgreSQL counts its statements."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import asyncpg

from tests.servers.mariadb import MariaDB
from tests.servers.postgres import Postgres
from tests.servers.sql import apart

KINDS: Final = ("postgresql", "mariadb", "sqlite")


@dataclass(frozen=True, kw_only=True)
class Private:
    """Where the databases are; none for SQLite, of which a benchmark makes its own."""

    url: str | None = None
    twin: str | None = None
    pid: int | None = None


class MeasuredPostgres(Postgres):
    """It counts statements, and does not checkpoint in the middle of a storm."""

    def _command(self) -> list[str]:
        settings = {"shared_preload_libraries": "pg_stat_statements", "max_wal_size": "4GB"}
        return [*super()._command(), *(word for name, value in settings.items() for word in ("-c", f"{name}={value}"))]

    def counted_database(self) -> str:
        url = self.database()
        apart(lambda: _count_in(url.replace("://foliot@", "://postgres@")))
        return url


async def _count_in(url: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("CREATE EXTENSION pg_stat_statements")
        await connection.execute("GRANT EXECUTE ON FUNCTION pg_stat_statements_reset TO foliot")
    finally:
        await connection.close()


@contextmanager
def private(kind: str) -> Iterator[Private]:
    """A server of this kind, as long as the block runs."""
    if kind == "sqlite":
        yield Private()
    elif kind == "mariadb":
        with MariaDB() as mariadb:
            yield Private(url=mariadb.database(), twin=mariadb.database(), pid=mariadb.pid)
    else:
        with MeasuredPostgres() as postgres:
            yield Private(url=postgres.counted_database(), twin=postgres.database(), pid=postgres.pid)
