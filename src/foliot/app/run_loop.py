"""Running a coroutine as a program: on uvloop where there is one."""

import asyncio
import contextlib
import gc
import resource
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

T = TypeVar("T")

GARBAGE_MIN: Final = 20_000


def run(main: Coroutine[Any, Any, T]) -> T:
    """Like `asyncio.run`, on the quickest loop at hand."""
    try:
        import uvloop
    except ImportError:  # not on Windows
        return asyncio.run(main)
    return uvloop.run(main)


def _open_all_files_allowed() -> None:
    """Each connection is a file, and the usual limit of 1024 is only the soft one."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):  # some systems allow less than they say
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def run_for_long(main: Coroutine[Any, Any, T]) -> T:
    """`run` in a process that is all ours, with a garbage collector that suits it.

    Batches of a thousand rows make and drop tens of thousands of objects that are in no cycle. By default Python looks
    for cycles every 700 of them; and again and again through all that was imported, which stays anyway.
    """
    _open_all_files_allowed()
    gc.freeze()
    gc.set_threshold(GARBAGE_MIN, *gc.get_threshold()[1:])
    return run(main)
