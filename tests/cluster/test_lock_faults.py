"""Locks while all around them breaks (F27 under F04, F10, F12, F17), by every coordinator: at full size alone."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.cluster.api import people_of
from tests.cluster.asking import asked
from tests.cluster.cluster import Cluster
from tests.cluster.figures import write_figures
from tests.cluster.lock_scene import Scene
from tests.cluster.recording import record_postgresql
from tests.cluster.test_coordination import SECRET, etcd, redis, zookeeper
from tests.coordination.arena import Service
from tests.coordination.services import OneFile
from tests.eventually import soon
from tests.servers.fixtures import MakeProxy
from tests.servers.postgres import Postgres
from tests.servers.sql import apart
from tests.sql.world import migrate

pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.anyio, pytest.mark.matrix]

LASTS_S = 5.0  # longer than a lock's ttl (2 s) and a session's (4 s)
TURNS = 5
WITHIN_S = 90.0


@contextmanager
def file(password_file: Path) -> Iterator[Service]:
    yield OneFile(password_file.parent)


@pytest.mark.parametrize("service", [file, redis, etcd, zookeeper])
async def test_f27_no_fault_gives_a_lock_to_two(
    service: Callable[[Path], AbstractContextManager[Service]], tmp_path: Path, fault_proxy: MakeProxy
) -> None:
    password_file = tmp_path / "password"
    password_file.write_text(SECRET)
    with Postgres(fast=True) as store, service(password_file) as backend:
        url = store.database(migrate)
        apart(lambda: asyncio.wait_for(record_postgresql(url), 30))
        with Cluster(url, tmp_path) as cluster:
            for name in ("s1", "s2"):
                cluster.start_server(name, options=("--coord", backend.url()))
            line = fault_proxy(cluster.port_of("s1"))
            cluster.start_worker("w1", server=f"http://127.0.0.1:{line.port}", jobs="tests.cluster.turn_jobs")
            cluster.start_worker("w2", jobs="tests.cluster.turn_jobs tests.cluster.lock_jobs")
            await cluster.answers("s1")
            async with people_of(cluster, "s2") as people:
                scene = Scene(cluster, people)
                await goes_on(scene)

                cluster.note("cut", node="w1")
                line.cut()
                await cluster.load(LASTS_S)
                line.heal()
                await goes_on(scene)

                cluster.pause("w1")
                await cluster.load(LASTS_S)
                cluster.resume("w1")
                await goes_on(scene)

                await asyncio.to_thread(backend.stop)
                await cluster.load(LASTS_S)
                await goes_on(scene)
                await asyncio.to_thread(backend.start)

                cluster.note("store", way="kill")
                await asyncio.to_thread(store.kill)
                await cluster.load(LASTS_S)
                await asyncio.to_thread(store.restart)
                await goes_on(scene)

                for first, second in (("a", "b"), ("b", "a")):
                    await scene.trigger("cross", first=first, second=second)
                    await scene.has(first)
                scene.open("a")
                scene.open("b")
                await soon(lambda: scene.lines("broken"), within_s=WITHIN_S, what="a deadlock ends, too")
                scene.check_fences()
            await cluster.settle()
            findings = await cluster.judge()
            write_figures(f"F27-{service.__name__}", cluster.store, cluster.figures)
            assert not {number: finding.wrong[:5] for number, finding in findings.items() if not finding.holds}
            assert await asked(cluster.url, "SELECT count(*) FROM lock_claims") == 0


async def goes_on(scene: Scene) -> None:
    """Wait until runs of both workers had locks anew, each so often."""
    before = {name: len(scene.lines("used", lock=name)) for name in ("till", "door")}

    def had() -> bool:
        scene.cluster.check_processes()
        return all(len(scene.lines("used", lock=name)) >= count + TURNS for name, count in before.items())

    await soon(had, within_s=WITHIN_S, what="locks are had in turns")
