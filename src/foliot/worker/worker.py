"""The worker: its parts put together, its sessions one after another, and its way out."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from foliot.domain.drills import DrillOrder, DrillType, NodeDrills
from foliot.domain.job import Isolation
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.handler import HandlerKind
from foliot.ports.worker_link import WorkerLink
from foliot.worker.answers import Answers
from foliot.worker.attempt import Attempt
from foliot.worker.capture import captured
from foliot.worker.current_session import CurrentSession
from foliot.worker.drain import Drain
from foliot.worker.drilled_locks import DrilledLocks
from foliot.worker.execution import Execution
from foliot.worker.figures import Figures
from foliot.worker.full_disk import write_or_refuse
from foliot.worker.guard import Guard
from foliot.worker.handlers import to_make
from foliot.worker.handlers.python import PythonHandlers
from foliot.worker.heartbeat import Heartbeat
from foliot.worker.isolation.kill_list import KillList
from foliot.worker.isolation.loop import LoopIsolator
from foliot.worker.isolation.process import PoolSettings, ProcessPool
from foliot.worker.isolation.thread import ThreadIsolator
from foliot.worker.leave import Leave
from foliot.worker.load import LoadFigures
from foliot.worker.logs import Logs
from foliot.worker.loop_watch import Blocked, LoopWatch
from foliot.worker.poller import Poller
from foliot.worker.registrar import Registrar
from foliot.worker.reporter import Reporter
from foliot.worker.secrets.cover import NO_COVER
from foliot.worker.secrets.vault import Vault
from foliot.worker.session import Session
from foliot.worker.settings import WorkerSettings
from foliot.worker.signals import Signals
from foliot.worker.spans import AttemptSpans
from foliot.worker.spool import SpoolFolder
from foliot.worker.surroundings import Surroundings

log = structlog.get_logger("foliot.worker")

_CLOSE_WITHIN_S: Final = 2.0
_HURRIED_FLUSH_S: Final = 1.0


class Worker:
    """Leases runs, executes them, beats and reports, until it is asked to stop. Made in a running loop, used once."""

    def __init__(
        self,
        link: WorkerLink,
        clock: Clock,
        chance: Chance,
        settings: WorkerSettings,
        code: PythonHandlers | None = None,
        kinds: Sequence[HandlerKind] = (),
        vault: Vault | None = None,
        drills: NodeDrills | None = None,
    ) -> None:
        """`kinds`: what it executes beside Python functions. `vault`: the secrets that their jobs may name.

        `drills`: in which it takes part; None: in none.
        """
        self._drills = drills
        self._tasks: asyncio.TaskGroup | None = None
        self.figures = Figures()
        self.code = code or PythonHandlers()
        self._others: Mapping[str, HandlerKind] = {kind.kind: kind for kind in kinds}
        self._cover = NO_COVER if vault is None else vault.cover
        if vault is not None:
            vault.give_to(kinds)
        self._settings = settings
        self._around = Surroundings(link, clock, chance, self.figures, settings.call_within_s)
        self._heart: Heartbeat | None = None
        self._is_syncing = True  # its session has not asked for work yet
        self._broken: BaseException | None = None
        self._stop_asked = asyncio.Event()
        self._hurry = asyncio.Event()
        self._closing = asyncio.Event()
        self.on_registered: Callable[[], None] = lambda: None  # called in each new session
        self._over = asyncio.Event()
        self._assemble(self._around)
        if drills is not None:
            drills.on_begin.append(self._drill_begins)

    @property
    def session(self) -> Session | None:
        """The session it works in; None while it has none."""
        return self._current.session

    def stop(self) -> None:
        """Drain: no new runs, some time for those that run. A second call ends everything at once."""
        if self._stop_asked.is_set():
            self._hurry.set()
        self._stop_asked.set()
        self._registrar.stop()
        self._poller.stop()
        self._drain.nudge()

    async def reload(self, code: PythonHandlers) -> None:
        """Run this code from now on: what runs goes on with the old, what starts later gets the new. The server knows.

        Code that is not whole cannot be loaded by new processes: those there are keep the last good version.
        """
        self.code = code
        self._execution.kinds = self._kinds()
        self._pool.keeps_children = not code.is_whole
        if code.is_whole:
            self._pool.replace(code.sources)
        await self._registrar.tell(lambda: self.session)

    async def run(self) -> None:
        """Work until stopped; on return everything is reported, given back, or on disk."""
        async with asyncio.TaskGroup() as tasks:
            self._tasks = self._pool.tasks = tasks
            self._execution.locks.tasks = tasks
            tasks.create_task(self._watch_for_bugs(), name="bugs")
            tasks.create_task(self._logs.work(self._closing), name="logs")
            tasks.create_task(self._reporter.work(self._closing), name="reports")
            tasks.create_task(self._execution.deadlines.work(self._closing), name="deadlines")
            tasks.create_task(self._registrar.ask_again(lambda: self.session), name="declaring")
            self._guard.start()
            try:
                with captured() if self._settings.capture else contextlib.nullcontext():
                    await self._work()
                    await self._leave()
            finally:
                await self._close()
        if self._registrar.refusal is not None:
            raise self._registrar.refusal

    # ------------------------------------------------------------------------------------------------------ sessions

    async def _work(self) -> None:
        """One session after another, until stopped."""
        if self.code.has_plain_functions:
            self._pool.warm_up()
        while not self._stop_asked.is_set():
            session = await self._registrar.register()
            if session is None:
                return
            self._begin(session)
            await self._reporter.adopt_orphans()
            self._is_syncing = False
            self._beat_soon()
            await self._poller.work(session)
            if session.is_dead:
                self._answers.bury(session)  # before the next begins, whoever noticed the death first

    def _begin(self, session: Session) -> None:
        self.figures.sessions += 1
        self._is_syncing = True
        self._current.session = session
        self._heart = Heartbeat(
            self._around,
            session,
            self._answers,
            load=self._load.read,
            is_syncing=lambda: self._is_syncing,
            is_draining=self._stop_asked.is_set,
            locks=self._execution.locks,
            drills=self._drills,
        )
        self._heart.start()
        kinds = [name for name, kind in self._kinds().items() if kind.offers()]
        settings = self._settings
        log.info("worker.registered", session=session.id, worker=settings.name, slots=settings.slots, kinds=kinds)
        self.on_registered()

    def _own_load(self) -> Mapping[str, float]:
        """In the beat's thread."""
        execution = self._execution
        load = {"running": float(len(execution.running)), "queue": float(execution.queued)}
        load |= self._settings.restarts.as_load()
        if execution.waiting:
            load["waiting"] = float(execution.waiting)
        return load

    def _stop_beating(self) -> None:
        if self._heart is not None:
            self._heart.stop()

    # ------------------------------------------------------------------------------------------------------- the end

    async def _leave(self) -> None:
        """Drain, report, say goodbye."""
        if self._heart is not None:
            self._heart.hurry()
        self._signals.slots_changed.connect(self._drain.nudge)  # from here on alone: every run sends this signal
        await self._drain.work()
        settled = await self._reporter.flush(
            within_s=_HURRIED_FLUSH_S if self._hurry.is_set() else self._settings.flush_within_s
        )
        self._stop_beating()
        unsafe = any(attempt.must_not_outlive_trust for attempt in self._execution.running.values())
        if self.session is None or not settled or unsafe:
            return  # what is not reported must not be given back as if it had never run: the session runs out instead
        await self._goodbye.say(self.session)

    async def _close(self) -> None:
        self._registrar.stop()
        self._poller.stop()
        self._stop_beating()
        self._guard.stop()
        await self._loop_isolator.close(within_s=_CLOSE_WITHIN_S)
        await self._pool.close()
        await self._close_kinds()
        self._closing.set()
        self._execution.locks.close()
        for part in (self._reporter, self._logs, self._execution.deadlines):
            part.close()
        self._over.set()
        if self._heart is not None:
            await asyncio.to_thread(self._heart.join)

    async def _close_kinds(self) -> None:
        """Let each kind give back what it holds. One that fails or hangs keeps no other from it, nor the worker."""
        for name, kind in self._others.items():
            try:
                async with asyncio.timeout(_CLOSE_WITHIN_S):
                    await kind.close()
            except Exception as error:  # noqa: BLE001  a package's own code
                why = self._cover.hidden(f"{type(error).__name__}: {error}")[:300]
                log.error("handler.not_closed", kind=name, why=why)

    # ---------------------------------------------------------------------------------------------- what threads say

    def _beat_soon(self) -> None:
        if self._heart is not None:
            self._heart.hurry()

    def _beat_now(self) -> None:
        if self._heart is not None:
            self._heart.beat_now()

    def _loop_blocked(self, blocked: Blocked) -> None:
        """In the guard's thread."""
        attempt = self._loop_isolator.attempt_of(blocked.task)
        job = None if attempt is None else attempt.run.job
        log.warning("loop.blocked", for_s=round(blocked.for_s, 1), where=blocked.where, job=job)
        if attempt is not None:
            attempt.add_line(
                "WARNING",
                f"blocks the worker's loop for {blocked.for_s:.1f} s at {blocked.where}: every other async run waits; "
                'await instead, or use isolation="process"',
            )

    def _broke(self, error: BaseException) -> None:
        self._broken = error
        self._over.set()

    async def _watch_for_bugs(self) -> None:
        """A bug in a thread or a callback ends the worker as one in a task does."""
        await self._over.wait()
        if self._broken is not None:
            raise self._broken

    # ------------------------------------------------------------------------------------------------------ assembly

    def _kinds(self) -> Mapping[str, HandlerKind]:
        """Every kind it executes, by name, with the newest code."""
        return {**self._others, self.code.kind: self.code}

    def _assemble(self, around: Surroundings) -> None:
        """Make the parts, each from parts that exist; what leads back to earlier ones goes by signals."""
        settings, clock = self._settings, around.clock
        self._signals = Signals()
        self._current = CurrentSession(clock)
        self._kills = KillList()
        self._assemble_calls(around)
        self._execution = Execution(
            around,
            self._current,
            self._signals,
            kinds=self._kinds(),
            slots=settings.slots,
            plain=settings.isolation,
            waiting_max=settings.waiting_max,
            faults=None if self._drills is None else self._drills.faults,
            spans=None if settings.spans is None else AttemptSpans(settings.spans, clock, node=settings.name),
        )
        self._load = LoadFigures(clock, own=self._own_load, spool=settings.spool)
        self._assemble_isolators(clock)
        folder = None if settings.spool is None else self._spool_folder(settings.spool)
        self._reporter = Reporter(
            around,
            self._registrar,
            self._current,
            self._execution,
            self._logs,
            folder,
            on_landed=self._signals.slots_changed,
        )
        self._answers = Answers(
            self._current,
            self._execution,
            self._logs,
            self._kills,
            self.figures,
            self._signals,
        )
        self._poller = Poller(around, self._execution, self._answers, wait_s=settings.poll_wait_s)
        self._drain = Drain(
            clock,
            self._execution,
            timeout_s=settings.drain_timeout_s,
            release_within_s=settings.release_within_s,
            hurry=self._hurry,
        )
        watch = LoopWatch(clock, self._loop_blocked)
        self._guard = Guard(
            clock, self._current, self._answers, watch, is_loop_used=lambda: bool(self._loop_isolator.running)
        )
        self._connect()

    def _spool_folder(self, path: Path) -> SpoolFolder:
        most = self._settings.spool_max_bytes
        if self._drills is None:
            return SpoolFolder(path, max_bytes=most)
        return SpoolFolder(path, max_bytes=most, write=partial(write_or_refuse, self._drills.faults))

    def _drill_begins(self, order: DrillOrder) -> None:
        """In the beat's thread."""
        session = self.session
        if order.type == DrillType.DEADLOCK and session is not None:
            self._answers.from_thread(self._begin_deadlock, order, session)

    def _begin_deadlock(self, order: DrillOrder, session: Session) -> None:
        locks = DrilledLocks(self._around, order, session.id)
        assert self._tasks is not None
        self._tasks.create_task(locks.deadlock(self._at_work, until=self._stop_asked), name="drill")

    def _at_work(self) -> Sequence[Attempt]:
        return [one for one in self._execution.running.values() if one.started_at is not None]

    def _assemble_calls(self, around: Surroundings) -> None:
        """What speaks to servers without knowing of runs."""
        link, clock, chance, _, within_s = around
        settings = self._settings
        self._registrar = Registrar(link, clock, chance, settings, code=lambda: self.code, others=self._others)
        self._logs = Logs(
            link,
            clock,
            chance,
            session=lambda: self._registrar.session_id,
            within_s=within_s,
            log_max=settings.log_max_bytes,
            pending_max=settings.log_pending_max_bytes,
        )
        self._goodbye = Leave(link, clock, chance, within_s=within_s, hurry=self._hurry)

    def _assemble_isolators(self, clock: Clock) -> None:
        settings = self._settings
        self._loop_isolator = LoopIsolator(self._execution, clock, broke=self._signals.broke)
        self._pool = ProcessPool(
            self._execution,
            clock,
            self._kills,
            self.figures,
            sources=self.code.sources,
            kinds=[to_make(kind) for kind in self._others.values()],
            settings=PoolSettings(
                size=settings.slots,
                warm=settings.processes_warm,
                runs_max=settings.process_runs_max,
                growth_max=settings.process_growth_max_bytes,
                limits=settings.limits,
                environment=settings.process_environment,
            ),
        )
        self._execution.isolators = {
            Isolation.LOOP: self._loop_isolator,
            Isolation.PROCESS: self._pool,
            Isolation.THREAD: ThreadIsolator(self._execution),
        }

    def _connect(self) -> None:
        """Who learns of what."""
        signals = self._signals
        signals.ended.connect(self._reporter.add)
        signals.slots_changed.connect(self._poller.nudge)
        signals.progressed.connect(self._beat_soon)
        signals.beat_asked.connect(self._beat_now)
        signals.declaring_asked.connect(self._registrar.declare_again)
        signals.beat_missed.connect(self._poller.ask_again)
        signals.session_died.connect(self._stop_beating, self._poller.interrupt)
        signals.lock_trusted.connect(self._execution.lock_trusted)
        signals.lock_lost.connect(self._execution.lock_lost)
        signals.broke.connect(self._broke)
