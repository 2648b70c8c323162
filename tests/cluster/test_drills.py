"""Every drill on a real cluster of two servers and two workers: detected, survived, judged."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from foliot.client.awaited.foliot import AsyncFoliot
from foliot.domain.drills import DrillType
from foliot.domain.errors import ClusterTrouble, FoliotError
from tests.cluster.cluster import Cluster
from tests.eventually import soon
from tests.servers.fixtures import MakeDatabase
from tests.sql.world import migrate

ALLOWED = ("--allow-drills",)
OVER_WITHIN_S = 60.0

pytestmark = [pytest.mark.services, pytest.mark.slow]


class Scene:
    """The cluster, and an admin who breaks it."""

    def __init__(self, cluster: Cluster, client: AsyncFoliot) -> None:
        self.cluster, self.client = cluster, client

    async def drilled(self, type_: str, on: str, for_: str = "2s", size: str | None = None) -> Mapping[str, Any]:
        """The report of a drill that was run to its end; nothing was lost, doubled or early."""
        asked = await self.client.drills.run(type_, on=on, for_=for_, size=size, alone=True, reason="a rehearsal")
        report: dict[str, Any] = {}

        async def is_over() -> bool:
            try:
                report.update(await self.client.drills.get(asked["id"]))
            except ClusterTrouble:  # the one that is asked may be the one that is broken
                return False
            return report["state"] not in ("ASKED", "RUNNING")

        await soon(is_over, within_s=OVER_WITHIN_S, step_s=0.3, what=f"the end of {type_} on {on}")
        assert report["state"] == "ENDED", report
        fires = report["fires"]
        assert (fires["lost"], fires["doubled"], fires["early"]) == (0, 0, 0), report
        assert fires["due"] > 0, report
        return report

    async def is_back(self, name: str) -> None:
        """Until the node takes work."""

        async def ready() -> bool:
            try:
                node = await self.client.nodes.get(name)
            except FoliotError:
                return False
            return bool(node["life"] == "READY" and node["health"] == "ONLINE")

        await soon(ready, within_s=30, what=f"{name} is back")

    async def follower(self) -> str:
        """The server that does not lead."""
        leader = await self.cluster.leader()
        return next(name for name in self.cluster.servers if name != leader)

    async def noted(self, report: Mapping[str, Any]) -> set[str]:
        """The types of failures that the cluster noted of it."""
        return {(await self.client.cluster.failover(number))["type"] for number in report["failovers"]}


@pytest.fixture
async def scene(postgres_database: MakeDatabase, tmp_path: Path) -> AsyncIterator[Scene]:
    with Cluster(postgres_database(migrate), tmp_path) as cluster:
        for name in ("s1", "s2"):
            cluster.start_server(name, options=ALLOWED)
        admin = {"FOLIOT_SERVER": cluster.address_of("s1"), "FOLIOT_TOKEN_FILE": str(cluster.folder / "token")}
        for name in ("w1", "w2"):
            cluster.start_worker(name, jobs="tests.cluster.drill_jobs", options=ALLOWED, environment=admin)
        await cluster.answers("s1")
        await cluster.answers("s2")
        await cluster.declared("each_second")
        async with AsyncFoliot(cluster.server_urls, cluster.token) as client:
            scene = Scene(cluster, client)
            await scene.is_back("w1")
            await scene.is_back("w2")
            yield scene


async def test_every_drill_is_survived_and_judged(scene: Scene) -> None:
    """All types on one cluster, one after the other: to start its processes takes longest."""
    await what_takes_part_is_listed(scene)
    await a_hang_ends_by_a_helper_and_its_runs_go_elsewhere(scene)
    await a_server_without_its_store_says_so_afterwards(scene)
    await a_slow_store_loses_nothing(scene)
    await a_clock_that_is_ahead_is_noticed(scene)
    await a_worker_without_slots_leaves_its_work_to_the_other(scene)
    await a_deadlock_is_ended(scene)
    await a_full_disk_loses_nothing(scene)
    await a_leader_that_is_killed_is_followed_by_another(scene)


@pytest.mark.matrix
async def test_a_worker_that_is_killed_or_cut_off_is_replaced(scene: Scene) -> None:
    report = await scene.drilled("partition", "w2", "6s")
    assert 0 < report["detected_s"] <= report["failed_over_s"] <= report["recovered_s"], report
    assert await scene.noted(report) == {"network_partition"}
    await scene.is_back("w2")
    report = await scene.drilled("crash", "w1")
    assert 0 < report["detected_s"] <= report["failed_over_s"], report
    assert await scene.noted(report) == {"worker_crash"}
    assert not scene.cluster.processes["w1"].is_alive


async def what_takes_part_is_listed(scene: Scene) -> None:
    found = await scene.client.drills.types()
    assert found["nodes"] == ["s1", "s2", "w1", "w2"]
    assert {one["type"] for one in found["items"]} == {str(type_) for type_ in DrillType}
    preview = await scene.client.drills.preview("hang", on="w2", for_="6s")
    assert (preview["kind"], preview["others"]) == ("worker", 1), preview


async def a_hang_ends_by_a_helper_and_its_runs_go_elsewhere(scene: Scene) -> None:
    """It lasts longer than a session: the worker comes back as another one."""
    report = await scene.drilled("hang", "w2", "6s")
    assert 0 < report["detected_s"] <= report["failed_over_s"] <= report["recovered_s"], report
    assert report["recovered_s"] >= 6, report
    assert await scene.noted(report) == {"network_partition"}
    await scene.is_back("w2")


async def a_server_without_its_store_says_so_afterwards(scene: Scene) -> None:
    report = await scene.drilled("partition", await scene.follower())
    assert "store_unreachable" in await scene.noted(report), report
    assert report["recovered_s"] >= 2, report


async def a_slow_store_loses_nothing(scene: Scene) -> None:
    report = await scene.drilled("slow_store", await scene.follower(), size="150ms")
    assert (report["recovered_s"] >= 2, report["size_s"]) == (True, 0.15), report


async def a_clock_that_is_ahead_is_noticed(scene: Scene) -> None:
    report = await scene.drilled("clock_step", "w1", "4s", size="-2h")
    assert report["size_s"] == -7200, report
    assert 0 <= report["detected_s"] <= report["recovered_s"], report
    assert report["failovers"] == [], "nothing is decided by it"


async def a_worker_without_slots_leaves_its_work_to_the_other(scene: Scene) -> None:
    report = await scene.drilled("exhaust", "w1")
    assert report["detected_s"] is not None, report
    assert report["failovers"] == [], report


async def a_deadlock_is_ended(scene: Scene) -> None:
    report = await scene.drilled("deadlock", "w2", "8s")
    assert await scene.noted(report) == {"lock_deadlock"}, report
    assert report["detected_s"] <= report["failed_over_s"], report
    assert list(await scene.client.locks.list()) == [], "the drill gave its locks back"


async def a_full_disk_loses_nothing(scene: Scene) -> None:
    """Servers take every result, so nobody needs the disk meanwhile. A job with a schedule asks for the drill."""
    asked = await scene.client.jobs.trigger("rehearse_a_full_disk")
    run = await scene.client.runs.wait(asked.id, timeout=f"{OVER_WITHIN_S}s")
    assert run.state == "SUCCEEDED", run
    report = await scene.client.drills.get((await scene.client.runs.result(run.id))["result"])
    assert (report["type"], report["state"], report["reason"]) == ("disk_full", "ENDED", "every Tuesday")
    assert report["failovers"] == [], report


async def a_leader_that_is_killed_is_followed_by_another(scene: Scene) -> None:
    """The next leader notes the death."""
    leader = await scene.cluster.leader()
    report = await scene.drilled("crash", leader)
    assert 0 < report["detected_s"] <= report["failed_over_s"], report
    assert await scene.noted(report) == {"server_crash"}
    assert not scene.cluster.processes[leader].is_alive
    history = await scene.client.drills.list(limit=20)
    assert {one["state"] for one in history} == {"ENDED"}
    assert {one["type"] for one in history} == {str(type_) for type_ in DrillType}
