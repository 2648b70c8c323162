"""A server and a worker with `--supervise` whose processes stand still: both are replaced, and every run ends once."""

import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import psutil
import pytest

from foliot import Foliot
from tests.cluster.process import Process
from tests.eventually import eventually
from tests.servers.ports import free_ports

TOKEN: Final = "a-token-of-a-test-that-is-long-enough-0123456789"
RUNS: Final = 12
WITHIN_S: Final = 120
WATCHED: Final = ("--supervise", "--wedged-after", "5s")
JOBS: Final = """
import os
from pathlib import Path
from foliot import Ctx, job

@job(name="note", overlap="allow")
def note(ctx: Ctx) -> None:
    with Path(os.environ["NOTES"]).open("a") as notes:
        notes.write(f"{ctx.run_id}\\n")
"""


class Node:
    """A supervisor, and the process that it watches."""

    def __init__(self, name: str, folder: Path, *words: str, **environment: str) -> None:
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        address = str(folder / f"{name}.notify")
        self._listener.bind(address)
        self._listener.setblocking(False)
        self.said: list[str] = []
        command = [sys.executable, "-m", "foliot", *words, *WATCHED]
        self.supervisor = Process(name, command, folder, {"NOTIFY_SOCKET": address, **environment})

    def child(self) -> psutil.Process:
        (child,) = psutil.Process(self.supervisor.pid).children()
        return child

    def has_said(self, field: str, times: int = 1) -> bool:
        """Whether systemd heard it through the supervisor."""
        assert self.supervisor.is_alive or field == "STOPPING=1", self.supervisor.log.read_text()
        while True:
            try:
                self.said += self._listener.recv(4096).decode().split("\n")
            except BlockingIOError:
                return Counter(self.said)[field] >= times

    def close(self) -> None:
        family = self.supervisor.family()
        for process in family:
            process.kill()
        self._listener.close()


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[Node, Node, Foliot]]:
    (port,) = free_ports(1)
    url, store = f"http://127.0.0.1:{port}", f"sqlite:///{folder / 'foliot.db'}"
    (folder / "token").write_text(TOKEN)
    (folder / "token").chmod(0o600)
    (folder / "jobs.py").write_text(JOBS)
    subprocess.run([sys.executable, "-m", "foliot", "db", "upgrade", "--db", store], check=True, capture_output=True)
    with ExitStack() as running:
        server = Node("server", folder, "server", "--db", store, "--listen", f"127.0.0.1:{port}", "--timing", "test",
                      "--bootstrap-token-file", str(folder / "token"))  # fmt: skip
        running.callback(server.close)
        eventually(lambda: server.has_said("READY=1"), what="the server serves", within_s=WITHIN_S)
        worker = Node("worker", folder, "worker", str(folder / "jobs.py"), "--server", url, "--token-file",
                      str(folder / "token"), "--spool", str(folder / "spool"), "--slots", "2", "--keep-env", "NOTES",
                      NOTES=str(folder / "notes"))  # fmt: skip
        running.callback(worker.close)
        eventually(lambda: worker.has_said("READY=1"), what="the worker has registered", within_s=WITHIN_S)
        yield server, worker, running.enter_context(Foliot(url, TOKEN, timeout="60s"))


@pytest.mark.slow
def test_nodes_that_stand_still_are_replaced_and_every_run_ends_once(tmp_path: Path) -> None:
    with cluster(tmp_path) as (server, worker, client):
        runs = [client.jobs.trigger("note") for _ in range(RUNS // 2)]
        still = [worker.child(), server.child()]
        for process in still:
            process.send_signal(signal.SIGSTOP)
        eventually(lambda: server.has_said("READY=1", times=2), what="a new server serves", within_s=WITHIN_S)
        runs += [client.jobs.trigger("note") for _ in range(RUNS // 2)]
        eventually(lambda: worker.has_said("READY=1", times=2), what="a new worker works", within_s=WITHIN_S)
        states = {run.id: run.wait("2m").state for run in runs}
        for node in (worker, server):
            assert node.supervisor.stop() == 0
            assert node.has_said("STOPPING=1")

    assert set(states.values()) == {"SUCCEEDED"}
    assert {str(run.id) for run in runs} <= set((tmp_path / "notes").read_text().split())
    assert not any(process.is_running() for process in still)
    assert "supervisor.wedged" in server.supervisor.log.read_text()
    assert "supervisor.wedged" in worker.supervisor.log.read_text()
