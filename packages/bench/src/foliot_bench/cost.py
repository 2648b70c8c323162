"""What a benchmark's processes cost, and how its figures are summed up."""

import statistics
from collections.abc import Mapping, Sequence

import psutil


class Cost:
    """Seconds of CPU that processes use between two looks."""

    def __init__(self, pids: Mapping[str, int]) -> None:
        self._pids = dict(pids)
        self._before = self._now()

    def spent(self) -> dict[str, float]:
        """By process, since the last look."""
        now = self._now()
        spent = {name: round(seconds - self._before[name], 3) for name, seconds in now.items()}
        self._before = now
        return spent

    def percent(self, seconds: float) -> dict[str, float]:
        """By process, since the last look: per cent of one core."""
        return {name: round(100 * cpu / seconds, 2) for name, cpu in self.spent().items()}

    def _now(self) -> dict[str, float]:
        return {name: cpu_seconds(pid) for name, pid in self._pids.items()}


def cpu_seconds(pid: int) -> float:
    """CPU time of a process, the children it has and those it had."""
    process = psutil.Process(pid)
    own = process.cpu_times()
    seconds = own.user + own.system + getattr(own, "children_user", 0.0) + getattr(own, "children_system", 0.0)
    for child in process.children(recursive=True):
        try:
            times = child.cpu_times()
        except psutil.NoSuchProcess:
            continue
        seconds += times.user + times.system
    return float(seconds)


def memory_mb(pids: Mapping[str, int]) -> dict[str, float]:
    """Resident memory by process."""
    return {name: round(psutil.Process(pid).memory_info().rss / 2**20, 1) for name, pid in pids.items()}


def median(values: Sequence[float], digits: int = 3) -> float:
    """The one in the middle, rounded."""
    return round(statistics.median(values), digits)


def quantiles_ms(values: Sequence[int]) -> dict[str, float]:
    """p50, p99 and the greatest, of microseconds, in milliseconds."""
    ordered = sorted(values)
    at = {"p50": 0.50, "p99": 0.99, "max": 1.0}
    return {name: round(ordered[min(len(ordered) - 1, int(len(ordered) * q))] / 1000, 1) for name, q in at.items()}
