"""Locks in the tables: tokens and epochs (R21), and how many claims one asker may have."""

import asyncio

import pytest

from foliot.app.system import SystemClock
from foliot.engine.lock_desk import LockWaiting
from foliot.ports.store.locks import LockLeave, LockState
from foliot.store.sql.locking import steps as sql
from tests.conformance.locking import release
from tests.conformance.test_lock_store import HELD, ask, by_run, claim, of_runs
from tests.sql.test_declaring_store import counted
from tests.sql.world import World


async def test_tokens_rise_above_the_epoch_of_a_store_that_came_from_a_backup(world: World) -> None:
    before = (await ask(world, held := claim())).token or 0
    waits = claim()
    await ask(world, waits)
    await world.change("UPDATE store_meta SET epoch = epoch + 1")
    await release(world.store.locks, [held.claim], line="anne")
    after = (await world.store.locks.look([waits.claim]))[waits.claim].token or 0
    assert after >> 28 == (before >> 28) + 1
    await release(world.store.locks, [waits.claim], line="anne")
    assert ((await ask(world, claim())).token or 0) > after


async def test_an_asker_has_a_bounded_number_of_claims(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "ASKER_CLAIMS_MAX", 2)
    by, (run,) = await of_runs(world)
    asks = [claim(f"l{n}") for n in range(2)]
    assert [(await ask(world, one)).state for one in asks] == [HELD, HELD]
    assert (await ask(world, claim("l2"))).state is LockState.MANY
    assert (await ask(world, asks[0])).state is HELD, "a claim that it has is no new one"
    assert (await ask(world, claim("l2", line="bob"))).state is HELD, "another token has its own number"
    own = [by_run(by, run, f"r{n}") for n in range(3)]
    assert [(await ask(world, one)).state for one in own] == [HELD, HELD, LockState.MANY]
    await release(world.store.locks, [asks[0].claim], line="anne")
    assert (await ask(world, claim("l3"))).state is HELD


async def test_a_hundred_pairs_that_come_together_cost_as_many_statements_as_two(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = LockWaiting(world.store.locks, clock=SystemClock(), tell_others=lambda _: None)
    await world.store.locks.carry_out([claim(f"l{n}", most=2) for n in range(100)])

    async def pairs(numbers: range) -> dict[str, int]:
        asks = [claim(f"l{n}", most=2) for n in numbers]
        leaves = [LockLeave(claims=[one.claim], line="anne", lock=("default", one.name)) for one in asks]
        with counted(monkeypatch) as spent:
            for steps in (asks, leaves):
                await asyncio.gather(*map(waiting.carry_out, steps))
        assert spent["change"] == 4, "draw and insert, draw and delete"
        return spent

    assert await pairs(range(2)) == await pairs(range(100))
