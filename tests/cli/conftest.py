"""A real `foliot up` in a folder of its own, and the command line beside it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.eventually import eventually

# `tick` is due half an hour after (and before) the tests begin: what they look at is what they triggered.
JOBS = '''
from datetime import date

from foliot import Ctx, cron, every, job


@job(every("1h", phase="{phase}s"))
def tick(ctx: Ctx) -> int:
    """Counts to three."""
    for i in range(3):
        ctx.log.info("tick", i=i)
    return 3


@job
def greet(name: str = "world", shout: bool = False) -> str:
    """Says hello."""
    return f"HELLO {name.upper()}" if shout else f"hello {name}"


@job
def fail(why: str = "boom") -> None:
    """Always fails."""
    raise ValueError(why)


@job(params={"day": "2026-01-31"}, tags={"team": "data"}, owner="结算组")
def settle(day: date, dry_run: bool = False) -> dict[str, object]:
    """月末结算"""
    return {"day": day.isoformat(), "orders": 3}


@job
def big() -> str:
    """Returns more than is kept."""
    return "x" * 100_000


@job(cron("0 2 * * *", calendar="nowhere"))
def odd() -> None:
    """Is refused: there is no such calendar."""


@job(grace="10m", tags={"kind": "stubborn"})
def stubborn(ctx: Ctx) -> None:
    """Does not stop when it is asked to."""
    import signal
    import threading

    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    ctx.log.info("deaf")
    threading.Event().wait(600)


@job
async def sleepy(ctx: Ctx, seconds: float = 600) -> str:
    """Sleeps until it is told to stop."""
    import asyncio

    ctx.progress(1, 4)
    await asyncio.sleep(seconds)
    return "awake"
'''


NOTIFY = """
[notify]
allow = ["loopback"]

[secrets.HOOK]
file = "hook"
namespaces = ["*"]
"""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a command said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True, kw_only=True)
class Shell:
    """The command line in one folder."""

    folder: Path
    config: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        """A plain environment: no language, no contexts, UTC."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        plain = {"FOLIOT_CONFIG": str(self.config), "TZ": "UTC", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
        return {**kept, **plain, **self.environment}

    def __call__(self, *args: str, stdin: str | None = None, **environment: str) -> Answer:
        """Run a command in this process, as the shell would."""
        from foliot.cli import main

        runner = CliRunner()
        before = Path.cwd()
        os.chdir(self.folder)
        ours = ("FOLIOT", "LC_", "LANG", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TERM", "XDG_")
        cleared = {name: None for name in os.environ if name.startswith(ours)}
        try:
            result = runner.invoke(
                main, list(args), prog_name="foliot", input=stdin, env={**cleared, **self.env, **environment}
            )
        finally:
            os.chdir(before)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Answer(code=result.exit_code, out=result.stdout, err=result.stderr)

    def process(self, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command as a process of its own."""
        return subprocess.run(
            [sys.executable, "-m", "foliot", *args],
            cwd=self.folder,
            env={**self.env, **environment},
            capture_output=True,
            check=False,
            text=True,
            timeout=120,
        )

    def state(self, run: str) -> str:
        """Where a run stands."""
        return str(self("run", "show", run, "-o", "json").json["state"])

    def kinds(self) -> set[str]:
        """What kinds of nodes there are."""
        return {node["kind"] for node in self("node", "list", "-o", "json").json["items"]}

    def led(self) -> str:
        """The name of the leader, as soon as there is one."""
        return eventually(
            lambda: str(self("cluster", "leader", "-o", "json").json["leader"] or ""), within_s=60, what="a leader"
        )


def interruptible() -> None:
    """Ctrl-C reaches programs in a terminal, also when these tests run in the background of a shell that ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture(scope="session")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in which `foliot up` runs."""
    folder = tmp_path_factory.mktemp("up")
    (folder / "jobs.py").write_text(JOBS.replace("{phase}", str(int(time.time() + 1800) % 3600)), "utf-8")
    (folder / "notify.toml").write_text(NOTIFY, "utf-8")
    (folder / "hook").write_text("http://127.0.0.1:9/", "utf-8")
    shell = Shell(folder=folder, config=folder / "config")
    log = (folder / "up.log").open("w")
    process = subprocess.Popen(
        [sys.executable, "-m", "foliot", "up", "--port", "0", "--no-watch", "--notify", "notify.toml"],
        cwd=folder,
        stdout=log,
        stderr=log,
        env=shell.env,
    )
    try:
        eventually(
            lambda: (folder / ".foliot" / "client.json").exists() or process.poll() is not None,
            within_s=90,
            what="foliot up writes client.json",
        )
        assert process.poll() is None, (folder / "up.log").read_text()
        eventually(lambda: len(shell("job", "list", "-q").out.split()) == 7, within_s=90, what="the jobs are declared")
        eventually(lambda: shell.kinds() == {"server", "worker"}, within_s=90, what="server and worker are there")
        yield folder
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(90)  # it waits half a minute for what still runs
        log.close()


@pytest.fixture
def foliot(up: Path, tmp_path: Path) -> Shell:
    """The command line beside a running `foliot up`, with no contexts of its own."""
    return Shell(folder=up, config=tmp_path / "config")


@pytest.fixture
def alone(tmp_path: Path) -> Shell:
    """The command line where nothing runs."""
    folder = tmp_path / "empty"
    folder.mkdir()
    return Shell(folder=folder, config=tmp_path / "config")
