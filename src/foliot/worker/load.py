"""What a beat says of the machine and the process: figures for placement and for people. Servers say them, too."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import psutil

from foliot.domain.instants import SECOND, Micros, to_instant
from foliot.ports.clock import Clock
from foliot.worker.container import Container

_PROC: Final = Path("/proc/self")
_FRACTION: Final = 100.0
_NANOSECONDS: Final = 1_000_000_000
FILES_LOOKED_AT: Final = 200
"""Of more open files every second, third … is looked at: a beat must not wait for ten thousand looks."""


class LoadFigures:
    """Reads load. Used by one thread; each reading costs a fraction of a millisecond."""

    def __init__(
        self, clock: Clock, *, own: Callable[[], Mapping[str, float]] = dict, disk: str = "/", proc: Path = _PROC
    ) -> None:
        """`own`: figures of the node itself, such as its runs."""
        self._clock = clock
        self._own = own
        self._disk = disk
        self._proc = proc
        self._process: Any = psutil.Process(os.getpid())
        self._container = Container.of_this_process()
        self._read_at = clock.monotonic()
        self._cpu_used_s = 0.0
        self._waited_s = 0.0
        self.read()  # the first reading only sets the marks the second measures from

    def read(self) -> dict[str, float]:
        """Shares from 0 to 1 (`process_cpu` per core), bytes where the name says so."""
        figures = dict(self._own())
        for part in (self._of_machine, self._of_process):
            try:
                figures.update(part())
            except (psutil.Error, OSError, ValueError):  # a machine that hides its figures: the beat goes without them
                continue
        return figures

    def _of_machine(self) -> dict[str, float]:
        """Of the container where it has limits of its own: a worker with 1 CPU of 64 is full when that one is."""
        now = self._clock.monotonic()
        lasted_s, self._read_at = now - self._read_at, now
        figures = {
            "cpu": psutil.cpu_percent(None) / _FRACTION,
            "memory": psutil.virtual_memory().percent / _FRACTION,
            "disk": psutil.disk_usage(self._disk).percent / _FRACTION,
            "load1": os.getloadavg()[0],
            "cores": float(psutil.cpu_count() or 1),
        }
        container = self._container
        if container.cores is not None:
            used_s = container.cpu_used_s()
            figures["cores"] = container.cores
            figures["cpu"] = _share(used_s - self._cpu_used_s, lasted_s * container.cores)
            self._cpu_used_s = used_s
        if container.memory_max is not None:
            figures["memory"] = container.memory_used() / container.memory_max
        waited_s = self._cpu_waited_s()
        figures["starved"] = _share(waited_s - self._waited_s, lasted_s)
        self._waited_s = waited_s
        return figures

    def _of_process(self) -> dict[str, float]:
        process = self._process
        folder = f"{self._proc}/fd"
        files = os.listdir(folder)  # noqa: PTH208  a path for each of thousands costs more than all else here
        looked_at = files[:: len(files) // FILES_LOOKED_AT + 1]
        sockets = sum(_is_socket(f"{folder}/{name}") for name in looked_at)
        return {
            "process_cpu": process.cpu_percent(None) / _FRACTION,
            "process_memory_bytes": float(process.memory_info().rss),
            "threads": float(process.num_threads()),
            "files": float(len(files)),
            "files_max": float(process.rlimit(psutil.RLIMIT_NOFILE)[0]),
            "connections": float(round(sockets * len(files) / max(1, len(looked_at)))),
        }

    def _cpu_waited_s(self) -> float:
        """How long the main thread, which is the loop's, was ready to run and had no CPU."""
        _ran, waited, _slices = (self._proc / "schedstat").read_text(encoding="ascii").split()
        return int(waited) / _NANOSECONDS


def process_up_us(clock: Clock) -> Micros:
    """How long this process is up, by the wall clock: shown, never decided by."""
    try:
        began_at = int(psutil.Process(os.getpid()).create_time() * SECOND)
    except psutil.Error:
        return 0
    return max(0, to_instant(clock.now()) - began_at)


def _share(part: float, whole: float) -> float:
    return min(1.0, max(0.0, part / whole)) if whole > 0 else 0.0


def _is_socket(path: str) -> bool:
    try:
        return os.readlink(path).startswith("socket:")  # noqa: PTH115
    except OSError:  # closed meanwhile
        return False
