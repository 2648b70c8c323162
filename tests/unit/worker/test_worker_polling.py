"""Asking for work: lost answers are asked for again or given up, and no run stays without a holder (R5)."""

import asyncio
from typing import Any

import pytest

from foliot.app.system import SystemClock
from foliot.domain.run import RunState
from foliot.domain.verdict import Cause
from foliot.ports.worker_link import Leased, LeasePoll
from tests.eventually import soon
from tests.unit.worker.fake_server import FakeServer, ServerIsAway
from tests.unit.worker.house import working

QUICK: dict[str, Any] = {"ttl_s": 60.0, "beat_every_s": 0.1, "margin_s": 2.0}


class Listening(FakeServer):
    """Remembers the polls it got."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.polls: list[LeasePoll] = []

    async def lease(self, poll: LeasePoll) -> Leased:
        self.polls.append(poll)
        return await super().lease(poll)


async def test_a_lost_answer_is_asked_for_again_by_the_same_number() -> None:
    server = Listening(SystemClock(), ttl_s=600, beat_every_s=200, margin_s=2)
    server.lose["lease"] = 2
    async with working(server) as house:
        row = house.add("noop")
        await house.done(row)
        assert row.leases == 1, "the same lease, not another"
        first, second, third, *_ = server.polls
        assert first.request_no == second.request_no == third.request_no
        assert [first.repeat, second.repeat, third.repeat] == [False, True, True]


class Lossy(FakeServer):
    """Loses the first answer to every request that leased something, and every seventh repeat as well."""

    lost = 0

    async def lease(self, poll: LeasePoll) -> Leased:
        leased = await super().lease(poll)
        if leased.runs and (not poll.repeat or self.calls["lease"] % 7 == 0):
            self.lost += 1
            raise ServerIsAway("The answer was lost.")
        return leased


@pytest.mark.slow
async def test_a_hundred_lost_answers_leave_no_run_without_a_holder() -> None:
    server = Lossy(SystemClock(), **QUICK)
    async with working(server, slots=1) as house:
        server.honours_ahead = False
        rows = [house.add("echo", params=f'{{"value": {i}}}') for i in range(100)]
        await house.done(within_s=120)
        assert server.lost >= 100
        assert [row.reports[-1].result for row in rows] == [str(i) for i in range(100)]
        assert all(len(row.reports) == 1 for row in rows), "each result once"
        assert house.worker.figures.polls_repeated >= 100
        beats = house.worker.figures.beats
        await house.until(lambda: house.worker.figures.beats >= beats + 2)
        assert server.running_without_holder() == []


async def test_a_request_given_up_is_settled_and_its_runs_are_taken_back_within_two_beats() -> None:
    server = Listening(SystemClock(), **QUICK)
    server.lose["lease"] = 10**9
    async with working(server) as house:
        row = house.add("noop")
        await house.until(lambda: row.leases >= 2, what="leased, taken back, leased again")
        assert house.server.adopted >= 1
        assert house.worker.figures.polls_given_up >= 1
        server.lose.clear()
        await house.done(row)
        assert row.cause is Cause.SUCCEEDED
        assert len(row.reports) == 1
        numbers = [poll.request_no for poll in server.polls]
        assert numbers == sorted(numbers), "request numbers rise"
        assert all(poll.settled < poll.request_no for poll in server.polls)
        for earlier, later in zip(server.polls, server.polls[1:], strict=False):
            if later.request_no > earlier.request_no:
                assert later.settled >= earlier.request_no
                assert not later.repeat


class Late(FakeServer):
    """Answers one poll long after the worker stopped waiting: with the runs it leased for it."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.late: asyncio.Task[Leased] | None = None
        self.go = asyncio.Event()

    async def lease(self, poll: LeasePoll) -> Leased:
        if self.late is None:
            self.late = asyncio.create_task(self._answer_late(poll))
            return await asyncio.shield(self.late)
        return await super().lease(poll)

    async def _answer_late(self, poll: LeasePoll) -> Leased:
        leased = self._lease_now(poll)
        await self.go.wait()
        return leased


async def test_an_answer_that_comes_too_late_is_dropped() -> None:
    server = Late(SystemClock(), **QUICK)
    row = server.add("python:tests.unit.worker.jobs:noop")
    async with working(server, call_within_s=0.1, poll_wait_s=0.1) as house:
        await house.until(lambda: server.late is not None and row.leases == 1)
        await house.until(lambda: row.leases >= 2 or row.state.is_final, what="repeated or taken back")
        server.go.set()
        await house.done(row)
        await house.until(lambda: house.worker.session is not None and house.worker.session.held_count == 0)
        assert len(row.reports) == 1


class Misnumbered(FakeServer):
    """Answers every other poll with the number of another request."""

    async def lease(self, poll: LeasePoll) -> Leased:
        leased = await super().lease(poll)
        if self.calls["lease"] % 2:
            return Leased(request_no=leased.request_no + 1000, runs=leased.runs)
        return leased


async def test_a_poll_is_asked_again_when_a_beat_gets_no_answer() -> None:
    """Its server may be gone without a word: the poll would wait for its answer in vain (F10)."""
    async with working(FakeServer(SystemClock(), **QUICK), poll_wait_s=600.0) as house:
        await house.until(lambda: house.worker.figures.polls >= 1)
        house.server.lose["beat"] = 1
        await house.until(lambda: house.worker.figures.polls_repeated >= 1)
        row = house.add("echo")
        await house.done()
        assert row.cause is Cause.SUCCEEDED


async def test_an_answer_to_another_request_is_no_answer() -> None:
    async with working(Misnumbered(SystemClock(), **QUICK), poll_wait_s=0.2) as house:
        rows = [house.add("noop") for _ in range(20)]
        await house.done()
        assert all(len(row.reports) == 1 for row in rows)


async def test_no_more_is_leased_than_there_are_slots(tmp_path: object) -> None:
    async with working(slots=3) as house:
        for _ in range(10):
            house.add("hold")
        await house.until(lambda: house.worker.figures.started == 3)
        await _polls_rest(house.server)
        assert house.server.states()[RunState.RUNNING] == 3


async def _polls_rest(server: FakeServer) -> None:
    """Return when a moment passes in which nobody polls."""

    seen: list[int] = []

    def unchanged() -> bool:
        seen.append(server.calls["lease"])
        return len(seen) > 10 and seen[-1] == seen[-10]

    await soon(unchanged)


async def test_short_runs_are_leased_ahead_of_free_slots_and_at_most_once_ones_never() -> None:
    asked: list[LeasePoll] = []

    class Watching(Listening):
        async def lease(self, poll: LeasePoll) -> Leased:
            asked.append(poll)
            leased = await super().lease(poll)
            assert sum(run.at_most_once for run in leased.runs) <= poll.free
            return leased

    async with working(Watching(SystemClock()), slots=2) as house:
        for i in range(600):
            house.add("noop", at_most_once=i % 3 == 0)
        await house.done()
        assert any(poll.ahead > 0 for poll in asked)
        assert all(poll.wait_us == 0 for poll in asked if not poll.free), "nothing to wait for without a slot"


async def test_a_run_leased_ahead_that_finds_no_slot_is_given_back() -> None:
    async with working(slots=1) as house:
        waiting = house.worker._execution

        async def are_short() -> bool:
            for _ in range(60):
                house.add("noop")
            await house.done()
            return waiting.typical_s < 0.05

        await soon(are_short)  # at once, unless the machine stalls
        hold = house.add("hold")
        await house.until(lambda: [one.run.run_id for one in waiting.running.values()] == [hold.run.run_id])
        run = house.add("noop")
        house.lease_ahead(run)
        assert waiting.queued == 1
        await house.until(lambda: run.cause is Cause.RELEASED, what="given back")
        assert run.reports[0].started_us_ago is None


async def test_a_draining_session_is_given_no_work_and_asks_for_none() -> None:
    async with working(**QUICK) as house:
        await house.until(lambda: house.worker.session is not None)
        assert house.worker.session is not None
        house.worker.session.is_draining = True
        assert house.worker._poller._wanted(house.worker.session) == (0, 0)


@pytest.mark.parametrize("slots", [1, 4, 64])
async def test_many_short_runs_flow(slots: int) -> None:
    async with working(slots=slots) as house:
        for _ in range(2000):
            house.add("noop")
        await house.done(within_s=90)
        for row in house.server.rows.values():  # one leased ahead on a machine that stalls is given back, unstarted
            causes = [report.cause for report in row.reports]
            assert causes == [Cause.RELEASED] * (row.leases - 1) + [Cause.SUCCEEDED]
        assert house.worker.figures.started == 2000
        assert max(house.server.batches) <= 500
