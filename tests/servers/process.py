"""A server process of ours: in a private directory, under a supervisor that outlives even our SIGKILL."""

import contextlib
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

SUPERVISOR = Path(__file__).with_name("supervise.py")
LOG_TAIL_LINES = 25


class ServerFailed(RuntimeError):
    """The server ended by itself or would not start; the message quotes the end of its log."""


class Directory:
    """A short private directory (a socket path may have 107 bytes) that belongs to the server's user."""

    def __init__(self, user: str) -> None:
        self.user = user if os.geteuid() == 0 else ""  # only root can, and must, become somebody else
        self.path = Path(tempfile.mkdtemp(prefix="flt-", dir="/tmp"))
        if self.user:
            account = pwd.getpwnam(self.user)
            os.chown(self.path, account.pw_uid, account.pw_gid)

    def give(self, path: Path) -> None:
        """Let a file in it, which we wrote, belong to the server's user."""
        if self.user:
            shutil.chown(path, self.user)

    def remove(self) -> None:
        """Delete it with everything in it."""
        shutil.rmtree(self.path, ignore_errors=True)


class ServerProcess:
    """One start of a program in a `Directory`. Ends when we do, however we end."""

    def __init__(
        self, command: list[str], directory: Directory, *, log: str, environment: Mapping[str, str] | None = None
    ) -> None:
        self.log = directory.path / log
        order = {
            "client": os.getpid(),
            "command": command,
            "directory": str(directory.path),
            "environment": {"PATH": os.defpath, "LANG": "C.UTF-8", "TZ": "UTC"}
            # MariaDB clears its temporary folder of tables when it starts: another server's, if they share one
            | dict.fromkeys(("HOME", "TMPDIR"), str(directory.path))
            | dict(environment or {}),
            "log": str(self.log),
            "user": directory.user,
        }
        self._supervisor = subprocess.Popen(
            [sys.executable, "-I", "-S", str(SUPERVISOR), json.dumps(order)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for us; we then stop the server in good order
        )
        self.pid = int(self._answer() or 0)

    def alive(self) -> bool:
        """Whether the program still runs."""
        return self._supervisor.poll() is None

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program itself."""
        self._command(f"signal {number:d}")

    def pause(self) -> None:
        """Stop the program and all its children where they stand."""
        self._command("pause")

    def resume(self) -> None:
        """Let the program and all its children go on."""
        self._command("resume")

    def wait(self, *, within_s: float) -> int:
        """Wait until the program and every process it left behind are gone; return its exit code."""
        code = self._supervisor.wait(within_s)
        self._close()
        return code

    def end(self) -> None:
        """Kill whatever of it still runs."""
        if self.alive():
            self._say("end")
        self._supervisor.wait()
        self._close()

    def log_tail(self) -> str:
        """The last lines it wrote."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return "\n".join(lines[-LOG_TAIL_LINES:])

    def _command(self, line: str) -> None:
        self._say(line)
        self._answer()

    def _say(self, line: str) -> None:
        assert self._supervisor.stdin
        with contextlib.suppress(BrokenPipeError):  # it has ended by itself just now
            self._supervisor.stdin.write(f"{line}\n".encode())
            self._supervisor.stdin.flush()

    def _answer(self) -> bytes:
        assert self._supervisor.stdout
        return self._supervisor.stdout.readline()

    def _close(self) -> None:
        for pipe in (self._supervisor.stdin, self._supervisor.stdout):
            with contextlib.suppress(BrokenPipeError):
                if pipe:
                    pipe.close()


def run_tool(command: list[str], directory: Directory, *, within_s: float = 60.0) -> None:
    """Run a program to its end as the server's user; `ServerFailed` if it does not succeed."""
    tool = ServerProcess(command, directory, log="tools.log")
    try:
        code = tool.wait(within_s=within_s)
    finally:
        tool.end()
    if code != 0:
        raise ServerFailed(f"{Path(command[0]).name} ended with {code}\n{tool.log_tail()}")
