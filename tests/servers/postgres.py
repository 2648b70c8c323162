"""PostgreSQL 15."""

import signal
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import asyncpg

from tests.servers.ports import HOST
from tests.servers.postgres_wipe import Wiper, wiper_of
from tests.servers.process import run_tool
from tests.servers.sql import SqlServer, apart

T = TypeVar("T")

BIN = Path("/usr/lib/postgresql/15/bin")  # where Debian keeps each major version
CONNECT_WITHIN_S = 30.0
THROW_OUT = """
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()
"""
"""End the connections to a database."""


class Postgres(SqlServer):
    """PostgreSQL 15 with UTF-8 databases, read committed, no TLS; trusts whoever comes from this machine."""

    program = BIN / "postgres"
    packages = ("postgresql-15",)
    user = "postgres"
    stop_signals: ClassVar = {"fast": signal.SIGINT, "smart": signal.SIGTERM, "immediate": signal.SIGQUIT}

    def url(self, name: str) -> str:
        return f"postgresql://foliot@{self._netloc}/{name}"

    @property
    def admin_url(self) -> str:
        return f"postgresql://postgres@{self._netloc}/postgres"

    def __init__(self, *, fast: bool = False, environment: Mapping[str, str] | None = None) -> None:
        super().__init__(fast=fast, environment=environment)
        self._wipers: dict[str, Wiper] = {}

    def _create(self) -> None:
        initdb = [str(BIN / "initdb"), "-D", "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "-N"]
        run_tool([*initdb, "--locale=C.UTF-8"], self.directory)

    def _command(self) -> list[str]:
        settings = {
            "listen_addresses": HOST,
            "unix_socket_directories": str(self.directory.path),
            "max_connections": "200",
            "shared_buffers": "256MB",
            "timezone": "UTC",
            "log_timezone": "UTC",
        }
        if self.fast:  # never synchronous_commit=off: a kill would lose acknowledged commits
            settings |= {"fsync": "off", "full_page_writes": "off", "max_wal_size": "2GB"}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return [str(self.program), "-D", "data", "-p", str(self.port), *options]

    def _is_ready(self) -> bool:
        try:
            place = self._admin(lambda connection: connection.fetchval("SHOW data_directory"))
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            return False
        return Path(place) == self.directory.path / "data"

    def _prepare(self) -> None:
        self._admin(lambda connection: connection.execute("CREATE ROLE foliot LOGIN"))

    def _create_database(self, name: str, template: str | None) -> None:
        source = f" TEMPLATE {template}" if template else ""
        self._admin(lambda connection: connection.execute(f"CREATE DATABASE {name} OWNER foliot{source}"))

    def _seal_template(self, name: str) -> None:
        async def seal(connection: Any) -> None:
            await connection.execute(
                f"ALTER DATABASE {name} ALLOW_CONNECTIONS false"
            )  # nobody may be in it when copied
            await connection.execute(THROW_OUT, name)

        self._admin(seal)

    def _drop_database(self, name: str) -> None:
        self._admin(lambda connection: connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"))

    def _learn_database(self, name: str, template: str) -> None:
        self._wipers[name] = self._admin(wiper_of, database=name)

    def _wipe_database(self, name: str) -> bool:
        async def wiped(connection: Any) -> bool:
            await connection.execute(THROW_OUT, name)
            return await self._wipers[name].wipe(connection)

        return self._admin(wiped, database=name)

    def _admin(self, act: Callable[[Any], Awaitable[T]], *, database: str = "postgres") -> T:
        async def connected() -> T:
            url = f"postgresql://postgres@{self._netloc}/{database}"
            connection = await asyncpg.connect(url, timeout=CONNECT_WITHIN_S, ssl=False)
            try:
                return await act(connection)
            finally:
                await connection.close(timeout=CONNECT_WITHIN_S)

        return apart(connected)
