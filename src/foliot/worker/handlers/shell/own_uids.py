"""Users for the commands of a root worker: each run has one that no other run on this machine has.

Runs may be in several processes: in workers beside each other, and in the children of one (isolation `process`). So a
number is taken by a lock on a file. The kernel lets go of it when the process ends, however it ends.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from foliot.worker.handlers.shell.errors import CommandNotStarted
from foliot.worker.handlers.shell.settings import OWN_UIDS, ShellSettings

LOCKS: Final = Path("/run/foliot-users")  # of root alone: nobody else can hold a lock there


class OwnUids:
    """The numbers, as one process takes them."""

    def __init__(self) -> None:
        self._next = os.getpid() % len(OWN_UIDS)  # processes beside each other begin at different ones
        self._taken: set[int] = set()  # by this process, for machines where no lock can be had

    @contextmanager
    def one_for(self, settings: ShellSettings, title: str) -> Iterator[int | None]:
        """One for the run of this command; None where another user is named, or the worker cannot change users."""
        if settings.run_as is not None or os.geteuid() != 0:
            yield None
            return
        uid, lock = self._take(title)
        try:
            yield uid
        finally:
            self._taken.discard(uid)
            if lock is not None:
                os.close(lock)

    def _take(self, title: str) -> tuple[int, int | None]:
        """A number that nobody has, and the file descriptor that holds its lock."""
        for _ in OWN_UIDS:
            self._next = (self._next + 1) % len(OWN_UIDS)
            uid = OWN_UIDS[self._next]
            if uid in self._taken:
                continue
            try:
                lock = _lock_of(uid)
            except BlockingIOError:
                continue
            self._taken.add(uid)
            return uid, lock
        raise CommandNotStarted(title, "no user number is free on this machine")


def _lock_of(uid: int) -> int | None:
    """Hold the lock of a number; `BlockingIOError`: another has it; None: this machine has no folder for locks."""
    try:
        LOCKS.mkdir(mode=0o700, exist_ok=True)
        lock = os.open(LOCKS / str(uid), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        if isinstance(error, BlockingIOError):
            raise
        return None
    return lock
