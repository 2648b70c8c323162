"""The duties of a server on a real store, with time in the test's hands."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from foliot.app.server import Server
from foliot.app.settings import TEST_TIMING, ServerSettings
from foliot.domain.instants import to_datetime
from tests.clocks import DrivenClock
from tests.sql.conftest import migrated_sqlite
from tests.sql.world import BEGINS_AT, CHANCE, World, opened, sqlite_copy

__all__ = ["migrated_sqlite"]

MakeServer = Callable[[str], Server]


@pytest.fixture
async def world(migrated_sqlite: Path, tmp_path: Path) -> AsyncIterator[World]:
    """A store on SQLite whose time the test lets pass."""
    async with opened(sqlite_copy(migrated_sqlite, tmp_path)) as world:
        yield world


@pytest.fixture
def clock() -> DrivenClock:
    """The node's own clock; its wall clock is right to begin with."""
    return DrivenClock(to_datetime(BEGINS_AT))


@pytest.fixture
def make_server(world: World, clock: DrivenClock) -> MakeServer:
    """Servers that share the store; their duties are stepped by the test."""

    def make(name: str) -> Server:
        settings = ServerSettings(store_url=world.url, node_name=name, timing=TEST_TIMING)
        return Server(settings, world.store, clock=clock, chance=CHANCE)

    return make


@pytest.fixture
def server(make_server: MakeServer) -> Server:
    """One server."""
    return make_server("s1")
