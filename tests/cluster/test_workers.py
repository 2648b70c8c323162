"""Workers in trouble, on real processes: lost answers, a server that is away, a run that kills whoever runs it."""

import json
import time

import psutil
import pytest

from foliot.domain.run import RunState, format_run_id
from foliot.store.sql.kernel.statement import TEXT, RowSet, Statement
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import Size, mostly_on, on
from tests.cluster.journals import lines_of
from tests.cluster.patience import GO
from tests.cluster.process import Process
from tests.eventually import soon
from tests.servers.fixtures import MakeProxy

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

LOST_ANSWERS = 100
RUNS = 200
PATIENCE = "tests.cluster.patience"


@mostly_on("postgresql")
async def test_a_poison_run_costs_three_workers_and_ends(cluster: Cluster) -> None:
    """L6: whoever runs it dies; after `max_lost` deaths it is FAILED(poison), and the others go on."""
    cluster.start_server("s1")
    worker = cluster.start_worker("w1")
    await cluster.declared("kills_its_worker")
    await cluster.trigger("kills_its_worker", 1)
    for _ in range(3):
        await cluster.wait_dead([worker], within_s=90)
        cluster.note("kill", node="w1", by="the run itself")
        worker = cluster.start_worker("w1")

    async def ended() -> bool:
        runs = await cluster.runs("kills_its_worker")
        return [run["state"] for run in runs] == [RunState.FAILED]

    await soon(ended, within_s=90)
    (run,) = await cluster.runs("kills_its_worker")
    assert (run["kind"], run["attempt"], run["deaths"]) == ("poison", 3, 3)
    assert worker.is_alive, "the fourth worker was spared"


@mostly_on("sqlite", "mariadb")
async def test_lost_answers_to_lease_leave_no_run_without_a_holder(cluster: Cluster, fault_proxy: MakeProxy) -> None:
    """R5: the worker repeats its request and gets the same runs, or they are adopted back."""
    cluster.start_server("s1")
    proxy = fault_proxy(cluster.port_of("s1"))
    ambushes = [proxy.ambush(b"/api/worker/v1/lease", nth=2 * nth) for nth in range(1, LOST_ANSWERS + 1)]
    cluster.start_worker("w1", slots=1, server=f"http://127.0.0.1:{proxy.port}")
    await cluster.declared("once_and_quick")
    await cluster.trigger("once_and_quick", RUNS)
    await soon(lambda: all(ambush.sprung for ambush in ambushes), within_s=300, what="every second answer was lost")
    # No run is left RUNNING without a holder. While other jobs fire, their runs would go before so many triggers.
    await cluster.settle(within_s=180)
    findings = await cluster.judge()
    assert findings["I5"].holds, findings["I5"].wrong
    assert await cluster.count("state = 'SUCCEEDED' AND triggered_by IS NOT NULL") == RUNS


@mostly_on()  # tests/probes has the same on SQLite, in two seconds
async def test_a_run_that_never_reached_a_stopping_worker_is_run_by_the_next(
    cluster: Cluster, fault_proxy: MakeProxy
) -> None:
    """S7, R18: it was leased into the last poll, whose answer never came. Nobody started it: it goes back."""
    cluster.start_server("s1")
    proxy = fault_proxy(cluster.port_of("s1"))
    ambush = proxy.ambush(b"/api/worker/v1/lease", then="silence")
    worker = cluster.start_worker("w1", server=f"http://127.0.0.1:{proxy.port}")
    await cluster.declared("once_and_quick")
    await cluster.trigger("once_and_quick", 1)
    await soon(lambda: ambush.sprung, within_s=60, what="the answer to the poll was lost")
    assert worker.stop() == 0
    (run,) = await cluster.runs("once_and_quick")
    assert (run["state"], run["kind"], run["deaths"]) == (RunState.PENDING, None, 0), run["error"]
    cluster.start_worker("w2")

    async def done() -> bool:
        return await cluster.count("state = 'SUCCEEDED' AND triggered_by IS NOT NULL") == 1

    await soon(done, within_s=60)
    shown = format_run_id(run["id"])
    assert [line["run"] for line in lines_of(cluster) if line["what"] == "start"].count(shown) == 1


AWAY_S = {"short": 10.0, "full": 60.0}
GROWTH_MAX_MB = 24  # ten times what it is


@on("sqlite", "postgresql")
async def test_results_outlive_a_server_that_is_away(cluster: Cluster, size: Size) -> None:
    """R17: what was executed while no server answered arrives afterwards, all of it and once; memory stays flat."""
    cluster.start_server("s1")
    worker = cluster.start_worker("w1", slots=RUNS, jobs=PATIENCE)
    await cluster.declared("until_told")
    await cluster.trigger("until_told", RUNS)

    async def all_started() -> bool:
        return await cluster.count("state = 'RUNNING' AND started_at IS NOT NULL") == RUNS

    await soon(all_started, within_s=90, what="the store knows that every run has started")
    cluster.kill("s1")
    away_since = time.monotonic()
    (cluster.journals / GO).touch()
    await soon(lambda: len(ended(cluster)) == RUNS, within_s=90, what="the worker finished what it holds")
    await soon(lambda: spooled(cluster) == RUNS, within_s=90, what="every end is on disk")
    before = memory_mb(worker)
    await cluster.load(max(0.0, AWAY_S[size] - (time.monotonic() - away_since)))
    growth = memory_mb(worker) - before
    cluster.figures |= {"away_s": round(time.monotonic() - away_since, 1), "growth_mb": round(growth, 2)}
    assert growth < GROWTH_MAX_MB, f"{growth:.1f} MB more while nobody answered"
    cluster.start_server("s1")

    async def all_done() -> bool:
        return await cluster.count("state = 'SUCCEEDED' AND triggered_by IS NOT NULL") == RUNS

    await soon(all_done, within_s=120)
    runs = await cluster.runs("until_told")
    assert {(run["attempt"], run["deaths"], run["failures"]) for run in runs} == {(1, 0, 0)}, "nothing ran twice"
    assert [json.loads(run["result"]) for run in runs] == [format_run_id(run["id"]) for run in runs]
    assert sorted(ended(cluster)) == sorted(format_run_id(run["id"]) for run in runs), "each ended once"
    assert await cluster.count("run_id > 0", of="run_logs") >= RUNS, "their logs came along"
    findings = await cluster.judge()
    assert findings["I5"].holds, findings["I5"].wrong
    await soon(lambda: spooled(cluster) == 0, within_s=30, what="the disk is given back")


def ended(cluster: Cluster) -> list[str]:
    """The runs whose handlers came to their end, by the journals."""
    return [line["run"] for line in lines_of(cluster) if line["what"] == "end"]


def spooled(cluster: Cluster) -> int:
    """How many ends lie on the worker's disk."""
    files = (cluster.folder / "spool-w1").glob("*.jsonl")
    return sum(b'"cause"' in line for file in files for line in file.read_bytes().splitlines())


def memory_mb(process: Process) -> float:
    return float(psutil.Process(process.pid).memory_info().rss) / 2**20


CLONE = Statement(
    """
    INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                      parked, follow, state, ver, created_at, triggered_by)
    SELECT r.job_id, r.version, d.fire_key, -1, r.due_at, r.not_before, r.lane, r.class, r.priority, r.serial, r.place,
           r.parked, r.follow, 'PENDING', 1, r.created_at, r.triggered_by
    FROM {d} CROSS JOIN runs r WHERE r.id = :id
    """,
    RowSet("d", fire_key=TEXT),
)


@mostly_on("postgresql")
async def test_ten_thousand_runs_go_through_one_worker(cluster: Cluster) -> None:
    """Over HTTP, one server and one worker process; each run is executed once and recorded once."""
    many = 10_000
    cluster.start_server("s1")
    first = cluster.start_worker("w0", jobs=PATIENCE)
    await cluster.declared("nothing")
    first.stop()
    await cluster.trigger("nothing", 1)
    (model,) = await cluster.runs("nothing")
    async with cluster._store() as store:
        keys = [(f"m:many-{number}",) for number in range(many - 1)]
        await store.database.transact(lambda tx: tx.change(CLONE, {"id": model["id"]}, d=keys))
    began_at = time.monotonic()
    worker = cluster.start_worker("w1", slots=100, jobs=PATIENCE)

    async def all_done() -> bool:
        cluster.check_processes()
        return await cluster.count("state = 'SUCCEEDED'") == many

    await soon(all_done, within_s=240, step_s=0.25, what="ten thousand runs")
    took_s = time.monotonic() - began_at
    assert await cluster.count("attempt <> 1 OR deaths > 0 OR failures > 0") == 0
    assert await cluster.count("session_id IS NOT NULL", of="runs") == many
    print(f"{many} runs in {took_s:.1f} s with the worker's start, {worker.peak_memory_mb} MB at most")
