"""The process groups that are alive, for the parts that kill: the pool in its loop, the guard in its thread."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable

import psutil

from foliot.worker.attempt import Attempt


class KillList:
    """Groups by the pid of their leader. A leader is reaped under the same lock, so no pid is ever mistaken."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._groups: dict[int, Attempt | None] = {}

    def add(self, pid: int) -> None:
        """A process that leads a group was started."""
        with self._lock:
            self._groups[pid] = None

    def assign(self, pid: int, attempt: Attempt | None) -> None:
        """What the process executes now."""
        with self._lock:
            if pid in self._groups:
                self._groups[pid] = attempt

    def kill_where(self, is_chosen: Callable[[Attempt | None], bool]) -> int:
        """SIGKILL the groups whose attempt is chosen; how many. From any thread."""
        with self._lock:
            doomed = [pid for pid, attempt in self._groups.items() if is_chosen(attempt)]
            for pid in doomed:
                _send(os.killpg, pid, signal.SIGKILL)
        return len(doomed)

    def send(self, pid: int, number: int, *, to_group: bool) -> None:
        """Send a signal to a process, or to its whole group."""
        with self._lock:
            if pid in self._groups:
                _send(os.killpg if to_group else os.kill, pid, number)

    def remove(self, pid: int, reap: Callable[[], object]) -> None:
        """The leader ended: kill what is left of its group, reap it, forget it."""
        with self._lock:
            _send(os.killpg, pid, signal.SIGKILL)
            reap()
            self._groups.pop(pid, None)


def descendants(pid: int) -> list[psutil.Process]:
    """Every process that came from this one, also those that left its group. Reads all of /proc: not for the loop."""
    try:
        found: list[psutil.Process] = psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []
    return found


def kill_all(processes: list[psutil.Process]) -> None:
    """SIGKILL these; psutil compares start times, so a process that took over a pid is safe."""
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.kill()


def _send(send: Callable[[int, int], None], pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # gone; or macOS's word for a group of the dead
        send(pid, number)
