"""What jobs see of the environment that `foliot up` and `foliot worker` were started with (SEC-20)."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest

from tests.cli.conftest import Shell
from tests.eventually import eventually

pytestmark = pytest.mark.slow

CANARY = "canary-5a1d"
HERE = '''
import os
from pathlib import Path

from foliot import job


@job
def here() -> list[str]:
    """What this process was started with."""
    return Path("/proc/self/environ").read_text().split("\\0")
'''
THERE = '''
import os
from pathlib import Path

import foliot
from foliot import job


@job(group="there")
def there() -> list[str]:
    """The same; and it asks the cluster, as the jobs of this worker may."""
    with foliot.Foliot() as client:
        assert client.jobs.get("there").name == "there"
    return Path("/proc/self/environ").read_text().split("\\0")
'''


@contextmanager
def running(shell: Shell, *args: str, **environment: str) -> Iterator["subprocess.Popen[bytes]"]:
    with (shell.folder / f"{args[0]}.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "foliot", *args],
            cwd=shell.folder,
            env={**shell.env, **environment},
            stdout=log,
            stderr=log,
        )
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(90)


def variables(shell: Shell, job: str) -> dict[str, str]:
    """What a run of the job was started with."""
    eventually(lambda: job in shell("job", "list", "-q").out.split(), within_s=90, what=f"{job} is declared")
    shown = shell("job", "trigger", job, "--wait", "-o", "json")
    assert shown.code == 0, shown.err
    result = shown.json["result"]
    lines = json.loads(result) if isinstance(result, str) else result
    return dict(line.split("=", 1) for line in lines if line)


def test_a_job_sees_none_of_the_secrets_of_its_worker(alone: Shell) -> None:
    (alone.folder / "jobs.py").write_text(HERE)
    (alone.folder / "there.py").write_text(THERE)
    secrets = {"FOLIOT_DB": CANARY, "PGPASSWORD": CANARY, "MYSQL_PWD": CANARY, "ACME_KEY": CANARY}
    said = {"ACME_REGION": "north", **secrets}
    with running(alone, "up", "--port", "0", "--no-watch", "--hide-env", "ACME_KEY", **said) as up:
        client = alone.folder / ".foliot" / "client.json"
        eventually(lambda: client.exists() or up.poll() is not None, within_s=90, what="foliot up is there")
        here = variables(alone, "here")
        assert here["ACME_REGION"] == "north"
        assert here.keys() >= {"PATH", "HOME", "TZ", "LANG"}
        assert CANARY not in str(here)
        assert not any(name.startswith("FOLIOT_") for name in here)
        for child in psutil.Process(up.pid).children(recursive=True):
            assert CANARY not in str(child.environ()), child

        url = json.loads(client.read_text())["url"]
        for name, scope in (("w", "worker"), ("j", "read")):
            made = alone("token", "create", name, "--scope", scope, "--write", str(alone.folder / f"{name}.token"))
            assert made.code == 0, made.err
        options = ("--server", url, "--token-file", "w.token", "--group", "there", "--spool", "spool")
        environment = {**said, "FOLIOT_SERVER": url, "FOLIOT_TOKEN_FILE": "j.token", "W": _text(alone, "w.token")}
        with running(
            alone, "worker", "there.py", *options, "--clean-env", "--keep-env", "FOLIOT_SERVER,FOLIOT_TOKEN_FILE",
            **environment,
        ):  # fmt: skip
            there = variables(alone, "there")
        assert (there["FOLIOT_SERVER"], there["FOLIOT_TOKEN_FILE"]) == (url, "j.token")
        assert there.keys() >= {"PATH", "HOME", "TZ", "LANG"}
        assert not there.keys() & {"ACME_REGION", "W", *secrets}
        assert CANARY not in str(there)


def test_a_name_that_is_none_is_told_and_its_value_is_not(alone: Shell) -> None:
    (alone.folder / "jobs.py").write_text(HERE)
    for command in (("up",), ("worker", "jobs.py", "--server", "http://127.0.0.1:9")):
        refused = alone(*command, "--keep-env", f"PASSWORD={CANARY}")
        assert refused.code == 2
        assert '--keep-env: "PASSWORD=…" is not the name of a variable.' in refused.err
        assert CANARY not in refused.err + refused.out


def _text(shell: Shell, file: str) -> str:
    return (shell.folder / file).read_text().strip()
