"""Each store under test as a fixture: `world` has it with its clock and its database, `store` is just the port."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from foliot.store.sql.store import SqlStore
from tests.servers.fixtures import MakeDatabase
from tests.servers.sql import apart
from tests.sql.world import World, migrate, opened, sqlite_copy

ENGINES = [
    "sqlite",
    pytest.param("postgresql", marks=pytest.mark.services),
    pytest.param("mariadb", marks=pytest.mark.services),
]


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file to copy."""
    path = tmp_path_factory.mktemp("template") / "foliot.db"
    apart(lambda: asyncio.wait_for(migrate(f"sqlite:///{path}"), 120))
    return path


@pytest.fixture(params=ENGINES)
def store_url(request: pytest.FixtureRequest) -> str:
    """The URL of a migrated database that goes with the test."""
    if request.param == "sqlite":
        return sqlite_copy(request.getfixturevalue("migrated_sqlite"), request.getfixturevalue("tmp_path"))
    maker = {"postgresql": "postgres_database", "mariadb": "mariadb_database"}[request.param]
    make: MakeDatabase = request.getfixturevalue(maker)
    return make(migrate, used=True)


@pytest.fixture
async def world(store_url: str) -> AsyncIterator[World]:
    """One open store, its clock and its database, on every engine."""
    async with opened(store_url) as world:
        yield world


@pytest.fixture
async def postgres_world(postgres_database: MakeDatabase) -> AsyncIterator[World]:
    """The same on PostgreSQL alone, for what only a networked store can suffer."""
    async with opened(postgres_database(migrate, used=True)) as world:
        yield world


@pytest.fixture
def store(world: World) -> SqlStore:
    """The store under test."""
    return world.store
