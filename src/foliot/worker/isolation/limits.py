"""What the system enforces on a child process: limits, death with its worker, being the first to go out of memory."""

import contextlib
import ctypes
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Final

from foliot.worker.isolation.wire import ChildLimits

DUMP_SIGNAL: Final = signal.SIGRTMIN + 7 if hasattr(signal, "SIGRTMIN") else signal.SIGUSR2
"""Asks a child for the stacks of all its threads, into the log of its run. One that users' code hardly ever wants."""

_PR_SET_PDEATHSIG: Final = 1
_OOM_SCORE: Final = b"500"


def die_with(parent_pid: int) -> None:
    """Be killed the moment the worker is gone, however it went (Linux); leave if it is gone already."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent_pid:
        os._exit(1)


def be_first_out_of_memory() -> None:
    """Let the kernel take this process rather than the worker when memory runs out."""
    with contextlib.suppress(OSError):
        score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        try:
            os.write(score, _OOM_SCORE)
        finally:
            os.close(score)


def limit_process(limits: ChildLimits) -> None:
    """Set what holds for the child's whole life."""
    if limits.memory_bytes is not None:
        # Linux counts every private writable mapping as data; address space would punish libraries that only reserve it
        kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
        _lower(kind, limits.memory_bytes)
    if limits.open_files is not None:
        _lower(resource.RLIMIT_NOFILE, limits.open_files)
    if limits.processes is not None and hasattr(resource, "RLIMIT_NPROC"):
        _lower(resource.RLIMIT_NPROC, limits.processes)


def limit_run(limits: ChildLimits) -> None:
    """Set what holds for one run: processor time from now on. Past it the kernel sends SIGXCPU."""
    if limits.cpu_s is None:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + 1 + limits.cpu_s, hard))


def memory_peak_bytes() -> int:
    """The most memory this program ever had resident. `ru_maxrss` would count its parent's, which exec hands on."""
    try:
        with Path("/proc/self/status").open(encoding="ascii") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _lower(kind: int, limit: int) -> None:
    _, hard = resource.getrlimit(kind)
    capped = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(kind, (capped, capped))
