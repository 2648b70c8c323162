"""`--limits`: what people write, and what a child process is told."""

import pytest

from foliot.cli.run_limits import read_limits
from foliot.domain.errors import InvalidInput
from foliot.worker.isolation.wire import ChildLimits


@pytest.mark.parametrize(
    ("written", "limits"),
    [
        ("", ChildLimits()),
        ("memory=512M", ChildLimits(memory_bytes=512 * 2**20)),
        (
            " memory = 1GiB, cpu=10m, files=1024,processes=200 ",
            ChildLimits(memory_bytes=2**30, cpu_s=600, open_files=1024, processes=200),
        ),
        ("memory=20000000", ChildLimits(memory_bytes=20_000_000)),
        ("cpu=90", ChildLimits(cpu_s=90)),
    ],
)
def test_what_is_written_is_what_a_run_may_use(written: str, limits: ChildLimits) -> None:
    assert read_limits(written) == limits


@pytest.mark.parametrize(
    "written", ["memory", "memory=", "ram=1G", "memory=1", "memory=lots", "cpu=0s", "cpu=100ms", "files=-1", "files=½"]
)
def test_what_cannot_be_a_limit_is_refused(written: str) -> None:
    with pytest.raises(InvalidInput):
        read_limits(written)
