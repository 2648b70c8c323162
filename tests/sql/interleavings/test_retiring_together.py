"""A worker registers beside the leader that retires: no job that a live worker declares stays retired (R1, R2)."""

import asyncio

import pytest

from tests.conformance.building import NS, PERSON, PLANS, job_of
from tests.conformance.declaring import CodeWorker, mark, retire
from tests.conformance.working import lead
from tests.sql.interleavings.halting import halting, naive, patient, until_blocked
from tests.sql.world import World

pytestmark = pytest.mark.services


async def removed(world: World) -> int:
    """A job that its live workers no longer declare, marked; the leader's term."""
    term = await lead(world)
    up = CodeWorker(world)
    await up.load("tick", "other")
    await up.load("other")
    await mark(world, term)
    return term


async def test_a_worker_that_registers_before_the_leader_looks_keeps_its_job(postgres_world: World) -> None:
    world = postgres_world
    term = await removed(world)
    leader = await halting(world, "retiring.locked")
    await leader.start(retire(world, term, store=leader.store))
    async with naive(world) as connection:  # naive: by the mark alone, which was true when it was made
        assert await connection.fetchval("SELECT count(*) FROM jobs WHERE undeclared_at IS NOT NULL") == 1
    late = CodeWorker(world, await patient(world))
    await late.register("tick", "other")
    assert await leader.finish() == [], "the leader reads after the lock, and sees the session"
    assert await late.look_for_marks() == []
    assert (await job_of(world)).state == "active"
    assert await retire(world, term) == []


async def test_a_worker_that_takes_the_mark_back_first_makes_the_leader_give_up(postgres_world: World) -> None:
    world = postgres_world
    term = await removed(world)
    leader = await halting(
        world, "changing.recorded"
    )  # it looked, and has paused the cursor; the job is not written yet
    await leader.start(retire(world, term, store=leader.store))
    late = CodeWorker(world, await patient(world))
    await late.register("tick", "other")
    assert await late.look_for_marks() == []
    assert await leader.finish() == [], "its guard finds no mark, and the pause goes with it"
    assert ((await job_of(world)).state, await noted(world)) == ("active", 0)


async def test_a_worker_that_comes_after_the_leader_has_written_resumes_its_job(postgres_world: World) -> None:
    world = postgres_world
    term = await removed(world)
    leader = await halting(world, "retiring.written")
    await leader.start(retire(world, term, store=leader.store))
    late = CodeWorker(world, await patient(world))
    await late.register("tick", "other")
    # The mark was committed long ago, so the worker finds the job, and waits for the leader.
    looking = asyncio.create_task(late.look_for_marks())
    await until_blocked(world, looking)
    assert [job.name for job in await leader.finish()] == ["tick"]
    assert [job.name for job in await looking] == ["tick"]
    job = await job_of(world)
    assert (job.state, job.retired_at, await noted(world)) == ("active", None, 2)


async def noted(world: World) -> int:
    """How many notes of retirement and return the journal has."""
    return int(await world.value("SELECT count(*) FROM events WHERE kind IN ('job.retired', 'job.declared_again')"))


async def test_a_user_who_pauses_beside_the_leader_has_the_last_word(postgres_world: World) -> None:
    world = postgres_world
    term = await removed(world)
    leader = await halting(world, "changing.recorded")
    await leader.start(retire(world, term, store=leader.store))
    store = await patient(world)
    pausing = asyncio.create_task(store.jobs.pause(NS, "tick", by=PERSON, plans=PLANS))
    await until_blocked(world, pausing)
    await leader.finish()
    await pausing
    job = await job_of(world)
    assert (job.state, job.pause_reason, job.retired_at) == ("paused", PERSON.reason, None)
    assert await CodeWorker(world).load("tick", "other") == []
    assert (await job_of(world)).state == "paused", "a redeclare never lifts a user's pause"


async def test_two_servers_that_declare_the_same_jobs_at_once_make_each_once(postgres_world: World) -> None:
    world = postgres_world
    workers = [CodeWorker(world, await patient(world)) for _ in range(4)]
    names = [f"job-{n}" for n in range(40)]
    await asyncio.gather(*(worker.load(*names) for worker in workers))
    assert await world.value("SELECT count(*) FROM jobs") == 40
    assert await world.value("SELECT count(*) FROM job_versions") == 40
    assert await world.value("SELECT count(*) FROM cursors") == 40
    assert {one.hash for one in (await world.store.code.live()).codes} == {workers[0].code.hash}
