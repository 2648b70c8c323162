"""The container that this process is in: what its control groups (cgroup v2) allow it, and what it uses of that."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

_ROOT: Final = Path("/sys/fs/cgroup")
_OWN: Final = Path("/proc/self/cgroup")
_UNLIMITED: Final = "max"
_MICROSECONDS: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """Limits of CPU and memory, each with the group that sets it; None: that one is not limited."""

    cores: float | None = None
    memory_max: int | None = None
    cpu_group: Path = _ROOT
    memory_group: Path = _ROOT

    @classmethod
    def of_this_process(cls, root: Path = _ROOT, own: Path = _OWN) -> Self:
        """Read the limits, once: the tightest of the group and of those around it."""
        try:
            groups = _groups(root, own)
            cores = [(limit, group) for group in groups if (limit := _cores(group)) is not None]
            memory = [(limit, group) for group in groups if (limit := _memory_max(group)) is not None]
        except (OSError, ValueError, ArithmeticError):  # another system than Linux, other groups, or hidden ones
            return cls()
        least_cores, cpu_group = min(cores, default=(None, root))
        least_memory, memory_group = min(memory, default=(None, root))
        return cls(cores=least_cores, memory_max=least_memory, cpu_group=cpu_group, memory_group=memory_group)

    def cpu_used_s(self) -> float:
        """CPU time that the group has used."""
        return int(_fields(self.cpu_group / "cpu.stat")["usage_usec"]) / _MICROSECONDS

    def memory_used(self) -> int:
        """Bytes in use, without the file cache that the kernel would drop before it ends a process."""
        current = int(_text(self.memory_group / "memory.current"))
        droppable = int(_fields(self.memory_group / "memory.stat").get("inactive_file", 0))
        return max(0, current - droppable)


def _groups(root: Path, own: Path) -> list[Path]:
    """The group of this process, and those around it up to the root."""
    line = next(line for line in [*own.read_text().splitlines(), "0::/"] if line.startswith("0::"))
    path = line.removeprefix("0::").strip("/")
    group = root / path
    parents = [one for one in group.parents if one.is_relative_to(root)]
    return [group, *parents]


def _cores(group: Path) -> float | None:
    quota, _, period = _text(group / "cpu.max").partition(" ")
    return None if quota in ("", _UNLIMITED) else int(quota) / int(period)


def _memory_max(group: Path) -> int | None:
    limit = _text(group / "memory.max")
    return None if limit in ("", _UNLIMITED) else int(limit)


def _text(path: Path) -> str:
    """What the file says; nothing where there is none, as in the outermost group."""
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return ""


def _fields(path: Path) -> dict[str, str]:
    pairs = (line.split(maxsplit=1) for line in _text(path).splitlines())
    return dict(pair for pair in pairs if len(pair) == 2)
