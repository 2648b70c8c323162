"""Steps on locks that arrive at this server together are carried out in one transaction.

While a transaction is under way, whoever comes waits; then all of them go together. So a server that is asked seldom
answers at once, and a server that is asked often writes once for many callers. Each caller has an answer of its own.
A lock about which another server decides just now is no reason for the others to wait: its steps go by themselves.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from foliot.domain.locks import LockGrant
from foliot.ports.clock import Clock
from foliot.ports.store.errors import StoreBusy
from foliot.ports.store.locks import LockAnswer, LockRound, LockStep, LockStore

TOGETHER_MAX: Final = 200
SLOW_S: Final = 0.1  # a group that takes longer does not keep the next one waiting
UNDER_WAY_MAX: Final = 4


class _Call:
    """One caller with its step."""

    __slots__ = ("answer", "step")

    def __init__(self, step: LockStep) -> None:
        self.step = step
        self.answer: asyncio.Future[LockAnswer] = asyncio.get_running_loop().create_future()

    def answered(self, answer: LockAnswer) -> None:
        if not self.answer.done():  # the caller may have gone
            self.answer.set_result(answer)

    def failed(self, error: BaseException) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


class LockGroups:
    """The callers of one server."""

    def __init__(self, store: LockStore, *, clock: Clock, on_granted: Callable[[Sequence[LockGrant]], None]) -> None:
        """`on_granted`: hears of the claims of others that hold their lock since a step."""
        self._store = store
        self._clock = clock
        self._on_granted = on_granted
        self._calls: deque[_Call] = deque()
        self._sender: asyncio.Task[None] | None = None
        self._under_way: set[asyncio.Task[None]] = set()

    async def carry_out(self, step: LockStep) -> LockAnswer:
        """Carry out a step, together with those of others; raise what its transaction raised."""
        call = _Call(step)
        self._calls.append(call)
        if self._sender is None or self._sender.done():
            self._sender = asyncio.create_task(self._send_all(), name="lock groups")
        return await call.answer

    async def _send_all(self) -> None:
        while self._calls:
            group = [self._calls.popleft() for _ in range(min(TOGETHER_MAX, len(self._calls)))]
            wanted = [call for call in group if not call.answer.done()]
            if not wanted:
                continue
            ended = self._begin(wanted)
            await self._clock.wait(ended, for_s=SLOW_S)
            if len(self._under_way) >= UNDER_WAY_MAX:
                await asyncio.wait(self._under_way, return_when=asyncio.FIRST_COMPLETED)

    def _begin(self, calls: Sequence[_Call]) -> asyncio.Event:
        """Carry out these steps in a task: no caller that goes away ends it for the others. Return when it ended."""
        ended = asyncio.Event()
        task = asyncio.create_task(self._carry_out(calls), name="lock group")
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        task.add_done_callback(lambda _: ended.set())
        return ended

    async def _carry_out(self, calls: Sequence[_Call]) -> None:
        try:
            done = await self._together([call.step for call in calls])
        except BaseException as error:
            # Also an unknown outcome: each caller asks again with its own claim, and learns what became of it (R5).
            for call in calls:
                call.failed(error)
            if not isinstance(error, Exception):
                raise
            return
        self._on_granted(done.granted)
        for call, answer in zip(calls, done.answers, strict=True):
            if answer is None:
                self._begin([call])
            else:
                call.answered(answer)

    async def _together(self, steps: Sequence[LockStep]) -> LockRound:
        is_alone = len(steps) == 1
        try:
            return await self._store.carry_out(steps, patient=is_alone)
        except StoreBusy:
            if is_alone:
                raise
            return LockRound(answers=[None] * len(steps))  # one of them may be the reason
