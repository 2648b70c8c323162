"""The container that this process is in: what its control groups allow it, and what it uses of that."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from foliot.worker.control_groups import VERSION_2, ControlGroup, groups_of

_ROOT: Final = Path("/sys/fs/cgroup")
_OWN: Final = Path("/proc/self/cgroup")
_OUTERMOST: Final = ControlGroup(_ROOT, VERSION_2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """Limits of CPU and memory, each with the group that sets it; None: that one is not limited."""

    cores: float | None = None
    memory_max: int | None = None
    cpu_group: ControlGroup = _OUTERMOST
    memory_group: ControlGroup = _OUTERMOST

    @classmethod
    def of_this_process(cls, root: Path = _ROOT, own: Path = _OWN) -> Self:
        """Read the limits, once: the tightest of the group and of those around it."""
        try:
            text = own.read_text(encoding="utf-8")
            cpu = [(_cores(group), group) for group in groups_of("cpu", root, text)]
            memory = [(_memory_max(group), group) for group in groups_of("memory", root, text)]
        except (OSError, ValueError, ArithmeticError):  # another system than Linux, or groups that are hidden
            return cls()
        cores, cpu_group = min(cpu, key=_limit)
        memory_max, memory_group = min(memory, key=_limit)
        return cls(cores=cores, memory_max=memory_max, cpu_group=cpu_group, memory_group=memory_group)

    def cpu_used_s(self) -> float:
        """CPU time that the group has used."""
        return self.cpu_group.files.cpu_used_s(self.cpu_group.path)

    def memory_used(self) -> int:
        """Bytes in use, without the file cache that the kernel would drop before it ends a process."""
        return self.memory_group.files.memory_used(self.memory_group.path)


def _cores(group: ControlGroup) -> float | None:
    return group.files.cores(group.path)


def _memory_max(group: ControlGroup) -> int | None:
    return group.files.memory_max(group.path)


def _limit(pair: tuple[float | None, ControlGroup]) -> float:
    """For comparisons: no limit is the widest."""
    return math.inf if pair[0] is None else pair[0]
