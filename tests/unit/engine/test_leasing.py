"""The leasing duty: polls are parked, looked for in one transaction, answered, and let go in time."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, cast

import pytest

from foliot.domain.job import Lane
from foliot.engine import leasing
from foliot.engine.lane_book import LaneBook
from foliot.engine.leasing import Leasing, PollRefused
from foliot.engine.pulse import Tide
from foliot.ports.store.errors import StoreUnavailable
from foliot.ports.store.firing import Pulse
from foliot.ports.store.jobs import JobStore
from foliot.ports.store.runs import Granted, Poll, RunStore
from foliot.ports.worker_link import DeclaredJob, HandlerOffer, Hello, Leased, LeasedRun, LeasePoll
from tests.clocks import DrivenClock, settle

LANE = Lane(group="default", offer="python:jobs:tick")


class Shelf:
    """As much of the store as leasing needs: so many runs are ready, and each look is written down."""

    def __init__(self, ready: int = 0, lane: Lane = LANE) -> None:
        self.ready = ready
        self.looks: list[Sequence[Poll]] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self._lane = lane
        self.dead: set[str] = set()
        self.bad: set[str] = set()  # sessions whose polls no store can take

    async def lanes(self, *, after: int) -> Mapping[int, Lane]:
        return {1: self._lane} if after < 1 else {}

    async def lease(self, polls: Sequence[Poll], *, limit: int, **_: object) -> Granted:
        assert polls, "the store looks for no one"
        self.looks.append(polls)
        await self.gate.wait()
        if self.bad & {poll.session for poll in polls}:
            raise ValueError("out of range")
        grants = []
        for poll in polls:
            given = min(self.ready, poll.free, limit)
            self.ready -= given
            runs = tuple(run(n) for n in range(given))
            is_dead = poll.session in self.dead
            grants.append(Leased(request_no=poll.request_no, runs=runs, dead=is_dead))
        return Granted(now=0, grants=tuple(grants), more=False)


def run(n: int) -> LeasedRun:
    return LeasedRun(
        run_id=n, job_id=1, namespace="default", job="tick", version=1, handler="python:jobs:tick", attempt=1,
        lease_id=f"{n:032x}", fence=1, due_at=0, leased_at=0,
    )  # fmt: skip


class Desk:
    """The duty on a clock that the test drives, its steps taken by hand."""

    def __init__(self, shelf: Shelf) -> None:
        self.clock = DrivenClock()
        self.tide = Tide(self.clock)
        self.tide.learn(a_pulse(), seen_at=self.clock.monotonic())
        runs, jobs = cast("RunStore", shelf), cast("JobStore", shelf)
        self.leasing = Leasing(runs, LaneBook(jobs), self.tide, clock=self.clock, on_granted=lambda _: None)
        self.introduce("s")

    def introduce(self, session: str, **said: Any) -> None:
        offers = (HandlerOffer(name="python:jobs:tick"),)
        self.leasing.lanes.introduce(
            Hello(session=session, name="w", group="default", slots=4, handlers=offers, **said)
        )

    def ask(self, **said: Any) -> "asyncio.Task[Leased]":
        usual = {"session": "s", "settled": 0, "request_no": 1, "free": 1, "wait_us": 20_000_000}
        poll = LeasePoll(**{**usual, **said})
        return asyncio.create_task(self.leasing.ask(poll))


def a_pulse() -> Pulse:
    return Pulse(
        now=0, next_at=None, ready=False, parked=False, admissible=False, epoch=1, leader=None, term=0, leader_until=0,
        clock_suspect=False, lanes=1,
    )  # fmt: skip


async def test_a_poll_that_does_not_wait_is_looked_for_once() -> None:
    desk = Desk(shelf := Shelf(ready=3))
    asked = desk.ask(free=0, ahead=2, wait_us=0)
    await settle()
    await desk.leasing.step()
    assert len((await asked).runs) == 2
    assert [poll.free for poll in shelf.looks[0]] == [2]


async def test_a_poll_that_does_not_wait_goes_empty_handed_when_nothing_is_ready() -> None:
    desk = Desk(Shelf())
    asked = desk.ask(free=0, ahead=2, wait_us=0)
    await settle()
    await desk.leasing.step()
    assert await asked == Leased(request_no=1)


async def test_a_poll_that_comes_during_a_look_has_its_own() -> None:
    desk = Desk(shelf := Shelf())
    shelf.gate.clear()
    first = desk.ask()
    await settle()
    looking = asyncio.create_task(desk.leasing.step())
    await settle()
    second = desk.ask(request_no=2, free=0, ahead=1, wait_us=0)  # the first was given up: a session has one poll
    await settle()
    shelf.gate.set()
    await looking
    assert await first == Leased(request_no=1)
    assert not second.done()
    shelf.ready = 1
    await desk.leasing.step()
    assert len((await second).runs) == 1


async def test_a_poll_that_waits_gets_what_comes_up_later() -> None:
    desk = Desk(shelf := Shelf())
    asked = desk.ask()
    await settle()
    await desk.leasing.step()
    assert not asked.done()
    shelf.ready = 5
    desk.leasing.hint()
    await desk.leasing.step()
    assert len((await asked).runs) == 1


async def test_a_poll_whose_time_is_over_is_answered_with_nothing() -> None:
    desk = Desk(Shelf())
    asked = desk.ask(wait_us=2_000_000)
    await settle()
    assert 0 < await desk.leasing.step() <= 1.0
    await desk.clock.advance(2.5)
    await desk.leasing.step()
    assert await asked == Leased(request_no=1)


async def test_a_parked_poll_is_called_for_a_beat_once() -> None:
    desk = Desk(Shelf())
    asked = desk.ask()
    await settle()
    await desk.leasing.step()
    desk.leasing.call_for_beats()
    assert desk.leasing.wake.is_set()
    await desk.leasing.step()
    assert await asked == Leased(request_no=1, hurry=True)
    again = desk.ask(request_no=2)
    await settle()
    await desk.leasing.step()
    assert not again.done()
    again.cancel()


async def test_when_every_poll_is_called_for_a_beat_the_runs_that_came_up_wait_for_the_next_poll() -> None:
    """A cancel both calls for beats and makes runs ready: there is nobody to look for then."""
    desk = Desk(shelf := Shelf())
    asked = desk.ask()
    await settle()
    await desk.leasing.step()
    shelf.ready = 1
    desk.leasing.call_for_beats()
    desk.leasing.hint()
    await desk.leasing.step()
    assert await asked == Leased(request_no=1, hurry=True)
    again = desk.ask(request_no=2)
    await settle()
    await desk.leasing.step()
    assert len((await again).runs) == 1


async def test_a_poll_that_runs_are_just_being_leased_for_gets_them_first() -> None:
    """Answered in between, it would leave them RUNNING with nobody who knows of them."""
    desk = Desk(shelf := Shelf(ready=1))
    shelf.gate.clear()
    asked = desk.ask()
    await settle()
    looking = asyncio.create_task(desk.leasing.step())
    await settle()
    desk.leasing.call_for_beats()
    await settle()
    assert not asked.done()
    shelf.gate.set()
    await looking
    assert [len((await asked).runs), (await asked).hurry] == [1, False]
    nxt = desk.ask(request_no=2)
    await settle()
    await desk.leasing.step()
    assert not nxt.done(), "first a look for runs: a repeated poll may have some"
    await desk.leasing.step()
    assert (await nxt).hurry


async def test_many_cancels_call_for_one_beat_a_second() -> None:
    desk = Desk(Shelf())
    for request_no, is_called in ((1, True), (2, False)):
        asked = desk.ask(request_no=request_no)
        await settle()
        await desk.leasing.step()
        desk.leasing.call_for_beats()
        await desk.leasing.step()
        await settle()
        assert asked.done() == is_called
    await desk.clock.advance(1.0)
    await desk.leasing.step()
    assert (await asked).hurry, "put off, not forgotten"


async def test_nothing_is_leased_ahead_where_a_lane_is_at_most_once() -> None:
    desk = Desk(shelf := Shelf(ready=3, lane=Lane(group="default", offer="python:jobs:tick", at_most_once=True)))
    asked = desk.ask(free=1, ahead=2)
    await settle()
    await desk.leasing.step()
    assert len((await asked).runs) == 1
    assert [poll.free for poll in shelf.looks[0]] == [1]


# ------------------------------------------------------------------------------------------------------------ bad polls


async def test_one_workers_poll_does_not_keep_the_others_from_their_runs() -> None:
    desk = Desk(shelf := Shelf(ready=100))
    sessions = [f"w{n}" for n in range(50)]
    shelf.bad = {"w7", "w31"}
    for session in sessions:
        desk.introduce(session)
    asked = {session: desk.ask(session=session) for session in sessions}
    await settle()
    await desk.leasing.step()
    for session in shelf.bad:
        with pytest.raises(PollRefused):
            await asked.pop(session)
    assert {len((await one).runs) for one in asked.values()} == {1}
    assert len(shelf.looks) < 30, "halved, not one by one"


async def test_a_poll_that_fails_alone_is_refused_and_not_tried_again() -> None:
    desk = Desk(shelf := Shelf(ready=1))
    shelf.bad = {"s"}
    asked = desk.ask()
    await settle()
    await desk.leasing.step()
    with pytest.raises(PollRefused):
        await asked
    desk.leasing.hint()
    await desk.leasing.step()
    assert len(shelf.looks) == 1


async def test_when_every_poll_fails_it_is_nobodys_fault_and_they_stay() -> None:
    desk = Desk(shelf := Shelf(ready=9))
    for session in ("a", "b", "c"):
        desk.introduce(session)
    asked = [desk.ask(session=session) for session in ("a", "b", "c")]
    shelf.bad = {"a", "b", "c"}
    await settle()
    with pytest.raises(ValueError, match="out of range"):
        await desk.leasing.step()
    assert not any(one.done() for one in asked)
    shelf.bad = set()
    desk.leasing.hint()
    await desk.leasing.step()
    assert [len((await one).runs) for one in asked] == [1, 1, 1]


async def test_looking_for_bad_polls_has_an_end() -> None:
    desk = Desk(shelf := Shelf(ready=9))
    sessions = [f"w{n}" for n in range(200)]
    shelf.bad = set(sessions)
    for session in sessions:
        desk.introduce(session)
    asked = [desk.ask(session=session) for session in sessions]
    await settle()
    with pytest.raises(ValueError, match="out of range"):
        await desk.leasing.step()
    assert len(shelf.looks) <= 64
    desk.leasing.stop()
    await asyncio.gather(*asked)


async def test_trouble_of_the_store_is_no_polls_fault() -> None:
    desk = Desk(shelf := Shelf(ready=1))
    asked = desk.ask()
    await settle()

    async def away(polls: Sequence[Poll], *, limit: int, **_: object) -> Granted:
        shelf.looks.append(polls)
        raise StoreUnavailable("The store does not answer.")

    real, shelf.lease = shelf.lease, away  # type: ignore[method-assign]
    with pytest.raises(StoreUnavailable):
        await desk.leasing.step()
    assert (len(shelf.looks), asked.done()) == (1, False)
    shelf.lease = real  # type: ignore[method-assign]
    desk.leasing.hint()
    await desk.leasing.step()
    assert len((await asked).runs) == 1


async def test_nobody_gets_more_than_its_slots_hold() -> None:
    desk = Desk(shelf := Shelf(ready=500))
    asked = desk.ask(free=400)
    await settle()
    await desk.leasing.step()
    assert len((await asked).runs) == 4
    assert [poll.free for poll in shelf.looks[0]] == [4]


# ----------------------------------------------------------------------------------------------------------- forgetting


async def test_sessions_nobody_asks_about_are_forgotten() -> None:
    """They are over, or ask another server; what they said is in the store."""
    desk = Desk(Shelf())
    lanes = desk.leasing.lanes
    for n in range(50):
        desk.introduce(f"w{n}")
    asked = desk.ask(session="w7")
    await settle()
    for _ in range(2):
        await desk.clock.advance(59)
        desk.leasing.heard(a_pulse())
        assert lanes.hello_of("s") is not None
        await desk.clock.advance(1)
        desk.leasing.heard(a_pulse())
    assert [n for n in range(50) if lanes.hello_of(f"w{n}")] == [7], "its poll is parked here"
    desk.leasing.stop()
    await asked


async def test_a_session_that_is_over_is_forgotten_at_once() -> None:
    desk = Desk(shelf := Shelf())
    shelf.dead = {"s"}
    asked = desk.ask()
    await settle()
    await desk.leasing.step()
    assert (await asked).dead
    assert desk.leasing.lanes.hello_of("s") is None


def test_the_jobs_a_worker_declared_are_not_kept() -> None:
    lanes = LaneBook(cast("JobStore", Shelf()))
    jobs = (DeclaredJob(namespace="default", name="tick", document="{}"),)
    lanes.introduce(Hello(session="s", name="w", group="default", slots=4, handlers=(), jobs=jobs))
    hello = lanes.hello_of("s")
    assert hello is not None
    assert hello.jobs == ()


async def test_a_poll_is_not_answered_with_nothing_while_a_lease_is_under_way_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody would execute the runs that the store gives it at this moment."""
    monkeypatch.setattr(leasing, "GRACE_S", 0.0)
    shelf = Shelf(ready=1)
    desk = Desk(shelf)
    shelf.gate.clear()
    asked = desk.ask(wait_us=0)
    step = asyncio.create_task(desk.leasing.step())  # in the same turn of the loop: the poll's time is not over yet
    await settle()
    assert len(shelf.looks) == 1
    assert not asked.done()
    shelf.gate.set()
    await step
    assert len((await asked).runs) == 1
