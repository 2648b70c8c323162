"""`docs/how-to/run-a-cluster.md`, typed as it stands: real servers, a real worker, PostgreSQL.

Adapted is only what cannot be the same in a test: ports, the folder /etc/foliot, packages, who makes the database.
"""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.servers.fixtures import MakeDatabase
from tests.servers.ports import free_ports

pytestmark = pytest.mark.services

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "run-a-cluster.md"
END = "A worker that others have access to"  # from here on the page shows variants
WITHIN_S = 90
RUNS_ON = ("foliot server ", "foliot worker ")
NOT_HERE = ("pip install ", "sudo -u postgres ")


def commands() -> Iterator[str]:
    """What the page tells to type, one command after the other."""
    page = PAGE.read_text("utf-8").partition(END)[0]
    for block in re.findall(r"^```console\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL):
        whole = block.replace("\\\n", "")
        yield from (line.removeprefix("$ ") for line in whole.splitlines() if line.startswith("$ "))


class Machine:
    """A fresh machine: an empty home, no contexts, `foliot` in the path."""

    def __init__(self, home: Path, log: Path) -> None:
        self._home = home
        self.log = log
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}"
        self._environment = {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "NO_COLOR": "1"}

    def types(self, command: str) -> str:
        """Run it to its end; what it printed."""
        done = subprocess.run(
            ["/bin/bash", "-ec", command], cwd=self._home, env=self._environment, capture_output=True, text=True,
            check=False, timeout=WITHIN_S,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}\n{self.log.read_text()}"
        return done.stdout

    def leaves_running(self, command: str, until: ExitStack) -> "subprocess.Popen[bytes]":
        """Start it, as in a terminal of its own."""
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                ["/bin/bash", "-ec", f"exec {command}"], cwd=self._home, env=self._environment, stdout=log, stderr=log
            )
        until.callback(process.wait, WITHIN_S)
        until.callback(process.terminate)
        return process


def test_the_page_word_for_word(tmp_path: Path, postgres_database: MakeDatabase) -> None:
    ports = dict(zip(("7171", "7172"), map(str, free_ports(2)), strict=True))
    log = tmp_path / "processes.log"
    log.touch()
    home = tmp_path / "home"
    home.mkdir()
    machine = Machine(home, log)
    url, said = postgres_database(), {}
    with ExitStack() as running:
        for written in commands():
            if written.startswith(NOT_HERE):
                continue
            command = written.replace("postgresql://foliot:SECRET@127.0.0.1/foliot", url)
            command = command.replace("/etc/foliot", str(tmp_path / "etc"))
            command = re.sub("717[12]", lambda port: ports[port[0]], command)
            if not command.startswith(RUNS_ON):
                said[written] = machine.types(command)
                continue
            process = machine.leaves_running(command, running)
            eventually(partial(has_begun, machine, command, process), within_s=WITHIN_S, what=written)
            assert process.poll() is None, f"{command}\n{log.read_text()}"
        nodes = machine.types("foliot node list -q").split()
    assert said["foliot job trigger greet -p name=cluster --wait"].strip().endswith("hello cluster")
    assert {"a", "b"} < set(nodes)


def has_begun(machine: Machine, command: str, process: "subprocess.Popen[bytes]") -> bool:
    """Whether a server listens where its command says, or a worker has declared its jobs; or it has ended."""
    if process.poll() is not None:
        return True
    if command.startswith("foliot worker"):
        return "greet" in machine.types("foliot job list -q")
    port = re.search(r"--listen \S+:(\d+)", command)
    assert port is not None, command
    with closing(socket.socket()) as tried:
        return tried.connect_ex(("127.0.0.1", int(port[1]))) == 0
