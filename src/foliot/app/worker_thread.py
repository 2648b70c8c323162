"""A worker in a thread of its own: its loop is the users', so whatever they block, the server goes on."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Final

import structlog

from foliot.app.run_loop import run
from foliot.worker.crew import Crew
from foliot.worker.handlers.python import PythonHandlers

log = structlog.get_logger("foliot.worker")

RELOAD_WITHIN_S: Final = 30.0


class WorkerThread:
    """Makes a worker on a fresh event loop in a thread, and hands it what the server's thread wants of it."""

    def __init__(self, make: Callable[[], Crew], *, ended: Callable[[BaseException | None], None]) -> None:
        self._make = make
        self._ended = ended
        self._loop: asyncio.AbstractEventLoop | None = None
        self._worker: Crew | None = None
        self._ready = threading.Event()
        self._turned = True
        # What the worker says reaches the feed of `foliot up`, whose language is kept in a context variable.
        run_in_context = copy_context().run
        self._thread = threading.Thread(target=run_in_context, args=(self._run,), name="foliot-worker", daemon=True)

    def start(self) -> None:
        self._thread.start()
        self._ready.wait()

    def stop(self) -> None:
        """Begin the drain; a second call ends everything at once."""
        if self._worker is not None:
            self._call(self._worker.stop)

    def turns(self) -> bool:
        """Whether its loop turned since the last call; one that has not begun or is over never stands still."""
        if self._loop is None or not self._thread.is_alive():
            return True
        turned, self._turned = self._turned, False
        self._call(self._turn)  # its loop answers before the next call, unless something blocks it
        return turned

    def _turn(self) -> None:
        self._turned = True

    async def reload(self, code: PythonHandlers) -> None:
        """Run this code from now on: on return the server knows its jobs, unless that takes long."""
        worker, loop = self._worker, self._loop
        if worker is None or loop is None or loop.is_closed():
            return
        reloading = asyncio.run_coroutine_threadsafe(worker.reload(code), loop)
        try:
            async with asyncio.timeout(RELOAD_WITHIN_S):
                await asyncio.shield(asyncio.wrap_future(reloading))
        except TimeoutError:
            log.warning("worker.reloads_slowly", within_s=RELOAD_WITHIN_S)

    async def wait_ended(self) -> None:
        if self._thread.ident is not None:  # else it was never started
            await asyncio.to_thread(self._thread.join)

    def _call(self, what: Callable[[], None]) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # its loop is closed: the worker is gone
                self._loop.call_soon_threadsafe(what)

    def _run(self) -> None:
        failure: BaseException | None = None
        try:
            run(self._main())
        except BaseException as error:  # noqa: BLE001  handed to the process that started it
            failure = error
        finally:
            self._ready.set()
            self._ended(failure)

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._worker = self._make()
        self._ready.set()
        await self._worker.run()
