"""Bounds of the locks of a store: namespaces, doubts about its clock, questions sent again, too many claims (R21)."""

from dataclasses import replace

import pytest

from foliot.domain.deadlocks import find_deadlocks
from foliot.domain.instants import HOUR, SECOND
from foliot.domain.locks import CLAIMS_MAX, EVERYBODY
from foliot.ports.store.locks import LockState
from foliot.ports.store.nodes import SESSION_TTL_US
from tests.conformance.building import PERSON, PLANS, definition
from tests.conformance.serving import CLOCK_STEP, servers
from tests.conformance.test_lock_store import HELD, TTL, WAITING, ask, by_run, claim, of_runs, state
from tests.conformance.working import trigger_in, worker
from tests.conformance.world import World


async def test_a_run_has_locks_in_the_namespace_of_its_job_whatever_its_worker_says(world: World) -> None:
    await world.store.jobs.save("theirs", "tick", definition(job="tick"), by=PERSON, plans=PLANS)
    await trigger_in(world, "theirs", 1)
    by = await worker(world)
    run = await by.lease_one()
    ours = claim()
    assert (await ask(world, ours)).state is HELD
    theirs = by_run(by, run)
    assert theirs.namespace == "default", "the worker names a namespace that is not its own"
    assert (await ask(world, theirs)).state is HELD
    shown = await world.store.locks.list(namespace=None, after=("", ""), limit=9)
    holders = {lock.namespace: [one.id for one in lock.holders] for lock in shown}
    assert holders == {"default": [ours.claim], "theirs": [theirs.claim]}


async def test_no_claim_ends_by_its_time_while_the_clock_is_in_doubt(world: World) -> None:
    sessions = await servers(world, 3)
    held, waits = claim(), claim()
    await ask(world, held)
    await ask(world, waits)
    await world.elapse(CLOCK_STEP)
    for session in sessions:
        await world.store.nodes.report_clock(session, ahead_us=CLOCK_STEP)
    assert (await world.store.locks.sweep(limit=100)).dropped == 0
    assert (await ask(world, claim(claim_id=waits.claim))).state is WAITING
    assert await world.store.locks.renew([held.claim], line="anne") == []
    assert [await state(world, one) for one in (held, waits)] == [HELD, WAITING]


async def test_after_an_outage_holders_have_the_time_to_renew(world: World) -> None:
    held, waits = claim(), claim()
    await ask(world, held)
    await ask(world, waits)
    await world.elapse(HOUR)
    assert await world.store.nodes.campaign("leader", ttl_us=SESSION_TTL_US) is not None
    assert (await world.store.locks.sweep(limit=100)).dropped == 0
    assert (await ask(world, claim(waits=False))).state is LockState.TAKEN
    await world.end_amnesty()
    assert (await world.store.locks.sweep(limit=100)).dropped == 2


async def test_after_a_step_back_of_the_clock_a_lock_is_held_for_its_ttl_and_no_longer(world: World) -> None:
    held = claim()
    await ask(world, held)
    await world.elapse(-HOUR)
    assert (await world.store.locks.sweep(limit=100)).waiting == 0
    await world.elapse(TTL + SECOND)
    assert (await world.store.locks.sweep(limit=100)).dropped == 1


async def test_one_claim_on_two_locks_is_refused(world: World) -> None:
    held = claim("a")
    await ask(world, held)
    for waits in (True, False):
        assert (await ask(world, replace(held, name="b", waits=waits))).state is LockState.OVER
    assert await state(world, held) is HELD
    assert await world.store.locks.find("default", "b") is None


async def test_a_question_sent_again_never_shortens_a_hold(world: World) -> None:
    held = claim()
    await ask(world, held)
    assert (await ask(world, replace(held, ttl_us=SECOND))).state is HELD
    await world.elapse(TTL - SECOND)
    assert (await world.store.locks.sweep(limit=100)).dropped == 0
    assert await world.store.locks.renew([held.claim], line="anne") == []


async def test_claims_behind_a_wait_that_was_ended_are_granted_and_named(world: World) -> None:
    by, (one, two) = await of_runs(world, 2)
    for asked in (by_run(by, one, "a", most=EVERYBODY), by_run(by, two, "b")):
        await ask(world, asked)
    await ask(world, by_run(by, one, "b"))
    victim, reader = by_run(by, two, "a"), claim("a", most=EVERYBODY)
    assert [(await ask(world, asked)).state for asked in (victim, reader)] == [WAITING, WAITING]
    (deadlock,) = find_deadlocks((await world.store.locks.waits()).claims)
    assert await world.store.locks.break_waits([(deadlock, "words")]) == ([victim.claim], [reader.claim])
    assert await state(world, reader) is HELD


async def test_a_lock_has_a_bounded_number_of_holders(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert CLAIMS_MAX == 2000, "no more than one transaction decides about"
    monkeypatch.setattr("foliot.store.sql.locking.steps.CLAIMS_MAX", 2)
    readers = [claim(most=EVERYBODY) for _ in range(3)]
    assert [(await ask(world, one)).state for one in readers] == [HELD, HELD, LockState.FULL]
    assert (await ask(world, readers[0])).state is HELD, "a claim that is there already is renewed"
