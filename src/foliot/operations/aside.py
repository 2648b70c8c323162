"""Work beside the loop: what takes longer than everybody else can wait for is done in a thread, one thing at a time.

One thread, because Python runs one at a time anyway: with more of them the loop would wait for its turn behind each.
Its work hands over every few milliseconds, as long as it is Python and not one long call into C.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, TypeVar

T = TypeVar("T")

_THREAD: Final = ThreadPoolExecutor(1, thread_name_prefix="aside")


async def aside(act: Callable[..., T], *args: Any, **how: Any) -> T:
    """What `act` returns or raises. For pure functions: whoever asked may be gone before it has ended."""
    return await asyncio.get_running_loop().run_in_executor(_THREAD, partial(act, *args, **how))
