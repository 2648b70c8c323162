"""What a beat says of the machine and the process: figures for placement and for people."""

import os
from typing import Any, Final

import psutil

_FRACTION: Final = 100.0


class LoadFigures:
    """Reads load. Used by the beat thread only; each reading costs a fraction of a millisecond."""

    def __init__(self, disk: str = "/") -> None:
        self._disk = disk
        self._process: Any = psutil.Process(os.getpid())
        psutil.cpu_percent(None)  # the first reading only sets the mark the second measures from
        self._process.cpu_percent(None)

    def read(self) -> dict[str, float]:
        """Shares from 0 to 1 (`process_cpu` per core), bytes where the name says so."""
        try:
            return self._read()
        except (psutil.Error, OSError):  # a machine that hides its figures: the beat goes out without them
            return {}

    def _read(self) -> dict[str, float]:
        memory = psutil.virtual_memory()
        return {
            "cpu": psutil.cpu_percent(None) / _FRACTION,
            "memory": memory.percent / _FRACTION,
            "disk": psutil.disk_usage(self._disk).percent / _FRACTION,
            "load1": os.getloadavg()[0],
            "cores": float(psutil.cpu_count() or 1),
            "process_cpu": self._process.cpu_percent(None) / _FRACTION,
            "process_memory_bytes": float(self._process.memory_info().rss),
        }
