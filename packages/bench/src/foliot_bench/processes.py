"""Servers and workers as real processes of the installed package, each with a log of its own."""

import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from foliot_bench.ground import Ground
from foliot_bench.moments import CHANCE, CLOCK, pause
from foliot_bench.troubles import BenchFailed

START_WITHIN_S: Final = 60.0
LOOK_EVERY_S: Final = 0.05
TAIL_LINES: Final = 15
HANDLER_MODULE: Final = "foliot_bench.noop"
_LISTENS: Final = re.compile(r"^listening on http://127\.0\.0\.1:(\d+)", re.MULTILINE)
_PR_SET_PDEATHSIG: Final = 1


class Process:
    """One server or worker."""

    def __init__(self, name: str, words: list[str], folder: Path, environment: Mapping[str, str]) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        self.began_at = self.log.stat().st_size if self.log.exists() else 0  # what an earlier start wrote ends here
        with self.log.open("ab") as out:
            self._process = subprocess.Popen(  # noqa: S603  our own program, words of our own
                [sys.executable, "-m", "foliot", *words],
                cwd=folder,
                env={**_clean_environment(), **environment},
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for us, and we end them
                preexec_fn=_die_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509  one system call
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def said(self) -> str:
        """What it wrote since it was started."""
        return self.log.read_bytes()[self.began_at :].decode("utf-8", "replace")

    def kill(self) -> None:
        """End it as a power cut would."""
        self._process.kill()
        self._process.wait()


class Cluster:
    """Servers and workers around one store."""

    def __init__(self, url: str, folder: Path, *, token: str | None = None) -> None:
        self.processes: dict[str, Process] = {}
        self._url = url
        self._folder = folder
        self._ports: dict[str, int] = {}
        self._token = folder / "token"
        self._token.write_text(token or CHANCE.secret(), "utf-8")

    async def start_server(self, name: str = "server") -> Process:
        """A server that answers; it keeps its port when it is started again."""
        words = [
            *("server", "--listen", f"127.0.0.1:{self._ports.get(name, 0)}", "--node", name),
            *("--bootstrap-token-file", str(self._token), "--log-level", "warning"),
        ]
        process = self._started(name, words, {"FOLIOT_DB": self._url})
        deadline = CLOCK.monotonic() + START_WITHIN_S
        while (listens := _LISTENS.search(process.said())) is None:
            self.check()
            if CLOCK.monotonic() > deadline:
                raise BenchFailed(f"{name} did not answer within {START_WITHIN_S:g} s:\n{_tail(process)}")
            await pause(LOOK_EVERY_S)
        self._ports[name] = int(listens[1])
        return process

    async def start_worker(self, ours: Ground, *, slots: int, name: str = "worker", number: int = 1) -> Process:
        """A worker that has registered. `number`: how many are there with it."""
        servers = ",".join(f"http://127.0.0.1:{port}" for port in self._ports.values())
        words = [
            *("worker", HANDLER_MODULE, "--name", name, "--server", servers, "--token-file", str(self._token)),
            *("--slots", str(slots), "--spool", str(self._folder / f"spool-{name}"), "--log-level", "warning"),
        ]
        process = self._started(name, words, {})
        deadline = CLOCK.monotonic() + START_WITHIN_S
        while await ours.workers() < number:
            self.check()
            if CLOCK.monotonic() > deadline:
                raise BenchFailed(f"{name} did not register within {START_WITHIN_S:g} s:\n{_tail(process)}")
            await pause(LOOK_EVERY_S)
        return process

    def know_server(self, name: str, port: int) -> None:
        """One that somebody else has started: workers are told of it."""
        self._ports[name] = port

    def pids(self) -> dict[str, int]:
        """By name."""
        return {name: process.pid for name, process in self.processes.items()}

    def check(self) -> None:
        """Raise when a process has ended by itself; the end of its log says why."""
        for name, process in self.processes.items():
            if not process.is_alive:
                raise BenchFailed(f"{name} ended by itself:\n{_tail(process)}")

    def close(self) -> None:
        """End them all."""
        for process in self.processes.values():
            if process.is_alive:
                process.kill()

    def _started(self, name: str, words: list[str], environment: Mapping[str, str]) -> Process:
        process = self.processes[name] = Process(name, words, self._folder, environment)
        return process


@contextmanager
def cluster(url: str, *, token: str | None = None) -> Iterator[Cluster]:
    """Processes that end with this block, and their folder with them."""
    folder = Path(tempfile.mkdtemp(prefix="foliot-bench-"))
    started = Cluster(url, folder, token=token)
    try:
        yield started
    finally:
        started.close()
        shutil.rmtree(folder, ignore_errors=True)


def _clean_environment() -> dict[str, str]:
    """Whatever this shell says about another cluster is not meant."""
    return {name: value for name, value in os.environ.items() if not name.startswith("FOLIOT_")}


def _die_with_parent() -> None:
    """However the benchmark ends, its processes end with it."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _tail(process: Process) -> str:
    return "\n".join(process.said().splitlines()[-TAIL_LINES:])
