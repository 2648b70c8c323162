"""Pools of connections to PostgreSQL, with the time limits of R11, to the host that takes writes."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from foliot.store.sql.kernel.connect import OF_DUTIES, Opening, TimeLimits
from foliot.store.sql.kernel.database import Database, GreenletRunner, Pool
from foliot.store.sql.kernel.dialects.postgresql import PostgreSQL, is_refusal, timeline
from foliot.store.sql.kernel.hosts import Host, Hosts, host_and_port


def open_postgresql(url: str, how: Opening) -> Database:
    """`postgresql://USER:PASSWORD@HOST:PORT,HOST:PORT/DB?sslmode=…`"""
    engines = {pool: _engine(url, pool, size, how.limits) for pool, size in how.pool_sizes.items()}
    dialect = how.dialect or PostgreSQL()
    runner = GreenletRunner(engines, dialect, limit_s=how.limits.transaction_s, point=how.point)
    return Database(dialect=dialect, runner=runner, clock=how.clock, chance=how.chance)


def _engine(url: str, pool: Pool, size: int, limits: TimeLimits) -> AsyncEngine:
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
    hosts = [host_and_port(host) for host in parts.netloc.rpartition("@")[2].split(",")]
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


def _milliseconds(seconds: float) -> str:
    return f"{round(seconds * 1000)}ms"
