"""PostgreSQL that fails over under load: in synchronous mode nothing is lost or doubled; else what was is counted.

(F13, F14, L4, R5, R6, R8, R17.)
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import Size
from tests.cluster.failing_over import GOES_ON_WITHIN_S, FailingOver
from tests.cluster.journals import lines_of
from tests.cluster.probe import Probe
from tests.cluster.process import ROOT
from tests.cluster.recording import record_postgresql
from tests.cluster.timing import SLACK
from tests.eventually import soon
from tests.servers.patroni import Patroni
from tests.sql.world import migrate

pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.anyio]

CUT_FOR_S = 2.0


@asynccontextmanager
async def started(folder: Path, *, asynchronous: bool, size: Size) -> AsyncIterator[tuple[Patroni, Cluster, Probe]]:
    """Three PostgreSQL, Foliot's servers and workers on a URL that names them all, and a writer beside them."""
    patroni = await asyncio.to_thread(Patroni(fast=True, asynchronous=asynchronous).start)
    try:
        url = await asyncio.to_thread(patroni.database, migrate)
        await record_postgresql(url)
        async with Probe(url) as probe:
            with Cluster(url, folder) as cluster:
                cluster.lossy = asynchronous
                cluster.store = "Patroni"
                cluster.start(servers=3 if size == "full" else 2, workers=4 if size == "full" else 2)
                yield patroni, cluster, probe
    finally:
        await asyncio.to_thread(patroni.close)


def asking(patroni: Patroni, url: str) -> Any:
    """Asks whichever member takes writes."""
    name = url.rpartition("/")[2].partition("?")[0]
    return lambda sql: patroni.await_leader().admin(lambda connection: connection.fetchval(sql), name)


async def test_f13_a_synchronous_primary_is_replaced(tmp_path: Path, size: Size) -> None:
    """Nothing is lost, doubled or taken for dead, and decisions go on within five seconds of its successor's start."""
    rounds = 3 if size == "full" else 1
    async with started(tmp_path, asynchronous=False, size=size) as (patroni, cluster, probe):
        store = FailingOver(cluster, probe, asking(patroni, cluster.url))
        await cluster.wait_for_runs(15)
        for _ in range(rounds):
            await store.goes_on_after("switchover", patroni.switchover)
            await asyncio.to_thread(patroni.await_whole)
        for _ in range(rounds):
            killed = await asyncio.to_thread(patroni.await_whole)
            await store.goes_on_after("kill", killed.kill)
            if size == "full":
                await asyncio.to_thread(killed.start)
        if size == "full":
            await frozen_and_replaced(patroni, cluster, store, rounds)
        await cluster.judged("F13")
        # Beside an old primary that still answers, a commit that waits for its standby is given up after five seconds.
        assert store.worst_after_writable_s(but="two primaries") <= GOES_ON_WITHIN_S * SLACK[size], cluster.figures
        assert store.worst_after_writable_s() <= 2 * GOES_ON_WITHIN_S * SLACK[size], cluster.figures
        assert (cluster.figures["deaths"], cluster.figures["abandoned"]) == (0, 0), "nobody was taken for dead"


async def frozen_and_replaced(patroni: Patroni, cluster: Cluster, store: FailingOver, rounds: int) -> None:
    """The primary is frozen with all that belongs to it; then its Patroni alone, so that there are two primaries."""
    for _ in range(rounds):
        frozen = await asyncio.to_thread(patroni.await_whole)
        await store.goes_on_after("pause", frozen.pause)
        await asyncio.to_thread(frozen.resume)
    replaced = await asyncio.to_thread(patroni.await_whole)
    await store.goes_on_after("two primaries", replaced.pause_minder)
    await cluster.load(3)
    await asyncio.to_thread(replaced.resume)
    await asyncio.to_thread(patroni.await_whole)


async def test_f14_an_asynchronous_primary_forgets(tmp_path: Path, size: Size) -> None:
    """What the standby never heard of is decided and run again, counted and flagged; no token comes twice (S8)."""
    async with started(tmp_path, asynchronous=True, size=size) as (patroni, cluster, probe):
        assert status_of(cluster.url)["lossy_because"] == "its standbys are not synchronous"
        store = FailingOver(cluster, probe, asking(patroni, cluster.url))
        await cluster.wait_for_runs(15)
        for _ in range(3 if size == "full" else 1):
            primary = await asyncio.to_thread(patroni.await_whole)
            cut = await asyncio.to_thread(patroni.cut_replication)
            assert cut == len(patroni.members) - 1
            cluster.note("cut", link="primary and standbys")
            cut_at_us = int(time.time() * 1_000_000)
            await cluster.load(CUT_FOR_S)
            begun = partial(has_begun, cluster, "each_second", after_us=cut_at_us)
            await soon(begun, within_s=90, what="a run that the standbys know nothing of has begun")

            def witnessed_and_killed() -> None:
                witness(patroni, cluster)
                primary.kill()  # noqa: B023  called in this round

            await store.goes_on_after("kill, cut off", witnessed_and_killed)
            if size == "full":
                await asyncio.to_thread(primary.start)
        await cluster.judged("F14")
        assert cluster.figures["re_decided"] > 0, cluster.figures
        assert cluster.figures["re_run"] > 0, cluster.figures
        assert cluster.figures["epoch_changes"] >= 1
        assert status_of(cluster.url)["lossy"] is True
        logs = [cluster.processes[name].log.read_text("utf-8") for name in cluster.servers]
        assert all("store.lossy" in log for log in logs), "each server says so when it starts"
        assert any("store.epoch_raised" in log for log in logs)
        assert store.worst_after_writable_s() <= GOES_ON_WITHIN_S * SLACK[size], cluster.figures


def has_begun(cluster: Cluster, job: str, *, after_us: int) -> bool:
    """Whether a run of the job that was due after this has been started."""
    starts = (line for line in lines_of(cluster) if line["what"] == "start" and line["job"] == job)
    return any(line["due"] > after_us for line in starts)


def witness(patroni: Patroni, cluster: Cluster) -> None:
    """Write down every decision that the primary has acknowledged by now."""
    leader = patroni.await_leader()
    name = cluster.url.rpartition("/")[2].partition("?")[0]
    decided = "SELECT job_id, fire_key, id, created_at FROM runs WHERE shard = -1"
    rows = leader.admin(lambda connection: connection.fetch(decided), name)
    with (cluster.folder / "client-witness.jsonl").open("a", encoding="utf-8") as journal:
        for row in rows:
            line = {"what": "decided", "job_id": row["job_id"], "key": row["fire_key"], "created_at": row["created_at"]}
            journal.write(json.dumps({**line, "run": row["id"]}) + "\n")


def status_of(url: str) -> dict[str, Any]:
    """What `foliot db status` says."""
    command = [sys.executable, "-m", "foliot", "db", "status", "--db", url, "-o", "json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found
