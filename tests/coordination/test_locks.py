"""The suite of locks over all coordinators: a backend makes hand-overs quick, and decides nothing (R15, R21, I9)."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
import pytest

from tests.coordination.arena import Service
from tests.coordination.lock_crowd import Crowd, two_servers
from tests.coordination.services import StoreItself, ThreeEtcd, ThreeZookeepers
from tests.eventually import soon
from tests.servers.sql import apart
from tests.sql.world import migrate, sqlite_copy

pytestmark = pytest.mark.anyio

PROGRAMS, TIMES = 20, 50
SERVICES = ("store", "redis", "etcd", "zookeeper")
BACKENDS = ["file", *(pytest.param(name, marks=pytest.mark.services) for name in SERVICES)]


class Notifying(StoreItself):
    """PostgreSQL, which carries wake-ups itself. They are away when it cuts their connections."""

    def __init__(self, url: str) -> None:
        self.store_url = url

    def stop(self) -> None:
        apart(self._cut)

    async def _cut(self) -> None:
        connection = await asyncpg.connect(self.store_url)
        cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'foliot wake-ups'"
        await connection.execute(cut)
        await connection.close()


@pytest.fixture(params=BACKENDS)
def service(request: pytest.FixtureRequest) -> Service:
    if request.param == "store":
        return Notifying(request.getfixturevalue("postgres_database")(migrate))
    made: Service = request.getfixturevalue(f"{request.param}_service")
    return made


@pytest.fixture
def store_url(service: Service, migrated_sqlite: Path, tmp_path: Path) -> str:
    """Beside a service, a database that carries no wake-ups."""
    return service.store_url if isinstance(service, Notifying) else sqlite_copy(migrated_sqlite, tmp_path)


async def test_twenty_programs_at_two_servers_take_turns_also_while_the_backend_is_away(
    service: Service, store_url: str
) -> None:
    async with two_servers(store_url, service.url()) as servers:
        crowd = Crowd(servers, programs=PROGRAMS, times=TIMES)
        await soon(crowd.is_within_earshot, what="each server hears the other")
        running = asyncio.create_task(crowd.run())
        await until(running, lambda: crowd.written >= PROGRAMS * TIMES // 4)
        with away(service):
            before = crowd.written
            await until(running, lambda: crowd.written >= before + PROGRAMS // 2)
        heard = crowd.heard()
        await running
        assert crowd.written == PROGRAMS * TIMES
        # A quick crowd is through before a client of ZooKeeper has its connection again: one asks after the crowd.
        await soon(lambda: crowd.is_within_earshot(heard), within_s=60, what="each server hears the other again")


async def until(running: asyncio.Task[None], condition: Callable[[], bool]) -> None:
    """Wait for a condition while the crowd goes on. When something goes wrong there, that fails the test."""
    await soon(lambda: condition() or running.done(), within_s=120, step_s=0.005)
    if running.done():
        await running
    assert condition()


@contextmanager
def away(service: Service) -> Iterator[None]:
    """The service answers nobody meanwhile; a Redis has forgotten everything when it is back."""
    frozen = service.cluster.members[:2] if isinstance(service, ThreeEtcd | ThreeZookeepers) else []
    try:
        for member in frozen:
            member.pause()
        if not frozen:
            service.stop()
        yield
    finally:
        for member in frozen:
            member.resume()
        if not frozen:
            service.start()
