"""Calling a handler: bound, called, ended; whatever it does has an outcome."""

import asyncio
import sys
import threading
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from foliot.domain.policies.retry import retry_from
from foliot.domain.verdict import Cause
from foliot.sdk.ctx import Ctx, ctx
from foliot.sdk.handler import GeneratorHandler, Handler
from foliot.sdk.invocation import Outcome, invoke, invoke_async, invoke_until_asked
from foliot.sdk.log import Level
from tests.eventually import soon
from tests.unit.sdk.ports import Listening, ctx_of


def called(function: Callable[..., Any], payload: str | None = None, port: Listening | None = None) -> Outcome:
    return invoke(Handler(function), payload, ctx_of(port or Listening()))


def test_a_plain_function_returns_its_result() -> None:
    def handler(day: date, n: int = 2) -> dict[str, Any]:
        return {"day": day, "n": n}

    assert called(handler, '{"day": "2026-01-31"}') == Outcome(
        cause=Cause.SUCCEEDED, result='{"day":"2026-01-31","n":2}'
    )


def test_an_async_function_gets_a_loop_of_its_own() -> None:
    async def handler(here: Ctx) -> str:
        await asyncio.sleep(0)
        return here.job

    assert called(handler) == Outcome(cause=Cause.SUCCEEDED, result='"tick"')


async def test_an_async_function_runs_in_the_loop_of_the_worker() -> None:
    async def handler() -> bool:
        return asyncio.get_running_loop() is loop

    loop = asyncio.get_running_loop()
    outcome = await invoke_async(Handler(handler), None, ctx_of(Listening()))
    assert outcome == Outcome(cause=Cause.SUCCEEDED, result="true")


def test_nothing_returned_is_no_result() -> None:
    assert called(lambda: None) == Outcome(cause=Cause.SUCCEEDED)


def test_deeper_code_finds_the_ctx() -> None:
    def handler() -> str:
        return ctx().job

    assert called(handler).result == '"tick"'


def test_wrong_parameters_are_rejected_and_nothing_is_called() -> None:
    calls = []

    def handler(day: date) -> None:
        calls.append(day)

    port = Listening()
    outcome = called(handler, '{"day": "soon"}', port)
    assert (outcome.cause, outcome.error_type) == (Cause.REJECTED, "BadParameters")
    assert outcome.error == 'handler: day="soon" is not a date. (parameters: day (date))'
    assert port.lines[0][0] is Level.ERROR
    assert calls == []


def test_annotations_that_cannot_be_resolved_reject_the_run() -> None:
    def handler(thing: "Nowhere") -> None: ...  # type: ignore[name-defined]  # noqa: F821

    outcome = called(handler, '{"thing": 1}')
    assert (outcome.cause, outcome.error) == (Cause.REJECTED, "NameError: name 'Nowhere' is not defined")


# -- errors


class OutOfStock(ConnectionResetError):
    pass


def test_an_error_is_named_with_its_bases_so_that_a_retry_policy_may_name_any() -> None:
    def handler() -> None:
        raise OutOfStock("no more")

    outcome = called(handler)
    assert (outcome.cause, outcome.error) == (Cause.ERROR, "OutOfStock: no more")
    assert outcome.error_type == f"{__name__}.OutOfStock,ConnectionResetError,ConnectionError,OSError"
    for on in (OutOfStock, ConnectionError, "OutOfStock", OSError):
        assert retry_from(1, on=(on,)).allows(failures=0, error_type=outcome.error_type)
    assert not retry_from(1, on=(ValueError,)).allows(failures=0, error_type=outcome.error_type)


def fails() -> None:
    deeper()


def deeper() -> None:
    try:
        raise KeyError("inner")
    except KeyError as error:
        raise ValueError("outer") from error


def test_the_traceback_is_the_users_without_foliots_own_frames() -> None:
    port = Listening()
    outcome = called(fails, port=port)
    trace = outcome.traceback or ""
    assert "in fails" in trace
    assert "in deeper" in trace
    assert "KeyError: 'inner'" in trace
    assert trace.rstrip().endswith("ValueError: outer")
    assert "sdk/invocation.py" not in trace
    level, event, fields = port.lines[-1]
    assert (level, event, fields["traceback"]) == (Level.ERROR, "ValueError: outer", trace)


def test_an_endless_error_is_cut() -> None:
    def handler() -> None:
        raise ValueError("x" * 1_000_000)

    outcome = called(handler)
    assert len(outcome.error or "") < 5_000
    assert len(outcome.traceback or "") < 40_000


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (Mute(), "Mute"),
        (BaseExceptionGroup("two", [ValueError("a"), TypeError("b")]), "ExceptionGroup: two (2 sub-exceptions)"),
        (SystemExit(3), "SystemExit: 3"),
        (MemoryError(), "MemoryError"),
    ],
)
def test_whatever_is_raised_is_an_outcome(error: BaseException, said: str) -> None:
    def handler() -> None:
        raise error

    assert (called(handler).cause, called(handler).error) == (Cause.ERROR, said)


def test_endless_recursion_is_an_outcome() -> None:
    def handler() -> None:
        handler()

    outcome = called(handler)
    assert (outcome.cause, outcome.error_type) == (Cause.ERROR, "RecursionError,RuntimeError")


@pytest.mark.parametrize("code", [None, 0])
def test_a_script_that_leaves_in_peace_succeeded(code: int | None) -> None:
    def handler() -> None:
        sys.exit(code)

    assert called(handler) == Outcome(cause=Cause.SUCCEEDED)


def test_an_interrupt_is_not_the_handlers() -> None:
    def handler() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        called(handler)


def test_a_result_that_cannot_be_kept_does_not_undo_the_run() -> None:
    port = Listening()
    outcome = called(lambda: object(), port=port)  # noqa: PLW0108
    assert (outcome.cause, outcome.result, outcome.error_type) == (Cause.SUCCEEDED, None, "ResultNotJson")
    assert port.lines[0][:2] == (
        Level.WARNING,
        '<lambda> returned an "object", which is not JSON. The run succeeded, the result was not kept.',
    )


def test_a_generator_cannot_be_a_job() -> None:
    def handler() -> Any:
        yield 1

    async def async_handler() -> Any:
        yield 1

    for function in (handler, async_handler):
        with pytest.raises(GeneratorHandler, match="contains yield"):
            Handler(function)


# -- stopping


def test_returning_after_a_stop_request_counts_as_cancelled_and_keeps_the_result() -> None:
    port = Listening()

    def handler(here: Ctx) -> dict[str, int]:
        port.stop.ask()
        return {"done": 3}

    assert called(handler, port=port) == Outcome(cause=Cause.CANCELLED, result='{"done":3}')


def test_a_function_that_never_looks_is_stopped_where_it_sleeps() -> None:
    port = Listening()

    def handler(here: Ctx) -> None:
        while True:
            here.sleep(3600)

    threading.Timer(0.02, port.stop.ask).start()
    assert called(handler, port=port).cause is Cause.CANCELLED


def test_an_async_function_with_a_loop_of_its_own_is_cancelled_at_its_next_await() -> None:
    port = Listening()
    tidied = []

    async def handler() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            tidied.append(True)

    threading.Timer(0.02, port.stop.ask).start()
    assert called(handler, port=port).cause is Cause.CANCELLED
    assert tidied == [True]


def test_an_async_function_may_tidy_up_and_return() -> None:
    port = Listening()

    async def handler() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "tidied"
        return "never"

    threading.Timer(0.02, port.stop.ask).start()
    assert called(handler, port=port) == Outcome(cause=Cause.CANCELLED, result='"tidied"')


async def waits_for_ever() -> None:
    await asyncio.Event().wait()


async def test_a_task_cancelled_for_a_stop_request_is_cancelled() -> None:
    port = Listening()
    task = asyncio.create_task(invoke_async(Handler(waits_for_ever), None, ctx_of(port)))
    await asyncio.sleep(0)
    port.stop.ask()
    task.cancel()
    assert (await task).cause is Cause.CANCELLED


async def test_a_task_cancelled_by_the_worker_for_its_own_reasons_is_left_to_it() -> None:
    task = asyncio.create_task(invoke_async(Handler(waits_for_ever), None, ctx_of(Listening())))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_cancellation_nobody_asked_for_is_the_handlers_error() -> None:
    async def handler() -> None:
        future = asyncio.get_running_loop().create_future()
        future.cancel()
        await future

    outcome = await invoke_async(Handler(handler), None, ctx_of(Listening()))
    assert (outcome.cause, outcome.error) == (Cause.ERROR, "CancelledError")


@pytest.mark.parametrize("asked", [True, False])
async def test_no_task_outlives_its_call(asked: bool) -> None:
    port = Listening()
    before = asyncio.all_tasks()

    async def handler() -> None:
        if asked:
            port.stop.ask()
            await asyncio.Event().wait()

    outcome = await invoke_until_asked(Handler(handler), None, ctx_of(port))
    assert outcome.cause is (Cause.CANCELLED if asked else Cause.SUCCEEDED)
    await soon(lambda: asyncio.all_tasks() == before)


async def test_who_gives_up_waiting_cancels_the_call() -> None:
    tidied = asyncio.Event()

    async def handler() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            tidied.set()

    task = asyncio.create_task(invoke_until_asked(Handler(handler), None, ctx_of(Listening())))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(tidied.wait(), 60)
