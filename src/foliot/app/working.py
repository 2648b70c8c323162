"""A worker in a thread of its own: its loop is the users', so whatever they block, the server goes on."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import structlog

log = structlog.get_logger("foliot.worker")


class WorkerThread:
    """Runs `work(stop)` on a fresh event loop in a thread."""

    def __init__(self, name: str, work: Callable[[asyncio.Event], Coroutine[Any, Any, None]]) -> None:
        self._work = work
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._started = threading.Event()
        self.failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()
        self._started.wait()

    def ask_to_stop(self) -> None:
        """Begin the drain; returns at once."""
        if self._loop is not None and self._stop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop.set)

    async def wait_stopped(self) -> None:
        """Until the thread is over."""
        await asyncio.get_running_loop().run_in_executor(None, self._thread.join)

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except BaseException as failure:
            self.failure = failure
            log.exception("worker.failed")
        finally:
            self._started.set()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._started.set()
        await self._work(self._stop)
