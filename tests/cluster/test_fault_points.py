"""Servers break inside their transactions and around every store call, at named places (F01, F03)."""

from urllib.parse import urlsplit

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SERVICES, Size, on
from tests.cluster.places import INSIDE, MUST_PASS, cut_off_at, may_be_killed_at, stand_still_at
from tests.cluster.timing import EXTRA_DELAY_MAX_S, SLACK
from tests.cluster.trap import Trap
from tests.servers.fixtures import MakeProxy

pytestmark = [pytest.mark.slow, pytest.mark.anyio]


@on()
async def test_f01_a_server_stands_still_inside_a_transaction(cluster: Cluster, size: Size) -> None:
    """It holds its locks until the store ends the transaction; the others go on, and it goes on after them."""
    trap = Trap(cluster)
    cluster.start(fault=trap.fault)
    await cluster.wait_for_runs(15)
    for place in INSIDE:
        await stand_still_at(cluster, trap, place)
        await cluster.load(2)
    await cluster.judged("F01-stopped")
    if not cluster.is_sqlite:
        assert cluster.figures["extra_delay_s"]["max"] <= SLACK[size] * EXTRA_DELAY_MAX_S


@on(full=SERVICES)
async def test_f01_a_server_is_cut_off_inside_a_transaction(
    cluster: Cluster, size: Size, fault_proxy: MakeProxy
) -> None:
    """Stopped in the transaction, cut off from the store, then let go on: in silence, or with a reset."""
    trap = Trap(cluster)
    port = urlsplit(cluster.url).port or 0
    lines = {name: fault_proxy(port) for name in ("s1", "s2", "s3")}
    for name, line in lines.items():
        cluster.start_server(name, fault=trap.fault, url=line.url(cluster.url))
    for name in ("w1", "w2", "w3", "w4"):
        cluster.start_worker(name)
    await cluster.wait_for_runs(15)
    for number, place in enumerate(INSIDE):
        await cut_off_at(cluster, trap, place, lines, in_silence=number % 2 == 1)
        await cluster.load(2)
    await cluster.judged("F01-cut")
    assert cluster.figures["extra_delay_s"]["max"] <= SLACK[size] * EXTRA_DELAY_MAX_S


@on()
@pytest.mark.usefixtures("size")
async def test_f03_servers_are_killed_at_every_store_call(cluster: Cluster) -> None:
    """Wherever a server can be between asking and being told, its death there harms nothing."""
    trap = Trap(cluster)
    cluster.start(fault=trap.fault)
    await cluster.wait_for_runs(15)
    struck: list[str] = []
    rare: list[str] = []
    while waiting := sorted(trap.passed() - {*struck, *rare}):
        place = cluster.chance.choice(waiting)
        (struck if await may_be_killed_at(cluster, trap, place) else rare).append(place)
    cluster.figures |= {"places_struck": sorted(struck), "places_rare": sorted(rare)}
    await cluster.load(3)
    await cluster.judged("F03")
    assert set(struck) >= MUST_PASS, MUST_PASS - set(struck)
