"""Locks of a program that renew themselves: how long a hold is trusted, and who renews it in the background.

A lock is believed by the steady clock of this process, and a guard time before its ttl ends: a clock that runs some
percent slow must not believe in a lock that another holds. Each client has one keeper. It knows its locks by weak
references: a lock that the program has forgotten is renewed no more, and ends by its ttl.
"""

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Iterator
from typing import Final, Protocol
from weakref import WeakSet, WeakValueDictionary

from foliot.client.machine import Machine
from foliot.domain.locks import GUARD_SHARE

RENEW_SHARE: Final = 1 / 3  # of the ttl, after which a lock is renewed
TRY_SHARE: Final = 1 / 6  # of the ttl, for one try to renew it
REST_SHARE: Final = 1 / 12  # of the ttl, between two tries

log = logging.getLogger("foliot.client.locks")

OnLost = Callable[[], object]


class LockTrust:
    """How long one hold is believed without a word from a server."""

    def __init__(self, *, asked_at: float, ttl_s: float, on_lost: OnLost | None) -> None:
        self.ttl_s = ttl_s
        self.is_over = False  # it was given back, or is lost for good
        self._on_lost = on_lost
        self._process = os.getpid()
        self.renewed(asked_at)

    @property
    def is_of_parent(self) -> bool:
        """Whether this process was forked from the one that holds the lock."""
        return os.getpid() != self._process

    def renewed(self, asked_at: float) -> None:
        """A server wrote the hold down at some moment since this one."""
        self.until = asked_at + self.ttl_s * (1 - GUARD_SHARE)
        self.renew_at = asked_at + self.ttl_s * RENEW_SHARE

    def unanswered(self, now: float) -> None:
        """No server said anything: ask again soon, and look at the latest when the trust ends."""
        self.renew_at = min(now + self.ttl_s * REST_SHARE, self.until)

    def lose(self) -> None:
        """It is another's, or may be. Only the keeper tells the program: a caller of `renew` gets an error."""
        if self.is_over:
            return
        self.is_over = True
        if self._on_lost is None:
            return
        try:
            self._on_lost()
        except Exception:
            log.exception("lock.on_lost_failed")


class KeptLock(Protocol):
    """A lock as its keeper sees it."""

    claim: str
    trust: LockTrust


class BlockingKept(KeptLock, Protocol):
    """A lock of the blocking client."""

    def keep(self, *, within_s: float) -> None:
        """Renew it, or lose it; raises nothing."""
        ...


class AwaitedKept(KeptLock, Protocol):
    """A lock of the awaited client."""

    async def keep(self, *, within_s: float) -> None: ...


def _kept(locks: list[KeptLock]) -> Iterator[KeptLock]:
    return (lock for lock in locks if not lock.trust.is_over)


def _next_at(locks: list[KeptLock]) -> float | None:
    return min((lock.trust.renew_at for lock in _kept(locks)), default=None)


def _try_s(locks: list[KeptLock]) -> float:
    """How long one try may take. The lock with the shortest ttl says so: the others wait their turn behind it."""
    return min((lock.trust.ttl_s for lock in _kept(locks)), default=1.0) * TRY_SHARE


class LockKeeper:
    """Renews the locks of a blocking client in one thread, which lives while there is a lock to renew."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._begin()
        _keepers.add(self)

    def _begin(self) -> None:
        self._guard = threading.Lock()  # of the three below
        self._locks: WeakValueDictionary[str, BlockingKept] = WeakValueDictionary()
        self._thread: threading.Thread | None = None
        self._wakes_at = 0.0
        self._earlier = threading.Event()

    def forked(self) -> None:
        """Begin anew in a forked process: the locks are the parent's, and nobody here gives its guard back."""
        for lock in list(self._locks.values()):
            lock.trust.is_over = True
        self._begin()

    def keep(self, lock: BlockingKept) -> None:
        """Renew this lock from now on."""
        with self._guard:
            self._locks[lock.claim] = lock
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="foliot locks", daemon=True)
                self._thread.start()
            elif lock.trust.renew_at < self._wakes_at:
                self._earlier.set()

    def leave(self, claim: str) -> None:
        """Renew this lock no more."""
        with self._guard:
            self._locks.pop(claim, None)

    def close(self) -> None:
        """Renew nothing more; the thread ends when it wakes. What is still held is lost."""
        with self._guard:
            locks = list(self._locks.values())
            self._locks.clear()
        for lock in locks:
            lock.trust.lose()

    def _run(self) -> None:
        while True:
            with self._guard:
                self._earlier.clear()
                wakes_at = _next_at(list(self._locks.values()))
                if wakes_at is None:
                    self._thread = None
                    return
                self._wakes_at = wakes_at
            rest_s = wakes_at - self._machine.monotonic()
            if rest_s > 0:
                self._machine.wait(self._earlier, rest_s)
            else:
                self._renew_due()

    def _renew_due(self) -> None:
        with self._guard:
            locks = list(self._locks.values())
        now = self._machine.monotonic()
        for lock in locks:
            if not lock.trust.is_over and lock.trust.renew_at <= now:
                lock.keep(within_s=_try_s([*locks]))


_keepers: Final[WeakSet[LockKeeper]] = WeakSet()


def _forked() -> None:
    for keeper in list(_keepers):
        keeper.forked()


os.register_at_fork(after_in_child=_forked)


class AsyncLockKeeper:
    """Renews the locks of an awaited client in one task, which lives while there is a lock to renew."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._locks: WeakValueDictionary[str, AwaitedKept] = WeakValueDictionary()
        self._task: asyncio.Task[None] | None = None
        self._wakes_at = 0.0
        self._earlier = asyncio.Event()

    def keep(self, lock: AwaitedKept) -> None:
        """Renew this lock from now on."""
        self._locks[lock.claim] = lock
        if self._task is None or self._task.done():
            self._earlier = asyncio.Event()  # of the running loop: the client may have served another before
            self._wakes_at = 0.0
            self._task = asyncio.get_running_loop().create_task(self._run(), name="foliot locks")
        elif lock.trust.renew_at < self._wakes_at:
            self._earlier.set()

    def leave(self, claim: str) -> None:
        """Renew this lock no more."""
        self._locks.pop(claim, None)

    def close(self) -> None:
        """Renew nothing more; the task ends when it wakes. What is still held is lost."""
        locks = list(self._locks.values())
        self._locks.clear()
        for lock in locks:
            lock.trust.lose()

    async def _run(self) -> None:
        while (wakes_at := _next_at(list(self._locks.values()))) is not None:
            self._earlier.clear()
            self._wakes_at = wakes_at
            rest_s = wakes_at - self._machine.monotonic()
            if rest_s > 0:
                await self._machine.wait_async(self._earlier, rest_s)
            else:
                await self._renew_due()

    async def _renew_due(self) -> None:
        locks = list(self._locks.values())
        now = self._machine.monotonic()
        for lock in locks:
            if not lock.trust.is_over and lock.trust.renew_at <= now:
                await lock.keep(within_s=_try_s([*locks]))
