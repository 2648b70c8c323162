"""Workers in trouble, on real processes: lost answers, a server that is away, a run that kills whoever runs it."""

import json

import pytest

from foliot.domain.run import RunState
from tests.cluster.cluster import Cluster
from tests.eventually import soon
from tests.servers.fixtures import MakeProxy

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

LOST_ANSWERS = 100
RUNS = 200


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


async def test_lost_answers_to_lease_leave_no_run_without_a_holder(cluster: Cluster, fault_proxy: MakeProxy) -> None:
    """R5: the worker repeats its request and gets the same runs, or they are adopted back."""
    cluster.start_server("s1")
    proxy = fault_proxy(cluster.port_of("s1"))
    ambushes = [proxy.ambush(b"/api/worker/v1/lease", nth=2 * nth) for nth in range(1, LOST_ANSWERS + 1)]
    cluster.start_worker("w1", slots=1, server=f"http://127.0.0.1:{proxy.port}")
    await cluster.declared("once_and_quick")
    await cluster.trigger("once_and_quick", RUNS)
    await soon(lambda: all(ambush.sprung for ambush in ambushes), within_s=300, what="every second answer was lost")

    async def all_done() -> bool:
        return await cluster.count("state IN ('PENDING', 'RUNNING') AND triggered_by IS NOT NULL") == 0

    await soon(all_done, within_s=60, what="no run is left RUNNING without a holder")
    findings = await cluster.judge()
    assert findings["I5"].holds, findings["I5"].wrong
    assert await cluster.count("state = 'SUCCEEDED' AND triggered_by IS NOT NULL") == RUNS


async def test_results_outlive_a_server_that_is_away(cluster: Cluster) -> None:
    """R17: what was executed while no server answered arrives afterwards, once."""
    cluster.start_server("s1")
    cluster.start_worker("w1", slots=50)
    await cluster.declared("half_a_second")
    await cluster.trigger("half_a_second", RUNS)

    async def some_leased() -> bool:
        return await cluster.count("state = 'RUNNING'") >= 20

    await soon(some_leased, within_s=90)
    held = await cluster.count("state = 'RUNNING'")
    cluster.kill("s1")
    await soon(lambda: journal_ends(cluster) >= held, within_s=90, what="the worker finished what it holds")
    cluster.start_server("s1")

    async def all_done() -> bool:
        return await cluster.count("state = 'SUCCEEDED' AND triggered_by IS NOT NULL") == RUNS

    await soon(all_done, within_s=120)
    assert await cluster.count("attempt > 1 AND triggered_by IS NOT NULL") == 0, "nothing ran twice"


def journal_ends(cluster: Cluster) -> int:
    lines = (line for path in cluster.journals.glob("*.jsonl") for line in path.read_text().splitlines())
    return sum(json.loads(line)["what"] == "end" for line in lines)
