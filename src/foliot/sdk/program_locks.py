"""Locks of a program outside of jobs: `foliot.locks.lock`.

The lock is taken through the client of this process (`foliot.configure`, or what the surroundings say). The client
renews it in the background. The owner is one thread, or one task of an event loop: that code may take the lock again,
and gives it back with the outermost block.
"""

import asyncio
import threading
from collections.abc import Hashable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from foliot.domain.instants import parse_duration
from foliot.domain.locks import (
    LockHeldOtherwise,
    LockLost,
    ProgramLockBlocksLoop,
    check_lock_name,
    check_ttl,
    mode_word,
    most_of,
)
from foliot.sdk.connection import connection

if TYPE_CHECKING:
    from collections.abc import Callable

    from foliot.client.awaited.locks import AsyncLock
    from foliot.client.blocking.locks import Lock


class _Hold:
    """A lock that one thread or task holds, and how often it took it."""

    __slots__ = ("lock", "most", "times")

    def __init__(self, lock: "Lock | AsyncLock", most: int) -> None:
        self.lock = lock
        self.most = most
        self.times = 1


# By owner, namespace and name. A key holds its thread or task, so no two threads ever change the same entry.
_holds: Final[dict[Hashable, _Hold]] = {}


class ProgramLock:
    """A lock, held inside of `with` or `async with`."""

    __slots__ = ("_hold", "_key", "_options", "most", "name", "namespace")

    def __init__(self, name: str, *, most: int, namespace: str | None, options: dict[str, Any]) -> None:
        self.name = name
        self.most = most
        self.namespace = namespace
        self._options = options
        self._key: Hashable = None
        self._hold: _Hold | None = None

    @property
    def token(self) -> int:
        """Rises with every grant of this lock: hand it to what you write to."""
        assert self._hold is not None, "the lock is held inside of `with` alone"
        return self._hold.lock.token

    @property
    def lost(self) -> bool:
        """Whether another may hold the lock by now: stop what it protects."""
        return self._hold is None or self._hold.lock.lost

    def __enter__(self) -> Self:
        task = _running_task()
        if task is not None:
            raise ProgramLockBlocksLoop(self.name)
        key = (threading.get_ident(), self.namespace, self.name)
        if not self._took_again(key):
            self._took(key, connection.client.locks.acquire(self.name, **self._options))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        lock = self._left()
        if lock is not None:
            lock.release()

    async def __aenter__(self) -> Self:
        key = (_running_task(), self.namespace, self.name)
        if not self._took_again(key):
            self._took(key, await connection.async_client.locks.acquire(self.name, **self._options))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        lock = self._left()
        if lock is not None:
            await lock.release()

    def _took_again(self, key: Hashable) -> bool:
        """Whether this thread or task holds the lock already, and holds it once more now."""
        hold = _holds.get(key)
        if hold is None:
            return False
        if hold.most > self.most:
            raise LockHeldOtherwise(self.name, held=mode_word(hold.most), wanted=mode_word(self.most))
        if hold.lock.lost:
            raise LockLost(self.name)
        hold.times += 1
        self._key, self._hold = key, hold
        return True

    def _took(self, key: Hashable, lock: "Lock | AsyncLock") -> None:
        self._key = key
        self._hold = _holds[key] = _Hold(lock, self.most)

    def _left(self) -> Any:
        """One block less: the lock to give back, if it was the outermost."""
        key, hold = self._key, self._hold
        self._key, self._hold = None, None
        if hold is None:
            return None
        hold.times -= 1
        if hold.times > 0:
            return None
        del _holds[key]
        return hold.lock


def lock(
    name: str,
    *,
    ttl: float | str = "1m",
    wait: float | str | None = None,
    shared: bool = False,
    slots: int = 1,
    on_lost: "Callable[[], object] | None" = None,
    namespace: str | None = None,
) -> ProgramLock:
    """A lock of the cluster, held inside of `with` or `async with` and renewed meanwhile.

    `wait`: at most this long, then `LockWaitOver`; 0: not at all, then `LockTaken`; None: as long as it takes.
    `shared`: any number of shared owners. `slots`: this many owners. `on_lost`: called once when the lock is lost,
    in a thread or in the event loop of the client.
    """
    options = {"ttl": ttl, "wait": wait, "shared": shared, "slots": slots, "on_lost": on_lost, "namespace": namespace}
    check_ttl(parse_duration(ttl))
    most = most_of(shared=shared, slots=slots)
    return ProgramLock(check_lock_name(name), most=most, namespace=namespace, options=options)


def _running_task() -> "asyncio.Task[Any] | None":
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None
