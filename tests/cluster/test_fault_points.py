"""Servers break inside their transactions and around every store call, at named places (F01, F03)."""

from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SERVICES, Size, on
from tests.cluster.timing import EXTRA_DELAY_MAX_S, SLACK
from tests.cluster.trap import ALWAYS_WITHIN_S, Trap
from tests.servers.proxy import FaultProxy

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

INSIDE = ("firing.taken", "firing.cursors_moved", "firing.recorded", "ending.judged", "ending.runs_written")
SOMETIMES_WITHIN_S = 3.0
MUST_PASS = {
    *(f"firing_store.decide_due.{place}" for place in ("asked", "done", "committed")),
    *(f"beats.renew.{place}" for place in ("asked", "committed")),
    *INSIDE,
    "leasing.leased",
}
"""What every cluster under load comes by: if one of them is missing, places are no longer found."""
SHORT = 6


@on("mariadb")
async def test_f01_a_server_stands_still_inside_a_transaction(cluster: Cluster, size: Size) -> None:
    """It holds its locks until the store ends the transaction; the others go on, and it goes on after them."""
    trap = Trap(cluster)
    cluster.start(workers=4 if size == "full" else 2, fault=trap.fault)
    await cluster.wait_for_runs(15)
    for place in INSIDE if size == "full" else ("firing.recorded", "ending.runs_written"):
        trap.arm("stop", place)
        victim = await trap.sprung(within_s=ALWAYS_WITHIN_S)
        assert victim is not None, place
        cluster.note("pause", node=victim, place=place)
        await cluster.load(3)
        cluster.resume(victim)
        await cluster.load(2)
    await cluster.judged("F01-stopped")
    if not cluster.is_sqlite:
        assert cluster.figures["extra_delay_s"]["max"] <= SLACK[size] * EXTRA_DELAY_MAX_S


@pytest.fixture
def proxies() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@on("postgresql", full=SERVICES)
async def test_f01_a_server_is_cut_off_inside_a_transaction(cluster: Cluster, size: Size, proxies: ExitStack) -> None:
    """Stopped in the transaction, cut off from the store, then let go on: in silence, or with a reset."""
    trap = Trap(cluster)
    port = urlsplit(cluster.url).port or 0
    lines = {name: proxies.enter_context(FaultProxy(port)) for name in ("s1", "s2", "s3")}
    for name, line in lines.items():
        cluster.start_server(name, fault=trap.fault, url=line.url(cluster.url))
    for name in ["w1", "w2", "w3", "w4"] if size == "full" else ["w1", "w2"]:
        cluster.start_worker(name)
    await cluster.wait_for_runs(15)
    places = INSIDE if size == "full" else ("firing.recorded",)
    for number, place in enumerate(places):
        trap.arm("stop", place)
        victim = await trap.sprung(within_s=ALWAYS_WITHIN_S)
        assert victim is not None, place
        cluster.note("cut", node=victim, place=place)
        if number % 2:
            lines[victim].cut()
        else:
            lines[victim].reset()
        cluster.processes[victim].resume()
        await cluster.load(4)
        lines[victim].heal()
        await cluster.load(2)
    await cluster.judged("F01-cut")
    assert cluster.figures["extra_delay_s"]["max"] <= SLACK[size] * EXTRA_DELAY_MAX_S


@on("postgresql")
async def test_f03_servers_are_killed_at_every_store_call(cluster: Cluster, size: Size) -> None:
    """Wherever a server can be between asking and being told, its death there harms nothing."""
    trap = Trap(cluster)
    cluster.start(workers=4 if size == "full" else 2, fault=trap.fault)
    await cluster.wait_for_runs(15)
    struck: list[str] = []
    rare: list[str] = []
    while waiting := sorted((trap.passed() if size == "full" else MUST_PASS) - {*struck, *rare}):
        if size == "short" and len(struck) == SHORT:
            break
        place = cluster.chance.choice(waiting)
        (struck if await struck_at(cluster, trap, place) else rare).append(place)
    cluster.figures |= {"places_struck": sorted(struck), "places_rare": sorted(rare)}
    await cluster.load(3)
    await cluster.judged("F03")
    if size == "full":
        assert set(struck) >= MUST_PASS, MUST_PASS - set(struck)
    else:
        assert len(struck) == SHORT, rare


async def struck_at(cluster: Cluster, trap: Trap, place: str) -> bool:
    """Kill a server at this place, and start it again. What servers pass when they start needs one that starts."""
    trap.arm("kill", place)
    victim = await trap.sprung(within_s=SOMETIMES_WITHIN_S)
    if victim is None:
        fresh = cluster.chance.choice(cluster.servers)
        cluster.kill(fresh)
        cluster.start_server(fresh, fault=trap.fault)
        worker = cluster.chance.choice(cluster.workers)
        cluster.kill(worker)
        cluster.start_again(worker)
        victim = await trap.sprung(within_s=2 * SOMETIMES_WITHIN_S)
    trap.disarm()
    victim = victim or await trap.sprung(within_s=0.5)  # who took the trap away just before us
    if victim is None:
        return False
    cluster.note("kill", node=victim, place=place)
    cluster.start_server(victim, fault=trap.fault)
    if cluster.is_sqlite:
        await cluster.answers(victim)
    return True
