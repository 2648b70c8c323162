"""The worker's link inside one process: the server's loop is called from the worker's thread, nothing is encoded."""

import asyncio
import concurrent.futures
from collections.abc import Coroutine, Sequence
from typing import Any, Final, TypeVar

from foliot.client.errors import ServerAway
from foliot.domain.access import INTERNAL
from foliot.domain.run import Landing
from foliot.operations.worker_service import WorkerService
from foliot.ports.worker_link import (
    Beat,
    BeatAnswer,
    CallbackAddress,
    CallbackAsked,
    Hello,
    Leased,
    LeasePoll,
    Leaving,
    LockAnswered,
    LockAsked,
    LocksLeft,
    LogChunk,
    Report,
    Welcome,
)

BEAT_WITHIN_S: Final = 3.0

T = TypeVar("T")


class InProcessLink:
    """`ports.worker_link.WorkerLink` to a server in another thread of this process."""

    def __init__(self, service: WorkerService, loop: asyncio.AbstractEventLoop) -> None:
        self._service = service
        self._loop = loop

    async def register(self, hello: Hello) -> Welcome:
        return await self._there(self._service.register(hello, by=INTERNAL))

    async def lease(self, poll: LeasePoll) -> Leased:
        return await self._there(self._service.lease(poll, by=INTERNAL))

    async def complete(self, session: str, reports: Sequence[Report]) -> Sequence[Landing]:
        return await self._there(self._service.complete(session, reports, by=INTERNAL))

    async def write_logs(self, session: str, chunks: Sequence[LogChunk]) -> None:
        await self._there(self._service.write_logs(session, chunks, by=INTERNAL))

    async def open_callback(self, asked: CallbackAsked) -> CallbackAddress:
        return await self._there(self._service.open_callback(asked, by=INTERNAL))

    async def claim_lock(self, asked: LockAsked) -> LockAnswered:
        return await self._there(self._service.claim_lock(asked, by=INTERNAL))

    async def leave_locks(self, left: LocksLeft) -> None:
        await self._there(self._service.leave_locks(left, by=INTERNAL))

    async def leave(self, leaving: Leaving) -> None:
        await self._there(self._service.leave(leaving, by=INTERNAL))

    def beat(self, beat: Beat) -> BeatAnswer:
        answer = self._asked(self._service.beat(beat, by=INTERNAL))
        try:
            return answer.result(BEAT_WITHIN_S)
        except (TimeoutError, concurrent.futures.CancelledError) as error:
            answer.cancel()  # the call is the server's own by now: it may be cancelled, never closed from here
            raise ServerAway("this process", type(error).__name__) from error

    async def close(self) -> None:
        """Nothing is held open."""

    async def _there(self, call: Coroutine[Any, Any, T]) -> T:
        if asyncio.get_running_loop() is self._loop:
            return await call
        return await asyncio.wrap_future(self._asked(call))

    def _asked(self, call: Coroutine[Any, Any, T]) -> "concurrent.futures.Future[T]":
        try:
            return asyncio.run_coroutine_threadsafe(call, self._loop)
        except RuntimeError as error:  # the server's loop is closed
            call.close()
            raise ServerAway("this process", str(error)) from error
