"""Bands of real workers: one is starved of its CPU, one stands still. Its share of work follows."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from tests.cluster.api import people_of
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import mostly_on
from tests.cluster.patience import GO
from tests.eventually import soon

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

SLOTS = 4
HEALTH = ("--health", "score=0.5,calm=0.4,beats=2", "--load-weights", "cpu=0,memory=0,connections=1,running=0")
"""Whatever else the machine does, it counts little: a worker is strained when it wants a CPU and has none."""
NICE = 10  # a tenth of the CPU beside one that computes
HOGS = 4
"""Where the kernel shares a CPU among sessions of terminals, being nice counts for nothing: there must be several."""
STEADY_BEATS = 5


class Scene:
    """A cluster, and what its nodes are like."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    async def node(self, name: str) -> dict[str, Any]:
        async with people_of(self.cluster, self.cluster.servers[-1]) as api:
            found: dict[str, Any] = (await api.get(f"/api/v1/nodes/{name}")).json()
            return found

    async def is_in(self, name: str, *healths: str, within_s: float = 60.0) -> dict[str, Any]:
        """The node once it is in one of these bands."""
        found: dict[str, Any] = {}

        async def reached() -> bool:
            found.update(await self.node(name))
            return found.get("health") in healths

        await soon(reached, within_s=within_s, step_s=0.1, what=f"{name} is {' or '.join(healths)}")
        return found

    async def running_on(self, name: str) -> int:
        live = f"SELECT id FROM nodes WHERE name = '{name}' AND state = 'live'"
        return await self.cluster.count(f"state = 'RUNNING' AND session_id IN ({live})")


@contextmanager
def starved(pid: int) -> Iterator[None]:
    """The main thread of a process shares one CPU with programs that compute, and comes last."""
    cpu = min(os.sched_getaffinity(0))
    code = f"import os\nos.sched_setaffinity(0, {{{cpu}}})\nwhile True: pass"
    with ExitStack() as stack:
        for _ in range(HOGS):
            hog = stack.enter_context(subprocess.Popen([sys.executable, "-c", code], start_new_session=True))
            stack.callback(hog.kill)
        os.sched_setaffinity(pid, {cpu})
        stack.callback(os.sched_setaffinity, pid, os.sched_getaffinity(0))
        os.setpriority(os.PRIO_PROCESS, pid, NICE)  # of that thread alone: its beats have a thread of their own
        yield


@mostly_on("postgresql")
async def test_a_workers_share_of_work_follows_its_band(cluster: Cluster) -> None:
    scene = Scene(cluster)
    cluster.start_server("s1", options=HEALTH)
    jobs = "tests.cluster.spinning"
    starving = cluster.start_worker("w1", slots=SLOTS, jobs=jobs)
    await cluster.declared("spins")
    await cluster.trigger("spins", 1)
    await soon(lambda: any(cluster.journals.iterdir()), within_s=60, what="it computes")
    with starved(starving.pid):
        warned = await scene.is_in("w1", "WARNING")
        assert warned["slots_given"] == SLOTS // 2
        cluster.start_worker("w2", slots=SLOTS, jobs=jobs)
        await scene.is_in("w2", "ONLINE")
        await cluster.trigger("until_told", 2 * SLOTS)

        async def shared_out() -> bool:
            return (await scene.running_on("w2"), await scene.running_on("w1")) == (SLOTS, SLOTS // 2)

        await soon(shared_out, within_s=60, what="the one takes all its slots, the other half of them")
        await stays_warned(scene)
        assert await scene.running_on("w1") == SLOTS // 2, "runs wait, and it still gets none"
        (cluster.journals / f"{GO}-spinner").touch()
    await scene.is_in("w1", "ONLINE")

    async def full() -> bool:
        return await scene.running_on("w1") == SLOTS

    await soon(full, within_s=60, what="it has all its slots again")
    await stands_still(scene)


async def stays_warned(scene: Scene) -> None:
    """No flapping: while it starves, each beat leaves it where it is."""
    seen: dict[str, tuple[str, float]] = {}

    async def enough() -> bool:
        node = await scene.node("w1")
        seen[node["last_beat_at"]] = (node["health"], node["load"]["starved"])
        return len(seen) >= STEADY_BEATS

    await soon(enough, within_s=60, step_s=0.1, what="some more beats")
    assert "ONLINE" not in {health for health, _ in seen.values()}, seen
    assert max(starved for _, starved in seen.values()) >= 0.5, "and that is why"


async def stands_still(scene: Scene) -> None:
    """It gets less, then nothing, and is dead in the end; what it ran goes elsewhere."""
    scene.cluster.pause("w2")
    silent = await scene.is_in("w2", "OFFLINE", "DEAD")
    assert silent["slots_given"] == 0
    await scene.is_in("w2", "DEAD")
    (scene.cluster.journals / GO).touch()

    async def all_done() -> bool:
        return await scene.cluster.count("state IN ('PENDING', 'RUNNING')") == 0

    await soon(all_done, within_s=60, what="the other one executes all of it")
    scene.cluster.resume("w2")


@mostly_on("postgresql")
async def test_a_worker_goes_on_at_a_server_that_it_was_not_started_with(cluster: Cluster) -> None:
    if cluster.is_sqlite:
        return  # it has one server
    for name in ("s1", "s2"):
        cluster.start_server(name, options=("--advertise", cluster.address_of(name)))
    await cluster.answers("s1")
    cluster.start_worker("w1", jobs="tests.cluster.patience", server=cluster.address_of("s1"))
    await cluster.declared("nothing")
    await cluster.answers("s2")
    scene = Scene(cluster)
    assert (await scene.node("s1"))["address"] == cluster.address_of("s1")
    await soon(lambda: knows(cluster, "s2"), within_s=60, what="a beat named the other one")
    cluster.kill("s1")
    await cluster.trigger("nothing", 5)

    async def done() -> bool:
        return await cluster.count("state = 'SUCCEEDED'") == 5

    await soon(done, within_s=60, what="runs are leased from the other server")


def knows(cluster: Cluster, server: str) -> bool:
    lines = cluster.processes["w1"].log.read_text("utf-8").splitlines()
    return any("servers.known" in line and cluster.address_of(server) in line for line in lines)
