"""Waiting for a real condition with a deadline: the only place in the tests that lets time pass."""

import asyncio
import inspect
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, overload

T = TypeVar("T")

STEP_S = 0.02


class NotInTime(AssertionError):
    """The condition did not become true before the deadline."""


def eventually(condition: Callable[[], T], *, within_s: float = 60.0, step_s: float = STEP_S, what: str = "") -> T:
    """Poll `condition` until it returns something true, and return that; `NotInTime` with its last value otherwise."""
    pause = threading.Event()
    deadline = time.monotonic() + within_s
    while not (value := condition()):
        if time.monotonic() >= deadline:
            raise NotInTime(_sentence(condition, value, within_s, what))
        pause.wait(step_s)
    return value


@overload
async def soon(
    condition: Callable[[], Awaitable[T]], *, within_s: float = ..., step_s: float = ..., what: str = ...
) -> T: ...
@overload
async def soon(condition: Callable[[], T], *, within_s: float = ..., step_s: float = ..., what: str = ...) -> T: ...
async def soon(
    condition: Callable[[], T | Awaitable[T]], *, within_s: float = 60.0, step_s: float = STEP_S, what: str = ""
) -> T:
    """`eventually` for async tests: `condition` may be a coroutine function, and the loop goes on meanwhile."""
    deadline = time.monotonic() + within_s
    while not (value := await _value_of(condition)):
        if time.monotonic() >= deadline:
            raise NotInTime(_sentence(condition, value, within_s, what))
        await asyncio.sleep(step_s)
    return value


async def _value_of(condition: Callable[[], T | Awaitable[T]]) -> T:
    value = condition()
    if inspect.isawaitable(value):
        return await value
    return value


def _sentence(condition: Callable[[], Any], value: object, within_s: float, what: str) -> str:
    name = what or getattr(condition, "__qualname__", repr(condition))
    return f"{name} did not come true within {within_s:g} s; last value: {value!r}"
