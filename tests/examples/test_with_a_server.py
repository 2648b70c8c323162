"""The examples against a whole Foliot in a folder of its own, as `foliot up` makes it."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import foliot
from foliot import Foliot
from foliot.domain.parameters import BadParameters
from foliot.sdk.connection import connection
from tests.eventually import eventually

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = ["jobs.py", "plain_script.py", "fastapi_app.py", "etl.py"]

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Running:
    """A `foliot up` and the folder it works in."""

    folder: Path
    url: str
    token: str

    def python(self, *command: str) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("FOLIOT_")}
        return subprocess.run(
            [sys.executable, *command], cwd=self.folder, env=environment, capture_output=True, text=True,
            check=False, timeout=120,
        )  # fmt: skip


@pytest.fixture(scope="module")
def running_foliot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("examples")
    for file in [*FILES, "fenced_table.py"]:
        shutil.copy(EXAMPLES / file, folder)
    said = (folder / "up.log").open("w+")
    command = [sys.executable, "-c", "from foliot.cli import main; main()", "up", *FILES, "--port", "0"]
    process = subprocess.Popen(command, cwd=folder, stdout=said, stderr=subprocess.STDOUT)
    try:
        client_file = folder / ".foliot" / "client.json"
        eventually(lambda: client_file.exists() or process.poll() is not None, within_s=90, what="foliot up")
        assert process.poll() is None, (folder / "up.log").read_text()
        access = json.loads(client_file.read_text())
        with Foliot(access["url"], access["token"]) as client:
            eventually(lambda: len(list(client.jobs.list())) == 8, within_s=90, what="the jobs are declared")
        yield Running(folder, access["url"], access["token"])
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(90)
        said.close()


@pytest.fixture
def client(running_foliot: Running) -> Iterator[Foliot]:
    try:
        with Foliot(running_foliot.url, running_foliot.token) as client:
            foliot.configure(client=client)
            yield client
    finally:
        connection.configure()


def test_the_script_finds_the_server_of_its_folder(running_foliot: Running) -> None:
    done = running_foliot.python("plain_script.py", "3", "4")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(": 3 + 4 = 7\n")


def test_programs_write_under_a_lock_and_the_table_refuses_an_old_token(running_foliot: Running) -> None:
    with ThreadPoolExecutor() as pool:
        programs = [pool.submit(running_foliot.python, "fenced_table.py", "42", "10") for _ in range(3)]
        ended = [program.result() for program in programs]
    assert [done.returncode for done in ended] == [0, 0, 0], [done.stderr for done in ended]
    assert all("is old: nothing was written to account 42" in done.stdout for done in ended)
    with closing(sqlite3.connect(running_foliot.folder / "accounts.db")) as database:
        assert database.execute("SELECT id, balance FROM accounts").fetchall() == [(42, 30)], "none was lost"


def test_greet_is_triggered_waited_for_and_read(client: Foliot) -> None:
    run = client.jobs.trigger("greet", {"name": "Foliot", "shout": True}, key="hello")
    assert run.wait("90s").result == "HELLO FOLIOT"
    assert client.jobs.trigger("greet", {"name": "Foliot", "shout": True}, key="hello").id == run.id
    with pytest.raises(BadParameters, match="greet: name=7 is not text; loud is unknown"):
        client.jobs.trigger("greet", {"name": 7, "loud": True})


def test_tick_is_watched_while_it_counts(client: Foliot) -> None:
    run = client.jobs.trigger("tick")
    lines = list(run.logs(follow=True))
    assert [line.split("  ", 1)[1] for line in lines] == [f"INFO  tick  i={i}" for i in range(5)]
    assert run.wait("90s").result == 5


def test_tick_stops_when_asked(client: Foliot) -> None:
    def stopped() -> bool:
        run = client.jobs.trigger("tick", overlap="allow")
        next(iter(run.logs(follow=True)))
        run.cancel(reason="seen enough")
        return run.wait("90s").state == "CANCELLED"

    eventually(stopped, within_s=90)  # it counts for five seconds: where nothing moves that long, it was over first


def test_flaky_succeeds_at_its_third_attempt(client: Foliot) -> None:
    run = client.jobs.trigger("flaky").wait("120s")
    assert (run.attempt, run.result) == (3, "succeeded at attempt 3")


def test_the_pipeline_runs_in_shards(client: Foliot, running_foliot: Running) -> None:
    sales = running_foliot.folder / "sales"
    sales.mkdir()
    for number in range(6):
        (sales / f"2026-01-31-{number}.csv").write_text("shop,amount\nnorth,0.10\nsouth,0.20\n")
    run = client.jobs.trigger("import_sales", {"folder": str(sales), "day": date(2026, 1, 31).isoformat()})
    assert run.wait("120s").result == {"sales": 12, "totals": {"north": "0.60", "south": "1.20"}}


@pytest.mark.usefixtures("in_examples")
def test_the_web_application_hands_its_work_over(
    client: Foliot, running_foliot: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    token_file = running_foliot.folder / "token"
    token_file.write_text(running_foliot.token)
    monkeypatch.setenv("FOLIOT_SERVER", running_foliot.url)
    monkeypatch.setenv("FOLIOT_TOKEN_FILE", str(token_file))
    connection.configure()
    import fastapi_app

    with TestClient(fastapi_app.app) as web:
        asked = [web.post("/orders/7/receipt", params={"to": "li@example.org"}).json()["run"] for _ in range(2)]
        assert asked[0] == asked[1]
        eventually(lambda: web.get(f"/receipts/{asked[0]}").json()["state"] == "SUCCEEDED", within_s=90)
    assert client.runs.get(asked[0]).result == "receipt of order 7 sent to li@example.org"
