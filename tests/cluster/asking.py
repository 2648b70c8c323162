"""One value from the store, past Foliot's own code: opening a store with it would itself raise the epoch."""

import asyncio
import sqlite3
from typing import Any

import asyncpg

from tests.servers.mariadb import connected


async def asked(url: str, sql: str) -> Any:
    """The first column of the first row; None when there is none."""
    if url.startswith("sqlite"):
        with sqlite3.connect(url.removeprefix("sqlite:///"), timeout=5) as connection:
            row = connection.execute(sql).fetchone()
            return row and row[0]
    if url.startswith("mysql"):
        return await asyncio.to_thread(_asked_mariadb, url, sql)
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


def _asked_mariadb(url: str, sql: str) -> Any:
    connection = connected(url, autocommit=True)
    with connection, connection.cursor() as cursor:
        cursor.execute(sql)
        row = cursor.fetchone()
        return row and row[0]
