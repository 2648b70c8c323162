"""Drain (R18): a worker takes no new runs, gives its runs time, gives back or ends the rest, and reports everything."""

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from foliot.domain.instants import SECOND
from foliot.domain.verdict import Cause
from foliot.ports.clock import Clock
from foliot.worker.attempt import Attempt
from foliot.worker.execution import Execution

log = structlog.get_logger("foliot.worker.drain")

WHY: Final = "The worker is stopping"

_LOOK_EVERY_S: Final = 10.0


class Drain:
    """Empties the slots. `hurry` is the second stop: no more waiting."""

    def __init__(
        self, clock: Clock, execution: Execution, *, timeout_s: float, release_within_s: float, hurry: asyncio.Event
    ) -> None:
        self._clock = clock
        self._execution = execution
        self._timeout_s = timeout_s
        self._release_within_s = release_within_s
        self._hurry = hurry
        self._changed = asyncio.Event()

    def nudge(self) -> None:
        """A run ended, or the second stop came."""
        self._changed.set()

    async def work(self) -> None:
        """Return when nothing runs any more, or nothing can be done about what does."""
        self._execution.give_back_queued(WHY)
        log.info("worker.draining", running=len(self._execution.running), timeout_s=self._timeout_s)
        if await self._until_empty(self._timeout_s):
            return
        self._release()
        await self._until_empty(self._release_within_s, only=_can_be_given_back)
        await self._until_empty(None, only=_must_finish)
        if self._hurry.is_set():
            self._end_all()
            self._hurry = asyncio.Event()
            await self._until_empty(self._release_within_s)

    async def _until_empty(self, within_s: float | None, *, only: Callable[[Attempt], bool] = lambda _: True) -> bool:
        """Wait until no such attempt runs; False when the time is over or the second stop came. None: no limit."""
        deadline = None if within_s is None else self._clock.monotonic() + within_s
        while any(map(only, self._execution.running.values())):
            left = _LOOK_EVERY_S if deadline is None else min(deadline - self._clock.monotonic(), _LOOK_EVERY_S)
            if left <= 0 or self._hurry.is_set():
                return False
            self._changed.clear()
            await self._clock.wait(self._changed, for_s=left)
        return True

    def _release(self) -> None:
        for attempt in list(self._execution.running.values()):
            if _can_be_given_back(attempt):
                grace_s = min(attempt.run.grace_us / SECOND, self._release_within_s * 0.8)
                self._execution.stop(attempt, Cause.RELEASED, WHY, grace_s=grace_s)

    def _end_all(self) -> None:
        for attempt in list(self._execution.running.values()):
            self._execution.kill(attempt, attempt.cause_when_ended, "The worker was stopped at once")


def _can_be_given_back(attempt: Attempt) -> bool:
    return not attempt.run.at_most_once


def _must_finish(attempt: Attempt) -> bool:
    return attempt.run.at_most_once
