"""One child process, seen from the worker: how it starts, what is sent to it and read from it, and when it is gone."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from enum import Enum
from typing import Final, Protocol

import structlog

from foliot.worker.attempt import Attempt
from foliot.worker.handlers import KindToMake
from foliot.worker.isolation.kill_list import KillList
from foliot.worker.isolation.wire import (
    Broken,
    CallEnded,
    CheckpointSaved,
    ChildLimits,
    ChildReady,
    ControlProtocol,
    FromChild,
    Load,
    LockReply,
    LockReturned,
    LockTrusted,
    LockWanted,
    Progressed,
    Start,
    Stop,
    ToChild,
    encode,
)
from foliot.worker.lines import OUT, safe_text

log = structlog.get_logger("foliot.worker.child")

_READ: Final = 64 * 1024
_DRAIN_MAX: Final = 1024 * 1024  # more than a pipe holds: what a finished run wrote is all in there
_STARTUP_KEPT: Final = 4096
_LAST_WORDS_S: Final = 0.2


class Phase(Enum):
    """Where a child is in its life."""

    STARTING = "starting"
    IDLE = "idle"
    BUSY = "busy"
    LEAVING = "leaving"  # no more runs
    GONE = "gone"


class Owner(Protocol):
    """The part that learns what a child does. Every call comes from the loop."""

    def child_ready(self, child: "ChildProcess") -> None: ...
    def child_ended_run(self, child: "ChildProcess", attempt: Attempt, message: CallEnded) -> None: ...
    def child_progressed(self, attempt: Attempt) -> None: ...
    def child_wants_lock(self, child: "ChildProcess", attempt: Attempt, wanted: LockWanted) -> None: ...
    def child_leaves_lock(self, claim: str) -> None: ...
    def child_gone(self, child: "ChildProcess", attempt: Attempt | None) -> None: ...


class ChildProcess:
    """A process with its own group, a control socket, and one pipe for all it writes."""

    def __init__(self, owner: Owner, kills: KillList, *, environment: Mapping[str, str] | None = None) -> None:
        self._owner = owner
        self._kills = kills
        self._loop = asyncio.get_running_loop()
        self.phase = Phase.STARTING
        self.attempt: Attempt | None = None
        self.runs = 0
        self.is_outdated = False  # the code changed since it loaded it
        self.was_ready = False
        self.namespace: str | None = None  # of the runs it executes: no process serves two (SEC-28)
        self.memory_at_start = 0
        self.memory_peak = 0
        self.problems: list[str] = []  # what it could not load
        self.startup_output = b""
        self.settled = asyncio.Event()  # it is ready, or will never be
        self.gone = asyncio.Event()
        self.run_over = asyncio.Event()  # the run it was given last is over
        self._transport: asyncio.Transport | None = None
        self._is_control_closed = False
        self._has_exited = False
        self._control, theirs = socket.socketpair()
        self._output, writing = os.pipe()
        try:
            self._process = self._spawn(theirs, writing, environment)
        finally:
            theirs.close()
            os.close(writing)
        self.pid: Final = self._process.pid
        kills.add(self.pid)

    @staticmethod
    def _spawn(control: socket.socket, output: int, environment: Mapping[str, str] | None) -> "subprocess.Popen[bytes]":
        # from the loop's own thread: the kernel kills the child when the *thread* that started it is gone
        return subprocess.Popen(  # noqa: S603  our own interpreter and module
            [sys.executable, "-P", "-m", "foliot.worker.isolation.child", str(control.fileno()), str(os.getpid())],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(control.fileno(),),
            start_new_session=True,
            env=None if environment is None else dict(environment),
        )

    async def open(self, sources: list[str], limits: ChildLimits, kinds: list[KindToMake]) -> None:
        """Begin to listen, and let the child load the code."""
        os.set_blocking(self._output, False)
        self._loop.add_reader(self._output, self._take_output)
        self._watch_exit()
        transport, _ = await self._loop.create_unix_connection(
            lambda: ControlProtocol(self._hear, self._confused, self._control_closed), sock=self._control
        )
        self._transport = transport
        self._send(Load(sources, sys.path, limits, kinds))

    def start(self, attempt: Attempt) -> None:
        """Execute a run."""
        assert self.phase is Phase.IDLE, self.phase
        self._drain()  # what processes of an earlier run still wrote is not this one's
        self.phase = Phase.BUSY
        self.attempt = attempt
        self.namespace = attempt.run.namespace
        self.runs += 1
        self.run_over.clear()
        self._kills.assign(self.pid, attempt)
        self._send(Start(attempt.run))

    def ask_to_stop(self) -> None:
        """Ask the run to stop."""
        if self.attempt is not None:
            self._send(Stop(self.attempt.run.lease_id))

    def tell(self, message: LockReply | LockTrusted) -> None:
        """Tell the run of a lock."""
        self._send(message)

    def leave(self) -> None:
        """Let an idle child go: it exits by itself when nobody can give it work any more."""
        if self._transport is not None:
            self._transport.close()

    def exit_words(self) -> str:
        """How it ended, for people."""
        code = self._process.returncode
        if code is None or code >= 0:
            return f"the process left with code {code} in the middle of the run"
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return f"the process was ended by {name}{_HINTS.get(name, '')}"

    def _send(self, message: ToChild) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(encode(message))

    def _hear(self, message: FromChild) -> None:
        match message:
            case Progressed():
                if self.attempt is not None:
                    self.attempt.progress = (message.done, message.total, message.note)
                    self._owner.child_progressed(self.attempt)
            case CheckpointSaved():
                if self.attempt is not None:
                    self.attempt.save_checkpoint(message.document)
                    self._owner.child_progressed(self.attempt)
            case LockWanted():
                if self.attempt is not None:
                    self._owner.child_wants_lock(self, self.attempt, message)
            case LockReturned():
                self._owner.child_leaves_lock(message.claim)
            case CallEnded():
                self._end_run(message)
            case ChildReady():
                self.memory_at_start = self.memory_peak = message.memory_bytes
                self.problems = message.problems
                self.was_ready = True
                self.settled.set()
                if self.phase is Phase.STARTING:
                    self.phase = Phase.IDLE
                    self._owner.child_ready(self)
            case Broken():
                self.problems = [message.error]

    def _end_run(self, message: CallEnded) -> None:
        attempt = self.attempt
        if attempt is None or attempt.run.lease_id != message.lease_id:
            return
        self._drain()
        self.attempt = None
        self.memory_peak = message.memory_bytes
        self._kills.assign(self.pid, None)
        if message.progress is not None:
            attempt.progress = (message.progress.done, message.progress.total, message.progress.note)
        if self.phase is Phase.BUSY:
            self.phase = Phase.LEAVING if message.is_leaving else Phase.IDLE
        self.run_over.set()
        self._owner.child_ended_run(self, attempt, message)

    def _confused(self, error: Exception) -> None:
        log.error("child.nonsense", pid=self.pid, error=type(error).__name__)
        self._kills.send(self.pid, signal.SIGKILL, to_group=True)

    def _take_output(self) -> int:
        try:
            data = os.read(self._output, _READ)
        except BlockingIOError:
            return 0
        if not data:
            self._loop.remove_reader(self._output)
        elif self.attempt is not None:
            self.attempt.write(OUT, data)
        elif self.phase is Phase.STARTING:
            self.startup_output = (self.startup_output + data)[-_STARTUP_KEPT:]
        else:
            log.warning("child.output_between_runs", pid=self.pid, bytes=len(data))
        return len(data)

    def _drain(self) -> None:
        taken = 0
        while taken < _DRAIN_MAX and (size := self._take_output()):
            taken += size

    def _watch_exit(self) -> None:
        if hasattr(os, "pidfd_open"):
            self._pidfd = os.pidfd_open(self.pid)
            self._loop.add_reader(self._pidfd, self._exited)
            return

        def wait() -> None:
            self._process.wait()
            self._loop.call_soon_threadsafe(self._exited)

        self._pidfd = -1
        threading.Thread(target=wait, name=f"foliot-child-{self.pid}", daemon=True).start()

    def _exited(self) -> None:
        if self._pidfd >= 0:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
        self._kills.remove(self.pid, self._process.poll)
        self._has_exited = True
        if self._is_control_closed:
            self._finish()
        else:  # its last words may still be on the way to us
            self._loop.call_later(_LAST_WORDS_S, self._finish)

    def _control_closed(self) -> None:
        self._is_control_closed = True
        if self._has_exited:
            self._finish()

    def _finish(self) -> None:
        if self.phase is Phase.GONE:
            return
        self._drain()
        self._loop.remove_reader(self._output)
        os.close(self._output)
        if self._transport is not None:
            self._transport.close()
        if not self.was_ready and not self.problems:
            self.problems = [safe_text(self.startup_output.decode("utf-8", "backslashreplace")) or self.exit_words()]
        self.phase = Phase.GONE
        attempt, self.attempt = self.attempt, None
        self.settled.set()
        self.run_over.set()
        self.gone.set()
        self._owner.child_gone(self, attempt)


_HINTS: Final = {
    "SIGKILL": " (not by Foliot; memory running out is the usual cause)",
    "SIGSEGV": " (native code crashed; its stack is in the log)",
    "SIGABRT": " (native code gave up; its stack is in the log)",
    "SIGXCPU": " (it used all the processor time a run may have)",
}
