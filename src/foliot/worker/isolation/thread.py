"""Thread isolation: plain functions in threads of the worker, on request. Stopping is up to the function."""

import asyncio
import contextvars
import threading

from foliot.domain.run import format_run_id
from foliot.domain.verdict import Cause
from foliot.ports.handler import Invocable
from foliot.sdk.ctx import Ctx
from foliot.sdk.invocation import Outcome, invoke
from foliot.worker.attempt import Attempt
from foliot.worker.capture import current_attempt
from foliot.worker.isolation.isolator import Host, judged
from foliot.worker.isolation.port import AttemptPort, ThreadPort


class ThreadIsolator:
    """Runs handlers in threads (`isolator.Isolator`).

    They are daemon threads: one that never ends does not keep the worker alive.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._loop = asyncio.get_running_loop()
        self._clean = contextvars.copy_context()  # of the worker: neither run nor handler in it

    def begin(self, attempt: Attempt, handler: Invocable) -> None:
        if not self._host.may_start(attempt):
            return
        port = ThreadPort(attempt, self._host, self._loop)
        attempt.execution = port
        context = self._clean.copy()
        context.run(current_attempt.set, attempt)
        threading.Thread(
            target=context.run,
            args=(self._run, attempt, handler, port),
            name=f"run {format_run_id(attempt.run.run_id)}",
            daemon=True,
        ).start()

    def stop(self, attempt: Attempt, *, grace_s: float) -> None:
        del grace_s  # a thread cannot be ended from outside
        port: AttemptPort | None = attempt.execution
        if port is not None:
            port.ask()

    def kill(self, attempt: Attempt) -> None:
        self.stop(attempt, grace_s=0.0)

    def lock_trusted(self, attempt: Attempt, claim: str, until: float) -> None:
        """The port asks the worker itself."""

    def _run(self, attempt: Attempt, handler: Invocable, port: AttemptPort) -> None:
        try:
            outcome = invoke(handler, attempt.run.params, Ctx(attempt.run, port))
        except BaseException as error:  # noqa: BLE001  what invoke lets pass ends the run, never the report of it
            outcome = Outcome(cause=Cause.ERROR, error=type(error).__name__, error_type=type(error).__name__)
        try:
            self._loop.call_soon_threadsafe(self._ended, attempt, outcome, context=self._clean.copy())
        except RuntimeError:
            return  # the worker is gone: nobody is left to report to

    def _ended(self, attempt: Attempt, outcome: Outcome) -> None:
        attempt.execution = None
        self._host.ended(attempt, judged(attempt, outcome, was_asked=True))
