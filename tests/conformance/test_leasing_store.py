"""Leasing: due runs go to workers that ask, best first, each to one."""

from foliot.domain.run import Landing
from foliot.domain.verdict import Cause
from tests.conformance.building import save
from tests.conformance.working import attempts_of, run_of, states_of, trigger, worker
from tests.conformance.world import World


async def test_a_run_goes_to_a_worker_and_comes_to_its_end(world: World) -> None:
    job = await save(world, "tick")
    (run_id,) = await trigger(world)
    anne = await worker(world)
    leased = await anne.lease_one()
    assert (leased.run_id, leased.job_id, leased.job, leased.handler) == (run_id, job.job_id, "tick", "python:jobs:tick")
    assert (leased.attempt, leased.shard, leased.version) == (1, -1, 1)
    row = await run_of(world, run_id)
    assert (row["state"], row["session_id"], row["lease_id"]) == ("RUNNING", anne.session, leased.lease_id)
    assert row["fence"] == leased.fence
    assert await anne.complete(leased, result="42") == [Landing.RECORDED]
    assert await anne.complete(leased, result="42") == [Landing.ALREADY]
    row = await run_of(world, run_id)
    assert (row["state"], row["result"], row["lease_id"]) == ("SUCCEEDED", "42", None)
    assert await attempts_of(world, run_id) == []


async def test_many(world: World) -> None:
    await save(world, "tick")
    await trigger(world, n=20)
    anne = await worker(world)
    runs = await anne.lease(15)
    assert len(runs) == 15
    assert await anne.complete(*runs, cause=Cause.ERROR, error="x") == [Landing.RECORDED] * 15
    assert (await states_of(world)).count("FAILED") == 15
