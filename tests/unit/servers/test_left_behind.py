"""However the tests end, no server of theirs is left behind."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypedDict

import psutil
import pytest

from tests.eventually import eventually

pytestmark = [pytest.mark.services, pytest.mark.slow]

ROOT = Path(__file__).parents[3]

TEST_THAT_NEVER_ENDS = """
import json, os, threading
from pathlib import Path

pytest_plugins = ["tests.servers.fixtures"]


def test_forever(postgres_server, mariadb_server):
    servers = [postgres_server, mariadb_server]
    if {pause}:
        postgres_server.pause()
    note = {{
        "tests": os.getpid(),
        "pids": [server.pid for server in servers],
        "directories": [str(server.directory.path) for server in servers],
    }}
    half = Path({note!r} + ".half")
    half.write_text(json.dumps(note))
    half.rename({note!r})
    threading.Event().wait()
"""


class Note(TypedDict):
    """What the endless test says of itself."""

    tests: int
    pids: list[int]
    directories: list[str]


@pytest.mark.parametrize(
    ("number", "pause"),
    [
        pytest.param(signal.SIGKILL, False, id="SIGKILL"),
        pytest.param(signal.SIGKILL, True, id="SIGKILL while a server is paused"),
        pytest.param(signal.SIGTERM, False, id="SIGTERM"),
    ],
)
def test_the_servers_go_when_pytest_is_killed(tmp_path: Path, number: signal.Signals, pause: bool) -> None:
    with endless_tests(tmp_path, pause=pause) as pytest_run:
        note = note_of(tmp_path, pytest_run)
        family = [*note["pids"], *children_of(note["pids"])]
        assert note["tests"] == pytest_run.pid
        assert len(family) > len(note["pids"])
        pytest_run.send_signal(number)
        pytest_run.wait()
        eventually(lambda: not any(alive(pid) for pid in family), what="the servers ended")
        eventually(lambda: not any(Path(name).exists() for name in note["directories"]), what="their data is gone")


def test_the_servers_of_an_xdist_worker_go_when_the_controller_is_killed(tmp_path: Path) -> None:
    with endless_tests(tmp_path, "-n", "1") as pytest_run:
        note = note_of(tmp_path, pytest_run)
        assert note["tests"] != pytest_run.pid
        pytest_run.kill()
        pytest_run.wait()
        eventually(lambda: not any(alive(pid) for pid in note["pids"]), within_s=90, what="the servers ended")
        eventually(lambda: not any(Path(name).exists() for name in note["directories"]), what="their data is gone")


@contextmanager
def endless_tests(folder: Path, *options: str, pause: bool = False) -> Iterator[subprocess.Popen[bytes]]:
    """Pytest, started on a test that starts both servers, notes who they are and then waits for ever."""
    test = folder / "test_endless.py"
    test.write_text(TEST_THAT_NEVER_ENDS.format(note=str(folder / "note.json"), pause=pause))
    command = [sys.executable, "-m", "pytest", "-q", "-c", str(ROOT / "pyproject.toml"), *options, str(test)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            yield process
        finally:
            process.kill()


def note_of(folder: Path, pytest_run: subprocess.Popen[bytes]) -> Note:
    note = folder / "note.json"
    eventually(lambda: note.exists() or pytest_run.poll() is not None, within_s=120, what="both servers started")
    assert pytest_run.poll() is None, "the endless tests ended"
    read: Note = json.loads(note.read_text())
    return read


def children_of(pids: list[int]) -> list[int]:
    return [child.pid for pid in pids for child in psutil.Process(pid).children(recursive=True)]


def alive(pid: int) -> bool:
    """Whether it runs; one that nobody reaped, as init would, does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
