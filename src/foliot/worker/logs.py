"""The logs of all attempts: opened on the first line, shipped in order and in batches, bounded in memory."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterable
from typing import Final

import structlog

from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.worker_link import LeasedRun, LogChunk, WorkerLink
from foliot.worker.lines import format_stamp
from foliot.worker.run_log import Hide, RunLog, hide_nothing
from foliot.worker.server_calls import GrowingRest, NoAnswer, NotTaken, answer_of

log = structlog.get_logger("foliot.worker.logs")

LOG_MAX: Final = 1024 * 1024
PENDING_MAX: Final = 16 * 1024 * 1024
CALL_MAX: Final = 512 * 1024
CALL_CHUNKS_MAX: Final = 200
SHIP_EVERY_S: Final = 0.2


class Logs:
    """Opens, bounds and ships run logs (`run_log.Book`)."""

    def __init__(
        self,
        link: WorkerLink,
        clock: Clock,
        chance: Chance,
        *,
        session: Callable[[], str],
        within_s: float,
        log_max: int = LOG_MAX,
        pending_max: int = PENDING_MAX,
    ) -> None:
        self.log_max = log_max
        self.refused = 0  # chunks the server would not take
        self.pending = 0  # bytes not yet acknowledged, of all logs
        self._link = link
        self._clock = clock
        self._session = session
        self._within_s = within_s
        self._pending_max = pending_max
        self._backoff = GrowingRest(chance, first_s=0.5, most_s=5.0)
        self._lock = threading.Lock()
        self._dirty: dict[RunLog, None] = {}  # in the order they were touched
        self._shipping = asyncio.Lock()  # one writer, else a later chunk could overtake an earlier one
        self._wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._is_awake = False

    def open(self, run: LeasedRun, hide: Hide = hide_nothing) -> RunLog:
        """A log for an attempt that writes its first line."""
        return RunLog(run, self, hide)

    def stamp(self) -> str:
        return format_stamp(self._clock.now())

    def is_full(self) -> bool:
        return self.pending > self._pending_max

    def grew(self, run_log: RunLog, size: int) -> None:
        with self._lock:
            self.pending += size
            self._dirty[run_log] = None
            if self._is_awake:
                return
            self._is_awake = True
        with contextlib.suppress(RuntimeError):  # the worker is gone, and a thread it could not stop still writes
            self._loop.call_soon_threadsafe(self._wake.set)

    def shrank(self, size: int) -> None:
        with self._lock:
            self.pending -= size

    async def work(self, closing: asyncio.Event) -> None:
        """Ship what running attempts write, a few times a second, until closed."""
        while not closing.is_set():
            await self._clock.wait(self._wake, for_s=60.0)
            self._wake.clear()
            await self._clock.wait(closing, for_s=SHIP_EVERY_S)
            dirty = self._take_dirty()
            try:
                await self.ship(dirty)
                self._backoff.reset()
            except NoAnswer:
                for run_log in dirty:
                    if not run_log.is_empty:
                        self.grew(run_log, 0)
                await self._clock.wait(closing, for_s=self._backoff.next_s())

    def close(self) -> None:
        """Wake the task so that it sees that it is closing."""
        self._wake.set()

    async def ship(self, run_logs: Iterable[RunLog]) -> None:
        """Ship all that these logs hold; `NoAnswer` leaves the rest in place."""
        async with self._shipping:
            waiting = [run_log for run_log in run_logs if not run_log.is_empty]
            while waiting:
                await self._ship_some(waiting)
                waiting = [run_log for run_log in waiting if not run_log.is_empty]

    async def _ship_some(self, run_logs: list[RunLog]) -> None:
        taken: list[tuple[RunLog, LogChunk]] = []
        size = 0
        for run_log in run_logs:
            chunk = run_log.next_chunk()
            if chunk is not None:
                taken.append((run_log, chunk))
                size += len(chunk.text)
            if size > CALL_MAX or len(taken) >= CALL_CHUNKS_MAX:
                break
        await self.write([chunk for _, chunk in taken])
        for run_log, _ in taken:
            run_log.acknowledge()

    async def write(self, chunks: list[LogChunk]) -> None:
        """Send chunks; `NoAnswer` when it is unknown whether they arrived."""
        if not chunks:
            return
        try:
            await answer_of(
                self._link.write_logs(self._session(), chunks),
                clock=self._clock,
                within_s=self._within_s,
                name="write logs",
            )
        except NotTaken as error:
            if len(chunks) > 1:  # find what is refused, and spare the others
                await self.write(chunks[: len(chunks) // 2])
                await self.write(chunks[len(chunks) // 2 :])
                return
            # Sending it again will not help, and the run's end must not wait for it: readers are told of the gap.
            self.refused += len(chunks)
            log.error("logs.refused", chunks=len(chunks), code=error.code, runs=sorted({c.run_id for c in chunks}))

    def _take_dirty(self) -> list[RunLog]:
        with self._lock:
            dirty, self._dirty = list(self._dirty), {}
            self._is_awake = False
        return dirty
