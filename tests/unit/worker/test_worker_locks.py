"""`ctx.lock` in each isolation: held while the code is inside, renewed with each beat, given back at every end."""

import pytest

from foliot.domain.run import RunState
from foliot.domain.verdict import Cause
from tests.unit.worker.fake_server import Row
from tests.unit.worker.house import House, working

WAYS = {"loop": "locked_async", "thread": "locked", "process": "locked"}


def add(house: House, way: str, params: str | None = None) -> Row:
    isolation = None if way == "loop" else way
    return house.add(WAYS[way], isolation=isolation, params=params)


async def left(house: House) -> None:
    claims = {asked.claim for asked in house.server.lock_claims}
    await house.until(lambda: claims <= set(house.server.locks_left), what="the claims are given back")


@pytest.mark.parametrize("way", WAYS)
async def test_a_lock_has_a_token_inside_and_is_given_back_outside(way: str) -> None:
    async with working() as house:
        house.server.lock_is_free.set()
        row = add(house, way)
        await house.done(row)
        assert (row.state, row.reports[-1].result) == (RunState.SUCCEEDED, "1")
        (asked,) = house.server.lock_claims
        assert (asked.name, asked.namespace, asked.run_id) == ("acct:1", "default", row.run.run_id)
        await left(house)


@pytest.mark.parametrize("way", WAYS)
async def test_a_run_that_is_asked_to_stop_waits_for_no_lock_any_more(way: str) -> None:
    async with working(beat_every_s=0.2) as house:
        row = add(house, way)
        await house.until(lambda: house.server.lock_claims, what="it asks for the lock")
        house.server.cancel(row)
        await house.done(row)
        assert row.cause is Cause.CANCELLED
        await left(house)


@pytest.mark.parametrize("way", WAYS)
async def test_a_lock_that_the_store_does_not_have_any_more_is_lost(way: str) -> None:
    async with working(beat_every_s=0.2) as house:
        house.server.lock_is_free.set()
        house.server.loses_locks = True
        tells = add(house, way, params='{"until_lost": true}')
        await house.done(tells)
        assert tells.state is RunState.SUCCEEDED
        assert "the lock acct:1 is lost" in tells.log
        ends = add(house, way, params='{"until_lost": true, "cancel": true}')
        await house.until(lambda: ends.reports, what="its end")
        assert ends.reports[-1].cause is Cause.ERROR


@pytest.mark.parametrize(
    ("state", "error"), [("taken", "LockTaken"), ("broken", "LockDeadlock"), ("full", "LockQueueFull")]
)
async def test_a_lock_that_is_not_given_is_an_error_that_can_be_tried_again(state: str, error: str) -> None:
    async with working() as house:
        house.server.lock_is_free.set()
        house.server.lock_state = state
        row = add(house, "loop")
        await house.until(lambda: row.reports, what="its end")
        report = row.reports[-1]
        assert (report.cause, error in (report.error_type or "")) == (Cause.ERROR, True)


async def test_a_blocking_lock_in_a_coroutine_is_refused_with_the_right_words() -> None:
    async with working() as house:
        row = house.add("locked_wrongly")
        await house.until(lambda: row.reports, what="its end")
        assert "this is an async function" in (row.reports[-1].error or "")
        assert not house.server.lock_claims
