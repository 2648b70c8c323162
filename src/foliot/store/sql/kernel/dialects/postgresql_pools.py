"""Pools of connections to PostgreSQL, with the time limits of R11: to the host that takes writes, or to a replica."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from foliot.store.sql.kernel.connect import OF_DUTIES, BadStoreUrl, Opening, on_engines
from foliot.store.sql.kernel.database import Database, Pool
from foliot.store.sql.kernel.dialects.postgresql import PostgreSQL, is_refusal, quoted_name, timeline
from foliot.store.sql.kernel.hosts import Host, Hosts
from foliot.store.sql.kernel.server_url import ServerUrl, read_server_url

PORT: Final = 5432
NAME_BYTES_MAX: Final = 63  # PostgreSQL cuts longer names off without a word
OPTIONS: Final[Mapping[str, Sequence[str]]] = {
    "sslmode": ("disable", "allow", "prefer", "require", "verify-ca", "verify-full"),
    "target_session_attrs": ("any", "read-write", "read-only", "primary", "standby", "prefer-standby"),
    "connect_timeout": (),
    "schema": (),
}


def open_postgresql(url: str, how: Opening) -> Database:
    """`postgresql://USER:PASSWORD@HOST:PORT,HOST:PORT/DB?sslmode=…&schema=…`"""
    target = read_postgresql_url(url)  # a mistake in it is told before anything is tried
    engines = {pool: _engine(url, pool, size, how) for pool, size in how.pool_sizes.items()}
    dialect = how.dialect or PostgreSQL(target.options.get("schema"))
    return on_engines(engines, dialect, how)


def read_postgresql_url(url: str) -> ServerUrl:
    """Where a URL of PostgreSQL leads."""
    target = read_server_url(url, port=PORT, known=OPTIONS)
    schema = target.options.get("schema")
    if schema is not None and not 0 < len(schema.encode()) <= NAME_BYTES_MAX:
        raise BadStoreUrl(url, f"a schema has a name of 1 to {NAME_BYTES_MAX} bytes")
    return target


def _engine(url: str, pool: Pool, size: int, how: Opening) -> AsyncEngine:
    """One bounded pool with the time limits of R11."""
    limits = how.limits
    connect = connect_to_replica if how.reads_only else connect_postgresql
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
        # Duties ask the same few questions again and again, each by its index. PostgreSQL would plan the longest of
        # them anew each time, which takes longer than the answer.
        "plan_cache_mode": "force_generic_plan" if pool in OF_DUTIES else "auto",
        "tcp_keepalives_idle": "5",
        "tcp_keepalives_interval": "2",
        "tcp_keepalives_count": "3",
        "tcp_user_timeout": "10000",
    }

    return create_async_engine(
        "postgresql+asyncpg://",
        async_creator=lambda: connect(url, settings, within_s=limits.connect_s),
        pool_size=size,
        max_overflow=0,
        pool_timeout=limits.acquire_s,
        pool_use_lifo=True,
    )


async def connect_postgresql(url: str, settings: Mapping[str, str], *, within_s: float) -> Any:
    """A bare connection to the host that takes writes; if several think they do, to the one promoted last."""
    return await _hosts(url, settings, within_s=within_s, wanted="read-write").highest(timeline)


async def connect_to_replica(url: str, settings: Mapping[str, str], *, within_s: float) -> Any:
    """A bare connection to the first host that answers, replica or not. It writes nothing."""
    settings = {**settings, "default_transaction_read_only": "on"}
    return await _hosts(url, settings, within_s=within_s, wanted="any").first()


def _hosts(url: str, settings: Mapping[str, str], *, within_s: float, wanted: str) -> Hosts:
    """The hosts of a URL. `wanted`: which of them to use, unless the URL says it."""
    import asyncpg

    from foliot.store.sql.kernel.dialects.postgresql_connection import Uncancelled

    target = read_postgresql_url(url)

    async def connect(at: Host) -> Any:
        host, port = at
        return await asyncpg.connect(
            host=host,
            port=port,
            user=target.user or None,
            password=target.password or None,
            database=target.database or None,
            ssl=target.options.get("sslmode"),
            target_session_attrs=target.options.get("target_session_attrs", wanted),
            timeout=target.connect_s(within_s),
            server_settings={**settings, **_search_path(target)},
            connection_class=Uncancelled,
        )

    # One by one: given all of them, the driver has one time limit for all, and a silent host spends it alone.
    return Hosts(target.hosts, connect, discard=lambda late: late.terminate(), is_final=is_refusal)


def _search_path(target: ServerUrl) -> Mapping[str, str]:
    """Where tables are made and looked for: in the schema that the URL names, and nowhere else."""
    schema = target.options.get("schema")
    return {} if schema is None else {"search_path": quoted_name(schema)}


def _milliseconds(seconds: float) -> str:
    return f"{round(seconds * 1000)}ms"
