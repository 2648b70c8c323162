"""A disk is full for ten seconds, the store's, the spool's or the logs': refused in words, nothing is lost (F18)."""

import asyncio
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import asyncpg
import pytest

from tests.cluster.api import Api, lasting, people_of
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import Size
from tests.cluster.journals import lines_of
from tests.cluster.recording import record_postgresql, record_sqlite
from tests.cluster.small_disk import SmallDisk, small_disk
from tests.eventually import soon
from tests.servers.postgres import Postgres
from tests.servers.sql import apart
from tests.sql.world import migrate

pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.anyio]

FULL_S: dict[Size, float] = {"short": 6.0, "full": 10.0}  # longer than a session lives
HELD = 40  # runs that end while nothing can be written
GOES_ON_WITHIN_S: dict[Size, float] = {"short": 60.0, "full": 10.0}  # short: whatever else the machine does
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


@pytest.mark.parametrize(
    ("place", "size"),
    [
        pytest.param(on_sqlite, "short", id="sqlite-short"),
        pytest.param(on_sqlite, "full", id="sqlite-full", marks=pytest.mark.matrix),
        pytest.param(on_postgresql, "full", id="postgresql-full", marks=pytest.mark.matrix),
    ],
)
async def test_f18_the_stores_disk_is_full(
    place: Callable[[Path], AbstractContextManager[tuple[SmallDisk, Cluster]]],
    tmp_path: Path,
    size: Size,
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
            await soon(lambda: began(cluster, HELD), within_s=60, what="the runs are under way")
            cluster.note("disk_full", of="store")
            disk.fill()
            api.statuses.clear()
            began_at = time.monotonic()
            await soon(lambda: is_refused(api), within_s=60, what="a write is refused")
            cluster.figures["refused_after_s"] = round(time.monotonic() - began_at, 1)
            async for _ in lasting(FULL_S[size], at_least=5):
                await api.trigger("echo", BULK)
                assert (await api.get("/api/v1/jobs")).status_code == 200, "what is there can be read"
                assert all(process.is_alive for process in cluster.processes.values()), "no crash loop"
            assert set(api.statuses) <= {200, 201, 503}, api.statuses
            assert api.statuses[503] > max(2, api.statuses[201]), api.statuses  # what is small may still find room
            disk.make_room()
            cluster.figures["goes_on_after_s"] = await goes_on(cluster, api, within_s=GOES_ON_WITHIN_S[size])
            cluster.figures["answers"] = dict(api.statuses)
        await cluster.judged("F18")
        assert cluster.figures["deaths"] == 0, "nobody was taken for dead"
        assert {run["state"] for run in await cluster.runs("half_a_second")} == {"SUCCEEDED"}
        assert list(starts_of(cluster, "half_a_second").values()) == [1] * HELD, "no result was lost"


async def is_refused(api: Api) -> bool:
    return (await api.trigger("echo", BULK)).status_code == 503


async def goes_on(cluster: Cluster, api: Api, *, within_s: float) -> float:
    """Seconds until a write is taken and decisions are made again."""
    began_at = time.monotonic()

    async def taken() -> bool:
        return (await api.trigger("echo")).status_code == 201

    await soon(taken, within_s=within_s, what="a write is taken again")
    decided = await cluster.count("triggered_by IS NULL")

    async def decides() -> bool:
        return await cluster.count("triggered_by IS NULL") > decided

    await soon(decides, within_s=within_s, what="decisions go on")
    return round(time.monotonic() - began_at, 2)


def began(cluster: Cluster, count: int, what: str = "start") -> bool:
    """Whether so many runs that take half a second have begun (or come to their end)."""
    return len(starts_of(cluster, "half_a_second", what)) >= count


def starts_of(cluster: Cluster, job: str, what: str = "start") -> Counter[str]:
    """How often each run of a job was begun, by the journals."""
    return Counter(line["run"] for line in lines_of(cluster) if line["what"] == what and line["job"] == job)


@pytest.mark.parametrize("recorded_url", ["sqlite"], indirect=True)
async def test_f18_the_disk_of_spool_and_logs_is_full(recorded_url: str, tmp_path: Path, size: Size) -> None:
    """Results that no server takes and no disk keeps wait in memory; log lines are lost, and nothing else is."""
    with small_disk(tmp_path / "spool-w1", size="1m") as disk, Cluster(recorded_url, tmp_path) as cluster:
        cluster.logs = disk.folder
        cluster.start_server("s1")
        worker = cluster.start_worker("w1", slots=HELD)
        await cluster.declared("half_a_second")
        await cluster.trigger("half_a_second", 5 * HELD)
        await soon(lambda: began(cluster, HELD), within_s=60, what="runs are under way")
        cluster.note("disk_full", of="spool and logs")
        disk.fill()
        cluster.kill("s1")
        await soon(lambda: began(cluster, HELD, "end"), within_s=60, what="the worker ended what it holds")
        await cluster.load(FULL_S[size] / 2)
        cluster.processes["s1"].close()  # or its log is given back to the disk only when the next one starts
        cluster.processes["s1"].log.unlink()
        disk.fill()  # a server that starts now cannot say a word
        server = cluster.start_server("s1")

        async def all_done() -> bool:
            return await cluster.count("state = 'SUCCEEDED' AND triggered_by IS NOT NULL") == 5 * HELD

        await soon(all_done, within_s=120, what="every result arrived, with the disk still full")
        assert disk.free_bytes < 16_384, "it was full all the time"
        assert set(starts_of(cluster, "half_a_second").values()) == {1}, "no result was lost: nothing ran twice"
        disk.make_room()
        await cluster.judged("F18-spool", at_least=10)
        assert worker.stop() == 0, cluster.tail("w1")
        assert server.stop() == 0, cluster.tail("s1")
        assert "worker.left" in worker.log.read_text("utf-8", "replace"), "it writes again"
