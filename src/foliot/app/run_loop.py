"""Running a coroutine as a program: on uvloop where there is one."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """Like `asyncio.run`, on the quickest loop at hand."""
    try:
        import uvloop
    except ImportError:  # not on Windows
        return asyncio.run(main)
    return uvloop.run(main)
