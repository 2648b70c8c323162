"""Everything at once: kill, pause, cut, delay, reset and store restarts, as chance has it; its seed is shown (F26)."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.lines import through
from tests.cluster.nemesis import ENOUGH_S, Nemesis
from tests.cluster.recording import record
from tests.eventually import soon
from tests.servers.mariadb import MariaDB
from tests.servers.postgres import Postgres
from tests.servers.proxy import FaultProxy
from tests.servers.sql import SqlServer
from tests.sql.world import migrate

pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.matrix, pytest.mark.anyio]

LASTS_S = 600.0
SERVERS = ("s1", "s2", "s3")


@contextmanager
def stormy(make: Callable[..., SqlServer], folder: Path) -> Iterator[tuple[Cluster, Nemesis]]:
    """A database server of its own, three servers and four workers; s1's store and w1's servers are behind proxies."""
    with make(fast=True) as store:  # survives kill -9; only a power cut is left out
        url = store.database(migrate)
        record(url)
        with FaultProxy(store.port) as to_store, Cluster(url, folder) as cluster:
            for name in SERVERS:
                cluster.start_server(name, url=to_store.url(url) if name == "s1" else "")
            with ExitStack() as lines:
                to_servers = [lines.enter_context(FaultProxy(cluster.port_of(name))) for name in SERVERS]
                cluster.start_worker("w1", server=through(to_servers))
                for name in ("w2", "w3", "w4"):
                    cluster.start_worker(name)
                yield cluster, Nemesis(cluster, store, to_store, to_servers)


@pytest.mark.parametrize("make", [pytest.param(Postgres, id="postgresql"), pytest.param(MariaDB, id="mariadb")])
async def test_f26_a_random_mix(make: Callable[..., SqlServer], tmp_path: Path) -> None:
    with stormy(make, tmp_path) as (cluster, nemesis):
        await cluster.wait_for_runs(15)
        await nemesis.rage(LASTS_S)
        print("done:", dict(nemesis.done))
        cluster.figures["faults"] = dict(nemesis.done)
        succeeded = await cluster.count("state = 'SUCCEEDED'")
        await soon(partial(goes_on, cluster, succeeded + 10), within_s=60, what="work goes on")
        await cluster.judged("F26")
        assert nemesis.done.total() >= LASTS_S / ENOUGH_S, nemesis.done


async def goes_on(cluster: Cluster, count: int) -> bool:
    return await cluster.count("state = 'SUCCEEDED'") >= count
