"""Every drill on a real cluster of two servers and two workers: detected, survived, judged."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from foliot.client.awaited.foliot import AsyncFoliot
from foliot.client.errors import ServerAway
from foliot.domain.errors import FoliotError
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

    async def drilled(self, type_: str, on: str, for_: str = "2s") -> Mapping[str, Any]:
        """The report of a drill that was run to its end; nothing was lost, doubled or early."""
        asked = await self.client.drills.run(type_, on=on, for_=for_, reason="a rehearsal")
        report: dict[str, Any] = {}

        async def is_over() -> bool:
            try:
                report.update(await self.client.drills.get(asked["id"]))
            except ServerAway:
                return False
            return report["state"] not in ("asked", "running")

        await soon(is_over, within_s=OVER_WITHIN_S, step_s=0.3, what=f"the end of {type_} on {on}")
        assert report["state"] == "ended", report
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

    async def noted(self, report: Mapping[str, Any]) -> set[str]:
        """The types of failures that the cluster noted of it."""
        return {(await self.client.cluster.failover(number))["type"] for number in report["failovers"]}


@pytest.fixture
async def scene(postgres_database: MakeDatabase, tmp_path: Path) -> AsyncIterator[Scene]:
    with Cluster(postgres_database(migrate), tmp_path) as cluster:
        for name in ("s1", "s2"):
            cluster.start_server(name, options=ALLOWED)
        for name in ("w1", "w2"):
            cluster.start_worker(name, jobs="tests.cluster.drill_jobs", options=ALLOWED)
        await cluster.answers("s1")
        await cluster.answers("s2")
        await cluster.declared("each_second")
        async with AsyncFoliot(cluster.server_urls, cluster.token) as client:
            scene = Scene(cluster, client)
            await scene.is_back("w1")
            await scene.is_back("w2")
            yield scene


async def test_every_drill_is_detected_survived_and_judged(scene: Scene) -> None:
    await a_hang_is_over_by_itself(scene)
    await a_worker_that_is_killed(scene)
    await a_server_that_is_killed(scene)


async def a_hang_is_over_by_itself(scene: Scene) -> None:
    """Longer than its session lives: its runs go elsewhere, and it comes back as another session."""
    preview = await scene.client.drills.preview("hang", on="w2", for_="6s")
    assert (preview["kind"], preview["others"]) == ("worker", 1), preview
    report = await scene.drilled("hang", "w2", "6s")
    assert 0 < report["detected_s"] <= report["failed_over_s"] <= report["recovered_s"], report
    assert report["recovered_s"] >= 6, report
    assert report["fires"]["rerun"] > 0, report
    assert await scene.noted(report) == {"network_partition"}
    await scene.is_back("w2")


async def a_worker_that_is_killed(scene: Scene) -> None:
    report = await scene.drilled("crash", "w1")
    assert 0 < report["detected_s"] <= report["failed_over_s"], report
    assert await scene.noted(report) == {"worker_crash"}
    assert not scene.cluster.processes["w1"].is_alive
    scene.cluster.start_worker("w1", jobs="tests.cluster.drill_jobs", options=ALLOWED)
    await scene.is_back("w1")


async def a_server_that_is_killed(scene: Scene) -> None:
    """The leader: another one is elected, and judges."""
    leader = await scene.cluster.leader()
    report = await scene.drilled("crash", leader)
    assert await scene.noted(report) == {"server_crash"}
    assert report["worst_delay_s"] < OVER_WITHIN_S
    scene.cluster.start_server(leader, options=ALLOWED)
    await scene.cluster.answers(leader)
