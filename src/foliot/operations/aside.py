"""Work beside the loop: what takes longer than everybody else can wait for is done in a thread, one thing at a time.

One thread, because Python runs one at a time anyway: with more of them the loop would wait for its turn behind each.
Its work hands over every few milliseconds, as long as it is Python and not one long call into C.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, TypeVar

AT_ONCE: Final = 24 * 1024  # weight that is read on the loop: some ten milliseconds at worst
SLICE: Final = 64 * 1024  # weight that is read beside the loop before another's turn

T = TypeVar("T")
R = TypeVar("R")

_THREAD: Final = ThreadPoolExecutor(1, thread_name_prefix="aside")


async def aside(act: Callable[..., T], *args: Any, **how: Any) -> T:
    """What `act` returns or raises. For pure functions: whoever asked may be gone before it has ended."""
    return await asyncio.get_running_loop().run_in_executor(_THREAD, partial(act, *args, **how))


async def in_slices(act: Callable[[Sequence[T]], Sequence[R]], said: Sequence[T], weigh: Callable[[T], int]) -> list[R]:
    """What `act` makes of all of it, slice by slice: between two of them others have their turn.

    A weight is a part of JSON, or what takes as long to read: a third of a microsecond to one.
    """
    made: list[R] = []
    for part in _slices(said, weigh):
        made.extend(await aside(act, part))
    return made


def _slices(said: Sequence[T], weigh: Callable[[T], int]) -> Iterator[Sequence[T]]:
    begin, weight = 0, 0
    for at, one in enumerate(said):
        weight += weigh(one)
        if weight > SLICE:
            yield said[begin : at + 1]
            begin, weight = at + 1, 0
    if begin < len(said):
        yield said[begin:]
