"""The worker's end of the pipe to its warden, the process that outlives it by a moment."""

import contextlib
import subprocess
import sys
from collections.abc import Mapping

from foliot.worker.isolation import warden_main


class Warden:
    """The worker's end of the pipe to its warden (see `warden_main`)."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        """`environment`: as for the children; jobs can read that of any process of their user."""
        self._process = subprocess.Popen(  # noqa: S603  our own interpreter and script
            [sys.executable, "-I", "-S", warden_main.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            bufsize=0,
            env=None if environment is None else dict(environment),
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def remember(self, pid: int) -> None:
        """Kill a group if we die."""
        self._tell(f"+{pid}\n")

    def forget(self, pid: int) -> None:
        """A group is gone."""
        self._tell(f"-{pid}\n")

    def close(self) -> None:
        """Nothing is left to guard."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # somebody killed the warden: the kernel still kills the children themselves
            self._process.stdin.write(line.encode())
