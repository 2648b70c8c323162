"""The worker: its parts put together, its sessions one after another, and its way out."""

import asyncio
import contextlib
import os
from collections.abc import Callable, Sequence
from typing import Final

import structlog

from foliot.domain.errors import Denied
from foliot.domain.job import Isolation
from foliot.domain.verdict import Cause
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.worker_link import BeatAnswer, Hello, Leased, WorkerLink
from foliot.worker.attempt import Attempt
from foliot.worker.calling import Backoff, NoAnswer, NotTaken, answer_of
from foliot.worker.capture import captured
from foliot.worker.code import Code
from foliot.worker.draining import Drain
from foliot.worker.execution import Execution
from foliot.worker.figures import Figures
from foliot.worker.guard import Guard
from foliot.worker.heartbeat import Heartbeat
from foliot.worker.isolation.kill_list import KillList
from foliot.worker.isolation.loop import LoopPlace
from foliot.worker.isolation.process import PoolSettings, ProcessPool
from foliot.worker.isolation.thread import ThreadPlace
from foliot.worker.load import LoadFigures
from foliot.worker.logs import Logs
from foliot.worker.loop_watch import Blocked, LoopWatch
from foliot.worker.polling import Poller
from foliot.worker.reporting import Reporter
from foliot.worker.session import Session
from foliot.worker.settings import WorkerSettings
from foliot.worker.spool import SpoolFolder

log = structlog.get_logger("foliot.worker")

_CLOGGED: Final = 2000  # ends not acknowledged: take no more work on
_CLOSE_WITHIN_S: Final = 2.0


class Worker:
    """Leases runs, executes them, beats and reports, until it is told to stop. Used once."""

    def __init__(
        self, link: WorkerLink, clock: Clock, chance: Chance, settings: WorkerSettings, code: Code | None = None
    ) -> None:
        self.figures = Figures()
        self._link = link
        self._clock = clock
        self._chance = chance
        self._settings = settings
        self._code = code or Code()
        self._session: Session | None = None
        self._session_id = chance.token()
        self._heart: Heartbeat | None = None
        self._refusal: BaseException | None = None
        self._broken: BaseException | None = None
        self._stop_asked = asyncio.Event()
        self._hurry = asyncio.Event()
        self._closing = asyncio.Event()
        self._thread_broke = asyncio.Event()
        self._kills = KillList()

    @property
    def session(self) -> Session | None:
        """The session it works in; None while it has none."""
        return self._session

    def stop(self) -> None:
        """Drain: no new runs, some time for those that run. A second call ends everything at once."""
        if self._stop_asked.is_set():
            self._hurry.set()
        self._stop_asked.set()
        if hasattr(self, "_poller"):
            self._poller.stop()
            self._drain.nudge()

    async def reload(self, code: Code) -> None:
        """Run this code from now on: what runs goes on with the old, what starts later gets the new."""
        before, self._code = self._code, code
        self._execution.handlers = code.handlers
        if (before.sources, before.offers()) != (code.sources, code.offers()):
            self._pool.replace(code.sources)
        if self._session is not None:
            with contextlib.suppress(NoAnswer, NotTaken):
                await self._introduce(self._session.id)

    async def run(self) -> None:
        """Work until stopped; on return everything is reported, given back, or on disk."""
        async with asyncio.TaskGroup() as tasks:
            self._assemble(tasks)
            tasks.create_task(self._watch_threads(), name="threads")
            tasks.create_task(self._logs.work(self._closing), name="logs")
            tasks.create_task(self._reporter.work(self._closing), name="reports")
            tasks.create_task(self._execution.deadlines.work(self._closing), name="deadlines")
            self._guard.start()
            try:
                with captured() if self._settings.capture else contextlib.nullcontext():
                    await self._work()
                    await self._leave()
            finally:
                await self._close()
        if self._refusal is not None:
            raise self._refusal

    # ------------------------------------------------------------------------------------------------------ assembly

    def _assemble(self, tasks: asyncio.TaskGroup) -> None:
        settings, clock, chance, link = self._settings, self._clock, self._chance, self._link
        self._loop = asyncio.get_running_loop()
        self._logs = Logs(
            link,
            clock,
            chance,
            session=lambda: self._session_id,
            within_s=settings.call_within_s,
            log_max=settings.log_max_bytes,
            pending_max=settings.log_pending_max_bytes,
        )
        self._reporter = Reporter(
            link,
            clock,
            chance,
            self._logs,
            self.figures,
            session=lambda: self._session_id,
            is_busy=lambda: not self._execution.is_idle,
            acknowledged=self._acknowledged,
            within_s=settings.call_within_s,
            folder=None if settings.spool is None else SpoolFolder(settings.spool, max_bytes=settings.spool_max_bytes),
        )
        self._execution = Execution(
            clock,
            self.figures,
            handlers=self._code.handlers,
            slots=settings.slots,
            plain=settings.isolation,
            is_trusted=self._is_trusted,
            report=self._reporter.add,
            drop=self._drop,
            changed=self._slots_changed,
            progressed=self._progressed,
        )
        self._loop_place = LoopPlace(self._execution, clock, broke=self._broke)
        self._pool = ProcessPool(
            self._execution,
            clock,
            self._kills,
            self.figures,
            tasks,
            sources=self._code.sources,
            settings=PoolSettings(
                size=settings.slots,
                warm=settings.processes_warm,
                runs_max=settings.process_runs_max,
                growth_max=settings.process_growth_max_bytes,
                limits=settings.limits,
                environment=settings.process_environment,
            ),
        )
        self._execution.places = {
            Isolation.LOOP: self._loop_place,
            Isolation.PROCESS: self._pool,
            Isolation.THREAD: ThreadPlace(self._execution),
        }
        self._poller = Poller(
            link,
            clock,
            chance,
            self._execution,
            self.figures,
            wait_s=settings.poll_wait_s,
            within_s=settings.call_within_s,
            is_clogged=lambda: self._reporter.waiting > _CLOGGED,
            leased=self._on_leased,
        )
        self._drain = Drain(
            clock,
            self._execution,
            timeout_s=settings.drain_timeout_s,
            release_within_s=settings.release_within_s,
            hurry=self._hurry,
        )
        self._load = LoadFigures()
        self._guard = Guard(
            clock,
            session=lambda: self._session,
            trust_ended=self._trust_ended,
            watch=LoopWatch(clock, self._loop_blocked),
            is_loop_used=lambda: bool(self._loop_place.running),
            broke=self._broke_in_thread,
        )

    # ------------------------------------------------------------------------------------------------------ sessions

    async def _work(self) -> None:
        """One session after another, until stopped."""
        if any(not handler.is_async for handler in self._code.handlers.values()):
            self._pool.warm_up()
        while not self._stop_asked.is_set():
            session = await self._register()
            if session is None:
                return
            await self._reporter.adopt_orphans()
            await self._poller.work(session)

    async def _register(self) -> Session | None:
        """A fresh session; None when stopped before a server took us in."""
        session_id = self._session_id = self._chance.token()
        backoff = Backoff(self._chance, first_s=0.2, most_s=5.0)
        while not self._stop_asked.is_set():
            try:
                session = await self._introduce(session_id)
            except (NoAnswer, NotTaken) as error:
                cause = error.__cause__
                if isinstance(cause, Denied) and not self.figures.sessions:
                    self._refusal = cause  # the token was never good: waiting will not make it so
                    return None
                log.warning("worker.not_registered", error=type(cause or error).__name__, why=str(cause or error)[:300])
                await self._clock.wait(self._stop_asked, for_s=backoff.next_s())
                continue
            self._begin(session)
            return session
        return None

    async def _introduce(self, session_id: str) -> Session:
        settings = self._settings
        sent_at = self._clock.monotonic()
        hello = Hello(
            session=session_id,
            name=settings.name,
            group=settings.group,
            slots=settings.slots,
            handlers=self._code.offers(),
            labels=settings.labels,
            version=settings.version,
            pid=os.getpid(),
            host=settings.host,
            jobs=self._code.jobs,
        )
        welcome = await answer_of(
            self._link.register(hello), clock=self._clock, within_s=settings.call_within_s, name="register"
        )
        for refused in welcome.refused:
            log.warning("job.refused", why=refused)
        return Session(session_id, welcome, sent_at=sent_at)

    def _begin(self, session: Session) -> None:
        self.figures.sessions += 1
        self._session = session
        self._heart = Heartbeat(
            self._link,
            session,
            self._clock,
            self._chance,
            self.figures,
            load=self._load,
            running=lambda: len(self._execution.running),
            is_draining=self._stop_asked.is_set,
            heard=self._heard,
            broke=self._broke_in_thread,
        )
        self._heart.start()
        log.info("worker.registered", session=session.id, worker=self._settings.name, slots=self._settings.slots)

    def _on_leased(self, session: Session, leased: Leased) -> None:
        if leased.dead:
            self._bury(session)
            return
        session.is_draining = session.is_draining or leased.draining
        self._cancel(session, leased.cancel)
        fresh = session.take(leased.request_no, [Attempt(run, self._logs) for run in leased.runs])
        self.figures.leased += len(fresh)
        self._execution.accept(fresh)

    def _heard(self, session: Session, answer: BeatAnswer) -> None:
        """In the beat's thread: what cannot wait for the loop, then the rest in the loop."""
        if not answer.alive:
            for attempt in session.held()[1]:
                attempt.is_void = True
            self._kills.kill_where(lambda attempt: attempt is not None and attempt.is_void)
        self._from_thread(self._on_answer, session, answer)

    def _on_answer(self, session: Session, answer: BeatAnswer) -> None:
        if session is not self._session:
            return
        if not answer.alive:
            self._bury(session)
            return
        session.is_draining = answer.draining
        self._cancel(session, answer.cancel)
        for lease_id in answer.invalid:
            attempt = session.find(lease_id)
            if attempt is not None and self._execution.has(attempt):
                self.figures.dropped += 1
                log.warning("lease.taken", run=attempt.run.run_id, job=attempt.run.job)
                self._execution.void(attempt)
        self._execution.pump()
        self._poller.nudge()

    def _cancel(self, session: Session, lease_ids: tuple[str, ...]) -> None:
        for lease_id in lease_ids:
            attempt = session.find(lease_id)
            if attempt is not None and attempt.stop_cause is None:
                self._execution.stop(attempt, Cause.CANCELLED, "Cancelled")

    def _bury(self, session: Session) -> None:
        """The session is dead by store time: its runs are others' now. End them; the next session begins afresh."""
        if session is not self._session:
            return
        log.warning("session.dead", session=session.id, running=len(self._execution.running))
        session.die()
        self._session = None
        if self._heart is not None:
            self._heart.stop()
        for attempt in session.held()[1]:
            if self._execution.has(attempt):
                self.figures.dropped += 1
                self._execution.void(attempt)
        self._poller.interrupt()

    # --------------------------------------------------------------------------------------------------------- trust

    def _is_trusted(self) -> bool:
        session = self._session
        return session is not None and session.is_trusted(self._clock.monotonic())

    def _trust_ended(self, session: Session, first: bool) -> None:
        """In the guard's thread: kill what must not run unattended."""
        for attempt in session.held()[1]:
            if attempt.must_not_outlive_trust and attempt.started_at is not None and attempt.stop_cause is None:
                attempt.stop_why = _UNATTENDED
                attempt.stop_cause = _cause_without_trust(attempt)
        self._kills.kill_where(lambda attempt: attempt is not None and attempt.must_not_outlive_trust)
        if first:
            self._from_thread(self._doubt, session)

    def _doubt(self, session: Session) -> None:
        if session is not self._session:
            return
        self.figures.trust_lost += 1
        log.warning("trust.lost", session=session.id, running=len(self._execution.running))
        for attempt in list(self._execution.running.values()):
            if attempt.must_not_outlive_trust:
                self._execution.kill(attempt, _cause_without_trust(attempt), _UNATTENDED)

    # ------------------------------------------------------------------------------------------------------- the end

    async def _leave(self) -> None:
        """Drain, report, say goodbye."""
        if self._heart is not None:
            self._heart.hurry()
        await self._drain.work()
        settled = await self._reporter.flush(within_s=self._settings.flush_within_s)
        if self._heart is not None:
            self._heart.stop()
        session = self._session
        unsafe = any(attempt.must_not_outlive_trust for attempt in self._execution.running.values())
        if session is None or session.is_dead or not settled or unsafe:
            return  # what is not reported must not be given back as if it had never run: the session runs out instead
        with contextlib.suppress(NoAnswer, NotTaken):
            await answer_of(
                self._link.leave(session.id), clock=self._clock, within_s=self._settings.call_within_s, name="leave"
            )
            log.info("worker.left", session=session.id)

    async def _close(self) -> None:
        self._poller.stop()
        if self._heart is not None:
            self._heart.stop()
        self._guard.stop()
        await self._loop_place.close(within_s=_CLOSE_WITHIN_S)
        await self._pool.close()
        self._closing.set()
        for part in (self._reporter, self._logs, self._execution.deadlines):
            part.close()
        self._thread_broke.set()
        if self._heart is not None:
            await asyncio.to_thread(self._heart.join)

    # ------------------------------------------------------------------------------------------------ small callbacks

    def _acknowledged(self, lease_ids: Sequence[str]) -> None:
        if self._session is not None:
            self._session.release(lease_ids)

    def _drop(self, attempt: Attempt) -> None:
        if self._session is not None:
            self._session.release([attempt.run.lease_id])

    def _slots_changed(self) -> None:
        self._poller.nudge()
        self._drain.nudge()

    def _progressed(self, attempt: Attempt) -> None:
        del attempt
        if self._heart is not None:
            self._heart.hurry()

    def _loop_blocked(self, blocked: Blocked) -> None:
        """In the guard's thread."""
        attempt = self._loop_place.attempt_of(blocked.task)
        job = None if attempt is None else attempt.run.job
        log.warning("loop.blocked", for_s=round(blocked.for_s, 1), where=blocked.where, job=job)
        if attempt is not None:
            attempt.add_line(
                "WARNING",
                f"blocks the worker's loop for {blocked.for_s:.1f} s at {blocked.where}: every other async run waits; "
                'await instead, or use isolation="process"',
            )

    def _from_thread(self, call: Callable[..., None], *args: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the worker is gone
            self._loop.call_soon_threadsafe(call, *args)

    def _broke_in_thread(self, error: BaseException) -> None:
        self._from_thread(self._broke, error)

    def _broke(self, error: BaseException) -> None:
        self._broken = error
        self._thread_broke.set()

    async def _watch_threads(self) -> None:
        """A bug in a thread or a callback ends the worker as one in a task does."""
        await self._thread_broke.wait()
        if self._broken is not None:
            raise self._broken


_UNATTENDED: Final = "No server answered in time, and this job must not run unattended"


def _cause_without_trust(attempt: Attempt) -> Cause:
    """At-most-once: it ran, and its worker says that it failed. Else it is given back."""
    return Cause.ERROR if attempt.run.at_most_once else Cause.RELEASED
