"""One server or worker as a real process: killed, stopped with everything it started, and measured."""

import ctypes
import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import psutil

ROOT = Path(__file__).parents[2]
_PR_SET_PDEATHSIG = 1


def _die_with_parent() -> None:
    """However the test process ends, its children end with it."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Process:
    """One server or worker."""

    def __init__(self, name: str, command: list[str], folder: Path, environment: Mapping[str, str]) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        self._out: IO[bytes] = self.log.open("ab")
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **environment},
            stdout=self._out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_die_with_parent,  # noqa: PLW1509  nothing but one system call
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    @property
    def is_paused(self) -> bool:
        """Whether it is stopped by a signal, its own or ours."""
        return self.is_alive and psutil.Process(self.pid).status() == psutil.STATUS_STOPPED

    @property
    def has_failed(self) -> bool:
        """Whether it ended by itself, and not well."""
        return self._process.poll() not in (None, 0, -signal.SIGKILL)

    @property
    def peak_memory_mb(self) -> int:
        """The most memory it ever had; 0 when it is gone."""
        try:
            status = Path(f"/proc/{self.pid}/status").read_text()
        except OSError:
            return 0
        found = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
        return int(found[0]) // 1024 if found else 0

    def family(self) -> list[psutil.Process]:
        """The process and everything it started."""
        try:
            me = psutil.Process(self.pid)
            return [me, *me.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def pause(self) -> None:
        """Stop it and everything it started, as when its machine stands still."""
        self._signal_all(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal_all(signal.SIGCONT)

    def stop(self, *, within_s: float = 60.0) -> int:
        """Drain and leave; the exit code."""
        if self.is_alive:
            self._process.terminate()
        return self._process.wait(within_s)

    def close(self) -> None:
        if self.is_alive:
            self.resume()
            self.kill()
        self._out.close()

    def _signal_all(self, number: signal.Signals) -> None:
        for process in self.family():
            try:
                process.send_signal(number)
            except psutil.NoSuchProcess:
                continue
