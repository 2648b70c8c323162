"""Threads for calls into the system that may hang and that nobody can end: they do not keep a process alive.

Python waits at its exit for the threads of a `ThreadPoolExecutor`, and so for a name server that does not answer.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


class DaemonThreads(Executor):
    """An executor with at most some daemon threads, each started when no other is free."""

    def __init__(self, most: int, name: str) -> None:
        self._most = most
        self._name = name
        self._waiting: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._free = threading.Semaphore(0)  # threads that wait for work
        self._threads = 0
        self._is_shut = False
        self._lock = threading.Lock()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        with self._lock:
            if self._is_shut:
                raise RuntimeError("it is shut down")
            self._waiting.put((future, lambda: fn(*args, **kwargs)))
            if not self._free.acquire(blocking=False) and self._threads < self._most:
                self._threads += 1
                threading.Thread(target=self._work, name=f"{self._name}_{self._threads}", daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more work; what waits is done or cancelled. Never waits: nobody knows how long a call may hang."""
        del wait
        with self._lock:
            self._is_shut = True
            while cancel_futures and not self._waiting.empty():
                work = self._waiting.get()
                if work is not None:
                    work[0].cancel()
            for _ in range(self._threads):
                self._waiting.put(None)

    def _work(self) -> None:
        while (work := self._waiting.get()) is not None:
            future, call = work
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call())
                except BaseException as error:  # noqa: BLE001  it belongs to who waits for the result
                    future.set_exception(error)
            del work, future, call  # a thread that waits keeps nothing alive
            self._free.release()
