"""The stop signal of a run: one thread gives it, and any thread or event loop waits for it."""

import asyncio
import threading


class Cancelled(BaseException):
    """The run was asked to stop. Raised by `ctx.sleep` and `ctx.track`; let it pass, or tidy up and return.

    Not an `Exception`, so that a job's own `except Exception` does not swallow it.
    """


class Killed(Cancelled):
    """The run was asked to stop, or had no time for it, and what it had started was killed."""


def grace_of(asked: asyncio.CancelledError, *, usual_s: float) -> float:
    """How long a handler in the worker's loop has to stop: the worker says it with the cancellation."""
    return asked.args[0] if asked.args and isinstance(asked.args[0], float) else usual_s


class StopSignal:
    """Set once, from any thread; waited for by blocking code and by coroutines alike."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._lock = threading.Lock()
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()

    @property
    def is_asked(self) -> bool:
        return self._asked.is_set()

    def ask(self) -> None:
        """Ask to stop; asking again changes nothing."""
        with self._lock:
            self._asked.set()
            waiting, self._waiting = self._waiting, set()
        for loop, event in waiting:
            try:
                loop.call_soon_threadsafe(event.set)
            except RuntimeError:  # that loop is closed: nobody waits there any more
                continue

    def wait(self, timeout_s: float | None = None) -> bool:
        """Block until asked or `timeout_s` has passed; True when asked."""
        return self._asked.wait(timeout_s)

    async def wait_async(self, timeout_s: float | None = None) -> bool:
        """Wait until asked or `timeout_s` has passed; True when asked."""
        entry = (asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            if self._asked.is_set():
                return True
            self._waiting.add(entry)
        try:
            async with asyncio.timeout(timeout_s):
                await entry[1].wait()
        except TimeoutError:
            return self._asked.is_set()
        finally:
            with self._lock:
                self._waiting.discard(entry)
        return True
