"""A command at work, seen from the worker: its launcher, its output, how it is stopped, and how it ended."""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from typing import IO, Final

import msgspec

from foliot.worker.handlers.shell import launcher
from foliot.worker.handlers.shell.output import PORTION

KILL_WITHIN_S: Final = 5.0  # then the launcher itself is killed
PIPES_WITHIN_S: Final = 1.0  # a process that nobody could kill may hold a pipe open

HAS_MEMFD: Final = hasattr(os, "memfd_create")
Take = Callable[[bytes], None]


class LauncherNews(msgspec.Struct, frozen=True):
    """What the launcher says: first the pid, at the end one of the others."""

    pid: int | None = None
    folder: str | None = None  # with the pid: the private folder; in a sandbox it goes with the sandbox
    failed: str | None = None  # why the command did not start
    code: int | None = None
    signal: int | None = None
    result: str | None = None  # what is in the file of the result, each byte as one character


class RunningCommand:
    """Made in the loop; everything comes and goes there."""

    def __init__(self, order: bytes, *, out: Take, err: Take) -> None:
        self.over = asyncio.Event()  # the launcher is gone, and with it everything of the command
        self.end = LauncherNews(failed="its launcher was killed")
        self._loop = asyncio.get_running_loop()
        self._pid: int | None = None
        self._folder: str | None = None
        self._said = b""
        self._pipes_closed = asyncio.Event()
        self._control, out_fd, err_fd, news_fd = self._spawn(order)
        self._reading = {news_fd: self._hear, out_fd: out, err_fd: err}
        self._news_fd = news_fd
        for fd in self._reading:
            os.set_blocking(fd, False)
            self._loop.add_reader(fd, self._read, fd)

    def _spawn(self, order: bytes) -> tuple[int, int, int, int]:
        """Start the launcher, which gets no other descriptor than these. From the loop's own thread."""
        with contextlib.ExitStack() as theirs, _file_of(order) as order_file:
            pipes = [os.pipe() for _ in range(4)]
            control, out, err, news = pipes
            for fd in (control[0], out[1], err[1], news[1]):
                theirs.callback(os.close, fd)
            try:
                self._launcher = subprocess.Popen(  # noqa: S603  our own interpreter and script
                    [sys.executable, "-I", "-S", launcher.__file__, str(order_file.fileno()), str(news[1])],
                    stdin=control[0],
                    stdout=out[1],
                    stderr=err[1],
                    pass_fds=(order_file.fileno(), news[1]),
                    start_new_session=True,
                    cwd="/",
                    env={},
                )
            except OSError:
                for fd in (control[1], out[0], err[0], news[0]):
                    os.close(fd)
                raise
        return control[1], out[0], err[0], news[0]

    async def ended(self) -> LauncherNews:
        """Wait for the end of the command, and for the last of its output."""
        await self.over.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PIPES_WITHIN_S):
                await self._pipes_closed.wait()
        return self.end

    async def stop(self, *, grace_s: float) -> bool:
        """SIGTERM to the command's group; after the grace, or when asked again, SIGKILL to all that came from it.

        True: it did not stop by itself.
        """
        try:
            if grace_s > 0:
                self._tell(launcher.TERM)
                async with asyncio.timeout(grace_s):
                    await self.over.wait()
        except (TimeoutError, asyncio.CancelledError):
            pass
        if self.over.is_set():
            return False
        self._tell(launcher.KILL)
        with contextlib.suppress(TimeoutError, asyncio.CancelledError):
            async with asyncio.timeout(KILL_WITHIN_S):
                await self.over.wait()
        return True

    def close(self) -> None:
        """Let go of it; what still runs is killed."""
        for fd in list(self._reading):
            self._close_reading(fd)
        with contextlib.suppress(OSError):
            os.close(self._control)
        if self._launcher.poll() is None and not self.over.is_set():
            self._launcher.kill()
            self._clear_up()
        if self._launcher.poll() is None:  # it will be gone in a moment, for which the loop does not wait
            self._loop.run_in_executor(None, self._reap)

    def _reap(self) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._launcher.wait(KILL_WITHIN_S)

    def _tell(self, word: bytes) -> None:
        with contextlib.suppress(OSError):
            os.write(self._control, word)

    def _read(self, fd: int) -> None:
        try:
            data = os.read(fd, PORTION)
        except BlockingIOError:
            return
        if data:
            self._reading[fd](data)
        else:
            self._close_reading(fd)

    def _close_reading(self, fd: int) -> None:
        self._loop.remove_reader(fd)
        os.close(fd)
        del self._reading[fd]
        if fd == self._news_fd:
            self._finish()
        if not self._reading:
            self._pipes_closed.set()

    def _hear(self, data: bytes) -> None:
        *lines, self._said = (self._said + data).split(b"\n")
        for line in lines:
            news = msgspec.json.decode(line, type=LauncherNews)
            if news.pid is None:
                self.end = news
            else:
                self._pid, self._folder = news.pid, news.folder

    def _finish(self) -> None:
        """The launcher is gone. When something killed it, the command's group may be left."""
        if self.end.failed is not None:
            self._clear_up()
        self.over.set()

    def _clear_up(self) -> None:
        """Do what the launcher cannot do any more: kill the command's group, remove its folder."""
        if self._pid is not None and self._pid > 1:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._pid, signal.SIGKILL)
        if self._folder is not None:
            self._loop.run_in_executor(None, partial(shutil.rmtree, self._folder, ignore_errors=True))


def _file_of(data: bytes) -> IO[bytes]:
    """The data as a file without a name."""
    file: IO[bytes] = os.fdopen(os.memfd_create("order"), "w+b") if HAS_MEMFD else tempfile.TemporaryFile()  # noqa: SIM115
    file.write(data)
    file.flush()
    file.seek(0)
    return file
