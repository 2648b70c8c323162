"""Processes stand still or are away for a while, and come back (F04, F05, F06)."""

import time
from functools import partial

import psutil
import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SERVICES, Size, on
from tests.cluster.journals import caught_in, is_under_way
from tests.cluster.timing import HOUSEKEEPING_WITHIN_S, LEADER_TTL_S, SESSION_TTL_S, SLACK
from tests.cluster.trap import ALWAYS_WITHIN_S, Trap
from tests.eventually import soon

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

KILLED_AFTER_WAKING_S = 0.5
TRIES_MAX = 20


# --------------------------------------------------------------------------------------------------------------- F04


@on("mariadb")
async def test_f04_a_worker_stands_still_for_longer_than_its_session_lives(cluster: Cluster, size: Size) -> None:
    """What it reports afterwards is refused, and what must not run unattended is killed as soon as it wakes."""
    cluster.start(workers=4 if size == "full" else 2)
    await cluster.wait_for_runs(15)
    killed: list[float] = []
    for _ in range(3 if size == "full" else 1):
        workers, child = await stopped_at_work(cluster)
        await cluster.load(2 * SESSION_TTL_S)
        woke_at = time.monotonic()
        for name in workers:
            cluster.resume(name)
        await soon(lambda: not is_running(child), within_s=30, step_s=0.005, what="the child was killed")  # noqa: B023
        killed.append(round(time.monotonic() - woke_at, 3))
        await cluster.load(3)
        await soon(partial(are_partitions, cluster, workers), what="they were cut off, and did not crash")
    cluster.figures["child_killed_after_s"] = killed
    await cluster.judged("F04")
    assert cluster.figures["reports_fenced"] >= 1
    assert max(killed) <= SLACK[size] * KILLED_AFTER_WAKING_S


async def are_partitions(cluster: Cluster, workers: set[str]) -> bool:
    """Whether the newest failover of each of these workers is a network partition that is over."""
    rows = await cluster.rows("SELECT subject, type, ended_at FROM failovers ORDER BY id")
    newest = {row["subject"]: row for row in rows}
    found = [newest.get(name) for name in workers]
    return all(row is not None and row["type"] == "network_partition" and row["ended_at"] for row in found)


async def stopped_at_work(cluster: Cluster) -> tuple[set[str], int]:
    """Workers that stand still, one with a handler in its loop, one with a child at work, and that child.

    Between being caught and being stopped either may come to its end: then they are let go on, and caught again.
    """
    for _ in range(TRIES_MAX):
        in_the_loop = await caught_in(cluster, "replaced", began_within_s=3.0)  # over when it wakes
        in_a_child = await caught_in(cluster, "exclusive_and_long")
        workers = {in_the_loop.worker, in_a_child.worker}
        for name in workers:
            cluster.pause(name)
        if is_under_way(cluster, in_the_loop) and is_under_way(cluster, in_a_child):
            return workers, in_a_child.pid
        for name in workers:
            cluster.resume(name)
    raise AssertionError("nobody was stopped in the midst of both")


def is_running(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


# --------------------------------------------------------------------------------------------------------------- F05


@on("postgresql", full=SERVICES)
async def test_f05_the_leader_stands_still_with_a_write_under_way(cluster: Cluster, size: Size) -> None:
    """Stopped just before it renews its term: another one leads by then, and the late renewal changes no row (I10)."""
    trap = Trap(cluster)
    cluster.start(workers=4 if size == "full" else 2, fault=trap.fault)
    await cluster.wait_for_runs(15)
    rejected = 0
    for _ in range(3 if size == "full" else 1):
        victim = await leader_stopped(cluster, trap)
        before = stepped_down(cluster, victim)
        await cluster.load(3 * LEADER_TTL_S)

        async def is_replaced(by_then: str = victim) -> bool:
            return await cluster.leader() != by_then

        await soon(is_replaced, within_s=30, what="a new term, and somebody else's")
        cluster.resume(victim)
        await soon(lambda: stepped_down(cluster, victim) > before, within_s=30, what="it steps down")  # noqa: B023
        rejected += 1
        await cluster.load(2)
    cluster.figures["stale_leader_rejected"] = rejected
    await cluster.judged("F05")
    assert cluster.figures["leader_failover_s"]["n"] >= rejected
    assert cluster.figures["leader_failover_s"]["max"] <= SLACK[size] * HOUSEKEEPING_WITHIN_S


async def leader_stopped(cluster: Cluster, trap: Trap) -> str:
    """The leader, just before it renews its term.

    Followers do not campaign while somebody leads; one that is stopped as nobody does, on a machine that stalls, is let
    go on.
    """
    for _ in range(TRIES_MAX):
        trap.arm("stop", "node_store.campaign.asked")
        victim = await trap.sprung(within_s=ALWAYS_WITHIN_S)
        assert victim is not None
        cluster.note("pause", node=victim)
        if changes_of_lead(cluster, victim)[-1:] == [True]:
            return victim
        cluster.resume(victim)
    raise AssertionError("nobody was stopped as the leader")


def stepped_down(cluster: Cluster, server: str) -> int:
    """How often this server noticed that it does not lead any more."""
    return changes_of_lead(cluster, server).count(False)


def changes_of_lead(cluster: Cluster, server: str) -> list[bool]:
    """What this server said of itself: it leads from now on, or does not any more."""
    log = cluster.processes[server].log.read_text("utf-8", "replace")
    return ['"leading": true' in line for line in log.splitlines() if "leader.changed" in line]


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
