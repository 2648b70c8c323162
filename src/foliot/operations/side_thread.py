"""The side thread: work that is too long for the event loop runs in one thread beside it.

There is one such thread, because Python executes one thread at a time: with more of them the loop would wait behind
each. Python's interpreter lock changes hands every few milliseconds, so the loop goes on meanwhile. It does not change
hands within one long call into C.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, TypeVar

AT_ONCE: Final = 24 * 1024  # weight that is read on the loop: some ten milliseconds at worst
SLICE: Final = 64 * 1024  # weight that is read in the thread before another request has its turn

T = TypeVar("T")
R = TypeVar("R")

_THREAD: Final = ThreadPoolExecutor(1, thread_name_prefix="side_thread")


async def in_side_thread(act: Callable[..., T], *args: Any, **options: Any) -> T:
    """Call `act` in the side thread; return or raise what it does.

    `act` may touch only values that nobody else holds: no lock protects them. Nothing stops it either: when a client
    hangs up, the thread still goes on to the end of `act`.
    """
    call = partial(act, *args, **options)
    return await asyncio.get_running_loop().run_in_executor(_THREAD, call)


async def in_slices(
    act: Callable[[Sequence[T]], Sequence[R]], items: Sequence[T], weigh: Callable[[T], int]
) -> list[R]:
    """Call `act` in the side thread with one slice of the items after another; return all results in order.

    Between two slices other requests get their turn in the thread. A weight of one is a part of JSON, or what takes as
    long to read: a third of a microsecond to one.
    """
    results: list[R] = []
    for part in _slices(items, weigh):
        results.extend(await in_side_thread(act, part))
    return results


def _slices(items: Sequence[T], weigh: Callable[[T], int]) -> Iterator[Sequence[T]]:
    begin = 0
    weight = 0
    for index, item in enumerate(items):
        weight += weigh(item)
        if weight > SLICE:
            yield items[begin : index + 1]
            begin = index + 1
            weight = 0
    if begin < len(items):
        yield items[begin:]
