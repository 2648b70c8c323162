"""Process isolation: a warm pool of child processes for plain functions, which can always be stopped.

Kill ladder: ask (the run sees `ctx.cancelled`), then stacks into the log and SIGTERM to the group, then SIGKILL to the
group and to whatever left it. A child that was signalled is replaced; so is one that served long enough or grew.
"""

import asyncio
import signal
from collections import deque
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import structlog

from foliot.domain.verdict import Cause
from foliot.ports.clock import Clock
from foliot.ports.handler import Invocable
from foliot.sdk.invocation import Outcome
from foliot.worker.attempt import Attempt
from foliot.worker.figures import Figures
from foliot.worker.handlers import KindToMake
from foliot.worker.isolation.child_process import ChildProcess, Phase
from foliot.worker.isolation.isolator import Host, judged, killed
from foliot.worker.isolation.kill_list import KillList, descendants, kill_all
from foliot.worker.isolation.limits import DUMP_SIGNAL
from foliot.worker.isolation.warden import Warden
from foliot.worker.isolation.wire import CallEnded, ChildLimits, LockReply, LockTrusted, LockWanted

log = structlog.get_logger("foliot.worker.pool")

START_WITHIN_S: Final = 60.0
LEAVE_WITHIN_S: Final = 2.0
_TERM_SHARE: Final = 0.25  # of the grace, and at most TERM_MAX_S, lies between SIGTERM and SIGKILL
_TERM_MAX_S: Final = 2.0
_DUMP_S: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSettings:
    """How many children, for how long, with what limits."""

    size: int
    warm: int = 2  # started before they are needed
    runs_max: int = 1000  # per child, then it is replaced
    growth_max: int = 256 * 1024 * 1024  # bytes of memory above what it had when it was ready
    limits: ChildLimits = field(default_factory=ChildLimits)
    environment: Mapping[str, str] | None = None  # of the children; None: the worker's own


class ProcessPool:
    """Child processes that execute runs (`isolator.Isolator`)."""

    def __init__(
        self,
        host: Host,
        clock: Clock,
        kills: KillList,
        figures: Figures,
        *,
        sources: Sequence[str],
        settings: PoolSettings,
        kinds: Sequence[KindToMake] = (),
    ) -> None:
        """`kinds`: what children make beside Python functions."""
        self.tasks: asyncio.TaskGroup | None = None  # where its own tasks live, from when the worker runs
        self.keeps_children = False  # new ones could not load what these have: replace none without need
        self._host = host
        self._clock = clock
        self._kills = kills
        self._figures = figures
        self._sources = list(sources)
        self._kinds = list(kinds)
        self._settings = settings
        self._children: set[ChildProcess] = set()
        self._idle: list[ChildProcess] = []  # the one used last is taken first: it is warm
        self._waiting: deque[Attempt] = deque()
        self._warden: Warden | None = None
        self._is_closed = False

    @property
    def pids(self) -> list[int]:
        """Of the children that live."""
        return [child.pid for child in self._children]

    def warm_up(self) -> None:
        """Start some children before they are needed."""
        while len(self._children) < min(self._settings.warm, self._settings.size):
            self._spawn()

    def replace(self, sources: Sequence[str]) -> None:
        """The code changed: children that loaded it before execute nothing more."""
        self._sources = list(sources)
        for child in list(self._children):
            child.is_outdated = True
        for child in list(self._idle):
            self._retire(child)
        self.warm_up()

    def begin(self, attempt: Attempt, handler: Invocable) -> None:
        del handler  # the child has its own
        self._waiting.append(attempt)
        self._match()

    def stop(self, attempt: Attempt, *, grace_s: float) -> None:
        child = self._child_of(attempt)
        if child is not None:
            self._task(self._stop(child, attempt, grace_s), name=f"stop {attempt.run.run_id}")

    def kill(self, attempt: Attempt) -> None:
        child = self._child_of(attempt)
        if child is not None:
            self._task(self._kill(child), name=f"kill {child.pid}")

    def lock_trusted(self, attempt: Attempt, claim: str, until: float) -> None:
        child: ChildProcess | None = attempt.execution
        if child is not None:
            child.tell(LockTrusted(claim, until))

    async def close(self) -> None:
        """Let every child go; those that linger are killed."""
        self._is_closed = True
        for child in list(self._children):
            if child.phase is Phase.BUSY or child.phase is Phase.STARTING:
                self._kills.send(child.pid, signal.SIGKILL, to_group=True)
            else:  # by itself, when nobody can give it work any more
                child.phase = Phase.LEAVING
                child.leave()
        self._idle.clear()
        for child in list(self._children):
            if not await self._clock.wait(child.gone, for_s=LEAVE_WITHIN_S):
                self._kills.send(child.pid, signal.SIGKILL, to_group=True)
                await self._clock.wait(child.gone, for_s=LEAVE_WITHIN_S)
        if self._warden is not None:
            self._warden.close()

    def _task(self, work: Coroutine[Any, Any, None], *, name: str) -> None:
        assert self.tasks is not None, "the worker does not run yet"
        if self._is_closed:  # `close` sees to every child, and the group may not take a task any more
            work.close()
        else:
            self.tasks.create_task(work, name=name)

    # ------------------------------------------------------------------------------------- what children say (Owner)

    def child_ready(self, child: ChildProcess) -> None:
        if child.is_outdated or self._is_closed:
            self._retire(child)
        else:
            self._idle.append(child)
        for problem in child.problems:
            log.error("child.not_loaded", pid=child.pid, problem=problem.splitlines()[-1][:500])
        self._match()

    def child_ended_run(self, child: ChildProcess, attempt: Attempt, message: CallEnded) -> None:
        attempt.execution = None
        if self._is_spent(child) or attempt.stop_cause is not None:
            self._retire(child, with_family=attempt.stop_cause is not None)
        else:
            self._idle.append(child)
        self._host.ended(attempt, judged(attempt, message.outcome, was_asked=message.was_asked))
        self._match()

    def child_progressed(self, attempt: Attempt) -> None:
        self._host.progressed(attempt)

    def child_wants_lock(self, child: ChildProcess, attempt: Attempt, wanted: LockWanted) -> None:
        self._task(self._claim(child, attempt, wanted), name=f"lock for {attempt.run.run_id}")

    def child_leaves_lock(self, claim: str) -> None:
        self._host.locks.leave(claim)

    async def _claim(self, child: ChildProcess, attempt: Attempt, wanted: LockWanted) -> None:
        outcome = await self._host.locks.claim(attempt, wanted.wish)
        if child.attempt is attempt:
            child.tell(LockReply(wanted.number, outcome))

    def child_gone(self, child: ChildProcess, attempt: Attempt | None) -> None:
        self._children.discard(child)
        if child in self._idle:
            self._idle.remove(child)
        if self._warden is not None:
            self._warden.forget(child.pid)
        if attempt is not None:
            attempt.execution = None
            self._host.ended(attempt, killed(attempt, child.exit_words()))
        elif not child.was_ready and not self._is_closed:
            self._fail_one(child)
        self._match()

    # ------------------------------------------------------------------------------------------------------- the pool

    def _match(self) -> None:
        while self._waiting:
            child = self._take_idle(self._waiting[0].run.namespace)
            if child is None:
                break
            attempt = self._waiting.popleft()
            if self._host.may_start(attempt):
                attempt.execution = child
                child.start(attempt)
            else:
                self._idle.append(child)
        starting = sum(child.phase is Phase.STARTING for child in self._children)
        for _ in range(len(self._waiting) - starting):
            if not self._make_room():
                break
            self._spawn()

    def _take_idle(self, namespace: str) -> ChildProcess | None:
        for child in reversed(self._idle):
            if child.namespace is None or child.namespace == namespace:
                self._idle.remove(child)
                return child
        return None

    def _make_room(self) -> bool:
        """Whether one more child may be started; one that serves another namespace goes if it must."""
        if sum(child.phase is not Phase.LEAVING for child in self._children) < self._settings.size:
            return True
        if not self._idle:
            return False
        self._retire(self._idle[0])
        return True

    def _spawn(self) -> None:
        if self._is_closed:
            return
        if self._warden is None:
            self._warden = Warden(self._settings.environment)
        child = ChildProcess(self, self._kills, environment=self._settings.environment)
        self._children.add(child)
        self._warden.remember(child.pid)
        self._task(self._start(child), name=f"child {child.pid}")

    async def _start(self, child: ChildProcess) -> None:
        await child.open(self._sources, self._settings.limits, self._kinds)
        if not await self._clock.wait(child.settled, for_s=START_WITHIN_S):
            log.error("child.start_too_slow", pid=child.pid, within_s=START_WITHIN_S)
            self._kills.send(child.pid, signal.SIGKILL, to_group=True)

    def _is_spent(self, child: ChildProcess) -> bool:
        return (
            child.is_outdated
            or self._is_closed
            or child.phase is Phase.LEAVING
            or (not self.keeps_children and self._is_used_up(child))
        )

    def _is_used_up(self, child: ChildProcess) -> bool:
        grown = child.memory_peak - child.memory_at_start
        return child.runs >= self._settings.runs_max or grown > self._settings.growth_max

    def _retire(self, child: ChildProcess, *, with_family: bool = False) -> None:
        """Let a child go. `with_family`: its run was stopped, so what that run started is to end as well."""
        if child in self._idle:
            self._idle.remove(child)
        if child.phase is not Phase.GONE:
            child.phase = Phase.LEAVING
            self._task(self._see_off(child, with_family), name=f"leave {child.pid}")

    async def _see_off(self, child: ChildProcess, with_family: bool) -> None:
        if with_family:
            kill_all(await asyncio.to_thread(descendants, child.pid))
        child.leave()
        if not await self._clock.wait(child.gone, for_s=LEAVE_WITHIN_S):
            await self._kill(child)
        if not self._is_closed:
            self.warm_up()

    def _fail_one(self, child: ChildProcess) -> None:
        """A child could not even start: the run that waits longest says so, rather than waiting for ever."""
        log.error("child.failed_to_start", pid=child.pid)
        if self._waiting:
            error = f"No process could be started for it: {child.problems[0] if child.problems else child.exit_words()}"
            self._host.ended(
                self._waiting.popleft(), Outcome(cause=Cause.ERROR, error=error, error_type="ProcessNotStarted")
            )

    # ------------------------------------------------------------------------------------------------ the kill ladder

    def _child_of(self, attempt: Attempt) -> ChildProcess | None:
        """Its child; one that still waits for a child is over at once."""
        if attempt in self._waiting:
            self._waiting.remove(attempt)
            cause = attempt.stop_cause or Cause.RELEASED
            self._host.ended(attempt, Outcome(cause=cause, error=f"{attempt.stop_why}; it had not started."))
            return None
        child: ChildProcess | None = attempt.execution
        return child

    async def _stop(self, child: ChildProcess, attempt: Attempt, grace_s: float) -> None:
        child.ask_to_stop()
        term_s = min(grace_s * _TERM_SHARE, _TERM_MAX_S)
        if await self._is_over(child, attempt, within_s=grace_s - term_s):
            return
        dump_s = min(_DUMP_S, term_s / 2)
        attempt.add_line("WARNING", f"asked to stop {grace_s - term_s:g} s ago; now SIGTERM. Where it is:")
        self._kills.send(child.pid, DUMP_SIGNAL, to_group=False)
        family = await asyncio.to_thread(descendants, child.pid)
        if await self._is_over(child, attempt, within_s=dump_s):
            return
        self._kills.send(child.pid, signal.SIGTERM, to_group=True)
        if await self._is_over(child, attempt, within_s=term_s - dump_s):
            kill_all(family)  # its parent may be gone by now, and with it the way to find those that left the group
            return
        attempt.add_line("WARNING", "SIGTERM did not stop it: killed")
        await self._kill(child)

    async def _is_over(self, child: ChildProcess, attempt: Attempt, *, within_s: float) -> bool:
        await self._clock.wait(child.run_over, for_s=within_s)
        return child.attempt is not attempt

    async def _kill(self, child: ChildProcess) -> None:
        """SIGKILL the group, and what left it: those are found before their parent is gone."""
        self._figures.killed += 1
        strays = await asyncio.to_thread(descendants, child.pid)
        self._kills.send(child.pid, signal.SIGKILL, to_group=True)
        kill_all(strays)
