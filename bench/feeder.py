"""The cheapest server there can be, which hands runs to a worker in the same process and counts their ends."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from foliot.domain.instants import SECOND
from foliot.domain.run import Landing
from foliot.domain.verdict import Cause
from foliot.ports.worker_link import (
    Beat,
    BeatAnswer,
    CallbackAddress,
    CallbackAsked,
    Hello,
    Leased,
    LeasedRun,
    LeasePoll,
    Leaving,
    LockAnswered,
    LockAsked,
    LocksLeft,
    LogChunk,
    Report,
    Welcome,
)


@dataclass
class Feeder:
    """Hands out runs, one at a time or as many as there are slots (`ports.worker_link.WorkerLink`)."""

    handler: str
    isolation: str | None = None
    alone: bool = False
    options: str | None = None  # of the handler, as JSON
    left: int = 0
    running: int = 0
    lease_no: int = 0
    failed: int = 0
    news: asyncio.Event = field(default_factory=asyncio.Event)
    done: asyncio.Event = field(default_factory=asyncio.Event)
    ready: asyncio.Event = field(default_factory=asyncio.Event)

    async def feed(self, runs: int) -> float:
        """Have so many runs executed; seconds."""
        self.left, self.failed = runs, 0
        self.done.clear()
        began_at = time.perf_counter()
        self.news.set()
        await self.done.wait()
        assert not self.failed, f"{self.failed} of {runs} runs failed"
        return time.perf_counter() - began_at

    async def register(self, hello: Hello) -> Welcome:
        self.ready.set()
        return Welcome(session_ttl_us=60 * SECOND, beat_every_us=20 * SECOND, margin_us=2 * SECOND, store_now=0)

    async def lease(self, poll: LeasePoll) -> Leased:
        most = 1 if self.alone else poll.free + poll.ahead
        while not self.left or (self.alone and self.running):
            self.news.clear()
            await self.news.wait()
        count = min(self.left, most)
        self.left -= count
        self.running += count
        return Leased(request_no=poll.request_no, runs=tuple(self._run() for _ in range(count)))

    async def complete(self, session: str, reports: Sequence[Report]) -> Sequence[Landing]:
        self.running -= len(reports)
        self.failed += sum(report.cause is not Cause.SUCCEEDED for report in reports)
        self.news.set()
        if not self.left and not self.running:
            self.done.set()
        return [Landing.RECORDED] * len(reports)

    async def write_logs(self, session: str, chunks: Sequence[LogChunk]) -> None:
        return None

    async def open_callback(self, asked: CallbackAsked) -> CallbackAddress:
        raise AssertionError("no run waits for another system")

    async def claim_lock(self, asked: LockAsked) -> LockAnswered:
        raise AssertionError("no run takes a lock")

    async def leave_locks(self, left: LocksLeft) -> None:
        return None

    async def leave(self, leaving: Leaving) -> None:
        return None

    def beat(self, beat: Beat) -> BeatAnswer:
        return BeatAnswer(alive=True)

    async def close(self) -> None:
        return None

    def _run(self) -> LeasedRun:
        self.lease_no += 1
        return LeasedRun(
            run_id=self.lease_no,
            job_id=1,
            namespace="default",
            job="noop",
            version=1,
            handler=self.handler,
            options=self.options,
            params=None,
            attempt=1,
            lease_id=f"{self.lease_no:032x}",
            fence=1,
            due_at=0,
            leased_at=0,
            isolation=self.isolation,
        )
