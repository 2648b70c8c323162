"""The store is restarted under load: fast, at once, by kill -9, for longer than a session lives (F12, L4, R6, R8)."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cluster.asking import asked
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import Size
from tests.cluster.recording import record, record_sqlite
from tests.cluster.timing import SLACK
from tests.eventually import soon
from tests.servers.mariadb import MariaDB
from tests.servers.postgres import Postgres
from tests.servers.sql import SqlServer, apart
from tests.sql.world import migrate

MATRIX = pytest.mark.matrix
pytestmark = [pytest.mark.slow, pytest.mark.anyio]

GOES_ON_WITHIN_S = 5.0  # L4
AT_ALL_WITHIN_S = 60.0
LONGER_THAN_A_SESSION_S = 6.0  # of the test profile: ttl 4 s, grace 0.4 s
AWAY_S: dict[Size, float] = {"short": 2.5, "full": 0.0}
"""So long at least. Beyond half a session's time nobody is reaped before everybody could beat again (R8); what takes a
little less leaves a worker half a second for its next beat, which a machine that does other things may need itself."""

NEWEST = "SELECT coalesce(max(created_at), 0) FROM runs"
EPOCH = "SELECT epoch FROM store_meta"


async def goes_on(cluster: Cluster, *, epoch_before: int) -> float:
    """Wait until decisions go on and the epoch has risen; seconds since the store took writes again."""
    began_at = time.monotonic()
    newest = await asked(cluster.url, NEWEST)

    async def decided() -> bool:
        return bool(await asked(cluster.url, NEWEST) > newest)

    await soon(decided, within_s=AT_ALL_WITHIN_S, what="a decision after the restart")
    took_s = time.monotonic() - began_at
    assert await asked(cluster.url, EPOCH) > epoch_before
    return took_s


async def nobody_was_hurt(cluster: Cluster) -> None:
    """Every session that began is alive, no run lost its worker, and the checker is content."""
    assert await asked(cluster.url, "SELECT count(*) FROM nodes WHERE state = 'dead' AND beat_no > 0") == 0
    assert await asked(cluster.url, "SELECT count(*) FROM runs WHERE deaths > 0 OR kind = 'lost'") == 0
    await cluster.judged("F12")


@contextmanager
def started(make: Callable[..., SqlServer], folder: Path) -> Iterator[tuple[SqlServer, Cluster]]:
    """A database server of its own, two Foliot servers and two workers on it."""
    with make(fast=True) as server:  # survives kill -9; only a power cut is left out
        url = server.database(migrate)
        record(url)
        with Cluster(url, folder) as cluster:
            for name in ("s1", "s2"):
                cluster.start_server(name)
            for name in ("w1", "w2"):
                cluster.start_worker(name)
            yield server, cluster


@pytest.mark.services
@pytest.mark.parametrize(
    ("make", "size", "ways"),
    [
        pytest.param(Postgres, "short", ("immediate", "long", "kill"), id="postgresql-short"),
        pytest.param(MariaDB, "short", ("fast", "kill"), id="mariadb-short"),
        pytest.param(
            Postgres, "full", ("fast", "immediate", "kill", "long", "kill"), id="postgresql-full", marks=MATRIX
        ),
        pytest.param(MariaDB, "full", ("fast", "kill", "fast", "long", "kill"), id="mariadb-full", marks=MATRIX),
    ],
)
async def test_decisions_go_on_after_each_restart_and_nobody_is_reaped(
    make: Callable[..., SqlServer], size: Size, ways: tuple[str, ...], tmp_path: Path
) -> None:
    with started(make, tmp_path) as (server, cluster):
        await cluster.wait_for_runs(15)
        took: list[float] = []
        for way in ways:
            epoch = await asked(cluster.url, EPOCH)
            cluster.note("store", way=way)
            if way == "kill":
                await asyncio.to_thread(server.kill)
            else:
                await asyncio.to_thread(server.stop, "fast" if way == "long" else way)
            await asyncio.sleep(LONGER_THAN_A_SESSION_S if way == "long" else AWAY_S[size])  # the fault itself
            await asyncio.to_thread(server.restart)
            took.append(round(await goes_on(cluster, epoch_before=epoch), 2))
        cluster.figures["goes_on_after_s"] = took
        await nobody_was_hurt(cluster)
        assert max(took) <= GOES_ON_WITHIN_S * SLACK[size], took


async def test_the_process_that_is_the_store_is_restarted(tmp_path: Path, size: Size) -> None:
    path = tmp_path / "foliot.db"
    await asyncio.to_thread(lambda: apart(lambda: asyncio.wait_for(migrate(f"sqlite:///{path}"), 30)))
    record_sqlite(str(path))
    with Cluster(f"sqlite:///{path}", tmp_path) as cluster:
        cluster.start_server("s1")
        for name in ("w1", "w2"):
            cluster.start_worker(name)
        await cluster.wait_for_runs(15)
        took: list[float] = []
        for way in ("kill", "stop", "kill", "stop", "kill") if size == "full" else ("kill", "stop"):
            epoch = await asked(cluster.url, EPOCH)
            cluster.note("kill", node="s1", way=way)
            if way == "kill":
                cluster.processes["s1"].kill()
            else:
                await asyncio.to_thread(cluster.processes["s1"].stop)
            await asyncio.sleep(AWAY_S[size])  # the fault itself
            cluster.start_server("s1")

            async def risen(before: int = epoch) -> bool:
                return bool(await asked(cluster.url, EPOCH) > before)

            await soon(risen, within_s=90, what="the store open again")
            took.append(round(await goes_on(cluster, epoch_before=epoch), 2))
        cluster.figures["goes_on_after_s"] = took
        lost = "SELECT count(*) FROM runs WHERE deaths > 0 OR kind = 'lost'"
        assert await asked(cluster.url, lost) == 0
        assert (
            await asked(
                cluster.url, "SELECT count(*) FROM nodes WHERE state = 'dead' AND beat_no > 0 AND kind = 'worker'"
            )
            == 0
        )
        await cluster.judged("F12")
        assert max(took) <= GOES_ON_WITHIN_S * SLACK[size], took
