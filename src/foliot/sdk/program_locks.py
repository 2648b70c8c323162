"""Locks of a program outside of jobs: `foliot.locks.lock`.

The lock is taken through the client of this process (`foliot.configure`, or what the surroundings say). The client
renews it in the background. The owner is one thread, or one task of an event loop: that code may take the lock again,
and gives it back with the outermost block.
"""

import asyncio
import os
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

# A forked process has the parent's number of the thread and a copy of its holds. The locks stay the parent's.
os.register_at_fork(after_in_child=_holds.clear)


class ProgramLock:
    """A lock, held inside of `with` or `async with`. Threads and tasks may share the object: each holds for itself."""

    __slots__ = ("_entered", "_options", "most", "name", "namespace")

    def __init__(self, name: str, *, most: int, namespace: str | None, options: dict[str, Any]) -> None:
        self.name = name
        self.most = most
        self.namespace = namespace
        self._options = options
        self._entered: list[Hashable] = []  # the key of each block that somebody is inside of

    @property
    def token(self) -> int:
        """Rises with every grant of this lock: hand it to what you write to."""
        hold = _holds.get(self._key())
        assert hold is not None, "the lock is held inside of `with` alone"
        return hold.lock.token

    @property
    def lost(self) -> bool:
        """Whether another may hold the lock by now: stop what it protects."""
        hold = _holds.get(self._key())
        return hold is None or hold.lock.lost

    def __enter__(self) -> Self:
        if _running_task() is not None:
            raise ProgramLockBlocksLoop(self.name)
        key = self._key_of_caller()
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
        key = self._key_of_caller()
        if not self._took_again(key):
            self._took(key, await connection.async_client.locks.acquire(self.name, **self._options))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        lock = self._left()
        if lock is not None:
            await lock.release()

    def _key_of_caller(self) -> Hashable:
        return (_running_task() or threading.get_ident(), self.namespace, self.name)

    def _key(self) -> Hashable:
        """The caller's own key while it is inside. A helper of the only owner, in another thread, means the owner's."""
        key = self._key_of_caller()
        inside = set(self._entered)
        if key not in inside and len(inside) == 1:
            return inside.pop()
        return key

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
        self._entered.append(key)
        return True

    def _took(self, key: Hashable, lock: "Lock | AsyncLock") -> None:
        _holds[key] = _Hold(lock, self.most)
        self._entered.append(key)

    def _left(self) -> Any:
        """One block less: the lock to give back, if it was the outermost."""
        key = self._key()
        if key not in self._entered:
            return None
        self._entered.remove(key)
        hold = _holds.get(key)
        if hold is None:  # this process was forked inside of the block
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
