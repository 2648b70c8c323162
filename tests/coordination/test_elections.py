"""The suite of coordinators: elections and wake-ups among servers, on every backend. It knows the port alone."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from foliot.app.plugins import COORDINATORS
from foliot.store.sql.store import SqlStore
from tests.coordination.arena import CHANCE, CLOCK, Arena, Candidate, Service, arena_of
from tests.coordination.services import StoreItself
from tests.eventually import soon
from tests.sql.world import sqlite_copy

pytestmark = pytest.mark.anyio


BESIDE = ["file", *(pytest.param(name, marks=pytest.mark.services) for name in ("redis", "etcd", "zookeeper"))]
"""Backends beside the store."""


@pytest.fixture(params=["store", *BESIDE])
def service(request: pytest.FixtureRequest) -> Service:
    """A service on servers that are shared, at a place of its own; whole again after the test."""
    if request.param == "store":
        return StoreItself()
    made: Service = request.getfixturevalue(f"{request.param}_service")
    return made


beside_the_store = pytest.mark.parametrize("service", BESIDE, indirect=True)


@pytest.fixture
async def arena(service: Service, migrated_sqlite: Path, tmp_path: Path) -> AsyncIterator[Arena]:
    """Candidates on a store whose time passes by itself: terms run out."""
    store = await SqlStore.open(sqlite_copy(migrated_sqlite, tmp_path), clock=CLOCK, chance=CHANCE)
    try:
        async with arena_of(store, service) as arena:
            yield arena
    finally:
        await store.close()


async def leads(arena: Arena, *candidates: Candidate) -> Candidate:
    """Wait until one of these leads, and the service chose it."""
    found = await soon(lambda: [one for one in candidates if arena.leader() is one], what="one of them leads")
    return found[0]


async def leads_by_the_row(*candidates: Candidate) -> Candidate:
    """Wait until one of these leads, whatever the service says."""
    found = await soon(lambda: [one for one in candidates if one.leads], what="one of them leads by the row")
    return found[0]


def test_every_backend_is_in_this_suite() -> None:
    assert set(COORDINATORS) == {"store", "file", "redis", "rediss", "etcd", "zookeeper"}


async def test_one_server_leads_and_only_the_chosen_one_bids(arena: Arena) -> None:
    first = await arena.join()
    await leads(arena, first)
    others = [await arena.join(), await arena.join()]
    leader = await soon(arena.leads_for_good(first, *others), what="one of them leads on")
    assert [one for one in (first, *others) if one.leads] == [leader]
    assert [bid for bid in arena.history.bids if not bid.is_right] == []


async def test_a_standby_is_never_chosen_and_leads_when_it_is_promoted(arena: Arena) -> None:
    standby = await arena.join(stands_by=True)
    first = await arena.join()
    await leads(arena, first)  # although the standby was there before
    assert not standby.is_chosen
    assert {bid.session for bid in arena.history.bids} == {first.session.id}
    term = first.leadership.number
    await first.aclose()
    standby.take_part()
    await leads(arena, standby)
    assert standby.leadership.number > term


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
    await asyncio.to_thread(arena.service.stop)
    await soon(lambda: not any(is_up(one) for one in servers), what="all see that it is silent")
    before = await leads_by_the_row(*servers)
    await before.leave()
    others = [one for one in servers if one is not before]
    leader = await leads_by_the_row(*others)
    await soon(lambda: outages(leader) >= 1, what="it is counted when the beat under way has failed too")
    await asyncio.to_thread(arena.service.start)
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


def outages(candidate: Candidate) -> int:
    health = candidate.coordinator.health()
    return 0 if health is None else health.outages
