"""Control groups of Linux: where the limits of a process stand, in version 2 and in the older version 1.

Version 2 has one tree for all. In version 1 each controller has a tree of its own: `/sys/fs/cgroup/memory/...`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

_UNLIMITED: Final = ("", "max", "-1")
_OLD_MEMORY_UNLIMITED: Final = 2**60
"""The kernel of version 1 writes the largest number of whole pages where there is no limit."""
_MICROSECONDS: Final = 1_000_000
_NANOSECONDS: Final = 1_000_000_000


class GroupFiles(NamedTuple):
    """How one version writes down what a group may use, and what it uses. No limit: None."""

    cores: Callable[[Path], float | None]
    cpu_used_s: Callable[[Path], float]
    memory_max: Callable[[Path], int | None]
    memory_used: Callable[[Path], int]


class ControlGroup(NamedTuple):
    """One group of a controller."""

    path: Path
    files: GroupFiles


def groups_of(controller: str, root: Path, own: str) -> list[ControlGroup]:
    """The group of a process, and those around it up to the root. `own`: the text of its `/proc/.../cgroup`.

    A container of version 1 sees its own group as the root, and reads the path that it has outside: then only the
    root's files are there.
    """
    for line in own.splitlines():
        _number, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            tree = next((tree for tree in (root / controllers, root / controller) if tree.is_dir()), root)
            return _up_to(tree, path, VERSION_1)
    path = next((line.removeprefix("0::") for line in own.splitlines() if line.startswith("0::")), "/")
    return _up_to(root, path, VERSION_2)


def _up_to(root: Path, path: str, files: GroupFiles) -> list[ControlGroup]:
    group = root / path.strip("/")
    parents = [one for one in group.parents if one.is_relative_to(root)]
    return [ControlGroup(one, files) for one in (group, *parents)]


def _cores_2(group: Path) -> float | None:
    quota, _, period = _text(group / "cpu.max").partition(" ")
    return None if quota in _UNLIMITED else int(quota) / int(period)


def _cpu_used_s_2(group: Path) -> float:
    return int(_fields(group / "cpu.stat")["usage_usec"]) / _MICROSECONDS


def _memory_max_2(group: Path) -> int | None:
    limit = _text(group / "memory.max")
    return None if limit in _UNLIMITED else int(limit)


def _memory_used_2(group: Path) -> int:
    return _without_cache(group, "memory.current", "inactive_file")


def _cores_1(group: Path) -> float | None:
    quota = _text(group / "cpu.cfs_quota_us")
    return None if quota in _UNLIMITED else int(quota) / int(_text(group / "cpu.cfs_period_us"))


def _cpu_used_s_1(group: Path) -> float:
    return int(_text(group / "cpuacct.usage")) / _NANOSECONDS


def _memory_max_1(group: Path) -> int | None:
    limit = _text(group / "memory.limit_in_bytes")
    return None if limit in _UNLIMITED or int(limit) >= _OLD_MEMORY_UNLIMITED else int(limit)


def _memory_used_1(group: Path) -> int:
    return _without_cache(group, "memory.usage_in_bytes", "total_inactive_file")


VERSION_1: Final = GroupFiles(_cores_1, _cpu_used_s_1, _memory_max_1, _memory_used_1)
VERSION_2: Final = GroupFiles(_cores_2, _cpu_used_s_2, _memory_max_2, _memory_used_2)


def _without_cache(group: Path, used: str, cache: str) -> int:
    """Bytes in use, without the file cache that the kernel would drop before it ends a process."""
    droppable = int(_fields(group / "memory.stat").get(cache, 0))
    return max(0, int(_text(group / used)) - droppable)


def _text(path: Path) -> str:
    """What the file says; nothing where there is none, as in the outermost group."""
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return ""


def _fields(path: Path) -> dict[str, str]:
    pairs = (line.split(maxsplit=1) for line in _text(path).splitlines())
    return dict(pair for pair in pairs if len(pair) == 2)
