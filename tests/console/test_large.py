"""A store with many jobs, runs, nodes and shards, by counts. `python -m bench console` measures times."""

import asyncio
from pathlib import Path

import pytest

from foliot_bench.ground import ground
from tests.cluster.cluster import Cluster
from tests.console.large import Large, Sizes, fill
from tests.console.walking import walk
from tests.servers.fixtures import MakeDatabase
from tests.servers.sql import apart
from tests.sql.world import migrate
from web import build

pytestmark = pytest.mark.services
SIZES = Sizes(jobs=2500, runs=10_000, nodes=150, shards=250, log_bytes=1024 * 1024)  # more jobs than one look reads


async def filled(url: str) -> Large:
    async with ground(url) as place:
        return await fill(place, SIZES)


def test_a_large_cluster_fits_on_the_screen(postgres_database: MakeDatabase, tmp_path: Path) -> None:
    assert build.build() == 0
    url = postgres_database(migrate)
    large = apart(lambda: asyncio.wait_for(filled(url), 120))
    with Cluster(url, tmp_path) as cluster:
        cluster.start_server("s1", options=("--timing", "prod"))
        apart(lambda: cluster.answers("s1"))
        walk(
            "large",
            FOLIOT_URL=cluster.address_of("s1"),
            FOLIOT_TOKEN=cluster.token,
            FOLIOT_SHARDED=large.sharded,
            FOLIOT_LONG_LOG=large.long_log,
            FOLIOT_LAST_JOB=f"job-{SIZES.jobs - 1}",
            FOLIOT_NODES=str(SIZES.nodes),
            FOLIOT_SHARDS=str(SIZES.shards),
        )
