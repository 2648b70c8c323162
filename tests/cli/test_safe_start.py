"""Starting safely: no default secret, nothing beyond this machine without protection, no store that does not fit."""

import json
import os
import re
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from tests.cli.conftest import Shell
from tests.eventually import eventually


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
    assert "run foliot db upgrade with the same --db or --db-file  [FOL-7001]" in refused.stderr


def test_a_taken_port_is_told(alone: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = alone.process("up", "--port", str(port))
    assert refused.returncode != 0
    assert re.search(rf"Port {port} on 127\.0\.0\.1 is in use by \S+ \(pid {os.getpid()}\)\.", refused.stderr)
    assert "[FOL-5003]" in refused.stderr
    assert not (alone.folder / ".foliot").exists()


def test_a_port_taken_by_another_foliot_is_told_with_its_folder(foliot: Shell, alone: Shell) -> None:
    url = json.loads((foliot.folder / ".foliot" / "client.json").read_text())["url"]
    port = int(url.rpartition(":")[2])
    refused = alone.process("up", "--port", str(port))
    said = rf'Port {port} on 127\.0\.0\.1 is in use by another "foliot up" \(pid \d+, {re.escape(str(foliot.folder))}\)'
    assert re.search(said, refused.stderr)
    assert f"--port {port + 1}" in refused.stderr


def test_sqlite_serves_one_machine(alone: Shell) -> None:
    upgraded(alone)
    with closing(sqlite3.connect(alone.folder / "foliot.db")) as store, store:
        far = 2**60
        store.execute(
            "INSERT INTO nodes (id, name, kind, state, until, started_at, last_beat_at, beat_no, settled, group_name, "
            "slots, version, protocol, host, pid, labels, handlers) "
            "VALUES ('s', 's-2', 'server', 'live', ?, 1, 1, 0, 0, '', 0, '1', 1, 'other-box', 1, '{}', '[]')", (far,),
        )  # fmt: skip
    refused = server(alone)
    assert refused.returncode != 0
    assert "SQLite serves one machine; this store is served by other-box already." in refused.stderr
    assert "[FOL-7002]" in refused.stderr
    assert "postgresql://" in refused.stderr


def test_up_shows_a_link_that_logs_a_browser_in_once(foliot: Shell) -> None:
    said = (foliot.folder / "up.log").read_text()
    link = re.search(r"Browser login +(http://127\.0\.0\.1:\d+)/login#(\S+)", said)
    assert link is not None, said
    with httpx2.Client(base_url=link[1], timeout=60) as browser:
        page = browser.get("/login")
        assert page.status_code == 200
        assert "unsafe" not in page.headers["content-security-policy"]
        assert link[2] not in page.text
        assert browser.get("/api/docs").status_code == 401
        assert browser.post("/api/v1/login", json={"code": link[2], "cookie": True}).status_code == 200
        assert browser.get("/api/docs").status_code == 200, "the cookie opens it"
        assert browser.post("/api/v1/login-codes", json={}).json()["code"] == "FOL-4005", "not without the header"
        again = browser.post("/api/v1/login", json={"code": link[2]})
        assert (again.status_code, again.json()["code"]) == (401, "FOL-4003")


def test_up_speaks_one_form(foliot: Shell) -> None:
    heading, _, feed = (foliot.folder / "up.log").read_text().partition("foliot server --help\n")
    assert "✔ database" in heading
    lines = [line for line in feed.splitlines() if line.strip()]
    assert all(
        re.match(r"\d\d:\d\d:\d\d  [✔✖▲·…] \S| {11}\S|  In a second terminal:  foliot ", line) for line in lines
    ), lines
    (refused,) = [at for at, line in enumerate(lines) if "nowhere" in line]
    assert re.match(r'\S+  ▲ odd: No calendar "nowhere"\.$', lines[refused])
    assert lines[refused + 1].endswith("  [FOL-2010]")


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
        eventually(lambda: b"foliot" in Path(f"/proc/{child.pid}/cmdline").read_bytes(), within_s=60)
        for file in ("cmdline", "environ"):
            assert token.encode() not in Path(f"/proc/{child.pid}/{file}").read_bytes()
    finally:
        child.kill()
        child.wait()
