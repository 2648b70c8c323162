"""Bands of real workers: one has no CPU, one is far away, one stands still. Its share of work follows its band."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import pytest

from tests.cluster.api import people_of
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import mostly_on
from tests.cluster.failover_table import FailoverTable, now_us
from tests.cluster.patience import GO
from tests.cluster.process import Process
from tests.eventually import soon
from tests.servers.fixtures import MakeProxy
from tests.servers.proxy import FaultProxy

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

SLOTS = 4
SHARE = SLOTS // 2  # of a worker in WARNING
BY_STARVATION = (
    *("--health", "score=0.7,calm=0.6,beats=2"),
    *("--load-weights", "cpu=0,memory=0,connections=1,running=0"),
)
"""Whatever else the machine does, it counts little: a worker is strained when it wants a CPU and has none."""
BY_LATENESS = ("--health", "score=1,calm=0.99,beats=2,warning_after=1600ms")
"""A beat is due every 1.33 s. Nothing but beats that come late counts."""
FAR_S = 0.7
"""One way. The next beat waits for the answer and 0.27 s more, so no two come within 1.6 s; an answer counts for as
long as that."""
HOGS = 5
"""A worker that computes gets a sixth of the CPU beside them, whether the kernel shares it among processes or among
sessions of terminals. With much less, the thread that beats would wait for the interpreter for too long."""
STEADY_BEATS = 5


class KeptBeat(NamedTuple):
    """A beat as the store kept it: the recording triggers copy every one."""

    session: str
    number: int
    band: str


class Scene:
    """Two workers, each with a server of its own, and what their beats say."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.table = FailoverTable(cluster)

    async def node(self, name: str) -> dict[str, Any]:
        async with people_of(self.cluster, self.cluster.servers[-1]) as api:
            found: dict[str, Any] = (await api.get(f"/api/v1/nodes/{name}")).json()
            return found

    async def is_in(self, name: str, *healths: str, within_s: float = 90.0) -> dict[str, Any]:
        """The node once it is in one of these bands."""
        found: dict[str, Any] = {}

        async def reached() -> bool:
            found.update(await self.node(name))
            return found.get("health") in healths

        await soon(reached, within_s=within_s, step_s=0.1, what=f"{name} is {' or '.join(healths)}")
        return found

    async def runs_on(self, name: str, count: int, *, what: str) -> None:
        """Wait until this worker executes as many runs."""

        async def counted() -> bool:
            return await self.running_on(name) == count

        await soon(counted, within_s=90, what=what)

    async def running_on(self, name: str) -> int:
        live = f"SELECT id FROM nodes WHERE name = '{name}' AND state = 'live'"
        return await self.cluster.count(f"state = 'RUNNING' AND session_id IN ({live})")

    async def is_warned(self, name: str) -> None:
        """Wait until its beats have put it into WARNING. Silence alone shows WARNING only until the next beat."""

        async def warned() -> bool:
            return [beat.band for beat in await self.beats(name)][-1:] == ["WARNING"]

        await soon(warned, within_s=90, step_s=0.1, what=f"{name} is in WARNING")
        assert (await self.node(name))["slots_given"] <= SHARE

    async def stays_warned(self, name: str) -> None:
        """No flapping: while the cause lasts, each beat leaves the worker where it is."""
        before = len(await self.beats(name))
        kept: list[KeptBeat] = []

        async def enough() -> bool:
            kept[:] = (await self.beats(name))[before:]
            return len(kept) >= STEADY_BEATS

        await soon(enough, within_s=90, step_s=0.2, what="some more beats")
        assert {beat.band for beat in kept} == {"WARNING"}, kept

    async def beats(self, name: str) -> list[KeptBeat]:
        """Every beat of this worker, in order."""
        rows = await self.cluster.rows("SELECT body FROM foliot_history WHERE table_name = 'nodes' ORDER BY seq")
        nodes = [node for row in rows if (node := json.loads(row["body"]))["name"] == name]
        beats = [KeptBeat(node["id"], node["beat_no"], node["band"]) for node in nodes if node["beat_no"]]
        return list(dict.fromkeys(beats))

    async def is_noted_as_late(self, name: str) -> None:
        """The journal has the cause, and no row says that the worker exhausted anything."""
        noted = "SELECT data FROM events WHERE kind = 'node.band' AND subject = '{}'"

        async def is_there() -> bool:
            rows = [json.loads(row["data"]) for row in await self.cluster.rows(noted.format(name))]
            return {row["cause"] for row in rows if row["band"] == "WARNING"} == {"late"}

        await soon(is_there, within_s=30, step_s=0.2, what=f"the journal says why {name} was in WARNING")
        assert [row for row in await self.table.rows() if row["subject"] == name] == []


def start_worker(cluster: Cluster, name: str, *, server: str) -> Process:
    return cluster.start_worker(name, slots=SLOTS, jobs="tests.cluster.spinning", server=server)


@contextmanager
def starved(pid: int) -> Iterator[None]:
    """The main thread of a process shares one CPU with programs that compute. Its beats have a thread of their own."""
    cpu = min(os.sched_getaffinity(0))
    code = f"import os\nos.sched_setaffinity(0, {{{cpu}}})\nwhile True: pass"
    with ExitStack() as stack:
        for _ in range(HOGS):
            hog = stack.enter_context(subprocess.Popen([sys.executable, "-c", code], start_new_session=True))
            stack.callback(hog.kill)
        os.sched_setaffinity(pid, {cpu})
        stack.callback(os.sched_setaffinity, pid, os.sched_getaffinity(0))
        yield


@mostly_on("postgresql")
async def test_a_workers_share_of_work_follows_its_band(cluster: Cluster, fault_proxy: MakeProxy) -> None:
    """Every run waits to be told, so what a worker executes is what it was given."""
    scene = Scene(cluster)
    cluster.start_server("s1", options=BY_STARVATION)
    cluster.start_server("s2", options=BY_LATENESS)
    line = fault_proxy(cluster.port_of("s2"))
    await has_no_cpu(scene)
    start_worker(cluster, "w2", server=f"http://127.0.0.1:{line.port}")
    await is_far_away(scene, line)
    await stands_still(scene)
    print("failovers:", await scene.table.is_right())


async def has_no_cpu(scene: Scene) -> None:
    """It gets half of its slots while it starves, and all of them afterwards."""
    cluster, began_at = scene.cluster, now_us()
    starving = start_worker(cluster, "w1", server=cluster.address_of("s1"))
    await cluster.declared("spins")
    await cluster.trigger("spins", 1)
    await soon(lambda: any(cluster.journals.iterdir()), within_s=60, what="it computes")
    with starved(starving.pid):
        await scene.is_warned("w1")
        await cluster.trigger("until_told", SLOTS)
        await scene.runs_on("w1", SHARE, what="it takes half of its slots")
        await scene.stays_warned("w1")
        assert await scene.running_on("w1") == SHARE, "runs wait, and it still gets none"
        (cluster.journals / f"{GO}-spinner").touch()
    well = await scene.is_in("w1", "ONLINE")
    assert well["slots_given"] == SLOTS
    await scene.runs_on("w1", SLOTS, what="it has all its slots again")
    scene.table.expect("resource_exhaustion", "w1", at=began_at, outcome="recovered")


async def is_far_away(scene: Scene, line: FaultProxy) -> None:
    """Beats that come late cost it half of its slots; when they come in time again, it gets all of them."""
    cluster = scene.cluster
    await scene.is_in("w2", "ONLINE")
    line.delay(FAR_S)
    await scene.is_warned("w2")
    await cluster.trigger("until_told", SLOTS, mark="far-")
    await scene.runs_on("w2", SHARE, what="it takes half of its slots")
    await scene.stays_warned("w2")
    assert await scene.running_on("w2") == SHARE, "runs wait, and it still gets none"
    line.heal()
    await scene.runs_on("w2", SLOTS, what="it takes all its slots")
    await scene.is_noted_as_late("w2")


async def stands_still(scene: Scene) -> None:
    """It gets nothing, and is dead in the end; what it ran goes elsewhere."""
    began_at = now_us()
    scene.cluster.pause("w2")
    silent = await scene.is_in("w2", "OFFLINE", "DEAD")
    assert silent["slots_given"] == 0
    await scene.is_in("w2", "DEAD")
    (scene.cluster.journals / GO).touch()

    async def all_done() -> bool:
        return await scene.cluster.count("state IN ('PENDING', 'RUNNING')") == 0

    await soon(all_done, within_s=90, what="the other one executes all of it")
    moved = [run for run in await scene.cluster.runs("until_told") if run["deaths"] > 0]
    assert len(moved) == SLOTS, "what it executed was begun anew"
    scene.cluster.resume("w2")
    scene.table.expect("network_partition", "w2", at=began_at, outcome="recovered")


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
