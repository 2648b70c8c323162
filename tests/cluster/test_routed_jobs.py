"""Jobs with routes on real processes: a worker is killed with runs that were meant for it, and another one joins."""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest

from foliot.ports.store.runs import TriggerRequest
from tests.cluster.asking import asked
from tests.cluster.cluster import BY, Cluster
from tests.cluster.conftest import SERVICES, Size, on
from tests.eventually import soon

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

JOBS = "tests.cluster.routed_jobs"
NAMES = ("by_turns", "by_load", "by_customer", "for_the_last")
CUSTOMERS = 12
SLOTS = 2
SESSION = "SELECT id FROM nodes WHERE name = '{name}' AND state = 'live'"
WITHIN_S = 60.0


@on("postgresql", full=SERVICES)
async def test_a_route_is_heeded_while_its_workers_die_and_join(cluster: Cluster, size: Size) -> None:
    for server in ("s1", "s2"):
        cluster.start_server(server)
    for worker in ("w1", "w2", "w3"):
        cluster.start_worker(worker, slots=SLOTS, jobs=JOBS)
    for name in NAMES:
        await cluster.declared(name)
    await cluster.wait_for_runs(3)
    dead: set[str] = set()
    for kill in range(1 if size == "short" else 5):
        await of_each_customer(cluster, f"before-{kill}", runs=2)
        victim = max(name for name in cluster.workers if cluster.processes[name].is_alive)
        session = await asked(cluster.url, SESSION.format(name=victim))
        await cluster.trigger("for_the_last", 4 * SLOTS, mark=f"{kill}-")
        await meant_for(cluster, session)
        cluster.kill(victim)
        dead.add(session)
        cluster.start_worker(f"w{4 + kill}", slots=SLOTS, jobs=JOBS)
        await of_each_customer(cluster, f"after-{kill}", runs=2)
    await cluster.settle()
    findings = await cluster.judge()
    assert not {number: finding.wrong[:5] for number, finding in findings.items() if not finding.holds}
    assert findings["I24"].looked_at >= CUSTOMERS, "runs were meant for somebody"
    assert await cluster.count("state <> 'SUCCEEDED'") == 0
    keys_stay(await cluster.runs("by_customer"), dead)


async def of_each_customer(cluster: Cluster, mark: str, *, runs: int) -> None:
    """So many runs of each key, until they are over."""
    async with cluster.open_store() as store:
        for number in range(CUSTOMERS * runs):
            params = json.dumps({"customer": f"c{number % CUSTOMERS}"})
            order = TriggerRequest(
                namespace="default", job="by_customer", key=f"{mark}-{number}", by=BY, params=params, priority=9
            )
            await store.runs.trigger(order)

    async def over() -> bool:
        cluster.check_processes()
        rows = await cluster.runs("by_customer")
        return all(row["state"] == "SUCCEEDED" for row in rows)

    await soon(over, within_s=WITHIN_S, step_s=0.1, what="the runs of every customer are over")


async def meant_for(cluster: Cluster, session: str) -> None:
    """Until some runs execute on this worker and more wait for it alone."""

    async def waits() -> bool:
        cluster.check_processes()
        executes = await cluster.count(f"state = 'RUNNING' AND session_id = '{session}'")
        return executes > 0 and await cluster.count(f"state = 'PENDING' AND assigned_to = '{session}'") > 0

    await soon(waits, within_s=WITHIN_S, step_s=0.05, what="runs wait for the worker that is killed")


def keys_stay(rows: Sequence[Mapping[str, object]], dead: set[str]) -> None:
    """Each key has one worker, until that one is dead."""
    homes: dict[object, list[str]] = {}
    for row in rows:
        homes.setdefault(row["params"], []).append(str(row["session_id"]))
    assert len(homes) == CUSTOMERS
    assert len({home for sessions in homes.values() for home in sessions}) > 1, "the keys are spread"
    for key, sessions in homes.items():
        moves = [(before, after) for before, after in pairwise(sessions) if before != after]
        assert {before for before, _ in moves} <= dead, (key, moves)
