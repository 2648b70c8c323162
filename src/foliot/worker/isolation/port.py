"""A handler's `Ctx` in the worker's own process: in its loop or in a thread."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

from foliot.domain.locks import LockBlocksLoop
from foliot.domain.verdict import Cause
from foliot.ports.worker_link import CallbackAddress
from foliot.sdk.locks import LockOutcome, LockWish
from foliot.sdk.log import Level, render
from foliot.sdk.stop_signal import StopSignal
from foliot.worker.attempt import Attempt
from foliot.worker.isolation.isolator import Host

_creating: Final = threading.Lock()


class AttemptPort:
    """`sdk.ctx.CtxPort` for an attempt. The signal to stop is made only for those who wait for it."""

    __slots__ = ("_attempt", "_progressed", "_signal")

    def __init__(self, attempt: Attempt, progressed: Callable[[Attempt], None]) -> None:
        """`progressed` may be called from any thread."""
        self._attempt = attempt
        self._progressed = progressed
        self._signal: StopSignal | None = None

    def write_log(self, level: Level, event: str, fields: Mapping[str, Any]) -> None:
        self._attempt.add_line(level.value, render(event, fields, self._attempt.hidden))

    def report_progress(self, done: int, total: int | None, note: str) -> None:
        self._attempt.progress = (done, total, note)
        self._progressed(self._attempt)

    def save_checkpoint(self, document: str) -> None:
        self._attempt.save_checkpoint(document)
        self._progressed(self._attempt)

    def is_cancelled(self) -> bool:
        return self._attempt.stop_cause is not None

    def wait_cancelled(self, timeout_s: float) -> bool:
        return self._stop_signal().wait(timeout_s)

    async def wait_cancelled_async(self, timeout_s: float | None) -> bool:
        return await self._stop_signal().wait_async(timeout_s)

    def ask(self) -> None:
        """Wake the handler if it waits; `attempt.stop_cause` is set already."""
        if self._signal is not None:
            self._signal.ask()

    def _stop_signal(self) -> StopSignal:
        with _creating:
            if self._signal is None:
                self._signal = StopSignal()
        if self._attempt.stop_cause is not None:  # asked before there was a signal to give
            self._signal.ask()
        return self._signal


class LoopPort(AttemptPort):
    """The same in the worker's loop, where a handler may wait without a slot (`sdk.waits.WaitPort`)."""

    __slots__ = ("_host",)

    def __init__(self, attempt: Attempt, host: Host) -> None:
        super().__init__(attempt, host.progressed)
        self._host = host

    def wait(self, what: str | None) -> None:
        self._host.wait(self._attempt, what)

    async def open_callback(self) -> CallbackAddress:
        return await self._host.open_callback(self._attempt)

    def is_given_up(self) -> bool:
        return self._attempt.is_void or self._attempt.stop_cause is Cause.RELEASED

    def claim_lock(self, wish: LockWish) -> LockOutcome:
        raise LockBlocksLoop(wish.name)

    async def claim_lock_async(self, wish: LockWish) -> LockOutcome:
        return await self._host.locks.claim(self._attempt, wish)

    def leave_lock(self, claim: str) -> None:
        self._host.locks.leave(claim)

    def is_lock_lost(self, claim: str) -> bool:
        return self._host.locks.is_lost(claim)


class ThreadPort(AttemptPort):
    """The same in a thread of the worker, which asks the worker's loop for locks (`sdk.locks.LockPort`)."""

    __slots__ = ("_host", "_loop")

    def __init__(self, attempt: Attempt, host: Host, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(attempt, host.progressed)
        self._host = host
        self._loop = loop

    def claim_lock(self, wish: LockWish) -> LockOutcome:
        claiming = self._host.locks.claim(self._attempt, wish)
        return asyncio.run_coroutine_threadsafe(claiming, self._loop).result()

    async def claim_lock_async(self, wish: LockWish) -> LockOutcome:
        claiming = self._host.locks.claim(self._attempt, wish)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(claiming, self._loop))

    def leave_lock(self, claim: str) -> None:
        with contextlib.suppress(RuntimeError):  # the worker is gone, and the lock with its session
            self._loop.call_soon_threadsafe(self._host.locks.leave, claim)

    def is_lock_lost(self, claim: str) -> bool:
        return self._host.locks.is_lost(claim)
