"""Claims that wait at a server: which of them it asks the store about, and when."""

import asyncio
from collections.abc import Sequence

import pytest

from foliot.domain.locks import LockGrant
from foliot.engine.lock_desk import IDLE_REST_S, LOOK_EVERY_S, LockWaiting
from foliot.ports.store.locks import LockAnswer, LockLeave, LockRound, LockState, LockStep
from tests.clocks import DrivenClock, settle

pytestmark = pytest.mark.anyio


class Claims:
    """The store's claims, as far as a desk asks for them (`ports.store.locks.LockStore`)."""

    def __init__(self) -> None:
        self.tokens: dict[str, int | None] = {}
        self.looks: list[list[str]] = []
        self.grants: list[LockGrant] = []  # by the next step

    async def carry_out(self, steps: Sequence[LockStep], *, patient: bool = True) -> LockRound:
        return LockRound(answers=[LockAnswer(state=LockState.OVER) for _ in steps], granted=self.grants)

    async def look(self, claims: Sequence[str]) -> dict[str, LockAnswer]:
        self.looks.append(sorted(claims))
        return {claim: _answer(self.tokens[claim]) for claim in claims}


def _answer(token: int | None) -> LockAnswer:
    return LockAnswer(state=LockState.WAITING if token is None else LockState.HELD, token=token)


class Desk:
    """A server's desk at which three claims wait."""

    def __init__(self) -> None:
        self.clock = DrivenClock()
        self.store = Claims()
        self.told: list[str] = []
        store: object = self.store
        self.waiting = LockWaiting(store, clock=self.clock, tell_others=self.told.extend)  # type: ignore[arg-type]
        self.answers: dict[str, asyncio.Task[LockAnswer]] = {}

    async def sit(self, *claims: str) -> None:
        for claim in claims:
            self.store.tokens[claim] = None
            self.answers[claim] = asyncio.create_task(self.waiting.wait(claim, for_s=60))
        await settle()
        await self.waiting.step()
        assert self.store.looks == [], "their answer said just now that they wait"


@pytest.fixture
async def desk() -> Desk:
    desk = Desk()
    await desk.sit("a", "b", "c")
    return desk


async def test_a_claim_that_is_named_is_looked_at_alone(desk: Desk) -> None:
    desk.store.tokens["b"] = 7
    desk.waiting.granted(["b"])
    await desk.waiting.step()
    assert desk.store.looks == [["b"]]
    assert (await desk.answers["b"]).token == 7
    assert desk.told == []


async def test_only_claims_that_wait_elsewhere_are_named_to_others(desk: Desk) -> None:
    desk.waiting.granted(["b", "x", "y"])
    assert desk.told == ["x", "y"]


async def test_a_claim_of_another_server_costs_no_statement(desk: Desk) -> None:
    assert not desk.waiting.heard("x")
    await desk.waiting.step()
    assert desk.store.looks == []


async def test_all_are_looked_at_after_a_while_however_often_one_is_named(desk: Desk) -> None:
    for _ in range(5):
        desk.waiting.heard("a")
        await desk.waiting.step()
        await desk.clock.advance(LOOK_EVERY_S / 5 + 0.001)
    await desk.waiting.step()
    assert desk.store.looks == [*[["a"]] * 5, ["a", "b", "c"]]


async def test_a_claim_that_was_granted_before_it_sat_down_is_looked_at_at_once(desk: Desk) -> None:
    desk.waiting.granted(["d"])
    assert desk.told == ["d"], "it may wait elsewhere"
    desk.store.tokens["d"] = 7
    answer = asyncio.create_task(desk.waiting.wait("d", for_s=60))
    await settle()
    await desk.waiting.step()
    assert desk.store.looks == [["d"]]
    assert (await answer).token == 7


async def test_the_first_who_sits_down_wakes_the_desk_which_looks_after_a_while() -> None:
    desk = Desk()
    assert await desk.waiting.step() == IDLE_REST_S
    desk.waiting.wake.clear()
    await desk.sit("a")
    assert desk.waiting.wake.is_set()
    await desk.clock.advance(LOOK_EVERY_S)
    await desk.waiting.step()
    assert desk.store.looks == [["a"]]


async def test_when_wake_ups_were_lost_all_are_looked_at_once(desk: Desk) -> None:
    desk.waiting.look_at_all()
    assert await desk.waiting.step() <= LOOK_EVERY_S
    await desk.waiting.step()
    assert desk.store.looks == [["a", "b", "c"]]


async def test_a_desk_at_which_nobody_waits_does_not_look() -> None:
    desk = Desk()
    desk.waiting.look_at_all()
    assert await desk.waiting.step() == IDLE_REST_S
    assert desk.store.looks == []


async def test_a_claim_that_this_server_grants_is_answered_without_a_look(desk: Desk) -> None:
    desk.store.grants = [LockGrant("b", 7), LockGrant("x", 8)]
    await desk.waiting.carry_out(LockLeave(claims=("a",)))
    assert (await desk.answers["b"]).token == 7
    assert (desk.store.looks, desk.told) == ([], ["x"])


async def test_a_claim_that_this_server_granted_before_it_sat_down_is_answered_without_a_look(desk: Desk) -> None:
    desk.store.grants = [LockGrant("d", 7)]
    await desk.waiting.carry_out(LockLeave(claims=("a",)))
    assert (await desk.waiting.wait("d", for_s=60)).token == 7
    assert desk.store.looks == []
