"""Pools of connections to MariaDB and MySQL, with the time limits of R11."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from foliot.store.sql.kernel.connect import OF_DUTIES, Opening, on_engines
from foliot.store.sql.kernel.database import Database, Pool
from foliot.store.sql.kernel.dialects import mariadb_connect
from foliot.store.sql.kernel.dialects.mariadb import UNUSABLE, MariaDB, number_of
from foliot.store.sql.kernel.server_url import read_server_url

OPTIONS: Final[Mapping[str, Sequence[str]]] = {
    "sslmode": ("disable", "require", "verify-ca", "verify-full"),
    "connect_timeout": (),
}


def open_mariadb(url: str, how: Opening) -> Database:
    """`mariadb://USER:PASSWORD@HOST:PORT,HOST:PORT/DB?sslmode=…`"""
    engines = {pool: _engine(url, pool, size, how) for pool, size in how.pool_sizes.items()}
    return on_engines(engines, how.dialect or MariaDB(), how)


def mariadb_target(url: str, *, connect_s: float) -> mariadb_connect.Target:
    """Where `mariadb://USER:PASSWORD@HOST:PORT,HOST:PORT/DB?sslmode=…` leads."""
    target = read_server_url(url, port=mariadb_connect.PORT, known=OPTIONS)
    return mariadb_connect.Target(
        hosts=target.hosts,
        user=target.user,
        password=target.password,
        database=target.database,
        connect_s=target.connect_s(connect_s),
        tls=target.options.get("sslmode", ""),
    )


def _engine(url: str, pool: Pool, size: int, how: Opening) -> AsyncEngine:
    """One bounded pool; the first of the hosts that takes writes is used, so all share a writer."""
    limits = how.limits
    target = mariadb_target(url, connect_s=limits.connect_s)
    session = mariadb_connect.SessionLimits(
        statement_s=limits.statement_s,
        lock_s=limits.lock_s,
        idle_s=limits.idle_control_s if pool in OF_DUTIES else limits.idle_s,
        reads_only=how.reads_only,
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
