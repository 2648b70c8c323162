"""Sandboxes: what a script from the API can reach, how much it can take, and where none can be had."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from foliot.domain.verdict import Cause
from foliot.worker.handlers.shell import kind as shell_kind
from foliot.worker.handlers.shell.kind import Shell
from foliot.worker.handlers.shell.settings import ShellSettings
from tests.unit.worker.shell_runs import LAUNCHER, argv, commands, error_of, marked_processes, result_of, sh

PROBE = """
import ctypes, json, os, socket, sys
def tried(act):
    try:
        return str(act())
    except Exception as error:
        return type(error).__name__
def connects():
    with socket.create_connection(("127.0.0.1", int(os.environ["PORT"])), timeout=2):
        return "connected"
def resolved():
    return socket.getaddrinfo("localhost", 80) and open("/etc/resolv.conf").read()
status = dict(line.split(":", 1) for line in open("/proc/self/status").read().splitlines() if ":" in line)
print(json.dumps({
    "uid": os.getuid(),
    "is_worker": os.getuid() == int(os.environ["WORKER_UID"]),
    "capabilities": status["CapEff"].strip(),
    "no_new_privileges": status["NoNewPrivs"].strip(),
    "network": tried(connects),
    "interfaces": [name for _, name in socket.if_nameindex()],
    "processes": sum(name.isdigit() for name in os.listdir("/proc")),
    "sees_worker": "pytest" in tried(lambda: open("/proc/" + os.environ["WORKER"] + "/cmdline").read()),
    "of_the_first": tried(lambda: open("/proc/1/environ").read()),
    "secret": tried(lambda: open(os.environ["SECRET"]).read()),
    "shadow": tried(lambda: open("/etc/shadow").read()),
    "writes_outside": tried(lambda: open(os.environ["SECRET"], "w")),
    "writes_programs": tried(lambda: open("/usr/bin/evil", "w")),
    "writes_root": tried(lambda: open("/evil", "w")),
    "mounts": tried(lambda: os.chroot("/tmp")),
    "sysctl": tried(lambda: open("/proc/sys/kernel/hostname", "w").write("evil")),
    "namespaces": ctypes.CDLL(None).unshare(0x10000000),
    "devices": sorted(os.listdir("/dev")),
    "folders": sorted(os.listdir("/")),
    "works_in": os.getcwd(),
    "writes_there": tried(lambda: open("mine", "w").write("x")),
}))
"""

MUST_FAIL = (
    "of_the_first", "secret", "shadow", "writes_outside", "writes_programs", "writes_root", "mounts", "sysctl",
)  # fmt: skip
VISIBLE = {"bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "tmp", "usr"}
BOMB = """
import os, signal
try:
    while True:
        os.fork() or signal.pause()
except OSError:
    print(sum(name.isdigit() for name in os.listdir("/proc")))
"""
REFUSED = {"PermissionError", "FileNotFoundError", "OSError"}


@pytest.fixture
def secret() -> Iterator[Path]:
    """A file that every user of the machine can read; pytest's own folders are closed to others."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        file = Path(folder) / "secret"
        file.write_text("canary")
        file.chmod(0o644)
        yield file


def check_probe(seen: dict[str, object]) -> None:
    assert seen["capabilities"] == "0" * 16
    assert seen["no_new_privileges"] == "1"
    assert seen["network"] in {"OSError", "ConnectionRefusedError"}
    assert "eth0" not in seen["interfaces"]  # type: ignore[operator]
    assert seen["processes"] == 2
    assert not seen["sees_worker"]
    for what in (
        "of_the_first",
        "secret",
        "shadow",
        "writes_outside",
        "writes_programs",
        "writes_root",
        "mounts",
        "sysctl",
    ):
        assert seen[what] in REFUSED, (what, seen[what])
    assert set(seen["folders"]) <= VISIBLE  # type: ignore[call-overload]
    assert seen["namespaces"] == -1
    assert seen["works_in"] == "/tmp/foliot/own"
    assert seen["writes_there"] == "1"


async def test_a_script_reaches_nothing_outside_its_sandbox(secret: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        around = {
            "PORT": str(server.getsockname()[1]),
            "SECRET": str(secret),
            "WORKER": str(os.getpid()),
            "WORKER_UID": str(os.getuid()),
        }
        probe = {"script": PROBE, "language": "python", "env": around}
        async with commands() as bench:
            seen = result_of(await bench.run(probe))
            check_probe(seen)
            assert not seen["is_worker"]
        async with commands(network=True, folders=[str(secret.parent)]) as bench:
            seen = result_of(await bench.run(probe))
            assert [seen["network"], seen["secret"]] == ["connected", "canary"]
            assert seen["writes_outside"] in REFUSED
            worked = await bench.run(sh("pwd", cwd=str(secret.parent)))
            assert result_of(worked) == str(secret.parent)
    assert secret.read_text() == "canary"


async def test_a_script_takes_no_more_than_its_bounds() -> None:
    mark = f"foliot-bomb-{os.getpid()}"
    memory = "bytearray(600 * 1024 * 1024)"
    disk = "head -c 9000000 /dev/zero > a && head -c 9000000 /dev/zero > b"
    limits = {"processes": 30, "memory_mb": 300, "file_mb": 10, "cpu_s": 1}
    async with commands(limits=limits, sandbox_tmp_mb=12) as bench:
        bombed = await bench.run({"script": BOMB, "language": "python", "args": [mark]})
        assert 20 < result_of(bombed) <= 31
        eaten = await bench.run({"script": memory, "language": "python"})
        assert "MemoryError" in eaten.log
        full = await bench.run(sh(disk))
        assert "No space left" in full.log
        wide = await bench.run(sh("head -c 11000000 /dev/zero > a"))
        assert "File size limit" in wide.log or "too large" in wide.log, wide.log
        busy = await bench.run(sh("while :; do :; done"), timeout_us=60_000_000)
        assert busy.cause is Cause.ERROR
        assert "SIGXCPU" in error_of(busy) or "SIGKILL" in error_of(busy)
    assert marked_processes(mark) == [], "the bomb outlived its run"


async def test_each_language_runs_its_script() -> None:
    greetings = {
        "sh": 'echo "hello $1"',
        "bash": 'words=(hello "$1"); echo "${words[@]}"',
        "python": "import sys; print('hello', sys.argv[1])",
        "node": "console.log('hello ' + process.argv[2])",
    }
    async with commands() as bench:
        offered = {offer.name for offer in bench.bench.kind.offers()}
        assert offered >= {"shell", "shell:sh", "shell:bash", "shell:python"}
        for language, text in greetings.items():
            if f"shell:{language}" in offered:
                row = await bench.run({"script": text, "language": language, "args": ["you; id"]})
                assert result_of(row) == "hello you; id", language


def test_scripts_are_not_offered_where_no_sandbox_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell_kind, "why_no_sandbox", lambda _: "unshare: Operation not permitted")
    wanted = {"scripts": ["shell"], "all": [], "none": ["shell", "shell:sh"]}
    for mode, names in wanted.items():
        kind = Shell()
        kind.settings = ShellSettings(sandbox=mode)  # type: ignore[arg-type]
        assert [offer.name for offer in kind.offers()][:2] == names
    kind.settings = ShellSettings(scripts=False)
    assert [offer.name for offer in kind.offers()] == ["shell"]


async def test_with_the_mode_all_commands_are_kept_apart_too(secret: Path) -> None:
    async with commands(sandbox="all") as bench:
        row = await bench.run(argv("cat", str(secret)))
        assert "No such file" in error_of(row)


def test_a_worker_that_is_not_root_has_a_sandbox_by_a_user_namespace(secret: Path) -> None:
    """Executed by the system's own Python: another user may not read the one of the tests."""
    python = shutil.which("python3", path="/usr/bin:/bin")
    assert python is not None
    for name in ("launcher.py", "sandbox.py", "seccomp.py"):
        shutil.copy(LAUNCHER.with_name(name), secret.parent / name)
        (secret.parent / name).chmod(0o644)
    order = {
        "program": python, "argv": ["python3", "-I", None], "script": PROBE, "stdin": None, "files": {}, "cwd": None,
        "env": {"PORT": "9", "SECRET": str(secret), "WORKER": str(os.getpid()), "WORKER_UID": "0"},
        "umask": 63, "uid": None, "gid": None, "groups": [], "limits": {"RLIMIT_NPROC": 500},
        "sandbox": {"network": False, "tmp_bytes": 1 << 24, "folders": []}, "folder_in": "/tmp", "result_max": 1000,
    }  # fmt: skip
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    order_fd = os.memfd_create("order")
    os.write(order_fd, json.dumps(order).encode())
    os.lseek(order_fd, 0, os.SEEK_SET)
    reading, writing = os.pipe()
    command = [*as_nobody, python, "-I", "-S", "launcher.py", str(order_fd), str(writing)]
    with subprocess.Popen(
        command, cwd=secret.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=(order_fd, writing)
    ) as launcher:
        os.close(order_fd)
        os.close(writing)
        with os.fdopen(reading) as news:
            said = [json.loads(line) for line in news]
        assert launcher.stdout is not None
        out = launcher.stdout.read()
    assert said[-1].get("code") == 0, said
    check_probe(json.loads(out))
