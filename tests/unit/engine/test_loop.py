"""The loop that drives duties: rests, wake-ups, outages and bugs."""

import asyncio
from collections.abc import Callable
from typing import Self

from foliot.engine.loop import BUG_REST_S, OUTAGE_REST_S, DutyLoop
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from tests.clocks import CountingChance, DrivenClock, settle


class Scripted:
    """A duty that follows a script, one line per step; then it rests for ever."""

    name = "scripted"

    def __init__(self, *script: Callable[[], float]) -> None:
        self.wake = asyncio.Event()
        self.steps = 0
        self._script = list(script)

    async def step(self) -> float:
        self.steps += 1
        return self._script.pop(0)() if self._script else 1e9


def failing(error: Exception) -> Callable[[], float]:
    def act() -> float:
        raise error

    return act


class Running:
    """A loop running in the background of a test."""

    def __init__(self, *duties: Scripted) -> None:
        self.clock = DrivenClock()
        self.loop = DutyLoop(duties, clock=self.clock, chance=CountingChance())
        self.stop = asyncio.Event()

    async def __aenter__(self) -> Self:
        self.task = asyncio.create_task(self.loop.run(self.stop))
        await settle()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.stop.set()
        await asyncio.wait_for(self.task, 60)


async def test_a_duty_rests_as_long_as_its_step_said() -> None:
    duty = Scripted(lambda: 3.0)
    async with Running(duty) as running:
        await running.clock.advance(2.9)
        assert duty.steps == 1
        await running.clock.advance(0.2)
        assert duty.steps == 2


async def test_a_wake_up_ends_the_rest() -> None:
    duty = Scripted(lambda: 1000.0)
    async with Running(duty):
        duty.wake.set()
        await settle()
        assert duty.steps == 2


async def test_a_wake_up_during_the_step_is_not_lost() -> None:
    def woken_meanwhile() -> float:
        duty.wake.set()
        return 1000.0

    duty = Scripted(woken_meanwhile)
    async with Running(duty):
        assert duty.steps == 2


async def test_a_store_that_is_away_is_waited_out_with_jitter() -> None:
    duty = Scripted(failing(StoreUnavailable("gone")), failing(StoreUnavailable("gone")))
    async with Running(duty) as running:
        await running.clock.advance(OUTAGE_REST_S * 1.01)
        assert duty.steps == 2
        await running.clock.advance(OUTAGE_REST_S * 1.01)
        assert duty.steps == 3
        assert running.loop.outages == {"scripted": 2}


async def test_a_busy_store_is_tried_again_soon() -> None:
    duty = Scripted(failing(StoreBusy("locks")))
    async with Running(duty) as running:
        await running.clock.advance(0.25)
        assert duty.steps == 2


async def test_a_bug_in_one_duty_is_counted_and_stops_no_other() -> None:
    broken = Scripted(failing(ZeroDivisionError("bug")))
    sound = Scripted(*[lambda: 1.0] * 10)
    sound.name = "sound"
    async with Running(broken, sound) as running:
        await running.clock.advance(BUG_REST_S - 0.5)
        assert (broken.steps, sound.steps) == (1, 5)
        await running.clock.advance(1.0)
        assert broken.steps == 2
        assert running.loop.failures == {"scripted": 1, "sound": 0}


async def test_stopping_wakes_resting_duties() -> None:
    duty = Scripted(lambda: 1e9)
    running = Running(duty)
    async with running:
        assert duty.steps == 1
    assert running.task.done()
    assert duty.steps == 1
