"""Locks under contention on networked stores: decisions one after the other, and renewals that race with them."""

import asyncio

import pytest

from foliot.domain.instants import SECOND
from foliot.ports.store.locks import LockState
from tests.conformance.locking import acquire
from tests.conformance.test_lock_store import TTL, ask, claim, crowd, state
from tests.sql.interleavings.halting import halting, until_blocked
from tests.sql.world import World

pytestmark = pytest.mark.services


async def test_a_thousand_grants_to_twenty_clients_are_one_after_the_other(postgres_world: World) -> None:
    await crowd(postgres_world, times=50 if postgres_world.engine == "postgresql" else 5)


async def test_a_holder_renews_its_claim_while_another_decides_and_waits_for_nobody(postgres_world: World) -> None:
    world = postgres_world
    held, next_one = claim(), claim()
    await ask(world, held)
    decider = await halting(world, "locks.drawn")
    await world.elapse(TTL - SECOND)
    await decider.start(acquire(decider.store.locks, next_one))
    assert await world.store.locks.renew([held.claim], line="anne") == []
    answer = await decider.finish()
    assert (answer.state, await state(world, held)) == (LockState.WAITING, LockState.HELD)


async def test_a_decision_about_a_lock_waits_for_the_one_before_it(postgres_world: World) -> None:
    world = postgres_world
    first, second = claim(), claim()
    decider = await halting(world, "locks.drawn")
    await decider.start(acquire(decider.store.locks, first))
    other = await world.open()
    later = asyncio.create_task(acquire(other.locks, second))
    await until_blocked(world, later)
    assert (await decider.finish()).state is LockState.HELD
    assert (await later).state is LockState.WAITING, "it read the claims after its lock"
