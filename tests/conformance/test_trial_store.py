"""Test runs (`foliot job test`): one attempt, beside whatever else runs, and no fire is skipped for them."""

import json

import pytest

from foliot.domain.errors import JobNotFound
from foliot.domain.instants import MINUTE
from foliot.domain.run import FailureKind
from foliot.domain.statistics.resolution import Resolution
from foliot.domain.verdict import Cause, judge
from foliot.ports.store.lookups import JobFilter, RunFilter
from foliot.ports.store.runs import TriggerRequest
from tests.conformance.building import NS, ask, definition, every, fire, job_of, make_due, runs_of, save, skips_of
from tests.conformance.working import lead, run_of, trigger, worker
from tests.conformance.world import World


@pytest.mark.parametrize(("cause", "kind"), [(Cause.ERROR, FailureKind.ERROR), (Cause.TIMEOUT, FailureKind.TIMEOUT)])
async def test_a_test_that_fails_is_not_tried_again(world: World, cause: Cause, kind: FailureKind) -> None:
    await save(world, retries=3)
    [run_id] = await trigger(world, is_test=True)
    anne = await worker(world)
    await anne.complete(await anne.lease_one(), cause=cause, error="no")
    run = await run_of(world, run_id)
    assert (run.state, run.kind, run.fire_key[:2]) == ("FAILED", kind, "t:")


async def test_the_shards_of_a_test_are_not_tried_again_either(world: World) -> None:
    await save(world, shards=2, retries=3)
    [run_id] = await trigger(world, is_test=True)
    anne = await worker(world)
    first, second = await anne.lease(2)
    await anne.complete(first, cause=Cause.ERROR, error="no")
    await anne.complete(second)
    assert (await run_of(world, run_id)).state == "FAILED"


async def test_the_merge_of_a_test_is_not_tried_again_either(world: World) -> None:
    await save(world, shards=2, merge="python:jobs:join", retries=3)
    [run_id] = await trigger(world, is_test=True)
    anne = await worker(world)
    await anne.complete(*await anne.lease(2))
    await anne.complete(await anne.lease_one(), cause=Cause.ERROR, error="no")
    assert (await run_of(world, run_id)).state == "FAILED"


async def test_a_test_whose_worker_is_lost_ends_as_lost_and_says_so(world: World) -> None:
    await save(world, overlap="allow")
    [tested], [usual] = await trigger(world, is_test=True), await trigger(world)
    anne = await worker(world)
    await anne.beat(*await anne.lease(2))
    await world.elapse(MINUTE)
    term = await lead(world)
    await world.store.runs.reap(judge, limit=10, term=term)
    lost, again = await run_of(world, tested), await run_of(world, usual)
    assert (lost.state, lost.kind, lost.attempt, again.state) == ("FAILED", "lost", 1, "PENDING")
    assert lost.error is not None
    assert "vanished" in lost.error
    assert lost.error.endswith("A test is not tried again.")


async def test_a_test_that_its_worker_gives_back_before_the_start_is_executed_elsewhere(world: World) -> None:
    await save(world, overlap="allow")
    [unbegun, begun] = await trigger(world, n=2, is_test=True)
    anne = await worker(world)
    first, second = await anne.lease(2)
    await anne.complete(first, cause=Cause.RELEASED)
    await anne.complete(second, cause=Cause.RELEASED, started_us_ago=1)
    ended = await run_of(world, begun)
    assert ((await run_of(world, unbegun)).state, ended.state, ended.kind) == ("PENDING", "FAILED", "lost")


async def test_a_test_counts_in_no_figure_of_its_job(world: World) -> None:
    lookups = world.store.lookups
    job = await save(world, overlap="allow")
    anne = await worker(world)
    [usual] = await trigger(world)
    await anne.complete(await anne.lease_one(), started_us_ago=1000)
    [tested] = await trigger(world, is_test=True)
    await anne.complete(await anne.lease_one(), cause=Cause.ERROR, error="no", started_us_ago=9_000_000)
    for tests, wanted in {True: [tested], False: [usual], None: [tested, usual]}.items():
        assert [run.run_id for run in (await lookups.runs(RunFilter(tests=tests), limit=5)).items] == wanted
    starts = Resolution.DAY.starts(now := await world.now(), now + 1)
    [figures] = (await world.store.statistics.of_job(job.job_id, Resolution.DAY, starts, limit=5)).points
    assert figures.figures.runs == 1
    assert (await lookups.jobs(JobFilter(failing=True), limit=5)).items == []
    assert (await lookups.jobs(JobFilter(sort="fails"), limit=5)).items == []
    [slowest] = (await lookups.jobs(JobFilter(sort="p95"), limit=5)).items
    assert slowest.rank is not None
    assert (slowest.rank.runs, slowest.rank.failed) == (1, 0)
    assert slowest.last_run is not None
    assert slowest.last_run.run_id == usual
    await trigger(world)
    await anne.complete(await anne.lease_one(), cause=Cause.ERROR, error="no")
    [failing] = (await lookups.jobs(JobFilter(failing=True), limit=5)).items
    assert failing.name == job.name


async def test_a_definition_is_tested_without_being_saved(world: World) -> None:
    jobs = world.store.jobs
    asked = ask(key="jan", is_test=True, params='{"day":2}')
    run_id = await jobs.try_out(definition(shards=2, merge="python:jobs:join", retries=3), asked)
    with pytest.raises(JobNotFound):
        await job_of(world)
    assert list(await world.store.lookups.job_ids(NS, "tick", limit=5)) == [(await run_of(world, run_id)).job_id]
    anne = await worker(world)
    await anne.complete(*await anne.lease(2))
    merge = await anne.lease_one()
    assert (merge.job, json.loads(merge.params or "")["day"]) == ("tick", 2)
    await anne.complete(merge, cause=Cause.ERROR, error="no")
    ended = await run_of(world, run_id)
    assert (ended.state, ended.kind, ended.fire_key) == ("FAILED", "error", "t:jan")
    saved = await save(world, schedule={"every": "1h"})
    assert (saved.version, saved.last_run) == (1, None)
    assert (await world.store.lookups.job_ids(NS, "tick", limit=5))[0] == saved.job_id


async def test_no_fire_is_skipped_for_a_test_and_a_test_waits_for_no_run(world: World) -> None:
    job = await every(world, interval="1h", overlap="skip")
    await trigger(world, is_test=True, allow_overlap=True)
    anne = await worker(world)
    tested = await anne.lease_one()
    await make_due(world, job)
    await fire(world)
    assert [row.fire_key[:2] for row in await runs_of(world)].count("s:") == 1
    assert await skips_of(world, job) == []
    anne = await worker(world)
    assert await anne.lease() == ()  # the fire keeps its turn behind the test
    [beside] = await trigger(world, is_test=True, allow_overlap=True)
    assert (await anne.lease_one()).run_id == beside
    assert tested.run_id != beside


async def test_a_test_and_a_trigger_may_have_the_same_key(world: World) -> None:
    await save(world)
    made = [await world.store.runs.trigger(_asked(is_test)) for is_test in (False, True, True)]
    assert [one.created for one in made] == [True, True, False]
    assert made[0].run_id != made[1].run_id == made[2].run_id


def _asked(is_test: bool) -> TriggerRequest:
    return ask(key="jan", is_test=is_test)
