"""Watching the loop from another thread: a handler that blocks it is named, with file and line."""

import asyncio
import sys
import sysconfig
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, NamedTuple

from foliot.ports.clock import Clock

BLOCKED_S: Final = 1.0

_LIBRARY: Final = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")} | {"<frozen"}
)


class Blocked(NamedTuple):
    """The loop is blocked: for how long, where, and by which task."""

    for_s: float
    where: str  # "jobs.py:12 in fetch"
    task: "asyncio.Task[Any] | None"


class LoopWatch:
    """Pings a loop from another thread. Made in the loop's thread; `look` is called by the watching one."""

    def __init__(self, clock: Clock, tell: Callable[[Blocked], None], *, blocked_s: float = BLOCKED_S) -> None:
        """`tell` is called in the watching thread, once per blocking."""
        self._clock = clock
        self._tell = tell
        self._blocked_s = blocked_s
        self._loop = asyncio.get_running_loop()
        self._thread_id = threading.get_ident()
        self._pinged_at: float | None = None  # a ping is out since then
        self._is_told = False

    def look(self) -> None:
        """Ping, or see how long the last ping has waited."""
        now = self._clock.monotonic()
        pinged_at = self._pinged_at
        if pinged_at is None:
            self._is_told = False
            self._pinged_at = now
            self._loop.call_soon_threadsafe(self._pong)
        elif now - pinged_at >= self._blocked_s and not self._is_told:
            self._is_told = True
            frame = sys._current_frames().get(self._thread_id)  # noqa: SLF001  the documented way to see another thread
            if frame is not None:
                self._tell(Blocked(now - pinged_at, place_of(frame), _task_at_work(self._loop)))

    def _pong(self) -> None:
        self._pinged_at = None


def place_of(frame: FrameType) -> str:
    """The innermost place in code that is not a library's, else the innermost."""
    found: FrameType | None = frame
    while found is not None and found.f_code.co_filename.startswith(_LIBRARY):
        found = found.f_back
    shown = found or frame
    return f"{shown.f_code.co_filename}:{shown.f_lineno} in {shown.f_code.co_qualname}"


def _task_at_work(loop: asyncio.AbstractEventLoop) -> "asyncio.Task[Any] | None":
    try:
        return asyncio.current_task(loop)
    except RuntimeError:
        return None
