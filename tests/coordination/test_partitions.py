"""Networks between servers and their coordination service: cut, one-way, slow, reset (F17). One leader a term, always.

Every arena checks at its end that terms rose, that each had one server, and that no two were trusted at once (I10).
"""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from foliot.store.sql.store import SqlStore
from tests.coordination.arena import CHANCE, CLOCK, Arena, Candidate, Service, arena_of
from tests.coordination.ways import BehindProxies, Way
from tests.eventually import soon
from tests.servers.fixtures import MakeProxy
from tests.servers.proxy import FaultProxy
from tests.sql.world import sqlite_copy

pytestmark = [pytest.mark.anyio, pytest.mark.services]

WITHIN_S = 90.0


class Fault(NamedTuple):
    """What a way suffers."""

    act: Callable[[FaultProxy], None]
    silences: bool = True  # no answer comes in time until it is healed


FAULTS = {
    "cut": Fault(lambda way: way.cut()),
    "requests lost": Fault(lambda way: way.cut("up")),
    "answers lost": Fault(lambda way: way.cut("down")),
    "two seconds late": Fault(lambda way: way.delay(2.0)),
    "reset": Fault(lambda way: way.reset(), silences=False),
}
SHORT = {("redis", "answers lost"), ("etcd", "two seconds late"), ("zookeeper", "cut")}
CASES = [
    pytest.param(backend, fault, marks=[] if (backend, fault) in SHORT else [pytest.mark.matrix])
    for backend in ("redis", "etcd", "zookeeper")
    for fault in FAULTS
]
EVERY_CASE = [pytest.param(*case.values, marks=pytest.mark.matrix) for case in CASES]


@pytest.fixture
async def store(migrated_sqlite: Path, tmp_path: Path) -> AsyncIterator[SqlStore]:
    store = await SqlStore.open(sqlite_copy(migrated_sqlite, tmp_path), clock=CLOCK, chance=CHANCE)
    yield store
    await store.close()


@pytest.fixture
def behind(backend: str, request: pytest.FixtureRequest, fault_proxy: MakeProxy) -> BehindProxies:
    service: Service = request.getfixturevalue(f"{backend}_service")
    return BehindProxies(service, fault_proxy)


@pytest.mark.parametrize(("backend", "what"), CASES)
async def test_a_leader_whose_way_to_the_service_breaks_hands_over_when_it_is_back(
    what: str, behind: BehindProxies, store: SqlStore
) -> None:
    async with arena_of(store, behind) as arena:
        servers = [await arena.join(), await arena.join()]
        leader = await agree(arena, *servers, what="one leads")
        (other,) = [one for one in servers if one is not leader]
        await suffers(FAULTS[what], [behind.ways[servers.index(leader)]], [leader])
        await soon(lambda: leads(*servers), within_s=WITHIN_S, what="one leads meanwhile")
        await soon(lambda: is_up(other), within_s=WITHIN_S, what="the other's own way is sound")
        heal(behind)
        await agree(arena, *servers, what="one leads again, and the service chose it")


@pytest.mark.parametrize(("backend", "what"), EVERY_CASE)
async def test_the_store_elects_while_no_server_has_a_way_to_the_service(
    what: str, behind: BehindProxies, store: SqlStore
) -> None:
    async with arena_of(store, behind) as arena:
        servers = [await arena.join(), await arena.join()]
        await agree(arena, *servers, what="one leads")
        await suffers(FAULTS[what], behind.ways, servers)
        (leader,) = await soon(lambda: leads(*servers), within_s=WITHIN_S, what="one leads by the row alone")
        (other,) = [one for one in servers if one is not leader]
        term = leader.leadership.number
        await leader.leave()
        await soon(lambda: other.leads, within_s=WITHIN_S, what="the other leads, whatever the service knows")
        assert other.leadership.number > term
        heal(behind)
        await agree(arena, other, what="the service chose the one that leads")


async def suffers(fault: Fault, ways: list[Way], servers: list[Candidate]) -> None:
    """Break these ways, and wait until their servers know it."""
    for way in ways:
        way.suffer(fault.act)
    if fault.silences:
        await soon(lambda: not any(is_up(one) for one in servers), within_s=WITHIN_S, what="it is silent for them")


def heal(behind: BehindProxies) -> None:
    for way in behind.ways:
        way.heal()


async def agree(arena: Arena, *servers: Candidate, what: str) -> Candidate:
    """Wait until one leads for longer than a term, the service chose it, and all reach the service."""
    await soon(lambda: all(is_up(one) for one in servers), within_s=WITHIN_S, what="all reach the service")
    found = await soon(arena.leads_for_good(*servers), within_s=WITHIN_S, what=what)
    assert found is not None
    return found


def leads(*servers: Candidate) -> list[Candidate]:
    return [one for one in servers if one.leads]


def is_up(server: Candidate) -> bool:
    health = server.coordinator.health()
    return health is not None and health.is_up
