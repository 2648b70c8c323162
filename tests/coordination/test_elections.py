"""The suite of coordinators: elections and wake-ups among servers, on every backend. It knows the port alone."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from foliot.app.plugins import COORDINATORS
from foliot.domain.instants import SECOND
from tests.coordination.arena import Arena, Candidate, Service, arena_of
from tests.eventually import soon
from tests.sql.world import opened, sqlite_copy

pytestmark = pytest.mark.anyio


BESIDE = ["file"]
"""Backends beside the store."""


class StoreItself:
    """No service: the store's row alone."""

    term_us = SECOND
    is_beside_the_store = False

    def url(self) -> str:
        return "store"

    def stop(self) -> None: ...

    def start(self) -> None: ...


class OneFile:
    """A file of this machine. It is away while its folder has another name."""

    term_us = SECOND
    is_beside_the_store = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "run"
        self._folder.mkdir()

    def url(self) -> str:
        return f"file://{self._folder}/election"

    def stop(self) -> None:
        self._folder.rename(self._folder.with_name("away"))

    def start(self) -> None:
        self._folder.with_name("away").rename(self._folder)


@pytest.fixture(params=["store", *BESIDE])
def service(request: pytest.FixtureRequest) -> Iterator[Service]:
    match request.param:
        case "store":
            yield StoreItself()
        case _:
            with TemporaryDirectory(prefix="flt-", dir="/tmp") as folder:  # the path of a socket is short
                yield OneFile(Path(folder))


beside_the_store = pytest.mark.parametrize("service", BESIDE, indirect=True)


@pytest.fixture
async def arena(service: Service, migrated_sqlite: Path, tmp_path: Path) -> AsyncIterator[Arena]:
    async with opened(sqlite_copy(migrated_sqlite, tmp_path)) as world, arena_of(world.store, service) as arena:
        yield arena


async def leads(arena: Arena, *candidates: Candidate) -> Candidate:
    """Wait until one of these leads, and the service chose it."""
    found = await soon(lambda: [one for one in candidates if arena.leader() is one], what="one of them leads")
    return found[0]


async def leads_by_the_row(*candidates: Candidate) -> Candidate:
    """Wait until one of these leads, whatever the service says."""
    found = await soon(lambda: [one for one in candidates if one.leads], what="one of them leads by the row")
    return found[0]


def test_every_backend_is_in_this_suite() -> None:
    assert set(COORDINATORS) == {"store", *BESIDE}


async def test_one_server_leads_and_only_the_chosen_one_bids(arena: Arena) -> None:
    first = await arena.join()
    await leads(arena, first)
    others = [await arena.join(), await arena.join()]
    leader = await soon(arena.leads_for_good(first, *others), what="one of them leads on")
    assert [one for one in (first, *others) if one.leads] == [leader]
    assert [bid for bid in arena.history.bids if not bid.is_right] == []


async def test_leadership_goes_where_a_person_wants_it_and_stays_there(arena: Arena) -> None:
    first, second, third = [await arena.join() for _ in range(3)]
    before = await leads(arena, first, second, third)
    heir, other = [one for one in (first, second, third) if one is not before]
    term = before.leadership.number
    stays = arena.leads_for_good(heir)

    async def wanted() -> Candidate | None:
        if not heir.leads:
            await arena.wish(heir)
        return stays()

    await soon(wanted, what="the heir leads for good")
    assert heir.leadership.number > term
    await heir.leave()
    following = await leads(arena, before, other)
    assert following.leadership.number > heir.leadership.number


async def test_when_the_leader_goes_another_leads_in_a_later_term(arena: Arena) -> None:
    first = await arena.join()
    await leads(arena, first)
    second = await arena.join()
    await first.leave()
    await leads(arena, second)
    assert second.leadership.number > first.leadership.number


@beside_the_store
async def test_the_store_elects_while_the_service_is_away_and_both_agree_when_it_is_back(arena: Arena) -> None:
    servers = [await arena.join() for _ in range(3)]
    await leads(arena, *servers)
    arena.service.stop()
    await soon(lambda: not any(is_up(one) for one in servers), what="all see that it is silent")
    before = await leads_by_the_row(*servers)
    await before.leave()
    others = [one for one in servers if one is not before]
    leader = await leads_by_the_row(*others)
    health = leader.coordinator.health()
    assert health is not None
    assert health.outages == 1
    arena.service.start()
    await soon(lambda: all(is_up(one) for one in others), what="both reach it again")
    await soon(arena.leads_for_good(*others), what="one leads, and the service chose it")


@beside_the_store
async def test_wake_ups_reach_the_other_servers_where_the_database_carries_none(arena: Arena) -> None:
    first, second = await arena.join(), await arena.join()
    await leads(arena, first, second)

    def heard() -> bool:
        first.coordinator.send("ready")
        return "ready" in second.heard

    await soon(heard, what="the second hears the first")
    assert "ready" not in first.heard, "nobody wakes itself"


def is_up(candidate: Candidate) -> bool:
    health = candidate.coordinator.health()
    return health is not None and health.is_up
