"""A child process: loads the user's modules once, then executes one run after another as the worker says.

Started as `python -m foliot.worker.isolation.child <control descriptor> <worker's pid>`. It has one thread, so that
code which forks is as safe here as anywhere: the control socket is looked at when the handler asks (`ctx.cancelled`,
`ctx.sleep`), and code that never asks is stopped by signals.
"""

import contextlib
import faulthandler
import gc
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic  # noqa: TID251  a child is a real process: no simulation drives it
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from foliot.domain.verdict import Cause
from foliot.ports.handler import HandlerKind
from foliot.ports.worker_link import LeasedRun
from foliot.sdk.ctx import Ctx
from foliot.sdk.invocation import Outcome, invoke, trimmed_traceback
from foliot.sdk.locks import LockOutcome, LockWish
from foliot.sdk.log import Level, render
from foliot.sdk.registry import load
from foliot.sdk.stop_signal import Cancelled
from foliot.worker.capture import records_taken
from foliot.worker.handlers import handler_of, made_again
from foliot.worker.handlers.python import PythonHandlers
from foliot.worker.isolation.control import Control
from foliot.worker.isolation.limits import (
    DUMP_SIGNAL,
    be_first_out_of_memory,
    die_with,
    limit_process,
    limit_run,
    memory_peak_bytes,
)
from foliot.worker.isolation.output import ChildOutput
from foliot.worker.isolation.wire import (
    Broken,
    CallEnded,
    CheckpointSaved,
    ChildLimits,
    ChildReady,
    Load,
    Progressed,
    Start,
)
from foliot.worker.lines import safe_text

PROGRESS_EVERY_S: Final = 0.2
_NUMBER_MAX: Final = 2**63 - 1


def main() -> None:
    """Execute runs until the worker closes the control socket."""
    control_fd, worker_pid = int(sys.argv[1]), int(sys.argv[2])
    die_with(worker_pid)
    be_first_out_of_memory()
    output = ChildOutput()
    control = Control(control_fd)
    faulthandler.enable(output.fd, all_threads=True)
    faulthandler.register(DUMP_SIGNAL, output.fd, all_threads=True, chain=False)
    order = control.next_order()
    assert isinstance(order, Load), order
    with records_taken(output.take_record):
        child = Child(control, output, _load(order, control), order.limits)
        while isinstance(start := control.next_order(), Start):
            child.execute(start.run)
            if control.is_terminated:
                break
            child.tidy()


class ChildCode(NamedTuple):
    """What a child process has loaded."""

    kinds: Mapping[str, HandlerKind]
    problems: Sequence[str]  # what kept a source or a kind from loading


class Child:
    """Executes runs with the code that was loaded."""

    def __init__(self, control: Control, output: ChildOutput, code: ChildCode, limits: ChildLimits) -> None:
        self._control = control
        self._output = output
        self._code = code
        self._limits = limits
        self._home = Path.cwd()

    def execute(self, run: LeasedRun) -> None:
        """Execute one run and tell the worker how it ended."""
        limit_run(self._limits)
        port = ChildPort(self._control, self._output)
        outcome = self._outcome(run, port)
        if outcome.error is not None:
            outcome = replace(outcome, error=safe_text(outcome.error), traceback=None)  # the log has the traceback
        self._output.flush()
        self._control.send(
            CallEnded(
                lease_id=run.lease_id,
                outcome=outcome,
                was_asked=self._control.is_asked,
                progress=port.take_unsent(),
                memory_bytes=memory_peak_bytes(),
                is_leaving=self._control.is_terminated,
            )
        )

    def tidy(self) -> None:
        """Undo what a handler may have done to the process that the next one should not feel."""
        self._output.restore()
        with contextlib.suppress(OSError):
            if Path.cwd() != self._home:
                os.chdir(self._home)

    def _outcome(self, run: LeasedRun, port: "ChildPort") -> Outcome:
        try:
            handler = handler_of(self._code.kinds, run)
            if handler is None:
                why = "; ".join(self._code.problems) or "the code has changed"
                error = f"{run.handler} could not be loaded in a new process: {why}"
                return Outcome(cause=Cause.ERROR, error=error, error_type="NotLoaded")
            with self._control.run_of(run.lease_id):
                return invoke(handler, run.params, Ctx(run, port))
        except Cancelled:  # SIGTERM struck between two steps of ours
            return Outcome(cause=Cause.CANCELLED)
        except BaseException as error:  # noqa: BLE001  what invoke lets pass would end the child before it said so
            return Outcome(cause=Cause.ERROR, error=type(error).__name__, error_type=type(error).__name__)


class ChildPort:
    """A handler's `Ctx` in a child process (`sdk.ctx.CtxPort`)."""

    def __init__(self, control: Control, output: ChildOutput) -> None:
        self._control = control
        self._output = output
        self._unsent: Progressed | None = None
        self._sent_at = float("-inf")

    def write_log(self, level: Level, event: str, fields: Mapping[str, Any]) -> None:
        self._output.record(level.value, render(event, fields))

    def report_progress(self, done: int, total: int | None, note: str) -> None:
        try:
            self._unsent = Progressed(_whole(done), None if total is None else _whole(total), safe_text(str(note)))
        except (TypeError, ValueError, OverflowError):
            return  # not numbers: nothing anybody could draw
        if monotonic() - self._sent_at >= PROGRESS_EVERY_S:
            self._send_progress()

    def save_checkpoint(self, document: str) -> None:
        self._control.send(CheckpointSaved(document))

    def is_cancelled(self) -> bool:
        return self._control.look()

    def wait_cancelled(self, timeout_s: float) -> bool:
        self._send_progress()
        return self._control.wait(timeout_s)

    async def wait_cancelled_async(self, timeout_s: float | None) -> bool:
        self._send_progress()
        return await self._control.wait_async(timeout_s)

    def claim_lock(self, wish: LockWish) -> LockOutcome:
        self._send_progress()
        return self._control.claim_lock(wish)

    async def claim_lock_async(self, wish: LockWish) -> LockOutcome:
        self._send_progress()
        return await self._control.claim_lock_async(wish)

    def leave_lock(self, claim: str) -> None:
        self._control.leave_lock(claim)

    def is_lock_lost(self, claim: str) -> bool:
        return self._control.is_lock_lost(claim)

    def take_unsent(self) -> Progressed | None:
        """The last word on progress, to go with the end."""
        unsent, self._unsent = self._unsent, None
        return unsent

    def _send_progress(self) -> None:
        if (unsent := self.take_unsent()) is not None:
            self._sent_at = monotonic()
            self._control.send(unsent)


def _whole(number: float) -> int:
    """A number as the wire takes it."""
    return max(-_NUMBER_MAX, min(int(number), _NUMBER_MAX))


def _load(order: Load, control: Control) -> ChildCode:
    sys.path[:] = order.path
    limit_process(order.limits)
    try:
        loaded = load(order.sources)
        kinds, broken = made_again(order.kinds)
    except BaseException as error:  # noqa: BLE001  whatever a module does at import: the worker must hear of it
        control.send(Broken(safe_text(trimmed_traceback(error))))
        raise SystemExit(1) from None
    gc.collect()
    gc.freeze()  # what modules left is there to stay: no later collection need look at it
    problems = [safe_text(str(problem)) for problem in (*loaded.problems, *broken)]
    control.send(ChildReady(memory_peak_bytes(), problems))
    python = PythonHandlers(handlers=loaded.handlers)
    return ChildCode({**kinds, python.kind: python}, problems)


if __name__ == "__main__":
    main()
