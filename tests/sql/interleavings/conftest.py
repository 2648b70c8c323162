"""Each script of two clients is played on every networked store."""

from collections.abc import AsyncIterator

import pytest

from tests.servers.fixtures import MakeDatabase
from tests.sql.world import World, migrate, opened


@pytest.fixture(params=["postgres_database", "mariadb_database"], ids=["postgresql", "mariadb"])
async def postgres_world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    """A store that several clients can lock rows of, each on a connection of its own."""
    make: MakeDatabase = request.getfixturevalue(request.param)
    async with opened(make(migrate, used=True)) as world:
        yield world
