"""Galera under a real cluster: a node killed, one frozen, the quorum lost, all restarted; writers on every node.

Whatever happens each instant is decided once: two nodes may hand out the same row, and the second commit fails (1213).
Galera is always taken for lossy, so what it may have forgotten is counted (F15, F16).
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import Size
from tests.cluster.failing_over import GOES_ON_WITHIN_S, FailingOver
from tests.cluster.probe import Probe
from tests.cluster.recording import record_mariadb
from tests.cluster.timing import SLACK
from tests.eventually import eventually
from tests.servers.galera import NODES, Galera
from tests.sql.world import migrate

pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.anyio]

QUORUM_LOST_FOR_S = 10.0
LOAD_S = 40.0
CONFLICTS = ("wsrep_local_cert_failures", "wsrep_local_bf_aborts")
"""Transactions that a node had to undo because another node's came first: the client sees 1213."""


@asynccontextmanager
async def started(folder: Path) -> AsyncIterator[tuple[Galera, Cluster, Probe]]:
    """Three nodes, a recorded store on them, a writer beside Foliot; no process of Foliot's yet."""
    galera = await asyncio.to_thread(Galera().start)
    try:
        url = await asyncio.to_thread(galera.database, migrate)
        await asyncio.to_thread(record_mariadb, galera.url(name_of(url), 0))
        async with Probe(url) as probe:
            with Cluster(url, folder) as cluster:
                cluster.lossy = True
                cluster.store = "Galera"
                yield galera, cluster, probe
    finally:
        await asyncio.to_thread(galera.close)


def name_of(url: str) -> str:
    return url.rpartition("/")[2]


def asking(galera: Galera, url: str, frozen: set[int]) -> Callable[[str], Any]:
    """Asks the first node that takes writes."""

    def ask(sql: str) -> Any:
        for node in galera.nodes:
            if node.number in frozen or node.status().get("wsrep_ready") != "ON":
                continue
            with node._admin() as cursor:
                cursor.execute(f"USE {name_of(url)}")
                cursor.execute(sql)
                return cursor.fetchone()[0]
        raise ConnectionError("no node is ready")

    return ask


async def test_f15_nodes_are_lost(tmp_path: Path, size: Size) -> None:
    """All write to the first node; when it goes they move on to the next, and the epoch rises."""
    async with started(tmp_path) as (galera, cluster, probe):
        frozen: set[int] = set()
        store = FailingOver(cluster, probe, asking(galera, cluster.url, frozen))
        cluster.start(servers=3 if size == "full" else 2, workers=4 if size == "full" else 2)
        await cluster.wait_for_runs(15)

        await store.goes_on_after("kill", lambda: galera.kill_node(0))
        if size == "full":
            await asyncio.to_thread(galera.rejoin, 0)
            await cluster.load(3)
            frozen.add(0)
            await store.goes_on_after("pause", galera.nodes[0].pause)
            await asyncio.to_thread(galera.nodes[0].resume)
            frozen.clear()
            await asyncio.to_thread(galera.await_size, NODES)
            await cluster.load(3)
            await store.goes_on_after("quorum lost", lambda: without_quorum(galera))
            for number in (1, 2):
                await asyncio.to_thread(galera.rejoin, number)
            await cluster.load(3)
            await store.goes_on_after("restart of all", galera.restart_whole)
        await cluster.load(3)
        await cluster.judged("F15")
        assert cluster.figures["doubled"] == 0
        assert store.worst_after_writable_s() <= GOES_ON_WITHIN_S * SLACK[size], cluster.figures
        assert (cluster.figures["deaths"], cluster.figures["abandoned"]) == (0, 0), "nobody was taken for dead"


def without_quorum(galera: Galera) -> None:
    galera.lose_quorum()
    until = time.monotonic() + QUORUM_LOST_FOR_S
    eventually(lambda: time.monotonic() >= until, within_s=QUORUM_LOST_FOR_S + 10)  # the fault itself
    galera.regain_quorum()


@pytest.mark.matrix
async def test_f16_writers_on_every_node(tmp_path: Path) -> None:
    """Set up as it should not be, each server with a node of its own: slower, and still right."""
    async with started(tmp_path) as (galera, cluster, _):
        name = name_of(cluster.url)
        for number in range(NODES):
            order = [(number + step) % NODES for step in range(NODES)]
            cluster.start_server(f"s{number + 1}", url=galera.url(name, *order))
        for number in range(4):
            cluster.start_worker(f"w{number + 1}")
        await cluster.wait_for_runs(15)
        before = await asyncio.to_thread(counters, galera)
        await cluster.load(LOAD_S)
        after = await asyncio.to_thread(counters, galera)
        commits, conflicts = (later - earlier for earlier, later in zip(before, after, strict=True))
        cluster.figures |= {
            "commits": commits,
            "conflicts_1213": conflicts,
            "conflicts_per_1000_commits": round(1000 * conflicts / max(1, commits), 1),
        }
        await cluster.judged("F16")
        assert cluster.figures["doubled"] == 0
        assert commits > LOAD_S, "the load was real"
        assert (cluster.figures["deaths"], cluster.figures["abandoned"]) == (0, 0), "nobody was taken for dead"


def counters(galera: Galera) -> tuple[int, int]:
    """Commits replicated by all nodes, and transactions undone for another node's."""
    return galera.counted("wsrep_replicated"), sum(galera.counted(name) for name in CONFLICTS)
