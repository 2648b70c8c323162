"""A child's output: one pipe for everything it and its own children write, whatever language they are written in."""

import contextlib
import ctypes
import io
import os
import sys
from typing import Any, Final

from foliot.worker.lines import ERR, encode_record

_LINE_BUFFERED: Final = 1  # _IOLBF


class ChildOutput:
    """Standard output and error are the worker's pipe; records go between the plain lines, in order."""

    def __init__(self) -> None:
        self.fd: Final = os.dup(1)  # stays the pipe whatever a handler does to descriptors 1 and 2
        self._libc = _libc_line_buffered()
        self._out = open(1, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        self._err = _MarkedError(self)
        self.restore()

    def record(self, level: str, text: str) -> None:
        """Write one line with its level."""
        with contextlib.suppress(ValueError, OSError):
            sys.stdout.flush()
        self.write(encode_record(level, text))

    def take_record(self, level: str, text: str) -> bool:
        """`record` for `capture.records_taken`."""
        self.record(level, text)
        return True

    def write(self, data: bytes) -> None:
        """Write to the pipe, all of it."""
        view = memoryview(data)
        while view:
            view = view[os.write(self.fd, view) :]

    def flush(self) -> None:
        """Everything written so far is in the pipe when this returns: Python's buffers and C's."""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(ValueError, OSError, AttributeError):
                stream.flush()
        if self._libc is not None:
            self._libc.fflush(None)

    def restore(self) -> None:
        """Put the streams back the way a run expects to find them."""
        if sys.stdout is not self._out or sys.stderr is not self._err:
            sys.stdout = sys.__stdout__ = self._out  # type: ignore[misc]
            sys.stderr = sys.__stderr__ = self._err  # type: ignore[misc,assignment]
        mine = os.fstat(self.fd)
        for fd in (1, 2):
            try:
                is_mine = os.path.samestat(os.fstat(fd), mine)
            except OSError:
                is_mine = False
            if not is_mine:
                os.dup2(self.fd, fd)


class _MarkedError(io.TextIOBase):
    """`sys.stderr`: its lines carry their origin, its descriptor is the pipe."""

    def __init__(self, output: ChildOutput) -> None:
        self._output = output
        self._rest = ""

    def write(self, text: str) -> int:
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            self._output.record(ERR, line)
        return len(text)

    def flush(self) -> None:
        if self._rest:
            rest, self._rest = self._rest, ""
            self._output.record(ERR, rest)

    def fileno(self) -> int:
        return 2

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    @property
    def buffer(self) -> Any:
        return io.FileIO(2, "w", closefd=False)


def _libc_line_buffered() -> Any:
    """C's own `stdout` writes each line at once, so that none is lost when the process is killed."""
    try:
        libc = ctypes.CDLL(None)
        libc.setvbuf(ctypes.c_void_p.in_dll(libc, "stdout"), None, _LINE_BUFFERED, ctypes.c_size_t(0))
    except (OSError, ValueError, AttributeError):
        return None
    return libc
