"""What an idle leader asks of its store: statements are counted, over minutes that only the test lets pass."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest

from foliot.app.server import Server
from foliot.app.settings import ServerSettings
from foliot.domain.access import INTERNAL
from foliot.domain.failover import Detected, FailoverType
from foliot.domain.instants import SECOND
from foliot.engine.failovers import QUIET_ROUNDS
from foliot.engine.loop import Duty
from foliot.operations.checkup import check_up
from tests.clocks import DrivenClock
from tests.conformance.building import every
from tests.sent import sent
from tests.servers.fixtures import MakeDatabase
from tests.sql.world import CHANCE, World, migrate, opened

A_MINUTE: Final = 60
OF_A_LEADER: Final = 6.6 * A_MINUTE
"""PostgreSQL gets besides what begins and ends transactions: some more each ten seconds."""
OF_A_CHECKUP: Final = 13  # without what the leader keeps of it; one of them looks for assigned runs


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Each statement that is sent to a database meanwhile, by its first words."""
    texts: Counter[str] = Counter()
    with sent() as all_of_them:
        yield texts
    texts.update(text[:100] for text in all_of_them)


class Day:
    """The duties of one server, each stepped when its rest is over, while the test lets time pass."""

    def __init__(self, world: World, server: Server, clock: DrivenClock) -> None:
        self._world = world
        self._clock = clock
        duties: list[Duty] = [*server._own_duties(), *server._leader_duties()]
        at_rest = [duty for duty in duties if duty.name != "leasing"]  # it waits for a poll, and none comes
        self._due = {place: (0.0, duty) for place, duty in enumerate(at_rest)}
        self._passed_s = 0.0

    async def go_on(self, for_s: float) -> None:
        until = self._passed_s + for_s
        while True:
            (at, place), duty = min(((at, place), duty) for place, (at, duty) in self._due.items())
            if at > until:
                return
            await self._pass(at - self._passed_s)
            rest_s = await duty.step()
            self._due[place] = (self._passed_s + max(rest_s, 0.01), duty)

    async def _pass(self, by_s: float) -> None:
        await self._world.elapse(int(by_s * SECOND))
        await self._clock.advance(by_s)
        self._passed_s += by_s


@pytest.fixture
def day(world: World, clock: DrivenClock) -> Day:
    settings = ServerSettings(store_url=world.url, node_name="s1")
    server = Server(settings, world.store, clock=clock, chance=CHANCE)
    server.presence._load = dict  # what this machine does besides is no matter of the test
    return Day(world, server, clock)


async def test_an_idle_leader_asks_little_and_the_number_of_its_jobs_does_not_matter(world: World, day: Day) -> None:
    await every(world, "first")
    await day.go_on(2 * A_MINUTE)
    with counted() as few:
        await day.go_on(A_MINUTE)
    for n in range(50):
        await every(world, f"job-{n}")
    await day.go_on(A_MINUTE)
    with counted() as many:
        await day.go_on(A_MINUTE)

    assert few.total() <= OF_A_LEADER, few
    assert few["SELECT at, grades FROM checkups WHERE id = 1"] == 1, "the minute has a checkup"
    assert many.total() - few.total() <= 10, many - few  # a duty that comes each five minutes, not one per job


async def test_a_failover_is_looked_at_in_the_next_round_and_without_one_seldom(world: World, day: Day) -> None:
    await day.go_on(A_MINUTE)
    with counted() as quiet:
        await day.go_on(A_MINUTE)
    await world.store.failovers.detect(
        [Detected(key="store", type=FailoverType.STORE_UNREACHABLE, subject="store", evidence={})]
    )
    with counted() as open_:
        await day.go_on(10)
    await day.go_on(10)

    assert _looks(quiet) <= A_MINUTE / 5 / QUIET_ROUNDS + 1  # the checkup looks, too
    assert _looks(open_) >= 2, "each five seconds"
    (ended,) = await world.store.failovers.open(limit=5, within_us=A_MINUTE * SECOND)
    assert not ended.is_open, "it was quiet for ten seconds"


def _looks(texts: Counter[str]) -> int:
    return sum(count for text, count in texts.items() if text.startswith("SELECT f.id, f.occurrence"))


@pytest.mark.services
async def test_postgresql_is_asked_for_a_checkup_in_a_few_statements(
    postgres_database: MakeDatabase, clock: DrivenClock
) -> None:
    async with opened(postgres_database(migrate, used=True)) as world:
        settings = ServerSettings(store_url=world.url, node_name="s1")
        server = Server(settings, world.store, clock=clock, chance=CHANCE)
        await check_up(server.services, INTERNAL)  # the first statement of a connection has others before it
        with counted() as texts:
            found = await check_up(server.services, INTERNAL)
        assert texts.total() <= OF_A_CHECKUP, texts
        assert {"database.size", "database.connections", "database.dead_rows"} <= {one.check for one in found.findings}
