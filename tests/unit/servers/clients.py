"""Real clients, one interface: what the tests of the servers say to PostgreSQL and MariaDB."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol
from urllib.parse import urlsplit

import asyncmy
import asyncmy.errors
import asyncpg


class Client(Protocol):
    """One connection."""

    async def run(self, statement: str) -> None: ...

    async def value(self, query: str) -> Any: ...


LOST = (OSError, asyncpg.PostgresConnectionError, asyncpg.InterfaceError, asyncmy.errors.OperationalError)
"""What the drivers raise when their connection is gone."""


@asynccontextmanager
async def postgres_client(url: str) -> AsyncIterator[Client]:
    """Speak through asyncpg."""
    connection = await asyncpg.connect(url, ssl=False)
    try:
        yield PostgresClient(connection)
    finally:
        connection.terminate()


@asynccontextmanager
async def mariadb_client(url: str) -> AsyncIterator[Client]:
    """Speak through asyncmy."""
    parts = urlsplit(url)
    connection = await asyncmy.connect(
        host=parts.hostname,
        port=parts.port,
        user=parts.username,
        password=parts.password or "",
        db=parts.path[1:],
        autocommit=True,
    )
    try:
        yield MariaDBClient(connection)
    finally:
        connection.close()


def client_for(url: str) -> AbstractAsyncContextManager[Client]:
    """Connect with the driver the URL asks for."""
    return {"postgresql": postgres_client, "mysql": mariadb_client}[urlsplit(url).scheme](url)


class PostgresClient:
    """A connection of asyncpg."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def run(self, statement: str) -> None:
        await self._connection.execute(statement)

    async def value(self, query: str) -> Any:
        return await self._connection.fetchval(query)


class MariaDBClient:
    """A connection of asyncmy."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def run(self, statement: str) -> None:
        async with self._connection.cursor() as cursor:
            await cursor.execute(statement)

    async def value(self, query: str) -> Any:
        async with self._connection.cursor() as cursor:
            await cursor.execute(query)
            row = await cursor.fetchone()
        return row[0] if row else None
