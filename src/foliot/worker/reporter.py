"""The reporter sends ends of attempts to the server in batches, again until acknowledged; over the disk if it must.

An attempt's log goes out before its end: once the end is recorded the lease is over, and a log line without a lease
changes nothing (S5). Repeating a report is harmless: it was recorded already, or the lease is another's (R5, R17).
Only the store's word ends a lease: one whose report no server takes stays named in beats, and is sent again later (S7).
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final

import structlog

from foliot.domain.run import Landing
from foliot.domain.step_gap import StepGap
from foliot.ports.worker_link import Report
from foliot.worker.current_session import CurrentSession
from foliot.worker.execution import Execution
from foliot.worker.logs import Logs
from foliot.worker.registrar import Registrar
from foliot.worker.reports import AttemptEnd, Spooled, SpooledLog, SpooledReport, to_spooled
from foliot.worker.server_calls import GrowingRest, NoAnswer, NotTaken, answer_of
from foliot.worker.spool import Spool, SpoolFolder
from foliot.worker.surroundings import Surroundings

log = structlog.get_logger("foliot.worker.reporter")

BATCH_MAX: Final = 1000
LINGER_S: Final = 0.005
GAP_MAX_S: Final = 0.058
"""What ends within so long after a call that was not full goes out together: each call is a transaction."""
MANY_ENDS: Final = 200
"""A call with so many is no thin one: what it cost was the work."""
REFUSED_MAX: Final = 2000
_IDLE_S: Final = 60.0
_REFUSED_AGAIN_S: Final = 60.0


class Reporter:
    """Sends ends. `add` is called by the loop; `work` is its task."""

    def __init__(
        self,
        around: Surroundings,
        registrar: Registrar,
        current: CurrentSession,
        execution: Execution,
        logs: Logs,
        folder: SpoolFolder | None = None,
        *,
        on_landed: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_landed`: the server has acknowledged ends, so the worker may take more work on."""
        self._on_landed = on_landed
        self._link = around.link
        self._clock = around.clock
        self._figures = around.figures
        self._within_s = around.call_within_s
        self._registrar = registrar
        self._current = current
        self._execution = execution
        self._logs = logs
        self._folder = folder
        self._backoff = GrowingRest(around.chance, first_s=0.2, most_s=5.0)
        self._silent: deque[AttemptEnd] = deque()  # ends of attempts that have no log to send first
        self._talking: deque[AttemptEnd] = deque()
        self._spools: list[Spool] = []  # orphans first, our own last
        self._own: Spool | None = None
        self._refused: deque[SpooledReport] = deque(maxlen=REFUSED_MAX)  # no server takes these, not even bare
        self._refused_again_at = 0.0
        self._gap = StepGap(GAP_MAX_S)
        self._is_gathering = False  # it waits for more ends before it reports
        self._gathered = 0  # ends that went out together, in one call or in two behind one another
        self._wake = asyncio.Event()
        self._full = asyncio.Event()  # it is no use to wait for more ends
        self._settled = asyncio.Event()  # nothing is left to send
        self._settled.set()

    @property
    def waiting(self) -> int:
        """Ends in memory that are not acknowledged."""
        return len(self._silent) + len(self._talking)

    @property
    def is_settled(self) -> bool:
        """Whether every end was acknowledged."""
        return not self.waiting and not self._spools and not self._refused

    def add(self, ended: AttemptEnd) -> None:
        """Report this, soon."""
        (self._silent if ended.log is None else self._talking).append(ended)
        self._settled.clear()
        self._wake.set()
        if len(self._silent) >= BATCH_MAX or self._is_burst_over():
            self._full.set()

    async def adopt_orphans(self) -> None:
        """Find what workers that are gone could not send."""
        if self._folder is None:
            return
        found = await asyncio.to_thread(self._folder.orphans)
        if found:
            log.info("spool.adopted", files=len(found))
            self._spools[:0] = found
            self._settled.clear()
            self._wake.set()

    async def work(self, closing: asyncio.Event) -> None:
        """Send until closed or cancelled; what is left then goes to disk."""
        try:
            await self._work(closing)
        finally:
            self._put_aside_last()
            self._close_spools()

    async def _work(self, closing: asyncio.Event) -> None:
        while not closing.is_set():
            await self._clock.wait(self._wake, for_s=_IDLE_S)
            if closing.is_set():
                break
            self._wake.clear()
            await self._let_ends_gather()
            if not await self._send_all():
                await self._clock.wait(closing, for_s=self._backoff.next_s())
                self._wake.set()

    async def _let_ends_gather(self) -> None:
        linger_s = 0.0 if self._execution.is_idle else LINGER_S
        gather_s = max(linger_s, self._gap.left_s(self._clock.monotonic()))
        if gather_s and len(self._silent) < BATCH_MAX:
            self._is_gathering = True
            await self._clock.wait(self._full, for_s=gather_s)
            self._is_gathering = False
        self._full.clear()

    def _is_burst_over(self) -> bool:
        """Whether all that was leased together has ended, and most of the gap is over: it is no use to wait longer.

        The report then follows the lease at once: server and database are awake, and spend less on both together.
        """
        if not self._is_gathering or not self._execution.is_idle:
            return False
        return self._gap.is_over(self._clock.monotonic(), has_news=True)

    def close(self) -> None:
        """Wake the task so that it sees that it is closing."""
        self._full.set()
        self._wake.set()

    async def flush(self, *, within_s: float) -> bool:
        """Wait until everything is acknowledged; False when it was not in time."""
        self._refused_again_at = 0.0
        self._full.set()
        self._wake.set()
        return await self._clock.wait(self._settled, for_s=within_s)

    async def _send_all(self) -> bool:
        """Send everything; False when no answer came, and what was in memory is on disk then."""
        self._gathered = 0
        try:
            while self._silent or self._talking:
                await self._send_some(self._silent)
                await self._send_some(self._talking)
            while self._spools:
                await self._send_spooled(self._spools[0])
            await self._send_refused()
        except NoAnswer as error:
            if not self._figures.is_away:
                log.warning("server.no_answer", waiting=self.waiting, cause=str(error.__cause__ or error)[:200])
            self._figures.is_away = True
            await self._put_aside()
            return False
        self._figures.is_away = False
        self._backoff.reset()
        if self.is_settled:
            self._settled.set()
        return True

    async def _send_some(self, queue: deque[AttemptEnd]) -> None:
        batch = list(islice(queue, BATCH_MAX))
        if not batch:
            return
        await self._logs.ship([ended.log for ended in batch if ended.log is not None])
        began_at = self._clock.monotonic()
        landings = await self._complete([ended.to_report(began_at) for ended in batch])
        self._gathered += len(batch)
        if len(batch) < MANY_ENDS:
            is_alone = self._gathered == 1
            self._gap.thin(began_at=began_at, ended_at=self._clock.monotonic(), is_alone=is_alone)
        for _ in batch:
            queue.popleft()
        self._landed(batch, landings)

    async def _send_spooled(self, spool: Spool) -> None:
        entries = await asyncio.to_thread(spool.read, BATCH_MAX)
        chunks = [entry.to_chunk() for entry in entries if isinstance(entry, SpooledLog)]
        await self._logs.write(chunks)
        wall_now = self._clock.now()
        ends = [entry for entry in entries if isinstance(entry, SpooledReport)]
        if ends:
            self._landed(ends, await self._complete([end.to_report(wall_now) for end in ends]))
        await asyncio.to_thread(spool.acknowledge)
        if spool.is_empty:
            self._spools.remove(spool)
            if spool is not self._own:
                spool.close()

    async def _send_refused(self) -> None:
        """Once more, now and then: a server of another version may take what this one would not."""
        if not self._refused or self._clock.monotonic() < self._refused_again_at:
            return
        batch, wall_now = list(islice(self._refused, BATCH_MAX)), self._clock.now()
        landings = await self._complete([end.to_report(wall_now) for end in batch])
        for _ in batch:
            self._refused.popleft()
        self._landed(batch, landings)

    async def _complete(self, reports: list[Report]) -> list[Landing | None]:
        """How each landed; None: the server will not take it, not even without what it left."""
        try:
            return list(await self._ask_to_complete(reports))
        except NotTaken as error:  # refused for what is in it: find the one, and spare the others
            if len(reports) == 1:
                return [await self._complete_bare(reports[0], error)]
            half = len(reports) // 2
            return [*await self._complete(reports[:half]), *await self._complete(reports[half:])]

    async def _complete_bare(self, report: Report, refused: NotTaken) -> Landing | None:
        """A report the server refuses ends its run all the same, without what may have been refused in it."""
        log.error("report.refused", run=report.run_id, code=refused.code)
        bare = Report(
            run_id=report.run_id,
            lease_id=report.lease_id,
            cause=report.cause,
            error=f"What the attempt left could not be recorded ({refused.code}).",
            error_type=refused.kind,
            started_us_ago=report.started_us_ago,
            took_us=report.took_us,
        )
        try:
            return (await self._ask_to_complete([bare]))[0]
        except NotTaken as again:
            log.error("report.refused_bare", run=report.run_id, code=again.code)
            return None

    async def _ask_to_complete(self, reports: list[Report]) -> Sequence[Landing]:
        call = self._link.complete(self._registrar.session_id, reports)
        landings = await answer_of(call, clock=self._clock, within_s=self._within_s, name="complete")
        assert len(landings) == len(reports), (len(landings), len(reports))
        return landings

    def _landed(self, ends: Sequence[AttemptEnd | SpooledReport], landings: Sequence[Landing | None]) -> None:
        taken = [end for end, landing in zip(ends, landings, strict=True) if landing is not None]
        self._current.release([end.lease_id for end in taken])
        self._figures.acknowledged += len(taken)
        for end, landing in zip(ends, landings, strict=True):
            if landing is None:
                self._keep_refused(end)
            elif landing is Landing.FENCED:
                self._figures.fenced += 1
                log.warning("report.fenced", run=end.run_id)
        self._on_landed()

    def _keep_refused(self, end: AttemptEnd | SpooledReport) -> None:
        if len(self._refused) == REFUSED_MAX:
            log.error("reports.lost", count=1, run=self._refused[0].run_id)
        self._refused.append(end if isinstance(end, SpooledReport) else to_spooled(end, self._clock))
        self._refused_again_at = self._clock.monotonic() + _REFUSED_AGAIN_S

    async def _put_aside(self) -> None:
        """Move what is in memory to disk: logs first, then the ends. Without room there it stays in memory."""
        own = self._own_spool()
        while own is not None and (queue := self._silent or self._talking):
            batch = list(islice(queue, BATCH_MAX))
            if not await asyncio.to_thread(own.append, self._entries(batch)):
                return
            self._moved(queue, batch, own)

    def _put_aside_last(self) -> None:
        """The same at the very end, when nothing may be awaited any more."""
        own = self._own_spool()
        while own is not None and (queue := self._silent or self._talking):
            batch = list(islice(queue, BATCH_MAX))
            if not own.append(self._entries(batch)):
                return
            self._moved(queue, batch, own)
        if own is not None and self._refused and own.append(list(self._refused)):
            self._refused.clear()

    def _moved(self, queue: deque[AttemptEnd], batch: list[AttemptEnd], own: Spool) -> None:
        for ended in batch:
            queue.popleft()
            if ended.log is not None:
                ended.log.drop()
        self._figures.spooled += len(batch)
        if own not in self._spools:
            self._spools.append(own)

    def _entries(self, batch: list[AttemptEnd]) -> list[Spooled]:
        entries: list[Spooled] = []
        for ended in batch:
            if ended.log is not None:
                entries += [
                    SpooledLog(chunk.run_id, chunk.lease_id, chunk.attempt, chunk.offset, chunk.text)
                    for chunk in ended.log.all_chunks()
                ]
            entries.append(to_spooled(ended, self._clock))
        return entries

    def _own_spool(self) -> Spool | None:
        if self._own is None and self._folder is not None and (self.waiting or self._refused):
            try:
                self._own = self._folder.open(self._registrar.session_id)
            except OSError as error:
                log.error("spool.failed", error=type(error).__name__, code=error.errno)
        return self._own

    def _close_spools(self) -> None:
        if lost := self.waiting + len(self._refused):
            log.error("reports.lost", count=lost)
        spools = self._spools if self._own is None or self._own in self._spools else [*self._spools, self._own]
        for spool in spools:
            with contextlib.suppress(OSError):
                spool.close()
