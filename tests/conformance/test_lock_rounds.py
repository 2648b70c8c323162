"""Steps of several callers in one transaction: each has the answer that it would have had by itself (R21)."""

from collections.abc import Mapping
from itertools import pairwise
from random import Random

import pytest

from foliot.domain.locks import EVERYBODY
from foliot.ports.store.locks import LockAnswer, LockAsk, LockLeave, LockRound, LockState, LockStep
from tests.conformance.test_lock_store import HELD, TAKEN, WAITING, ask, by_run, claim, of_runs, state
from tests.conformance.world import World

OVER = LockState.OVER


async def carried_out(world: World, *steps: LockStep) -> LockRound:
    return await world.store.locks.carry_out(steps, patient=False)


def states(done: LockRound) -> list[LockState | None]:
    return [None if answer is None else answer.state for answer in done.answers]


def leave(*asks: LockAsk) -> LockLeave:
    return LockLeave(claims=[one.claim for one in asks], line="anne", lock=("default", asks[0].name))


async def test_a_crowd_that_comes_together_stands_in_the_order_of_coming(world: World) -> None:
    crowd = [claim() for _ in range(5)]
    done = await carried_out(world, *crowd)
    assert states(done) == [HELD, *[WAITING] * 4]
    first = done.answers[0]
    assert first is not None
    tokens = [first.token or 0]
    for before, after in pairwise(crowd):
        done = await carried_out(world, leave(before))
        assert [grant.claim for grant in done.granted] == [after.claim]
        tokens.append(done.granted[0].token)
    assert tokens == sorted(set(tokens))


async def test_a_refused_step_and_one_that_is_sent_again_change_nothing_for_the_others(world: World) -> None:
    await ask(world, held := claim("held"))
    await ask(world, waits := claim("held"))
    tried, another, fresh = claim("held", waits=False), claim(claim_id=held.claim, name="held", line="bob"), claim("a")
    done = await carried_out(world, tried, held, waits, another, fresh, fresh)
    assert states(done) == [TAKEN, HELD, WAITING, OVER, HELD, HELD]
    assert done.granted == []
    assert [await state(world, one) for one in (tried, held, waits, fresh)] == [OVER, HELD, WAITING, HELD]


async def test_a_lock_goes_from_hand_to_hand_in_one_round(world: World) -> None:
    await ask(world, first := claim())
    await ask(world, second := claim())
    third = claim()
    done = await carried_out(world, leave(first), third, leave(second))
    assert (states(done)[1], done.granted) == (HELD, []), "who asks in this round is told by its own answer"
    assert [await state(world, one) for one in (first, second, third)] == [OVER, OVER, HELD]
    assert (await ask(world, claim(waits=False))).state is TAKEN


async def test_who_would_not_wait_keeps_nobody_behind_it_from_the_lock(world: World) -> None:
    await ask(world, reader := claim(most=EVERYBODY))
    writer, later = claim(waits=False), claim(most=EVERYBODY)
    assert states(await carried_out(world, writer, later)) == [TAKEN, HELD]
    assert await state(world, reader) is HELD


async def test_an_owner_that_asks_again_in_the_same_round_does_not_wait_for_itself(world: World) -> None:
    by, (run,) = await of_runs(world)
    done = await carried_out(world, by_run(by, run), claim(), by_run(by, run))
    assert states(done) == [HELD, WAITING, HELD]


async def test_a_claim_that_another_lock_has_sends_each_step_its_own_way(world: World) -> None:
    await ask(world, held := claim("a"))
    both = [claim("b", claim_id=held.claim), claim("c")]
    assert states(await carried_out(world, *both)) == [None, None], "nothing was written"
    assert [states(await carried_out(world, one)) for one in both] == [[OVER], [HELD]]


async def test_a_run_that_is_over_has_no_lock_in_a_round(world: World) -> None:
    by, (run,) = await of_runs(world)
    late = by_run(by, run)
    assert late.run is not None
    gone = claim(run=type(late.run)(session=by.session, run_id=run.run_id, lease_id="before"))
    assert states(await carried_out(world, gone, late, claim("b"))) == [OVER, HELD, HELD]


async def test_a_worker_gives_back_claims_of_several_locks_in_a_round(world: World) -> None:
    by, (run,) = await of_runs(world)
    mine = [by_run(by, run, name) for name in ("a", "b")]
    await carried_out(world, *mine)
    await carried_out(world, theirs := claim("a"))
    done = await carried_out(world, LockLeave(claims=[one.claim for one in mine], session=by.session), claim("b"))
    assert states(done)[1] is HELD
    assert [grant.claim for grant in done.granted] == [theirs.claim]


@pytest.mark.parametrize("seed", range(3))
async def test_any_steps_together_end_as_they_would_one_after_the_other(world: World, seed: int) -> None:
    """The same steps on two sets of locks: in rounds, and one by one."""
    chance = Random(seed)
    for number in range(8):
        steps = [_any_step(chance, number, index) for index in range(6)]
        await world.store.locks.carry_out([_on(step, "t") for step in steps])
        for step in steps:
            await world.store.locks.carry_out([_on(step, "o")])
    ids = [f"r{number}i{index}" for number in range(8) for index in range(6)]
    ends = [await world.store.locks.look([f"{name}{side}" for name in ids]) for side in "to"]
    kept = [{name[:-1]: answer.state for name, answer in end.items()} for end in ends]
    assert kept[0] == kept[1]
    assert len(kept[0]) > 3
    assert _by_token(ends[0]) == _by_token(ends[1])


def _by_token(found: Mapping[str, LockAnswer]) -> list[str]:
    """Claims that hold a lock, in the order of their tokens."""
    held = sorted((answer.token, name[:-1]) for name, answer in found.items() if answer.token is not None)
    return [name for _, name in held]


def _any_step(chance: Random, number: int, index: int) -> LockStep:
    name = "a"
    if number and chance.random() < 0.4:
        claims = [f"r{chance.randrange(number)}i{chance.randrange(6)}" for _ in range(2)]
        return LockLeave(claims=claims, line="anne", lock=("default", name))
    most = chance.choice([1, 1, 2, EVERYBODY])
    return claim(name, most=most, claim_id=f"r{number}i{index}", waits=chance.random() < 0.8)


def _on(step: LockStep, side: str) -> LockStep:
    """The same step, on locks and claims of one side."""
    if isinstance(step, LockLeave):
        assert step.lock is not None
        lock = (step.lock[0], step.lock[1] + side)
        return LockLeave(claims=[one + side for one in step.claims], line=step.line, lock=lock)
    return claim(step.name + side, most=step.most, claim_id=step.claim + side, waits=step.waits)
