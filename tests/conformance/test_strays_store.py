"""Stray jobs: their own module's workers are gone, and workers of another module are asked to declare them again."""

from collections.abc import Sequence

from foliot.domain.verdict import judge
from foliot.ports.store.jobs import SaveOutcome
from foliot.ports.worker_link import Leaving
from tests.conformance.building import NS, PERSON, PLANS, job_of
from tests.conformance.declaring import CodeWorker, declare, draft
from tests.conformance.working import lead, worker
from tests.conformance.world import World


async def asked(world: World, term: int) -> Sequence[str]:
    return await world.store.code.ask_again(limit=10, term=term)


async def taken_over(world: World) -> tuple[CodeWorker, CodeWorker]:
    """The worker that a job was taken from, and the one that has it."""
    ours, theirs = CodeWorker(world), CodeWorker(world)
    await ours.load("tick", "tock", module="ours")
    await theirs.load("tick", module="theirs", takes_over=True)
    assert (await job_of(world)).module == "theirs"
    return ours, theirs


async def test_live_workers_are_asked_for_a_job_when_those_that_took_it_over_are_gone(world: World) -> None:
    term = await lead(world)
    ours, theirs = await taken_over(world)
    assert await asked(world, term) == (), "its own workers live"
    assert not await ours.is_asked()
    await theirs.leave()
    assert await asked(world, term - 1) == (), "another leads"
    assert list(await asked(world, term)) == [ours.code.hash]
    assert await asked(world, term) == (), "once, until a worker answers"
    twin = CodeWorker(world)
    await twin.register("tick", "tock", module="ours")
    assert not await ours.is_asked(), "one worker answers for all that have the same code"
    assert list(await asked(world, term)) == [ours.code.hash], "but it declared nothing"
    assert await ours.is_asked()
    assert await twin.is_asked()

    await ours.load("tick", "tock", module="ours")
    landed = [(one.outcome, one.taken_from) for one in ours.landed]
    assert landed == [(SaveOutcome.CHANGED, "theirs"), (SaveOutcome.SAME, None)]
    assert (await job_of(world)).module == "ours"
    assert not await ours.is_asked()
    assert not await twin.is_asked()
    assert await asked(world, term) == ()


async def test_a_worker_that_declares_the_job_no_more_gives_it_back(world: World) -> None:
    term = await lead(world)
    ours, theirs = await taken_over(world)
    await theirs.load("other", module="theirs")
    assert list(await asked(world, term)) == [ours.code.hash]
    assert not await theirs.is_asked()


async def test_nobody_is_asked_for_jobs_that_code_may_not_have(world: World) -> None:
    term = await lead(world)
    ours, theirs = await taken_over(world)
    await theirs.leave()
    unknown = await worker(world)
    assert await asked(world, term) == (), "a worker lives whose code an older server did not note"
    await world.store.nodes.leave(Leaving(session=unknown.session, settled=0), judge)
    edited = draft("tick", timeout="1m").definition
    await world.store.jobs.save(NS, "tick", edited, by=PERSON, plans=PLANS)
    assert await asked(world, term) == (), "a user changed the job since"
    assert not await ours.is_asked()


async def test_a_token_of_another_group_is_not_asked(world: World) -> None:
    term = await lead(world)
    ours = CodeWorker(world)
    await ours.register("tick", module="ours", group="shipping")
    await declare(world, draft("tick", module="theirs", group="billing"))
    assert await asked(world, term) == ()


async def test_a_session_whose_worker_is_gone_is_not_asked_for(world: World) -> None:
    term = await lead(world)
    ours, theirs = await taken_over(world)
    await theirs.leave()
    await ours.leave()
    assert await asked(world, term) == ()
