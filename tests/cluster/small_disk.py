"""A disk of 64 MB that can be filled to the last byte and emptied again."""

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SIZE = "64m"


class SmallDisk:
    """A file system of its own; the test fills it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / ".ballast"

    def fill(self) -> None:
        """Take every byte that is left."""
        with self._ballast.open("ab", buffering=0) as ballast:
            for size in (1 << 20, 1 << 16, 1 << 12, 1):
                while _written(ballast.fileno(), size):
                    pass

    def make_room(self) -> None:
        """Give everything back."""
        self._ballast.unlink(missing_ok=True)

    @property
    def free_bytes(self) -> int:
        return shutil.disk_usage(self.folder).free


def _written(file: int, size: int) -> bool:
    try:
        os.write(file, b"\0" * size)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        return False
    return True


@contextmanager
def small_disk(folder: Path, *, size: str = SIZE) -> Iterator[SmallDisk]:
    """Mount one here, for as long as it is needed. Needs the right to mount, as root has."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(folder)], check=True)
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
