"""Steps on locks that are carried out together: which go together, and whose answer is whose."""

import asyncio
from collections.abc import Sequence

import pytest

from foliot.domain.locks import LockGrant
from foliot.engine.lock_groups import SLOW_S, LockGroups
from foliot.ports.store.errors import OutcomeUnknown, StoreBusy
from foliot.ports.store.locks import LockAnswer, LockAsk, LockRound, LockState, LockStep
from tests.clocks import DrivenClock, settle

pytestmark = pytest.mark.anyio
TAKEN = LockAnswer(state=LockState.TAKEN)


class Transactions:
    """The store's transactions (`ports.store.locks.LockStore`), each under way until the test lets it end."""

    def __init__(self) -> None:
        self.rounds: list[list[str]] = []
        self.patient: list[bool] = []
        self.may_end = asyncio.Event()
        self.busy: set[str] = set()
        self.refused: set[str] = set()
        self.fail_all: Exception | None = None
        self.fail_with: set[str] = set()

    async def carry_out(self, steps: Sequence[LockStep], *, patient: bool = True) -> LockRound:
        names = [step.claim for step in steps if isinstance(step, LockAsk)]
        self.rounds.append(names)
        self.patient.append(patient)
        if not self.busy.intersection(names) or patient:
            await self.may_end.wait()
        if self.fail_all is not None:
            raise self.fail_all
        if self.fail_with.intersection(names):
            raise StoreBusy("The store is too busy.")
        answers = [self._answer(name, patient) for name in names]
        return LockRound(answers=answers, granted=[LockGrant("other", 5)] if "releases" in names else [])

    def _answer(self, name: str, patient: bool) -> LockAnswer | None:
        if name in self.busy and not patient:
            return None
        return TAKEN if name in self.refused else LockAnswer(state=LockState.HELD, token=len(self.rounds))


class Callers:
    """A server, one of whose transactions is under way."""

    def __init__(self) -> None:
        self.clock = DrivenClock()
        self.store = Transactions()
        self.granted: list[LockGrant] = []
        store: object = self.store
        groups = LockGroups(store, clock=self.clock, on_granted=self.granted.extend)  # type: ignore[arg-type]
        self.carry_out = groups.carry_out
        self.calls: dict[str, asyncio.Task[LockAnswer]] = {}

    async def come(self, *claims: str) -> None:
        for claim in claims:
            step = LockAsk(claim=claim, namespace="default", name=claim, most=1, ttl_us=1)
            self.calls[claim] = asyncio.create_task(self.carry_out(step))
        await settle()

    async def ended(self) -> dict[str, LockState | type[BaseException]]:
        """How each call ended."""
        self.store.may_end.set()
        found = await asyncio.gather(*self.calls.values(), return_exceptions=True)
        return {
            claim: type(one) if isinstance(one, BaseException) else one.state
            for claim, one in zip(self.calls, found, strict=True)
        }


@pytest.fixture
async def callers() -> Callers:
    callers = Callers()
    await callers.come("first")
    assert callers.store.rounds == [["first"]]
    return callers


async def test_whoever_comes_during_a_transaction_goes_into_the_next_one_in_the_order_of_coming(
    callers: Callers,
) -> None:
    await callers.come("a", "b")
    await callers.come("c")
    assert callers.store.rounds == [["first"]], "one transaction at a time"
    await callers.ended()
    assert callers.store.rounds == [["first"], ["a", "b", "c"]]


async def test_a_refused_step_has_its_own_answer(callers: Callers) -> None:
    await callers.come("a", "refused", "c")
    callers.store.refused = {"refused"}
    found = await callers.ended()
    assert [found[claim] for claim in ("a", "refused", "c")] == [LockState.HELD, LockState.TAKEN, LockState.HELD]


async def test_a_step_whose_lock_is_busy_goes_by_itself_and_the_others_do_not_wait_for_it(callers: Callers) -> None:
    await callers.come("a", "busy", "c")
    callers.store.busy = {"busy"}
    found = await callers.ended()
    assert set(found.values()) == {LockState.HELD}
    assert callers.store.rounds == [["first"], ["a", "busy", "c"], ["busy"]]
    assert callers.store.patient == [True, False, True]


async def test_when_a_group_is_given_up_each_step_is_tried_by_itself_and_one_alone_fails(callers: Callers) -> None:
    await callers.come("a", "guilty")
    callers.store.fail_with = {"guilty"}
    found = await callers.ended()
    assert (found["a"], found["guilty"]) == (LockState.HELD, StoreBusy)


async def test_an_unknown_outcome_is_told_to_each_caller_and_nothing_is_sent_twice(callers: Callers) -> None:
    await callers.come("a", "b")
    callers.store.fail_all = OutcomeUnknown("The answer to a commit was lost.")
    found = await callers.ended()
    assert set(found.values()) == {OutcomeUnknown}
    assert callers.store.rounds == [["first"], ["a", "b"]]


async def test_a_caller_that_goes_away_takes_nobody_with_it(callers: Callers) -> None:
    await callers.come("a", "goes", "c")
    callers.calls.pop("goes").cancel()
    callers.calls["first"].cancel()
    await settle()
    callers.calls.pop("first")
    assert set((await callers.ended()).values()) == {LockState.HELD}
    assert callers.store.rounds == [["first"], ["a", "c"]], "nobody waits for the answer of the one that went"


async def test_a_slow_transaction_does_not_keep_the_next_one_waiting(callers: Callers) -> None:
    await callers.come("a")
    await callers.clock.advance(SLOW_S)
    assert callers.store.rounds == [["first"], ["a"]]
    await callers.ended()


async def test_claims_that_a_step_grants_to_others_are_told_once(callers: Callers) -> None:
    await callers.come("a", "releases")
    await callers.ended()
    assert callers.granted == [LockGrant("other", 5)]
