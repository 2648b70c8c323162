"""The examples do what they say: they load, their tests pass as a user runs them, they are typed, they trigger."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from foliot.sdk.connection import connection
from foliot.sdk.registry import load
from tests.unit.client.answering import Answer, Answering, answering

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = ["jobs.py", "plain_script.py", "fastapi_app.py", "etl.py"]


@pytest.fixture
def server() -> Iterator[Answering]:
    with answering() as here:
        yield here


@pytest.fixture
def unconfigured() -> Iterator[None]:
    """The client is found anew, before and after."""
    connection.configure()
    yield
    connection.configure()


def run(*command: str, folder: Path = EXAMPLES, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], cwd=folder, env=os.environ | environment, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip


@pytest.mark.usefixtures("in_examples")
def test_all_of_them_load() -> None:
    loaded = load(FILES)
    assert loaded.problems == ()
    assert sorted(declaration.name for declaration in loaded.declarations) == [
        "add", "count_words", "flaky", "greet", "import_sales", "nightly", "send_receipt", "tick",
    ]  # fmt: skip


@pytest.mark.slow
def test_their_tests_pass_as_a_user_runs_them() -> None:
    done = run("-P", "-m", "pytest", "-q", "-p", "no:cacheprovider")  # as the command pytest: no folder on the path
    assert done.returncode == 0, done.stdout
    assert "9 passed" in done.stdout


def test_the_script_triggers_waits_and_prints(server: Answering) -> None:
    pending = {"id": "r-1", "job": "add", "state": "PENDING"}
    server.say(Answer(201, pending), Answer(200, pending | {"state": "SUCCEEDED", "result": 7}))
    done = run("plain_script.py", "3", "4", FOLIOT_SERVER=server.url)
    assert (done.returncode, done.stdout) == (0, "r-1: 3 + 4 = 7\n"), done.stderr
    assert server.asked[0].path == "/api/v1/jobs/add:trigger"
    assert server.asked[0].body["params"] == {"numbers": [3, 4]}


def test_the_script_says_what_to_do_when_there_is_no_server(tmp_path: Path) -> None:
    done = run(str(EXAMPLES / "plain_script.py"), folder=tmp_path, FOLIOT_SERVER="")
    assert done.returncode == 1
    assert "start one in this folder: foliot up" in done.stderr


@pytest.mark.usefixtures("in_examples", "unconfigured")
def test_the_web_application_only_asks(server: Answering, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLIOT_SERVER", server.url)
    import fastapi_app

    running = {"id": "r-1", "job": "send_receipt", "state": "PENDING"}
    server.say(Answer(201, running))
    with TestClient(fastapi_app.app) as web:
        answer = web.post("/orders/7/receipt", params={"to": "li@example.org"})
        assert (answer.status_code, answer.json()) == (202, {"run": "r-1", "state": "PENDING"})
        assert server.asked[0].body == {"key": "receipt-7", "params": {"order_id": 7, "to": "li@example.org"}}
        server.say(Answer(200, running | {"state": "FAILED", "error": "no mail server"}))
        assert web.get("/receipts/r-1").json()["error"] == "no mail server"
        server.say(Answer(404, {"code": "FOL-2001", "detail": 'No job "send_receipt".'}))
        assert web.post("/orders/8/receipt", params={"to": "x"}).status_code == 503


@pytest.mark.slow
def test_they_are_typed_as_a_strict_user_wants_them() -> None:
    cache = EXAMPLES.parent / ".mypy_cache" / "users"
    done = run("-m", "mypy", "--strict", "--config-file", os.devnull, "--cache-dir", str(cache), ".")
    assert done.returncode == 0, done.stdout


def test_the_jobs_show_what_they_are_there_to_show() -> None:
    text = json.dumps({file: (EXAMPLES / file).read_text() for file in FILES})
    for feature in ("retries=Retry(", "tz=", "ctx.track(", "ctx.checkpoint", "shards=", "lifespan(", ".trigger("):
        assert feature in text, feature
