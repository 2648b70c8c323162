"""Reaping: silent sessions are declared dead, with amnesty; their runs and overdue ones find their end."""

from foliot.domain.instants import MINUTE, SECOND
from foliot.domain.run import Landing
from foliot.domain.verdict import judge
from foliot.ports.store.nodes import SESSION_TTL_US
from tests.conformance.building import PERSON, save
from tests.conformance.working import BEAT_EVERY_US, lead, run_of, running_with_limit, states_of, trigger, worker
from tests.conformance.world import World

# ------------------------------------------------------------------------------------------------------------- timeouts


async def test_a_run_past_its_deadline_ends_when_its_worker_had_its_grace(world: World) -> None:
    anne, run, term = await running_with_limit(world)
    await anne.beat(run)
    await world.elapse(14 * SECOND)
    assert await world.store.runs.time_out(judge, limit=10, term=term) == 0  # it may still be stopping
    await world.elapse(4 * SECOND)
    assert await world.store.runs.time_out(judge, limit=10, term=term) == 1
    row = await run_of(world, run.run_id)
    assert (row.state, row.kind) == ("FAILED", "timeout")
    assert await anne.complete(run) == [Landing.FENCED]


async def test_an_overdue_run_goes_again_by_its_retry_policy(world: World) -> None:
    anne, run, term = await running_with_limit(world, retries={"max": 1, "backoff": "1s", "jitter": False})
    await anne.beat(run)
    await world.elapse(20 * SECOND)
    await world.store.runs.time_out(judge, limit=10, term=term)
    row = await run_of(world, run.run_id)
    assert (row.state, row.failures) == ("PENDING", 1)


async def test_a_deadline_counts_from_the_reported_start(world: World) -> None:
    anne, run, term = await running_with_limit(world)
    await world.elapse(30 * SECOND)
    assert await world.store.runs.time_out(judge, limit=10, term=term) == 0
    await anne.beat(run)
    await world.elapse(10 * SECOND)
    assert await world.store.runs.time_out(judge, limit=10, term=term) == 0


async def test_a_run_that_is_never_started_goes_back_with_a_death(world: World) -> None:
    anne, run, term = await running_with_limit(world, start_within="20s")
    await world.elapse(23 * SECOND)
    assert await world.store.runs.time_out(judge, limit=10, term=term) == 0, "no beat could say so yet"
    await anne.beat(run, started=False)
    assert await world.store.runs.time_out(judge, limit=10, term=term) == 1
    row = await run_of(world, run.run_id)
    assert (row.state, row.deaths) == ("PENDING", 1)


async def test_a_run_that_is_never_started_and_may_run_once_is_lost(world: World) -> None:
    anne, run, term = await running_with_limit(world, start_within="20s", on_lost="fail")
    await world.elapse(30 * SECOND)
    await anne.beat(run, started=False)
    await world.store.runs.time_out(judge, limit=10, term=term)
    assert (await run_of(world, run.run_id)).kind == "lost"


async def test_a_run_that_starts_at_once_lives_however_little_time_its_start_has(world: World) -> None:
    """Starts are told by beats, which are seconds apart."""
    anne, run, term = await running_with_limit(world, start_within="100ms")
    await anne.beat(run, started=False)  # said just before it started
    await world.elapse(BEAT_EVERY_US)
    assert await world.store.runs.time_out(judge, limit=10, term=term) == 0
    await anne.beat(run)
    assert await world.store.runs.time_out(judge, limit=10, term=term) == 0
    assert (await run_of(world, run.run_id)).deaths == 0


async def test_a_run_no_beat_ever_tells_of_is_given_up_in_the_end(world: World) -> None:
    anne, run, term = await running_with_limit(world, start_within="1s")
    await world.elapse(SESSION_TTL_US)
    await anne.beat(settled=0)  # the answer to its poll is still on its way
    assert await world.store.runs.time_out(judge, limit=10, term=term) == 0
    await world.elapse(4 * SECOND)
    assert await world.store.runs.time_out(judge, limit=10, term=term) == 1
    assert (await run_of(world, run.run_id)).deaths == 1


async def test_a_forced_cancel_waits_for_no_start(world: World) -> None:
    _, run, term = await running_with_limit(world, start_within="1h")
    await world.store.runs.cancel([run.run_id], by=PERSON, force=True)
    await world.elapse(3 * SECOND)
    assert await world.store.runs.time_out(judge, limit=10, term=term) == 1
    assert (await run_of(world, run.run_id)).state == "CANCELLED"


async def test_runs_with_a_long_grace_do_not_hide_others(world: World) -> None:
    await save(world, "slow", run="python:jobs:slow", timeout="5s", grace="1h")
    await save(world, "quick", run="python:jobs:quick", timeout="10s", grace="1s")
    await trigger(world, "slow", 4)
    (quick,) = await trigger(world, "quick")
    anne = await worker(world)
    await anne.beat(*await anne.lease(8))
    term = await lead(world)
    await world.elapse(30 * SECOND)
    assert await world.store.runs.time_out(judge, limit=2, term=term) == 1
    assert (await run_of(world, quick)).kind == "timeout"
    assert await states_of(world, "slow") == ["RUNNING"] * 4


async def test_a_clock_that_ran_ahead_times_nothing_out_before_its_time(world: World) -> None:
    await save(world, timeout="1m")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    await anne.beat(run)
    term = await lead(world)
    before = await world.now()
    await world.elapse(10 * MINUTE)
    believed = before + 30 * SECOND
    assert await world.store.runs.time_out(judge, limit=10, term=term, until=believed) == 0
    assert await world.store.runs.time_out(judge, limit=10, term=term, until=before + 5 * MINUTE) == 1
    assert (await run_of(world, run.run_id)).kind == "timeout"
