"""The PostgreSQL test server keeps what it acknowledged, whatever is done to it."""

import asyncpg
import pytest

from tests.servers.fixtures import MakeDatabase
from tests.servers.postgres import Postgres

pytestmark = pytest.mark.services


async def test_a_database_is_a_copy_of_its_template(postgres_database: MakeDatabase) -> None:
    made = []

    async def template(url: str) -> None:
        made.append(url)
        await run(url, "CREATE TABLE notes (text TEXT)", "INSERT INTO notes VALUES ('from the template')")

    first, second = postgres_database(template), postgres_database(template)
    await run(first, "INSERT INTO notes VALUES ('only here')")
    assert len(made) == 1
    assert await value(first, "SELECT count(*) FROM notes") == 2
    assert await value(second, "SELECT count(*) FROM notes") == 1


async def test_databases_belong_to_an_ordinary_user(postgres_server: Postgres) -> None:
    url = postgres_server.database()
    assert await value(url, "SELECT usesuper FROM pg_user WHERE usename = current_user") is False
    postgres_server.drop(url)
    with pytest.raises(asyncpg.InvalidCatalogNameError):
        await value(url, "SELECT 1")


async def run(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


async def value(url: str, query: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(query)
    finally:
        await connection.close()
