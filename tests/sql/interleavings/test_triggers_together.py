"""Triggers with one idempotency key at two servers at once, where triggers share a run (R1, R23)."""

import asyncio

import pytest

from foliot.domain.instants import DAY
from foliot.domain.policies.windows import StandsFor
from foliot.ports.store.runs import TriggerRequest
from tests.conformance.building import ask, save
from tests.sql.interleavings.halting import halting, patient, until_blocked
from tests.sql.rows import runs_of
from tests.sql.world import World

pytestmark = pytest.mark.services


def numbered(n: int) -> TriggerRequest:
    """A trigger with a key of its own."""
    return ask(key=str(n), params=f"[{n}]", asked=f"hash-{n}")


async def test_a_slow_server_with_the_same_key_brings_no_older_parameters_back(postgres_world: World) -> None:
    world = postgres_world
    await save(world, debounce="1h")
    await world.store.runs.trigger(numbered(1))
    slow = await halting(world, "trigger.found")
    await slow.start(slow.store.runs.trigger(numbered(2)))  # it has looked: nobody knows the key
    quick = await world.store.runs.trigger(numbered(2))
    newer = await world.store.runs.trigger(numbered(3))
    assert (quick.stands_for, newer.stands_for) == (StandsFor.DEBOUNCE, StandsFor.DEBOUNCE)
    repeat = await slow.finish()
    assert (repeat.run_id, repeat.stands_for, repeat.asked) == (newer.run_id, StandsFor.KEY, "hash-2")
    (run,) = await runs_of(world)
    # Naive, without the key in the window's transaction: the slow one joins once more, and its parameters are the last.
    assert (run["params"], run["not_before"]) == ("[3]", newer.not_before)


@pytest.mark.parametrize("policy", [{"debounce": "1h"}, {"throttle": "1/1h"}], ids=["debounce", "throttle"])
async def test_who_waits_for_the_same_key_finds_it(postgres_world: World, policy: dict[str, str]) -> None:
    world = postgres_world
    await save(world, **policy)
    first = await world.store.runs.trigger(numbered(1))
    one = await halting(world, "trigger.bumped")
    await one.start(one.store.runs.trigger(numbered(2)))
    other = await patient(world)
    waiting = asyncio.create_task(other.runs.trigger(numbered(2)))
    await until_blocked(world, waiting)
    joined = await one.finish()
    repeat = await waiting
    assert (joined.run_id, repeat.run_id) == (first.run_id, first.run_id)
    assert (joined.stands_for, repeat.stands_for) == (StandsFor(next(iter(policy))), StandsFor.KEY)
    assert await world.value("SELECT count(*) FROM trigger_keys WHERE fire_key = 'm:2'") == 1


async def test_the_first_key_at_two_servers_makes_one_run(postgres_world: World) -> None:
    world = postgres_world
    await save(world, debounce="1h")
    slow = await halting(world, "trigger.found")
    await slow.start(slow.store.runs.trigger(numbered(1)))
    made = await world.store.runs.trigger(numbered(1))
    await world.store.runs.trigger(numbered(2))
    repeat = await slow.finish()
    assert (made.created, repeat.created, repeat.stands_for) == (True, False, StandsFor.KEY)
    assert (repeat.run_id, repeat.asked) == (made.run_id, "hash-1")
    assert [run["params"] for run in await runs_of(world)] == ["[2]"]


async def test_a_repeat_while_its_key_is_forgotten_does_not_wait(postgres_world: World) -> None:
    world = postgres_world
    await save(world, throttle="1/1s")
    first = await world.store.runs.trigger(numbered(1))
    await world.store.runs.trigger(numbered(2))
    await world.elapse(2 * DAY)
    forgetting = await halting(world, "forgetting.windows")
    await forgetting.start(forgetting.store.runs.forget(before=0, after_id=0, limit=100))
    assert (await world.store.runs.trigger(numbered(2))).run_id == first.run_id, "it is there until the commit"
    await forgetting.finish()
    assert (await world.store.runs.trigger(numbered(2))).created
