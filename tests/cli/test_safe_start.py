"""Starting safely: no default secret, nothing beyond this machine without protection, no store that does not fit."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Shell


def server(alone: Shell, *args: str) -> subprocess.CompletedProcess[str]:
    return alone.process("server", "--db", f"sqlite:///{alone.folder / 'foliot.db'}", "--listen", "127.0.0.1:0", *args)


def upgraded(alone: Shell) -> None:
    done = alone.process("db", "upgrade", "--db", f"sqlite:///{alone.folder / 'foliot.db'}")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("known", ["", "changeme", "default_token", "secret\n", "a" * 40])
def test_a_known_or_weak_first_token_is_refused(alone: Shell, known: str) -> None:
    """SEC-01."""
    upgraded(alone)
    file = alone.folder / "token"
    file.write_text(known)
    refused = server(alone, "--bootstrap-token-file", str(file))
    assert refused.returncode == 2
    assert "[FOL-1061]" in refused.stderr
    assert "listening" not in refused.stdout


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "[::]:0"])
def test_a_server_does_not_listen_beyond_this_machine_unprotected(alone: Shell, listen: str) -> None:
    """SEC-02."""
    upgraded(alone)
    refused = server(alone, "--listen", listen)
    assert refused.returncode != 0
    assert "[FOL-5023]" in refused.stderr
    assert "--behind-proxy" in refused.stderr


def test_a_store_without_tables_is_refused_with_the_next_step(alone: Shell) -> None:
    (alone.folder / "foliot.db").touch()
    refused = server(alone)
    assert refused.returncode != 0
    assert "[FOL-7001]" in refused.stderr
    assert "foliot db upgrade" in refused.stderr


def test_a_taken_port_is_told(alone: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = alone.process("up", "--port", str(port))
    assert refused.returncode != 0
    assert f"Port {port} on 127.0.0.1 is in use." in refused.stderr
    assert "[FOL-5003]" in refused.stderr
    assert not (alone.folder / ".foliot").exists()


def test_tokens_are_in_no_process_table(foliot: Shell) -> None:
    """SEC-20: a token is in a file, never in an argument."""
    secret = (Path(foliot.folder) / ".foliot" / "client.json").read_text()
    child = subprocess.Popen(
        [sys.executable, "-m", "foliot", "run", "logs", "-f", "--job", "sleepy"],
        cwd=foliot.folder,
        env=foliot.env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        token = json.loads(secret)["token"]
        for file in ("cmdline", "environ"):
            assert token.encode() not in Path(f"/proc/{child.pid}/{file}").read_bytes()
    finally:
        child.kill()
        child.wait()
