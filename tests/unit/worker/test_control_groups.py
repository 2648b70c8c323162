"""Limits of containers: files as kernels of both versions write them."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from foliot.worker.container import Container

MIB = 1024 * 1024
OLD_UNLIMITED = "9223372036854771712"

ON_A_HOST_OF_VERSION_1 = """\
12:pids:/docker/4f1c
11:memory:/docker/4f1c
4:cpu,cpuacct:/docker/4f1c
1:name=systemd:/docker/4f1c
0::/docker/4f1c
"""
OF_A_POD_OF_VERSION_1 = """\
9:memory:/kubepods/burstable/pod7/a1
5:cpuacct,cpu:/kubepods/burstable/pod7/a1
"""


def container(tmp_path: Path, own: str, files: Mapping[str, str]) -> Container:
    root = tmp_path / "cgroup"
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    (tmp_path / "own").write_text(own)
    return Container.of_this_process(root, tmp_path / "own")


def test_a_container_of_version_1_sees_its_own_group_as_the_root(tmp_path: Path) -> None:
    found = container(
        tmp_path,
        ON_A_HOST_OF_VERSION_1,
        {
            "cpu,cpuacct/cpu.cfs_quota_us": "150000",
            "cpu,cpuacct/cpu.cfs_period_us": "100000",
            "cpu,cpuacct/cpuacct.usage": "2500000000",
            "memory/memory.limit_in_bytes": str(512 * MIB),
            "memory/memory.usage_in_bytes": str(300 * MIB),
            "memory/memory.stat": f"cache 1\ninactive_file 7\ntotal_inactive_file {100 * MIB}",
        },
    )
    assert (found.cores, found.cpu_used_s()) == (1.5, 2.5)
    assert (found.memory_max, found.memory_used()) == (512 * MIB, 200 * MIB)


def test_of_groups_within_groups_the_tightest_counts(tmp_path: Path) -> None:
    pod, own = "kubepods/burstable/pod7", "kubepods/burstable/pod7/a1"
    found = container(
        tmp_path,
        OF_A_POD_OF_VERSION_1,
        {
            f"cpu/{own}/cpu.cfs_quota_us": "-1",  # the mount has the name of one controller here
            f"cpu/{own}/cpu.cfs_period_us": "100000",
            f"cpu/{pod}/cpu.cfs_quota_us": "50000",
            f"cpu/{pod}/cpu.cfs_period_us": "100000",
            f"cpu/{pod}/cpuacct.usage": "1000000000",
            f"memory/{own}/memory.limit_in_bytes": OLD_UNLIMITED,
            f"memory/{pod}/memory.limit_in_bytes": str(64 * MIB),
            f"memory/{pod}/memory.usage_in_bytes": str(32 * MIB),
            "memory/memory.limit_in_bytes": OLD_UNLIMITED,
        },
    )
    assert (found.cores, found.cpu_used_s()) == (0.5, 1.0)
    assert (found.memory_max, found.memory_used()) == (64 * MIB, 32 * MIB)


def test_controllers_may_be_in_different_versions(tmp_path: Path) -> None:
    """A hybrid system: memory is still in a tree of version 1, the CPU is in version 2."""
    found = container(
        tmp_path,
        "3:memory:/mine\n0::/mine\n",
        {
            "mine/cpu.max": "200000 100000",
            "mine/cpu.stat": "usage_usec 3000000\nuser_usec 1",
            "memory/mine/memory.limit_in_bytes": str(MIB),
            "memory/mine/memory.usage_in_bytes": "1000",
        },
    )
    assert (found.cores, found.cpu_used_s(), found.memory_max, found.memory_used()) == (2.0, 3.0, MIB, 1000)


@pytest.mark.parametrize(
    ("own", "files"),
    [
        (
            "4:cpu,cpuacct:/\n3:memory:/\n",
            {"cpu/cpu.cfs_quota_us": "-1", "memory/memory.limit_in_bytes": OLD_UNLIMITED},
        ),
        ("4:cpu,cpuacct:/\n3:memory:/\n", {}),  # its groups are hidden from it
        ("0::/mine\n", {"mine/cpu.max": "max 100000", "mine/memory.max": "max"}),
        ("0::/mine\n", {}),
        ("a line of another system\n", {}),
    ],
)
def test_no_limit_is_none(tmp_path: Path, own: str, files: Mapping[str, str]) -> None:
    found = container(tmp_path, own, files)
    assert (found.cores, found.memory_max) == (None, None)
