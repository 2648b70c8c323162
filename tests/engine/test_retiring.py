"""The leader's duty that retires: it waits for a session's ttl by its own clock, and costs one statement while idle."""

from typing import Any

import pytest

from foliot.app.settings import TEST_TIMING
from foliot.domain.instants import HOUR, MINUTE, SECOND
from foliot.engine.retirements import LOOK_AGAIN_S, Retiring
from tests.clocks import DrivenClock
from tests.conformance.building import NS, PERSON, PLANS, fire, job_of
from tests.conformance.declaring import CodeWorker, declare, draft
from tests.conformance.working import lead
from tests.sql.world import World

TTL_S = TEST_TIMING.session.ttl_us / SECOND


def duty(world: World, clock: DrivenClock, told: list[tuple[str, str]], *, keeps_removed: bool = False) -> Retiring:
    return Retiring(
        world.store.code,
        PLANS,
        clock,
        ttl_s=TTL_S,
        keeps_removed=keeps_removed,
        on_told=lambda kind, job: told.append((kind, job.name)),
    )


@pytest.fixture
def told() -> list[tuple[str, str]]:
    return []


async def test_a_removed_job_is_retired_a_ttl_later_whatever_the_stores_clock_does(
    world: World, clock: DrivenClock, told: list[tuple[str, str]]
) -> None:
    term = await lead(world)
    up, retiring = CodeWorker(world), duty(world, clock, told)
    await up.load("tick", "other")
    await retiring.retire(term)
    await up.load("other")
    await retiring.retire(term)
    await world.elapse(HOUR)
    term = await lead(world)
    await clock.advance(TTL_S - 1)
    await retiring.retire(term)
    assert (told, (await job_of(world)).state) == ([], "active"), "the store's clock jumped; a new term waits anew"
    await clock.advance(TTL_S - 1)
    await retiring.retire(term)
    assert told == []
    await clock.advance(1)
    await retiring.retire(term)
    assert told == [("job.retired", "tick")]
    assert (await job_of(world)).retired_at is not None


async def test_a_change_of_the_code_begins_the_wait_anew_and_a_return_ends_it(
    world: World, clock: DrivenClock, told: list[tuple[str, str]]
) -> None:
    term = await lead(world)
    up, retiring = CodeWorker(world), duty(world, clock, told)
    await up.load("tick", "other")
    await up.load("other")
    await retiring.retire(term)
    await clock.advance(TTL_S)
    await up.load("other", "third")
    await retiring.retire(term)
    assert told == []
    await up.load("tick", "other", "third")
    await clock.advance(TTL_S)
    await retiring.retire(term)
    await clock.advance(TTL_S)
    await retiring.retire(term)
    assert told == []


async def test_a_retired_job_whose_worker_was_not_heard_to_the_end_is_resumed_by_the_leader(
    world: World, clock: DrivenClock, told: list[tuple[str, str]]
) -> None:
    term = await lead(world)
    up, retiring = CodeWorker(world), duty(world, clock, told)
    await up.load("tick", "other")
    await up.load("other")
    await retiring.retire(term)
    await clock.advance(TTL_S)
    await retiring.retire(term)
    await up.register("tick", "other")  # and its server dies before it looks for marks
    await retiring.retire(term)
    assert told == [("job.retired", "tick"), ("job.declared_again", "tick")]
    assert (await job_of(world)).state == "active"


async def test_what_a_pause_put_off_is_found_when_the_leader_looks_again(
    world: World, clock: DrivenClock, told: list[tuple[str, str]]
) -> None:
    term = await lead(world)
    up, retiring = CodeWorker(world), duty(world, clock, told)
    await up.load("tick", "other")
    await world.store.jobs.pause(NS, "tick", by=PERSON, plans=PLANS, until=await world.now() + MINUTE)
    await up.load("other")
    for _ in range(2):
        await retiring.retire(term)
        await clock.advance(TTL_S)
    await world.elapse(2 * MINUTE)
    term = await lead(world)
    await fire(world)
    for _ in range(3):
        await retiring.retire(term)
        await clock.advance(LOOK_AGAIN_S)
    assert told == [("job.retired", "tick")]


async def test_a_job_with_a_long_backlog_is_retired_in_the_same_round(
    world: World, clock: DrivenClock, told: list[tuple[str, str]]
) -> None:
    term = await lead(world)
    retiring = duty(world, clock, told)
    await declare(world, draft(schedule={"every": "1m"}, overlap="allow", misfire={"all": "1d"}))
    await CodeWorker(world).load("other")
    await retiring.retire(term)
    job = await job_of(world)
    await world.elapse(20 * HOUR)
    term = await lead(world)
    await retiring.retire(term)
    await clock.advance(TTL_S)
    await retiring.retire(term)
    assert told == [("job.retired", "tick")]
    runs, _ = await world.store.lookups.fired(job.job_id, from_at=0, to_at=2**62, limit=5000)
    assert len(runs) > 500, "more than one step decides"


async def test_a_cluster_that_keeps_removed_jobs_retires_none_and_lets_retired_ones_return(
    world: World, clock: DrivenClock, told: list[tuple[str, str]]
) -> None:
    term = await lead(world)
    up, retiring = CodeWorker(world), duty(world, clock, told, keeps_removed=True)
    await up.load("tick", "other")
    await up.load("other")
    for _ in range(3):
        await retiring.retire(term)
        await clock.advance(TTL_S)
    assert (told, (await job_of(world)).state) == ([], "active")


async def test_workers_are_asked_for_a_job_that_was_taken_over_for_a_moment(
    world: World, clock: DrivenClock, told: list[tuple[str, str]]
) -> None:
    """Between two looks of the leader a worker came, took the job and left: the code of live workers is the same."""
    term = await lead(world)
    ours, theirs, retiring = CodeWorker(world), CodeWorker(world), duty(world, clock, told)
    await ours.load("tick", module="ours")
    await retiring.retire(term)
    await world.elapse(SECOND)
    await theirs.load("tick", module="theirs", takes_over=True)
    await theirs.leave()
    await retiring.retire(term)
    assert await ours.is_asked()
    await ours.load("tick", module="ours")
    await clock.advance(TTL_S)
    await retiring.retire(term)
    assert (await job_of(world)).module == "ours"
    assert not await ours.is_asked()


async def test_a_worker_whose_answer_does_not_help_is_asked_ever_more_rarely(
    world: World, clock: DrivenClock, told: list[tuple[str, str]]
) -> None:
    term = await lead(world)
    ours, retiring = CodeWorker(world), duty(world, clock, told)
    await declare(world, draft("tick", module="theirs"))
    asked_in = []
    for nth in range(16):
        await ours.register("tick", module="ours")
        await world.elapse(SECOND)
        term = await lead(world)
        await retiring.retire(term)
        asked_in += [nth] if await ours.is_asked() else []
        await clock.advance(TTL_S)
    assert asked_in == [0, 1, 3, 7, 15]


async def test_an_idle_round_is_one_statement_however_many_jobs_there_are(
    world: World, clock: DrivenClock, told: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    term = await lead(world)
    names = [f"job-{n}" for n in range(50)]
    await CodeWorker(world).load(*names)
    retiring = duty(world, clock, told)
    for _ in range(3):
        await retiring.retire(term)
        await clock.advance(TTL_S)
    once, spent = world.database.runner.once, []

    async def counted(work: Any, *how: Any) -> Any:
        spent.append(work)
        return await once(work, *how)

    monkeypatch.setattr(world.database.runner, "once", counted)
    await retiring.retire(term)
    assert len(spent) == 1
