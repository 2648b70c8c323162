"""Real servers as pytest fixtures: one of each per pytest process (so per xdist worker), started on first use."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.servers.mariadb import MariaDB
from tests.servers.postgres import Postgres
from tests.servers.proxy import FaultProxy
from tests.servers.sql import SqlServer, Template

MakeDatabase = Callable[..., str]
MakeProxy = Callable[[int], FaultProxy]


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    """The session's PostgreSQL, fast. A test that stops, kills or pauses one starts its own: `with Postgres() as …`."""
    with Postgres(fast=True) as server:
        yield server


@pytest.fixture
def postgres_database(postgres_server: Postgres) -> Iterator[MakeDatabase]:
    """Make databases that go with the test: `url = postgres_database(template=migrate)`."""
    yield from _databases(postgres_server)


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[MariaDB]:
    """The session's MariaDB, fast. A test that stops, kills or pauses one starts its own: `with MariaDB() as …`."""
    with MariaDB(fast=True) as server:
        yield server


@pytest.fixture
def mariadb_database(mariadb_server: MariaDB) -> Iterator[MakeDatabase]:
    """Make databases that go with the test: `url = mariadb_database(template=migrate)`."""
    yield from _databases(mariadb_server)


@pytest.fixture
def fault_proxy() -> Iterator[MakeProxy]:
    """Put proxies in front of servers for one test: `proxy = fault_proxy(server.port)`, then `proxy.url(url)`."""
    with ExitStack() as proxies:
        yield lambda port: proxies.enter_context(FaultProxy(port))


def _databases(server: SqlServer) -> Iterator[MakeDatabase]:
    made: list[str] = []
    lent: list[str] = []

    def make(template: Template | None = None, *, used: bool = False) -> str:
        """`used`: may have been another test's before; only for a test that leaves nobody behind who writes to it."""
        if used and template:
            lent.append(server.lend(template))
            return lent[-1]
        made.append(server.database(template))
        return made[-1]

    yield make
    for url in made:
        server.drop(url)
    for url in lent:
        server.take_back(url)
