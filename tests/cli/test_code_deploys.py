"""What a user does who deploys code: a job is removed, the worker restarted, the list looked at; real processes."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from foliot import Foliot
from tests.eventually import eventually

pytestmark = pytest.mark.slow

COMMAND = (sys.executable, "-c", "from foliot.cli import main; main()")
OTHER = "from foliot import job\n\n\n@job\ndef other() -> None: ...\n"
BILLING = """
from foliot import every, job


@job(every("1h"))
def settle() -> None: ...


@job(every("1h"))
def report() -> None: ...
"""
PAY = "from foliot import job\n\n\n@job\ndef pay() -> str:\n    return __name__\n"
RENAMED = BILLING.replace("def report", "def reports")


@contextmanager
def running(folder: Path, *command: str, log: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A command in the user's folder, stopped as an orderly restart does it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FOLIOT_")}
    with (folder / log).open("a") as said:
        process = subprocess.Popen(
            [*COMMAND, *command], cwd=folder, env=environment, stdout=said, stderr=subprocess.STDOUT
        )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(60)
        finally:
            process.kill()


def shown(folder: Path, *command: str) -> str:
    """What a command prints."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FOLIOT_")}
    asked = [*COMMAND, *command, "--tz", "UTC"]
    done = subprocess.run(asked, cwd=folder, env=environment, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


def states(client: Foliot) -> dict[str, str]:
    """Each job's state, `RETIRED` where it is that."""
    return {job.name: "RETIRED" if job.raw["retired_at"] else job.state for job in client.jobs.list()}


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Foliot]]:
    """A user's folder in which `foliot up` runs, and a client of it."""
    folder = tmp_path_factory.mktemp("deploys")
    (folder / "other.py").write_text(OTHER)
    with running(folder, "up", "other.py", "--port", "0", "--timing", "test", log="up.log"):
        client_file = folder / ".foliot" / "client.json"
        eventually(client_file.exists, within_s=90, what="foliot up")
        access = json.loads(client_file.read_text())
        with Foliot(access["url"], access["token"]) as client:
            yield folder, client


def test_a_job_that_was_renamed_in_the_code_is_retired_and_comes_back_with_its_old_name(
    up: tuple[Path, Foliot],
) -> None:
    folder, client = up
    worker = ("worker", "billing.py")
    (folder / "billing.py").write_text(BILLING)
    with running(folder, *worker, log="worker.log"):
        declared = {"other": "ACTIVE", "settle": "ACTIVE", "report": "ACTIVE"}
        eventually(lambda: states(client) == declared, within_s=60, what="declared jobs")
    (folder / "billing.py").write_text(RENAMED)
    with running(folder, *worker, log="worker.log"):
        expected = declared | {"report": "RETIRED", "reports": "ACTIVE"}
        eventually(lambda: states(client) == expected, within_s=60, what="a retired job")
    listed = {line.split()[0]: line for line in shown(folder, "job", "list").splitlines()}
    assert "RETIRED" in listed["report"]
    assert "ACTIVE" in listed["reports"]
    why = shown(folder, "job", "why", "report")
    assert "report is retired: no longer declared by billing since " in why
    assert "the nearest name there is reports" in why
    (folder / "billing.py").write_text(BILLING)
    with running(folder, *worker, log="worker.log"):
        eventually(lambda: states(client)["report"] == "ACTIVE", within_s=60, what="the old name again")
    kinds = [event["kind"] for event in client.events.list(subject="report")]
    assert list(reversed(kinds)) == ["job.created", "job.retired", "job.declared_again"]
    feed = (folder / "up.log").read_text()
    assert "▲ report is retired: billing no longer declares it; the nearest name there is reports" in feed
    assert "✔ report is declared again and goes on" in feed


def test_a_job_goes_back_to_its_live_workers_when_the_worker_that_took_it_over_stops(
    up: tuple[Path, Foliot],
) -> None:
    folder, client = up
    for module in ("first", "second"):
        (folder / f"{module}.py").write_text(PAY)

    def taken_from(module: str) -> list[str]:
        """What the worker of a module says in its log that it took over."""
        whole_lines = (folder / f"{module}.log").read_text().split("\n")[:-1]
        return [json.loads(line)["taken_from"] for line in whole_lines if '"job.taken_over"' in line]

    with running(folder, "worker", "first.py", log="first.log"):
        eventually(lambda: "pay" in states(client), within_s=60, what="the job")
        with running(folder, "worker", "second.py", "--take-over", log="second.log"):
            eventually(lambda: taken_from("second") == ["first"], within_s=60, what="the job taken over")
        waiting = client.jobs.trigger("pay")
        assert waiting.wait("60s").result == "first", "the worker that never left executes what waited"
        eventually(lambda: taken_from("first") == ["second"], within_s=60, what="a word of it")
        assert (folder / "first.log").read_text().count("worker.registered") == 1, "in one session"
    kinds = [(event["kind"], event["data"].get("module")) for event in client.events.list(subject="pay")]
    taken = [("job.taken_over", "first"), ("job.taken_over", "second"), ("job.created", None)]
    assert [kind for kind in kinds if kind[0].startswith("job.")] == taken
