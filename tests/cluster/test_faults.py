"""Servers and workers are killed with SIGKILL while they work; the checker judges what happened (F00, F01, F02)."""

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import Size, on
from tests.cluster.journals import caught_in
from tests.cluster.limit_scene import JOBS, fill_limits, limits_were_kept
from tests.cluster.timing import EXTRA_DELAY_MAX_S, HOUSEKEEPING_WITHIN_S, LEASED_AGAIN_WITHIN_S, SLACK

SLOTS = 4  # of a worker

pytestmark = [pytest.mark.slow, pytest.mark.anyio]


@on()
@pytest.mark.usefixtures("size")
async def test_f00_nothing_is_broken(cluster: Cluster) -> None:
    """For reference; every short test sees as much."""
    cluster.start()
    await cluster.wait_for_runs(15)
    await cluster.load(40)
    findings = await cluster.judged("F00")
    assert findings["I3"].figures["lateness_s_p50"] < 1.0
    assert cluster.figures["abandoned"] == cluster.figures["deaths"] == cluster.figures["zombies_tried"] == 0


@on()
async def test_f01_servers_are_killed(cluster: Cluster, size: Size) -> None:
    """The leader and others in turn, each at an odd moment."""
    cluster.start()
    await cluster.wait_for_runs(15)
    for number in range(10):
        leader = await cluster.leader()
        others = [name for name in cluster.servers if name != leader]
        victim = cluster.chance.choice(others) if others and number % 2 else leader
        await cluster.load(cluster.chance.uniform(0.5, 1.5))
        cluster.kill(victim)
        await cluster.load(cluster.chance.uniform(0.5, 2.0))
        cluster.start_again(victim)
        await cluster.answers(victim)
    await cluster.load(3)
    await cluster.judged("F01")
    if not cluster.is_sqlite:  # there the one server is the store's only way in: what lasts is its start
        assert cluster.figures["extra_delay_s"]["max"] <= SLACK[size] * EXTRA_DELAY_MAX_S
        assert cluster.figures["leader_failover_s"]["max"] <= SLACK[size] * HOUSEKEEPING_WITHIN_S


@on("postgresql")
async def test_f02_workers_are_killed(cluster: Cluster, size: Size) -> None:
    """While limits and rates of every kind are full."""
    workers, each = (4, 200) if size == "full" else (2, 30)
    cluster.start(workers=workers, jobs=JOBS)
    await cluster.wait_for_runs(15)
    await fill_limits(cluster, each=each, slots=SLOTS * workers - 2)
    for number in range(20 if size == "full" else 3):
        victim = cluster.chance.choice(cluster.workers)
        if number == 0:  # one at least that has work in its hands
            victim = (await caught_in(cluster, "long_one")).worker
        else:
            await cluster.load(cluster.chance.uniform(0.8, 2.2))
        cluster.kill(victim)
        cluster.start_again(victim)
    await cluster.load(LEASED_AGAIN_WITHIN_S)
    await limits_were_kept(cluster, await cluster.judged("F02"), each=each)
    assert cluster.figures["leased_again_s"]["n"] > 0, "no kill took a run with it"
    assert cluster.figures["leased_again_s"]["max"] <= SLACK[size] * LEASED_AGAIN_WITHIN_S
    assert cluster.figures["at_most_once_doubled"] == 0
