"""The wall clock of one process, moved while it runs; its monotonic clocks stay true (F07, F08).

    with FakeTime() as clock:
        process = subprocess.Popen(command, env={**os.environ, **clock.environment})
        clock.step(-3600)

Debian's own libfaketime breaks timed waits of Python 3.11, one way or the other; so this is a small library of ours,
built with the C compiler that `make services` installs. It works for whatever is linked with the C library: Python,
PostgreSQL, MariaDB. One `FakeTime` may serve any number of processes; their children have the same clock.
"""

import functools
import mmap
import os
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Final, Self

PACKAGES: Final = ("gcc", "libc6-dev")
"""What `make services` installs for it."""
SOURCE: Final = Path(__file__).with_suffix(".c")
BUILD_WITHIN_S: Final = 60.0
_SECOND_NS: Final = 1_000_000_000


class FakeTime:
    """A wall clock that is so many seconds off, for the processes started with its `environment`."""

    def __init__(self, offset_s: float = 0.0) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="flt-clock-"))
        self._folder.chmod(0o755)  # database servers run as somebody else
        library, offset = self._folder / "faketime.so", self._folder / "offset"
        library.write_bytes(_library())
        offset.write_bytes(struct.pack("=q", 0))
        for file in (library, offset):
            file.chmod(0o644)
        with offset.open("r+b") as opened:
            self._page = mmap.mmap(opened.fileno(), 8)
        self.environment: dict[str, str] = {"LD_PRELOAD": str(library), "FOLIOT_FAKE_TIME": str(offset)}
        self.set(offset_s)

    @property
    def offset_s(self) -> float:
        """How far the clock is ahead of the true one."""
        return float(struct.unpack("=q", self._page[:8])[0]) / _SECOND_NS

    def set(self, offset_s: float) -> None:
        """Be so far ahead of the true clock (behind it, if negative) from now on."""
        self._page[:8] = struct.pack("=q", round(offset_s * _SECOND_NS))

    def step(self, seconds: float) -> None:
        """Jump from where the clock is now."""
        self.set(self.offset_s + seconds)

    def close(self) -> None:
        """Forget it, once the processes are gone."""
        self._page.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@functools.cache
def _library() -> bytes:
    """Build it, once a process."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise RuntimeError("no C compiler: run make services")
    with tempfile.TemporaryDirectory(prefix="flt-build-") as folder:
        built = Path(folder) / "faketime.so"
        command = [compiler, "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", str(built), str(SOURCE), "-ldl"]
        subprocess.run(
            command, check=True, timeout=BUILD_WITHIN_S, env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
        )
        return built.read_bytes()
