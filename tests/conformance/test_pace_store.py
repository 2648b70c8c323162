"""The route `fastest` in the store: paces come from the statistics of a job, by the names of workers."""

from foliot.domain.instants import SECOND
from tests.conformance.building import job_of, save
from tests.conformance.routing import assign, routed_poll, team
from tests.conformance.test_statistics_store import counted, sum_of
from tests.conformance.working import Worker, trigger
from tests.conformance.world import World


async def work(one: Worker, took_us: int) -> int:
    """Let a worker do what is meant for it, each so long; how many runs."""
    granted = await one.store.runs.lease([await routed_poll(one)], limit=100)
    runs = granted.grants[0].runs
    await one.complete(*runs, started_us_ago=took_us)
    return len(runs)


async def test_runs_go_to_the_worker_that_was_quicker(world: World) -> None:
    await save(world, "tick", place={"route": "fastest"})
    anne, bert = await team(world, 2)
    await trigger(world, n=4)
    await assign(world)
    await world.elapse(2 * SECOND)
    assert await work(bert, SECOND) == 2, "nobody has a figure: both are tried"
    await world.elapse(3 * SECOND)
    assert await work(anne, 4 * SECOND) == 2
    await counted(world)
    job_id = (await job_of(world)).job_id
    paces = (await world.store.statistics.paces([job_id]))[job_id]
    assert paces[bert.name] < 3 * SECOND < paces[anne.name]
    took = (await sum_of(world)).took
    slot_times = await world.store.statistics.slot_times([job_id, job_id + 1])
    assert slot_times == {job_id: took.mean_us}, "what forecasts go by: the mean of all runs"
    await world.elapse(11 * SECOND)
    for one in (anne, bert):
        await one.beat()
    await trigger(world, n=8)
    assert (await assign(world)).sessions == {bert.session}
