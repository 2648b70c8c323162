"""Processes stand still or are away for a while, and come back (F04, F05, F06)."""

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SERVICES, Size, on
from tests.cluster.standstills import leader_stands_still, stopped_at_work, woken
from tests.cluster.timing import HOUSEKEEPING_WITHIN_S, SESSION_TTL_S, SLACK
from tests.cluster.trap import Trap

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

KILLED_AFTER_WAKING_S = 0.5


# --------------------------------------------------------------------------------------------------------------- F04


@on()
async def test_f04_a_worker_stands_still_for_longer_than_its_session_lives(cluster: Cluster, size: Size) -> None:
    """What it reports afterwards is refused, and what must not run unattended is killed as soon as it wakes."""
    cluster.start()
    await cluster.wait_for_runs(15)
    killed: list[float] = []
    for _ in range(3):
        workers, child = await stopped_at_work(cluster)
        await cluster.load(2 * SESSION_TTL_S)
        killed.append(await woken(cluster, workers, child))
        await cluster.load(3)
    cluster.figures["child_killed_after_s"] = killed
    await cluster.judged("F04")
    assert cluster.figures["reports_fenced"] >= 1
    assert max(killed) <= SLACK[size] * KILLED_AFTER_WAKING_S


# --------------------------------------------------------------------------------------------------------------- F05


@on(full=SERVICES)
async def test_f05_the_leader_stands_still_with_a_write_under_way(cluster: Cluster, size: Size) -> None:
    """Stopped just before it renews its term: another one leads by then, and the late renewal changes no row (I10)."""
    trap = Trap(cluster)
    cluster.start(fault=trap.fault)
    await cluster.wait_for_runs(15)
    rejected = 3
    for _ in range(rejected):
        await leader_stands_still(cluster, trap)
        await cluster.load(2)
    cluster.figures["stale_leader_rejected"] = rejected
    await cluster.judged("F05")
    assert cluster.figures["leader_failover_s"]["n"] >= rejected
    assert cluster.figures["leader_failover_s"]["max"] <= SLACK[size] * HOUSEKEEPING_WITHIN_S


# --------------------------------------------------------------------------------------------------------------- F06


@on("sqlite", full=("sqlite", "postgresql"))
async def test_f06_everything_is_away_for_a_while(cluster: Cluster, size: Size) -> None:
    """Frozen and thawed, then stopped and started again: the gap is decided, nobody is taken for dead by mistake."""
    cluster.start(workers=4 if size == "full" else 2)
    await cluster.wait_for_runs(15)
    everybody = [*cluster.servers, *cluster.workers]
    cluster.note("freeze")  # of no node in particular: who is reaped after it was reaped wrongly
    for name in everybody:
        cluster.processes[name].pause()
    await cluster.load(3 * SESSION_TTL_S if size == "full" else 1.5 * SESSION_TTL_S)
    for name in everybody:
        cluster.processes[name].resume()
    await cluster.load(6)
    cluster.note("stop")  # who stops says goodbye: nobody is reaped here either
    for name in reversed(everybody):
        cluster.processes[name].stop()
    await cluster.load(70 if size == "full" else 8)  # beyond a minute what was missed is caught up, and paced
    for name in everybody:
        cluster.start_again(name)
    await cluster.wait_for_runs(15)
    await cluster.load(10 if size == "full" else 5)
    findings = await cluster.judged("F06")
    assert cluster.figures["false_reaps"] == 0
    if size == "full":
        assert findings["I14"].looked_at > 0, "something was caught up"
