"""The one way to call a handler: in a worker, in every isolation, and in tests."""

import asyncio
import os
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from foliot.domain.errors import FoliotError
from foliot.domain.parameters import BadParameters
from foliot.domain.policies.retry import error_name
from foliot.domain.redaction import redacted
from foliot.domain.texts import ERROR_TYPE_MAX
from foliot.domain.verdict import Cause
from foliot.ports.handler import Invocable, Unfit
from foliot.sdk.ctx import Ctx, current
from foliot.sdk.results import ResultNotJson, ResultTooLarge, encode_result
from foliot.sdk.stop_signal import Cancelled, Killed

MESSAGE_MAX: Final = 4_096
TRACEBACK_MAX: Final = 32_768
_EVERY_ERROR: Final = (Exception, BaseException, object)
_OWN_FRAMES: Final = str(Path(__file__).parents[1]) + os.sep


class Outcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """How a call ended: SUCCEEDED, ERROR, CANCELLED or REJECTED. A child process sends it to its worker as it is.

    `error` with SUCCEEDED says why the result was not kept. `result` may also come with CANCELLED: what the handler
    returned when it was asked to stop.
    """

    cause: Cause
    result: str | None = None  # JSON text
    error: str | None = None
    error_type: str | None = None
    traceback: str | None = None


_SUCCESS: Final = Outcome(cause=Cause.SUCCEEDED)


def invoke(handler: Invocable, params_json: str | None, ctx: Ctx) -> Outcome:
    """Call a handler and wait for it; an async one gets a loop of its own and is cancelled when asked to stop."""
    if handler.is_async:
        with asyncio.Runner() as runner:
            return runner.run(invoke_until_asked(handler, params_json, ctx))
    bound = _bind(handler, params_json, ctx)
    if isinstance(bound, Outcome):
        return bound
    try:
        with current(ctx):
            value = bound()
    except BaseException as error:  # noqa: BLE001  whatever a handler raises is its outcome
        return _ended_by(error, handler, ctx)
    return _returned(value, handler, ctx)


async def invoke_async(handler: Invocable, params_json: str | None, ctx: Ctx) -> Outcome:
    """Call an async handler in the running loop. The part that asks it to stop also cancels the task."""
    assert handler.is_async, handler
    bound = _bind(handler, params_json, ctx)
    if isinstance(bound, Outcome):
        return bound
    try:
        with current(ctx):
            value = await bound()
    except BaseException as error:  # noqa: BLE001  whatever a handler raises is its outcome
        return _ended_by(error, handler, ctx)
    return _returned(value, handler, ctx)


async def invoke_until_asked(handler: Invocable, params_json: str | None, ctx: Ctx) -> Outcome:
    """Call an async handler in the running loop, and cancel it when the run is asked to stop."""
    call = asyncio.create_task(invoke_async(handler, params_json, ctx), name="handler")
    stop = asyncio.create_task(ctx.stop_asked(), name="stop")
    try:
        await asyncio.wait((call, stop), return_when=asyncio.FIRST_COMPLETED)
        if stop.done():
            call.cancel()
        return await call
    finally:
        call.cancel()
        stop.cancel()


def _bind(handler: Invocable, params_json: str | None, ctx: Ctx) -> Callable[[], Any] | Outcome:
    try:
        return handler.bind(params_json, ctx)
    except BadParameters as error:
        said = error
    except Exception as error:  # noqa: BLE001  annotations or options nobody can use: the handler is not fit to run
        return Outcome(cause=Cause.REJECTED, error=_message(error), error_type=type(error).__name__)
    _log_refusal(said, ctx)
    return Outcome(cause=Cause.REJECTED, error=str(said), error_type=type(said).__name__)


def _log_refusal(error: Exception, ctx: Ctx) -> None:
    if isinstance(error, FoliotError):
        ctx.log.error(error.sentence, hint=error.hint, code=error.code)
    else:
        ctx.log.error(_said(error))


def _returned(value: Any, handler: Invocable, ctx: Ctx) -> Outcome:
    cause = Cause.CANCELLED if ctx.cancelled else Cause.SUCCEEDED
    if value is None:
        return _SUCCESS if cause is Cause.SUCCEEDED else Outcome(cause=cause)
    try:
        return Outcome(cause=cause, result=encode_result(value, function=handler.title, run=ctx.run_id))
    except (ResultTooLarge, ResultNotJson) as error:
        ctx.log.warning(error.sentence, hint=error.hint, code=error.code)
        return Outcome(cause=cause, error=str(error), error_type=type(error).__name__)


def _ended_by(error: BaseException, handler: Invocable, ctx: Ctx) -> Outcome:
    if isinstance(error, KeyboardInterrupt | GeneratorExit):
        raise error
    if isinstance(error, Cancelled):
        return Outcome(cause=Cause.CANCELLED, error_type=Killed.__name__ if isinstance(error, Killed) else None)
    if isinstance(error, asyncio.CancelledError):
        if ctx.cancelled:
            return Outcome(cause=Cause.CANCELLED)
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise error  # the worker's doing, and its to judge
    if isinstance(error, Unfit):
        _log_refusal(error, ctx)
        return Outcome(cause=Cause.REJECTED, error=_message(error), error_type=type(error).__name__)
    if isinstance(error, SystemExit) and error.code in (None, 0):
        return _returned(None, handler, ctx)
    trace = _traceback(error)
    ctx.log.error(_said(error), traceback=trace)  # whole: the log hides secrets before it cuts
    return Outcome(cause=Cause.ERROR, error=_message(error), error_type=_lineage(error), traceback=_end(trace))


def _lineage(error: BaseException) -> str:
    """The names of the error's type and its bases, most particular first: a retry policy may name any of them."""
    return ",".join(error_name(kind) for kind in type(error).__mro__ if kind not in _EVERY_ERROR)[:ERROR_TYPE_MAX]


def _message(error: BaseException) -> str:
    text = _said(error)
    if len(text) <= MESSAGE_MAX:
        return text
    # Passwords of addresses are hidden before the text is cut: half an address would not be recognised.
    return f"{redacted(text[: MESSAGE_MAX * 2])[:MESSAGE_MAX]}…"


def _said(error: BaseException) -> str:
    try:
        said = error.sentence if isinstance(error, FoliotError) else str(error)
    except Exception:  # noqa: BLE001  an exception whose text cannot be made is still an exception
        said = ""
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def trimmed_traceback(error: BaseException) -> str:
    """The traceback as Python prints it, without Foliot's own frames; when it is long, its end."""
    return _end(_traceback(error))


def _traceback(error: BaseException) -> str:
    told = traceback.TracebackException.from_exception(error, compact=True)
    _trim(told, set())
    return "".join(told.format())


def _end(text: str) -> str:
    return text if len(text) <= TRACEBACK_MAX else f"…\n{text[-TRACEBACK_MAX:]}"


def _trim(told: traceback.TracebackException | None, seen: set[int]) -> None:
    if told is None or id(told) in seen:
        return
    seen.add(id(told))
    told.stack = traceback.StackSummary.from_list(
        [frame for frame in told.stack if not frame.filename.startswith(_OWN_FRAMES)]
    )
    for other in (told.__cause__, told.__context__, *(told.exceptions or ())):
        _trim(other, seen)
