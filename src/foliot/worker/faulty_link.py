"""A way to the servers that a drill cuts: nothing is sent, and answers that are on their way are lost."""

from collections.abc import Awaitable, Callable, Sequence
from typing import ParamSpec, TypeVar

from foliot.domain.drills import DrillType, Faults
from foliot.domain.run import Landing
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
    WorkerLink,
)

P = ParamSpec("P")
T = TypeVar("T")


class CutOff(ConnectionError):
    """A drill keeps this worker from its servers."""


class FaultyLink:
    """`ports.worker_link.WorkerLink` around another."""

    def __init__(self, link: WorkerLink, faults: Faults) -> None:
        self._link = link
        self._faults = faults

    async def register(self, hello: Hello) -> Welcome:
        return await self._tried(self._link.register, hello)

    async def lease(self, poll: LeasePoll) -> Leased:
        return await self._tried(self._link.lease, poll)

    async def complete(self, session: str, reports: Sequence[Report]) -> Sequence[Landing]:
        return await self._tried(self._link.complete, session, reports)

    async def write_logs(self, session: str, chunks: Sequence[LogChunk]) -> None:
        await self._tried(self._link.write_logs, session, chunks)

    async def open_callback(self, asked: CallbackAsked) -> CallbackAddress:
        return await self._tried(self._link.open_callback, asked)

    async def claim_lock(self, asked: LockAsked) -> LockAnswered:
        return await self._tried(self._link.claim_lock, asked)

    async def leave_locks(self, left: LocksLeft) -> None:
        await self._tried(self._link.leave_locks, left)

    async def leave(self, leaving: Leaving) -> None:
        await self._tried(self._link.leave, leaving)

    def beat(self, beat: Beat) -> BeatAnswer:
        self._demand()
        answer = self._link.beat(beat)
        self._demand()
        return answer

    async def close(self) -> None:
        await self._link.close()

    async def _tried(self, call: Callable[P, Awaitable[T]], *args: P.args, **options: P.kwargs) -> T:
        self._demand()
        answer = await call(*args, **options)
        self._demand()
        return answer

    def _demand(self) -> None:
        if self._faults.has(DrillType.PARTITION):
            raise CutOff("a drill cuts this worker off from its servers")
