"""Crowds: ten thousand runs ready at once, as many jobs due at one instant, an old snapshot held open (F21, F22)."""

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

import asyncpg
import pytest

from foliot.domain.definition import from_document
from foliot.domain.planner import Planner
from foliot.ports.store.runs import TriggerRequest
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.store import SqlStore
from foliot_bench.ground import COPY_CURSORS, COPY_JOBS, COPY_VERSIONS
from foliot_check.figures import spread
from tests.cluster.api import lasting
from tests.cluster.cluster import BY, Cluster
from tests.cluster.conftest import Size
from tests.eventually import soon

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

CROWD: dict[Size, int] = {"short": 1_000, "full": 10_000}
LATE_MAX_S: dict[Size, float] = {"short": 10.0, "full": 2.0}  # p99 of the others; short: whatever else the machine does
WITHIN_S = 300.0
AT_ONCE = 500
ASKING = 4
MANY = "one_of_many"
SECOND = 1_000_000

STORES = [
    pytest.param("postgresql", "short", marks=pytest.mark.services),
    *(
        pytest.param(store, "full", marks=[pytest.mark.matrix, pytest.mark.services])
        for store in ("sqlite", "postgresql", "mariadb")
    ),
]


@pytest.mark.parametrize(("recorded_url", "size"), STORES, indirect=True)
async def test_f21_crowds(cluster: Cluster, size: Size) -> None:
    """First many runs ready at once, then many jobs due at one instant; the jobs of the others go on meanwhile."""
    count = CROWD[size]
    cluster.start(servers=2, workers=1)
    await cluster.wait_for_runs(15)
    declaring = cluster.start_worker("w2", slots=100, jobs="tests.cluster.crowd")
    await cluster.declared(MANY)
    declaring.stop()
    await trigger_many(cluster, MANY, count)
    began_at = await now(cluster)
    cluster.start_worker("w2", slots=100, jobs="tests.cluster.crowd")
    await soon(partial(are_done, cluster, count), within_s=WITHIN_S, step_s=0.2, what="every run ready at once is done")
    cluster.figures["ready_at_once"] = await crowd_figures(cluster, began_at)

    due_at = await make_jobs(cluster, count)
    await soon(partial(are_done, cluster, 2 * count), within_s=WITHIN_S, step_s=0.2, what="every job due then is done")
    cluster.figures["due_at_once"] = await crowd_figures(cluster, due_at)
    crowds = [cluster.figures[name] for name in ("ready_at_once", "due_at_once")]
    print(*crowds, sep="\n")
    await cluster.judged("F21")
    assert cluster.figures["deaths"] == cluster.figures["false_reaps"] == 0
    assert [crowd["runs"] for crowd in crowds] == [count, count]
    assert all(crowd["others_late_s"]["p99"] <= LATE_MAX_S[size] for crowd in crowds), crowds


async def trigger_many(cluster: Cluster, job: str, count: int, *, prefix: str = "crowd") -> None:
    keys = iter(f"{prefix}-{n}" for n in range(count))
    async with cluster.open_store() as store:

        async def ask() -> None:
            for key in keys:
                await store.runs.trigger(_request(job, key))

        await asyncio.gather(*(ask() for _ in range(ASKING)))  # as many as a store has connections for them


def _request(job: str, key: str) -> TriggerRequest:
    return TriggerRequest(namespace="default", job=job, key=key, by=BY)


async def make_jobs(cluster: Cluster, count: int) -> int:
    """So many jobs with the crowd's handler, all due at one instant some seconds ahead; which."""
    ahead_s = 10 + count // 1000
    due_at = (await now(cluster) // SECOND + ahead_s) * SECOND
    at = datetime.fromtimestamp(due_at // SECOND, UTC).isoformat()
    document = {"run": {"python": f"tests.cluster.crowd:{MANY}"}, "schedule": {"at": at}, "overlap": "allow"}
    async with cluster.open_store() as store:
        first = await store.jobs.save("default", "z-0", from_document(document, job="z-0"), by=BY, plans=Planner())
        copies = [(n, f"z-{n}") for n in range(1, count)]
        await store.database.transact(partial(_copy, first.job.job_id, copies))
    assert await now(cluster) < due_at, "the jobs were there before they were due"
    return due_at


def _copy(first: int, copies: Sequence[tuple[int, str]], tx: Tx) -> None:
    for statement in (COPY_JOBS, COPY_VERSIONS, COPY_CURSORS):
        for at in range(0, len(copies), AT_ONCE):
            tx.change(statement, {"first": first}, d=copies[at : at + AT_ONCE])


async def are_done(cluster: Cluster, count: int) -> bool:
    """Whether so many runs of the crowd's handler have succeeded."""
    cluster.check_processes()
    return await cluster.count(f"state = 'SUCCEEDED' AND {CROWDS}") >= count


CROWDS = f"job_id IN (SELECT id FROM jobs WHERE name = '{MANY}' OR name LIKE 'z-%')"


async def crowd_figures(cluster: Cluster, began_at: int) -> dict[str, Any]:
    """How quickly the crowd got through, and how late the decisions and leases of the others were meanwhile."""
    where = f"WHERE {CROWDS} AND not_before >= {began_at} - 600000000 AND ended_at >= {began_at}"
    (crowd,) = await cluster.rows(f"SELECT count(*) AS n, max(ended_at) AS ended_at FROM runs {where}")
    span = f"due_at BETWEEN {began_at} AND {crowd['ended_at']}"
    others = await cluster.rows(
        f"SELECT due_at, created_at, leased_at FROM runs WHERE NOT {CROWDS} AND fire_key LIKE 's:%' AND {span}"
    )
    took_s = (crowd["ended_at"] - began_at) / SECOND
    return {
        "runs": crowd["n"],
        "took_s": round(took_s, 2),
        "runs_per_s": round(crowd["n"] / took_s),
        "others_late_s": spread([(run["created_at"] - run["due_at"]) / SECOND for run in others]),
        "others_leased_after_s": spread(
            [(run["leased_at"] - run["due_at"]) / SECOND for run in others if run["leased_at"] is not None]
        ),
    }


async def now(cluster: Cluster) -> int:
    """Store time."""
    async with cluster.open_store() as store:
        return await store.database.read(lambda tx: tx.now())


# -------------------------------------------------------------------------------------------------- an old snapshot

RATE = 200  # runs per second
BEFORE_S, HELD_S = 20.0, 60.0
AT_LEAST = 0.7


@pytest.mark.matrix
@pytest.mark.services
@pytest.mark.parametrize("recorded_url", ["postgresql"], indirect=True)
async def test_f22_an_old_snapshot_is_held_open(cluster: Cluster) -> None:
    """What is done leaves dead entries that nobody may clean up: leasing must not read them again and again (R9)."""
    cluster.start(servers=1, workers=1)
    cluster.start_worker("w2", slots=100, jobs="tests.cluster.crowd")
    await cluster.declared(MANY)
    await cluster.wait_for_runs(10)
    async with cluster.open_store() as store:
        before = await throughput(cluster, store, BEFORE_S, "before")
        old = await asyncpg.connect(cluster.url)
        try:
            snapshot = old.transaction(isolation="repeatable_read")
            await snapshot.start()
            await old.fetchval("SELECT count(*) FROM runs")  # from here on nothing it can see is cleaned up
            cluster.note("old snapshot")
            held = await throughput(cluster, store, HELD_S, "held")
        finally:
            await old.close()
    cluster.figures |= {"runs_per_s_before": round(before), "runs_per_s_held": round(held)}
    await cluster.judged("F22")
    print("runs/s before and with the snapshot held:", round(before), round(held))
    assert held >= AT_LEAST * before


async def throughput(cluster: Cluster, store: SqlStore, seconds: float, prefix: str) -> float:
    """Runs done per second while as many are asked for as the rate says."""
    condition = f"state = 'SUCCEEDED' AND {CROWDS}"
    began_with, began_at = await cluster.count(condition), time.monotonic()
    async for turn in lasting(seconds, every_s=0.1):
        keys = [f"{prefix}-{turn}-{n}" for n in range(RATE // 10)]
        await asyncio.gather(*(store.runs.trigger(_request(MANY, key)) for key in keys))
    return (await cluster.count(condition) - began_with) / (time.monotonic() - began_at)
