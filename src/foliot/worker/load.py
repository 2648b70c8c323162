"""What a beat says of the machine and the process: figures for placement and for people. Servers say them, too."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
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
        self,
        clock: Clock,
        *,
        own: Callable[[], Mapping[str, float]] = dict,
        disk: str = "/",
        spool: Path | None = None,
        proc: Path = _PROC,
        container: Container | None = None,
    ) -> None:
        """`own`: figures of the node itself, such as its runs. `container`: that of this process unless told.

        `spool`: the folder in which a worker keeps what no server has taken.
        """
        self._clock = clock
        self._own = own
        self._disk = disk
        self._spool = spool
        self._proc = proc
        self._container = container or Container.of_this_process()
        self._read_at = clock.monotonic()
        self._lasted_s = 0.0  # between this reading and the one before
        self._cpu_used_s = 0.0
        self._waited_s = 0.0
        self.read()  # the first reading only sets the marks the second measures from

    def read(self) -> dict[str, float]:
        """Shares from 0 to 1 (`process_cpu` per core), bytes where the name says so.

        A figure that the machine hides is left out, and only that one: no figure is worth a beat.
        """
        now = self._clock.monotonic()
        self._lasted_s, self._read_at = now - self._read_at, now
        parts = (self._own, self._cpu, self._memory, self._disk_used, self._spool_used, self._load1, self._cores,
                 self._starved, self._process_cpu, self._process_memory, self._threads, self._files,
                 self._files_max)  # fmt: skip
        figures: dict[str, float] = {}
        for part in parts:
            with suppress(Exception):  # systems differ in what they raise for a figure that they do not have
                figures.update(part())
        return figures

    def _cpu(self) -> dict[str, float]:
        """Of the container where it has a limit of its own: a worker with 1 CPU of 64 is full when that one is."""
        cores = self._container.cores
        if cores is None:
            return {"cpu": psutil.cpu_percent(None) / _FRACTION}
        before_s, self._cpu_used_s = self._cpu_used_s, self._container.cpu_used_s()
        return {"cpu": _share(self._cpu_used_s - before_s, self._lasted_s * cores)}

    def _memory(self) -> dict[str, float]:
        memory_max = self._container.memory_max
        if memory_max is None:
            return {"memory": psutil.virtual_memory().percent / _FRACTION}
        return {"memory": self._container.memory_used() / memory_max}

    def _disk_used(self) -> dict[str, float]:
        return {"disk": psutil.disk_usage(self._disk).percent / _FRACTION}

    def _spool_used(self) -> dict[str, float]:
        """Of the disk that the spool is on, which may be another one. The folder is made when it is first needed."""
        if self._spool is None:
            return {}
        there = next(folder for folder in (self._spool, *self._spool.parents) if folder.exists())
        return {"spool": psutil.disk_usage(str(there)).percent / _FRACTION}

    def _load1(self) -> dict[str, float]:
        return {"load1": os.getloadavg()[0]}

    def _cores(self) -> dict[str, float]:
        return {"cores": self._container.cores or float(psutil.cpu_count() or 1)}

    def _starved(self) -> dict[str, float]:
        """For what share of the time the main thread, which is the loop's, was ready to run and had no CPU."""
        _ran, waited, _slices = (self._proc / "schedstat").read_text(encoding="ascii").split()
        before_s, self._waited_s = self._waited_s, int(waited) / _NANOSECONDS
        return {"starved": _share(self._waited_s - before_s, self._lasted_s)}

    @cached_property
    def _process(self) -> Any:
        return psutil.Process(os.getpid())

    def _process_cpu(self) -> dict[str, float]:
        return {"process_cpu": self._process.cpu_percent(None) / _FRACTION}

    def _process_memory(self) -> dict[str, float]:
        return {"process_memory_bytes": float(self._process.memory_info().rss)}

    def _threads(self) -> dict[str, float]:
        return {"threads": float(self._process.num_threads())}

    def _files(self) -> dict[str, float]:
        folder = f"{self._proc}/fd"
        files = os.listdir(folder)  # noqa: PTH208  a path for each of thousands costs more than all else here
        looked_at = files[:: len(files) // FILES_LOOKED_AT + 1]
        sockets = sum(_is_socket(f"{folder}/{name}") for name in looked_at)
        connections = round(sockets * len(files) / max(1, len(looked_at)))
        return {"files": float(len(files)), "connections": float(connections)}

    def _files_max(self) -> dict[str, float]:
        return {"files_max": float(self._process.rlimit(psutil.RLIMIT_NOFILE)[0])}


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
