"""Test runs (`foliot job test`): one attempt, beside whatever else runs, and no fire is skipped for them."""

import pytest

from foliot.domain.run import FailureKind
from foliot.domain.verdict import Cause
from foliot.ports.store.runs import TriggerRequest
from tests.conformance.building import ask, every, fire, make_due, runs_of, save, skips_of
from tests.conformance.working import run_of, trigger, worker
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
