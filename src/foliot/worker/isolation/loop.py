"""Loop isolation: async handlers in the worker's own loop. The leanest: one task per run and nothing else.

A handler is stopped by cancelling its task, which takes effect at its next await. One that never awaits blocks every
other run here; `loop_watch` names it. The tasks are kept here rather than in a task group: a group waits for its
tasks without limit, and a handler that swallows its cancellation must not keep a stopping worker alive.
"""

import asyncio
import contextvars
from collections.abc import Callable
from typing import Any

import msgspec
import structlog

from foliot.domain.verdict import Cause
from foliot.ports.clock import Clock
from foliot.ports.handler import Invocable
from foliot.sdk.ctx import Ctx
from foliot.sdk.invocation import Outcome, invoke_async
from foliot.worker.attempt import Attempt
from foliot.worker.capture import current_attempt
from foliot.worker.isolation.isolator import Host, judged
from foliot.worker.isolation.port import LoopPort

log = structlog.get_logger("foliot.worker.loop")


class _Execution(msgspec.Struct):
    port: LoopPort
    task: "asyncio.Task[None]"
    has_begun: bool = False  # the task has taken its first step
    is_asked: bool = False  # to stop


class LoopIsolator:
    """Runs handlers as tasks (`isolator.Isolator`)."""

    def __init__(self, host: Host, clock: Clock, *, broke: Callable[[BaseException], None]) -> None:
        """`broke`: a bug of ours came up in a handler's task, where nothing else would notice it."""
        self._host = host
        self._clock = clock
        self._broke = broke
        self._loop = asyncio.get_running_loop()
        self._clean = contextvars.copy_context()  # of the worker: neither run nor handler in it
        self._empty = asyncio.Event()
        self.running: dict[asyncio.Task[None], Attempt] = {}

    def begin(self, attempt: Attempt, handler: Invocable) -> None:
        if not self._host.may_start(attempt):
            return
        port = LoopPort(attempt, self._host)
        context = self._clean.copy()  # nothing another handler put into its context variables
        task = self._loop.create_task(self._run(attempt, handler, port), name=attempt.run.job, context=context)
        attempt.execution = _Execution(port, task)
        self.running[task] = attempt

    def stop(self, attempt: Attempt, *, grace_s: float) -> None:
        execution: _Execution | None = attempt.execution
        if execution is None:
            return
        execution.is_asked = True
        execution.port.ask()
        if execution.has_begun:
            execution.task.cancel(float(grace_s))  # nothing but its own awaits can stop it; `grace_of` reads this
        # A task that is cancelled before its first step never enters `_run`, and nobody would learn of its end.
        # So it takes that step, in which it sees that it was asked.

    def kill(self, attempt: Attempt) -> None:
        self.stop(attempt, grace_s=0.0)

    def lock_trusted(self, attempt: Attempt, claim: str, until: float) -> None:
        """The port asks the worker itself."""

    def attempt_of(self, task: "asyncio.Task[Any] | None") -> Attempt | None:
        """Whose task this is. From any thread."""
        return None if task is None else self.running.get(task)

    async def close(self, *, within_s: float) -> None:
        """Cancel the tasks that are left, and wait for them at most this long."""
        for attempt in self.running.values():
            self.kill(attempt)
        self._empty.clear()
        if self.running and not await self._clock.wait(self._empty, for_s=within_s):
            log.error("run.will_not_stop", jobs=sorted({attempt.run.job for attempt in self.running.values()}))

    async def _run(self, attempt: Attempt, handler: Invocable, port: LoopPort) -> None:
        current_attempt.set(attempt)
        execution: _Execution = attempt.execution
        execution.has_begun = True
        try:
            if execution.is_asked:
                raise asyncio.CancelledError  # the handler is not called
            outcome = await invoke_async(handler, attempt.run.params, Ctx(attempt.run, port))
        except asyncio.CancelledError:
            outcome = Outcome(cause=Cause.CANCELLED)
        except BaseException as error:  # noqa: BLE001  KeyboardInterrupt, raised by a handler: its end, not ours
            outcome = Outcome(cause=Cause.ERROR, error=type(error).__name__, error_type=type(error).__name__)
        self._forget(attempt)
        try:
            self._clean.copy().run(self._host.ended, attempt, judged(attempt, outcome, was_asked=True))
        except Exception as error:  # noqa: BLE001  told to the worker, which ends by it
            self._broke(error)

    def _forget(self, attempt: Attempt) -> None:
        execution: _Execution = attempt.execution
        attempt.execution = None
        del self.running[execution.task]
        if not self.running:
            self._empty.set()
