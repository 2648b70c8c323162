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
from collections.abc import Mapping
from pathlib import Path
from time import monotonic  # noqa: TID251  a child is a real process: no simulation drives it
from typing import Any, Final

from foliot.domain.verdict import Cause
from foliot.sdk.ctx import Ctx, RunFacts
from foliot.sdk.handler import Handler
from foliot.sdk.invoke import Outcome, invoke, trimmed_traceback
from foliot.sdk.log import Level, render
from foliot.sdk.registry import Loaded, load
from foliot.sdk.stopping import Cancelled
from foliot.worker.capture import records_taken
from foliot.worker.isolation.control import Control
from foliot.worker.isolation.limits import (
    DUMP_SIGNAL,
    be_first_out_of_memory,
    die_with,
    limit_process,
    limit_run,
    memory_peak_bytes,
)
from foliot.worker.isolation.output import Output
from foliot.worker.isolation.wire import Broken, Ended, Limits, Load, Progress, Ready, Saved, Start
from foliot.worker.lines import safe_text

PROGRESS_EVERY_S: Final = 0.2
_NUMBER_MAX: Final = 2**63 - 1


def main() -> None:
    """Execute runs until the worker closes the control socket."""
    control_fd, worker_pid = int(sys.argv[1]), int(sys.argv[2])
    die_with(worker_pid)
    be_first_out_of_memory()
    output = Output()
    control = Control(control_fd)
    faulthandler.enable(output.fd, all_threads=True)
    faulthandler.register(DUMP_SIGNAL, output.fd, all_threads=True, chain=False)
    order = control.next_order()
    assert isinstance(order, Load), order
    with records_taken(output.take_record):
        loaded = _load(order, control)
        handlers = loaded.handlers
        home = Path.cwd()
        while isinstance(start := control.next_order(), Start):
            _execute(start, handlers, order.limits, control, output)
            if control.is_terminated:
                break
            _tidy(home, output)


class ChildPort:
    """A handler's `Ctx` in a child process (`sdk.ctx.CtxPort`)."""

    def __init__(self, control: Control, output: Output) -> None:
        self._control = control
        self._output = output
        self._unsent: Progress | None = None
        self._sent_at = float("-inf")

    def write_log(self, level: Level, event: str, fields: Mapping[str, Any]) -> None:
        self._output.record(level.value, render(event, fields))

    def report_progress(self, done: int, total: int | None, note: str) -> None:
        try:
            self._unsent = Progress(_whole(done), None if total is None else _whole(total), safe_text(str(note)))
        except (TypeError, ValueError, OverflowError):
            return  # not numbers: nothing anybody could draw
        if monotonic() - self._sent_at >= PROGRESS_EVERY_S:
            self._send_progress()

    def save_checkpoint(self, document: str) -> None:
        self._control.send(Saved(document))

    def is_cancelled(self) -> bool:
        return self._control.look()

    def wait_cancelled(self, timeout_s: float) -> bool:
        self._send_progress()
        return self._control.wait(timeout_s)

    async def wait_cancelled_async(self, timeout_s: float | None) -> bool:
        self._send_progress()
        return await self._control.wait_async(timeout_s)

    def take_unsent(self) -> Progress | None:
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


def _load(order: Load, control: Control) -> Loaded:
    sys.path[:] = order.path
    limit_process(order.limits)
    try:
        loaded = load(order.sources)
    except BaseException as error:  # noqa: BLE001  whatever a module does at import: the worker must hear of it
        control.send(Broken(safe_text(trimmed_traceback(error))))
        raise SystemExit(1) from None
    gc.collect()
    gc.freeze()  # what modules left is there to stay: no later collection need look at it
    control.send(Ready(memory_peak_bytes(), [safe_text(str(problem)) for problem in loaded.problems]))
    return loaded


def _execute(start: Start, handlers: Mapping[str, Handler], limits: Limits, control: Control, output: Output) -> None:
    run = start.run
    limit_run(limits)
    port = ChildPort(control, output)
    handler = handlers.get(run.handler)
    if handler is None:
        outcome = Outcome(
            cause=Cause.ERROR, error=f"{run.handler} did not load in this process.", error_type="NotLoaded"
        )
    else:
        try:
            with control.run_of(run.lease_id):
                outcome = invoke(handler, run.params, Ctx(RunFacts.of(run), port))
        except Cancelled:  # SIGTERM struck between two steps of ours
            outcome = Outcome(cause=Cause.CANCELLED)
        except BaseException as error:  # noqa: BLE001  what invoke lets pass would end the child, and with it the message
            outcome = Outcome(cause=Cause.ERROR, error=type(error).__name__, error_type=type(error).__name__)
    output.flush()
    control.send(
        Ended(
            lease_id=run.lease_id,
            cause=outcome.cause,
            was_asked=control.is_asked,
            result=outcome.result,
            error=None if outcome.error is None else safe_text(outcome.error),
            error_type=outcome.error_type,
            progress=port.take_unsent(),
            memory_bytes=memory_peak_bytes(),
            is_leaving=control.is_terminated,
        )
    )


def _tidy(home: Path, output: Output) -> None:
    """Undo what a handler may have done to the process that the next one should not feel."""
    output.restore()
    with contextlib.suppress(OSError):
        if Path.cwd() != home:
            os.chdir(home)


if __name__ == "__main__":
    main()
