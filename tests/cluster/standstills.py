"""Workers and leaders that stand still for longer than their right lasts, and go on (F04, F05)."""

import time

import psutil

from tests.cluster.cluster import Cluster
from tests.cluster.journals import caught_in, is_under_way
from tests.cluster.timing import LEADER_TTL_S
from tests.cluster.trap import ALWAYS_WITHIN_S, Trap
from tests.eventually import soon

TRIES_MAX = 20


# ------------------------------------------------------------------------------------------------------------ workers


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


async def woken(cluster: Cluster, workers: set[str], child: int) -> float:
    """Let these workers go on; seconds until this child of theirs was killed."""
    woke_at = time.monotonic()
    for name in workers:
        cluster.resume(name)
    await soon(lambda: not is_running(child), within_s=30, step_s=0.005, what="the child was killed")
    return round(time.monotonic() - woke_at, 3)


def is_running(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


# ------------------------------------------------------------------------------------------------------------ leaders


async def leader_stands_still(cluster: Cluster, trap: Trap) -> str:
    """The leader stops before it renews its term, another leads by then, and its late renewal is refused; its name."""
    victim = await leader_stopped(cluster, trap)
    before = stepped_down(cluster, victim)
    await cluster.load(3 * LEADER_TTL_S)

    async def is_replaced() -> bool:
        return await cluster.leader() != victim

    await soon(is_replaced, within_s=30, what="a new term, and somebody else's")
    cluster.resume(victim)
    await soon(lambda: stepped_down(cluster, victim) > before, within_s=30, what="it steps down")
    return victim


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
