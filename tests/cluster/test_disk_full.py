"""A disk is full for ten seconds, the store's, the spool's or the logs': refused in words, nothing is lost (F18)."""

import asyncio
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from foliot_check.report import as_table
from tests.cluster.api import Api, lasting, people_of
from tests.cluster.cluster import Cluster
from tests.cluster.recording import record_postgresql, record_sqlite
from tests.cluster.small_disk import SmallDisk, small_disk
from tests.conformance.world import migrate
from tests.eventually import soon
from tests.servers.postgres import Postgres
from tests.servers.sql import apart

pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.anyio]

FULL_S = 10.0
HELD = 40  # runs that end while nothing can be written
GOES_ON_WITHIN_S = 10.0
BULK = {"value": "x" * 60_000}


@contextmanager
def on_sqlite(folder: Path) -> Iterator[tuple[SmallDisk, Cluster]]:
    with small_disk(folder / "disk") as disk:
        path = disk.folder / "foliot.db"
        apart(lambda: asyncio.wait_for(migrate(f"sqlite:///{path}"), 30))
        record_sqlite(str(path))
        with Cluster(f"sqlite:///{path}", folder) as cluster:
            yield disk, cluster


@contextmanager
def on_postgresql(folder: Path) -> Iterator[tuple[SmallDisk, Cluster]]:
    """Its tables lie on the small disk; a full log of PostgreSQL's own would end the database server itself."""
    with Postgres(fast=True) as server, small_disk(server.directory.path / "disk") as disk:
        url = server.database(migrate)
        space = disk.folder / "space"
        space.mkdir(mode=0o700)
        if server.directory.user:
            shutil.chown(space, server.directory.user)
        apart(lambda: move_to(server.admin_url, url.rpartition("/")[2], space))
        apart(lambda: asyncio.wait_for(record_postgresql(url), 30))
        with Cluster(url, folder) as cluster:
            yield disk, cluster


async def move_to(admin_url: str, database: str, space: Path) -> None:
    connection = await asyncpg.connect(admin_url)
    try:
        await connection.execute(f"CREATE TABLESPACE small LOCATION '{space}'")
        await connection.execute(f"ALTER DATABASE {database} SET TABLESPACE small")
    finally:
        await connection.close()


@pytest.mark.parametrize("place", [on_sqlite, on_postgresql], ids=["sqlite", "postgresql"])
async def test_f18_the_stores_disk_is_full(
    place: Callable[[Path], AbstractContextManager[tuple[SmallDisk, Cluster]]],
    tmp_path: Path,
    record_property: Callable[[str, Any], None],
) -> None:
    with place(tmp_path) as (disk, cluster):
        cluster.start_server("s1")
        cluster.start_worker("w1", slots=HELD)
        cluster.start_worker("w2", jobs="tests.cluster.payloads")
        async with people_of(cluster) as api:
            await api.is_up()
            for job in ("half_a_second", "echo"):
                await cluster.declared(job)
            await cluster.wait_for_runs(10)
            await cluster.trigger("half_a_second", HELD)
            await soon(lambda: holds(cluster, HELD), within_s=60, what="the runs are under way")
            cluster.note("disk_full", of="store")
            disk.fill()
            api.statuses.clear()
            began_at = time.monotonic()
            await soon(lambda: is_refused(api), within_s=60, what="a write is refused")
            record_property("refused_after_s", round(time.monotonic() - began_at, 1))
            async for _ in lasting(FULL_S):
                await api.trigger("echo", BULK)
                assert (await api.get("/api/v1/jobs")).status_code == 200, "what is there can be read"
                assert all(process.is_alive for process in cluster.processes.values()), "no crash loop"
            print("answers while it was full:", dict(api.statuses))
            assert set(api.statuses) <= {200, 201, 503}
            assert api.statuses[503] >= 10
            disk.make_room()
            took_s = await goes_on(cluster, api)
        record_property("goes_on_after_s", took_s)
        await cluster.settle()
        assert await cluster.count("deaths > 0") == 0, "nobody was taken for dead"
        done = await cluster.runs("half_a_second")
        assert [(run["state"], run["attempt"]) for run in done] == [("SUCCEEDED", 1)] * HELD, "no result was lost"
        findings = await cluster.judge()
        assert all(finding.holds for finding in findings.values()), as_table(findings)


async def is_refused(api: Api) -> bool:
    return (await api.trigger("echo", BULK)).status_code == 503


async def goes_on(cluster: Cluster, api: Api) -> float:
    """Seconds until a write is taken and decisions are made again."""
    began_at = time.monotonic()

    async def taken() -> bool:
        return (await api.trigger("echo")).status_code == 201

    await soon(taken, within_s=GOES_ON_WITHIN_S, what="a write is taken again")
    decided = await cluster.count("triggered_by IS NULL")

    async def decides() -> bool:
        return await cluster.count("triggered_by IS NULL") > decided

    await soon(decides, within_s=GOES_ON_WITHIN_S, what="decisions go on")
    return round(time.monotonic() - began_at, 2)


def holds(cluster: Cluster, count: int) -> bool:
    """Whether so many attempts of the run that takes half a second have begun."""
    lines = (line for path in cluster.journals.glob("*.jsonl") for line in path.read_text().splitlines())
    return sum('"start"' in line and '"half_a_second"' in line for line in lines) >= count
