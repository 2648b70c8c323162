"""`ctx.lock` in each isolation: held while the code is inside, renewed with each beat, given back at every end."""

import pytest

from foliot.app.system import SystemClock
from foliot.domain.run import RunState
from foliot.domain.verdict import Cause
from foliot.ports.worker_link import LockAnswered, LockAsked
from foliot.worker import locks
from tests.unit.worker.fake_server import FakeServer, Row
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


@pytest.mark.parametrize("way", WAYS)
async def test_an_answer_that_does_not_name_a_lock_does_not_renew_it(way: str) -> None:
    """A server of an older version answers a beat without a word about locks."""
    async with working(beat_every_s=0.2) as house:
        house.server.lock_is_free.set()
        house.server.renews_locks = False
        row = add(house, way, params='{"until_lost": true, "ttl": "1s"}')
        await house.done(row)
        assert row.state is RunState.SUCCEEDED


@pytest.mark.parametrize("way", WAYS)
async def test_beats_that_name_a_lock_renew_it_beyond_its_ttl(way: str) -> None:
    async with working(beat_every_s=0.2) as house:
        house.server.lock_is_free.set()
        row = add(house, way, params='{"until_lost": true, "ttl": "10s"}')
        held = house.worker._execution.locks._held
        await house.until(lambda: held, what="the lock is held")
        (lock,) = held.values()
        first = lock.trusted_until
        await house.until(lambda: lock.trusted_until > first + 0.5, what="beats renew it")
        house.server.loses_locks = True
        await house.done(row)
        assert row.state is RunState.SUCCEEDED


class Ending(FakeServer):
    """Answers a claim in the very turn of the loop in which the attempt ends."""

    house: House

    async def claim_lock(self, asked: LockAsked) -> LockAnswered:
        answer = await super().claim_lock(asked)
        (attempt,) = self.house.worker._execution.running.values()
        attempt.is_over = True
        return answer


async def test_a_lock_that_is_given_as_the_attempt_ends_is_given_back() -> None:
    server = Ending(SystemClock())
    async with working(server) as house:
        server.house = house
        server.lock_is_free.set()
        row = add(house, "loop")
        await house.done(row)
        assert row.cause is Cause.CANCELLED, "its code is not told that it holds the lock"
        await left(house)
        assert not house.worker._execution.locks._held


async def test_a_worker_has_no_more_locks_than_a_beat_can_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "LOCKS_MAX", 1)
    async with working(beat_every_s=0.2) as house:
        waits = add(house, "loop")
        await house.until(lambda: house.server.lock_claims, what="it asks for the lock")
        refused = add(house, "thread")
        await house.until(lambda: refused.reports, what="its end")
        assert "the runs of its worker have 1 locks, which is the most" in (refused.reports[-1].error or "")
        house.server.lock_is_free.set()
        await house.done(waits)
        assert waits.state is RunState.SUCCEEDED
