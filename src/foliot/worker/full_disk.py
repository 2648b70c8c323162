"""A disk that a drill fills: what is written to it is refused."""

import errno
import os

from foliot.domain.drills import DrillType, Faults


def write_or_refuse(faults: Faults, file: int, data: memoryview) -> int:
    """`os.write`, or the error of a full disk while a drill lasts."""
    if faults.has(DrillType.DISK_FULL):
        faults.notice(DrillType.DISK_FULL)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return os.write(file, data)
